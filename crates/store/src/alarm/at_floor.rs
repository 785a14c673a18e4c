//! Batteries at their SoC floor: state of the alarm job that survives a restart.
use super::by_serial;
use crate::{Error, Result, Store};
use db::FromRow;
use domain::Serial;
use domain::clock::Millis;

/// A system whose battery is at its floor.
#[derive(Debug, FromRow)]
struct FloorRow {
    sn: String,
    since: Millis,
}

macro_rules! select_at_floor {
    ($which:expr) => {
        concat!("SELECT sn, since FROM alarm_signs WHERE sn", $which)
    };
}

impl Store {
    /// Those of these batteries that are at their floor, and since when.
    pub async fn batteries_at_floor(&self, systems: &[Serial]) -> Result<Vec<(Serial, Millis)>> {
        let rows: Vec<FloorRow> = rows_of_systems!(self, select_at_floor, 1, systems)?;
        let sign = |row: FloorRow| {
            let sn = row.sn.parse();
            Ok((sn.map_err(|_| Error::Damaged("alarm_signs.sn"))?, row.since))
        };
        rows.into_iter().map(sign).collect()
    }

    /// Saves since when each battery has been at its floor. `None` if it no longer is.
    pub async fn save_batteries_at_floor(&self, signs: &[(Serial, Option<Millis>)]) -> Result<()> {
        let mut tx = self.db.begin().await?;
        for (sn, since) in by_serial(signs) {
            match since {
                Some(since) => execute!(
                    &mut tx,
                    sqlx::query(
                        "INSERT INTO alarm_signs (sn, since) SELECT sn, $2 FROM systems WHERE sn = $1
                         ON CONFLICT (sn) DO UPDATE SET since = excluded.since"
                    )
                    .bind(sn.as_str())
                    .bind(since)
                )?,
                None => execute!(
                    &mut tx,
                    sqlx::query("DELETE FROM alarm_signs WHERE sn = $1").bind(sn.as_str())
                )?,
            };
        }
        tx.commit_invalidating(std::iter::empty()).await
    }
}
