//! What happens to commissionings and protocols when people leave. A protocol is about the installation and stays with it;
//! who lived there, and who did it, goes with them.
use crate::Result;
use crate::db::Tx;
use domain::{AccountId, Serial};

/// The household has left: what is in progress was for them, and protocols name them no more.
pub(crate) async fn leave(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for statement in [
        "DELETE FROM commissionings WHERE finished_at IS NULL
             AND id IN (SELECT commissioning_id FROM commissioning_units WHERE sn = $1)",
        "UPDATE commissionings SET customer = NULL
             WHERE id IN (SELECT commissioning_id FROM commissioning_units WHERE sn = $1)",
    ] {
        execute!(&mut *tx, sqlx::query(statement).bind(sn.as_str()))?;
    }
    Ok(())
}

/// A unit has a new owner: where another owner has a unit of the same protocol, it names no customer any more.
pub(crate) async fn claimed(tx: &mut Tx, sn: &Serial, owner: AccountId) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "UPDATE commissionings SET customer = NULL WHERE finished_at IS NOT NULL AND id IN (
                 SELECT u.commissioning_id FROM commissioning_units u
                 JOIN commissioning_units o ON o.commissioning_id = u.commissioning_id
                 JOIN systems y ON y.sn = o.sn WHERE u.sn = $1 AND y.owner_id <> $2)"
        )
        .bind(sn.as_str())
        .bind(owner.0)
    )?;
    Ok(())
}

/// Whoever deletes the account is named nowhere any more; that the step was done stays.
pub(crate) async fn electrician_leaves(tx: &mut Tx, account: AccountId) -> Result<()> {
    for statement in [
        "UPDATE commissionings SET company = NULL WHERE account_id = $1",
        "UPDATE commissioning_steps SET company = NULL WHERE account_id = $1",
    ] {
        execute!(&mut *tx, sqlx::query(statement).bind(account.0))?;
    }
    Ok(())
}
