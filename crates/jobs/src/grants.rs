//! Grant deadlines: mails owners about decisions to make, mails both sides about the end of a grant, and deletes past grants.
use domain::clock::Millis;
use store::Store;
use store::mail::MailContext;

pub(crate) async fn run(store: &Store, mail_context: MailContext<'_>, now: Millis) {
    if let Err(error) = store.process_grant_deadlines(mail_context, now).await {
        tracing::error!(%error, "processing grant deadlines failed; retrying at the next tick");
    }
}
