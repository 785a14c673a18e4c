//! Several processes on PostgreSQL: what a standby, another gateway and idle processes cost, what the size of the fleet costs a
//! process that nobody uses, how planning is divided, and how fast batteries come back after a gateway's end.

pub(crate) mod balancer;
mod fake_weather;
pub(crate) mod fleet_size;
pub(crate) mod gateways;
pub(crate) mod planners;
mod role;
pub(crate) mod takeover;
mod template;
