//! What goes wrong on the way: how often, decided by the battery's seed.
use crate::chance::Seed;
use std::time::Duration;

/// How likely each fault is for one message, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mischief {
    /// It is sent twice.
    pub duplicate: f64,
    /// It waits until the next one has overtaken it.
    pub overtaken: f64,
    /// The connection breaks right after it, so that its acknowledgement never arrives.
    pub cut: f64,
    /// Its acknowledgement arrives and is lost.
    pub deaf: f64,
    /// After a cut the battery stays away for up to so long.
    pub away: Duration,
}

/// Draws one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Dice {
    seed: Seed,
    thrown: u64,
}

impl Dice {
    pub fn new(seed: Seed) -> Self {
        Self { seed, thrown: 0 }
    }

    /// From 0 to 1, the end excluded.
    pub fn throw(&mut self) -> f64 {
        self.thrown += 1;
        self.seed.with(self.thrown).unit()
    }

    pub fn happens(&mut self, likely: f64) -> bool {
        likely > 0.0 && self.throw() < likely
    }

    /// A part of `most`.
    pub fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.throw())
    }
}
