//! Grants: who may access a system, who is invited, and who requested access. They are checked on every request, so ending a
//! grant takes effect at once.

mod due;
mod write;

pub(crate) use write::mark_unconfirmed;
pub use write::{
    NewInvitation, NewTerms, accept, delete, delete_superseded, erase_for_former_owner, expire,
    insert_by_code, insert_invitation, insert_request, mark_owner_notified, mark_reminded, refuse,
    set_terms, withdraw_request,
};

use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::grant::{
    self, GRANT_REQUEST_TTL, GrantEvent, GrantScope, GrantState, MEMBER_CODE_TTL, Origin,
    RENEW_BEFORE, Right,
};
use domain::journal::GrantDetail;
use domain::{AccountId, CompanyId, Role, Serial, SiteDay, Zone};
use std::collections::HashMap;

/// A grant in its present state, including requests and invitations.
#[derive(Clone, Debug)]
pub struct Grant {
    pub id: i64,
    pub sn: Serial,
    pub state: GrantState,
    pub scope: GrantScope,
    pub origin: Origin,
    pub created_at: Millis,
    /// When both sides had agreed.
    pub since: Option<Millis>,
    /// When access ends.
    pub until: Option<Millis>,
    /// The account that holds or requested it. Only an address while the person is invited.
    pub holder: Holder,
    /// The people who live with the system.
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// The message of a request to the owner.
    pub message: Option<String>,
    /// Whether the owner lets the holder read the phone number and the postal address of their account.
    pub shares_contact: bool,
    owner_phone: Option<String>,
    owner_address: Option<String>,
    /// Whether its author has taken back this request.
    is_withdrawn: bool,
    /// The holder's account; for a company, the account of its longest-standing owner. `None` while the person is invited.
    pub account: Option<AccountId>,
    /// The company that holds it; `None` in a household.
    pub company: Option<CompanyId>,
    pub owner: Option<AccountId>,
    zone: Zone,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    pub email: String,
    pub company: Option<String>,
    pub phone: Option<String>,
}

impl Grant {
    /// The last day with access.
    pub fn last_day(&self) -> Option<SiteDay> {
        self.until.map(|until| grant::last_day(&self.zone, until))
    }

    /// Whether the owner has to decide about a request, or about access that the owner has not confirmed.
    pub fn is_undecided(&self) -> bool {
        matches!(self.state, GrantState::Requested | GrantState::Unconfirmed)
    }

    /// The grant as of `now`, even if its expiry is not stored yet. `None` if it is over.
    pub fn state_at(mut self, now: Millis) -> Option<Self> {
        let lapses = match self.state {
            GrantState::Requested | GrantState::Refused => {
                Some(self.created_at + GRANT_REQUEST_TTL)
            }
            GrantState::Invited if self.scope.role() == Role::User => {
                Some(self.created_at + MEMBER_CODE_TTL)
            }
            _ => None,
        };
        if self.is_withdrawn || lapses.is_some_and(|at| at <= now) {
            return None;
        }
        if self.until.is_some_and(|until| until <= now)
            && let Ok(state) = self.state.next(GrantEvent::RanOut)
        {
            // An invitation that was not accepted cannot be renewed.
            if self.state == GrantState::Invited {
                return None;
            }
            self.state = state;
        }
        Some(self)
    }

    /// The owner's phone number, if the holder has access and may read it.
    pub fn owner_phone(&self) -> Option<&str> {
        let shared = self.opens_contact();
        self.owner_phone.as_deref().filter(|_| shared)
    }

    /// The owner's postal address, if there is one and the holder has access and may read it.
    pub fn owner_address(&self) -> Option<&str> {
        let shared = self.opens_contact();
        self.owner_address.as_deref().filter(|_| shared)
    }

    fn opens_contact(&self) -> bool {
        self.shares_contact && self.state.opens()
    }

