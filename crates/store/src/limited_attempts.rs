//! Attempts that are limited across processes: logins, codes, second factors, mails. Names are stored as hashes, because they
//! contain e-mail addresses and networks.
use crate::keyring::Purpose;
use crate::{Error, Keyring, Result, Store};
use domain::attempts::{AttemptLimit, Attempts};
use domain::clock::{HOUR, Millis};

/// No limit counts attempts for longer.
const MAX_SPAN: Millis = HOUR;

/// Takes one try within the transaction that it is about. `false`: there is no room.
pub async fn take_attempt(
    tx: &mut db::Tx,
    keyring: &Keyring,
    kind: &str,
    limit: AttemptLimit,
    name: &str,
    now: Millis,
) -> Result<bool> {
    let name = hash(keyring, kind, name);
    let mut attempts = lock(tx, kind, &name, now).await?;
    if attempts.wait(limit, 1, now).is_some() {
        return Ok(false);
    }
    attempts.add(limit, 1, now);
    update(tx, kind, &name, &attempts).await?;
    Ok(true)
}

impl Store {
    /// Takes `tries` for every name, or for none. In the latter case returns how long to wait.
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
            let mut attempts = lock(&mut tx, kind, &name, now).await?;
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

    /// Returns the newest `tries` of every name.
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

    /// Always in the same order, so that two processes never deadlock.
    fn hashed_in_order(&self, kind: &str, names: &[String]) -> Vec<Vec<u8>> {
        let names = names.iter();
        let mut hashes: Vec<Vec<u8>> = names.map(|it| hash(self.keyring(), kind, it)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }
}

fn hash(keyring: &Keyring, kind: &str, name: &str) -> Vec<u8> {
    keyring.hash(Purpose::LimitedName, format!("{kind} {name}").as_bytes())
}

/// The attempts of a name. Locks its row, for whoever asks at the same time.
async fn lock(tx: &mut db::Tx, kind: &str, name: &[u8], now: Millis) -> Result<Attempts> {
    let times: String = within!(tx, c => sqlx::query_scalar(
        "INSERT INTO limited_attempts (kind, name, times, last_at) VALUES ($1, $2, '', $3)
         ON CONFLICT (kind, name) DO UPDATE SET last_at = excluded.last_at RETURNING times")
        .bind(kind).bind(name).bind(now).fetch_one(c).await)?;
    parse(&times)
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
