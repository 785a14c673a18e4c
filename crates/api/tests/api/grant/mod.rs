//! Grants for other people's systems: by invitation, by request or by code; changed, renewed and ended.

mod invitation;
mod price;
mod request;
mod scope;
mod several;
mod term;

use serde_json::Value;
use testkit::{PASSWORD, Person, TestApp, TestResponse};

async fn get(app: &TestApp, person: &Person, path: &str) -> TestResponse {
    app.get(path).bearer(&person.access).send().await
}

async fn post(app: &TestApp, person: &Person, path: &str, fields: &[(&str, &str)]) -> TestResponse {
    app.post(path, fields).bearer(&person.access).send().await
}

async fn change(app: &TestApp, person: &Person, id: i64, fields: &[(&str, &str)]) -> TestResponse {
    let call = app.call("PATCH", &format!("/api/auth/grant/{id}/"));
    let fields = [fields, &[("password", PASSWORD)]].concat();
    call.form(&fields).bearer(&person.access).send().await
}

async fn end(app: &TestApp, person: &Person, id: i64) -> TestResponse {
    let call = app.call("DELETE", &format!("/api/auth/grant/{id}/"));
    call.bearer(&person.access).send().await
}

async fn list(app: &TestApp, person: &Person, side: &str) -> Vec<Value> {
    let grants = get(app, person, "/api/auth/grant/").await.expect(200);
    grants.json()[side].as_array().unwrap().clone()
}

async fn invite(app: &TestApp, owner: &Person, sn: &str, email: &str, scope: &str) -> TestResponse {
    let fields = [
        ("sn", sn),
        ("email", email),
        ("scope", scope),
        ("password", PASSWORD),
    ];
    post(app, owner, "/api/auth/grant/", &fields).await
}

async fn ask(app: &TestApp, person: &Person, sn: &str) -> TestResponse {
    post(app, person, "/api/auth/grant/request/", &[("sn", sn)]).await
}

/// Serial numbers with the caller's access to each.
async fn systems(app: &TestApp, person: &Person) -> Vec<(String, String)> {
    let systems = get(app, person, "/api/auth/usr_sn/").await.expect(200);
    let text = |system: &Value, name: &str| system[name].as_str().unwrap().to_owned();
    let systems = systems.json().as_array().unwrap().clone();
    systems
        .iter()
        .map(|system| (text(system, "sn"), text(system, "access")))
        .collect()
}

/// Subjects of the mails to a person so far.
async fn subjects(app: &TestApp, to: &Person) -> Vec<String> {
    let mails = app.sent_mails().await.into_iter();
    let own = mails.filter(|mail| mail.to == to.email);
    own.map(|mail| mail.subject).collect()
}

fn wait_until(app: &TestApp, at: i64) {
    app.clock.advance(at - app.clock.now());
}

fn seen(sn: &str, access: &str) -> Vec<(String, String)> {
    vec![(sn.to_owned(), access.to_owned())]
}
