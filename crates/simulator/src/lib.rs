//! Batteries that behave like real ones: physics, homes, weather, faults, and the device link from their side.

pub mod battery;
pub mod chance;
pub mod counters;
pub mod grid;
pub mod home;
pub mod meter;
pub mod protection;
pub mod settings;
mod sun;
pub mod unit;
mod year;

pub use battery::Rating;
pub use chance::Seed;
pub use home::Household;
pub use settings::Settings;
pub use unit::{Happening, Installation, Share, Unit};
