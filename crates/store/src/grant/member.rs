//! Members of the household: invited by their address, they accept with the code that was mailed there.
use super::electrician::accept;
use super::mail::{GrantMail, OWNERS_PAGE};
use super::{Grant, Row, select};
use crate::mail::MailContext;
use crate::{Keyring, Result};
use db::Tx;
use domain::clock::Millis;
use domain::{AccountId, Serial};

/// The grants that a code invites to.
#[derive(Clone, Debug)]
pub(crate) struct MemberInvitation {
    grants: Vec<Grant>,
}

impl MemberInvitation {
    pub(crate) fn systems(&self) -> Vec<Serial> {
        self.grants.iter().map(|grant| grant.sn.clone()).collect()
    }
}

/// The invitation behind a code, if it is for this address. `None` also when the owner enters the code.
pub(crate) async fn find_member_invitation(
    tx: &mut Tx,
    hash: &[u8],
    email: &str,
    now: Millis,
) -> Result<Option<MemberInvitation>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(select!(
        "WHERE g.code_hash = $1 AND g.state = 'invited' AND g.email = $2 ORDER BY g.sn"))
        .bind(hash).bind(email).fetch_all(c).await)?;
    let mut grants = Vec::new();
    for row in rows {
        grants.extend(row.grant()?.state_at(now));
    }
    Ok((!grants.is_empty()).then_some(MemberInvitation { grants }))
}

/// Adds the account to the household and notifies the owner.
pub(crate) async fn join_household(
    tx: &mut Tx,
    keyring: &Keyring,
    mail_context: MailContext<'_>,
    member: &MemberInvitation,
    account: AccountId,
    now: Millis,
) -> Result<()> {
    for invited in &member.grants {
        let grant = accept(tx, invited, account, now).await?;
        let mail = GrantMail {
            text: "member_accepted",
            page: OWNERS_PAGE,
            grant: &grant,
        };
        mail.queue_for(grant.owner, tx, keyring, mail_context, now)
            .await?;
    }
    Ok(())
}
