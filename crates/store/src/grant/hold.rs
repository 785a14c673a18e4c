//! The electrician's side: accepting an invitation, asking, and the installer code.
use super::letter::{Letter, OWNERS_PAGE, Recipient};
use super::{Grant, Row, find, replace, select};
use crate::db::Tx;
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::code::{Code, CodeKind};
use domain::grant::{CODE_DAYS, GrantEvent, Origin, REQUEST_LIFE, Scope, end_of};
use domain::{AccountId, Role, Serial, Zone};

/// What an installer code did.
#[derive(Clone, Debug)]
pub enum Opened {
    Grants(Vec<Grant>),
    Unknown,
    /// Somebody owns one of its systems by now, and decides.
    Owned,
}

#[derive(Debug)]
struct Covered {
    sn: String,
    owner_id: Option<i64>,
    time_zone: String,
}
row!(Covered {
    sn,
    owner_id,
    time_zone
});

impl Store {
    /// Accepts an invitation to the electrician's own address. `None`: there is none.
    pub async fn accept_grant(
        &self,
        account: AccountId,
        id: i64,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Option<Grant>> {
        let mut tx = self.begin().await?;
        let Some(me) = Recipient::of(&mut tx, account).await? else {
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
        if let Some(owner) = accepted.owner
            && let Some(to) = Recipient::of(&mut tx, owner).await?
        {
            let letter = Letter::about("grant_accepted", OWNERS_PAGE, &accepted, to.lang());
            letter.queue(&mut tx, &self.keyring, desk, &to, now).await?;
        }
        tx.commit().await?;
        Ok(Some(accepted))
    }

    /// Asks for a system, whether there is one or not: the same work and the same answer. Its owner is told by a job.
    /// Asking again changes what is asked for; who was refused is not heard again until the request has lapsed.
    pub async fn ask_for(
        &self,
        account: AccountId,
        sn: &Serial,
        scope: Scope,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "DELETE FROM grants WHERE sn = $1 AND account_id = $2 AND state IN ('asked', 'refused') AND created_at <= $3"
            )
            .bind(sn.as_str())
            .bind(account.0)
            .bind(now - REQUEST_LIFE)
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
        let line = Entry::by(account, Event::GrantAsked, now).on(sn);
        line.with(serde_json::json!({ "scope": scope.as_str() }))
            .write(&mut tx)
            .await?;
        tx.commit().await
    }

    /// Opens the systems of an installer code for 30 days, while nobody owns them.
    pub async fn open_by_code(
        &self,
        account: AccountId,
        code: &Code,
        now: Millis,
    ) -> Result<Opened> {
        let mut tx = self.begin().await?;
        let hash = self.code_hash(&mut tx, code).await?;
        let covered: Vec<Covered> = within!(&mut tx, c => sqlx::query_as(
            "SELECT s.sn, s.owner_id, s.time_zone FROM codes c JOIN code_systems cs ON cs.code_hash = c.hash
             JOIN systems s ON s.sn = cs.sn
             WHERE c.hash = $1 AND c.kind = $2 AND c.used_at IS NULL ORDER BY s.sn")
            .bind(&hash).bind(CodeKind::Installer.as_str()).fetch_all(c).await)?;
        if covered.is_empty() {
            return Ok(Opened::Unknown);
        }
        if covered.iter().any(|system| system.owner_id.is_some()) {
            return Ok(Opened::Owned);
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
            grants.push(open(&mut tx, account, &system, now).await?);
        }
        tx.commit().await?;
        Ok(Opened::Grants(grants))
    }
}

async fn open(tx: &mut Tx, account: AccountId, system: &Covered, now: Millis) -> Result<Grant> {
    let sn: Serial = system
        .sn
        .parse()
        .map_err(|_| Error::Damaged("systems.sn"))?;
    let zone: Zone = system
        .time_zone
        .parse()
        .map_err(|_| Error::Damaged("systems.time_zone"))?;
    let until = end_of(&zone, zone.day_of(now).plus(CODE_DAYS));
    replace(tx, &sn, account, None).await?;
    let id: i64 = within!(&mut *tx, c => sqlx::query_scalar(
        "INSERT INTO grants (sn, account_id, scope, state, origin, created_at, since, until)
         VALUES ($1, $2, $3, 'active', $4, $5, $5, $6) RETURNING id")
        .bind(sn.as_str())
        .bind(account.0)
        .bind(Scope::Service.as_str())
        .bind(Origin::Code.as_str())
        .bind(now)
        .bind(until)
        .fetch_one(c).await)?;
    let row: Row = within!(&mut *tx, c => sqlx::query_as(select!("WHERE g.id = $1"))
        .bind(id).fetch_one(c).await)?;
    let grant = row.grant()?;
    let line = Entry::by(account, Event::GrantCoded, now).on(&sn);
    line.with(grant.detail()).write(tx).await?;
    Ok(grant)
}

/// The invitation is the account's grant from now on.
pub(super) async fn accept(
    tx: &mut Tx,
    invited: &Grant,
    account: AccountId,
    now: Millis,
) -> Result<Grant> {
    replace(tx, &invited.sn, account, Some(invited.id)).await?;
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
    let line = Entry::by(account, Event::GrantAccepted, now).on(&grant.sn);
    line.with(grant.detail()).write(tx).await?;
    Ok(grant)
}
