//! The electrician's side of grants: accepting an invitation, requesting access, and using an installer code.
use super::mail::{GrantMail, MailRecipient, OWNERS_PAGE};
use super::{Grant, Row, delete_superseded, find, select};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::code::{Code, CodeKind};
use domain::grant::{
    GRANT_REQUEST_TTL, GrantEvent, GrantScope, INSTALLER_GRANT_DAYS, Origin, end_of,
};
use domain::{AccountId, Role, Serial, Zone};

/// Result of redeeming an installer code.
#[derive(Clone, Debug)]
pub enum InstallerCodeResult {
    Grants(Vec<Grant>),
    Unknown,
    /// One of its systems has an owner by now, who has to decide.
    Owned,
}

#[derive(Debug, FromRow)]
struct Covered {
    sn: String,
    owner_id: Option<i64>,
    time_zone: String,
}

impl Store {
    /// Accepts an invitation to the electrician's own address. `None`: there is none.
    pub async fn accept_grant(
        &self,
        account: AccountId,
        id: i64,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<Option<Grant>> {
        let mut tx = self.db.begin().await?;
        let Some(me) = MailRecipient::of(&mut tx, account).await? else {
            return Ok(None);
        };
        let grant = find(&mut tx, id, now).await?;
        let invited = grant.filter(|grant| {
            grant.holder.email == me.email && grant.scope.role() == Role::Electrician
        });
        let Some(invited) = invited else {
            return Ok(None);
        };
        if invited.state.next(GrantEvent::Accepted).is_err() {
            return Ok(None);
        }
        let accepted = accept(&mut tx, &invited, account, now).await?;
        let mail = GrantMail {
            text: "grant_accepted",
            page: OWNERS_PAGE,
            grant: &accepted,
        };
        mail.queue_for(accepted.owner, &mut tx, &self.keyring, mail_context, now)
            .await?;
        tx.commit().await?;
        Ok(Some(accepted))
    }

    /// Requests access to a system. The work and the result are the same whether or not the system exists. A job notifies the
    /// owner. A repeated request changes the requested scope. After a refusal, the owner is not asked again until the request has
    /// expired.
    pub async fn request_grant(
        &self,
        account: AccountId,
        sn: &Serial,
        scope: GrantScope,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "DELETE FROM grants WHERE sn = $1 AND account_id = $2 AND state IN ('asked', 'refused') AND created_at <= $3"
            )
            .bind(sn.as_str())
            .bind(account.0)
            .bind(now - GRANT_REQUEST_TTL)
        )?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO grants (sn, account_id, scope, state, origin, created_at) VALUES ($1, $2, $3, 'asked', $4, $5)
                 ON CONFLICT (sn, account_id) WHERE state IN ('asked', 'refused') DO UPDATE SET scope = excluded.scope"
            )
            .bind(sn.as_str())
            .bind(account.0)
            .bind(scope.as_str())
            .bind(Origin::Request.as_str())
            .bind(now)
        )?;
        let line = NewEntry::by(account, JournalEvent::GrantAsked, now).on(sn);
        line.with(serde_json::json!({ "scope": scope.as_str() }))
            .write(&mut tx)
            .await?;
        tx.commit().await
    }

    /// Opens the systems of an installer code for 30 days, while they have no owner.
    pub async fn redeem_installer_code(
        &self,
        account: AccountId,
        code: &Code,
        now: Millis,
    ) -> Result<InstallerCodeResult> {
        let mut tx = self.db.begin().await?;
        let hash = self.code_hash(&mut tx, code).await?;
        let covered: Vec<Covered> = within!(&mut tx, c => sqlx::query_as(
            "SELECT s.sn, s.owner_id, s.time_zone FROM codes c JOIN code_systems cs ON cs.code_hash = c.hash
             JOIN systems s ON s.sn = cs.sn
             WHERE c.hash = $1 AND c.kind = $2 AND c.used_at IS NULL ORDER BY s.sn")
            .bind(&hash).bind(CodeKind::Installer.as_str()).fetch_all(c).await)?;
        if covered.is_empty() {
            return Ok(InstallerCodeResult::Unknown);
        }
        if covered.iter().any(|system| system.owner_id.is_some()) {
            return Ok(InstallerCodeResult::Owned);
        }
        let used = execute!(
            &mut tx,
            sqlx::query("UPDATE codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL")
                .bind(&hash)
                .bind(now)
        )?;
        if used != 1 {
            return Err(Error::Conflict);
        }
        let mut grants = Vec::with_capacity(covered.len());
        for system in covered {
            grants.push(grant_by_code(&mut tx, account, &system, now).await?);
        }
        tx.commit().await?;
        Ok(InstallerCodeResult::Grants(grants))
    }
}

async fn grant_by_code(
    tx: &mut Tx,
    account: AccountId,
    system: &Covered,
    now: Millis,
) -> Result<Grant> {
    let sn: Serial = system
        .sn
        .parse()
        .map_err(|_| Error::Damaged("systems.sn"))?;
    let zone: Zone = system
        .time_zone
        .parse()
        .map_err(|_| Error::Damaged("systems.time_zone"))?;
    let until = end_of(&zone, zone.day_of(now).plus(INSTALLER_GRANT_DAYS));
    delete_superseded(tx, &sn, account, None).await?;
    let id: i64 = within!(&mut *tx, c => sqlx::query_scalar(
        "INSERT INTO grants (sn, account_id, scope, state, origin, created_at, since, until)
         VALUES ($1, $2, $3, 'active', $4, $5, $5, $6) RETURNING id")
        .bind(sn.as_str())
        .bind(account.0)
        .bind(GrantScope::Service.as_str())
        .bind(Origin::Code.as_str())
        .bind(now)
        .bind(until)
        .fetch_one(c).await)?;
    let row: Row = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
        .bind(id).fetch_one(c).await)?;
    let grant = row.grant()?;
    let line = NewEntry::by(account, JournalEvent::GrantOpenedByCode, now).on(&sn);
    line.with(grant.detail()).write(tx).await?;
    Ok(grant)
}

/// Turns the invitation into a grant of the account.
pub(super) async fn accept(
    tx: &mut Tx,
    invited: &Grant,
    account: AccountId,
    now: Millis,
) -> Result<Grant> {
    delete_superseded(tx, &invited.sn, account, Some(invited.id)).await?;
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE grants SET state = 'active', account_id = $2, email = NULL, code_hash = NULL, since = $3 WHERE id = $1"
        )
        .bind(invited.id)
        .bind(account.0)
        .bind(now)
    )?;
    let row: Row = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
        .bind(invited.id).fetch_one(c).await)?;
    let grant = row.grant()?;
    let line = NewEntry::by(account, JournalEvent::GrantAccepted, now).on(&grant.sn);
    line.with(grant.detail()).write(tx).await?;
    Ok(grant)
}
