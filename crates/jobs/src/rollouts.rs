//! Advances roll-outs to the next wave, or stops them, depending on how the updates end.
use service::Service;

pub(crate) async fn run(service: &Service) {
    if let Err(error) = service.advance_rollouts().await {
        tracing::error!(%error, "rollouts_not_advanced: retrying at the next tick");
    }
}
