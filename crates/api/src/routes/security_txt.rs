//! The security contact, as described in RFC 9116.
use crate::Portal;
use crate::error::{Error, Refusal, Result};
use axum::extract::State;
use domain::clock::DAY;
use domain::site_time::utc_text;

/// RFC 9116 recommends less than a year.
const VALID_DAYS: i64 = 365;

/// Get the security contact. Available only if the operator has configured one.
#[utoipa::path(get, path = "/.well-known/security.txt", tag = "operation",
    responses((status = 200, body = str), (status = 404, body = Refusal)))]
pub(crate) async fn security_txt(State(portal): State<Portal>) -> Result<String> {
    let contact = portal.config.security_contact.as_deref();
    let contact = contact.ok_or_else(Error::not_found)?;
    // At midnight, so that the text is the same all day and valid for less than a year.
    let today = portal.now() / DAY * DAY;
    let expires = utc_text(today + VALID_DAYS * DAY);
    let mut text = format!("Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, de\n");
    // RFC 9116 allows no address without TLS here.
    if portal.config.behind_tls() {
        let origin = &portal.config.public_url;
        text += &format!("Canonical: {origin}/.well-known/security.txt\n");
    }
    Ok(text)
}
