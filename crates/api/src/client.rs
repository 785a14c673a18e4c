//! The real client address of a request. X-Forwarded-For is trusted only from configured proxies.
use crate::Portal;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// IPv4-mapped IPv6 addresses are stored as IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl FromRequestParts<Portal> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, portal: &Portal) -> Result<Self, Infallible> {
        let peer = parts
            .extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map(|info| info.0.ip());
        // A request made inside the process has no connection, and so no proxy either.
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        Ok(Self(resolve(
            peer,
            &parts.headers,
            &portal.config.trusted_proxies,
        )))
    }
}

/// Whether the connection itself, wherever the request came from before, is one of a trusted proxy.
pub(crate) fn is_from_proxy(extensions: &Extensions, trusted: &[IpNet]) -> bool {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map(|info| info.0.ip().to_canonical());
    peer.is_some_and(|peer| trusted.iter().any(|net| net.contains(&peer)))
}

/// Walks the chain from the server's side while each hop is a trusted proxy; the first other hop is the client.
fn resolve(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let believed = |address: &IpAddr| trusted.iter().any(|net| net.contains(address));
    let chain = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = chain
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .collect();
    let mut client = peer.to_canonical();
    for hop in hops.into_iter().rev() {
        if !believed(&client) {
            break;
        }
        match address(hop) {
            Some(address) => client = address.to_canonical(),
            None => break,
        }
    }
    client
}

/// Some proxies add the port.
fn address(hop: &str) -> Option<IpAddr> {
    let with_port = || hop.parse::<SocketAddr>().map(|address| address.ip());
    hop.parse().or_else(|_| with_port()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn forwarded(value: &str) -> HeaderMap {
        [("x-forwarded-for".parse().unwrap(), value.parse().unwrap())]
            .into_iter()
            .collect()
    }

    #[test]
    fn the_chain_is_believed_only_as_far_as_our_proxies_reach() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        for (peer, header, want) in [
            ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
            ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("10.0.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"),
            ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
            ("10.0.0.1", "rubbish", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.1:4711", "198.51.100.1"),
            ("10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
            // The form of IPv4 peers on a dual-stack listener.
            ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("::ffff:10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"),
            ("::ffff:127.0.0.1", "198.51.100.1", "127.0.0.1"),
        ] {
            let got = resolve(peer.parse().unwrap(), &forwarded(header), &trusted);
            assert_eq!(got, want.parse::<IpAddr>().unwrap(), "{peer} {header}");
        }
    }

    proptest! {
        #[test]
        fn without_trusted_proxies_no_header_changes_the_address(header in "[ -~]{0,80}") {
            let peer: IpAddr = "203.0.113.9".parse().unwrap();
            prop_assert_eq!(resolve(peer, &forwarded(&header), &[]), peer);
        }
    }
}
