//! Who lives with a system: the names, their line in the journal, and the mail to the owner when an electrician changes them.
use crate::db::Tx;
use crate::grant::{OWNERS_PAGE, OwnerMail};
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Access, Error, Result, Store};
use domain::clock::Millis;
use domain::{AccountId, Serial};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Both names are empty while nobody has said them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndUser {
    pub first_name: String,
    pub last_name: String,
}

impl EndUser {
    /// "Thomas Sonntag", or a dash while nobody is named.
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

#[derive(Debug)]
struct Row {
    owner_id: Option<i64>,
    first_name: Option<String>,
    last_name: Option<String>,
}
row!(Row {
    owner_id,
    first_name,
    last_name
});

impl Store {
    /// Says who lives with a system. The owner gets a mail when an electrician changed it.
    pub async fn name_end_user(
        &self,
        access: &Access,
        names: &EndUser,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        let renamed = rename(&mut tx, access, names, now).await?;
        if !access.level().is_household() {
            let renamed: Vec<Renamed> = renamed.into_iter().collect();
            self.notify_renamed(&mut tx, access.account(), &renamed, desk, now)
                .await?;
        }
        tx.commit().await
    }

    /// Each owner gets one mail with all of their systems whose names `author` changed.
    pub(crate) async fn notify_renamed(
        &self,
        tx: &mut Tx,
        author: AccountId,
        renamed: &[Renamed],
        desk: Desk<'_>,
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
            self.notify_owner(tx, (owner, author), mail, desk, now)
                .await?;
        }
        Ok(())
    }
}

/// Changes the names with their line in the journal. `None`: they were the same before.
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

/// Sets the names back from `to` to `from`, unless somebody has changed them meanwhile.
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
    let line = Entry::by(author, Event::EndUserNamed, now).on(sn);
    line.with(detail).write(tx).await?;
    Ok(Some(Renamed {
        sn: sn.clone(),
        owner,
        from,
        to: to.clone(),
    }))
}

/// The household has left: the journal goes on to say that names were changed, and no longer which.
pub(crate) async fn leave(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE journal SET detail = 'null' WHERE sn = $1 AND event = $2")
            .bind(sn.as_str())
            .bind(Event::EndUserNamed.as_str())
    )?;
    Ok(())
}
