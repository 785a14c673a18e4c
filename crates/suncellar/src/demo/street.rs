//! The demo's street: who lives where, with which batteries, and what is the matter with them.
use crate::cli::Systems;
use domain::clock::{DAY, HOUR, Millis};
use domain::site::{Coordinates, Place, SiteChange};
use domain::{Role, Serial, Zone};
use simulator::model;
use simulator::wire::Firmware;
use simulator::{Household, Installation, Rating, Seed, Share};

/// A serial number and the phase it is on.
pub(super) type Position = (&'static str, u8);

/// What is the matter with the batteries of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Story {
    Well,
    /// The router was unplugged when the family left.
    Away,
    /// The battery management has found a bad cell.
    BadCell,
    /// Somebody changed the meter's address and told nobody.
    MeterLost,
    /// Nobody has updated it for long.
    OldFirmware,
    /// The grid operator limits what it may draw from the grid (§14a EnWG), for as long as somebody may look.
    Dimmed,
}

/// How long before the first start something began.
pub(super) const AWAY_FOR: Millis = 3 * DAY;
pub(super) const BAD_CELL_FOR: Millis = 2 * DAY;
pub(super) const METER_LOST_FOR: Millis = 5 * HOUR;
pub(super) const DIMMED_FOR: Millis = HOUR;

#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    /// `None`: nobody owns it, and unless its code was lost it gets a new one at every start.
    pub(super) owner: Option<&'static str>,
    /// Only its main switch links it.
    pub(super) code_lost: bool,
    /// First and last name of who lives there; empty while nobody does.
    pub(super) name: (&'static str, &'static str),
    pub(super) units: &'static [Position],
    pub(super) story: Story,
}

const fn site(
    owner: &'static str,
    name: (&'static str, &'static str),
    units: &'static [Position],
    story: Story,
) -> Site {
    Site {
        owner: Some(owner),
        code_lost: false,
        name,
        units,
        story,
    }
}

const fn unclaimed(units: &'static [Position], code_lost: bool) -> Site {
    Site {
        owner: None,
        code_lost,
        name: ("", ""),
        units,
        story: Story::Well,
    }
}

/// Somebody who installs batteries and owns none.
pub(super) struct Electrician {
    pub(super) email: &'static str,
    pub(super) company: &'static str,
    /// Of the numbers that nobody has, kept for films.
    pub(super) phone: &'static str,
}

pub(super) const ELECTRICIANS: &[Electrician] = &[
    Electrician {
        email: "electrician@example.com",
        company: "Elektro Sonnenberg",
        phone: "+49 40 66969017",
    },
    Electrician {
        email: "installer@example.com",
        company: "Solartechnik Fichtner",
        phone: "+49 69 90009042",
    },
];

/// The sites that every demo has.
const CORE: &[Site] = &[
    site(
        "owner@example.com",
        ("Thomas", "Sonntag"),
        &[("SC24A0001", 1)],
        Story::OldFirmware,
    ),
    site(
        "family@example.com",
        ("Katrin", "Albers"),
        &[("SC24B0001", 1), ("SC24B0002", 2), ("SC24B0003", 3)],
        Story::OldFirmware,
    ),
    site(
        "away@example.com",
        ("Uwe", "Petersen"),
        &[("SC24C0001", 1)],
        Story::Away,
    ),
    unclaimed(&[("SC24D0001", 1)], false),
    unclaimed(&[("SC24D0002", 1)], true),
    unclaimed(&[("SC24D0003", 1)], false),
    unclaimed(
        &[("SC24E0001", 1), ("SC24E0002", 2), ("SC24E0003", 3)],
        false,
    ),
];

/// The neighbours, who make it a street.
const NEIGHBOURS: &[Site] = &[
    site(
        "anna.berger@example.com",
        ("Anna", "Berger"),
        &[("SC24F0001", 1)],
        Story::Well,
    ),
    site(
        "jonas.keller@example.com",
        ("Jonas", "Keller"),
        &[("SC24F0002", 2)],
        Story::Well,
    ),
    site(
        "marie.lindner@example.com",
        ("Marie", "Lindner"),
        &[("SC24F0003", 1)],
        Story::BadCell,
    ),
    site(
        "tim.hoffmann@example.com",
        ("Tim", "Hoffmann"),
        &[("SC24F0004", 3)],
        Story::MeterLost,
    ),
    site(
        "paul.richter@example.com",
        ("Paul", "Richter"),
        &[("SC24F0005", 1)],
        Story::OldFirmware,
    ),
    site(
        "lea.schubert@example.com",
        ("Lea", "Schubert"),
        &[("SC24F0006", 2)],
        Story::OldFirmware,
    ),
    site(
        "nina.brandt@example.com",
        ("Nina", "Brandt"),
        &[("SC24F0007", 1)],
        Story::Well,
    ),
    site(
        "felix.kraus@example.com",
        ("Felix", "Kraus"),
        &[("SC24F0008", 3)],
        Story::Dimmed,
    ),
    site(
        "clara.neumann@example.com",
        ("Clara", "Neumann"),
        &[("SC24F0009", 1)],
        Story::Well,
    ),
    site(
        "emil.haas@example.com",
        ("Emil", "Haas"),
        &[("SC24F0010", 1)],
        Story::OldFirmware,
    ),
    site(
        "ida.winter@example.com",
        ("Ida", "Winter"),
        &[("SC24F0011", 2)],
        Story::Well,
    ),
    site(
        "ben.sommer@example.com",
        ("Ben", "Sommer"),
        &[("SC24F0012", 1)],
        Story::Well,
    ),
    site(
        "mila.roth@example.com",
        ("Mila", "Roth"),
        &[("SC24F0013", 3)],
        Story::Well,
    ),
    site(
        "sofia.wagner@example.com",
        ("Sofia", "Wagner"),
        &[("SC24G0001", 1), ("SC24G0002", 2), ("SC24G0003", 3)],
        Story::Well,
    ),
    site(
        "max.vogel@example.com",
        ("Max", "Vogel"),
        &[("SC24H0001", 1), ("SC24H0002", 2), ("SC24H0003", 3)],
        Story::OldFirmware,
    ),
];

