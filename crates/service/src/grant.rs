//! Grants: owners give access to their systems, electricians ask for it, household members accept it. Both sides get mails.

mod deadlines;
mod electrician;
mod mail;
mod owner;
mod revocation;

pub use electrician::InstallerCodeResult;
pub use owner::{GrantTerms, Invitation};

use crate::Result;
use crate::transaction::Transaction;
use domain::AccountId;
use store::grant::{self, Grant};
use store::journal::{JournalEvent, NewEntry};

impl Transaction<'_> {
    /// Turns an invitation into a grant of the account and notifies the owner with this mail.
    pub(crate) async fn accept_invitation(
        &mut self,
        invited: &Grant,
        account: AccountId,
        mail_text: &str,
    ) -> Result<Grant> {
        let now = self.now;
        let accepted = grant::accept(self, invited, account, now).await?;
        let entry = NewEntry::by(account, JournalEvent::GrantAccepted, now).on(&accepted.sn);
        self.journal(entry.with(accepted.detail())).await?;
        self.mail_grant_owner(&accepted, mail_text).await?;
        Ok(accepted)
    }
}
