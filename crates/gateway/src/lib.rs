//! The device endpoint. The only crate that knows MQTT.
//!
//! Not a broker: a battery publishes its own reports, each acknowledged when it is durable, and hears what is meant
//! for it. Nothing goes from one battery to another.

mod clock_check;
mod connect;
mod endpoint;
pub mod payload;
mod places;
mod reader;
mod session;
mod topics;

pub use endpoint::{Gateway, serve};
