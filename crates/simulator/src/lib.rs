//! Batteries that behave like real ones: physics, homes, weather, faults, and the device link from their side.

pub mod battery;
pub mod chance;
mod connection;
pub mod counters;
pub mod device;
pub mod fleet;
pub mod grid;
pub mod home;
pub mod meter;
pub mod mischief;
pub mod model;
mod outbox;
pub mod protection;
mod report;
mod session;
pub mod settings;
mod sun;
pub mod tally;
pub mod unit;
pub mod wire;
mod year;

pub use battery::Rating;
pub use chance::Seed;
pub use device::{Device, Order};
pub use fleet::{Fleet, World};
pub use home::Household;
pub use mischief::Mischief;
pub use settings::Settings;
pub use unit::{Happening, Installation, Share, Unit};
