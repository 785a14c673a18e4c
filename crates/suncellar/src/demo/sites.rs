//! The demo's street: its people, their batteries, and their faults.
use crate::cli::DemoSize;
use domain::clock::{DAY, HOUR, Millis};
use domain::site::{Coordinates, SiteChange, Town};
use domain::{CompanyRole, Role, Serial, Zone};
use simulator::model;
use simulator::wire::FirmwareVersions;
use simulator::{Household, Installation, Rating, Seed, Share};

/// Serial number and phase of a unit.
pub(super) type UnitPosition = (&'static str, u8);

/// The condition of a site's batteries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteCondition {
    Healthy,
    /// Offline: the family unplugged the router before a holiday.
    Away,
    /// The battery management system has detected a bad cell.
    BadCell,
    /// Somebody changed the meter's address without changing the setting.
    MeterLost,
    /// Not updated for a long time.
    OldFirmware,
    /// The grid operator limits the power drawn from the grid (§14a EnWG), for as long as the demo runs.
    Dimmed,
}

/// How long before the first start each condition began.
pub(super) const AWAY_FOR: Millis = 3 * DAY;
pub(super) const BAD_CELL_FOR: Millis = 2 * DAY;
pub(super) const METER_LOST_FOR: Millis = 5 * HOUR;
pub(super) const DIMMED_FOR: Millis = HOUR;

#[derive(Clone, Copy, Debug)]
pub(super) struct DemoSite {
    /// `None`: unclaimed. It gets a new code at every start, unless `code_lost`.
    pub(super) owner: Option<&'static str>,
    /// It can only be claimed by its main switch.
    pub(super) code_lost: bool,
    /// First and last name of the resident; empty for an unclaimed site.
    pub(super) name: (&'static str, &'static str),
    pub(super) units: &'static [UnitPosition],
    pub(super) condition: SiteCondition,
}

const fn site(
    owner: &'static str,
    name: (&'static str, &'static str),
    units: &'static [UnitPosition],
    condition: SiteCondition,
) -> DemoSite {
    DemoSite {
        owner: Some(owner),
        code_lost: false,
        name,
        units,
        condition,
    }
}

const fn unclaimed(units: &'static [UnitPosition], code_lost: bool) -> DemoSite {
    DemoSite {
        owner: None,
        code_lost,
        name: ("", ""),
        units,
        condition: SiteCondition::Healthy,
    }
}

/// An electrician, who owns no battery.
pub(super) struct DemoElectrician {
    pub(super) email: &'static str,
    pub(super) company: &'static str,
    /// From the range that is reserved for films.
    pub(super) phone: &'static str,
    /// Who works there, too: address, name and role.
    pub(super) colleagues: &'static [(&'static str, &'static str, CompanyRole)],
}

pub(super) const ELECTRICIANS: &[DemoElectrician] = &[
    DemoElectrician {
        email: "electrician@example.com",
        company: "Elektro Sonnenberg",
        phone: "+49 40 66969017",
        colleagues: &[
            ("office@example.com", "Olga Stein", CompanyRole::Office),
            (
                "technician@example.com",
                "Timo Brandt",
                CompanyRole::Technician,
            ),
        ],
    },
    DemoElectrician {
        email: "installer@example.com",
        company: "Solartechnik Fichtner",
        phone: "+49 69 90009042",
        colleagues: &[],
    },
];

/// The sites of every demo.
const CORE: &[DemoSite] = &[
    site(
        "owner@example.com",
        ("Thomas", "Sonntag"),
        &[("SC24A0001", 1)],
        SiteCondition::OldFirmware,
    ),
    site(
        "family@example.com",
        ("Katrin", "Albers"),
        &[("SC24B0001", 1), ("SC24B0002", 2), ("SC24B0003", 3)],
        SiteCondition::OldFirmware,
    ),
    site(
        "away@example.com",
        ("Uwe", "Petersen"),
        &[("SC24C0001", 1)],
        SiteCondition::Away,
    ),
    unclaimed(&[("SC24D0001", 1)], false),
    unclaimed(&[("SC24D0002", 1)], true),
    unclaimed(&[("SC24D0003", 1)], false),
    unclaimed(
        &[("SC24E0001", 1), ("SC24E0002", 2), ("SC24E0003", 3)],
        false,
    ),
];

