//! Exchanged units, and the site to which each of their reports belongs. A system keeps its history when its unit is exchanged:
//! the history moves to the new serial number. The ids of its messages contain the number of the unit that sent them, because
//! every unit counts its boots from 1.
use crate::report::{Report, ReportBody};
use crate::{Error, Result};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// PostgreSQL's advisory lock between an exchange and the writers of reports: no report is routed by outdated units.
const UNITS_LOCK_ID: i64 = 0x0053_4355_4e49_5453;

/// The site of a unit, and the time it spent there.
#[derive(Clone, Debug)]
struct Placement {
    site: Serial,
    number: u8,
    span: Range<Millis>,
}

/// Every unit that was ever exchanged; few in a fleet.
#[derive(Debug, Default)]
pub(crate) struct ExchangedUnits {
    newest: i64,
    placements: HashMap<Serial, Vec<Placement>>,
}

/// The units as last read.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnitCache(Arc<RwLock<Arc<ExchangedUnits>>>);

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    sn: String,
    site: String,
    number: i64,
    from_at: Millis,
    until_at: Option<Millis>,
}

impl Row {
    fn placement(&self) -> Result<(Serial, Placement)> {
        let serial = |sn: &str| sn.parse().map_err(|_| Error::Damaged("units.sn"));
        let placement = Placement {
            site: serial(&self.site)?,
            number: u8::try_from(self.number).map_err(|_| Error::Damaged("units.number"))?,
            span: self.from_at..self.until_at.unwrap_or(Millis::MAX),
        };
        Ok((serial(&self.sn)?, placement))
    }
}

impl UnitCache {
    /// The units, unchanged until the transaction ends. Every exchange adds a row, so the highest id shows whether there was one.
    pub(crate) async fn read(&self, tx: &mut Tx) -> Result<Arc<ExchangedUnits>> {
        if let Tx::Postgres(tx) = tx {
            let lock = sqlx::query("SELECT pg_advisory_xact_lock_shared($1)").bind(UNITS_LOCK_ID);
            lock.execute(&mut **tx).await?;
        }
        let newest: i64 = within!(&mut *tx, c => sqlx::query_scalar("SELECT COALESCE(MAX(id), 0) FROM units")
            .fetch_one(c).await)?;
        let known = Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        if known.newest == newest {
            return Ok(known);
        }
        let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(
            "SELECT id, sn, site, number, from_at, until_at FROM units ORDER BY id").fetch_all(c).await)?;
        let mut units = ExchangedUnits::default();
        for row in rows {
            let (sn, placement) = row.placement()?;
            units.newest = row.id;
            units.placements.entry(sn).or_default().push(placement);
        }
        let units = Arc::new(units);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&units);
        Ok(units)
    }
}

/// Blocks all writers of reports until the transaction ends. SQLite has a single writer anyway.
pub async fn block_reports(tx: &mut Tx) -> Result<()> {
    if let Tx::Postgres(tx) = tx {
        let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(UNITS_LOCK_ID);
        lock.execute(&mut **tx).await?;
    }
    Ok(())
}

/// Makes `new` replace `old` from this moment on; returns the number of `new` at the site.
pub(crate) async fn replace_at_site(
    tx: &mut Tx,
    old: &Serial,
    new: &Serial,
    number: u8,
    from: Millis,
) -> Result<u8> {
    let next = number.checked_add(1).ok_or(Error::Conflict)?;
    let ended = execute!(
        &mut *tx,
        sqlx::query("UPDATE units SET until_at = $2 WHERE sn = $1 AND until_at IS NULL")
            .bind(old.as_str())
            .bind(from)
    )?;
    execute!(
        &mut *tx,
        sqlx::query("UPDATE units SET site = $2 WHERE site = $1")
            .bind(old.as_str())
            .bind(new.as_str())
    )?;
    let insert =
        "INSERT INTO units (sn, site, number, from_at, until_at) VALUES ($1, $2, $3, $4, $5)";
    if ended == 0 {
        execute!(
            &mut *tx,
            sqlx::query(insert)
                .bind(old.as_str())
                .bind(new.as_str())
                .bind(i64::from(number))
                .bind(0_i64)
                .bind(from)
        )?;
    }
    execute!(
        &mut *tx,
        sqlx::query(insert)
            .bind(new.as_str())
            .bind(new.as_str())
            .bind(i64::from(next))
            .bind(from)
            .bind(None::<Millis>)
    )?;
    Ok(next)
}

