//! Messages between processes that share a PostgreSQL database: short texts by LISTEN and NOTIFY. An SQLite database belongs to
//! one process, which needs none of this.
use crate::{Db, Pool, Result};
use sqlx::postgres::{PgListener, PgPoolOptions};

const CHANNEL: &str = "suncellar";

/// The longest payload that PostgreSQL accepts.
pub const MAX_PEER_MESSAGE_BYTES: usize = 7_999;

/// Receives the messages of other processes.
#[derive(Debug)]
pub struct Listener(PgListener);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerEvent {
    Message(String),
    /// The connection was lost and is back: messages may be missing.
    Gap,
}

impl Listener {
    pub async fn next(&mut self) -> Result<PeerEvent> {
        let heard = self.0.try_recv().await?;
        Ok(heard.map_or(PeerEvent::Gap, |notice| {
            PeerEvent::Message(notice.payload().to_owned())
        }))
    }
}

impl Db {
    /// `None` on SQLite.
    pub async fn listen(&self) -> Result<Option<Listener>> {
        let Pool::Postgres(pool) = &self.pool else {
            return Ok(None);
        };
        // A separate connection: one of the pool's would keep the pool from closing.
        let own = PgPoolOptions::new().max_connections(1);
        let own = own.connect_lazy_with(pool.connect_options().as_ref().clone());
        let mut listener = PgListener::connect_with(&own).await?;
        listener.listen(CHANNEL).await?;
        Ok(Some(Listener(listener)))
    }

    /// Sends to every listener, this process's own included. Does nothing on SQLite.
    pub async fn notify(&self, notices: &[String]) -> Result<()> {
        if let Pool::Postgres(pool) = &self.pool {
            sqlx::query("SELECT pg_notify($1, notice) FROM unnest($2::text[]) AS notice")
                .bind(CHANNEL)
                .bind(notices)
                .execute(pool)
                .await?;
        }
        Ok(())
    }
}
