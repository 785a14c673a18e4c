//! What happens to commissionings and protocols when a household or an electrician leaves. A protocol describes the installation
//! and is kept. The names of the household or the electrician are erased.
use crate::Result;
use db::Tx;
use domain::{AccountId, Serial};

/// The household has left: deletes its commissionings in progress and its customer codes, and erases its name from protocols.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for statement in [
        "DELETE FROM commissionings WHERE finished_at IS NULL
             AND id IN (SELECT commissioning_id FROM commissioning_units WHERE sn = $1)",
        "UPDATE commissionings SET customer = NULL
             WHERE id IN (SELECT commissioning_id FROM commissioning_units WHERE sn = $1)",
        "DELETE FROM customer_codes
             WHERE commissioning_id IN (SELECT commissioning_id FROM commissioning_units WHERE sn = $1)",
    ] {
        execute!(&mut *tx, sqlx::query(statement).bind(sn.as_str()))?;
    }
    Ok(())
}

/// A unit has a new owner. If another owner has a unit of the same protocol, the customer is erased from it.
pub(crate) async fn clear_customer_of_shared_protocols(
    tx: &mut Tx,
    sn: &Serial,
    owner: AccountId,
) -> Result<()> {
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

/// Erases the electrician's name when the account is deleted. The record of the step is kept, with the name of the company if
/// that still exists.
pub async fn anonymise_electrician(
    tx: &mut Tx,
    account: AccountId,
    company: Option<&str>,
) -> Result<()> {
    for statement in [
        "UPDATE commissionings SET company = $2 WHERE account_id = $1",
        "UPDATE commissioning_steps SET company = $2 WHERE account_id = $1",
    ] {
        execute!(
            &mut *tx,
            sqlx::query(statement).bind(account.0).bind(company)
        )?;
    }
    Ok(())
}