/// The sites of the full demo only.
const NEIGHBOURS: &[DemoSite] = &[
    site(
        "anna.berger@example.com",
        ("Anna", "Berger"),
        &[("SC24F0001", 1)],
        SiteCondition::Healthy,
    ),
    site(
        "jonas.keller@example.com",
        ("Jonas", "Keller"),
        &[("SC24F0002", 2)],
        SiteCondition::Healthy,
    ),
    site(
        "marie.lindner@example.com",
        ("Marie", "Lindner"),
        &[("SC24F0003", 1)],
        SiteCondition::BadCell,
    ),
    site(
        "tim.hoffmann@example.com",
        ("Tim", "Hoffmann"),
        &[("SC24F0004", 3)],
        SiteCondition::MeterLost,
    ),
    site(
        "paul.richter@example.com",
        ("Paul", "Richter"),
        &[("SC24F0005", 1)],
        SiteCondition::OldFirmware,
    ),
    site(
        "lea.schubert@example.com",
        ("Lea", "Schubert"),
        &[("SC24F0006", 2)],
        SiteCondition::OldFirmware,
    ),
    site(
        "nina.brandt@example.com",
        ("Nina", "Brandt"),
        &[("SC24F0007", 1)],
        SiteCondition::Healthy,
    ),
    site(
        "felix.kraus@example.com",
        ("Felix", "Kraus"),
        &[("SC24F0008", 3)],
        SiteCondition::Dimmed,
    ),
    site(
        "clara.neumann@example.com",
        ("Clara", "Neumann"),
        &[("SC24F0009", 1)],
        SiteCondition::Healthy,
    ),
    site(
        "emil.haas@example.com",
        ("Emil", "Haas"),
        &[("SC24F0010", 1)],
        SiteCondition::OldFirmware,
    ),
    site(
        "ida.winter@example.com",
        ("Ida", "Winter"),
        &[("SC24F0011", 2)],
        SiteCondition::Healthy,
    ),
    site(
        "ben.sommer@example.com",
        ("Ben", "Sommer"),
        &[("SC24F0012", 1)],
        SiteCondition::Healthy,
    ),
    site(
        "mila.roth@example.com",
        ("Mila", "Roth"),
        &[("SC24F0013", 3)],
        SiteCondition::Healthy,
    ),
    site(
        "sofia.wagner@example.com",
        ("Sofia", "Wagner"),
        &[("SC24G0001", 1), ("SC24G0002", 2), ("SC24G0003", 3)],
        SiteCondition::Healthy,
    ),
    site(
        "max.vogel@example.com",
        ("Max", "Vogel"),
        &[("SC24H0001", 1), ("SC24H0002", 2), ("SC24H0003", 3)],
        SiteCondition::OldFirmware,
    ),
];

pub(super) fn of_size(systems: DemoSize) -> Vec<DemoSite> {
    match systems {
        DemoSize::Small => CORE.to_vec(),
        DemoSize::Full => [CORE, NEIGHBOURS].concat(),
    }
}

/// The accounts to print at the start, with their units.
pub(super) fn accounts() -> impl Iterator<Item = (&'static str, Role, &'static [UnitPosition])> {
    let owners = CORE
        .iter()
        .filter_map(|site| Some((site.owner?, Role::User, site.units)));
    let electricians = ELECTRICIANS.iter().flat_map(|one| {
        let colleagues = one.colleagues.iter().map(|(email, _, _)| *email);
        let emails = std::iter::once(one.email).chain(colleagues);
        emails.map(|email| (email, Role::Electrician, &[][..]))
    });
    owners.chain(electricians)
}

/// The towns of the sites, in turn: name, latitude and longitude.
const TOWNS: [(&str, &str, &str); 6] = [
    ("Potsdam", "52.40", "13.06"),
    ("Berlin-Köpenick", "52.45", "13.58"),
    ("Bernau", "52.68", "13.59"),
    ("Falkensee", "52.56", "13.09"),
    ("Königs Wusterhausen", "52.30", "13.63"),
    ("Oranienburg", "52.75", "13.24"),
];

const STREET_SEED: u64 = 24;

