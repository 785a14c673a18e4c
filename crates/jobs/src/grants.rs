//! Grant deadlines: mails owners about decisions to make, mails both sides about the end of a grant, and deletes past grants.
use service::Service;

pub(crate) async fn run(service: &Service) {
    if let Err(error) = service.process_grant_deadlines().await {
        tracing::error!(%error, "grant_deadlines_failed: retrying at the next tick");
    }
}
