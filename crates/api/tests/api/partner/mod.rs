//! Partner apps: the owner consents, the app gets tokens for that scope, and the consent is revoked.

mod consent;
mod exchange;
mod reach;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use ring::digest;
use serde_json::Value;
use testkit::{Person, TestApp, TestResponse};

const CLIENT: &str = "cleverpv";

const CALLBACK: &str = "https://partner.test/back";

const VERIFIER: &str = "a-verifier-of-at-least-43-characters-as-rfc-7636-asks";

fn challenge(verifier: &str) -> String {
    BASE64.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
}

async fn partner(app: &TestApp, id: &str, redirects: &[&str]) {
    let redirects: Vec<String> = redirects.iter().map(|uri| (*uri).to_owned()).collect();
    app.service
        .register_partner(id, "clever-PV", &redirects)
        .await
        .unwrap();
}

/// An owner, and the partner that the operator has registered.
async fn anna(app: &TestApp) -> Person {
    partner(app, CLIENT, &[CALLBACK]).await;
    app.owner("anna", "SC000001").await
}

/// The fields that the consent screen sends, with some of them changed.
async fn consent_with(app: &TestApp, access: &str, changed: &[(&str, &str)]) -> TestResponse {
    let challenge = challenge(VERIFIER);
    let mut fields = vec![
        ("client_id", CLIENT),
        ("redirect_uri", CALLBACK),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("scope", "systems"),
        ("state", "a state & more"),
    ];
    fields.retain(|(name, _)| changed.iter().all(|(other, _)| other != name));
    fields.extend(changed);
    app.post("/api/auth/partner/", &fields)
        .bearer(access)
        .send()
        .await
}

fn code_in(answer: &TestResponse) -> String {
    let redirect = answer.json()["redirect"].as_str().unwrap().to_owned();
    let query = redirect.split_once('?').unwrap().1;
    let fields: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap();
    let code = fields.into_iter().find(|(name, _)| name == "code");
    code.unwrap().1
}

/// Consents and returns the code that the browser would carry to the partner.
async fn consent(app: &TestApp, person: &Person, scope: &str) -> String {
    let answer = consent_with(app, &person.access, &[("scope", scope)]).await;
    code_in(&answer.expect(200))
}

/// Exchanges a code, with some fields of the request changed.
async fn exchange_with(app: &TestApp, code: &str, changed: &[(&str, &str)]) -> TestResponse {
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", CALLBACK),
        ("client_id", CLIENT),
        ("code_verifier", VERIFIER),
    ];
    fields.retain(|(name, _)| changed.iter().all(|(other, _)| other != name));
    fields.extend(changed);
    app.post("/api/partner/token/", &fields).send().await
}

async fn exchange(app: &TestApp, code: &str) -> TestResponse {
    exchange_with(app, code, &[]).await
}

async fn refresh(app: &TestApp, token: &str, client: &str) -> TestResponse {
    let fields = [
        ("grant_type", "refresh_token"),
        ("refresh_token", token),
        ("client_id", client),
    ];
    app.post("/api/partner/token/", &fields).send().await
}

struct IssuedTokens {
    access: String,
    refresh: String,
}

impl IssuedTokens {
    fn of(answer: &TestResponse) -> Self {
        let body = answer.json();
        let token = |name: &str| body[name].as_str().unwrap().to_owned();
        Self {
            access: token("access_token"),
            refresh: token("refresh_token"),
        }
    }
}

/// The whole flow: consent, code, tokens.
async fn issue_tokens(app: &TestApp, person: &Person, scope: &str) -> IssuedTokens {
    let code = consent(app, person, scope).await;
    IssuedTokens::of(&exchange(app, &code).await.expect(200))
}

async fn systems(app: &TestApp, token: &str) -> TestResponse {
    app.get("/api/partner/v1/systems/")
        .bearer(token)
        .send()
        .await
}

async fn consents(app: &TestApp, person: &Person) -> Value {
    app.get("/api/auth/partner/")
        .bearer(&person.access)
        .send()
        .await
        .expect(200)
        .json()
}

async fn end(app: &TestApp, person: &Person, id: &str) -> TestResponse {
    app.call("DELETE", &format!("/api/auth/partner/{id}/"))
        .bearer(&person.access)
        .send()
        .await
}
