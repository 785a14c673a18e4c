//! Resolves the names of known services to addresses of the public internet, and no others.
use crate::address::{AWATTAR_AT, base_url};
use domain::Source;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Resolves names to public addresses only. The client connects to exactly the addresses that were checked.
#[derive(Debug)]
pub(crate) struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        Box::pin(async move {
            if !is_known_host(&name) {
                return Err(format!("{name} is not a known host").into());
            }
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public: Vec<SocketAddr> = found.filter(|at| is_public(at.ip())).collect();
            if public.is_empty() {
                return Err(format!("{name} has no public address").into());
            }
            let addresses: Addrs = Box::new(public.into_iter());
            Ok(addresses)
        })
    }
}

fn is_known_host(host: &str) -> bool {
    let homes = Source::ALL.iter().map(|source| base_url(*source));
    homes
        .chain([AWATTAR_AT])
        .any(|address| address.strip_prefix("https://") == Some(host))
}

/// Whether an address is on the public internet: not this machine, its network, or the provider's internal network.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            let [first, second, ..] = address.segments();
            // An IPv4 address embedded in an IPv6 address leads to that IPv4 address.
            let wrapped = address.to_ipv4_mapped().or(match address.segments() {
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
                    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
                    Some(Ipv4Addr::new(a, b, c, d))
                }
                _ => None,
            });
            if let Some(wrapped) = wrapped {
                return is_public_v4(wrapped);
            }
            // Global unicast begins with 001; documentation, benchmarking and Teredo are exceptions in it.
            first & 0xe000 == 0x2000 && !(first == 0x2001 && (second < 0x200 || second == 0xdb8))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., ..)
            | (100, 64..128, _)
            | (169, 254, _)
            | (172, 16..32, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_at_large_are_public() {
        for (text, want) in [
            ("8.8.8.8", true),
            ("100.63.0.1", true),
            ("172.32.0.1", true),
            ("2a01:4f8::1", true),
            ("2001:4860:4860::8888", true),
            ("0.0.0.0", false),
            ("10.1.2.3", false),
            ("100.64.0.1", false),
            ("127.0.0.1", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.168.1.1", false),
            ("192.0.2.7", false),
            ("198.18.0.1", false),
            ("198.51.100.1", false),
            ("203.0.113.9", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("fc00::1", false),
            ("fd12::1", false),
            ("fe80::1", false),
            ("ff02::1", false),
            ("2001:db8::1", false),
            ("2001::1", false),
            ("::ffff:10.0.0.1", false),
            ("::ffff:8.8.8.8", true),
            ("64:ff9b::7f00:1", false),
            ("2002:7f00:1::", false),
        ] {
            assert_eq!(is_public(text.parse().unwrap()), want, "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_that_is_not_known_or_leads_inside_is_not_looked_up() {
        for name in ["localhost", "example.com", "api.tibber.com.evil.test"] {
            let found = PublicResolver.resolve(name.parse().unwrap()).await;
            assert!(found.is_err(), "{name}");
        }
        for source in Source::ALL {
            let host = base_url(*source).strip_prefix("https://").unwrap();
            assert!(is_known_host(host), "{host}");
        }
    }
}
