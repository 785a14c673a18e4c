//! The walk: every call of the OpenAPI document × every kind of caller, with valid bodies. An allowed cell must
//! answer 2xx, a refused one 401 or 403; a call without a row here fails.
#![allow(clippy::unwrap_used)]

mod call;
mod callers;
mod inputs;

use callers::Callers;
use std::collections::BTreeSet;
use testkit::{TestApp, on_both, with_app};

/// Who may make which call, deliberately written down a second time: a change of the server's table must be intended. g guest, o
/// owner, u owner without systems, e electrician without a grant (who owns a company), p partner with every scope. E: the call is
/// for electricians, but without a grant the system does not exist. Who works in the company of an electrician without a grant may
/// do the same, but for [`BY_ROLE`].
const MATRIX: &[(&str, &str, &str)] = &[
    ("POST", "/api/auth/token/", "gouep"),
    ("POST", "/api/auth/passkey/options/", "gouep"),
    ("POST", "/api/auth/token/passkey/", "gouep"),
    ("POST", "/api/auth/token/refresh/", "gouep"),
    ("POST", "/api/auth/logout/", "oue"),
    ("POST", "/api/auth/register/", "gouep"),
    ("POST", "/api/auth/register/confirm/", "gouep"),
    ("POST", "/api/auth/register/claims/", "gouep"),
    ("POST", "/api/auth/password_reset/", "gouep"),
    ("POST", "/api/auth/password_reset/confirm/", "gouep"),
    ("GET", "/api/auth/account/", "oue"),
    ("PATCH", "/api/auth/account/", "oe"),
    ("DELETE", "/api/auth/account/", "oue"),
    ("GET", "/api/auth/account/export/", "oue"),
    ("POST", "/api/auth/account/email/confirm/", "gouep"),
    ("GET", "/api/auth/company/", "e"),
    ("POST", "/api/auth/company/invitation/", "e"),
    ("DELETE", "/api/auth/company/invitation/{id}/", "e"),
    ("POST", "/api/auth/company/invitation/open/", "gouep"),
    ("POST", "/api/auth/company/invitation/accept/", "gouep"),
    ("PATCH", "/api/auth/company/member/{id}/", "e"),
    ("DELETE", "/api/auth/company/member/{id}/", "e"),
    ("POST", "/api/auth/account/totp/", "oe"),
    ("POST", "/api/auth/account/totp/confirm/", "oe"),
    ("DELETE", "/api/auth/account/totp/", "oe"),
    ("POST", "/api/auth/account/totp/recovery/", "oe"),
    ("POST", "/api/auth/account/passkey/options/", "oe"),
    ("POST", "/api/auth/account/passkey/", "oe"),
    ("PATCH", "/api/auth/account/passkey/{id}/", "oe"),
    ("DELETE", "/api/auth/account/passkey/{id}/", "oe"),
    ("GET", "/api/auth/usr_sn/", "oue"),
    ("POST", "/api/auth/usr_sn/", "ou"),
    ("GET", "/api/auth/usr_sn/claims/", "ou"),
    ("DELETE", "/api/auth/usr_sn/{sn}/", "o"),
    ("GET", "/api/auth/system/{sn}/", "oE"),
    ("PATCH", "/api/auth/system/{sn}/", "oE"),
    ("POST", "/api/auth/system/{sn}/replace/", "oE"),
    ("GET", "/api/auth/system/{sn}/customer/", "E"),
    ("POST", "/api/auth/system/{sn}/customer/", "E"),
    ("POST", "/api/auth/system/{sn}/customer/photo/", "E"),
    ("GET", "/api/auth/system/{sn}/customer/photo/{id}/", "E"),
    ("DELETE", "/api/auth/system/{sn}/customer/photo/{id}/", "E"),
    ("GET", "/api/auth/data/", "oe"),
    ("GET", "/api/auth/stream/", "oe"),
    ("GET", "/api/auth/unit/", "oe"),
    ("GET", "/api/auth/graph/", "oE"),
    ("GET", "/api/auth/energy_chart/", "oE"),
    ("GET", "/api/auth/export/", "oE"),
    ("GET", "/api/auth/group/", "oe"),
    ("POST", "/api/auth/group/", "oe"),
    ("PATCH", "/api/auth/group/{id}/", "oe"),
    ("DELETE", "/api/auth/group/{id}/", "oe"),
    ("GET", "/api/auth/tariff/", "o"),
    ("POST", "/api/auth/tariff/", "o"),
    ("GET", "/api/auth/price/", "o"),
    ("POST", "/api/auth/price/", "o"),
    ("GET", "/api/auth/savings/", "o"),
    ("GET", "/api/auth/forecast/", "oE"),
    ("GET", "/api/auth/plan/", "o"),
    ("POST", "/api/auth/plan/", "o"),
    ("GET", "/api/auth/settings/", "oE"),
    ("POST", "/api/auth/settings/", "oE"),
    ("POST", "/api/auth/settings/reset/", "oE"),
    ("GET", "/api/auth/settings/batch/", "e"),
    ("POST", "/api/auth/settings/batch/", "E"),
    ("POST", "/api/auth/settings/batch/{id}/undo/", "E"),
    ("GET", "/api/auth/settings/template/", "e"),
    ("POST", "/api/auth/settings/template/", "e"),
    ("PATCH", "/api/auth/settings/template/{id}/", "e"),
    ("DELETE", "/api/auth/settings/template/{id}/", "e"),
    ("POST", "/api/auth/command/", "oE"),
    ("GET", "/api/auth/command/{id}/", "oE"),
    ("GET", "/api/auth/journal/", "oE"),
    ("GET", "/api/auth/alarm/", "oE"),
    ("POST", "/api/auth/alarm/", "oE"),
    ("POST", "/api/auth/alarm/comment/", "oE"),
    ("POST", "/api/auth/alarm/dismiss/", "oE"),
    ("POST", "/api/auth/alarm/mail/", "oe"),
    ("GET", "/api/v1/has_update", "oE"),
    ("POST", "/api/v1/update/", "oE"),
    ("GET", "/api/v1/history/", "oE"),
    // Batteries only.
    ("GET", "/api/v1/image/{sha256}", ""),
    ("GET", "/api/auth/grant/", "oe"),
    ("POST", "/api/auth/grant/", "o"),
    ("PATCH", "/api/auth/grant/{id}/", "o"),
    ("DELETE", "/api/auth/grant/{id}/", "oE"),
    ("POST", "/api/auth/grant/{id}/accept/", "e"),
    ("POST", "/api/auth/grant/request/", "e"),
    ("POST", "/api/auth/grant/code/", "e"),
    ("POST", "/api/auth/grant/handover/", "o"),
    ("DELETE", "/api/auth/grant/handover/{id}/", "o"),
    ("GET", "/api/auth/commissioning/", "E"),
    ("POST", "/api/auth/commissioning/", "E"),
    ("DELETE", "/api/auth/commissioning/{id}/", "E"),
    ("POST", "/api/auth/commissioning/{id}/step/", "E"),
    ("POST", "/api/auth/commissioning/{id}/phase/", "E"),
    ("POST", "/api/auth/commissioning/{id}/finish/", "E"),
    ("GET", "/api/auth/commissioning/protocol/", "oE"),
    ("GET", "/api/auth/commissioning/protocol/{id}/", "oE"),
    ("GET", "/api/auth/commissioning/protocol/{id}/pdf/", "oE"),
    ("POST", "/api/auth/commissioning/protocol/{id}/pdf/", "E"),
    (
        "POST",
        "/api/auth/commissioning/protocol/{id}/customer_code/",
        "E",
    ),
    (
        "DELETE",
        "/api/auth/commissioning/protocol/{id}/customer_code/",
        "E",
    ),
    ("POST", "/api/auth/commissioning/protocol/{id}/mail/", "E"),
    ("GET", "/api/auth/partner/", "o"),
    ("POST", "/api/auth/partner/", "o"),
    ("DELETE", "/api/auth/partner/{id}/", "o"),
    ("GET", "/api/partner/client/", "gouep"),
    ("POST", "/api/partner/token/", "gouep"),
    ("GET", "/api/partner/v1/systems/", "p"),
    ("GET", "/api/partner/v1/live/", "p"),
    ("GET", "/.well-known/security.txt", "gouep"),
    ("GET", "/config.json", "gouep"),
    ("GET", "/healthz", "gouep"),
    ("GET", "/readyz", "gouep"),
    ("GET", "/metrics", "gouep"),
];

