//! People of the household: invited by their address, they accept with the code that was mailed there.
use super::hold::accept;
use super::letter::{Letter, OWNERS_PAGE, Recipient};
use super::{Grant, Row, select};
use crate::db::Tx;
use crate::mail::Desk;
use crate::{Keyring, Result};
use domain::clock::Millis;
use domain::{AccountId, Serial};

/// What a code invites to.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    grants: Vec<Grant>,
}

impl Member {
    pub(crate) fn systems(&self) -> Vec<Serial> {
        self.grants.iter().map(|grant| grant.sn.clone()).collect()
    }
}

/// The invitation behind a code, if it is for this address. `None` also where the owner themselves enters it.
pub(crate) async fn invited_by_code(
    tx: &mut Tx,
    hash: &[u8],
    email: &str,
    now: Millis,
) -> Result<Option<Member>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(select!(
        "WHERE g.code_hash = $1 AND g.state = 'invited' AND g.email = $2 ORDER BY g.sn"))
        .bind(hash).bind(email).fetch_all(c).await)?;
    let mut grants = Vec::new();
    for row in rows {
        grants.extend(row.grant()?.seen_at(now));
    }
    Ok((!grants.is_empty()).then_some(Member { grants }))
}

/// The account belongs to the household from now on; the owner hears of it.
pub(crate) async fn join(
    tx: &mut Tx,
    keyring: &Keyring,
    desk: Desk<'_>,
    member: &Member,
    account: AccountId,
    now: Millis,
) -> Result<()> {
    for invited in &member.grants {
        let grant = accept(tx, invited, account, now).await?;
        if let Some(owner) = grant.owner
            && let Some(to) = Recipient::of(tx, owner).await?
        {
            let letter = Letter::about("member_accepted", OWNERS_PAGE, &grant, to.lang());
            letter.queue(tx, keyring, desk, &to, now).await?;
        }
    }
    Ok(())
}
