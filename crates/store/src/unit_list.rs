//! The units of systems for lists: since when each stands, or stood, at its system, and the protocol of its commissioning.
use crate::commissioning::{ProtocolName, is_shown};
use crate::{Access, Error, Result, Store};
use db::FromRow;
use domain::Serial;
use domain::clock::Millis;
use std::collections::HashMap;

/// A unit that stands at a system since an exchange, or stood there until one.
#[derive(Clone, Debug, FromRow)]
pub struct ExchangedUnit {
    /// The system's serial number now.
    pub site: String,
    pub sn: String,
    pub hardware: Option<String>,
    /// Usable Wh.
    pub capacity: Option<i64>,
    /// 0: before any exchange.
    pub from_at: Millis,
    /// `None`: it stands there now.
    pub until_at: Option<Millis>,
}

/// When a unit was commissioned last.
#[derive(Clone, Debug)]
pub struct UnitProtocol {
    pub finished_at: Millis,
    pub protocol: ProtocolName,
}

macro_rules! exchanged {
    ($which:expr) => {
        concat!(
            "SELECT u.site, u.sn, y.hardware, y.capacity, u.from_at, u.until_at FROM units u JOIN systems y ON y.sn = u.sn
             WHERE u.site",
            $which,
            " ORDER BY u.site, u.number"
        )
    };
}

macro_rules! protocols {
    ($which:expr) => {
        concat!(
            "SELECT COALESCE(u.named, u.sn) AS unit, c.id, c.sn, c.number, c.finished_at FROM commissioning_units u
             JOIN commissionings c ON c.id = u.commissioning_id
             WHERE c.finished_at IS NOT NULL AND c.number IS NOT NULL AND",
            is_shown!(),
            "AND u.sn",
            $which,
            " ORDER BY c.finished_at, c.id"
        )
    };
}

#[derive(Debug, FromRow)]
struct ProtocolRow {
    unit: String,
    id: i64,
    sn: String,
    number: i64,
    finished_at: Millis,
}

impl Store {
    /// The units of these systems that were exchanged, old and new, in the order in which they came. Systems whose unit was never
    /// exchanged have none.
    pub async fn exchanged_units(&self, systems: &[Access]) -> Result<Vec<ExchangedUnit>> {
        let systems = serials(systems);
        Ok(rows_of_systems!(self, exchanged, 1, &systems)?)
    }

    /// The newest protocol of each unit of these systems, by the unit's serial number.
    pub async fn unit_protocols(
        &self,
        systems: &[Access],
    ) -> Result<HashMap<String, UnitProtocol>> {
        let systems = serials(systems);
        let rows: Vec<ProtocolRow> = rows_of_systems!(self, protocols, 1, &systems)?;
        let mut newest = HashMap::new();
        for row in rows {
            let sn = row.sn.parse();
            let protocol = ProtocolName {
                id: row.id,
                sn: sn.map_err(|_| Error::Damaged("commissionings.sn"))?,
                number: row.number,
            };
            let finished_at = row.finished_at;
            newest.insert(
                row.unit,
                UnitProtocol {
                    finished_at,
                    protocol,
                },
            );
        }
        Ok(newest)
    }
}

fn serials(systems: &[Access]) -> Vec<Serial> {
    systems.iter().map(|access| access.sn().clone()).collect()
}
