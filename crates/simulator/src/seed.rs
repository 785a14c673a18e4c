//! Stateless randomness: every draw is a pure function of the seed and of its purpose. A home therefore behaves the same
//! with any step size and any start time.
use domain::Serial;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(u64);

impl Seed {
    /// The seed of one battery; `fleet` numbers the fleet.
    pub fn of(serial: &Serial, fleet: u64) -> Self {
        let start = Self(mix(fleet));
        serial
            .as_str()
            .bytes()
            .fold(start, |seed, byte| seed.with(u64::from(byte)))
    }

    /// The seed for everything that all batteries share.
    pub fn shared() -> Self {
        Self(mix(0))
    }

    /// A sub-seed; draws from it are independent of all other sub-seeds.
    pub fn with(self, part: u64) -> Self {
        Self(mix(self.0 ^ mix(part)))
    }

    pub fn bits(self) -> u64 {
        self.0
    }

    /// From 0 to 1, 1 excluded.
    pub fn unit(self) -> f64 {
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    /// An index below `count`.
    pub fn index(self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// White noise from −1 to 1, constant for `period` milliseconds.
    pub fn noise(self, at: i64, period: i64) -> f64 {
        self.with(at.div_euclid(period) as u64).between(-1.0, 1.0)
    }

    /// Smooth noise from −1 to 1 that changes direction about once in `period` milliseconds.
    pub fn wave(self, at: i64, period: i64) -> f64 {
        let here = at.div_euclid(period);
        let part = at.rem_euclid(period) as f64 / period as f64;
        let value = |lattice: i64| self.with(lattice as u64).between(-1.0, 1.0);
        let eased = part * part * (3.0 - 2.0 * part);
        value(here) + (value(here + 1) - value(here)) * eased
    }
}

/// The finaliser of SplitMix64.
fn mix(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batteries_draw_differently_and_always_the_same() {
        let seed = |sn: &str, fleet| Seed::of(&sn.parse().unwrap(), fleet);
        assert_eq!(seed("SC24A0001", 1), seed("SC24A0001", 1));
        assert_ne!(seed("SC24A0001", 1), seed("SC24A0002", 1));
        assert_ne!(seed("SC24A0001", 1), seed("SC24A0001", 2));
    }

    #[test]
    fn a_wave_has_no_steps() {
        let seed = Seed(7);
        let steps = (0..100_000).map(|at| (seed.wave(at, 1000) - seed.wave(at + 1, 1000)).abs());
        assert!(steps.fold(0.0, f64::max) < 0.004);
    }
}
