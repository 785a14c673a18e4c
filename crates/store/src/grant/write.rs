//! Statements that change grants. Each is part of a use case.
use super::{Grant, Row, find_by_id, select};
use crate::company::colleagues;
use crate::{Access, Result, customer, setting};
use db::Tx;
use domain::clock::Millis;
use domain::grant::{GRANT_REQUEST_TTL, GrantScope, GrantState, Origin};
use domain::{AccountId, Email, Role, Serial};

/// An invitation to be inserted.
#[derive(Clone, Copy, Debug)]
pub struct NewInvitation<'a> {
    pub email: &'a Email,
    pub scope: GrantScope,
    pub until: Option<Millis>,
    /// The hash of the mailed code with which a member of the household accepts.
    pub code_hash: Option<&'a [u8]>,
    pub shares_contact: bool,
}

/// Replaces a pending invitation to the same address.
pub async fn insert_invitation(
    tx: &mut Tx,
    access: &Access,
    new: NewInvitation<'_>,
    now: Millis,
) -> Result<Grant> {
    let id: i64 = within!(&mut *tx, c => sqlx::query_scalar(
        "INSERT INTO grants (sn, email, code_hash, scope, state, origin, created_at, until, shares_contact)
         VALUES ($1, $2, $3, $4, 'invited', $5, $6, $7, $8)
         ON CONFLICT (sn, email) WHERE state = 'invited' DO UPDATE SET code_hash = excluded.code_hash,
             scope = excluded.scope, created_at = excluded.created_at, until = excluded.until,
             shares_contact = excluded.shares_contact
         RETURNING id")
        .bind(access.sn().as_str())
        .bind(new.email.as_str())
        .bind(new.code_hash)
        .bind(new.scope.as_str())
        .bind(Origin::Invitation.as_str())
        .bind(now)
        .bind(new.until)
        .bind(new.shares_contact)
        .fetch_one(c).await)?;
    find_by_id(tx, id).await
}

/// What an owner decides about a grant.
#[derive(Clone, Copy, Debug)]
pub struct NewTerms {
    pub state: GrantState,
    pub scope: GrantScope,
    pub since: Option<Millis>,
    pub until: Option<Millis>,
    pub shares_contact: bool,
}

/// Deletes the message of a request, which is no longer needed after the answer.
pub async fn set_terms(tx: &mut Tx, id: i64, terms: NewTerms) -> Result<Grant> {
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE grants SET state = $2, scope = $3, since = $4, reminded_at = CASE WHEN until = $5 THEN reminded_at END,
                 until = $5, shares_contact = $6, message = NULL WHERE id = $1"
        )
        .bind(id)
        .bind(terms.state.as_str())
        .bind(terms.scope.as_str())
        .bind(terms.since)
        .bind(terms.until)
        .bind(terms.shares_contact)
    )?;
    find_by_id(tx, id).await
}

/// Inserts a request of the account's company, or changes the scope and the message of the one that it has made before. That one
/// stays as it is otherwise: refused, if the owner has refused it, and not told again, also after it was withdrawn. `false`: there
/// was one. The statements are the same whether or not the system exists.
pub async fn insert_request(
    tx: &mut Tx,
    account: AccountId,
    sn: &Serial,
    scope: GrantScope,
    message: Option<&str>,
    now: Millis,
) -> Result<bool> {
    execute!(
        &mut *tx,
        sqlx::query(
            "DELETE FROM grants WHERE sn = $1 AND company_id = (SELECT company_id FROM accounts WHERE id = $2)
                 AND state IN ('asked', 'refused') AND created_at <= $3"
        )
        .bind(sn.as_str())
        .bind(account.0)
        .bind(now - GRANT_REQUEST_TTL)
    )?;
    let inserted = execute!(
        &mut *tx,
        sqlx::query(
            "INSERT INTO grants (sn, company_id, scope, state, origin, created_at, message)
             SELECT $1, company_id, $3, 'asked', $4, $5, $6 FROM accounts WHERE id = $2 AND company_id IS NOT NULL
             ON CONFLICT (sn, company_id) WHERE state IN ('asked', 'refused') DO NOTHING"
        )
        .bind(sn.as_str())
        .bind(account.0)
        .bind(scope.as_str())
        .bind(Origin::Request.as_str())
        .bind(now)
        .bind(message)
    )?;
    execute!(
        tx,
        sqlx::query(
            "UPDATE grants SET scope = $3, message = $4, withdrawn_at = NULL WHERE sn = $1
                 AND company_id = (SELECT company_id FROM accounts WHERE id = $2) AND state IN ('asked', 'refused')"
        )
        .bind(sn.as_str())
        .bind(account.0)
        .bind(scope.as_str())
        .bind(message)
    )?;
    Ok(inserted == 1)
}

