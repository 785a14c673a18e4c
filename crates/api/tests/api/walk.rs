//! The walk: every call of the OpenAPI document × every kind of caller, with valid bodies. An allowed cell must
//! answer 2xx, a refused one 401 or 403; a call without a row here fails.
#![allow(clippy::unwrap_used)]
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::alarm::Kind as AlarmKind;
use domain::totp::STEP;
use std::collections::BTreeSet;
use testkit::http::Call;
use testkit::{PASSWORD, Person, TestApp, on_both, with_app};

/// Who may make which call, written down a second time on purpose: a change of the server's table must be meant.
/// g guest, o owner, u owner without systems, e electrician without a grant, p partner with every scope. E: the call is an
/// electrician's, but without a grant there is no such system.
const MATRIX: &[(&str, &str, &str)] = &[
    ("POST", "/api/auth/token/", "gouep"),
    ("POST", "/api/auth/token/refresh/", "gouep"),
    ("POST", "/api/auth/logout/", "oue"),
    ("POST", "/api/auth/register/", "gouep"),
    ("POST", "/api/auth/register/confirm/", "gouep"),
    ("POST", "/api/auth/password_reset/", "gouep"),
    ("POST", "/api/auth/password_reset/confirm/", "gouep"),
    ("GET", "/api/auth/account/", "oue"),
    ("PATCH", "/api/auth/account/", "oe"),
    ("DELETE", "/api/auth/account/", "oue"),
    ("GET", "/api/auth/account/export/", "oue"),
    ("POST", "/api/auth/account/email/confirm/", "gouep"),
    ("POST", "/api/auth/account/totp/", "oe"),
    ("POST", "/api/auth/account/totp/confirm/", "oe"),
    ("DELETE", "/api/auth/account/totp/", "oe"),
    ("POST", "/api/auth/account/totp/recovery/", "oe"),
    ("GET", "/api/auth/usr_sn/", "oue"),
    ("POST", "/api/auth/usr_sn/", "ou"),
    ("GET", "/api/auth/usr_sn/claims/", "ou"),
    ("DELETE", "/api/auth/usr_sn/{sn}/", "o"),
    ("GET", "/api/auth/system/{sn}/", "oE"),
    ("PATCH", "/api/auth/system/{sn}/", "oE"),
    ("POST", "/api/auth/system/{sn}/replace/", "oE"),
    ("GET", "/api/auth/data/", "oe"),
    ("GET", "/api/auth/stream/", "oe"),
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
    ("POST", "/api/auth/alarm/mail/", "oe"),
    ("GET", "/api/v1/has_update", "oE"),
    ("POST", "/api/v1/update/", "oE"),
    ("GET", "/api/v1/history/", "oE"),
    // Batteries alone.
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
    ("GET", "/api/auth/partner/", "o"),
    ("POST", "/api/auth/partner/", "o"),
    ("DELETE", "/api/auth/partner/{id}/", "o"),
    ("GET", "/api/partner/client/", "gouep"),
    ("POST", "/api/partner/token/", "gouep"),
    ("GET", "/api/partner/v1/systems/", "p"),
    ("GET", "/api/partner/v1/live/", "p"),
    ("GET", "/config.json", "gouep"),
    ("GET", "/healthz", "gouep"),
    ("GET", "/readyz", "gouep"),
    ("GET", "/metrics", "gouep"),
];

const CALLERS: &str = "gouep";
const TEMPLATE: [(&str, &str); 2] = [("name", "Winter"), ("reserve_soc", "30")];
const REDIRECT: &str = "https://app.test/back";
const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-long";

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
    let rules: BTreeSet<_> = api::access::RULES
        .iter()
        .map(|rule| row(rule.method, rule.path))
        .collect();
    let matrix: BTreeSet<_> = MATRIX
        .iter()
        .map(|(method, path, _)| row(method, path))
        .collect();
    assert_eq!(served, matrix);
    // The document itself is served beside what it documents.
    served.insert(row("GET", "/api/openapi.json"));
    assert_eq!(served, rules);
}

