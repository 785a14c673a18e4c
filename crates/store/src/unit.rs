//! Units that were exchanged, and to which site belongs what each of them reports. A system keeps its history when
//! another unit takes its place: that moves to the new serial number, and messages carry the number of the unit that sent
//! them, as every unit counts its boots from 1.
use crate::db::Tx;
use crate::report::{Body, Report};
use crate::{Error, Result};
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// PostgreSQL's lock between an exchange and whoever writes reports, so that none is filed as it was before.
const LOCK: i64 = 0x0053_4355_4e49_5453;

/// Where a unit stood, and when.
#[derive(Clone, Debug)]
struct Stay {
    site: Serial,
    number: u8,
    span: Range<Millis>,
}

/// Every unit that was ever exchanged; few of a fleet.
#[derive(Debug, Default)]
pub(crate) struct Units {
    newest: i64,
    stays: HashMap<Serial, Vec<Stay>>,
}

/// The units as they were last read.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownUnits(Arc<RwLock<Arc<Units>>>);

#[derive(Debug)]
struct Row {
    id: i64,
    sn: String,
    site: String,
    number: i64,
    from_at: Millis,
    until_at: Option<Millis>,
}
row!(Row {
    id,
    sn,
    site,
    number,
    from_at,
    until_at
});

impl Row {
    fn stay(&self) -> Result<(Serial, Stay)> {
        let serial = |sn: &str| sn.parse().map_err(|_| Error::Damaged("units.sn"));
        let stay = Stay {
            site: serial(&self.site)?,
            number: u8::try_from(self.number).map_err(|_| Error::Damaged("units.number"))?,
            span: self.from_at..self.until_at.unwrap_or(Millis::MAX),
        };
        Ok((serial(&self.sn)?, stay))
    }
}

impl KnownUnits {
    /// As they are for the rest of the transaction. An exchange adds a row, which is how a new one is noticed.
    pub(crate) async fn read(&self, tx: &mut Tx) -> Result<Arc<Units>> {
        if let Tx::Postgres(tx) = tx {
            let lock = sqlx::query("SELECT pg_advisory_xact_lock_shared($1)").bind(LOCK);
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
        let mut units = Units::default();
        for row in rows {
            let (sn, stay) = row.stay()?;
            units.newest = row.id;
            units.stays.entry(sn).or_default().push(stay);
        }
        let units = Arc::new(units);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&units);
        Ok(units)
    }
}

/// Keeps everybody from writing reports until the transaction ends; SQLite has one writer anyway.
pub(crate) async fn hold_reports(tx: &mut Tx) -> Result<()> {
    if let Tx::Postgres(tx) = tx {
        let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK);
        lock.execute(&mut **tx).await?;
    }
    Ok(())
}

/// `new` takes the place of `old` at a moment; returns its number at the site.
pub(crate) async fn succeed(
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

/// A report as it is kept: of the site that it belongs to, with the unit in its messages.
#[derive(Debug)]
pub(crate) struct Filed {
    pub(crate) report: Report,
    /// Not of the system whose unit sent it: it fills gaps there and changes nothing else.
    pub(crate) elsewhere: bool,
}

impl Units {
    /// How a report is to be kept; `None`: as it is, which is so for nearly all of them. What a unit measured before it
    /// came to its site is nobody's and left out.
    pub(crate) fn file(&self, report: &Report) -> Option<Vec<Filed>> {
        let stays = self.stays.get(&report.sn)?;
        let filing = Filing {
            sn: &report.sn,
            stays,
        };
        let of = |sn: &Serial, body: Body| Filed {
            elsewhere: *sn != report.sn,
            report: Report {
                sn: sn.clone(),
                body,
                ..report.clone()
            },
        };
        match &report.body {
            Body::Sample(sample) => Some(match filing.place(sample.at, sample.id) {
                Some((site, id)) if *site == report.sn => {
                    vec![of(site, Body::Sample(Sample { id, ..*sample }))]
                }
                Some((site, id)) => {
                    let samples = vec![Sample { id, ..*sample }];
                    vec![of(site, history(samples))]
                }
                None => Vec::new(),
            }),
            Body::History { samples, hidden } => {
                let mut sites: BTreeMap<&str, (&Serial, Vec<Sample>)> = BTreeMap::new();
                for sample in samples {
                    if let Some((site, id)) = filing.place(sample.at, sample.id) {
                        let (_, placed) = sites.entry(site.as_str()).or_insert((site, Vec::new()));
                        placed.push(Sample { id, ..*sample });
                    }
                }
                let samples = sites.into_values();
                let mut filed: Vec<Filed> = samples
                    .map(|(site, samples)| of(site, history(samples)))
                    .collect();
                if !hidden.is_empty() {
                    let mut hidden = hidden.clone();
                    for sample in &mut hidden {
                        sample.id = filing.present(sample.id);
                    }
                    let samples = Vec::new();
                    filed.push(of(&report.sn, Body::History { samples, hidden }));
                }
                Some(filed)
            }
            Body::Event(event) => {
                let mut event = event.clone();
                let placed = match event.at {
                    Some(at) => filing.place(at, event.id),
                    None => Some((&report.sn, filing.present(event.id))),
                };
                let filed = placed.map(|(site, id)| {
                    event.id = id;
                    of(site, Body::Event(event))
                });
                Some(filed.into_iter().collect())
            }
            _ => None,
        }
    }
}

fn history(samples: Vec<Sample>) -> Body {
    let hidden = Vec::new();
    Body::History { samples, hidden }
}

struct Filing<'a> {
    sn: &'a Serial,
    stays: &'a [Stay],
}

impl<'a> Filing<'a> {
    /// The site that something belongs to, and the message as it is known there.
    fn place(&self, at: Millis, id: MessageId) -> Option<(&'a Serial, MessageId)> {
        if let Some(stay) = self.stays.iter().find(|stay| stay.span.contains(&at)) {
            return Some((&stay.site, id.of_unit(stay.number)));
        }
        // A unit that was taken away is a system of its own again.
        self.now().is_none().then_some((self.sn, id))
    }

    /// A message whose time nobody knows.
    fn present(&self, id: MessageId) -> MessageId {
        self.now().map_or(id, |stay| id.of_unit(stay.number))
    }

    fn now(&self) -> Option<&'a Stay> {
        self.stays.iter().find(|stay| stay.span.end == Millis::MAX)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn serial(sn: &str) -> Serial {
        sn.parse().unwrap()
    }

    /// The first unit was exchanged at 100, the second at 200; the second had stood elsewhere until 50.
    fn units() -> Units {
        let stay = |site: &str, number, span| Stay {
            site: serial(site),
            number,
            span,
        };
        let stays = [
            ("SC0001", stay("SC0003", 0, 0..100)),
            ("SC0002", stay("SC0009", 0, 0..50)),
            ("SC0002", stay("SC0003", 1, 100..200)),
            ("SC0003", stay("SC0003", 2, 200..Millis::MAX)),
        ];
        let mut units = Units::default();
        for (sn, stay) in stays {
            units.stays.entry(serial(sn)).or_default().push(stay);
        }
        units
    }

    #[test]
    fn what_a_unit_measured_belongs_to_the_site_where_it_stood() {
        let units = units();
        let place = |sn: &str, at| {
            let sn = serial(sn);
            let filing = Filing {
                sn: &sn,
                stays: &units.stays[&sn],
            };
            let id = MessageId::new(7, 1);
            let placed = filing.place(at, id);
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
