//! What a fleet did: counts, and how long acknowledgements took.
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

#[derive(Debug, Default)]
pub struct Tally {
    pub connected: AtomicI64,
    /// Samples and events, each time they were sent.
    pub sent: AtomicU64,
    /// Samples that the endpoint acknowledged as stored.
    pub acknowledged: AtomicU64,
    pub reconnects: AtomicU64,
    /// Logins that were not accepted.
    pub refused: AtomicU64,
    /// Samples that a full buffer had to forget.
    pub forgotten: AtomicU64,
    pub delays: Delays,
}

/// Buckets of an octave; a delay is known to an eighth of itself.
const PARTS: u64 = 8;
const OCTAVES: u64 = 32;

/// A histogram of delays from a microsecond to an hour.
#[derive(Debug)]
pub struct Delays(Box<[AtomicU64]>);

impl Default for Delays {
    fn default() -> Self {
        Self((0..PARTS * OCTAVES).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Delays {
    pub fn add(&self, delay: Duration) {
        let micros = u64::try_from(delay.as_micros())
            .unwrap_or(u64::MAX)
            .max(PARTS);
        let octave = u64::from(micros.ilog2());
        let part = (micros >> (octave - 3)) - PARTS;
        let bucket = ((octave - 3) * PARTS + part).min(PARTS * OCTAVES - 1);
        self.0[bucket as usize].fetch_add(1, Relaxed);
    }

    pub fn counts(&self) -> Vec<u64> {
        self.0.iter().map(|count| count.load(Relaxed)).collect()
    }
}

/// The delay that `part` of these counts do not exceed.
pub fn quantile(counts: &[u64], part: f64) -> Duration {
    let wanted = (counts.iter().sum::<u64>() as f64 * part).ceil() as u64;
    let mut seen = 0;
    for (bucket, count) in (0u64..).zip(counts) {
        seen += count;
        if seen >= wanted && wanted > 0 {
            let (octave, rest) = (bucket / PARTS, bucket % PARTS);
            return Duration::from_micros((PARTS + rest + 1) << octave);
        }
    }
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_right_to_an_eighth() {
        let delays = Delays::default();
        for millis in 1..=1_000 {
            delays.add(Duration::from_millis(millis));
        }
        let counts = delays.counts();
        for (part, expected) in [(0.5, 500.0), (0.99, 990.0)] {
            let found = quantile(&counts, part).as_secs_f64() * 1e3;
            assert!(
                (found / expected - 1.0).abs() < 0.13,
                "{found} for {expected}"
            );
        }
        assert_eq!(quantile(&[0, 0], 0.5), Duration::ZERO);
    }
}
