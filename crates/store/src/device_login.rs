//! Who may log in as a device: its secrets, and the operator's block.
use crate::device::BOOTS_REMEMBERED;
use crate::{Error, Keyring, Purpose, Result, Store};
use db::{FromRow, Pool, Tx};
use domain::Serial;
use domain::clock::Millis;

/// The result of a device's login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceLogin {
    Accepted(AcceptedLogin),
    /// Unknown serial number or wrong secret.
    Refused,
    /// The secret is right, but the operator has blocked the device.
    Blocked,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedLogin {
    /// The newest starts of the device: boot number and time.
    pub starts: Vec<(u32, Millis)>,
    /// The device's revocation count at this login. A higher count ends the connection.
    pub revocations: i64,
    /// Higher for later logins in any process; `None` on SQLite.
    pub connection: Option<i64>,
}

/// A secret that the device may log in with, joined with one of its starts.
#[derive(Debug, FromRow)]
struct LoginRow {
    hash: Vec<u8>,
    expires_at: Option<Millis>,
    blocked_at: Option<Millis>,
    revocations: i64,
    boot: Option<i64>,
    started_at: Option<Millis>,
}

/// What happens to the device's former secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldSecrets {
    /// Valid until the device logs in with the new one, or until this time.
    ExpireAt(Millis),
    /// Invalid at once; connections end.
    Drop,
}

