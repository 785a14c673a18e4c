//! Proof that an account may touch a system, and how far. Only this file can make one, so an unscoped query cannot be written.
use crate::db::Db;
use crate::session::{self, SessionId};
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::grant::{Level, Right, Scope};
use domain::{AccountId, Serial, Zone};
use serde::Deserialize;
use std::sync::Arc;

/// An account's right to one system, read from the database for this one request, with what every answer needs to know of it.
#[derive(Clone, Debug)]
pub struct Access {
    account: AccountId,
    owner: Option<AccountId>,
    level: Level,
    sn: Serial,
    phase: u8,
    zone: Zone,
    capacity: Option<i64>,
    history_from: Millis,
}

impl Access {
    pub fn account(&self) -> AccountId {
        self.account
    }

    /// Whose system it is: prices and names are theirs, whoever enters them. `None` while nobody has claimed it.
    pub fn owner(&self) -> Option<AccountId> {
        self.owner
    }

    pub fn level(&self) -> Level {
        self.level
    }

    pub fn may(&self, right: Right) -> bool {
        self.level.may(right)
    }

    pub fn sn(&self) -> &Serial {
        &self.sn
    }

    /// The phase that the unit is on, 1 to 3.
    pub fn phase(&self) -> u8 {
        self.phase
    }

    /// The time zone of its site.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Usable Wh, once the system has said so.
    pub fn capacity(&self) -> Option<i64> {
        self.capacity
    }

    /// Nothing measured earlier is this account's business: it belongs to the household before.
    pub fn history_from(&self) -> Millis {
        self.history_from
    }
}

#[derive(Debug, Deserialize)]
struct Row {
    sn: String,
    phase: i64,
    time_zone: String,
    capacity: Option<i64>,
    history_from: Millis,
    owner_id: Option<i64>,
    scope: Option<String>,
}
row!(Row {
    sn,
    phase,
    time_zone,
    capacity,
    history_from,
    owner_id,
    scope
});

impl Row {
    fn access(self, account: AccountId) -> Result<Access> {
        let level = match &self.scope {
            None => Level::Owner,
            Some(scope) => {
                let scope: Scope = scope.parse().map_err(|_| Error::Damaged("grants.scope"))?;
                scope.level()
            }
        };
        Ok(Access {
            account,
            owner: self.owner_id.map(AccountId),
            level,
            sn: self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?,
            phase: u8::try_from(self.phase).map_err(|_| Error::Damaged("systems.phase"))?,
            zone: self
                .time_zone
                .parse()
                .map_err(|_| Error::Damaged("systems.time_zone"))?,
            capacity: self.capacity,
            history_from: self.history_from,
        })
    }
}

/// A session, and the systems of its account as one text of [`Row`]s: of thousands the drivers would copy every cell by itself.
struct Entry {
    session: session::Row,
    systems: Option<String>,
}

macro_rules! entry {
    ($row:ty) => {
        impl sqlx::FromRow<'_, $row> for Entry {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self {
                    session: sqlx::FromRow::from_row(row)?,
                    systems: row.try_get("systems")?,
                })
            }
        }
    };
}
entry!(sqlx::sqlite::SqliteRow);
entry!(sqlx::postgres::PgRow);

impl Entry {
    /// By phase and serial number.
    fn accesses(&self) -> Result<Arc<[Access]>> {
        let systems = self.systems.as_deref().unwrap_or("[]");
        let mut rows: Vec<Row> =
            serde_json::from_str(systems).map_err(|_| Error::Damaged("systems"))?;
        rows.sort_by(|one, other| (one.phase, &one.sn).cmp(&(other.phase, &other.sn)));
        let account = self.session.account();
        rows.into_iter().map(|row| row.access(account)).collect()
    }
}

/// Reads an [`Entry`]; the databases have different names for making an array of several values, and one of several rows.
macro_rules! entered {
    ($values:literal, $rows:literal) => {
        concat!(
            "SELECT s.account_id, s.kind, s.generation, s.created_at, s.used_at, s.ended_at, a.role, a.locked_at,
                t.since AS totp_since,
                (SELECT CAST(", $rows, "(", $values, "(m.sn, m.phase, m.time_zone, m.capacity, m.history_from, m.owner_id, m.scope)) AS TEXT)
                 FROM (SELECT y.sn, y.phase, y.time_zone, y.capacity, y.history_from, y.owner_id, CAST(NULL AS TEXT) AS scope
                       FROM systems y WHERE y.owner_id = s.account_id
                       UNION ALL
                       SELECT y.sn, y.phase, y.time_zone, y.capacity, y.history_from, y.owner_id, g.scope
                       FROM grants g JOIN systems y ON y.sn = g.sn WHERE g.account_id = s.account_id
                           AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $2)) m) AS systems
             FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN totp t ON t.account_id = a.id WHERE s.id = $1"
        )
    };
}

