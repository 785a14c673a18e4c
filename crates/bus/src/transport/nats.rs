//! Peer messages through NATS servers. They store nothing: a process that is not connected misses messages, and reads from the
//! database.
use super::TransportError;
use async_nats::{Client, ConnectOptions, Event, ServerAddr, Subscriber};
use db::notify::PeerEvent;
use futures_util::StreamExt as _;
use serde::Deserialize;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The addresses of a NATS cluster, such as `nats://user:password@host:4222`, separated by commas. `tls://` demands TLS.
#[derive(Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct NatsServers(Vec<ServerAddr>);

#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is no address of a NATS server, such as nats://host:4222 or tls://user:password@host:4222"
)]
pub struct InvalidNatsServers(String);

impl FromStr for NatsServers {
    type Err = InvalidNatsServers;

    fn from_str(text: &str) -> Result<Self, InvalidNatsServers> {
        let server = |address: &str| {
            let server: ServerAddr = address.trim().parse().ok()?;
            let scheme = matches!(server.scheme(), "nats" | "tls");
            (scheme && !server.host().is_empty()).then_some(server)
        };
        let servers: Option<Vec<_>> = text.split(',').map(server).collect();
        let servers = servers.filter(|servers| !servers.is_empty());
        servers
            .map(Self)
            // The text may contain a password.
            .ok_or_else(|| InvalidNatsServers(without_user(text)))
    }
}

impl TryFrom<String> for NatsServers {
    type Error = InvalidNatsServers;

    fn try_from(text: String) -> Result<Self, InvalidNatsServers> {
        text.parse()
    }
}

/// Without user and password.
impl fmt::Display for NatsServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, server) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let (scheme, host) = (server.scheme(), server.host());
            write!(f, "{comma}{scheme}://{host}:{}", server.port())?;
        }
        Ok(())
    }
}

impl fmt::Debug for NatsServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NatsServers({self})")
    }
}

fn without_user(text: &str) -> String {
    let addresses = text.split(',').map(|address| {
        let (user, host) = address.rsplit_once('@').unwrap_or(("", address));
        let scheme = user.split_once("://").map_or("", |(scheme, _)| scheme);
        match scheme {
            "" => host.to_owned(),
            scheme => format!("{scheme}://{host}"),
        }
    });
    addresses.collect::<Vec<_>>().join(",")
}

/// Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct NatsTransport(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    servers: NatsServers,
    subject: String,
    /// The connection that the newest listener uses; messages are sent on it, too.
    client: Mutex<Option<Client>>,
}

#[derive(Debug)]
pub(crate) struct NatsListener {
    subscriber: Subscriber,
    connection: Arc<ConnectionState>,
}

/// What the client reports about its connection.
#[derive(Debug, Default)]
struct ConnectionState {
    lost: Notify,
    messages_dropped: Notify,
}

impl NatsTransport {
    pub(super) fn new(servers: NatsServers, installation: &str) -> Self {
        Self(Arc::new(Inner {
            servers,
            subject: format!("suncellar.{installation}"),
            client: Mutex::default(),
        }))
    }

    fn client(&self) -> std::sync::MutexGuard<'_, Option<Client>> {
        let client = self.0.client.lock();
        client.unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a connection of its own: one that has gone silent is no longer used.
    pub(super) async fn listen(&self) -> Result<NatsListener, TransportError> {
        *self.client() = None;
        let connection = Arc::new(ConnectionState::default());
        let state = Arc::clone(&connection);
        let options = ConnectOptions::new().name("suncellar");
        let options = options.event_callback(move |event| {
            match event {
                Event::Disconnected | Event::Closed => state.lost.notify_one(),
                Event::SlowConsumer(_) => state.messages_dropped.notify_one(),
                _ => {}
            }
            std::future::ready(())
        });
        let client = options.connect(&self.0.servers.0[..]).await.map_err(nats)?;
        let subject = self.0.subject.clone();
        let subscriber = client.subscribe(subject).await.map_err(nats)?;
        // The server knows of the subscription: nothing is missed from here on.
        client.flush().await.map_err(nats)?;
        *self.client() = Some(client);
        Ok(NatsListener {
            subscriber,
            connection,
        })
    }

    pub(super) async fn send(&self, texts: &[String]) -> Result<(), TransportError> {
        let client = self.client().clone();
        let client = client.ok_or_else(|| nats("not connected"))?;
        for text in texts {
            let (subject, text) = (self.0.subject.clone(), text.clone());
            client.publish(subject, text.into()).await.map_err(nats)?;
        }
        client.flush().await.map_err(nats)
    }
}

impl NatsListener {
    /// Fails when the connection is lost. Cancel-safe.
    pub(super) async fn next(&mut self) -> Result<PeerEvent, TransportError> {
        tokio::select! {
            biased;
            () = self.connection.lost.notified() => Err(nats("connection lost")),
            () = self.connection.messages_dropped.notified() => Ok(PeerEvent::Gap),
            message = self.subscriber.next() => match message {
                Some(message) => match String::from_utf8(message.payload.into()) {
                    Ok(text) => Ok(PeerEvent::Message(text)),
                    // Not one of our messages. It is ignored like any other invalid text.
                    Err(_) => Ok(PeerEvent::Message(String::new())),
                },
                None => Err(nats("subscription ended")),
            },
        }
    }
}

fn nats(error: impl fmt::Display) -> TransportError {
    TransportError::Nats(error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_are_shown_without_passwords() {
        let servers: NatsServers = "tls://eve:secret@one.example,nats://[::1]:4223"
            .parse()
            .unwrap();
        let shown = format!("{servers:?}");
        assert_eq!(shown, "NatsServers(tls://one.example:4222,nats://::1:4223)");
        for wrong in ["", "http://eve:secret@one.example", "nats://", "nats://a,"] {
            let error = wrong.parse::<NatsServers>().unwrap_err().to_string();
            assert!(
                !error.contains("eve") && !error.contains("secret"),
                "{error}"
            );
        }
    }
}
