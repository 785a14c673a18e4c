//! The end of a commissioning: it becomes a protocol and can no longer be changed.
use super::{Commissioning, Customer, company, steps_of};
use crate::journal::{JournalEvent, NewEntry};
use crate::{Access, Error, Result, Store};
use domain::clock::Millis;
use serde_json::json;

impl Store {
    /// Turns the evaluated commissioning into a protocol. It is a conflict if somebody has written into it since, or if a unit
    /// has changed its owner.
    pub async fn finish_commissioning(
        &self,
        access: &Access,
        judged: &Commissioning,
        customer: &Customer,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let company = company(&mut tx, access).await?;
        let finished = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE commissionings SET finished_at = $2, account_id = $3, company = $4, customer = $5,
                     number = (SELECT COALESCE(MAX(o.number), 0) + 1 FROM commissionings o WHERE o.sn = commissionings.sn)
                 WHERE id = $1 AND finished_at IS NULL"
            )
            .bind(judged.id)
            .bind(now)
            .bind(access.account().0)
            .bind(company)
            .bind(customer.json().to_string())
        )?;
        if finished == 0 || steps_of(&mut tx, judged.id).await? != judged.steps {
            return Err(Error::Conflict);
        }
        let owners: i64 = within!(&mut tx, c => sqlx::query_scalar(
            "SELECT COUNT(DISTINCT COALESCE(y.owner_id, 0)) FROM commissioning_units u JOIN systems y ON y.sn = u.sn
             WHERE u.commissioning_id = $1")
            .bind(judged.id).fetch_one(c).await)?;
        if owners != 1 {
            return Err(Error::Conflict);
        }
        execute!(
            &mut tx,
            sqlx::query(
                "UPDATE commissioning_units SET finished_at = $2, names = NULL WHERE commissioning_id = $1"
            )
            .bind(judged.id)
            .bind(now)
        )?;
        for sn in &judged.units {
            let line = NewEntry::by(access.account(), JournalEvent::CommissioningFinished, now);
            let line = line.with(json!({ "protocol": judged.id }));
            line.on(sn).write(&mut tx).await?;
        }
        tx.commit().await
    }
}
