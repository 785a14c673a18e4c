//! How peer messages travel: as notifications of the PostgreSQL database, or through NATS servers where they are too many for
//! one connection. Every process receives all messages, its own included; each sender's arrive in order.
mod nats;

pub use nats::{InvalidNatsServers, NatsServers};

use db::Db;
use db::notify::{self, PeerEvent};
use nats::{NatsListener, NatsTransport};
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub(crate) enum Transport {
    Database(Db),
    Nats(NatsTransport),
}

#[derive(Debug)]
pub(crate) enum Listener {
    Database(notify::Listener),
    Nats(NatsListener),
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum TransportError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("NATS: {0}")]
    Nats(String),
    #[error("no answer in time")]
    TimedOut,
}

impl Transport {
    /// `None` for a database without other processes. `installation` is a name that differs between installations.
    pub(crate) fn new(db: &Db, nats: Option<NatsServers>, installation: &str) -> Option<Self> {
        db.is_shared().then(|| match nats {
            Some(servers) => Self::Nats(NatsTransport::new(servers, installation)),
            None => Self::Database(db.clone()),
        })
    }

    pub(crate) async fn listen(&self) -> Result<Listener, TransportError> {
        let connect = async {
            match self {
                Self::Database(db) => {
                    let listener = db.listen().await?;
                    let listener = listener.expect("a shared database has notifications");
                    Ok(Listener::Database(listener))
                }
                Self::Nats(nats) => Ok(Listener::Nats(nats.listen().await?)),
            }
        };
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, connect).await;
        connected.unwrap_or(Err(TransportError::TimedOut))
    }

    /// Sends to every process.
    pub(crate) async fn send(&self, texts: &[String]) -> Result<(), TransportError> {
        let send = async {
            match self {
                Self::Database(db) => Ok(db.notify(texts).await?),
                Self::Nats(nats) => nats.send(texts).await,
            }
        };
        let sent = tokio::time::timeout(SEND_TIMEOUT, send).await;
        sent.unwrap_or(Err(TransportError::TimedOut))
    }
}

impl Listener {
    pub(crate) async fn next(&mut self) -> Result<PeerEvent, TransportError> {
        match self {
            Self::Database(listener) => Ok(listener.next().await?),
            Self::Nats(listener) => listener.next().await,
        }
    }
}