const CALLERS: &str = "gouep";

/// The calls that need more than to work in a company: f the office, t technicians may make them, too.
const BY_ROLE: &[(&str, &str, &str)] = &[
    ("GET", "/api/auth/company/", ""),
    ("POST", "/api/auth/company/invitation/", ""),
    ("DELETE", "/api/auth/company/invitation/{id}/", ""),
    ("PATCH", "/api/auth/company/member/{id}/", ""),
    ("DELETE", "/api/auth/company/member/{id}/", ""),
    ("DELETE", "/api/auth/grant/{id}/", "f"),
    ("POST", "/api/auth/grant/{id}/accept/", "f"),
    ("POST", "/api/auth/grant/request/", "f"),
];

#[test]
fn every_call_has_a_row_in_the_authorisation_table_and_in_the_matrix() {
    let document = serde_json::to_value(api::openapi()).unwrap();
    let mut served = BTreeSet::new();
    for (path, calls) in document["paths"].as_object().unwrap() {
        for method in calls.as_object().unwrap().keys() {
            served.insert((method.to_uppercase(), path.clone()));
        }
    }
    let row = |method: &str, path: &str| (method.to_owned(), path.to_owned());
    let table: BTreeSet<_> = api::rights()
        .iter()
        .map(|(method, path, _)| row(method, path))
        .collect();
    let matrix: BTreeSet<_> = MATRIX
        .iter()
        .map(|(method, path, _)| row(method, path))
        .collect();
    assert_eq!(served, matrix);
    assert_eq!(served, table);
}

