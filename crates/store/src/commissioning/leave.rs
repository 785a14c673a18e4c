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
