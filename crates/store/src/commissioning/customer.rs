//! The customer of a commissioning. The units carry the customer's name while it is in progress, and get their old names back if
//! it is abandoned.
use super::write::lock_open;
use super::{Commissioning, Customer, json_of};
use crate::end_user::{EndUser, Renamed, rename, restore};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::Millis;
use serde::{Deserialize, Serialize};

/// The names of a unit before this commissioning changed them, and the names that it wrote.
#[derive(Debug, Serialize, Deserialize)]
struct Names {
    from: EndUser,
    to: EndUser,
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    names: String,
}

impl Row {
    fn names(&self) -> Result<(Serial, Names)> {
        let sn = self.sn.parse();
        let sn = sn.map_err(|_| Error::Damaged("commissioning_units.sn"))?;
        let names = json_of(&self.names, "commissioning_units.names")?;
        let names = serde_json::from_value(names);
        Ok((
            sn,
            names.map_err(|_| Error::Damaged("commissioning_units.names"))?,
        ))
    }
}

impl Store {
    /// Gives every unit the customer's name, and mails this to the owner. `false`: the commissioning is finished or deleted.
    pub async fn name_customer(
        &self,
        units: &[Access],
        id: i64,
        customer: &Customer,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        if !lock_open(&mut tx, id).await? {
            return Ok(false);
        }
        let names = EndUser {
            first_name: customer.first_name.clone(),
            last_name: customer.last_name.clone(),
        };
        let mut renamed = Vec::new();
        for unit in units {
            renamed.extend(rename(&mut tx, unit, &names, now).await?);
        }
        let before = names_of(&mut tx, id).await?;
        for one in &renamed {
            let known = before.iter().find(|(sn, _)| *sn == one.sn);
            let from = match known {
                // A correction within this commissioning keeps the names from before it.
                Some((_, known)) if known.to == one.from => &known.from,
                _ => &one.from,
            };
            save_names(&mut tx, id, one, from).await?;
        }
        execute!(
            &mut tx,
            sqlx::query("UPDATE commissionings SET customer = $2 WHERE id = $1")
                .bind(id)
                .bind(customer.json().to_string())
        )?;
        if let Some(author) = units.first().map(Access::account) {
            self.notify_renamed(&mut tx, author, &renamed, mail_context, now)
                .await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Abandons the commissioning and deletes everything that was recorded. Restores the names that it changed, unless somebody
    /// has changed them since. `false`: it is finished or already deleted.
    pub async fn abandon_commissioning(
        &self,
        access: &Access,
        dropped: &Commissioning,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        if !lock_open(&mut tx, dropped.id).await? {
            return Ok(false);
        }
        let author = access.account();
        let mut restored = Vec::new();
        for (sn, names) in names_of(&mut tx, dropped.id).await? {
            let names = (&names.from, &names.to);
            restored.extend(restore(&mut tx, author, &sn, names, now).await?);
        }
        self.notify_renamed(&mut tx, author, &restored, mail_context, now)
            .await?;
        execute!(
            &mut tx,
            sqlx::query("DELETE FROM commissionings WHERE id = $1").bind(dropped.id)
        )?;
        for sn in &dropped.units {
            let line = NewEntry::by(author, JournalEvent::CommissioningDropped, now);
            line.on(sn).write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}

async fn names_of(tx: &mut Tx, id: i64) -> Result<Vec<(Serial, Names)>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(
        "SELECT sn, names FROM commissioning_units WHERE commissioning_id = $1 AND names IS NOT NULL ORDER BY sn")
        .bind(id).fetch_all(c).await)?;
    rows.iter().map(Row::names).collect()
}

async fn save_names(tx: &mut Tx, id: i64, renamed: &Renamed, from: &EndUser) -> Result<()> {
    let names = Names {
        from: from.clone(),
        to: renamed.to.clone(),
    };
    let names = serde_json::to_string(&names).expect("names are plain text");
    execute!(
        tx,
        sqlx::query(
            "UPDATE commissioning_units SET names = $3 WHERE commissioning_id = $1 AND sn = $2"
        )
        .bind(id)
        .bind(renamed.sn.as_str())
        .bind(names)
    )?;
    Ok(())
}
