//! Properties of forecasts, on homes that follow known formulas.
use super::*;
use crate::QUARTERS_A_DAY;
use domain::Zone;

/// 2024-06-03 00:00 UTC, a Monday.
const START: Millis = 1_717_372_800_000;
const DAYS: usize = 50;

/// Between 0 and 1, the same in each run.
fn chance(seed: usize) -> f64 {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

fn load(quarter: usize) -> f64 {
    let hours = (quarter % QUARTERS_A_DAY) as f64 / 4.0;
    if (17.0..20.0).contains(&hours) {
        1_500.0
    } else {
        300.0
    }
}

fn bell(quarter: usize) -> f64 {
    let hours = (quarter % QUARTERS_A_DAY) as f64 / 4.0;
    (4_000.0 * (1.0 - ((hours - 11.0) / 7.0).powi(2))).max(0.0)
}

fn history(load: impl Fn(usize) -> f64, pv: impl Fn(usize) -> f64) -> History {
    let quarters = 0..DAYS * QUARTERS_A_DAY;
    let load = quarters.clone().map(|n| Some(load(n))).collect();
    let pv = quarters.map(|n| Some(pv(n))).collect();
    History::new(START, &Zone::default(), load, pv)
}

fn off(bands: &[Band], came: impl Fn(usize) -> f64) -> f64 {
    let misses = bands
        .iter()
        .enumerate()
        .map(|(n, band)| (band.p50 - came(n)).abs());
    let misses: f64 = misses.sum();
    misses / (0..bands.len()).map(came).sum::<f64>()
}

#[test]
fn a_home_that_lives_by_the_clock_is_known() {
    let history = history(load, |_| 0.0);
    let now = 45 * QUARTERS_A_DAY + 30;
    let past = history.until(now);
    let bands = LoadModel::train(&past, 4_000.0).forecast(&past);
    let off = off(&bands, |n| load(now + n));
    assert!(off < 0.05, "{off}");
}

#[test]
fn nothing_that_comes_later_changes_a_forecast() {
    let wild = |n: usize| 200.0 + 2_000.0 * chance(n / 2).powi(4);
    let sun = |n: usize| bell(n) * (0.3 + 0.7 * chance(n / 96));
    let now = 40 * QUARTERS_A_DAY;
    let known = history(wild, sun);
    let other = history(
        |n| if n < now { wild(n) } else { 9_000.0 },
        |n| if n < now { sun(n) } else { 0.0 },
    );
    let issue = |history: &History| {
        let past = history.until(now);
        let load = LoadModel::train(&past, 4_000.0).forecast(&past);
        (load, PvModel::train(&past, None).forecast(&past))
    };
    assert_eq!(issue(&known), issue(&other));
}

#[test]
fn after_clear_days_a_clear_day_is_expected() {
    let history = history(load, bell);
    let now = 45 * QUARTERS_A_DAY;
    let past = history.until(now);
    let bands = PvModel::train(&past, None).forecast(&past);
    let off = off(&bands, |n| bell(now + n));
    assert!(off < 0.1, "{off}");
    assert!(bands[2 * 4].p90 == 0.0, "it is night");
}

#[test]
fn the_weather_is_believed_as_far_as_it_was_right() {
    let sky = |n: usize| 0.2 + 0.8 * chance(n / 96);
    let sun = |n: usize| bell(n) * sky(n);
    let bare = history(load, sun);
    // The weather forecast is for a plant of another size.
    let told = (0..DAYS * QUARTERS_A_DAY)
        .map(|n| Some(0.6 * sun(n)))
        .collect();
    let told = bare.clone().with_weather(told);
    let now = 45 * QUARTERS_A_DAY;
    let miss = |history: &History| {
        let past = history.until(now);
        let bands = PvModel::train(&past, None).forecast(&past);
        off(&bands, |n| sun(now + n))
    };
    let (with, without) = (miss(&told), miss(&bare));
    assert!(with < 0.1 && with < 0.5 * without, "{with} {without}");
}

#[test]
fn bands_are_in_order_and_hold_what_they_promise() {
    let wild = |n: usize| 200.0 + 2_000.0 * chance(n / 2).powi(2);
    let history = history(wild, |_| 0.0);
    let (mut below, mut above, mut count) = (0, 0, 0);
    let learned = LoadModel::train(&history.until(40 * QUARTERS_A_DAY), 4_000.0);
    for now in (40 * QUARTERS_A_DAY..46 * QUARTERS_A_DAY).step_by(17) {
        for (ahead, band) in learned.forecast(&history.until(now)).iter().enumerate() {
            assert!(band.p10 >= 0.0 && band.p10 <= band.p50 && band.p50 <= band.p90);
            below += usize::from(wild(now + ahead) < band.p10);
            above += usize::from(wild(now + ahead) > band.p90);
            count += 1;
        }
    }
    let part = |n: usize| n as f64 / count as f64;
    assert!((0.02..0.2).contains(&part(below)), "{}", part(below));
    assert!((0.05..0.2).contains(&part(above)), "{}", part(above));
}

#[test]
fn a_home_of_a_few_days_gets_a_standard_forecast() {
    let history = history(load, bell);
    let past = history.until(2 * QUARTERS_A_DAY);
    let bands = LoadModel::train(&past, 4_000.0).forecast(&past);
    assert!(bands.len() == FORECAST_QUARTERS && bands.iter().all(|band| band.p50 > 0.0));
    let envelope = Envelope::at_site(52.5, 13.4, 5.0, START);
    let sun = PvModel::train(&past, envelope).forecast(&past);
    assert!(sun[44].p90 > 1_000.0 && sun[0].p90 == 0.0);
    assert!(
        PvModel::train(&past, None)
            .forecast(&past)
            .iter()
            .all(|band| band.p90 == 0.0)
    );
}

#[test]
fn stored_models_forecast_the_same() {
    let weather = (0..DAYS * QUARTERS_A_DAY).map(|n| Some(bell(n)));
    let told = history(load, bell).with_weather(weather.collect());
    for history in [history(load, bell), told] {
        let past = history.until(40 * QUARTERS_A_DAY);
        let load = LoadModel::train(&past, 4_000.0);
        let pv = PvModel::train(&past, None);
        let bytes = stored::encode(&load, &pv);
        assert!(bytes.len() < 8_000, "{}", bytes.len());
        let (stored_load, stored_pv) = stored::decode(&bytes).unwrap();
        let fresh = [load.forecast(&past), pv.forecast(&past)].concat();
        let stored = [stored_load.forecast(&past), stored_pv.forecast(&past)].concat();
        for (fresh, stored) in fresh.iter().zip(&stored) {
            let close = |one: f64, other: f64| (one - other).abs() < 0.1;
            let same = close(fresh.p50, stored.p50) && close(fresh.p90, stored.p90);
            assert!(same, "{fresh:?} {stored:?}");
        }
        for cut in [0, 3, 4, bytes.len() - 4, bytes.len() - 1] {
            assert!(stored::decode(&bytes[..cut]).is_none(), "{cut}");
        }
        assert!(stored::decode(&[bytes, vec![0; 4]].concat()).is_none());
    }
}
