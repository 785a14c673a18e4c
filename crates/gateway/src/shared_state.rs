//! What the sessions of an endpoint share.
use crate::clock_check::ClockCheck;
use crate::gateway::Gateway;
use crate::quota::Quotas;
use crate::repeated_log::RepeatedLog;
use metrics::Histogram;
use std::sync::Arc;

#[derive(Clone)]
pub(crate) struct SharedState {
    pub(crate) clock_check: Arc<ClockCheck>,
    pub(crate) quotas: Arc<Quotas>,
    pub(crate) log: Arc<RepeatedLog>,
    /// From reading a message to its acknowledgement.
    pub(crate) acknowledgement_time: Histogram,
}

impl SharedState {
    pub(crate) fn new(gateway: &Gateway) -> Self {
        let acknowledgement_time = metrics::histogram!("link_acknowledgement_seconds");
        Self {
            acknowledgement_time,
            clock_check: Arc::default(),
            quotas: Arc::new(Quotas::new(gateway.quota, gateway.store.clone())),
            log: Arc::default(),
        }
    }
}