on_both!(every_caller_gets_what_the_matrix_says, |db| {
    let app = TestApp::start(db).await;
    let mut world = World::new(&app).await;
    for (method, path, allowed) in MATRIX {
        for caller in CALLERS.chars() {
            let token = world.token(&app, caller).await;
            let answer = world.call(&app, method, path, caller).await;
            let call = token
                .iter()
                .fold(answer, |call, token| call.clone().bearer(token));
            // A stream has no end to wait for: its head says who may open it.
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
    let mut world = World::new(app).await;
    let token = world.token(app, 'p').await.unwrap();
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

/// Makes callers and valid requests. Destructive calls get a caller of their own, so everybody is always fresh.
struct World {
    count: usize,
    /// Whom [`World::token`] has made last.
    last: Option<Person>,
}

impl World {
    async fn new(app: &TestApp) -> Self {
        let redirects = [REDIRECT.to_owned()];
        app.store
            .register_partner("app", "App", &redirects, app.clock.now())
            .await
            .unwrap();
        Self {
            count: 0,
            last: None,
        }
    }

    fn fresh(&mut self) -> (String, String) {
        self.count += 1;
        (
            format!("person{}", self.count),
            format!("WALK{:05}", self.count),
        )
    }

    async fn token(&mut self, app: &TestApp, caller: char) -> Option<String> {
        let (name, sn) = self.fresh();
        self.last = match caller {
            'o' => Some(app.owner(&name, &sn).await),
            'u' => Some(app.unlinked(&name, &sn).await),
            'e' => Some(app.electrician(&name).await),
            _ => None,
        };
        match caller {
            'p' => Some(self.partner_token(app).await),
            _ => self.last.as_ref().map(|person| person.access.clone()),
        }
    }

    /// The consent screen's call and the code it leads to.
    async fn code(&mut self, app: &TestApp) -> String {
        let (name, sn) = self.fresh();
        let owner = app.owner(&name, &sn).await;
        let answer = app
            .post("/api/auth/partner/", &consent())
            .bearer(&owner.access)
            .send()
            .await
            .expect(200)
            .json();
        let redirect = answer["redirect"].as_str().unwrap();
        redirect
            .split_once("code=")
            .unwrap()
            .1
            .split('&')
            .next()
            .unwrap()
            .to_owned()
    }

    async fn partner_token(&mut self, app: &TestApp) -> String {
        let code = self.code(app).await;
        let answer = app
            .post("/api/partner/token/", &exchange(&code))
            .from(&self.address())
            .send()
            .await
            .expect(200);
        answer.json()["access_token"].as_str().unwrap().to_owned()
    }

    fn address(&self) -> String {
        testkit::world::own_address(&format!("walk{}", self.count))
    }

    /// A request that is valid for a caller who may make it; `caller` has just been made by [`World::token`].
    async fn call(&mut self, app: &TestApp, method: &str, path: &str, caller: char) -> Call {
        let (own_name, own_sn) = (
            format!("person{}", self.count),
            format!("WALK{:05}", self.count),
        );
        let call = |path: &str| match path.starts_with("/api/v1/") {
            true => Call::new(app.updates, method.parse().unwrap(), path),
            false => app.call(method, path),
        };
        let with = match (method, path) {
            ("POST", "/api/auth/token/") => {
                let (name, sn) = self.fresh();
                let owner = app.owner(&name, &sn).await;
                call(path).form(&[("email", &owner.email), ("password", PASSWORD)])
            }
            ("POST", "/api/auth/token/refresh/") => {
                let (name, sn) = self.fresh();
                call(path).form(&[("refresh", &app.owner(&name, &sn).await.refresh)])
            }
            ("POST", "/api/auth/register/") => {
                let (name, sn) = self.fresh();
                let code = app.code(&[&app.device(&sn).await]).await;
                call(path).form(&app.owner_form(&format!("{name}@example.com"), &code))
            }
            ("POST", "/api/auth/register/confirm/") => {
                let (name, sn) = self.fresh();
                app.device(&sn).await;
                let email = format!("{name}@example.com");
                let form = app.owner_form(&email, &sn);
                app.post("/api/auth/register/", &form)
                    .from(&self.address())
                    .send()
                    .await
                    .expect(202);
                call(path).form(&[("token", &app.mailed(&email, "confirm").await)])
            }
            ("POST", "/api/auth/password_reset/") => {
                call(path).form(&[("email", "somebody@example.com")])
            }
            ("POST", "/api/auth/password_reset/confirm/") => {
                let (name, sn) = self.fresh();
                let email = app.owner(&name, &sn).await.email;
                app.post("/api/auth/password_reset/", &[("email", &email)])
                    .from(&self.address())
                    .send()
                    .await;
                let token = app.mailed(&email, "token").await;
                call(path).form(&[
                    ("token", &token),
                    ("password", PASSWORD),
                    ("password2", PASSWORD),
                ])
            }
            ("PATCH", "/api/auth/account/") => call(path).form(&[("language", "fr")]),
            ("DELETE", "/api/auth/account/") => call(path).form(&[("password", PASSWORD)]),
            ("POST", "/api/auth/account/email/confirm/") => {
                let (name, sn) = self.fresh();
                let owner = app.owner(&name, &sn).await;
                let new = format!("{name}.new@example.com");
                let change = [("email", new.as_str()), ("password", PASSWORD)];
                app.call("PATCH", "/api/auth/account/")
                    .form(&change)
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(200);
                call(path).form(&[("token", &app.mailed(&new, "email").await)])
            }
            ("POST", "/api/auth/account/totp/") => call(path).form(&[("password", PASSWORD)]),
            (_, path) if path.starts_with("/api/auth/account/totp/") => {
                let now = app.clock.now();
                let code = match &self.last {
                    Some(person) if !matches!(caller, 'o' | 'e') => person.email.clone(),
                    Some(person) if path.ends_with("/confirm/") => {
                        app.begin_totp(person).await.code(now)
                    }
                    // The code of this moment was used to confirm it.
                    Some(person) => app.enable_totp(person).await.code(now + STEP),
                    None => String::new(),
                };
                call(path).form(&[("password", PASSWORD), ("totp", &code)])
            }
            ("POST", "/api/auth/usr_sn/") => {
                let (_, sn) = self.fresh();
                app.device(&sn).await;
                call(path).form(&[("keys", &sn)])
            }
            ("DELETE", "/api/auth/usr_sn/{sn}/") => call(&format!("/api/auth/usr_sn/{own_sn}/")),
            ("GET", "/api/auth/system/{sn}/") => call(&format!("/api/auth/system/{own_sn}/")),
            ("PATCH", "/api/auth/system/{sn}/") => call(&format!("/api/auth/system/{own_sn}/"))
                .form(&[("first_name", "Anna"), ("last_name", "Berg")]),
            ("POST", "/api/auth/system/{sn}/replace/") => {
                let (_, sn) = self.fresh();
                let code = app.code(&[&app.device(&sn).await]).await;
                call(&format!("/api/auth/system/{own_sn}/replace/")).form(&[("key", &code)])
            }
            ("POST", "/api/auth/group/") => {
                // An electrician without a grant has no system to name.
                let sn = if caller == 'e' { "" } else { own_sn.as_str() };
                call(path).form(&[("name", "Keller"), ("sn", sn)])
            }
            (_, "/api/auth/group/{id}/") if matches!(caller, 'o' | 'e') => {
                let person = app
                    .log_in(&format!("{own_name}@example.com"), caller == 'e')
                    .await;
                let made = app
                    .post("/api/auth/group/", &[("name", "Keller")])
                    .bearer(&person.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!("/api/auth/group/{}/", made["id"])).form(&[("name", "Dach")])
            }
            (_, "/api/auth/group/{id}/") => call("/api/auth/group/1/"),
            ("POST", "/api/auth/tariff/") => call(path).form(&[
                ("sn", own_sn.as_str()),
                ("import_price", "31,90"),
                ("feed_in_price", "7.94"),
            ]),
            ("POST", "/api/auth/price/") => {
                call(path).form(&[("sn", own_sn.as_str()), ("steps", "workdays/00:00/31,90")])
            }
            ("POST", "/api/auth/plan/") => {
                call(path).form(&[("sn", own_sn.as_str()), ("soc", "70"), ("by", "18:00")])
            }
            ("GET", "/api/auth/forecast/" | "/api/auth/plan/") => {
                call(&format!("{path}?sn={own_sn}"))
            }
            ("GET", "/api/auth/tariff/" | "/api/auth/price/" | "/api/auth/savings/") => {
                call(&format!("{path}?sn={own_sn}"))
            }
            ("GET", "/api/auth/alarm/") => call(&format!("{path}?sn={own_sn}")),
            ("POST", "/api/auth/alarm/") => {
                let id = app.alarm(&own_sn, AlarmKind::Offline).await.to_string();
                call(path).form(&[("id", &id)])
            }
            ("POST", "/api/auth/alarm/mail/") => call(path).form(&[("mail", "digest")]),
            ("GET", "/api/v1/has_update" | "/api/v1/history/") => {
                call(&format!("{path}?sn={own_sn}"))
            }
            ("POST", "/api/v1/update/") => {
                call(path).multipart(&[("sn", &own_sn), ("update", "0")])
            }
            ("GET", "/api/v1/image/{sha256}") => call("/api/v1/image/0"),
            ("POST", "/api/auth/grant/") => call(path).form(&invitation(&own_sn)),
            (_, "/api/auth/grant/{id}/") if caller == 'o' => {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                let made = app
                    .post("/api/auth/grant/", &invitation(&own_sn))
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!("/api/auth/grant/{}/", made["grants"][0]["id"]))
                    .form(&[("scope", "configure")])
            }
            (_, "/api/auth/grant/{id}/") => call("/api/auth/grant/1/"),
            ("POST", "/api/auth/grant/{id}/accept/") if caller == 'e' => {
                let (name, sn) = self.fresh();
                let owner = app.owner(&name, &sn).await;
                let email = format!("{own_name}@example.com");
                let fields = [("sn", sn.as_str()), ("email", &email), ("scope", "monitor")];
                let made = app
                    .post("/api/auth/grant/", &fields)
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!(
                    "/api/auth/grant/{}/accept/",
                    made["grants"][0]["id"]
                ))
            }
            ("POST", "/api/auth/grant/{id}/accept/") => call("/api/auth/grant/1/accept/"),
            ("POST", "/api/auth/grant/request/") => call(path).form(&[("sn", "SC123456")]),
            ("POST", "/api/auth/grant/code/") => {
                let (_, sn) = self.fresh();
                let code = app.installer_code(&[&app.device(&sn).await]).await;
                call(path).form(&[("code", &code)])
            }
            ("POST", "/api/auth/grant/handover/") => call(path).form(&handover(&own_sn)),
            ("DELETE", "/api/auth/grant/handover/{id}/") if caller == 'o' => {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                let made = app
                    .post("/api/auth/grant/handover/", &handover(&own_sn))
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!("/api/auth/grant/handover/{}/", made["id"]))
            }
            ("DELETE", "/api/auth/grant/handover/{id}/") => call("/api/auth/grant/handover/1/"),
            (_, "/api/auth/commissioning/protocol/{id}/")
            | (_, "/api/auth/commissioning/protocol/{id}/pdf/")
                if caller == 'o' =>
            {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                let installer = app.electrician(&format!("installer-of-{own_name}")).await;
                app.grant(&owner, &installer, &own_sn, "service").await;
                let id = app.commission(&installer, &app.battery(&own_sn)).await;
                call(&path.replace("{id}", &id.to_string()))
            }
            ("POST", "/api/auth/commissioning/") => call(path).form(&[("sn", own_sn.as_str())]),
            ("GET", "/api/auth/commissioning/" | "/api/auth/commissioning/protocol/") => {
                call(&format!("{path}?sn={own_sn}"))
            }
            (_, path) if path.starts_with("/api/auth/commissioning/") => {
                call(&path.replace("{id}", "1"))
            }
            ("POST", "/api/auth/partner/") => call(path).form(&consent()),
            ("DELETE", "/api/auth/partner/{id}/") if caller == 'o' => {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                app.post("/api/auth/partner/", &consent())
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(200);
                let consents = app
                    .get("/api/auth/partner/")
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(200)
                    .json();
                call(&format!("/api/auth/partner/{}/", consents[0]["id"]))
            }
            ("DELETE", "/api/auth/partner/{id}/") => call("/api/auth/partner/1/"),
            ("GET", "/api/partner/client/") => {
                call(&format!("{path}?client_id=app&redirect_uri={REDIRECT}"))
            }
            ("POST", "/api/partner/token/") => {
                let code = self.code(app).await;
                call(path).form(&exchange(&code))
            }
            (
                "GET",
                "/api/auth/graph/"
                | "/api/auth/energy_chart/"
                | "/api/auth/export/"
                | "/api/auth/settings/"
                | "/api/auth/journal/",
            ) => call(&format!("{path}?sn={own_sn}")),
            ("POST", "/api/auth/settings/") => {
                let fields = [("version", "0"), ("reserve_soc", "20")];
                call(&format!("{path}?sn={own_sn}")).form(&fields)
            }
            ("POST", "/api/auth/settings/reset/") => {
                call(&format!("{path}?sn={own_sn}")).form(&[("version", "0")])
            }
            ("POST", "/api/auth/settings/batch/") => {
                let fields = [("version", "0"), ("reserve_soc", "20")];
                call(&format!("{path}?sn={own_sn}")).form(&fields)
            }
            ("POST", "/api/auth/settings/batch/{id}/undo/") => {
                call("/api/auth/settings/batch/0123456789abcdef01234567/undo/").form(&[])
            }
            ("POST", "/api/auth/settings/template/") => call(path).form(&TEMPLATE),
            (_, "/api/auth/settings/template/{id}/") if caller == 'e' => {
                let eva = app.log_in(&format!("{own_name}@example.com"), true).await;
                let made = app
                    .post("/api/auth/settings/template/", &TEMPLATE)
                    .bearer(&eva.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!("/api/auth/settings/template/{}/", made["id"]))
                    .form(&[("name", "Frost")])
            }
            (_, "/api/auth/settings/template/{id}/") => call("/api/auth/settings/template/1/"),
            ("POST", "/api/auth/command/") => call(path).form(&command(&own_sn)),
            ("GET", "/api/auth/command/{id}/") if caller == 'o' => {
                let owner = app.log_in(&format!("{own_name}@example.com"), false).await;
                let given = app
                    .post("/api/auth/command/", &command(&own_sn))
                    .bearer(&owner.access)
                    .send()
                    .await
                    .expect(201)
                    .json();
                call(&format!(
                    "/api/auth/command/{}/",
                    given["id"].as_str().unwrap()
                ))
            }
            ("GET", "/api/auth/command/{id}/") => call("/api/auth/command/none/"),
            // Figures are for the machine itself.
            ("GET", "/metrics") => return call(path),
            _ => call(path),
        };
        with.from(&self.address())
    }
}

fn invitation(sn: &str) -> [(&'static str, &str); 3] {
    [
        ("sn", sn),
        ("email", "elektro@example.com"),
        ("scope", "monitor"),
    ]
}

fn handover(sn: &str) -> [(&'static str, &str); 3] {
    [
        ("sn", sn),
        ("email", "next@example.com"),
        ("password", PASSWORD),
    ]
}

fn command(sn: &str) -> [(&'static str, &str); 3] {
    [
        ("sn", sn),
        ("command", "auto"),
        ("key", "a-key-of-the-walk"),
    ]
}

fn consent() -> [(&'static str, &'static str); 6] {
    [
        ("client_id", "app"),
        ("redirect_uri", REDIRECT),
        ("code_challenge", challenge()),
        ("code_challenge_method", "S256"),
        ("scope", "systems live"),
        ("state", "xyz"),
    ]
}

fn challenge() -> &'static str {
    static CHALLENGE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    CHALLENGE.get_or_init(|| {
        BASE64.encode(ring::digest::digest(
            &ring::digest::SHA256,
            VERIFIER.as_bytes(),
        ))
    })
}

fn exchange(code: &str) -> [(&'static str, &str); 5] {
    [
        ("grant_type", "authorization_code"),
        ("client_id", "app"),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
        ("code", code),
    ]
}
