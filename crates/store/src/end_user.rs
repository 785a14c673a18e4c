//! The people who live with a system: their names, the journal entry and the mail to the owner when an electrician changes them.
use crate::grant::{OWNERS_PAGE, OwnerMail};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::{AccountId, Serial};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Both names are empty until somebody enters them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndUser {
    pub first_name: String,
    pub last_name: String,
}

impl EndUser {
    /// "Thomas Sonntag", or a dash without a name.
    pub(crate) fn full_name(&self) -> String {
        match format!("{} {}", self.first_name, self.last_name).trim() {
            "" => "–".to_owned(),
            name => name.to_owned(),
        }
    }
}

/// The names of one system before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Renamed {
    pub(crate) sn: Serial,
    pub(crate) owner: Option<AccountId>,
    pub(crate) from: EndUser,
    pub(crate) to: EndUser,
}

#[derive(Debug, FromRow)]
struct Row {
    owner_id: Option<i64>,
    first_name: Option<String>,
    last_name: Option<String>,
}

impl Store {
    /// Sets the names of the people who live with a system. The owner gets a mail if an electrician made the change.
    pub async fn name_end_user(
        &self,
        access: &Access,
        names: &EndUser,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let renamed = rename(&mut tx, access, names, now).await?;
        if !access.level().is_household() {
            let renamed: Vec<Renamed> = renamed.into_iter().collect();
            self.notify_renamed(&mut tx, access.account(), &renamed, mail_context, now)
                .await?;
        }
        tx.commit().await
    }

    /// Sends each owner one mail about all of their systems whose names `author` changed.
    pub(crate) async fn notify_renamed(
        &self,
        tx: &mut Tx,
        author: AccountId,
        renamed: &[Renamed],
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut owners: Vec<AccountId> = renamed.iter().filter_map(|one| one.owner).collect();
        owners.sort_by_key(|owner| owner.0);
        owners.dedup();
        for owner in owners {
            let of = renamed.iter().filter(|one| one.owner == Some(owner));
            let changes: Vec<String> = of
                .map(|one| {
                    let (from, to) = (one.from.full_name(), one.to.full_name());
                    format!("{}: {from} → {to}", one.sn)
                })
                .collect();
            let mail = OwnerMail {
                text: "end_user_named",
                page: OWNERS_PAGE,
                values: vec![("changes", changes.join("; "))],
                until: None,
            };
            self.notify_owner(tx, (owner, author), mail, mail_context, now)
                .await?;
        }
        Ok(())
    }
}

/// Changes the names and writes the journal entry. `None`: the names were the same before.
pub(crate) async fn rename(
    tx: &mut Tx,
    access: &Access,
    to: &EndUser,
    now: Millis,
) -> Result<Option<Renamed>> {
    let (owner, from) = lock(tx, access.sn()).await?.ok_or(Error::Conflict)?;
    if owner != access.owner() {
        return Err(Error::Conflict);
    }
    write(tx, access.account(), access.sn(), (owner, from), to, now).await
}

/// Restores the names from `to` to `from`, unless somebody has changed them meanwhile.
pub(crate) async fn restore(
    tx: &mut Tx,
    author: AccountId,
    sn: &Serial,
    (from, to): (&EndUser, &EndUser),
    now: Millis,
) -> Result<Option<Renamed>> {
    match lock(tx, sn).await? {
        Some((owner, current)) if current == *to => {
            write(tx, author, sn, (owner, current), from, now).await
        }
        _ => Ok(None),
    }
}

async fn lock(tx: &mut Tx, sn: &Serial) -> Result<Option<(Option<AccountId>, EndUser)>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "UPDATE systems SET phase = phase WHERE sn = $1 RETURNING owner_id, first_name, last_name")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    Ok(row.map(|row| {
        let names = EndUser {
            first_name: row.first_name.unwrap_or_default(),
            last_name: row.last_name.unwrap_or_default(),
        };
        (row.owner_id.map(AccountId), names)
    }))
}

async fn write(
    tx: &mut Tx,
    author: AccountId,
    sn: &Serial,
    (owner, from): (Option<AccountId>, EndUser),
    to: &EndUser,
    now: Millis,
) -> Result<Option<Renamed>> {
    if from == *to {
        return Ok(None);
    }
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE systems SET first_name = NULLIF($2, ''), last_name = NULLIF($3, '') WHERE sn = $1"
        )
        .bind(sn.as_str())
        .bind(&to.first_name)
        .bind(&to.last_name)
    )?;
    let detail = json!({ "from": from.full_name(), "to": to.full_name() });
    let line = NewEntry::by(author, JournalEvent::EndUserNamed, now).on(sn);
    line.with(detail).write(tx).await?;
    Ok(Some(Renamed {
        sn: sn.clone(),
        owner,
        from,
        to: to.clone(),
    }))
}

/// The household has left: journal entries about changed names stay, without the names.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE journal SET detail = 'null' WHERE sn = $1 AND event = $2")
            .bind(sn.as_str())
            .bind(JournalEvent::EndUserNamed.as_str())
    )?;
    Ok(())
}