pub(super) fn sites(systems: Systems) -> Vec<Site> {
    match systems {
        Systems::Small => CORE.to_vec(),
        Systems::Full => [CORE, NEIGHBOURS].concat(),
    }
}

/// The accounts to print at the start, with what they own.
pub(super) fn accounts() -> impl Iterator<Item = (&'static str, Role, &'static [Position])> {
    let owners = CORE
        .iter()
        .filter_map(|site| Some((site.owner?, Role::User, site.units)));
    let electricians = ELECTRICIANS
        .iter()
        .map(|one| (one.email, Role::Electrician, &[][..]));
    owners.chain(electricians)
}

/// Where the street's people live, in turn: name, latitude and longitude.
const TOWNS: [(&str, &str, &str); 6] = [
    ("Potsdam", "52.40", "13.06"),
    ("Berlin-Köpenick", "52.45", "13.58"),
    ("Bernau", "52.68", "13.59"),
    ("Falkensee", "52.56", "13.09"),
    ("Königs Wusterhausen", "52.30", "13.63"),
    ("Oranienburg", "52.75", "13.24"),
];

/// Draws this street and no other.
const STREET: u64 = 24;

impl Site {
    pub(super) fn firmware(&self) -> Firmware {
        match self.story {
            Story::OldFirmware => Firmware::of("2.4", "1.12", "1.8"),
            _ => Firmware::newest(),
        }
    }

    /// What its owner has told of it: the town, and the roof that the unit's part of the sun comes from.
    pub(super) fn described(&self, number: usize) -> anyhow::Result<SiteChange> {
        let invalid = |_| anyhow::anyhow!("a demo town");
        let (town, latitude, longitude) = TOWNS[number % TOWNS.len()];
        let (latitude, longitude) = (latitude.parse(), longitude.parse());
        let town_at = Coordinates::new(latitude.map_err(invalid)?, longitude.map_err(invalid)?);
        // Neighbours in one town live a kilometre apart, so that each has a sky of their own.
        let apart = (number / TOWNS.len()) as i64;
        let at = Coordinates::from_hundredths(
            town_at.latitude().hundredths() + apart,
            town_at.longitude().hundredths(),
        );
        let (first, phase) = self.units[0];
        let roof = self.installation(&serial(first)?, phase, &Zone::default())?;
        let kwp = roof.household.panels / self.units.len() as f64 / 1000.0;
        let planes = format!("{kwp:.3}/30/0");
        Ok(SiteChange {
            place: Some(Place::parse(town).map_err(invalid)?),
            coordinates: Some(at),
            zone: None,
            planes: Some(planes.parse().map_err(invalid)?),
        })
    }

    /// How the unit at `position` is installed.
    pub(super) fn installation(
        &self,
        sn: &Serial,
        phase: u8,
        zone: &Zone,
    ) -> anyhow::Result<Installation> {
        let (first, _) = self.units[0];
        let home = Seed::of(&serial(first)?, STREET);
        let seed = Seed::of(sn, STREET);
        let several = self.units.len() > 1;
        let mut household = Household::drawn(home);
        if several {
            // Whoever has three batteries also has a large roof and something to charge.
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
                model::rating_drawn(seed)
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
    use std::collections::HashSet;

    #[test]
    fn there_are_updates_for_both_kinds_of_batteries() {
        let sites = sites(Systems::Full);
        let old = sites.iter().filter(|site| site.story == Story::OldFirmware);
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
        let sites = sites(Systems::Full);
        let serials: Vec<_> = sites
            .iter()
            .flat_map(|site| site.units)
            .map(|(sn, _)| *sn)
            .collect();
        assert_eq!(serials.len(), 30);
        assert_eq!(serials.iter().collect::<HashSet<_>>().len(), 30);
        assert!(serials.iter().all(|sn| serial(sn).is_ok()));
    }
}
