//! Grants: who may access a system, who is invited, and who requested access. They are checked on every request, so ending a
//! grant takes effect at once.

mod due;
mod read;
mod write;

pub use read::{
    find, find_by_member_code, find_held, invitations_of_household, open_of_holder, open_of_system,
};
pub(crate) use write::mark_unconfirmed;
pub use write::{
    NewInvitation, NewTerms, accept, delete, delete_superseded, erase_for_former_owner, expire,
    insert_by_code, insert_invitation, insert_request, mark_owner_notified, mark_reminded, refuse,
    set_terms, withdraw_request,
};

use crate::{Error, Result};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::grant::{
    self, GRANT_REQUEST_TTL, GrantEvent, GrantScope, GrantState, MEMBER_CODE_TTL, Origin,
};
use domain::journal::GrantDetail;
use domain::{AccountId, CompanyId, Role, Serial, SiteDay, Zone};

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

async fn find_by_id(tx: &mut Tx, id: i64) -> Result<Grant> {
    let row: Row = within!(tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
        .bind(id).fetch_one(c).await)?;
    row.grant()
}