    /// The details for the journal, without personal values.
    pub fn detail(&self) -> GrantDetail {
        GrantDetail {
            scope: Some(self.scope),
            until: self.last_day(),
            contact: self.shares_contact,
        }
    }
}

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    sn: String,
    account_id: Option<i64>,
    company_id: Option<i64>,
    email: Option<String>,
    scope: String,
    state: String,
    origin: String,
    created_at: Millis,
    since: Option<Millis>,
    until: Option<Millis>,
    owner_id: Option<i64>,
    time_zone: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    company: Option<String>,
    phone: Option<String>,
    message: Option<String>,
    shares_contact: bool,
    owner_phone: Option<String>,
    owner_address: Option<String>,
    withdrawn_at: Option<Millis>,
}

/// Selects grants; `$which` is the rest of the query.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT g.id, g.sn, a.id AS account_id, g.company_id, COALESCE(a.email, g.email) AS email, g.scope, g.state, g.origin,
                 g.created_at, g.since, g.until, y.owner_id, y.time_zone, y.first_name, y.last_name, c.name AS company, a.phone,
                 g.message, g.shares_contact, o.phone AS owner_phone, o.address AS owner_address,
                 g.withdrawn_at
             FROM grants g LEFT JOIN systems y ON y.sn = g.sn LEFT JOIN companies c ON c.id = g.company_id
             LEFT JOIN accounts a ON a.id = COALESCE(g.account_id,
                 (SELECT MIN(w.id) FROM accounts w WHERE w.company_id = g.company_id AND w.company_role = 'owner'))
             LEFT JOIN accounts o ON o.id = y.owner_id ",
            $which
        )
    };
}
pub(crate) use select;

impl Row {
    fn grant(self) -> Result<Grant> {
        let damaged = Error::Damaged;
        let zone = self.time_zone.as_deref().map(str::parse).transpose();
        Ok(Grant {
            id: self.id,
            sn: self.sn.parse().map_err(|_| damaged("grants.sn"))?,
            state: self.state.parse().map_err(|_| damaged("grants.state"))?,
            scope: self.scope.parse().map_err(|_| damaged("grants.scope"))?,
            origin: self.origin.parse().map_err(|_| damaged("grants.origin"))?,
            created_at: self.created_at,
            since: self.since,
            until: self.until,
            holder: Holder {
                email: self.email.unwrap_or_default(),
                company: self.company,
                phone: self.phone,
            },
            first_name: self.first_name,
            last_name: self.last_name,
            message: self.message,
            shares_contact: self.shares_contact,
            owner_phone: self.owner_phone,
            owner_address: self.owner_address,
            is_withdrawn: self.withdrawn_at.is_some(),
            account: self.account_id.map(AccountId),
            company: self.company_id.map(CompanyId),
            owner: self.owner_id.map(AccountId),
            zone: zone
                .map_err(|_| damaged("systems.time_zone"))?
                .unwrap_or_default(),
        })
    }
}

fn grants(rows: Vec<Row>) -> Result<Vec<Grant>> {
    rows.into_iter().map(Row::grant).collect()
}

/// The grant in its state at `now`. `None` if there is no such grant, or it is over.
pub async fn find(tx: &mut Tx, id: i64, now: Millis) -> Result<Option<Grant>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
        .bind(id).fetch_optional(c).await)?;
    let grant = row.map(Row::grant).transpose()?;
    Ok(grant.and_then(|grant| grant.state_at(now)))
}

async fn find_by_id(tx: &mut Tx, id: i64) -> Result<Grant> {
    let row: Row = within!(tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
        .bind(id).fetch_one(c).await)?;
    row.grant()
}

/// The grant that gives this account access to a system now.
pub async fn find_held(
    tx: &mut Tx,
    sn: &Serial,
    holder: AccountId,
    now: Millis,
) -> Result<Option<Grant>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!(
        "WHERE g.sn = $1 AND g.id IN (SELECT h.id FROM held_grants h WHERE h.account_id = $2)
             AND g.state IN ('active', 'unconfirmed')"))
        .bind(sn.as_str()).bind(holder.0).fetch_optional(c).await)?;
    let held = row.map(Row::grant).transpose()?;
    let held = held.and_then(|grant| grant.state_at(now));
    Ok(held.filter(|grant| grant.state.opens()))
}