impl Store {
    /// Checks the secret. While its secret is being changed, a device has two valid ones. Its first login with the new one
    /// invalidates the old one.
    pub async fn log_in_device(
        &self,
        sn: &Serial,
        secret: &[u8],
        now: Millis,
    ) -> Result<DeviceLogin> {
        let rows: Vec<LoginRow> = on!(self, p => sqlx::query_as(
            "SELECT s.hash, s.expires_at, a.blocked_at, COALESCE(a.revocations, 0) AS revocations, b.boot, b.started_at
             FROM device_secrets s LEFT JOIN device_access a ON a.sn = s.sn LEFT JOIN
                 (SELECT boot, started_at FROM boots WHERE sn = $1 ORDER BY boot DESC LIMIT $2) b ON 1 = 1
             WHERE s.sn = $1 AND (s.expires_at IS NULL OR s.expires_at > $3) ORDER BY b.boot DESC")
            .bind(sn.as_str()).bind(BOOTS_REMEMBERED as i64).bind(now).fetch_all(p).await)?;
        let has_old = rows.iter().any(|row| row.expires_at.is_some());
        // Checks every secret, so that the response time reveals nothing.
        let verify = |row: &LoginRow| {
            self.keyring
                .verify(Purpose::DeviceSecret, secret, &row.hash)
        };
        let matching: Vec<LoginRow> = rows.into_iter().filter(verify).collect();
        let Some(first) = matching.first() else {
            return Ok(DeviceLogin::Refused);
        };
        if first.blocked_at.is_some() {
            return Ok(DeviceLogin::Blocked);
        }
        if !self.keyring.is_current(&first.hash) {
            self.renew_device_hash(sn, secret, &first.hash).await;
        }
        if has_old && first.expires_at.is_none() {
            self.drop_old_secret(sn).await;
        }
        let revocations = first.revocations;
        let starts = matching.iter().filter_map(LoginRow::start);
        let starts = starts.collect::<Result<Vec<_>>>()?;
        Ok(DeviceLogin::Accepted(AcceptedLogin {
            starts,
            revocations,
            connection: self.next_connection_number().await?,
        }))
    }

    async fn next_connection_number(&self) -> Result<Option<i64>> {
        let Pool::Postgres(pool) = self.db.pool() else {
            return Ok(None);
        };
        let number = sqlx::query_scalar("SELECT nextval('device_connections')");
        Ok(Some(number.fetch_one(pool).await?))
    }

    /// Hashes the secret with the current key version. This is possible only at a login, because only the device knows its
    /// secret.
    async fn renew_device_hash(&self, sn: &Serial, secret: &[u8], outdated: &[u8]) {
        let hash = self.keyring.hash(Purpose::DeviceSecret, secret);
        let renewed = execute!(on self, sqlx::query(
            "UPDATE device_secrets SET hash = $3 WHERE sn = $1 AND hash = $2")
            .bind(sn.as_str()).bind(outdated).bind(hash));
        if let Err(error) = renewed {
            tracing::warn!(%sn, %error, "device_hash_not_renewed: the next login tries again");
        }
    }

    /// The device has logged in with the new secret.
    async fn drop_old_secret(&self, sn: &Serial) {
        let dropped = execute!(on self, sqlx::query(
            "DELETE FROM device_secrets WHERE sn = $1 AND expires_at IS NOT NULL")
            .bind(sn.as_str()));
        match dropped {
            Ok(_) => {
                tracing::info!(%sn, "device_secret_changed: the device uses the new one, the old one is invalid")
            }
            Err(error) => {
                tracing::warn!(%sn, %error, "old_device_secret_not_dropped: the next login tries again")
            }
        }
    }

    /// How often the connections of each device were ended; devices that never were are left out.
    pub async fn device_revocations(&self) -> Result<Vec<(Serial, i64)>> {
        let rows: Vec<(String, i64)> = on!(self, p => sqlx::query_as(
            "SELECT sn, revocations FROM device_access ORDER BY sn").fetch_all(p).await)?;
        let rows = rows.into_iter();
        rows.map(|(sn, count)| Ok((parse_serial(&sn)?, count)))
            .collect()
    }

    /// Changes when connections of any device are ended: a fleet that once got new secrets has a row for each device.
    pub async fn revocations_version(&self) -> Result<(i64, i64)> {
        let version =
            "SELECT COUNT(*), CAST(COALESCE(SUM(revocations), 0) AS BIGINT) FROM device_access";
        Ok(on!(self, p => sqlx::query_as(version).fetch_one(p).await)?)
    }

    /// The devices that the operator has blocked, and since when.
    pub async fn blocked_devices(&self) -> Result<Vec<(Serial, Millis)>> {
        let rows: Vec<(String, Millis)> = on!(self, p => sqlx::query_as(
            "SELECT sn, blocked_at FROM device_access WHERE blocked_at IS NOT NULL ORDER BY sn").fetch_all(p).await)?;
        let rows = rows.into_iter();
        rows.map(|(sn, since)| Ok((parse_serial(&sn)?, since)))
            .collect()
    }

    /// Deletes old secrets whose device did not log in with the new one in time, and ends their connections.
    pub async fn purge_device_secrets(&self, now: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let expired: Vec<String> = within!(&mut tx, c => sqlx::query_scalar(
            "SELECT sn FROM device_secrets WHERE expires_at <= $1 ORDER BY sn").bind(now).fetch_all(c).await)?;
        for sn in &expired {
            end_connections(&mut tx, &parse_serial(sn)?).await?;
        }
        if !expired.is_empty() {
            let delete = "DELETE FROM device_secrets WHERE expires_at <= $1";
            execute!(&mut tx, sqlx::query(delete).bind(now))?;
        }
        tx.commit_invalidating(std::iter::empty()).await
    }
}

impl LoginRow {
    fn start(&self) -> Option<Result<(u32, Millis)>> {
        let (boot, started_at) = (self.boot?, self.started_at?);
        let boot = u32::try_from(boot).map_err(|_| Error::Damaged("boots.boot"));
        Some(boot.map(|boot| (boot, started_at)))
    }
}

/// Blocks or unblocks a device; blocking ends its connections. Returns whether that changed anything; `None` for an unknown serial
/// number.
pub async fn set_blocked(
    tx: &mut Tx,
    sn: &Serial,
    blocked_at: Option<Millis>,
) -> Result<Option<bool>> {
    if !is_device(tx, sn).await? {
        return Ok(None);
    }
    let changed = match blocked_at {
        Some(now) => execute!(
            &mut *tx,
            sqlx::query(
                "INSERT INTO device_access (sn, blocked_at, revocations) VALUES ($1, $2, 1) ON CONFLICT (sn) DO UPDATE
                 SET blocked_at = excluded.blocked_at, revocations = device_access.revocations + 1
                 WHERE device_access.blocked_at IS NULL"
            )
            .bind(sn.as_str())
            .bind(now)
        )?,
        None => execute!(
            &mut *tx,
            sqlx::query(
                "UPDATE device_access SET blocked_at = NULL WHERE sn = $1 AND blocked_at IS NOT NULL"
            )
            .bind(sn.as_str())
        )?,
    };
    Ok(Some(changed == 1))
}

/// Gives a device a new secret. `false` for an unknown serial number.
pub async fn change_secret(
    tx: &mut Tx,
    keyring: &Keyring,
    sn: &Serial,
    secret: &[u8],
    old: OldSecrets,
    now: Millis,
) -> Result<bool> {
    if !is_device(tx, sn).await? {
        return Ok(false);
    }
    match old {
        OldSecrets::Drop => {
            let drop_all = "DELETE FROM device_secrets WHERE sn = $1";
            execute!(&mut *tx, sqlx::query(drop_all).bind(sn.as_str()))?;
            end_connections(tx, sn).await?;
        }
        OldSecrets::ExpireAt(until) => {
            let drop_expired = "DELETE FROM device_secrets WHERE sn = $1 AND expires_at <= $2";
            execute!(
                &mut *tx,
                sqlx::query(drop_expired).bind(sn.as_str()).bind(now)
            )?;
            // If an earlier new secret was never used, it was lost; two are enough.
            let drop_unused = "DELETE FROM device_secrets WHERE sn = $1 AND expires_at IS NULL
                 AND EXISTS (SELECT 1 FROM device_secrets used WHERE used.sn = $1 AND used.expires_at IS NOT NULL)";
            execute!(&mut *tx, sqlx::query(drop_unused).bind(sn.as_str()))?;
            let expire = "UPDATE device_secrets SET expires_at = $2 WHERE sn = $1";
            execute!(&mut *tx, sqlx::query(expire).bind(sn.as_str()).bind(until))?;
        }
    }
    execute!(
        tx,
        sqlx::query("INSERT INTO device_secrets (sn, hash, created_at) VALUES ($1, $2, $3)")
            .bind(sn.as_str())
            .bind(keyring.hash(Purpose::DeviceSecret, secret))
            .bind(now)
    )?;
    Ok(true)
}

/// Makes every gateway end the connections that were made before.
async fn end_connections(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO device_access (sn, revocations) VALUES ($1, 1)
             ON CONFLICT (sn) DO UPDATE SET revocations = device_access.revocations + 1"
        )
        .bind(sn.as_str())
    )?;
    Ok(())
}

async fn is_device(tx: &mut Tx, sn: &Serial) -> Result<bool> {
    let found: Option<String> = within!(tx, c => sqlx::query_scalar("SELECT sn FROM systems WHERE sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    Ok(found.is_some())
}

fn parse_serial(sn: &str) -> Result<Serial> {
    sn.parse().map_err(|_| Error::Damaged("device_access.sn"))
}
