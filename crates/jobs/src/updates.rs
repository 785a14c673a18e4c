//! Expires updates whose battery has waited for too long, and interrupts those that fell silent.
use service::Service;

pub(crate) async fn run(service: &Service) {
    if let Err(error) = service.expire_updates().await {
        tracing::error!(%error, "update_expiry_failed: retrying at the next tick");
    }
}

pub(crate) async fn interrupt_stalled(service: &Service) {
    if let Err(error) = service.interrupt_stalled_updates().await {
        tracing::error!(%error, "stalled_updates_not_interrupted: retrying at the next tick");
    }
}
