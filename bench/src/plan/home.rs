//! The home that plans are scored on: load, sun and logged forecast of a real home, with the prices of the same time.
use domain::Zone;
use domain::clock::{MINUTE, Millis};
use planner::QUARTER;
use planner::forecast::{FORECAST_QUARTERS, History};
use std::collections::HashMap;

const HOME: &str = include_str!("../../../crates/simulator/data/home-2024-30min.csv");
const FORECAST: &str = include_str!("../../data/pv-forecast-2024-30min.csv");
const PRICES: &str = include_str!("../../data/prices-de-lu-2024.csv");

/// In hundredths of a cent per kWh: 15 ct of fees, and 7.9 ct for feed-in.
const FEES: f64 = 1_500.0;
pub(crate) const FEED_IN: i64 = 790;
const VAT: f64 = 1.19;
/// Within these hours of UTC an empty cell is a gap; outside it is night. The home's site is unknown, so this comes from its
/// data.
const SURELY_DAY: std::ops::Range<u32> = 7..16;

pub(crate) struct Home {
    pub(crate) history: History,
    /// Import prices by quarter-hours, beginning two weeks before the history.
    pub(crate) import: Vec<i64>,
    pub(crate) prices_start: Millis,
    pub(crate) zone: Zone,
    /// The time step of the data, in quarter-hours. The quarter-hours within one step are copies.
    pub(crate) step: usize,
}

impl Home {
    /// With `weather`: including the logged forecast.
    pub(crate) fn load(weather: bool) -> Self {
        Self::of(HOME, weather.then_some(FORECAST))
    }

    /// From a table of time, load and sun, in even steps of whole quarter-hours, and one of the logged weather forecast.
    pub(crate) fn of(measured: &str, forecast: Option<&str>) -> Self {
        let cells: Vec<Vec<&str>> = measured
            .lines()
            .skip(1)
            .map(|line| line.split(',').collect())
            .collect();
        let start = time(cells[0][0]);
        let step = ((time(cells[1][0]) - start) / QUARTER) as usize;
        let zone = Zone::default();
        let number = |text: &str| text.parse::<f64>().ok();
        let quarters = |value: Option<f64>| std::iter::repeat_n(value, step);
        let load = cells.iter().flat_map(|row| quarters(number(row[1])));
        let pv = cells.iter().flat_map(|row| {
            let hour: u32 = row[0][11..13].parse().unwrap_or(0);
            let night = !SURELY_DAY.contains(&hour) && number(row[1]).is_some();
            quarters(number(row[2]).or(night.then_some(0.0)))
        });
        let mut history = History::new(start, &zone, load.collect(), pv.collect());
        if let Some(forecast) = forecast {
            let said = forecast
                .lines()
                .skip(1)
                .map(|line| line.split_once(',').map_or("", |row| row.1));
            history = history.with_weather(said.flat_map(|cell| quarters(number(cell))).collect());
        }
        let by_hour: HashMap<Millis, f64> = PRICES
            .lines()
            .skip(1)
            .filter_map(|line| {
                let (time_text, price) = line.split_once(',')?;
                Some((time(time_text), price.parse().ok()?))
            })
            .collect();
        let prices_start = start - 14 * domain::clock::DAY;
        let hours = 4 * 60 * MINUTE / 4;
        let import = (0..history.load.len() + 14 * 96 + FORECAST_QUARTERS).map(|n| {
            let at = prices_start + n as Millis * QUARTER;
            let spot = by_hour
                .get(&(at.div_euclid(hours) * hours))
                .copied()
                .unwrap_or(80.0);
            // 1 EUR/MWh is a tenth of a cent per kWh.
            ((spot * 10.0 + FEES) * VAT).round() as i64
        });
        Self {
            import: import.collect(),
            prices_start,
            zone,
            step,
            history,
        }
    }

    pub(crate) fn quarters(&self) -> usize {
        self.history.load.len()
    }

    /// The import price of a quarter-hour of the history.
    pub(crate) fn import_at(&self, quarter: usize) -> i64 {
        self.import[quarter + 14 * 96]
    }

    /// How many prices are known at the start of a quarter-hour: those of the next market day from 14:00 on.
    pub(crate) fn known_at(&self, quarter: usize) -> usize {
        let now = self.history.start + quarter as Millis * QUARTER;
        let today = self.zone.day_of(now);
        let afternoon = now >= self.zone.start_of(today) + 14 * 60 * MINUTE;
        let until = if afternoon {
            today.plus(2)
        } else {
            today.next()
        };
        ((self.zone.start_of(until) - self.prices_start) / QUARTER) as usize
    }

    /// The net load of a quarter-hour in kWh; zero where nothing was measured.
    pub(crate) fn net(&self, quarter: usize) -> f64 {
        let load = self.history.load[quarter];
        let measured = load.zip(self.history.pv[quarter]);
        measured.map_or(0.0, |(load, pv)| (load - pv) / 4000.0)
    }
}

/// `2024-03-01 00:30…` or `2024-03-01T00:30…`, in UTC.
fn time(text: &str) -> Millis {
    let part = |range: std::ops::Range<usize>| text[range].parse::<i64>().unwrap_or(0);
    let day: domain::SiteDay = text[..10]
        .parse()
        .expect("the rows of the benchmark's tables begin with a date");
    let utc: Zone = "UTC".parse().expect("UTC is a time zone");
    utc.start_of(day) + (part(11..13) * 60 + part(14..16)) * MINUTE
}