/// The open invitations of the same owner to the same address with the same terms, including this one.
pub async fn invitations_of_household(
    tx: &mut Tx,
    invited: &Grant,
    now: Millis,
) -> Result<Vec<Grant>> {
    let owner = invited.owner.map(|owner| owner.0);
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(select!(
        "WHERE g.email = $1 AND g.state = 'invited' AND g.scope IN ('monitor', 'configure', 'service')
             AND (g.id = $2 OR y.owner_id = $3) ORDER BY g.sn"))
        .bind(&invited.holder.email).bind(invited.id).bind(owner).fetch_all(c).await)?;
    let alike = |grant: &Grant| grant.scope == invited.scope && grant.until == invited.until;
    let invitations = grants(rows)?.into_iter().filter(alike);
    Ok(invitations
        .filter_map(|grant| grant.state_at(now))
        .collect())
}

/// The invitations to a household behind a code, if they are for this address.
pub async fn find_by_member_code(
    tx: &mut Tx,
    hash: &[u8],
    email: &str,
    now: Millis,
) -> Result<Vec<Grant>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(select!(
        "WHERE g.code_hash = $1 AND g.state = 'invited' AND g.email = $2 ORDER BY g.sn"))
        .bind(hash).bind(email).fetch_all(c).await)?;
    let invitations = grants(rows)?.into_iter();
    Ok(invitations
        .filter_map(|grant| grant.state_at(now))
        .collect())
}

/// The grants of a system that give access now.
pub async fn open_of_system(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<Vec<Grant>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(select!("WHERE g.sn = $1"))
        .bind(sn.as_str()).fetch_all(c).await)?;
    open_at(rows, now)
}

/// The grants that give an account access now, its company's included.
pub async fn open_of_holder(tx: &mut Tx, account: AccountId, now: Millis) -> Result<Vec<Grant>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(select!("WHERE g.id IN (SELECT h.id FROM held_grants h WHERE h.account_id = $1)"))
        .bind(account.0).fetch_all(c).await)?;
    open_at(rows, now)
}

fn open_at(rows: Vec<Row>, now: Millis) -> Result<Vec<Grant>> {
    let states = grants(rows)?
        .into_iter()
        .filter_map(|grant| grant.state_at(now));
    Ok(states.filter(|grant| grant.state.opens()).collect())
}

impl Store {
    /// The system of a grant. Does not check rights: the caller has to verify access to the system.
    pub async fn grant_serial(&self, id: i64) -> Result<Option<Serial>> {
        let sn: Option<String> = on!(self, p => sqlx::query_scalar("SELECT sn FROM grants WHERE id = $1")
            .bind(id).fetch_optional(p).await)?;
        let sn = sn.map(|sn| sn.parse()).transpose();
        sn.map_err(|_| Error::Damaged("grants.sn"))
    }

    /// The scope of a grant of this system; `None` when there is no such grant.
    pub async fn grant_scope(&self, access: &Access, id: i64) -> Result<Option<GrantScope>> {
        let scope: Option<String> = on!(self, p => sqlx::query_scalar("SELECT scope FROM grants WHERE id = $1 AND sn = $2")
            .bind(id).bind(access.sn().as_str()).fetch_optional(p).await)?;
        let scope = scope.map(|scope| scope.parse()).transpose();
        scope.map_err(|_| Error::Damaged("grants.scope"))
    }

