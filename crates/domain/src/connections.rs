//! Limits a listener's open connections, in total and per client network. No client can use up the file descriptors that
//! the other listeners and the database need.
use crate::client_network::ClientNetwork;
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
        if open.count >= self.max || counted && from_network >= self.max_per_network {
            return None;
        }
        open.count += 1;
        if counted {
            *open.by_network.entry(network).or_default() += 1;
        }
        Some(Admission {
            open: Arc::clone(&self.open),
            network: counted.then_some(network),
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
    /// The network whose limit it counts against, if any.
    network: Option<ClientNetwork>,
}

impl Admission {
    /// The peer is authenticated: from now on the connection counts only against the total limit.
    pub fn mark_authenticated(&mut self) {
        if let Some(network) = self.network.take() {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.release(network);
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

impl OpenConnections {
    fn release(&mut self, network: ClientNetwork) {
        if let Some(count) = self.by_network.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                self.by_network.remove(&network);
            }
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
