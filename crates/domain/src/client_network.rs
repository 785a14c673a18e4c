//! Which IP addresses count as one client, and which as one subscriber with many lines.
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or the /64 of an IPv6 address: one IPv6 line has all 2^64 addresses of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientNetwork(IpAddr);

/// How many times a line's allowance all lines of a [block](ClientNetwork::block_of) have together. Whoever gets a /48 for nothing
/// has 65,536 lines; a block of an access provider may be 256 homes.
pub const LINES_PER_BLOCK: usize = 16;

impl ClientNetwork {
    /// The /48 of an IPv6 address: the most that one subscriber gets. `None`: an IPv4 address.
    pub fn block_of(address: IpAddr) -> Option<Self> {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let prefix = u128::from(address) >> 80 << 80;
                Some(Self(IpAddr::V6(Ipv6Addr::from(prefix))))
            }
            IpAddr::V4(_) => None,
        }
    }

    /// An IPv4-mapped IPv6 address (`::ffff:203.0.113.5`) counts as the IPv4 address.
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let prefix = u128::from(address) >> 64 << 64;
                IpAddr::V6(Ipv6Addr::from(prefix))
            }
            address => address,
        })
    }

    pub fn is_loopback(self) -> bool {
        // No other address in the /64 of ::1 can reach the server.
        self.0.is_loopback() || self == Self::of(Ipv6Addr::LOCALHOST.into())
    }
}

impl fmt::Display for ClientNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_one_caller() {
        let of = |text: &str| ClientNetwork::of(text.parse().unwrap()).to_string();
        for (address, network) in [
            ("203.0.113.5", "203.0.113.5"),
            ("::ffff:203.0.113.5", "203.0.113.5"),
            ("2001:db8:1:2::1", "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::"),
            ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ] {
            assert_eq!(of(address), network, "{address}");
        }
        let block = |text: &str| ClientNetwork::block_of(text.parse().unwrap());
        assert_eq!(block("203.0.113.5"), None);
        assert_eq!(block("::ffff:203.0.113.5"), None);
        assert_eq!(block("2001:db8:1:2::1"), block("2001:db8:1:ffff::1"));
        assert_ne!(block("2001:db8:1:2::1"), block("2001:db8:2:2::1"));
        for (address, local) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("::1", true),
            ("2001:db8::1", false),
        ] {
            let network = ClientNetwork::of(address.parse().unwrap());
            assert_eq!(network.is_loopback(), local, "{address}");
        }
    }
}
