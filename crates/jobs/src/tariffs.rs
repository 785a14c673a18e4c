//! Sends tariff prices that begin today to the batteries that use them.
use service::Service;

pub(crate) async fn run(service: &Service) {
    if let Err(error) = service.apply_due_tariffs().await {
        tracing::error!(%error, "due_tariffs_not_applied: retrying at the next tick");
    }
}
