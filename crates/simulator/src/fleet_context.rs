//! What all batteries of a fleet share.
use crate::firmware::UpdateTiming;
use crate::fleet_stats::FleetStats;
use crate::link_faults::LinkFaults;
use domain::Clock;
use std::net::SocketAddr;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The server, the times and the faults of a fleet, and what is recorded.
pub struct FleetContext {
    pub gateway: SocketAddr,
    pub interval: Duration,
    /// The speed of firmware updates.
    pub update_timing: UpdateTiming,
    /// Sends the next sample as soon as the last one is acknowledged.
    pub closed_loop: bool,
    pub clock: Clock,
    pub link_faults: LinkFaults,
    /// Samples measured offline are sent after a random delay of up to this long.
    pub history_jitter: Duration,
    /// How many samples a battery buffers while it cannot send.
    pub buffer: usize,
    /// Connections are spread over this time.
    pub ramp: Duration,
    pub record_acknowledged: bool,
    pub record_executed_orders: bool,
    pub accepts_interventions: bool,
    pub stats: FleetStats,
    /// Stop measuring, and end when everything is delivered.
    pub finish: CancellationToken,
}

impl FleetContext {
    pub fn new(gateway: SocketAddr, interval: Duration, clock: Clock) -> Self {
        Self {
            gateway,
            interval,
            update_timing: UpdateTiming::for_interval(interval),
            closed_loop: false,
            clock,
            link_faults: LinkFaults::default(),
            history_jitter: Duration::from_secs(300),
            buffer: 2_880,
            ramp: Duration::ZERO,
            record_acknowledged: false,
            record_executed_orders: false,
            accepts_interventions: false,
            stats: FleetStats::default(),
            finish: CancellationToken::new(),
        }
    }
}
