//! Proof that an account may touch a system. Only this file can make one, so an unscoped query cannot be written.
use crate::db::Db;
use crate::session::{self, SessionId};
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::{AccountId, Serial, Zone};
use std::sync::Arc;

/// What an account may do with a system, as the list of systems names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Owner,
}

impl Level {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
        }
    }
}

/// An account's right to one system, read from the database for this one request, with what every answer needs to know of it.
#[derive(Clone, Debug)]
pub struct Access {
    account: AccountId,
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

#[derive(Debug)]
struct Row {
    sn: String,
    phase: i64,
    time_zone: String,
    capacity: Option<i64>,
    history_from: Millis,
}
row!(Row {
    sn,
    phase,
    time_zone,
    capacity,
    history_from
});

impl Row {
    fn access(self, account: AccountId) -> Result<Access> {
        Ok(Access {
            account,
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

/// A session, and one system of its account if there is any.
struct Entry {
    session: session::Row,
    sn: Option<String>,
    phase: Option<i64>,
    time_zone: Option<String>,
    capacity: Option<i64>,
    history_from: Option<Millis>,
}

macro_rules! entry {
    ($row:ty) => {
        impl sqlx::FromRow<'_, $row> for Entry {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self {
                    session: sqlx::FromRow::from_row(row)?,
                    sn: row.try_get("sn")?,
                    phase: row.try_get("phase")?,
                    time_zone: row.try_get("time_zone")?,
                    capacity: row.try_get("capacity")?,
                    history_from: row.try_get("history_from")?,
                })
            }
        }
    };
}
entry!(sqlx::sqlite::SqliteRow);
entry!(sqlx::postgres::PgRow);

impl Entry {
    /// `None` where the account has no system.
    fn access(self, account: AccountId) -> Option<Result<Access>> {
        let row = Row {
            sn: self.sn?,
            phase: self.phase?,
            time_zone: self.time_zone?,
            capacity: self.capacity,
            history_from: self.history_from?,
        };
        Some(row.access(account))
    }
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
        let rows: Vec<Entry> = on!(self, p => sqlx::query_as(
            "SELECT s.account_id, s.kind, s.generation, s.rotated_at, s.created_at, s.used_at, s.ended_at, a.role, a.locked_at,
                y.sn, y.phase, y.time_zone, y.capacity, y.history_from
             FROM sessions s JOIN accounts a ON a.id = s.account_id LEFT JOIN systems y ON y.owner_id = a.id
             WHERE s.id = $1 ORDER BY y.phase, y.sn")
            .bind(session.as_slice()).fetch_all(p).await)?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let row = first.session.clone();
        let accesses = rows
            .into_iter()
            .filter_map(|entry| entry.access(row.account()));
        let accesses = accesses.collect::<Result<Arc<[Access]>>>()?;
        // Other processes write into PostgreSQL, too.
        if matches!(self.db, Db::Sqlite(_)) {
            let (row, accesses) = (row.clone(), Arc::clone(&accesses));
            self.entered.keep(*session, before, now, row, accesses);
        }
        Ok(Some((row, accesses)))
    }

    /// `None` both for somebody else's serial number and for one that does not exist: one query, one answer.
    pub async fn access(&self, account: AccountId, sn: &Serial) -> Result<Option<Access>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, time_zone, capacity, history_from FROM systems WHERE sn = $1 AND owner_id = $2")
            .bind(sn.as_str()).bind(account.0).fetch_optional(p).await)?;
        row.map(|row| row.access(account)).transpose()
    }

    /// Every system that the account may look at, by phase and serial number.
    pub async fn accesses(&self, account: AccountId) -> Result<Vec<Access>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, time_zone, capacity, history_from FROM systems WHERE owner_id = $1 ORDER BY phase, sn")
            .bind(account.0).fetch_all(p).await)?;
        rows.into_iter().map(|row| row.access(account)).collect()
    }
}
