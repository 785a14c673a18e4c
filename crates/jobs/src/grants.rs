//! Owners hear what they have to decide, both sides hear of the end of a grant, and what is past is forgotten.
use domain::clock::Millis;
use store::Store;
use store::mail::Desk;

pub(crate) async fn run(store: &Store, desk: Desk<'_>, now: Millis) {
    if let Err(error) = store.tell_of_grants(desk, now).await {
        tracing::error!(%error, "people cannot be told about grants; it is tried again");
    }
}
