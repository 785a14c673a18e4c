//! A household that has not been measured yet: a standard profile, scaled to its yearly consumption or to what was measured so
//! far.
use super::history::{KnownHistory, mean};
use crate::{Band, QUARTERS_A_DAY};

/// Profiles of a working day and a weekend day, by hours of local time, relative to the day's mean: low at night, with peaks in
/// the morning, at noon and in the evening. Our own sketch of what households of any size have in common.
const WORKDAY: [f64; 24] = [
    0.55, 0.47, 0.43, 0.42, 0.43, 0.52, 0.85, 1.12, 1.10, 1.02, 0.98, 1.05, 1.18, 1.10, 0.98, 0.95,
    1.05, 1.32, 1.62, 1.75, 1.62, 1.35, 1.05, 0.75,
];
const WEEKEND: [f64; 24] = [
    0.62, 0.52, 0.46, 0.43, 0.42, 0.44, 0.55, 0.80, 1.12, 1.32, 1.35, 1.42, 1.45, 1.28, 1.12, 1.05,
    1.08, 1.25, 1.48, 1.58, 1.48, 1.28, 1.05, 0.80,
];
/// Quantiles of one quarter-hour relative to the profile.
const P10_FACTOR: f64 = 0.45;
const P50_FACTOR: f64 = 0.8;
const P90_FACTOR: f64 = 1.9;
/// After this many days only the household's own measurements are used.
const KNOWN_AFTER_DAYS: f64 = 14.0;

pub(super) fn band(past: &KnownHistory<'_>, at: usize, yearly_kwh: f64) -> Band {
    let days = past.load.iter().flatten().count() as f64 / QUARTERS_A_DAY as f64;
    let own = (days / KNOWN_AFTER_DAYS).min(1.0);
    let yearly_mean = yearly_kwh * 1000.0 / 8760.0;
    let level = mean(past.load.iter().copied()).map_or(yearly_mean, |shown| {
        yearly_mean + (shown - yearly_mean) * own.sqrt()
    });
    let quarter = past.quarter_of_day(at);
    let profile = if past.is_weekend(at) {
        WEEKEND
    } else {
        WORKDAY
    };
    // Interpolated between the middles of two hours.
    let position = (quarter as f64 + 0.5) / 4.0 + 23.5;
    let (hour, part) = (position.floor() as usize, position.fract());
    let usual = profile[hour % 24] * (1.0 - part) + profile[(hour + 1) % 24] * part;
    let earlier = (1..=14).map(|day| past.days_before(at, day));
    let shown = mean(earlier.map(|index| past.load.get(index?).copied().flatten()));
    let standard = level * usual;
    let expected = shown.map_or(standard, |shown| standard + (shown - standard) * own);
    Band::of(
        P10_FACTOR * expected,
        P50_FACTOR * expected,
        P90_FACTOR * expected,
        expected,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::History;
    use domain::Zone;

    fn history(load: Vec<Option<f64>>) -> History {
        let pv = vec![Some(0.0); load.len()];
        // A Monday, 2024-06-03, at midnight in Berlin.
        History::new(1_717_365_600_000, &Zone::default(), load, pv)
    }

    #[test]
    fn an_unknown_home_uses_its_yearly_energy() {
        let history = history(Vec::new());
        let past = history.until(0);
        let week = (0..7 * 96).map(|at| band(&past, at, 3_650.0).mean / 4000.0);
        let kwh: f64 = week.sum();
        assert!((kwh - 70.0).abs() < 2.0, "{kwh}");
        let at = |hour: usize| band(&past, 4 * hour, 3_650.0).p50;
        assert!(at(19) > 2.0 * at(3));
    }

    #[test]
    fn a_home_is_believed_more_with_each_day() {
        let mut before = f64::INFINITY;
        for days in [0, 1, 4, 13] {
            let history = history(vec![Some(1_000.0); days * 96]);
            let past = history.until(days * 96);
            let bands = (0..96).map(|n| band(&past, days * 96 + n, 1_000.0).mean);
            let off = (bands.sum::<f64>() / 96.0 - 1_000.0).abs();
            assert!(off < before, "{days}: {off}");
            before = off;
        }
        assert!(before < 50.0, "{before}");
    }
}
