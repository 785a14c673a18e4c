//! What planning works with.
use bus::Bus;
use domain::clock::Millis;
use service::Service;
use store::Store;
use store::job_lease::ShardLeases;

/// The dependencies of planning, and the current time.
#[derive(Clone, Copy)]
pub struct PlanningContext<'a> {
    pub store: &'a Store,
    pub service: &'a Service,
    pub bus: &'a Bus,
    /// Whose systems are planned.
    pub held: &'a ShardLeases,
    pub now: Millis,
}
