//! Fault injection on the device link, driven by the battery's seed.
use crate::seed::Seed;
use std::time::Duration;

/// The probability of each fault per message, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkFaults {
    /// The message is sent twice.
    pub duplicate: f64,
    /// The message is held back until the next one has overtaken it.
    pub reorder: f64,
    /// The connection breaks right after the message, and its acknowledgement never arrives.
    pub disconnect: f64,
    /// The acknowledgement arrives and is dropped.
    pub lose_ack: f64,
    /// The battery stays offline for up to this long after a disconnect.
    pub max_offline: Duration,
}

/// A sequence of random draws.
#[derive(Clone, Copy, Debug)]
pub struct Dice {
    seed: Seed,
    thrown: u64,
}

impl Dice {
    pub fn new(seed: Seed) -> Self {
        Self { seed, thrown: 0 }
    }

    /// From 0 to 1, 1 excluded.
    pub fn throw(&mut self) -> f64 {
        self.thrown += 1;
        self.seed.with(self.thrown).unit()
    }

    pub fn happens(&mut self, likely: f64) -> bool {
        likely > 0.0 && self.throw() < likely
    }

    /// A random part of `most`.
    pub fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.throw())
    }
}