    /// The grants, invitations and requests of the owner's systems. Those that the owner has to decide come first.
    pub async fn given_grants(&self, systems: &[Access], now: Millis) -> Result<Vec<Grant>> {
        let mut given = Vec::new();
        for access in systems
            .iter()
            .filter(|access| access.may(Right::ManageGrants))
        {
            let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!("WHERE g.sn = $1 AND g.state <> 'refused' ORDER BY g.id"))
                .bind(access.sn().as_str()).fetch_all(p).await)?;
            for row in rows {
                given.extend(row.grant()?.state_at(now));
            }
        }
        given.sort_by_key(|grant| !grant.is_undecided());
        Ok(given)
    }

    /// For each system where the reader belongs to the household: the electrician with the widest access, and among equals the
    /// newest.
    pub async fn installers(
        &self,
        systems: &[Access],
        now: Millis,
    ) -> Result<HashMap<Serial, Grant>> {
        let mut installers = HashMap::new();
        for access in systems
            .iter()
            .filter(|access| access.level().is_household())
        {
            let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
                "WHERE g.sn = $1 AND g.state IN ('active', 'unconfirmed') AND g.scope IN ('monitor', 'configure', 'service')
                     AND (g.until IS NULL OR g.until > $2)"))
                .bind(access.sn().as_str()).bind(now).fetch_all(p).await)?;
            let grants = rows
                .into_iter()
                .map(Row::grant)
                .collect::<Result<Vec<_>>>()?;
            let widest = grants.into_iter().max_by_key(|grant| {
                let width = GrantScope::ALL
                    .iter()
                    .position(|scope| *scope == grant.scope);
                (width, grant.since, grant.id)
            });
            installers.extend(widest.map(|grant| (grant.sn.clone(), grant)));
        }
        Ok(installers)
    }

    /// The grants of other people's systems that the account or its company holds, asked for or is invited to, by serial number.
    /// Invitations are shown only to electricians, whose address is verified.
    pub async fn held_grants(
        &self,
        account: AccountId,
        role: Role,
        now: Millis,
    ) -> Result<Vec<Grant>> {
        let mut rows: Vec<Row> = on!(self, p => sqlx::query_as(select!("WHERE g.id IN (SELECT h.id FROM held_grants h WHERE h.account_id = $1)"))
            .bind(account.0).fetch_all(p).await)?;
        if role == Role::Electrician {
            rows.extend(self.invited(account).await?);
        }
        let mut held = Vec::with_capacity(rows.len());
        for row in rows {
            held.extend(row.grant()?.state_at(now));
        }
        held.sort_by(|one, other| (&one.sn, one.id).cmp(&(&other.sn, other.id)));
        Ok(held)
    }

    /// What waits for an electrician's company: invitations to the address of any member, and access that ends soon or has ended
    /// and that the company has not requested again.
    pub async fn waiting_for_electrician(
        &self,
        account: AccountId,
        now: Millis,
    ) -> Result<Vec<Grant>> {
        let mut waiting = Vec::new();
        for row in self.invited(account).await? {
            waiting.extend(row.grant()?.state_at(now));
        }
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE g.id IN (SELECT h.id FROM held_grants h WHERE h.account_id = $1)
                 AND g.scope IN ('monitor', 'configure', 'service')
                 AND g.state IN ('active', 'unconfirmed', 'ended') AND g.until <= $2
                 AND NOT EXISTS (SELECT 1 FROM grants q WHERE q.sn = g.sn AND q.company_id = g.company_id
                     AND q.state IN ('asked', 'refused') AND q.created_at > $3 AND q.withdrawn_at IS NULL)
             ORDER BY g.until, g.id"))
            .bind(account.0).bind(now + RENEW_BEFORE).bind(now - GRANT_REQUEST_TTL).fetch_all(p).await)?;
        for row in rows {
            waiting.extend(row.grant()?.state_at(now));
        }
        Ok(waiting)
    }

    async fn invited(&self, account: AccountId) -> Result<Vec<Row>> {
        Ok(on!(self, p => sqlx::query_as(select!(
            "WHERE g.email IN (SELECT o.email FROM accounts a JOIN accounts o ON o.company_id = a.company_id WHERE a.id = $1)
                 AND g.state = 'invited'
                 AND g.scope IN ('monitor', 'configure', 'service')"))
            .bind(account.0).fetch_all(p).await)?)
    }
}
