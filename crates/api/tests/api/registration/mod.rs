//! Becoming a customer: what the form says, the code that opens at once, and the mailed link for everybody else.

mod address;
mod form;
mod key;
mod link;

use std::collections::BTreeMap;
use testkit::{Answer, TestApp};

type Fields<'a> = Vec<(&'a str, &'a str)>;

/// Changes a form's field, or adds it.
fn with<'a>(mut form: Fields<'a>, name: &'a str, value: &'a str) -> Fields<'a> {
    form.retain(|(field, _)| *field != name);
    form.push((name, value));
    form
}

fn electrician<'a>(app: &TestApp, email: &'a str) -> Fields<'a> {
    let form = with(app.owner_form(email, ""), "role", "electrician");
    with(form, "company", "Elektro Sonnenberg")
}

async fn register(app: &TestApp, form: &[(&str, &str)]) -> Answer {
    app.post("/api/auth/register/", form).send().await
}

async fn confirm(app: &TestApp, token: &str) -> Answer {
    app.post("/api/auth/register/confirm/", &[("token", token)])
        .send()
        .await
}

/// The codes of every wrong field.
fn codes(answer: &Answer) -> BTreeMap<String, Vec<String>> {
    serde_json::from_value(answer.json()["codes"].clone()).unwrap()
}

fn wrong(field: &str, code: &str) -> BTreeMap<String, Vec<String>> {
    [(field.to_owned(), vec![code.to_owned()])].into()
}
