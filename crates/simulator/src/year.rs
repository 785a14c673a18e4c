//! The recorded series of a real home, cut into days that simulated homes reuse.
use crate::sun::{Location, SunDay};
use domain::Zone;
use domain::clock::{HOUR, MINUTE, Millis};
use std::sync::LazyLock;

const SERIES: &str = include_str!("../data/home-2024-30min.csv");

/// The home's location, inferred from its sunrises and sunsets.
const LOCATION: Location = Location {
    latitude: 46.0,
    longitude: 2.3,
};
const ZONE: &str = "Europe/Paris";

/// Its highest PV power, in W.
pub(crate) const PEAK: f64 = 4_411.0;
/// Its mean load, in W.
pub(crate) const MEAN_LOAD: f64 = 660.0;

pub(crate) const HALF_HOURS: usize = 48;
/// Points of a PV day between sunrise and sunset.
pub(crate) const POINTS: usize = 33;

/// How many similar days of the series each day of the year can draw from.
const SIMILAR_DAYS: usize = 24;

/// The mean load of each half hour of a day, in W, in the home's local time.
pub(crate) type LoadDay = [f32; HALF_HOURS];
/// PV power from sunrise to sunset, relative to the clear noon.
pub(crate) type PvDay = [f32; POINTS];

pub(crate) struct Year {
    loads: Vec<LoadDay>,
    pvs: Vec<PvDay>,
    /// For each day of the year: the similar working days, days off and PV days.
    working: Vec<Vec<u16>>,
    off: Vec<Vec<u16>>,
    sunny: Vec<Vec<u16>>,
}

static YEAR: LazyLock<Year> = LazyLock::new(Year::read);

impl Year {
    pub(crate) fn get() -> &'static Self {
        &YEAR
    }

    /// A load day from the season of `day_of_year`; `choice` from 0 to 1 picks one.
    pub(crate) fn load(&self, day_of_year: usize, weekend: bool, choice: f64) -> &LoadDay {
        let like = if weekend { &self.off } else { &self.working };
        &self.loads[pick(&like[day_of_year % 366], choice)]
    }

    pub(crate) fn pv(&self, day_of_year: usize, choice: f64) -> &PvDay {
        &self.pvs[pick(&self.sunny[day_of_year % 366], choice)]
    }

    fn read() -> Self {
        let rows: Vec<Row> = SERIES.lines().skip(1).filter_map(Row::read).collect();
        let zone: Zone = ZONE.parse().expect("the zone is in the bundled database");
        let loads = load_days(&rows, &zone);
        let pvs = pv_days(&rows);
        let like = |known: &[(f64, usize)], distance: &dyn Fn(f64, f64) -> f64| {
            (0..366)
                .map(|day| {
                    let mut near = known.to_vec();
                    near.sort_by(|a, b| {
                        distance(a.0, f64::from(day)).total_cmp(&distance(b.0, f64::from(day)))
                    });
                    near.truncate(SIMILAR_DAYS);
                    near.iter().map(|(_, index)| *index as u16).collect()
                })
                .collect::<Vec<Vec<u16>>>()
        };
        let of_kind = |weekend: bool| -> Vec<(f64, usize)> {
            let days = loads.iter().enumerate();
            days.filter(|(_, day)| day.weekend == weekend)
                .map(|(index, day)| (day.day_of_year, index))
                .collect()
        };
        let sunny: Vec<(f64, usize)> = pvs
            .iter()
            .enumerate()
            .map(|(index, day)| (day.0, index))
            .collect();
        // PV days are similar when they are about equally long, in spring or autumn.
        let length = |day: f64| SunDay::new(LOCATION, day).half;
        Self {
            working: like(&of_kind(false), &round_the_year),
            off: like(&of_kind(true), &round_the_year),
            sunny: like(&sunny, &|a, b| (length(a) - length(b)).abs()),
            loads: loads.into_iter().map(|day| day.load).collect(),
            pvs: pvs.into_iter().map(|(_, day)| day).collect(),
        }
    }
}

fn pick(like: &[u16], choice: f64) -> usize {
    let index = (choice * like.len() as f64) as usize;
    usize::from(like[index.min(like.len() - 1)])
}

/// Days between two days of the year, across New Year if that is shorter.
fn round_the_year(a: f64, b: f64) -> f64 {
    let apart = (a - b).abs();
    apart.min(365.2425 - apart)
}

struct Row {
    at: Millis,
    load: Option<f32>,
    pv: Option<f32>,
}

