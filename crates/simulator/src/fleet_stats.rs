//! Statistics of a fleet: counts and acknowledgement latency.
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

#[derive(Debug, Default)]
pub struct FleetStats {
    pub connected: AtomicI64,
    /// Samples and other messages, including repetitions.
    pub sent: AtomicU64,
    /// Samples that the gateway acknowledged as stored.
    pub acknowledged: AtomicU64,
    pub reconnects: AtomicU64,
    /// Refused logins.
    pub refused: AtomicU64,
    /// Samples that a full buffer dropped.
    pub forgotten: AtomicU64,
    pub delays: LatencyHistogram,
}

/// Buckets per octave: a delay is accurate to an eighth.
const BUCKETS_PER_OCTAVE: u64 = 8;
const OCTAVES: u64 = 32;

/// A histogram of delays from 8 µs to nine hours.
#[derive(Debug)]
pub struct LatencyHistogram(Box<[AtomicU64]>);

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self(
            (0..BUCKETS_PER_OCTAVE * OCTAVES)
                .map(|_| AtomicU64::new(0))
                .collect(),
        )
    }
}

impl LatencyHistogram {
    pub fn add(&self, delay: Duration) {
        let micros = u64::try_from(delay.as_micros())
            .unwrap_or(u64::MAX)
            .max(BUCKETS_PER_OCTAVE);
        let octave = u64::from(micros.ilog2());
        let part = (micros >> (octave - 3)) - BUCKETS_PER_OCTAVE;
        let bucket =
            ((octave - 3) * BUCKETS_PER_OCTAVE + part).min(BUCKETS_PER_OCTAVE * OCTAVES - 1);
        self.0[bucket as usize].fetch_add(1, Relaxed);
    }

    pub fn counts(&self) -> Vec<u64> {
        self.0.iter().map(|count| count.load(Relaxed)).collect()
    }
}

/// The quantile `part` (0 to 1) of these counts.
pub fn quantile(counts: &[u64], part: f64) -> Duration {
    let wanted = (counts.iter().sum::<u64>() as f64 * part).ceil() as u64;
    let mut seen = 0;
    for (bucket, count) in (0u64..).zip(counts) {
        seen += count;
        if seen >= wanted && wanted > 0 {
            let (octave, rest) = (bucket / BUCKETS_PER_OCTAVE, bucket % BUCKETS_PER_OCTAVE);
            return Duration::from_micros((BUCKETS_PER_OCTAVE + rest + 1) << octave);
        }
    }
    Duration::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_right_to_an_eighth() {
        let delays = LatencyHistogram::default();
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
