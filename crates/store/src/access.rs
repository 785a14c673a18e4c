//! Proof that an account may access a system, and with which rights. Only this file can construct one, so every query is scoped
//! to an account.
use crate::second_factor::has_second_factor;
use crate::session::{self, SessionId};
use crate::{Error, Result, Store};
use db::{FromRow, Pool, Tx};
use domain::clock::Millis;
use domain::grant::{AccessLevel, GrantScope, Right};
use domain::{AccountId, CompanyRole, Membership, Message, Serial, Zone};
use serde::Deserialize;
use std::sync::Arc;
use telemetry::MeasuredSite;

/// An account's right to one system, with the facts about the system that every response needs. Valid for one request.
#[derive(Clone, Debug)]
pub struct Access {
    account: AccountId,
    owner: Option<AccountId>,
    level: AccessLevel,
    /// The level of the grant or the ownership. A role in a company may allow less.
    given: AccessLevel,
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

    /// The system's owner. Prices and names belong to the owner, even if another account enters them. `None` while the system is
    /// unclaimed.
    pub fn owner(&self) -> Option<AccountId> {
        self.owner
    }

    pub fn level(&self) -> AccessLevel {
        self.level
    }

    pub fn may(&self, right: Right) -> bool {
        self.level.may(right)
    }

    /// Why the account lacks a right: because of its role in the company, or because the owner does not allow more.
    pub fn refusal(&self, right: Right) -> Message {
        match self.given.may(right) {
            true => Message::CompanyRoleTooSmall,
            false => Message::ScopeTooSmall,
        }
    }

    /// Whether the account still has these rights, as this transaction sees it. `membership` is its present membership in a
    /// company.
    pub(crate) async fn holds(
        &self,
        tx: &mut Tx,
        membership: Option<Membership>,
        now: Millis,
    ) -> Result<bool> {
        let level = membership.map_or(self.given, |it| it.role.level(self.given));
        // Of the owner without a scope.
        let scopes: Vec<Option<String>> = within!(tx, c => sqlx::query_scalar(
            "SELECT CAST(NULL AS TEXT) AS scope FROM systems WHERE sn = $1 AND owner_id = $2
             UNION ALL SELECT scope FROM held_grants WHERE sn = $1 AND account_id = $2
                 AND state IN ('active', 'unconfirmed') AND (until IS NULL OR until > $3)")
            .bind(self.sn.as_str()).bind(self.account.0).bind(now).fetch_all(c).await)?;
        let mut given = Vec::with_capacity(scopes.len());
        for scope in &scopes {
            given.push(level_of(scope.as_deref())?);
        }
        Ok(level == self.level && given.contains(&self.given))
    }

    pub fn sn(&self) -> &Serial {
        &self.sn
    }

    /// The phase that the unit is connected to, 1 to 3.
    pub fn phase(&self) -> u8 {
        self.phase
    }

    /// The time zone of its site.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Usable capacity in Wh, once the system has reported it.
    pub fn capacity(&self) -> Option<i64> {
        self.capacity
    }

    /// The part of its samples that this account may read.
    pub fn site(&self) -> MeasuredSite<'_> {
        MeasuredSite {
            sn: &self.sn,
            phase: self.phase,
            zone: &self.zone,
            history_from: self.history_from,
        }
    }

    /// Start of the data that this account may read. Earlier data belongs to the previous household.
    pub fn history_from(&self) -> Millis {
        self.history_from
    }
}

/// Allows access to any household. Only the portal's own work (`jobs`, the demo, tests) has one; `api`, which serves people, must
/// not make one: its Clippy configuration forbids it.
#[derive(Clone, Copy, Debug)]
pub struct InternalAccess(());

impl InternalAccess {
    #[expect(clippy::new_without_default, reason = "nobody gets one by default")]
    pub fn new() -> Self {
        Self(())
    }
}

/// What somebody gets by a grant with this scope, or without one as the owner.
fn level_of(scope: Option<&str>) -> Result<AccessLevel> {
    let scope = scope.map(str::parse::<GrantScope>).transpose();
    let scope = scope.map_err(|_| Error::Damaged("grants.scope"))?;
    Ok(scope.map_or(AccessLevel::Owner, GrantScope::level))
}

#[derive(Debug, Deserialize, FromRow)]
struct Row {
    sn: String,
    phase: i64,
    time_zone: String,
    capacity: Option<i64>,
    history_from: Millis,
    owner_id: Option<i64>,
    scope: Option<String>,
}

