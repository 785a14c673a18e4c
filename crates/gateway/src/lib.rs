//! The device endpoint. The only crate that knows MQTT.
//!
//! Not a broker: a battery publishes its own reports and receives its own messages. A report is acknowledged when it is durable.
//! Nothing goes from one battery to another.

mod clock_check;
mod clock_correction;
mod connect;
mod decoder;
mod endpoint;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod gateway;
mod quota;
mod repeated_log;
mod session;
mod session_end;
mod shared_state;
mod wire;

pub use endpoint::serve;
pub use gateway::Gateway;
pub use quota::Quota;
