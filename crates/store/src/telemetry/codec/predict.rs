//! Predictions of a column's next value. Only what they miss by is kept, so the better they guess, the less is stored.
//! All arithmetic wraps: damaged bytes give wrong numbers, never a panic.

/// Fractions of a level, in bits.
const FRACTION: u32 = 8;

pub(super) trait Model {
    /// What the value of this row will be.
    fn expect(&mut self, row: usize) -> i64;
    fn learn(&mut self, row: usize, value: i64);
}

pub(super) fn misses(mut model: impl Model, values: &[i64]) -> Vec<i64> {
    let mut misses = Vec::with_capacity(values.len());
    for (row, value) in values.iter().enumerate() {
        misses.push(value.wrapping_sub(model.expect(row)));
        model.learn(row, *value);
    }
    misses
}

/// Turns what was missed by into values again, in place.
pub(super) fn restore(mut model: impl Model, misses: &mut [i64]) {
    for (row, value) in misses.iter_mut().enumerate() {
        *value = value.wrapping_add(model.expect(row));
        model.learn(row, *value);
    }
}

/// A level that moves by `drift` each step and follows a noisy value slowly: the noise of one value is not taken for the
/// next one's. A miss beyond `jump` moves it at once.
pub(super) struct Level {
    level: i64,
    drift: i64,
    jump: i64,
    /// Follows by one 2^slow-th of the miss; 0 takes the last value.
    slow: u32,
    begun: bool,
}

impl Level {
    pub(super) fn new(slow: u32, drift: i64, jump: i64) -> Self {
        Self {
            level: 0,
            drift,
            jump,
            slow,
            begun: false,
        }
    }

    pub(super) fn now(&self) -> i64 {
        self.level.wrapping_add(1 << (FRACTION - 1)) >> FRACTION
    }

    pub(super) fn follow(&mut self, value: i64) {
        let target = value.wrapping_shl(FRACTION);
        let miss = target.wrapping_sub(self.level);
        let jumps = miss.unsigned_abs() >> FRACTION > self.jump.unsigned_abs();
        self.level = if jumps || !self.begun || self.slow == 0 {
            target
        } else {
            self.level.wrapping_add(miss >> self.slow)
        };
        self.begun = true;
    }
}

impl Model for Level {
    fn expect(&mut self, _row: usize) -> i64 {
        if self.begun {
            self.level = self.level.wrapping_add(self.drift.wrapping_shl(FRACTION));
        }
        self.now()
    }

    fn learn(&mut self, _row: usize, value: i64) {
        self.follow(value);
    }
}

/// What other columns leave over: `whole` less the `parts`.
pub(super) struct Rest<'a> {
    pub(super) whole: &'a [i64],
    pub(super) parts: [&'a [i64]; 2],
}

impl Model for Rest<'_> {
    fn expect(&mut self, row: usize) -> i64 {
        let [one, two] = self.parts;
        self.whole[row]
            .wrapping_sub(one[row])
            .wrapping_sub(two[row])
    }

    fn learn(&mut self, _row: usize, _value: i64) {}
}

/// A fixed mixture of other columns, in 2^−16.
pub(super) struct Mixture<'a> {
    pub(super) columns: [&'a [i64]; 3],
    pub(super) parts: [i64; 4],
}

impl Mixture<'_> {
    pub(super) const ONE: f64 = 65_536.0;
}

impl Model for Mixture<'_> {
    fn expect(&mut self, row: usize) -> i64 {
        let [a, b, c, constant] = self.parts;
        let [x, y, z] = self.columns;
        let sum = a
            .wrapping_mul(x[row])
            .wrapping_add(b.wrapping_mul(y[row]))
            .wrapping_add(c.wrapping_mul(z[row]))
            .wrapping_add(constant);
        sum.wrapping_add(1 << 15) >> 16
    }

    fn learn(&mut self, _row: usize, _value: i64) {}
}

/// A counter that grows by a power over time.
pub(super) struct Integral<'a> {
    power: &'a [i64],
    /// 1 counts what is positive, −1 what is negative.
    sign: i64,
    times: &'a [i64],
    /// In W·ms.
    sum: i64,
}

impl<'a> Integral<'a> {
    const WATT_HOUR: i64 = 3_600_000;
    /// Over longer gaps the power at their end says nothing.
    const LONGEST: i64 = 15 * 60 * 1_000;

    pub(super) fn new(power: &'a [i64], sign: i64, times: &'a [i64]) -> Self {
        Self {
            power,
            sign,
            times,
            sum: 0,
        }
    }
}

impl Model for Integral<'_> {
    fn expect(&mut self, row: usize) -> i64 {
        if row > 0 {
            let passed = self.times[row].wrapping_sub(self.times[row - 1]);
            if (0..=Self::LONGEST).contains(&passed) {
                let power = self.power[row].wrapping_mul(self.sign).max(0);
                self.sum = self.sum.wrapping_add(power.wrapping_mul(passed));
            }
        }
        self.sum.div_euclid(Self::WATT_HOUR)
    }

    /// Keeps its own fraction of a Wh as long as that fits what the counter shows.
    fn learn(&mut self, row: usize, value: i64) {
        let low = value.wrapping_mul(Self::WATT_HOUR);
        let high = low.wrapping_add(Self::WATT_HOUR - 1);
        if row == 0 {
            self.sum = low.wrapping_add(Self::WATT_HOUR / 2);
        } else if self.sum < low {
            self.sum = low;
        } else if self.sum > high {
            self.sum = high;
        }
    }
}
