//! Attempts that are limited across processes: logins, codes, second factors, mails. Names are stored as hashes, because they
//! contain e-mail addresses and networks.
use crate::keyring::Purpose;
use crate::{Error, Result, Store};
use domain::attempts::{AttemptLimit, Attempts};
use domain::clock::{HOUR, Millis};

/// No limit counts attempts for longer.
const MAX_SPAN: Millis = HOUR;

impl Store {
    /// Takes `tries` for every name, or for none; then returns how long to wait until there is room.
    pub async fn take_attempts(
        &self,
        kind: &str,
        limit: AttemptLimit,
        names: &[String],
        tries: usize,
        now: Millis,
    ) -> Result<std::result::Result<(), Millis>> {
        debug_assert!(limit.span <= MAX_SPAN);
        let mut tx = self.db.begin().await?;
        let mut wait = None;
        for name in self.hashed_in_order(kind, names) {
            // Also locks the row, for whoever asks at the same time.
            let times: String = within!(&mut tx, c => sqlx::query_scalar(
                "INSERT INTO limited_attempts (kind, name, times, last_at) VALUES ($1, $2, '', $3)
                 ON CONFLICT (kind, name) DO UPDATE SET last_at = excluded.last_at RETURNING times")
                .bind(kind).bind(&name).bind(now).fetch_one(c).await)?;
            let mut attempts = parse(&times)?;
            wait = wait.max(attempts.wait(limit, tries, now));
            attempts.add(limit, tries, now);
            update(&mut tx, kind, &name, &attempts).await?;
        }
        if let Some(wait) = wait {
            return Ok(Err(wait));
        }
        tx.commit_invalidating(std::iter::empty()).await?;
        Ok(Ok(()))
    }

    /// Takes back the newest `tries` of every name.
    pub async fn give_back_attempts(
        &self,
        kind: &str,
        names: &[String],
        tries: usize,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        for name in self.hashed_in_order(kind, names) {
            // Locks the row.
            let times: Option<String> = within!(&mut tx, c => sqlx::query_scalar(
                "UPDATE limited_attempts SET last_at = last_at WHERE kind = $1 AND name = $2 RETURNING times")
                .bind(kind).bind(&name).fetch_optional(c).await)?;
            if let Some(times) = times {
                let mut attempts = parse(&times)?;
                attempts.give_back(tries);
                update(&mut tx, kind, &name, &attempts).await?;
            }
        }
        tx.commit_invalidating(std::iter::empty()).await
    }

    pub async fn purge_attempts(&self, now: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query("DELETE FROM limited_attempts WHERE last_at < $1 OR last_at > $2")
                .bind(now - MAX_SPAN)
                .bind(now + MAX_SPAN)
        )?;
        tx.commit_invalidating(std::iter::empty()).await
    }

    /// In one order for everybody, so that two processes never wait for each other.
    fn hashed_in_order(&self, kind: &str, names: &[String]) -> Vec<Vec<u8>> {
        let hash = |name: &String| {
            let text = format!("{kind} {name}");
            self.keyring().hash(Purpose::LimitedName, text.as_bytes())
        };
        let mut hashes: Vec<Vec<u8>> = names.iter().map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }
}

async fn update(tx: &mut db::Tx, kind: &str, name: &[u8], attempts: &Attempts) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE limited_attempts SET times = $3 WHERE kind = $1 AND name = $2")
            .bind(kind)
            .bind(name)
            .bind(attempts.to_string())
    )?;
    Ok(())
}

fn parse(times: &str) -> Result<Attempts> {
    let parsed = times.parse();
    parsed.map_err(|_| Error::Damaged("limited_attempts.times"))
}
