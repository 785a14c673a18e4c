//! Remembers which browsers an owner has logged in with, so that password guesses from elsewhere never lock the owner out. The
//! cookie holds random bytes and a MAC over them and the e-mail address. It contains no personal data and is useless to anyone
//! else.
use crate::Portal;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Email;
use store::Purpose;

const COOKIE_NAME: &str = "suncellar_browser";
/// How many accounts one browser remembers, for example on a family's tablet.
const MAX_ACCOUNTS: usize = 4;
const NONCE_BYTES: usize = 16;

/// This account's entry in the browser's cookie, if any.
pub(crate) fn find(portal: &Portal, headers: &HeaderMap, email: &Email) -> Option<String> {
    entries(headers)
        .into_iter()
        .find(|entry| is_for(portal, entry, email))
}

/// The `Set-Cookie` value that makes this browser known to the account.
pub(crate) fn remember(portal: &Portal, headers: &HeaderMap, email: &Email) -> String {
    let mut kept = entries(headers);
    let nonce = portal.random.bytes::<NONCE_BYTES>();
    let tag = portal
        .store
        .keyring()
        .hash(Purpose::KnownBrowser, &message(&nonce, email));
    kept.retain(|entry| !is_for(portal, entry, email));
    kept.insert(0, BASE64.encode([nonce.as_slice(), &tag].concat()));
    kept.truncate(MAX_ACCOUNTS);
    let secure = if portal.config.behind_tls() {
        "; Secure"
    } else {
        ""
    };
    format!(
        "{COOKIE_NAME}={}; Path=/api/auth/; Max-Age=31536000; HttpOnly; SameSite=Strict{secure}",
        kept.join(".")
    )
}

fn entries(headers: &HeaderMap) -> Vec<String> {
    let cookies = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split("; "));
    let ours = cookies.filter_map(|cookie| cookie.strip_prefix(COOKIE_NAME)?.strip_prefix('='));
    ours.flat_map(|value| value.split('.'))
        .filter(|entry| !entry.is_empty())
        .take(MAX_ACCOUNTS)
        .map(str::to_owned)
        .collect()
}

fn is_for(portal: &Portal, entry: &str, email: &Email) -> bool {
    let Ok(bytes) = BASE64.decode(entry) else {
        return false;
    };
    let Some((nonce, tag)) = bytes.split_at_checked(NONCE_BYTES) else {
        return false;
    };
    portal
        .store
        .keyring()
        .verify(Purpose::KnownBrowser, &message(nonce, email), tag)
}

fn message(nonce: &[u8], email: &Email) -> Vec<u8> {
    [nonce, email.as_str().as_bytes()].concat()
}
