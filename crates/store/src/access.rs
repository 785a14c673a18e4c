//! Proof that an account may touch a system. Only this file can make one, so an unscoped query cannot be written.
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::{AccountId, Serial, Zone};

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

impl Store {
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