impl DemoSite {
    pub(super) fn firmware(&self) -> FirmwareVersions {
        match self.condition {
            SiteCondition::OldFirmware => FirmwareVersions::of("2.4", "1.12", "1.8"),
            _ => FirmwareVersions::newest(),
        }
    }

    /// The owner's description of the site: the town, and the part of the roof that belongs to one unit.
    pub(super) fn described(&self, number: usize) -> anyhow::Result<SiteChange> {
        let invalid = |_| anyhow::anyhow!("the demo has an invalid town");
        let (town, latitude, longitude) = TOWNS[number % TOWNS.len()];
        let (latitude, longitude) = (latitude.parse(), longitude.parse());
        let town_at = Coordinates::new(latitude.map_err(invalid)?, longitude.map_err(invalid)?);
        // Neighbours in one town are a tenth of a degree apart, so each has a weather cell, and a sky, of its own.
        let apart = 10 * (number / TOWNS.len()) as i64;
        let at = Coordinates::from_hundredths(
            town_at.latitude().hundredths(),
            town_at.longitude().hundredths() + apart,
        );
        let (first, phase) = self.units[0];
        let roof = self.installation(&serial(first)?, phase, &Zone::default())?;
        let kwp = roof.household.panels / self.units.len() as f64 / 1000.0;
        let planes = format!("{kwp:.3}/30/0");
        Ok(SiteChange {
            place: Some(Town::parse(town).map_err(invalid)?),
            coordinates: Some(at),
            zone: None,
            planes: Some(planes.parse().map_err(invalid)?),
        })
    }

    /// How the unit with this serial number is installed.
    pub(super) fn installation(
        &self,
        sn: &Serial,
        phase: u8,
        zone: &Zone,
    ) -> anyhow::Result<Installation> {
        let (first, _) = self.units[0];
        let home = Seed::of(&serial(first)?, STREET_SEED);
        let seed = Seed::of(sn, STREET_SEED);
        let several = self.units.len() > 1;
        let mut household = Household::random(home);
        if several {
            // A home with three batteries has a large roof and a large consumer such as a car.
            household.yearly_kwh += 3_000.0;
            household.panels += 6_000.0;
        }
        Ok(Installation {
            seed,
            site: home,
            household,
            rating: if several {
                Rating::of_kwh(5)
            } else {
                model::random_rating(seed)
            },
            phase,
            share: if several { Share::Phase } else { Share::House },
            zone: zone.clone(),
        })
    }
}

pub(super) fn serial(text: &str) -> anyhow::Result<Serial> {
    text.parse()
        .map_err(|_| anyhow::anyhow!("{text} is not a serial number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::weather::WeatherCell;
    use std::collections::HashSet;

    #[test]
    fn there_are_updates_for_both_kinds_of_batteries() {
        let sites = of_size(DemoSize::Full);
        let old = sites
            .iter()
            .filter(|site| site.condition == SiteCondition::OldFirmware);
        let kinds: HashSet<bool> = old
            .map(|site| {
                let (sn, phase) = site.units[0];
                let unit = site.installation(&serial(sn).unwrap(), phase, &Zone::default());
                model::update_needs_off(&unit.unwrap().rating)
            })
            .collect();
        assert_eq!(kinds, HashSet::from([true, false]));
    }

    #[test]
    fn the_full_street_has_thirty_systems_and_no_serial_number_twice() {
        let sites = of_size(DemoSize::Full);
        let serials: Vec<_> = sites
            .iter()
            .flat_map(|site| site.units)
            .map(|(sn, _)| *sn)
            .collect();
        assert_eq!(serials.len(), 30);
        assert_eq!(serials.iter().collect::<HashSet<_>>().len(), 30);
        assert!(serials.iter().all(|sn| serial(sn).is_ok()));
    }

    #[test]
    fn every_site_has_a_weather_cell_of_its_own() {
        let sites = of_size(DemoSize::Full);
        let cells = sites.iter().enumerate().map(|(number, site)| {
            let described = site.described(number).unwrap();
            WeatherCell::of(described.coordinates.flatten().unwrap())
        });
        assert_eq!(cells.collect::<HashSet<_>>().len(), sites.len());
    }
}
