//! Grants: owners give access to their systems, electricians request it, household members accept it. Both sides get mails.

mod deadlines;
mod electrician;
mod mail;
mod owner;
mod revocation;

pub use electrician::{GrantRequest, InstallerCodeResult};
pub use owner::{GrantTerms, Invitation};

use crate::Result;
use crate::transaction::Transaction;
use domain::AccountId;
use domain::journal::JournalEvent;
use store::grant::{self, Grant};
use store::journal::NewEntry;

impl Transaction<'_> {
    /// Turns an invitation into a grant of the account. The caller mails the owner.
    pub(crate) async fn accept_invitation(
        &mut self,
        invited: &Grant,
        account: AccountId,
    ) -> Result<Grant> {
        let now = self.now;
        let accepted = grant::accept(self, invited, account, now).await?;
        let event = JournalEvent::GrantAccepted(accepted.detail());
        let entry = NewEntry::by(account, event, now).on(&accepted.sn);
        self.journal(entry).await?;
        Ok(accepted)
    }
}

/// Groups grants that share a mail: those of one household, with the same holder and terms.
fn grouped_for_mail(grants: Vec<Grant>) -> Vec<Vec<Grant>> {
    let terms = |grant: &Grant| {
        let Grant {
            owner,
            account,
            state,
            scope,
            until,
            ..
        } = grant;
        (
            *owner,
            *account,
            *state,
            *scope,
            *until,
            grant.message.clone(),
        )
    };
    let mut groups: Vec<Vec<Grant>> = Vec::new();
    for grant in grants {
        let group = groups
            .iter_mut()
            .find(|group| group.first().map(terms) == Some(terms(&grant)));
        match group {
            Some(group) => group.push(grant),
            None => groups.push(vec![grant]),
        }
    }
    groups
}
