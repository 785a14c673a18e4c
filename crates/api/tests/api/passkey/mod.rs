//! Passkeys: what the tests below share.
#![allow(clippy::unwrap_used)]
mod account;
mod login;
mod second_factor;

use serde_json::Value;
use testkit::fixtures::own_address;
use testkit::{PASSWORD, Person, SoftwarePasskey, TestApp, TestResponse};

const OPTIONS: &str = "/api/auth/account/passkey/options/";
const LOGIN: &str = "/api/auth/token/passkey/";

/// Logs in with what a device showed, without a password.
async fn enter(app: &TestApp, shown: &str) -> TestResponse {
    app.post(LOGIN, &[("passkey", shown)]).send().await
}

async fn enter_with(app: &TestApp, passkey: &SoftwarePasskey) -> TestResponse {
    let shown = app.show_passkey(passkey).await;
    enter(app, &shown).await
}

/// Logs in with the password, and what is given beside it.
async fn log_in(app: &TestApp, person: &Person, role: bool, given: (&str, &str)) -> TestResponse {
    let fields = [
        ("email", person.email.as_str()),
        ("password", PASSWORD),
        ("electrician", if role { "true" } else { "false" }),
        given,
    ];
    let call = app.post("/api/auth/token/", &fields);
    call.from(&own_address(&person.email)).send().await
}

async fn list(app: &TestApp, person: &Person) -> Vec<Value> {
    let call = app.get("/api/auth/account/").bearer(&person.access);
    let account = call.send().await.expect(200).json();
    account["passkeys"].as_array().unwrap().clone()
}

async fn begin(app: &TestApp, person: &Person, proof: &[(&str, &str)]) -> TestResponse {
    app.post(OPTIONS, proof).bearer(&person.access).send().await
}

async fn remove(
    app: &TestApp,
    person: &Person,
    id: &Value,
    proof: &[(&str, &str)],
) -> TestResponse {
    let call = app.call("DELETE", &format!("/api/auth/account/passkey/{id}/"));
    call.form(proof).bearer(&person.access).send().await
}

async fn journal(app: &TestApp, person: &Person) -> Vec<String> {
    let account = app.account_id(&person.email).await;
    let lines = app.store.journal_of(account).await.unwrap().into_iter();
    lines
        .map(|line| line.event)
        .filter(|event| event.starts_with("passkey"))
        .collect()
}

/// The subjects of the person's last mails.
async fn last_mails(app: &TestApp, person: &Person, count: usize) -> Vec<String> {
    let mails = app.sent_mails().await.into_iter();
    let own: Vec<_> = mails.filter(|mail| mail.to == person.email).collect();
    own[own.len() - count..]
        .iter()
        .map(|mail| mail.subject.clone())
        .collect()
}
