//! How several processes on one PostgreSQL hear of each other: short texts by LISTEN and NOTIFY.
//! An SQLite database belongs to one process, which needs none of it.
use crate::db::Db;
use crate::{Result, Store};
use sqlx::postgres::{PgListener, PgPoolOptions};

const CHANNEL: &str = "suncellar";

/// The longest text that PostgreSQL takes.
pub const MAX_NOTICE: usize = 7_999;

/// What other processes say.
#[derive(Debug)]
pub struct Listener(PgListener);

/// What a listener hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Notice(String),
    /// The connection was lost and is there again: some notices may be missing.
    Gap,
}

impl Listener {
    pub async fn next(&mut self) -> Result<Heard> {
        let heard = self.0.try_recv().await?;
        Ok(heard.map_or(Heard::Gap, |notice| {
            Heard::Notice(notice.payload().to_owned())
        }))
    }
}

impl Store {
    /// Whether other processes may share this database.
    pub fn is_shared(&self) -> bool {
        matches!(self.db, Db::Postgres(_))
    }

    /// `None` on SQLite.
    pub async fn listen(&self) -> Result<Option<Listener>> {
        let Db::Postgres(pool) = &self.db else {
            return Ok(None);
        };
        // A connection of its own: one of the pool's would keep the pool from closing.
        let own = PgPoolOptions::new().max_connections(1);
        let own = own.connect_lazy_with(pool.connect_options().as_ref().clone());
        let mut listener = PgListener::connect_with(&own).await?;
        listener.listen(CHANNEL).await?;
        Ok(Some(Listener(listener)))
    }

    /// Tells every listener, this process's own included; nothing on SQLite.
    pub async fn notify(&self, notices: &[String]) -> Result<()> {
        if let Db::Postgres(pool) = &self.db {
            sqlx::query("SELECT pg_notify($1, notice) FROM unnest($2::text[]) AS notice")
                .bind(CHANNEL)
                .bind(notices)
                .execute(pool)
                .await?;
        }
        Ok(())
    }
}
