//! Commissionings: started, recorded step by step, and finished as a protocol or abandoned.
use crate::end_user::{mail_owners, rename, restore};
use crate::transaction::Transaction;
use crate::{Error, Result, Service};
use domain::commissioning::{CheckRecord, CommissioningStep};
use domain::grant::Right;
use domain::journal::JournalEvent;
use domain::{AccountId, Serial};
use store::Access;
use store::commissioning::{self, Commissioning, Customer, NameChange};
use store::end_user::EndUser;
use store::grant::{self, Grant};
use store::journal::NewEntry;

/// Result of beginning a commissioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommissioningStart {
    /// The id of the new commissioning.
    New(i64),
    /// A unit is in another commissioning.
    Busy,
    /// The units have different owners, or have no owner and belong to different installer codes.
    OwnersDiffer,
}

/// An electrician's statement for a step, and the result of its check.
#[derive(Clone, Copy, Debug)]
pub struct StepStatement<'a> {
    pub step: CommissioningStep,
    /// `None` if the check has failed.
    pub record: Option<&'a CheckRecord>,
    /// The customer and the remarks, if this step changes them.
    pub customer: Option<&'a Customer>,
}

impl Service {
    /// Starts a commissioning of these units. The protocol number is counted for the first one.
    pub async fn begin_commissioning(&self, units: &[&Access]) -> Result<CommissioningStart> {
        let Some(first) = units.first() else {
            return Err(Error::Conflict);
        };
        let same = self.store.units_of_same_customer(first, units).await?;
        if same.len() != units.len() {
            return Ok(CommissioningStart::OwnersDiffer);
        }
        let mut t = self.begin_at(units).await?;
        let now = t.now;
        let id = commissioning::insert(&mut t, first, now).await?;
        for unit in units {
            if !commissioning::add_unit(&mut t, id, unit).await? {
                return Ok(CommissioningStart::Busy);
            }
            let entry = NewEntry::by(first.account(), JournalEvent::CommissioningStarted, now);
            t.journal(entry.on(unit.sn())).await?;
        }
        t.commit().await?;
        Ok(CommissioningStart::New(id))
    }

    /// Records the statement and the result of a step. `false` if the commissioning is finished or deleted.
    pub async fn write_step(
        &self,
        units: &[Access],
        id: i64,
        statement: StepStatement<'_>,
    ) -> Result<bool> {
        let Some(first) = units.first() else {
            return Ok(false);
        };
        let accesses: Vec<&Access> = units.iter().collect();
        let mut t = self.begin_at(&accesses).await?;
        let now = t.now;
        if !commissioning::lock_open(&mut t, id).await? {
            return Ok(false);
        }
        if let Some(customer) = statement.customer {
            if statement.step == CommissioningStep::Customer {
                name_units(&mut t, units, id, customer).await?;
            }
            commissioning::save_customer(&mut t, id, customer).await?;
        }
        if let Some(record) = statement.record {
            commissioning::save_step(&mut t, first, id, statement.step, record, now).await?;
        }
        let step = statement.step.as_str().to_owned();
        let event = JournalEvent::CommissioningStepRecorded { step };
        let entry = NewEntry::by(first.account(), event, now);
        t.journal(entry.on(first.sn())).await?;
        t.commit().await?;
        Ok(true)
    }

    /// Abandons the commissioning and deletes everything that was recorded. Restores the names that it changed, unless they were
    /// changed since. `false` if it is finished or already deleted.
    pub async fn abandon_commissioning(
        &self,
        access: &Access,
        abandoned: &Commissioning,
    ) -> Result<bool> {
        let mut t = self.begin_at(&[access]).await?;
        if !commissioning::lock_open(&mut t, abandoned.id).await? {
            return Ok(false);
        }
        let author = access.account();
        t.abandon_commissioning(author, abandoned.id, &abandoned.units)
            .await?;
        t.commit().await?;
        Ok(true)
    }

    /// Turns the evaluated commissioning into a protocol; an owner gets a mail. It is a conflict if somebody has written into it since, or if a unit
    /// has changed its owner.
    pub async fn finish_commissioning(
        &self,
        access: &Access,
        evaluated: &Commissioning,
        customer: &Customer,
    ) -> Result<()> {
        let mut t = self.begin_at(&[access]).await?;
        let (id, now) = (evaluated.id, t.now);
        let is_unchanged = commissioning::finish(&mut t, access, id, customer, now).await?
            && commissioning::steps(&mut t, id).await? == evaluated.steps
            && commissioning::count_owners(&mut t, id).await? == 1;
        if !is_unchanged {
            return Err(Error::Conflict);
        }
        for sn in &evaluated.units {
            let event = JournalEvent::CommissioningFinished { protocol: id };
            let entry = NewEntry::by(access.account(), event, now);
            t.journal(entry.on(sn)).await?;
        }
        t.mail_finished_protocol(id, access.sn()).await?;
        t.commit().await
    }
}

/// Gives every unit the customer's name, and notifies the owner by mail.
async fn name_units(
    t: &mut Transaction<'_>,
    units: &[Access],
    id: i64,
    customer: &Customer,
) -> Result<()> {
    let names = EndUser {
        first_name: customer.first_name.clone(),
        last_name: customer.last_name.clone(),
    };
    let mut renamed = Vec::new();
    for unit in units {
        renamed.extend(rename(t, unit, &names).await?);
    }
    let before = commissioning::name_changes(t, id).await?;
    for one in &renamed {
        let known = before.iter().find(|(sn, _)| *sn == one.sn);
        let from = match known {
            // A correction within this commissioning keeps the names from before it.
            Some((_, known)) if known.to == one.names.from => &known.from,
            _ => &one.names.from,
        };
        let change = NameChange {
            from: from.clone(),
            to: one.names.to.clone(),
        };
        commissioning::save_name_change(t, id, &one.sn, &change).await?;
    }
    if let Some(author) = units.first().map(Access::account) {
        mail_owners(t, author, &renamed).await?;
    }
    Ok(())
}

impl Transaction<'_> {
    /// An electrician has lost access to a system. A commissioning that no electrician can continue is abandoned.
    pub(crate) async fn abandon_orphaned_commissioning(
        &mut self,
        sn: &Serial,
        former: AccountId,
    ) -> Result<()> {
        let now = self.now;
        let Some((id, units)) = commissioning::find_open(self, sn).await? else {
            return Ok(());
        };
        let grants = grant::open_of_system(self, sn, now).await?;
        let may_go_on = |grant: &Grant| grant.scope.level().may(Right::Commission);
        if grants.iter().any(may_go_on) {
            return Ok(());
        }
        self.abandon_commissioning(former, id, &units).await
    }

    async fn abandon_commissioning(
        &mut self,
        author: AccountId,
        id: i64,
        units: &[Serial],
    ) -> Result<()> {
        let mut restored = Vec::new();
        for (sn, change) in commissioning::name_changes(self, id).await? {
            restored.extend(restore(self, author, sn, change).await?);
        }
        mail_owners(self, author, &restored).await?;
        commissioning::delete(self, id).await?;
        for sn in units {
            let entry = NewEntry::by(author, JournalEvent::CommissioningDropped, self.now);
            self.journal(entry.on(sn)).await?;
        }
        Ok(())
    }
}
