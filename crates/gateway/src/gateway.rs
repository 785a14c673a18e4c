//! What every connection of a battery needs.
use crate::quota::Quota;
use bus::Bus;
use domain::Clock;
use domain::connections::Connections;
use store::Store;
use tokio_rustls::TlsAcceptor;

#[derive(Clone)]
pub struct Gateway {
    pub store: Store,
    pub bus: Bus,
    pub clock: Clock,
    /// `None` for plain TCP: on loopback, or behind a proxy that does TLS.
    pub tls: Option<TlsAcceptor>,
    /// Limits open connections. The limit per address counts only those that have not logged in: a whole village may share one
    /// address.
    pub connections: Connections,
    /// The quota of each battery; `None` for no quota.
    pub quota: Option<Quota>,
}
