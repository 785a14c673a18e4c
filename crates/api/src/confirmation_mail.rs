//! The mail that confirms a registration.
use crate::Portal;
use crate::error::{Error, Result};
use axum::http::StatusCode;
use domain::{Email, Message};
use store::registration::PendingRegistration;

pub(crate) fn not_queued(error: service::Error) -> Error {
    tracing::error!(%error, "registration_not_queued");
    Error::Refused(StatusCode::SERVICE_UNAVAILABLE, Message::MailFailed)
}

/// Mails the link again to a person who entered the password of a pending registration.
pub(crate) async fn resend_confirmation(
    portal: &Portal,
    email: &Email,
    waiting: &PendingRegistration,
) -> Result<()> {
    // A mailbox that has reached its limit gets no further mail; the answer stays the same.
    if !portal.limits.may_mail(email.as_str()).await? {
        return Ok(());
    }
    let queued = portal.service.resend_confirmation(email, waiting);
    queued.await.map_err(not_queued)
}
