//! Ends commands that no battery has answered in time.
use service::Service;

pub(crate) async fn run(service: &Service) {
    if let Err(error) = service.expire_commands().await {
        tracing::error!(%error, "command_expiry_failed: retrying at the next tick");
    }
}
