//! The names of the people who live with a system. Owners get a mail when an electrician changes them.
use crate::mail::OwnerMail;
use crate::transaction::Transaction;
use crate::{Error, Result, Service, page};
use domain::journal::JournalEvent;
use domain::{AccountId, Serial, without_links};
use store::Access;
use store::commissioning::NameChange;
use store::end_user::{self, EndUser};
use store::journal::NewEntry;

/// A system whose names have changed.
#[derive(Clone, Debug)]
pub(crate) struct Renamed {
    pub(crate) sn: Serial,
    owner: Option<AccountId>,
    pub(crate) names: NameChange,
}

impl Service {
    /// Sets the names of the people who live with a system. The owner gets a mail if an electrician made the change.
    pub async fn name_end_user(&self, access: &Access, names: &EndUser) -> Result<()> {
        let mut t = self.begin_at(&[access]).await?;
        let renamed = rename(&mut t, access, names).await?;
        if !access.level().is_household() {
            mail_owners(&mut t, access.account(), renamed.as_slice()).await?;
        }
        t.commit().await
    }
}

/// Changes the names. `None` if they did not change.
pub(crate) async fn rename(
    t: &mut Transaction<'_>,
    access: &Access,
    to: &EndUser,
) -> Result<Option<Renamed>> {
    let locked = end_user::lock(t, access.sn()).await?;
    let (owner, from) = locked.ok_or(Error::Conflict)?;
    if owner != access.owner() {
        return Err(Error::Conflict);
    }
    let to = to.clone();
    let renamed = Renamed {
        sn: access.sn().clone(),
        owner,
        names: NameChange { from, to },
    };
    renamed.write(t, access.account()).await
}

/// Undoes a change of names, unless they were changed since.
pub(crate) async fn restore(
    t: &mut Transaction<'_>,
    author: AccountId,
    sn: Serial,
    change: NameChange,
) -> Result<Option<Renamed>> {
    let Some((owner, current)) = end_user::lock(t, &sn).await? else {
        return Ok(None);
    };
    if current != change.to {
        return Ok(None);
    }
    let names = NameChange {
        from: current,
        to: change.from,
    };
    Renamed { sn, owner, names }.write(t, author).await
}

impl Renamed {
    async fn write(self, t: &mut Transaction<'_>, author: AccountId) -> Result<Option<Self>> {
        let NameChange { from, to } = &self.names;
        if from == to {
            return Ok(None);
        }
        end_user::update(t, &self.sn, to).await?;
        let event = JournalEvent::EndUserNamed {
            from: Some(from.full_name()),
            to: Some(to.full_name()),
        };
        let entry = NewEntry::by(author, event, t.now);
        t.journal(entry.on(&self.sn)).await?;
        Ok(Some(self))
    }

    /// The text in a mail.
    fn text(&self) -> String {
        let NameChange { from, to } = &self.names;
        let [from, to] = [from, to].map(|names| without_links(&names.full_name()));
        format!("{}: {from} → {to}", self.sn)
    }
}

/// Sends each owner one mail about all of their systems whose names `author` changed.
pub(crate) async fn mail_owners(
    t: &mut Transaction<'_>,
    author: AccountId,
    renamed: &[Renamed],
) -> Result<()> {
    let mut owners: Vec<AccountId> = renamed.iter().filter_map(|one| one.owner).collect();
    owners.sort_by_key(|owner| owner.0);
    owners.dedup();
    for owner in owners {
        let theirs = renamed.iter().filter(|one| one.owner == Some(owner));
        let changes: Vec<String> = theirs.map(Renamed::text).collect();
        let mail = OwnerMail {
            text: "end_user_named",
            page: page::OWNERS_GRANTS,
            values: vec![("changes", changes.join("; "))],
            until: None,
        };
        t.mail_owner(owner, author, mail).await?;
    }
    Ok(())
}