on_both!(every_caller_gets_what_the_matrix_says, |db| {
    let app = TestApp::start(db).await;
    let mut callers = Callers::new(&app).await;
    for (method, path, allowed) in MATRIX {
        for caller in CALLERS.chars() {
            let changes = *method != "GET" && allowed.contains(caller);
            let token = callers.token(&app, caller, changes).await;
            let answer = callers.call(&app, method, path, caller).await;
            let call = token
                .iter()
                .fold(answer, |call, token| call.clone().bearer(token));
            // A stream never ends, so only its head is read: it shows who may open it.
            let call = match *path {
                "/api/auth/stream/" => call.method("HEAD"),
                _ => call,
            };
            let answer = call.send().await;
            let cell = format!(
                "{method} {path} as {caller}: {} {}",
                answer.status, answer.text
            );
            if allowed.contains(caller) {
                assert!(answer.status.is_success(), "{cell}");
            } else if allowed.contains(caller.to_ascii_uppercase()) {
                assert_eq!(answer.status, 404, "{cell}");
            } else if caller == 'g' {
                assert_eq!(answer.status, 401, "{cell}");
            } else {
                assert_eq!(answer.status, 403, "{cell}");
            }
        }
    }
    app.stop().await;
});

on_both!(a_role_in_a_company_admits_to_what_the_matrix_says, |db| {
    let app = TestApp::start(db).await;
    let mut callers = Callers::new(&app).await;
    for (number, (method, path, allowed)) in MATRIX.iter().enumerate() {
        if !allowed.contains(['e', 'E']) || allowed.contains('g') {
            continue;
        }
        // One alone may not invite so many.
        let owner = app.electrician(&format!("chef{number}")).await;
        let row = BY_ROLE
            .iter()
            .find(|(m, p, _)| (m, p) == (method, path))
            .map_or("ft", |(_, _, roles)| roles);
        for (role, name) in [('f', "office"), ('t', "technician")] {
            let person = callers.colleague(&app, &owner, name).await;
            let call = callers.call(&app, method, path, 'e').await;
            let call = match *path {
                "/api/auth/stream/" => call.method("HEAD"),
                _ => call,
            };
            let answer = call.bearer(&person.access).send().await;
            let cell = format!(
                "{method} {path} as {name}: {} {}",
                answer.status, answer.text
            );
            if !row.contains(role) {
                assert_eq!(answer.status, 403, "{cell}");
            } else if allowed.contains('E') {
                assert_eq!(answer.status, 404, "{cell}");
            } else {
                assert!(answer.status.is_success(), "{cell}");
            }
        }
    }
    app.stop().await;
});

with_app!(
    somebody_elses_serial_number_and_a_missing_one_get_the_same_answer,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        app.owner("ben", "SC000002").await;
        let mut answers = BTreeSet::new();
        for sn in ["SC000002", "SC999999", "no-serial", "%2A"] {
            let command = [("sn", sn), ("command", "auto"), ("key", "a-key-of-anna")];
            for call in [
                app.call("DELETE", &format!("/api/auth/usr_sn/{sn}/")),
                app.get(&format!("/api/auth/system/{sn}/")),
                app.call("PATCH", &format!("/api/auth/system/{sn}/"))
                    .form(&[("first_name", "Anna"), ("last_name", "Berg")]),
                app.post(
                    &format!("/api/auth/system/{sn}/replace/"),
                    &[("key", "SC000003")],
                ),
                app.get(&format!("/api/auth/settings/?sn={sn}")),
                app.get(&format!("/api/auth/settings/?sn=SC000001,{sn}")),
                app.post(
                    &format!("/api/auth/settings/?sn={sn}"),
                    &[("version", "0"), ("reserve_soc", "20")],
                ),
                app.post(
                    &format!("/api/auth/settings/reset/?sn={sn}"),
                    &[("version", "0")],
                ),
                app.post("/api/auth/command/", &command),
                app.get(&format!("/api/auth/command/{sn}/")),
                app.get(&format!("/api/auth/journal/?sn={sn}")),
            ] {
                let answer = call.bearer(&anna.access).send().await.expect(404);
                answers.insert(answer.text);
            }
        }
        assert_eq!(answers.len(), 1);
    }
);

with_app!(a_consent_of_somebody_else_cannot_be_ended, |app| {
    let mut callers = Callers::new(app).await;
    let token = callers.token(app, 'p', true).await.unwrap();
    let anna = app.owner("anna", "SC000001").await;
    for id in 1..5 {
        app.call("DELETE", &format!("/api/auth/partner/{id}/"))
            .bearer(&anna.access)
            .send()
            .await
            .expect(404);
    }
    app.get("/api/partner/v1/systems/")
        .bearer(&token)
        .send()
        .await
        .expect(200);
});
