//! Reading grants: of a system, of an account or company, and behind invitations.
use super::{Grant, Row, grants, select};
use crate::{Access, Error, Result, Store};
use db::Tx;
use domain::clock::Millis;
use domain::grant::{GRANT_REQUEST_TTL, GrantScope, RENEW_BEFORE, Right};
use domain::{AccountId, Role, Serial};
use std::collections::HashMap;

/// The grant in its state at `now`. `None` if there is no such grant, or it is over.
pub async fn find(tx: &mut Tx, id: i64, now: Millis) -> Result<Option<Grant>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
        .bind(id).fetch_optional(c).await)?;
    let grant = row.map(Row::grant).transpose()?;
    Ok(grant.and_then(|grant| grant.state_at(now)))
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
