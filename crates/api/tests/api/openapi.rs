//! The OpenAPI document: what the authorisation table adds to every call.
#![allow(clippy::unwrap_used)]
use serde_json::Value;

fn document() -> Value {
    serde_json::to_value(api::openapi()).unwrap()
}

/// Method, path and description of every call.
fn calls(document: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, calls)| {
        let calls = calls.as_object().unwrap();
        let named = move |(method, call)| (format!("{method} {path}"), call);
        calls.iter().map(named)
    })
}

/// The names of the accepted credentials; empty for calls without authentication.
fn credentials(call: &Value) -> Vec<&str> {
    let all = call["security"].as_array().into_iter().flatten();
    all.flat_map(|one| one.as_object().unwrap().keys().map(String::as_str))
        .collect()
}

#[test]
fn who_may_call_says_with_what_they_prove_it() {
    let document = document();
    let schemes = document["components"]["securitySchemes"]
        .as_object()
        .unwrap();
    let of = |name: &str| {
        let mut calls = calls(&document);
        let (_, call) = calls.find(|(call, _)| call == name).unwrap();
        credentials(call)
    };
    assert!(of("post /api/auth/token/").is_empty());
    assert_eq!(of("get /api/auth/data/"), ["person"]);
    assert_eq!(of("get /api/partner/v1/live/"), ["partner"]);
    assert_eq!(of("get /api/v1/image/{sha256}"), ["battery"]);
    for (name, call) in calls(&document) {
        for credential in credentials(call) {
            assert!(schemes.contains_key(credential), "{name}: {credential}");
        }
    }
}

#[test]
fn the_refusals_before_a_handler_are_described_at_every_call_that_they_can_meet() {
    let document = document();
    let mut guarded = 0;
    for (name, call) in calls(&document) {
        let responses = call["responses"].as_object().unwrap();
        let mut expected = Vec::new();
        if !credentials(call).is_empty() {
            guarded += 1;
            expected.extend(["401", "403", "503"]);
        }
        if call.get("requestBody").is_some() {
            expected.extend(["400", "408", "413"]);
        }
        if name.contains('{') {
            expected.extend(["400", "404"]);
        }
        for status in expected {
            let body = &responses[status]["content"]["application/json"]["schema"];
            assert!(body.is_object(), "{name} does not describe {status}");
        }
    }
    assert!(guarded > 50, "{guarded}");
}

#[test]
fn every_reference_leads_somewhere() {
    fn check(value: &Value, document: &Value) {
        if let Some(reference) = value.get("$ref").and_then(Value::as_str) {
            let target = reference.trim_start_matches('#');
            assert!(document.pointer(target).is_some(), "{reference}");
        }
        match value {
            Value::Array(all) => all.iter().for_each(|one| check(one, document)),
            Value::Object(all) => all.values().for_each(|one| check(one, document)),
            _ => {}
        }
    }
    let document = document();
    check(&document, &document);
}
