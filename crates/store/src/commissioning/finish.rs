//! The end of a commissioning: it becomes a protocol and can no longer be changed.
use super::{Customer, company};
use crate::{Access, Result};
use db::Tx;
use domain::clock::Millis;

/// Makes it a protocol with the next number of its first unit. `false` if it is finished or deleted.
pub async fn finish(
    tx: &mut Tx,
    access: &Access,
    id: i64,
    customer: &Customer,
    now: Millis,
) -> Result<bool> {
    let company = company(tx, access).await?;
    let finished = execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE commissionings SET finished_at = $2, account_id = $3, company = $4, customer = $5,
                 number = (SELECT COALESCE(MAX(o.number), 0) + 1 FROM commissionings o WHERE o.sn = commissionings.sn)
             WHERE id = $1 AND finished_at IS NULL"
        )
        .bind(id)
        .bind(now)
        .bind(access.account().0)
        .bind(company)
        .bind(customer.json().to_string())
    )?;
    if finished == 0 {
        return Ok(false);
    }
    execute!(
        tx,
        sqlx::query(
            "UPDATE commissioning_units SET finished_at = $2, names = NULL WHERE commissioning_id = $1"
        )
        .bind(id)
        .bind(now)
    )?;
    Ok(true)
}

/// How many different owners its units have; no owner counts as one.
pub async fn count_owners(tx: &mut Tx, id: i64) -> Result<i64> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "SELECT COUNT(DISTINCT COALESCE(y.owner_id, 0)) FROM commissioning_units u JOIN systems y ON y.sn = u.sn
         WHERE u.commissioning_id = $1")
        .bind(id).fetch_one(c).await)?)
}
