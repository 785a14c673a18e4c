//! Becoming a customer: the form, the code that works at once, and the mailed link for everyone else.

mod address;
mod form;
mod key;
mod link;

use std::collections::BTreeMap;
use testkit::{TestApp, TestResponse};

type Fields<'a> = Vec<(&'a str, &'a str)>;

/// Sets a field of a form, or adds it.
fn with<'a>(mut form: Fields<'a>, name: &'a str, value: &'a str) -> Fields<'a> {
    form.retain(|(field, _)| *field != name);
    form.push((name, value));
    form
}

fn electrician<'a>(app: &TestApp, email: &'a str) -> Fields<'a> {
    let form = with(app.owner_form(email, ""), "role", "electrician");
    with(form, "company", "Elektro Sonnenberg")
}

async fn register(app: &TestApp, form: &[(&str, &str)]) -> TestResponse {
    app.post("/api/auth/register/", form).send().await
}

async fn confirm(app: &TestApp, token: &str) -> TestResponse {
    app.post("/api/auth/register/confirm/", &[("token", token)])
        .send()
        .await
}

/// The error codes of every wrong field.
fn codes(answer: &TestResponse) -> BTreeMap<String, Vec<String>> {
    serde_json::from_value(answer.json()["codes"].clone()).unwrap()
}

fn wrong(field: &str, code: &str) -> BTreeMap<String, Vec<String>> {
    [(field.to_owned(), vec![code.to_owned()])].into()
}
