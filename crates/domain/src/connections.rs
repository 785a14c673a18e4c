//! Limits a listener's open connections, in total and per client network. No client can use up the file descriptors that
//! the other listeners and the database need.
use crate::client_network::{ClientNetwork, LINES_PER_BLOCK};
use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

type Exempt = dyn Fn(IpAddr) -> bool + Send + Sync;

/// The connections of one listener. Cheap to clone.
#[derive(Clone)]
pub struct Connections {
    max: usize,
    max_per_network: usize,
    /// Addresses without a limit per network: proxies carry the connections of many clients.
    exempt: Arc<Exempt>,
    open: Arc<Mutex<OpenConnections>>,
}

#[derive(Debug, Default)]
struct OpenConnections {
    count: usize,
    by_network: HashMap<ClientNetwork, usize>,
    /// By the /48 of an IPv6 address.
    by_block: HashMap<ClientNetwork, usize>,
}

/// No limits.
impl Default for Connections {
    fn default() -> Self {
        Self::new(usize::MAX, usize::MAX)
    }
}

impl Connections {
    pub fn new(max: usize, max_per_network: usize) -> Self {
        Self {
            max,
            max_per_network,
            exempt: Arc::new(|_| false),
            open: Arc::default(),
        }
    }

    /// Sets the addresses that only the total limit applies to. Loopback is always one of them.
    #[must_use]
    pub fn exempting(self, exempt: impl Fn(IpAddr) -> bool + Send + Sync + 'static) -> Self {
        Self {
            exempt: Arc::new(exempt),
            ..self
        }
    }

    /// Admits a connection; `None` when a limit is reached.
    pub fn admit(&self, address: IpAddr) -> Option<Admission> {
        let address = address.to_canonical();
        let network = ClientNetwork::of(address);
        let counted = !network.is_loopback() && !(self.exempt)(address);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let from_network = open.by_network.get(&network).copied().unwrap_or_default();
        let block = ClientNetwork::block_of(address);
        let from_block = block.and_then(|block| open.by_block.get(&block).copied());
        let is_full = from_network >= self.max_per_network
            || from_block.unwrap_or_default()
                >= self.max_per_network.saturating_mul(LINES_PER_BLOCK);
        if open.count >= self.max || counted && is_full {
            return None;
        }
        open.count += 1;
        if counted {
            *open.by_network.entry(network).or_default() += 1;
            if let Some(block) = block {
                *open.by_block.entry(block).or_default() += 1;
            }
        }
        Some(Admission {
            open: Arc::clone(&self.open),
            networks: counted.then_some((network, block)),
        })
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connections")
            .field("max", &self.max)
            .field("max_per_network", &self.max_per_network)
            .finish_non_exhaustive()
    }
}

/// An admitted connection. Dropping it frees its place.
#[derive(Debug)]
pub struct Admission {
    open: Arc<Mutex<OpenConnections>>,
    /// The network and the block whose limits it counts against, if any.
    networks: Option<(ClientNetwork, Option<ClientNetwork>)>,
}

impl Admission {
    /// The peer is authenticated: from now on the connection counts only against the total limit.
    pub fn mark_authenticated(&mut self) {
        if let Some((network, block)) = self.networks.take() {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            release(&mut open.by_network, network);
            if let Some(block) = block {
                release(&mut open.by_block, block);
            }
        }
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.mark_authenticated();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.count -= 1;
    }
}

fn release(counts: &mut HashMap<ClientNetwork, usize>, network: ClientNetwork) {
    if let Some(count) = counts.get_mut(&network) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&network);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn one_caller_gets_so_many_and_all_together_so_many() {
        let connections = Connections::new(4, 2);
        let here = address("2001:db8::1");
        let first = connections.admit(here).unwrap();
        let _second = connections.admit(address("2001:db8::2")).unwrap();
        assert!(connections.admit(address("2001:db8::3")).is_none());
        drop(first);
        let _third = connections.admit(here).unwrap();
        let _others = [address("203.0.113.1"), address("203.0.113.2")]
            .map(|other| connections.admit(other).unwrap());
        assert!(connections.admit(address("203.0.113.3")).is_none(), "full");
        drop(_others);
        assert!(connections.admit(address("203.0.113.3")).is_some());
        assert_eq!(connections.open.lock().unwrap().by_network.len(), 1);
    }

    #[test]
    fn many_lines_of_one_subscriber_are_no_crowd() {
        let connections = Connections::new(usize::MAX, 2);
        let line = |n: usize| address(&format!("2001:db8:1:{n:x}::1"));
        let admit = |n| connections.admit(line(n));
        let mut open: Vec<_> = (0..2 * LINES_PER_BLOCK)
            .map(|n| admit(n).unwrap())
            .collect();
        assert!(admit(100).is_none());
        assert!(connections.admit(address("2001:db8:2::1")).is_some());
        open.pop();
        assert!(admit(100).is_some());
        drop(open);
        assert!(connections.open.lock().unwrap().by_block.is_empty());
    }

    #[test]
    fn proxies_this_machine_and_who_is_proven_count_only_in_all() {
        let proxy = address("10.0.0.1");
        let connections = Connections::new(5, 1).exempting(move |address| address == proxy);
        let mut places = Vec::new();
        for from in ["10.0.0.1", "::ffff:10.0.0.1", "127.0.0.1", "::1"] {
            places.push(connections.admit(address(from)).expect(from));
        }
        let battery = address("203.0.113.1");
        let mut place = connections.admit(battery).unwrap();
        places.pop();
        assert!(connections.admit(battery).is_none());
        place.mark_authenticated();
        places.push(connections.admit(battery).unwrap());
        assert!(connections.admit(address("127.0.0.1")).is_none(), "full");
        drop(places);
        drop(place);
        assert_eq!(connections.open.lock().unwrap().count, 0);
    }
}
