//! Predictors of a column's next value. Only the residuals are stored: the better the prediction, the smaller the data.
//! All arithmetic wraps: damaged bytes give wrong numbers, never a panic.

/// Fixed-point fraction of a level.
const FRACTION_BITS: u32 = 8;

pub(super) trait Predictor {
    fn predict(&mut self, row: usize) -> i64;
    fn update(&mut self, row: usize, value: i64);
}

pub(super) fn residuals(mut model: impl Predictor, values: &[i64]) -> Vec<i64> {
    let mut residuals = Vec::with_capacity(values.len());
    for (row, value) in values.iter().enumerate() {
        residuals.push(value.wrapping_sub(model.predict(row)));
        model.update(row, *value);
    }
    residuals
}

/// Turns residuals into values again, in place.
pub(super) fn restore(mut model: impl Predictor, residuals: &mut [i64]) {
    for (row, value) in residuals.iter_mut().enumerate() {
        *value = value.wrapping_add(model.predict(row));
        model.update(row, *value);
    }
}

/// Exponential smoothing: a level that moves by `drift` each step and follows a noisy value slowly. The noise of one value then
/// hardly distorts the next prediction. A residual beyond `jump` moves the level at once.
pub(super) struct SmoothedLevel {
    level: i64,
    drift: i64,
    jump: i64,
    /// The level follows by 2^−slow of the residual; 0 takes the last value.
    slow: u32,
    begun: bool,
}

impl SmoothedLevel {
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
        self.level.wrapping_add(1 << (FRACTION_BITS - 1)) >> FRACTION_BITS
    }

    pub(super) fn follow(&mut self, value: i64) {
        let target = value.wrapping_shl(FRACTION_BITS);
        let residual = target.wrapping_sub(self.level);
        let jumps = residual.unsigned_abs() >> FRACTION_BITS > self.jump.unsigned_abs();
        self.level = if jumps || !self.begun || self.slow == 0 {
            target
        } else {
            self.level.wrapping_add(residual >> self.slow)
        };
        self.begun = true;
    }
}

impl Predictor for SmoothedLevel {
    fn predict(&mut self, _row: usize) -> i64 {
        if self.begun {
            self.level = self
                .level
                .wrapping_add(self.drift.wrapping_shl(FRACTION_BITS));
        }
        self.now()
    }

    fn update(&mut self, _row: usize, value: i64) {
        self.follow(value);
    }
}

/// `whole` minus the `parts`.
pub(super) struct Remainder<'a> {
    pub(super) whole: &'a [i64],
    pub(super) parts: [&'a [i64]; 2],
}

impl Predictor for Remainder<'_> {
    fn predict(&mut self, row: usize) -> i64 {
        let [one, two] = self.parts;
        self.whole[row]
            .wrapping_sub(one[row])
            .wrapping_sub(two[row])
    }

    fn update(&mut self, _row: usize, _value: i64) {}
}

/// A linear combination of other columns; coefficients in units of 2^−16.
pub(super) struct Linear<'a> {
    pub(super) columns: [&'a [i64]; 3],
    pub(super) parts: [i64; 4],
}

impl Linear<'_> {
    pub(super) const SCALE: f64 = 65_536.0;
}

impl Predictor for Linear<'_> {
    fn predict(&mut self, row: usize) -> i64 {
        let [a, b, c, constant] = self.parts;
        let [x, y, z] = self.columns;
        let sum = a
            .wrapping_mul(x[row])
            .wrapping_add(b.wrapping_mul(y[row]))
            .wrapping_add(c.wrapping_mul(z[row]))
            .wrapping_add(constant);
        sum.wrapping_add(1 << 15) >> 16
    }

    fn update(&mut self, _row: usize, _value: i64) {}
}

/// A counter that grows by a power over time.
pub(super) struct Integral<'a> {
    power: &'a [i64],
    /// 1 counts positive power, −1 negative power.
    sign: i64,
    times: &'a [i64],
    /// In W·ms.
    sum: i64,
}

impl<'a> Integral<'a> {
    const WATT_MS_PER_WH: i64 = 3_600_000;
    /// Over a longer gap, the power at its end says nothing about the energy.
    const MAX_GAP_MS: i64 = 15 * 60 * 1_000;

    pub(super) fn new(power: &'a [i64], sign: i64, times: &'a [i64]) -> Self {
        Self {
            power,
            sign,
            times,
            sum: 0,
        }
    }
}

impl Predictor for Integral<'_> {
    fn predict(&mut self, row: usize) -> i64 {
        if row > 0 {
            let passed = self.times[row].wrapping_sub(self.times[row - 1]);
            if (0..=Self::MAX_GAP_MS).contains(&passed) {
                let power = self.power[row].wrapping_mul(self.sign).max(0);
                self.sum = self.sum.wrapping_add(power.wrapping_mul(passed));
            }
        }
        self.sum.div_euclid(Self::WATT_MS_PER_WH)
    }

    /// Keeps its own fraction of a Wh as long as it agrees with the counter.
    fn update(&mut self, row: usize, value: i64) {
        let low = value.wrapping_mul(Self::WATT_MS_PER_WH);
        let high = low.wrapping_add(Self::WATT_MS_PER_WH - 1);
        if row == 0 {
            self.sum = low.wrapping_add(Self::WATT_MS_PER_WH / 2);
        } else if self.sum < low {
            self.sum = low;
        } else if self.sum > high {
            self.sum = high;
        }
    }
}
