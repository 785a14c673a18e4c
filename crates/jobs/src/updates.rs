//! Expires updates whose battery has waited for too long.
use service::Service;

pub(crate) async fn run(service: &Service) {
    if let Err(error) = service.expire_updates().await {
        tracing::error!(%error, "expiring updates failed; retrying at the next tick");
    }
}