impl Row {
    /// Parses a row such as `2024-03-01 00:30:00+00:00,286,`.
    fn read(line: &str) -> Option<Self> {
        let mut cells = line.split(',');
        let time = cells.next()?.replace(' ', "T");
        let at: jiff::Timestamp = time.parse().ok()?;
        Some(Self {
            at: at.as_millisecond(),
            load: cells.next()?.parse().ok(),
            pv: cells.next()?.parse().ok(),
        })
    }
}

/// 0 is New Year of 2024.
fn day_of_year(at: Millis) -> f64 {
    const NEW_YEAR: Millis = 1_704_067_200_000;
    ((at - NEW_YEAR) / (24 * HOUR)) as f64
}

struct HomeDay {
    day_of_year: f64,
    weekend: bool,
    load: LoadDay,
}

/// Days in the home's local time. Days with more than two hours missing are dropped; shorter gaps repeat the value before.
fn load_days(rows: &[Row], zone: &Zone) -> Vec<HomeDay> {
    let mut days: Vec<(i64, [Option<f32>; HALF_HOURS])> = Vec::new();
    for row in rows {
        let local = row.at + i64::from(zone.offset_minutes(row.at)) * MINUTE;
        let (day, slot) = (
            local.div_euclid(24 * HOUR),
            local.rem_euclid(24 * HOUR) / (30 * MINUTE),
        );
        if days.last().is_none_or(|(last, _)| *last != day) {
            days.push((day, [None; HALF_HOURS]));
        }
        if let Some((_, load)) = days.last_mut() {
            load[slot as usize] = row.load;
        }
    }
    let whole = |load: &[Option<f32>; HALF_HOURS]| load.iter().flatten().count() >= HALF_HOURS - 4;
    days.iter()
        .filter(|(_, load)| whole(load))
        .map(|(day, load)| {
            let mut before = 300.0;
            let filled = load.map(|value| {
                before = value.unwrap_or(before);
                before
            });
            HomeDay {
                day_of_year: day_of_year(day * 24 * HOUR),
                weekend: is_weekend(*day),
                load: filled,
            }
        })
        .collect()
}

/// `day` counts from 1970-01-01, a Thursday.
pub(crate) fn is_weekend(day: i64) -> bool {
    (day + 3).rem_euclid(7) >= 5
}

/// Each day between its own sunrise and sunset: the profile can then be stretched over any other day.
fn pv_days(rows: &[Row]) -> Vec<(f64, PvDay)> {
    let mut days = Vec::new();
    for day in rows.chunk_by(|a, b| a.at / (24 * HOUR) == b.at / (24 * HOUR)) {
        let number = day_of_year(day[0].at);
        let sun = SunDay::new(LOCATION, number);
        let light = |row: &&Row| {
            let hour = (row.at % (24 * HOUR)) as f64 / HOUR as f64 + 0.25;
            (hour - sun.noon).abs() < sun.half - 1.5
        };
        if day.len() < HALF_HOURS || day.iter().filter(light).any(|row| row.pv.is_none()) {
            continue;
        }
        let clear = PEAK * sun.strength / SunDay::new(LOCATION, 150.0).strength;
        let value = |slot: i64| {
            let row = usize::try_from(slot).ok().and_then(|slot| day.get(slot));
            row.and_then(|row| row.pv).unwrap_or(0.0)
        };
        let mut points = [0.0; POINTS];
        for (index, point) in points.iter_mut().enumerate() {
            let across = 2.0 * index as f64 / (POINTS - 1) as f64 - 1.0;
            // A row is the mean of its half hour and counts for the middle of it.
            let slot = (sun.noon + across * sun.half) * 2.0 - 0.5;
            let (low, part) = (slot.floor() as i64, slot - slot.floor());
            let power = f64::from(value(low)) * (1.0 - part) + f64::from(value(low + 1)) * part;
            *point = (power / clear) as f32;
        }
        (points[0], points[POINTS - 1]) = (0.0, 0.0);
        days.push((number, points));
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_days_of_the_series_are_whole_and_serve() {
        let year = Year::get();
        assert!(year.loads.len() > 220, "{}", year.loads.len());
        assert!(year.pvs.len() > 210, "{}", year.pvs.len());
        assert!(year.sunny.iter().all(|like| like.len() == SIMILAR_DAYS));
        let mean: f32 = year.loads.iter().flatten().sum::<f32>() / (year.loads.len() * 48) as f32;
        assert!((f64::from(mean) - MEAN_LOAD).abs() < 40.0, "{mean}");
    }
}