impl Row {
    /// `role` is the account's in its company, which limits what was given to the company.
    fn access(self, account: AccountId, role: Option<CompanyRole>) -> Result<Access> {
        let given = level_of(self.scope.as_deref())?;
        Ok(Access {
            account,
            owner: self.owner_id.map(AccountId),
            level: role.map_or(given, |role| role.level(given)),
            given,
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

/// A session, and the systems of its account as one JSON text of [`Row`]s. With thousands of rows the drivers would copy each
/// cell separately.
struct SessionWithSystems {
    session: session::StoredSession,
    systems: Option<String>,
}

macro_rules! session_from_row {
    ($row:ty) => {
        impl sqlx::FromRow<'_, $row> for SessionWithSystems {
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
session_from_row!(sqlx::sqlite::SqliteRow);
session_from_row!(sqlx::postgres::PgRow);

impl SessionWithSystems {
    /// Sorted by phase and serial number.
    fn accesses(&self) -> Result<Arc<[Access]>> {
        let systems = self.systems.as_deref().unwrap_or("[]");
        let mut rows: Vec<Row> =
            serde_json::from_str(systems).map_err(|_| Error::Damaged("systems"))?;
        rows.sort_by(|one, other| (one.phase, &one.sn).cmp(&(other.phase, &other.sn)));
        let account = self.session.account();
        let role = self.session.company_role()?;
        let rows = rows.into_iter();
        rows.map(|row| row.access(account, role)).collect()
    }
}

/// Reads a [`SessionWithSystems`]. The engines have different names for two JSON functions: an array of values, and an array of
/// rows.
macro_rules! session_query {
    ($comment:literal, $values:literal, $rows:literal) => {
        concat!(
            $comment, "SELECT s.account_id, s.kind, s.generation, s.created_at, s.used_at, s.ended_at, a.role, a.company_role, a.locked_at,
                ", has_second_factor!(), " AS second_factor,
                (SELECT CAST(", $rows, "(", $values, "(m.sn, m.phase, m.time_zone, m.capacity, m.history_from, m.owner_id, m.scope)) AS TEXT)
                 FROM (SELECT y.sn, y.phase, y.time_zone, y.capacity, y.history_from, y.owner_id, CAST(NULL AS TEXT) AS scope
                       FROM systems y WHERE y.owner_id = s.account_id
                       UNION ALL
                       SELECT y.sn, y.phase, y.time_zone, y.capacity, y.history_from, y.owner_id, g.scope
                       FROM grants g JOIN systems y ON y.sn = g.sn WHERE g.account_id = s.account_id
                           AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $2)
                       UNION ALL
                       SELECT y.sn, y.phase, y.time_zone, y.capacity, y.history_from, y.owner_id, g.scope
                       FROM grants g JOIN systems y ON y.sn = g.sn WHERE g.company_id = a.company_id
                           AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $2)) m) AS systems
             FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.id = $1"
        )
    };
}

impl Store {
    /// The account behind a session and every system that it may access, sorted by phase and serial number.
    pub async fn authenticate_session(
        &self,
        session: &SessionId,
        now: Millis,
    ) -> Result<Option<(session::ActiveSession, Arc<[Access]>)>> {
        let found = match self.session_cache.find(session, now) {
            Some(found) => Some(found),
            None => self.load_session(session, now).await?,
        };
        let Some((row, accesses)) = found else {
            return Ok(None);
        };
        Ok(row.active(now)?.map(|live| (live, accesses)))
    }

    async fn load_session(
        &self,
        session: &SessionId,
        now: Millis,
    ) -> Result<Option<(session::StoredSession, Arc<[Access]>)>> {
        let version = self.session_cache.version();
        let session_id = session.as_slice();
        let found: Option<SessionWithSystems> = match self.db.pool() {
            Pool::Sqlite(pool) => {
                let entry = sqlx::query_as(session_query!(
                    "/* SQLite */ ",
                    "json_array",
                    "json_group_array"
                ));
                entry.bind(session_id).bind(now).fetch_optional(pool).await
            }
            Pool::Postgres(pool) => {
                let entry = sqlx::query_as(session_query!("", "json_build_array", "json_agg"));
                entry.bind(session_id).bind(now).fetch_optional(pool).await
            }
        }?;
        let Some(entry) = found else {
            return Ok(None);
        };
        let accesses = entry.accesses()?;
        let row = entry.session;
        // Not cached for PostgreSQL: other processes write there, too.
        if !self.db.is_shared() {
            let (row, accesses) = (row.clone(), Arc::clone(&accesses));
            self.session_cache
                .insert(*session, version, now, row, accesses);
        }
        Ok(Some((row, accesses)))
    }

    /// The owner's access. `None` both for another account's serial number and for an unknown one: one query, indistinguishable
    /// results.
    pub async fn access(&self, owner: AccountId, sn: &Serial) -> Result<Option<Access>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, time_zone, capacity, history_from, owner_id, CAST(NULL AS TEXT) AS scope FROM systems
             WHERE sn = $1 AND owner_id = $2")
            .bind(sn.as_str()).bind(owner.0).fetch_optional(p).await)?;
        row.map(|row| row.access(owner, None)).transpose()
    }

    /// The owner's access, for work that the portal does on the household's behalf. `None` while the system has no owner.
    pub async fn household_access(&self, _: InternalAccess, sn: &Serial) -> Result<Option<Access>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, time_zone, capacity, history_from, owner_id, CAST(NULL AS TEXT) AS scope FROM systems
             WHERE sn = $1 AND owner_id IS NOT NULL")
            .bind(sn.as_str()).fetch_optional(p).await)?;
        let access = row.and_then(|row| {
            let owner = AccountId(row.owner_id?);
            Some(row.access(owner, None))
        });
        access.transpose()
    }

    /// All systems that the account owns, sorted by phase and serial number.
    pub async fn accesses(&self, owner: AccountId) -> Result<Vec<Access>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, phase, time_zone, capacity, history_from, owner_id, CAST(NULL AS TEXT) AS scope FROM systems
             WHERE owner_id = $1 ORDER BY phase, sn")
            .bind(owner.0).fetch_all(p).await)?;
        rows.into_iter()
            .map(|row| row.access(owner, None))
            .collect()
    }

    /// Whether the account may access any system, its own or by a grant.
    pub async fn has_systems(&self, account: AccountId, now: Millis) -> Result<bool> {
        let found: Option<i64> = on!(self, p => sqlx::query_scalar(
            "SELECT CAST(1 AS BIGINT) FROM accounts a WHERE a.id = $1 AND (EXISTS (SELECT 1 FROM systems y WHERE y.owner_id = $1)
                 OR EXISTS (SELECT 1 FROM grants g JOIN systems y ON y.sn = g.sn WHERE (g.account_id = $1 OR g.company_id = a.company_id)
                     AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $2)))")
            .bind(account.0).bind(now).fetch_optional(p).await)?;
        Ok(found.is_some())
    }
}