/// Hides a request that its author takes back.
pub async fn withdraw_request(tx: &mut Tx, id: i64, now: Millis) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE grants SET withdrawn_at = $2, message = NULL WHERE id = $1")
            .bind(id)
            .bind(now)
    )?;
    Ok(())
}

/// Inserts the grant of an installer code for the account's company. Replaces its older grant of the system.
pub async fn insert_by_code(
    tx: &mut Tx,
    account: AccountId,
    sn: &Serial,
    until: Millis,
    now: Millis,
) -> Result<Grant> {
    delete_superseded(tx, sn, account, None).await?;
    let id: i64 = within!(&mut *tx, c => sqlx::query_scalar(
        "INSERT INTO grants (sn, company_id, scope, state, origin, created_at, since, until)
         SELECT $1, company_id, $3, 'active', $4, $5, $5, $6 FROM accounts WHERE id = $2 RETURNING id")
        .bind(sn.as_str())
        .bind(account.0)
        .bind(GrantScope::Service.as_str())
        .bind(Origin::Code.as_str())
        .bind(now)
        .bind(until)
        .fetch_one(c).await)?;
    find_by_id(tx, id).await
}

/// Turns an invitation into an active grant: in a household of the account, otherwise of its company.
pub async fn accept(
    tx: &mut Tx,
    invited: &Grant,
    account: AccountId,
    now: Millis,
) -> Result<Grant> {
    delete_superseded(tx, &invited.sn, account, Some(invited.id)).await?;
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE grants SET state = 'active', email = NULL, code_hash = NULL, since = $3,
                 account_id = CASE WHEN $4 THEN CAST($2 AS BIGINT) END,
                 company_id = CASE WHEN NOT $4 THEN (SELECT a.company_id FROM accounts a WHERE a.id = $2) END WHERE id = $1"
        )
        .bind(invited.id)
        .bind(account.0)
        .bind(now)
        .bind(invited.scope.role() == Role::User)
    )?;
    find_by_id(tx, invited.id).await
}

/// A refused request stays in its author's list, as it would for a system that does not exist.
pub async fn refuse(tx: &mut Tx, id: i64) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE grants SET state = 'refused' WHERE id = $1").bind(id)
    )?;
    Ok(())
}

/// Deletes a grant and, if it gave access, its holder's data about the system.
pub async fn delete(tx: &mut Tx, grant: &Grant, now: Millis) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM grants WHERE id = $1").bind(grant.id)
    )?;
    if let Some(company) = grant.company
        && (grant.state.opens() || grant.state == GrantState::Ended)
    {
        customer::erase_for_company(tx, &grant.sn, company).await?;
    }
    match grant.account {
        Some(holder) if grant.state.opens() => forget_holder(tx, &grant.sn, holder, now).await,
        _ => Ok(()),
    }
}

/// Ends an expired grant. `false` if another process was faster.
pub async fn expire(tx: &mut Tx, grant: &Grant, now: Millis) -> Result<bool> {
    let ended = "UPDATE grants SET state = 'ended' WHERE id = $1 AND until <= $2 AND state IN ('active', 'unconfirmed')";
    if !update_once(tx, ended, grant, now).await? {
        return Ok(false);
    }
    if let Some(holder) = grant.account {
        forget_holder(tx, &grant.sn, holder, now).await?;
    }
    Ok(true)
}

