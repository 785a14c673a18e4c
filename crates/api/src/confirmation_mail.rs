//! The mail that a registration by mail is confirmed with.
use crate::Portal;
use crate::error::{Error, Result};
use axum::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::{Email, Lang, Message};
use store::mail::Mail;
use store::registration::{ConfirmMails, PendingRegistration};

/// A generated link, with both mails of which one is sent.
pub(crate) struct ConfirmLink {
    pub(crate) token: [u8; 32],
    confirm: Mail,
    exists: Mail,
}

impl ConfirmLink {
    pub(crate) fn new(portal: &Portal, lang: Lang) -> Self {
        let token = portal.random.bytes::<32>();
        let page = format!("/register#confirm={}", BASE64.encode(token));
        Self {
            token,
            confirm: Mail::new("confirm", lang, portal.link(&page)),
            exists: Mail::new("exists", lang, portal.link("/login")),
        }
    }

    pub(crate) fn mails(&self) -> ConfirmMails<'_> {
        ConfirmMails {
            confirm: &self.confirm,
            exists: &self.exists,
        }
    }
}

pub(crate) fn not_queued(error: store::Error) -> Error {
    tracing::error!(%error, "registration not queued");
    Error::Refused(StatusCode::SERVICE_UNAVAILABLE, Message::MailFailed)
}

/// Mails the link again to someone who gave the password of a pending registration.
pub(crate) async fn resend_confirmation(
    portal: &Portal,
    email: &Email,
    waiting: &PendingRegistration,
) -> Result<()> {
    // A mailbox that has reached its limit gets no further mail; the answer stays the same.
    if !portal.limits.may_mail(email.as_str()) {
        return Ok(());
    }
    let link = ConfirmLink::new(portal, waiting.language);
    let queued = portal.store.resend_confirmation(
        email,
        waiting,
        &link.token,
        link.mails(),
        portal.random.bytes(),
        portal.now(),
    );
    queued.await.map_err(not_queued)
}
