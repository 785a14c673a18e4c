//! The system that each report of an exchanged unit belongs to.
use super::{Report, ReportBody};
use crate::unit::{ExchangedUnits, Placement};
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial};
use std::collections::BTreeMap;

/// A report as it is stored: under its site, with the unit's number in its message ids.
#[derive(Debug)]
pub(super) struct RoutedReport {
    pub(super) report: Report,
    /// Whether it belongs to another system than the one whose unit sent it. It then fills gaps there and changes nothing else.
    pub(super) for_other_site: bool,
}

/// How to store a report. `None` if it is stored unchanged, as nearly all are. Measurements from before the unit came to its
/// site belong to no household and are dropped.
pub(super) fn route(report: &Report, units: &ExchangedUnits) -> Option<Vec<RoutedReport>> {
    let placements = units.placements.get(&report.sn)?;
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