impl Store {
    /// Who is behind a session together with every system they may look at, by phase and serial number.
    pub async fn enter(
        &self,
        session: &SessionId,
        now: Millis,
    ) -> Result<Option<(session::Live, Arc<[Access]>)>> {
        let found = match self.entered.find(session, now) {
            Some(found) => Some(found),
            None => self.look_up(session, now).await?,
        };
        let Some((row, accesses)) = found else {
            return Ok(None);
        };
        Ok(row.live(now)?.map(|live| (live, accesses)))
    }

    async fn look_up(
        &self,
        session: &SessionId,
        now: Millis,
    ) -> Result<Option<(session::Row, Arc<[Access]>)>> {
        let before = self.entered.before();
        let session_id = session.as_slice();
        let found: Option<Entry> = match &self.db {
            Db::Sqlite(pool) => {
                let entry = sqlx::query_as(entered!("json_array", "json_group_array"));
                entry.bind(session_id).bind(now).fetch_optional(pool).await
            }
            Db::Postgres(pool) => {
                let entry = sqlx::query_as(entered!("json_build_array", "json_agg"));
                entry.bind(session_id).bind(now).fetch_optional(pool).await
            }
        }?;
        let Some(entry) = found else {
            return Ok(None);
        };
        let accesses = entry.accesses()?;
        let row = entry.session;
        // Other processes write into PostgreSQL, too.
        if matches!(self.db, Db::Sqlite(_)) {
            let (row, accesses) = (row.clone(), Arc::clone(&accesses));
            self.entered.keep(*session, before, now, row, accesses);
        }
        Ok(Some((row, accesses)))
    }

    /// The owner's access. `None` both for somebody else's serial number and for one that does not exist: one query, one answer.
    pub async fn access(&self, owner: AccountId, sn: &Serial) -> Result<Option<Access>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, time_zone, capacity, history_from, owner_id, CAST(NULL AS TEXT) AS scope FROM systems
             WHERE sn = $1 AND owner_id = $2")
            .bind(sn.as_str()).bind(owner.0).fetch_optional(p).await)?;
        row.map(|row| row.access(owner)).transpose()
    }

    /// The household's own access, for what the portal does in its name. `None` while nobody owns it.
    pub async fn household(&self, sn: &Serial) -> Result<Option<Access>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, time_zone, capacity, history_from, owner_id, CAST(NULL AS TEXT) AS scope FROM systems
             WHERE sn = $1 AND owner_id IS NOT NULL")
            .bind(sn.as_str()).fetch_optional(p).await)?;
        let access = row.and_then(|row| {
            let owner = AccountId(row.owner_id?);
            Some(row.access(owner))
        });
        access.transpose()
    }

    /// Every system that the account owns, by phase and serial number.
    pub async fn accesses(&self, owner: AccountId) -> Result<Vec<Access>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, time_zone, capacity, history_from, owner_id, CAST(NULL AS TEXT) AS scope FROM systems
             WHERE owner_id = $1 ORDER BY phase, sn")
            .bind(owner.0).fetch_all(p).await)?;
        rows.into_iter().map(|row| row.access(owner)).collect()
    }

    /// Whether the account may look at any system, its own or somebody else's.
    pub async fn has_systems(&self, account: AccountId, now: Millis) -> Result<bool> {
        let found: Option<i64> = on!(self, p => sqlx::query_scalar(
            "SELECT CAST(1 AS BIGINT) FROM accounts a WHERE a.id = $1 AND (EXISTS (SELECT 1 FROM systems y WHERE y.owner_id = $1)
                 OR EXISTS (SELECT 1 FROM grants g JOIN systems y ON y.sn = g.sn WHERE g.account_id = $1
                     AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $2)))")
            .bind(account.0).bind(now).fetch_optional(p).await)?;
        Ok(found.is_some())
    }
}
