//! Every call with forms and queries that no page sends: a parameter twice, values of any kind, fields that nobody asked for.
use super::MATRIX;
use super::callers::Callers;
use serde_json::Value;
use testkit::http::Call;
use testkit::{TestApp, on_both};

/// What people never type. Each is tried as the value of each parameter.
const ODD: [&str; 8] = [
    "",
    "\0",
    "-1",
    "99999999999999999999",
    "NaN",
    "2026-02-30",
    "'; DROP TABLE accounts; --",
    "ä\u{202e}\r\nX: y,,%,\u{1f600}",
];

/// Words that no refusal contains.
const INTERNAL: [&str; 6] = ["sqlx", "SELECT", "syntax", "panicked", "src/", "crates/"];

/// The parameters of a call in the API's document.
struct Parameters {
    query: Vec<String>,
    form: Vec<String>,
}

impl Parameters {
    fn of(document: &Value, method: &str, path: &str) -> Self {
        let call = &document["paths"][path][method.to_lowercase()];
        let parameters = call["parameters"].as_array().into_iter().flatten();
        let query = parameters.filter(|parameter| parameter["in"] == "query");
        let form = &call["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"];
        let form = match form["$ref"].as_str() {
            Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => form,
        };
        let fields = form["properties"].as_object().into_iter().flatten();
        Self {
            query: query
                .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
                .collect(),
            form: fields.map(|(name, _)| name.clone()).collect(),
        }
    }
}

fn encode(fields: &[(String, String)]) -> String {
    serde_urlencoded::to_string(fields).unwrap()
}

/// The fields with another value of one of them.
fn with(fields: &[(String, String)], name: &str, value: &str) -> String {
    let mut fields: Vec<_> = fields.to_vec();
    fields.retain(|(other, _)| other != name);
    fields.push((name.to_owned(), value.to_owned()));
    encode(&fields)
}

/// The kind of caller that may make the call; somebody who gets a 404 if only electricians with a grant may.
fn permitted(allowed: &str) -> char {
    let mut kinds = "oepg".chars();
    kinds.find(|kind| allowed.contains(*kind)).unwrap_or('e')
}

/// A valid request of a new caller, and who they are.
async fn valid(
    app: &TestApp,
    callers: &mut Callers,
    (method, path, allowed): (&str, &str, &str),
) -> (Call, String) {
    let kind = permitted(allowed);
    let token = callers.token(app, kind, true).await;
    let call = callers.call(app, method, path, kind).await;
    let call = token.iter().fold(call, |call, token| call.bearer(token));
    (call, format!("{method} {path} as {kind}"))
}

on_both!(no_call_takes_a_parameter_twice, |db| {
    let app = TestApp::start(db).await;
    let mut callers = Callers::new(&app).await;
    let document = serde_json::to_value(api::openapi()).unwrap();
    for row @ (method, path, allowed) in MATRIX {
        let parameters = Parameters::of(&document, method, path);
        if *path == "/api/auth/stream/" || allowed.is_empty() {
            continue;
        }
        let mut twice = Vec::new();
        if !parameters.query.is_empty() {
            twice.push((true, "query"));
        }
        if !parameters.form.is_empty() {
            twice.push((false, "form"));
        }
        for (in_query, place) in twice {
            let (call, who) = valid(&app, &mut callers, *row).await;
            let doubled = |fields: Vec<(String, String)>| {
                let rest = encode(&fields);
                format!("{rest}&twice=1&twice=1")
            };
            let call = match in_query {
                true => {
                    let fields = call.query_fields();
                    call.query(&doubled(fields))
                }
                false => {
                    let fields = call.form_fields();
                    call.raw(&doubled(fields))
                }
            };
            let answer = call.send().await;
            // Who has no such system learns nothing else.
            let unknown = allowed.contains('E') && answer.status == 404;
            let cell = format!("{who}, {place}: {} {}", answer.status, answer.text);
            assert!(answer.status == 400 || unknown, "{cell}");
        }
    }
    app.stop().await;
});