/// Records that the owner was asked for a decision. `false` if another process was faster.
pub async fn mark_owner_notified(tx: &mut Tx, grant: &Grant, now: Millis) -> Result<bool> {
    let marked = "UPDATE grants SET told_at = $2 WHERE id = $1 AND told_at IS NULL";
    update_once(tx, marked, grant, now).await
}

/// Records that both sides were reminded of the end. `false` if another process was faster.
pub async fn mark_reminded(tx: &mut Tx, grant: &Grant, now: Millis) -> Result<bool> {
    let marked = "UPDATE grants SET reminded_at = $2 WHERE id = $1 AND reminded_at IS NULL";
    update_once(tx, marked, grant, now).await
}

/// Whether this call made the change: several processes run the same jobs.
async fn update_once(
    tx: &mut Tx,
    update: &'static str,
    grant: &Grant,
    now: Millis,
) -> Result<bool> {
    let marked = execute!(tx, sqlx::query(update).bind(grant.id).bind(now))?;
    Ok(marked == 1)
}

/// Deletes older grants of a system that an account or its company holds: there is only one at a time.
pub async fn delete_superseded(
    tx: &mut Tx,
    sn: &Serial,
    account: AccountId,
    by: Option<i64>,
) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "DELETE FROM grants WHERE sn = $1 AND id <> $3
                 AND (account_id = $2 OR company_id = (SELECT company_id FROM accounts WHERE id = $2))
                 AND state IN ('active', 'unconfirmed', 'ended')"
        )
        .bind(sn.as_str())
        .bind(account.0)
        .bind(by.unwrap_or(0))
    )?;
    Ok(())
}

/// Removes the data of a former holder and all members of its company about the system: its place in their groups, their setting
/// batches and their queued commands.
async fn forget_holder(tx: &mut Tx, sn: &Serial, account: AccountId, now: Millis) -> Result<()> {
    setting::forget_batches(tx, sn, Some(account)).await?;
    execute!(
        tx,
        sqlx::query(concat!(
            "DELETE FROM group_systems WHERE account_id IN (",
            colleagues!("$1"),
            ") AND sn = $2"
        ))
        .bind(account.0)
        .bind(sn.as_str())
    )?;
    execute!(
        tx,
        sqlx::query(concat!(
            "UPDATE commands SET state = 'expired', ended_at = $3
             WHERE account_id IN (",
            colleagues!("$1"),
            ") AND sn = $2 AND state = 'queued'"
        ))
        .bind(account.0)
        .bind(sn.as_str())
        .bind(now)
    )?;
    Ok(())
}

/// The household has left: deletes its grants, invitations and handovers. Requests still look open to their authors, as they
/// would for a system that does not exist.
pub async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for change in [
        "UPDATE grants SET state = 'refused' WHERE sn = $1 AND state = 'asked'",
        "DELETE FROM grants WHERE sn = $1 AND state <> 'refused'",
        "DELETE FROM handovers WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(change).bind(sn.as_str()))?;
    }
    Ok(())
}

/// Marks grants by an installer code as unconfirmed: the new owner has not agreed to them.
pub(crate) async fn mark_unconfirmed(tx: &mut Tx, sn: &Serial) -> Result<()> {
    let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.sn = $1 AND g.state = 'active'"))
        .bind(sn.as_str()).fetch_all(c).await)?;
    for row in rows {
        let grant = row.grant()?;
        if let Ok(state) = grant.state.next(domain::grant::GrantEvent::Claimed) {
            execute!(
                &mut *tx,
                sqlx::query("UPDATE grants SET state = $2, told_at = NULL WHERE id = $1")
                    .bind(grant.id)
                    .bind(state.as_str())
            )?;
        }
    }
    Ok(())
}