/// Restarts the device's boot counter at the operator's request: after a repair, or because the unit once reported the highest
/// possible number. From now on its messages are distinguished from earlier ones as if it were another unit. `false` for an
/// unknown serial number.
pub async fn restart_boot_counter(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<bool> {
    block_reports(tx).await?;
    let number: Option<i64> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT unit FROM systems WHERE sn = $1").bind(sn.as_str()).fetch_optional(c).await)?;
    let Some(number) = number else {
        return Ok(false);
    };
    let number = u8::try_from(number).map_err(|_| Error::Damaged("systems.unit"))?;
    let next = replace_at_site(tx, sn, sn, number, now).await?;
    execute!(
        &mut *tx,
        sqlx::query("UPDATE systems SET unit = $2 WHERE sn = $1")
            .bind(sn.as_str())
            .bind(i64::from(next))
    )?;
    for restart in [
        "UPDATE presence SET boot = 0, seq = 0 WHERE sn = $1",
        "UPDATE settings SET boot = 0, seq = 0 WHERE sn = $1",
        "DELETE FROM boots WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(restart).bind(sn.as_str()))?;
    }
    Ok(true)
}

/// A report as it is stored: under its site, with the unit's number in its message ids.
#[derive(Debug)]
pub(crate) struct RoutedReport {
    pub(crate) report: Report,
    /// Whether it belongs to another system than the one whose unit sent it. It then fills gaps there and changes nothing else.
    pub(crate) for_other_site: bool,
}

impl ExchangedUnits {
    /// How to store a report. `None` if it is stored unchanged, as nearly all are. Measurements from before the unit came to its
    /// site belong to no household and are dropped.
    pub(crate) fn route(&self, report: &Report) -> Option<Vec<RoutedReport>> {
        let placements = self.placements.get(&report.sn)?;
        let router = ReportRouter {
            sn: &report.sn,
            placements,
        };
        let of = |sn: &Serial, body: ReportBody| RoutedReport {
            for_other_site: *sn != report.sn,
            report: Report {
                sn: sn.clone(),
                body,
                ..report.clone()
            },
        };
        match &report.body {
            ReportBody::Sample(sample) => Some(match router.locate(sample.at, sample.id) {
                Some((site, id)) if *site == report.sn => {
                    vec![of(site, ReportBody::Sample(Sample { id, ..*sample }))]
                }
                Some((site, id)) => {
                    let samples = vec![Sample { id, ..*sample }];
                    vec![of(site, history(samples))]
                }
                None => Vec::new(),
            }),
            ReportBody::BackFill { samples, undated } => {
                let mut sites: BTreeMap<&str, (&Serial, Vec<Sample>)> = BTreeMap::new();
                for sample in samples {
                    if let Some((site, id)) = router.locate(sample.at, sample.id) {
                        let (_, placed) = sites.entry(site.as_str()).or_insert((site, Vec::new()));
                        placed.push(Sample { id, ..*sample });
                    }
                }
                let samples = sites.into_values();
                let mut rerouted: Vec<RoutedReport> = samples
                    .map(|(site, samples)| of(site, history(samples)))
                    .collect();
                if !undated.is_empty() {
                    let mut undated = undated.clone();
                    for sample in &mut undated {
                        sample.id = router.at_current_site(sample.id);
                    }
                    let samples = Vec::new();
                    rerouted.push(of(&report.sn, ReportBody::BackFill { samples, undated }));
                }
                Some(rerouted)
            }
            ReportBody::Event(event) => {
                let mut event = event.clone();
                let placed = match event.at {
                    Some(at) => router.locate(at, event.id),
                    None => Some((&report.sn, router.at_current_site(event.id))),
                };
                let rerouted = placed.map(|(site, id)| {
                    event.id = id;
                    of(site, ReportBody::Event(event))
                });
                Some(rerouted.into_iter().collect())
            }
            _ => None,
        }
    }
}

fn history(samples: Vec<Sample>) -> ReportBody {
    let undated = Vec::new();
    ReportBody::BackFill { samples, undated }
}

struct ReportRouter<'a> {
    sn: &'a Serial,
    placements: &'a [Placement],
}

impl<'a> ReportRouter<'a> {
    /// The site that a message belongs to, and the message's id there.
    fn locate(&self, at: Millis, id: MessageId) -> Option<(&'a Serial, MessageId)> {
        if let Some(placement) = self
            .placements
            .iter()
            .find(|placement| placement.span.contains(&at))
        {
            return Some((&placement.site, id.with_unit(placement.number)));
        }
        // A unit that was removed from its site is a system of its own again.
        self.current().is_none().then_some((self.sn, id))
    }

    /// The id of a message whose time is unknown.
    fn at_current_site(&self, id: MessageId) -> MessageId {
        self.current()
            .map_or(id, |placement| id.with_unit(placement.number))
    }

    fn current(&self) -> Option<&'a Placement> {
        self.placements
            .iter()
            .find(|placement| placement.span.end == Millis::MAX)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn serial(sn: &str) -> Serial {
        sn.parse().unwrap()
    }

    /// The first unit was exchanged at 100, the second at 200; the second was at another site until 50.
    fn units() -> ExchangedUnits {
        let placement = |site: &str, number, span| Placement {
            site: serial(site),
            number,
            span,
        };
        let placements = [
            ("SC0001", placement("SC0003", 0, 0..100)),
            ("SC0002", placement("SC0009", 0, 0..50)),
            ("SC0002", placement("SC0003", 1, 100..200)),
            ("SC0003", placement("SC0003", 2, 200..Millis::MAX)),
        ];
        let mut units = ExchangedUnits::default();
        for (sn, placement) in placements {
            units
                .placements
                .entry(serial(sn))
                .or_default()
                .push(placement);
        }
        units
    }

    #[test]
    fn what_a_unit_measured_belongs_to_the_site_where_it_stood() {
        let units = units();
        let place = |sn: &str, at| {
            let sn = serial(sn);
            let router = ReportRouter {
                sn: &sn,
                placements: &units.placements[&sn],
            };
            let id = MessageId::new(7, 1);
            let placed = router.locate(at, id);
            placed.map(|(site, id)| (site.to_string(), id.unit))
        };
        let at = |site: &str, unit| Some((site.to_owned(), unit));
        assert_eq!(place("SC0001", 99), at("SC0003", 0));
        assert_eq!(place("SC0001", 100), at("SC0001", 0));
        assert_eq!(place("SC0002", 49), at("SC0009", 0));
        assert_eq!(place("SC0002", 50), at("SC0002", 0));
        assert_eq!(place("SC0002", 199), at("SC0003", 1));
        assert_eq!(place("SC0002", 200), at("SC0002", 0));
        assert_eq!(place("SC0003", 200), at("SC0003", 2));
        assert_eq!(place("SC0003", 199), None);
    }
}
