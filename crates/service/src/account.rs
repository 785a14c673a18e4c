//! Changes of an account by its owner, its lock by the operator, and its deletion.
use crate::company::CompanyWithout;
use crate::mail::MailDraft;
use crate::transaction::Transaction;
use crate::{Result, Service, page};
use domain::journal::JournalEvent;
use domain::{AccountId, Email, Membership};
use store::account::ProfileChange;
use store::journal::{Actor, NewEntry};
use store::session::SessionId;
use store::{account, commissioning, company, mail_link, session, system};

impl Service {
    pub async fn change_profile(&self, account: AccountId, change: &ProfileChange) -> Result<()> {
        let mut t = self.begin().await?;
        account::update_profile(&mut t, account, change).await?;
        let fields = [
            ("phone", change.phone.is_some()),
            ("address", change.address.is_some()),
            ("country", change.country.is_some()),
            ("name", change.name.is_some()),
            ("company", change.company.is_some()),
            ("language", change.language.is_some()),
        ];
        let given = fields.into_iter().filter(|(_, given)| *given);
        let fields = given.map(|(name, _)| name.to_owned()).collect();
        let event = JournalEvent::ProfileChanged { fields };
        t.journal(NewEntry::by(account, event, t.now)).await?;
        t.commit().await
    }

    /// Sets a new password and ends every session but `keep`.
    pub async fn change_password(
        &self,
        account: AccountId,
        password_hash: &str,
        keep: &SessionId,
    ) -> Result<()> {
        let mut t = self.begin().await?;
        set_password(&mut t, account, password_hash, Some(keep)).await?;
        t.commit().await
    }

    /// Locks or unlocks an account by its address. Locking ends every session. Returns `false` when there is no such account.
    pub async fn lock_account(&self, email: &Email, lock: bool) -> Result<bool> {
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(account) = account::set_locked(&mut t, email, lock.then_some(now)).await? else {
            return Ok(false);
        };
        if lock {
            session::end_all(&mut t, account, None, now).await?;
        }
        let event = match lock {
            true => JournalEvent::AccountLocked,
            false => JournalEvent::AccountUnlocked,
        };
        let entry = NewEntry::by(account, event, now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await?;
        Ok(true)
    }

    /// Deletes the account and all personal data. Its systems are left without an owner, and its journal entries lose their
    /// author. A company is deleted with its last owner.
    pub async fn erase_account(&self, account: AccountId) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        let membership = company::lock_membership(&mut t, account).await?;
        // Lock order: the account before its systems, as in every concurrent save.
        account::lock_account_row(&mut t, account).await?;
        let Some(person) = account::find(&mut t, account).await? else {
            return Ok(());
        };
        for sn in system::serials_of(&mut t, account).await? {
            t.end_household(&sn).await?;
        }
        account::erase_measurements(&mut t, account, now).await?;
        system::unlink_all(&mut t, account, now).await?;
        if person.email_confirmed_at.is_some() {
            account::erase_address(&mut t, &person.email).await?;
        }
        let without = match membership {
            Some(Membership { company, .. }) => {
                let name = person.company.unwrap_or_default();
                Some(t.leave_company_on_deletion(account, company, name).await?)
            }
            None => {
                t.record_holder_deleted(account).await?;
                None
            }
        };
        let goes_on = match &without {
            Some(CompanyWithout::GoesOn(name)) => Some(name.as_str()),
            _ => None,
        };
        commissioning::anonymise_electrician(&mut t, account, goes_on).await?;
        account::delete(&mut t, account).await?;
        if let Some(CompanyWithout::Ends(company)) = without {
            company::delete(&mut t, company).await?;
        }
        t.commit().await
    }
}

/// Sets a new password, ends mailed links and every session except `keep`, and notifies the account by mail.
pub(crate) async fn set_password(
    t: &mut Transaction<'_>,
    account: AccountId,
    password_hash: &str,
    keep: Option<&SessionId>,
) -> Result<()> {
    let now = t.now;
    account::set_password_hash(t, account, password_hash).await?;
    mail_link::end_all(t, account).await?;
    session::end_all(t, account, keep, now).await?;
    t.journal(NewEntry::by(account, JournalEvent::PasswordChanged, now))
        .await?;
    let draft = MailDraft {
        text: "password_changed",
        page: page::LOCK,
        values: vec![],
    };
    t.mail_account(account, draft).await
}
