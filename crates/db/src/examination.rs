//! What `suncellar check` wants to know of a database. Changes nothing.
use crate::migrations::{self, Schema};
use crate::snapshot::{Others, Snapshot};
use crate::{DatabaseFile, Db, Pool, Result, sqlite_file};
use domain::clock::Millis;

impl Db {
    pub async fn schema(&self) -> Result<Schema> {
        Schema::read(&self.pool).await
    }

    /// A setting of the database's server with which a commit may be lost; SQLite's are ours.
    pub async fn unsafe_setting(&self) -> Result<Option<String>> {
        let Pool::Postgres(pool) = &self.pool else {
            return Ok(None);
        };
        let found = sqlx::query_scalar(
            "SELECT name || ' is off' FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name",
        );
        Ok(found.fetch_optional(pool).await?)
    }

    /// How far the clock of this machine is ahead of that of the database's server; `None` where it is the same.
    pub async fn clock_ahead(&self, now: impl Fn() -> Millis) -> Result<Option<Millis>> {
        let Pool::Postgres(pool) = &self.pool else {
            return Ok(None);
        };
        let before = now();
        let there: Millis = sqlx::query_scalar(
            "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
        )
        .fetch_one(pool)
        .await?;
        Ok(Some(before.midpoint(now()) - there))
    }
}

/// Reads all rows of a database, and returns what is damaged as lines for people.
pub async fn check(url: &str) -> Result<Vec<String>> {
    if let Some(file) = DatabaseFile::of(url)? {
        return sqlite_file::check(&file).await;
    }
    let mut damage = Vec::new();
    let mut snapshot = Snapshot::open(url, Others::MayWrite).await?;
    for table in snapshot.tables().await? {
        match snapshot.sum(&table).await {
            Ok(_) => {}
            Err(error) if error.is_damage() => {
                damage.push(format!("table {}: {error}", table.name));
                // An error ends the transaction.
                snapshot = Snapshot::open(url, Others::MayWrite).await?;
            }
            Err(error) => return Err(error),
        }
    }
    snapshot.close().await?;
    Ok(damage)
}

impl Schema {
    /// Whether this program works with it, or will when it has migrated it.
    pub fn check(self) -> Result<()> {
        match self.version.is_some_and(|version| version > self.program) {
            true => self.check_with(migrations::latest_version()),
            false => Ok(()),
        }
    }
}