on_both!(no_value_makes_the_server_fail_or_talk, |db| {
    let app = TestApp::start(db).await;
    let mut callers = Callers::new(&app).await;
    let document = serde_json::to_value(api::openapi()).unwrap();
    for row @ (method, path, allowed) in MATRIX {
        let parameters = Parameters::of(&document, method, path);
        if *path == "/api/auth/stream/" || allowed.is_empty() {
            continue;
        }
        let (valid, who) = valid(&app, &mut callers, *row).await;
        let (query, form) = (valid.query_fields(), valid.form_fields());
        let mut odd = Vec::new();
        for value in ODD {
            for name in &parameters.query {
                odd.push(valid.clone().query(&with(&query, name, value)));
            }
            for name in &parameters.form {
                odd.push(valid.clone().raw(&with(&form, name, value)));
            }
        }
        for body in ["%", "=&=", "a=%FF", "\u{0}"] {
            if !parameters.form.is_empty() {
                odd.push(valid.clone().raw(body));
            }
        }
        for (number, call) in odd.into_iter().enumerate() {
            let sent = format!("{who}: {call:?}");
            // Limits by address would hide what the server does with the value.
            let from = format!("100.64.{}.{}", number / 250, number % 250);
            let answer = call.from(&from).send().await;
            let said = format!("{sent}: {} {}", answer.status, answer.text);
            assert!(answer.status.as_u16() < 500, "{said}");
            if !answer.status.is_success() {
                assert!(
                    INTERNAL.iter().all(|word| !answer.text.contains(word)),
                    "{said}"
                );
            }
        }
    }
    app.stop().await;
});

on_both!(fields_that_nobody_asked_for_change_nothing, |db| {
    let app = TestApp::start(db).await;
    let mut callers = Callers::new(&app).await;
    let document = serde_json::to_value(api::openapi()).unwrap();
    let victim = app.owner("victim", "VICTIM01").await;
    let id = app.account_id(&victim.email).await.to_string();
    let rows = async || {
        let about = |row: &String| row.contains("victim@") || row.contains("VICTIM01");
        let tables = db.dump().await.into_iter();
        let tables = tables.filter(|(table, _)| ["accounts", "systems"].contains(&table.as_str()));
        tables
            .flat_map(|(_, rows)| rows)
            .filter(about)
            .collect::<Vec<_>>()
    };
    let before = rows().await;
    assert_eq!(before.len(), 2);
    let asked_by_nobody = [
        ("id", id.as_str()),
        ("account_id", &id),
        ("owner_id", &id),
        ("owner", &id),
        ("company_id", "1"),
        ("company_role", "owner"),
        ("role", "electrician"),
        ("level", "owner"),
        ("sn", "VICTIM01"),
        ("locked_at", "1"),
        ("email_confirmed_at", "1"),
    ];
    for row @ (method, path, allowed) in MATRIX {
        let parameters = Parameters::of(&document, method, path);
        let kind = permitted(allowed);
        if parameters.form.is_empty() || allowed.contains('E') && kind == 'e' {
            continue;
        }
        let (call, who) = valid(&app, &mut callers, *row).await;
        let person = callers.current.person.clone();
        let account = async || match &person {
            Some(person) => {
                app.store
                    .account_by_email(&person.email.parse().unwrap())
                    .await
            }
            None => Ok(None),
        };
        let was = account().await.unwrap();
        let mut fields = call.form_fields();
        for (name, value) in asked_by_nobody {
            let is_asked_for = parameters.form.iter().any(|known| known == name);
            if !is_asked_for && !fields.iter().any(|(given, _)| given == name) {
                fields.push((name.to_owned(), value.to_owned()));
            }
        }
        let answer = call.raw(&encode(&fields)).send().await;
        let cell = format!("{who}: {} {}", answer.status, answer.text);
        assert!(answer.status.is_success(), "{cell}");
        if let (Some(was), Some(is)) = (was, account().await.unwrap()) {
            let place = |account: &store::account::Account| {
                let company = (account.company_id, account.company_role.clone());
                (account.id, account.role.clone(), company, account.locked_at)
            };
            assert_eq!(place(&is), place(&was), "{cell}");
        }
        assert_eq!(rows().await, before, "{cell}");
    }
    app.stop().await;
});
