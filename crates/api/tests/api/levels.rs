//! The walk over systems: every call about systems × everyone who can be related to one × {theirs, someone else's, missing}, with
//! valid bodies. An allowed cell must answer 2xx; a call without a row here fails.
#![allow(clippy::unwrap_used)]
use domain::alarm::AlarmKind;
use domain::grant::GrantScope;
use serde_json::Value;
use service::grant::Invitation;
use std::collections::BTreeSet;
use testkit::http::Call;
use testkit::{PASSWORD, Person, TestApp, TestResponse, on_both};

/// Who may make which call, deliberately written down a second time. o owner, h household member with the owner's rights, l
/// household member who can only look; electricians: m monitor, c configure, s service, f the office of the company with service, e
/// without a grant. A capital letter means 404: for them it does not exist. Not named: 403.
const MATRIX: &[(&str, &str, &str)] = &[
    ("GET", "/api/auth/usr_sn/", "ohlmcfse"),
    ("GET", "/api/auth/data/", "ohlmcfse"),
    ("GET", "/api/auth/stream/", "ohlmcfse"),
    ("GET", "/api/auth/unit/", "ohlmcfse"),
    ("GET", "/api/auth/graph/", "ohlmcfsE"),
    ("GET", "/api/auth/energy_chart/", "ohlmcfsE"),
    ("GET", "/api/auth/export/", "ohlmcfsE"),
    ("GET", "/api/auth/group/", "ohlmcfse"),
    ("POST", "/api/auth/group/", "ohlmcfsE"),
    ("PATCH", "/api/auth/group/{id}/", "ohlmcfsE"),
    ("GET", "/api/auth/tariff/", "ohl"),
    ("POST", "/api/auth/tariff/", "oh"),
    ("GET", "/api/auth/price/", "ohl"),
    ("POST", "/api/auth/price/", "oh"),
    ("GET", "/api/auth/savings/", "ohl"),
    ("GET", "/api/auth/forecast/", "ohlmcfsE"),
    ("GET", "/api/auth/plan/", "ohl"),
    ("POST", "/api/auth/plan/", "oh"),
    ("GET", "/api/auth/settings/", "ohlcfsE"),
    ("POST", "/api/auth/settings/", "ohcfsE"),
    ("POST", "/api/auth/settings/reset/", "ohcfsE"),
    ("GET", "/api/auth/settings/batch/", "mcfse"),
    ("POST", "/api/auth/settings/batch/", "cfsE"),
    ("POST", "/api/auth/settings/batch/{id}/undo/", "MCFSE"),
    ("POST", "/api/auth/command/", "ohsE"),
    ("GET", "/api/auth/journal/", "ohlmcfsE"),
    ("GET", "/api/auth/alarm/", "ohlmcfsE"),
    ("POST", "/api/auth/alarm/", "ohmcfsE"),
    ("POST", "/api/auth/alarm/comment/", "ohmcfsE"),
    ("POST", "/api/auth/alarm/dismiss/", "ohmcfsE"),
    ("GET", "/api/v1/has_update", "ohlmcfsE"),
    ("POST", "/api/v1/update/", "ohsE"),
    ("GET", "/api/v1/history/", "ohlmcfsE"),
    ("GET", "/api/auth/system/{sn}/", "ohlmcfsE"),
    ("PATCH", "/api/auth/system/{sn}/", "ohcfsE"),
    ("POST", "/api/auth/system/{sn}/replace/", "osE"),
    ("GET", "/api/auth/system/{sn}/customer/", "mcfsE"),
    ("POST", "/api/auth/system/{sn}/customer/", "mcfsE"),
    ("POST", "/api/auth/system/{sn}/customer/photo/", "mcfsE"),
    ("GET", "/api/auth/system/{sn}/customer/photo/{id}/", "mcfsE"),
    (
        "DELETE",
        "/api/auth/system/{sn}/customer/photo/{id}/",
        "mcfsE",
    ),
    ("GET", "/api/auth/grant/", "ohlmcfse"),
    ("POST", "/api/auth/grant/", "oh"),
    ("PATCH", "/api/auth/grant/{id}/", "oh"),
    ("DELETE", "/api/auth/grant/{id}/", "ohLMCFSE"),
    ("POST", "/api/auth/grant/handover/", "o"),
    ("GET", "/api/auth/commissioning/", "sE"),
    ("POST", "/api/auth/commissioning/", "sE"),
    ("DELETE", "/api/auth/commissioning/{id}/", "sMCFE"),
    ("POST", "/api/auth/commissioning/{id}/step/", "sMCFE"),
    ("POST", "/api/auth/commissioning/{id}/phase/", "sMCFE"),
    ("POST", "/api/auth/commissioning/{id}/finish/", "sMCFE"),
    ("GET", "/api/auth/commissioning/protocol/", "ohlmcfsE"),
    ("GET", "/api/auth/commissioning/protocol/{id}/", "ohlmcfsE"),
    (
        "GET",
        "/api/auth/commissioning/protocol/{id}/pdf/",
        "ohlmcfsE",
    ),
    (
        "POST",
        "/api/auth/commissioning/protocol/{id}/pdf/",
        "sMCFE",
    ),
    (
        "POST",
        "/api/auth/commissioning/protocol/{id}/mail/",
        "sMCFE",
    ),
    (
        "POST",
        "/api/auth/commissioning/protocol/{id}/customer_code/",
        "sMCFE",
    ),
    (
        "DELETE",
        "/api/auth/commissioning/protocol/{id}/customer_code/",
        "sMCFE",
    ),
    ("DELETE", "/api/auth/usr_sn/{sn}/", "o"),
];

/// What else answers who is allowed: a system with an owner has no customer code.
const OWNED: [(&str, &str, u16); 3] = [
    (
        "POST",
        "/api/auth/commissioning/protocol/{id}/customer_code/",
        409,
    ),
    (
        "DELETE",
        "/api/auth/commissioning/protocol/{id}/customer_code/",
        404,
    ),
    ("POST", "/api/auth/commissioning/protocol/{id}/pdf/", 400),
];

/// Calls that name no system, so they cannot name someone else's.
const WITHOUT_SYSTEM: [&str; 7] = [
    "/api/auth/unit/",
    "/api/auth/usr_sn/",
    "/api/auth/data/",
    "/api/auth/stream/",
    "/api/auth/group/",
    "/api/auth/grant/",
    "/api/auth/settings/batch/",
];

#[test]
fn every_call_about_systems_has_a_row() {
    let table = api::rights();
    let about_systems: BTreeSet<_> = table
        .iter()
        .filter(|(_, _, right)| right.is_some())
        .map(|(method, path, _)| (*method, path.as_str()))
        .collect();
    let rows: BTreeSet<_> = MATRIX
        .iter()
        .map(|(method, path, _)| (*method, *path))
        .collect();
    assert_eq!(rows, about_systems);
}

/// An owner's system with everyone who is related to it.
struct House {
    sn: String,
    people: Vec<(char, Person)>,
}

impl House {
    async fn build(app: &TestApp, number: usize) -> Self {
        let sn = format!("HOME{number:04}");
        let owner = app.owner(&format!("owner{number}"), &sn).await;
        let mut people = Vec::new();
        for (letter, scope) in [('h', "owner"), ('l', "look")] {
            let name = format!("{scope}member{number}");
            people.push((letter, app.member(&owner, &name, &sn, scope).await));
        }
        for (letter, scope) in [('m', "monitor"), ('c', "configure"), ('s', "service")] {
            let electrician = app.electrician(&format!("{scope}{number}")).await;
            app.grant(&owner, &electrician, &sn, scope).await;
            people.push((letter, electrician));
        }
        let boss = people.last().map(|(_, person)| person.clone()).unwrap();
        let name = format!("office{number}");
        people.push(('f', app.colleague(&boss, &name, "office").await));
        people.push(('e', app.electrician(&format!("stranger{number}")).await));
        // The owner comes last, because some calls delete everything.
        people.push(('o', owner));
        Self { sn, people }
    }

    fn service(&self) -> &Person {
        let found = self.people.iter().find(|(letter, _)| *letter == 's');
        &found.unwrap().1
    }

    fn owner(&self) -> &Person {
        &self.people.last().unwrap().1
    }
}

on_both!(everybody_gets_what_their_level_allows, |db| {
    let app = TestApp::start(db).await;
    let other = app.owner("other", "OTHER001").await;
    let foreign_grant = invite(&app, &other, "OTHER001").await;
    let installer = app.electrician("installer").await;
    app.grant(&other, &installer, "OTHER001", "service").await;
    let foreign = commissioned(&app, &installer, "OTHER001").await;
    // Calls that only read share a house; every other call gets its own.
    let shared = House::build(&app, MATRIX.len()).await;
    let shared_commissioning = commissioned(&app, shared.service(), &shared.sn).await;
    for (number, (method, path, allowed)) in MATRIX.iter().enumerate() {
        let own_house;
        let (house, own) = if *method == "GET" {
            (&shared, shared_commissioning)
        } else {
            own_house = House::build(&app, number).await;
            let own = match path.starts_with("/api/auth/commissioning/") {
                true => commissioned(&app, own_house.service(), &own_house.sn).await,
                false => NONE,
            };
            (&own_house, own)
        };
        for (letter, person) in &house.people {
            let role_admitted = allowed.chars().any(|other| {
                let of = |letter: char| "mcsfe".contains(letter.to_ascii_lowercase());
                of(other) == of(*letter)
            });
            let mut refusals = BTreeSet::new();
            if !WITHOUT_SYSTEM.contains(path) || *method != "GET" {
                for (sn, grant, ids) in [
                    ("OTHER001", foreign_grant, foreign),
                    ("MISSING1", i64::MAX, NONE),
                ] {
                    let call = request(&app, house, method, path, sn, (grant, ids), person).await;
                    let answer = send(call, path, person).await;
                    let cell = format!("{method} {path} as {letter} on {sn}: {}", answer.text);
                    let want = if role_admitted { 404 } else { 403 };
                    assert_eq!(answer.status, want, "{cell}");
                    refusals.insert((answer.status, answer.text));
                }
                assert_eq!(
                    refusals.len(),
                    1,
                    "{method} {path} as {letter}: {refusals:?}"
                );
            }
            let grant = invite(&app, house.owner(), &house.sn).await;
            let ids = (grant, own);
            let call = request(&app, house, method, path, &house.sn, ids, person).await;
            let answer = send(call, path, person).await;
            let cell = format!(
                "{method} {path} as {letter}: {} {}",
                answer.status, answer.text
            );
            let owned = OWNED.iter().find(|(m, p, _)| (m, p) == (method, path));
            if allowed.contains(*letter) {
                let expected = owned.map(|(_, _, status)| *status);
                match expected {
                    Some(status) => assert_eq!(answer.status, status, "{cell}"),
                    None => assert!(answer.status.is_success(), "{cell}"),
                }
            } else if allowed.contains(letter.to_ascii_uppercase()) {
                assert_eq!(answer.status, 404, "{cell}");
            } else {
                assert_eq!(answer.status, 403, "{cell}");
            }
        }
    }
    app.stop().await;
});

/// A commissioning that can be finished, and the protocol of an earlier one.
#[derive(Clone, Copy)]
struct Commissioned {
    open: i64,
    protocol: i64,
}

const NONE: Commissioned = Commissioned {
    open: i64::MAX,
    protocol: i64::MAX,
};

async fn commissioned(app: &TestApp, installer: &Person, sn: &str) -> Commissioned {
    let battery = app.battery(sn);
    Commissioned {
        protocol: app.commission(installer, &battery).await,
        open: app.complete_checks(installer, &battery).await,
    }
}

/// A stream never ends, so only its head is read: it shows who may open it.
async fn send(call: Call, path: &str, person: &Person) -> TestResponse {
    let call = match path {
        "/api/auth/stream/" => call.method("HEAD"),
        _ => call,
    };
    call.bearer(&person.access).send().await
}

/// Creates a pending invitation to a system and returns its id. Not over HTTP, where invitations are limited.
async fn invite(app: &TestApp, owner: &Person, sn: &str) -> i64 {
    let email: domain::Email = owner.email.parse().unwrap();
    let owner = app.store.account_by_email(&email).await.unwrap();
    let sn = sn.parse().unwrap();
    let access = match owner {
        Some(owner) => app.store.access(owner.id(), &sn).await.unwrap(),
        None => None,
    };
    // Once the system is gone, it cannot be invited to.
    let Some(access) = access else {
        return i64::MAX;
    };
    let invitation = Invitation {
        email: &"elektro@example.com".parse().unwrap(),
        scope: GrantScope::Monitor,
        last_day: None,
        shares_contact: false,
    };
    let invited = app.service.invite(&[&access], invitation).await;
    invited.unwrap()[0].id
}

/// The id of a new photo of the person's company; 1 if the person may add none.
async fn add_photo(app: &TestApp, sn: &str, person: &Person) -> String {
    let path = format!("/api/auth/system/{sn}/customer/photo/");
    let call = app.call("POST", &path).jpeg(&testkit::photo::photo());
    let added = call.bearer(&person.access).send().await;
    let added = serde_json::from_str(&added.text).unwrap_or(Value::Null);
    let photos = added["photos"].as_array().and_then(|all| all.last());
    photos.map_or("1".to_owned(), |photo| photo["id"].to_string())
}

fn invitation(sn: &str) -> [(&'static str, &str); 4] {
    [
        ("sn", sn),
        ("email", "elektro@example.com"),
        ("scope", "monitor"),
        ("password", PASSWORD),
    ]
}

async fn request(
    app: &TestApp,
    house: &House,
    method: &str,
    path: &str,
    sn: &str,
    (grant, commissioned): (i64, Commissioned),
    person: &Person,
) -> Call {
    let call = |path: &str| match path.starts_with("/api/v1/") {
        true => Call::new(app.updates, method.parse().unwrap(), path),
        false => app.call(method, path),
    };
    match (method, path) {
        ("GET", path) if WITHOUT_SYSTEM.contains(&path) => call(path),
        (_, path) if path.starts_with("/api/auth/commissioning/protocol/{id}/") => {
            call(&path.replace("{id}", &commissioned.protocol.to_string()))
        }
        (_, path) if path.starts_with("/api/auth/commissioning/{id}/") => {
            let fields = [("step", "units"), ("phase", "1"), ("load", "off")];
            call(&path.replace("{id}", &commissioned.open.to_string())).form(&fields)
        }
        ("POST", "/api/auth/commissioning/") => call(path).form(&[("sn", sn)]),
        ("GET", "/api/auth/system/{sn}/") => call(&format!("/api/auth/system/{sn}/")),
        (_, path) if path.starts_with("/api/auth/system/{sn}/customer/") => {
            let photo = add_photo(app, sn, person).await;
            let path = path.replace("{sn}", sn).replace("{id}", &photo);
            match (method, path.ends_with("/photo/")) {
                ("POST", true) => call(&path).jpeg(&testkit::photo::photo()),
                ("POST", false) => {
                    let known = app.get(&path).bearer(&person.access).send().await;
                    let known = serde_json::from_str(&known.text).unwrap_or(Value::Null);
                    let known = known["changed_at"].as_i64().map(|at| at.to_string());
                    let fields = [("note", "Hund"), ("changed_at", &known.unwrap_or_default())];
                    call(&path).form(&fields)
                }
                _ => call(&path),
            }
        }
        ("GET", path) => call(&format!("{path}?sn={sn}")),
        ("POST", "/api/auth/group/") => {
            let name = format!("Gruppe {sn}");
            call(path).form(&[("name", &name), ("sn", sn)])
        }
        ("PATCH", "/api/auth/group/{id}/") => {
            let made = app.post("/api/auth/group/", &[("name", &format!("Dach {sn}"))]);
            let made = made.bearer(&person.access).send().await.expect(201).json();
            call(&format!("/api/auth/group/{}/", made["id"])).form(&[("sn", sn)])
        }
        ("POST", "/api/auth/plan/") => {
            call(path).form(&[("sn", sn), ("soc", "70"), ("by", "18:00")])
        }
        ("POST", "/api/auth/tariff/") => call(path).form(&[
            ("sn", sn),
            ("import_price", "31.90"),
            ("feed_in_price", "8"),
        ]),
        ("POST", "/api/auth/price/") => {
            call(path).form(&[("sn", sn), ("steps", "workdays/00:00/31.90")])
        }
        // No one has made a batch here. The batch tests cover that only its creator can undo it.
        ("POST", "/api/auth/settings/batch/{id}/undo/") => {
            call("/api/auth/settings/batch/0123456789abcdef01234567/undo/").form(&[])
        }
        (
            "POST",
            "/api/auth/settings/" | "/api/auth/settings/reset/" | "/api/auth/settings/batch/",
        ) => {
            let now = app.get(&format!("/api/auth/settings/?sn={}", house.sn));
            let now = now
                .bearer(&house.owner().access)
                .send()
                .await
                .expect(200)
                .json();
            let (version, soc) = (now["version"].to_string(), "20");
            let fields = [("version", version.as_str()), ("reserve_soc", soc)];
            call(&format!("{path}?sn={sn}")).form(&fields)
        }
        ("POST", "/api/auth/command/") => {
            let key = format!("key-of-{}", person.email.split('@').next().unwrap());
            call(path).form(&[("sn", sn), ("command", "auto"), ("key", &key)])
        }
        ("POST", "/api/auth/alarm/") => {
            let id = app.open_alarm(sn, AlarmKind::Offline).await.to_string();
            call(path).form(&[("id", &id)])
        }
        ("POST", "/api/auth/alarm/comment/" | "/api/auth/alarm/dismiss/") => {
            let id = app.open_alarm(sn, AlarmKind::Offline).await.to_string();
            call(path).form(&[("id", &id), ("text", "Router getauscht")])
        }
        ("POST", "/api/v1/update/") => {
            let part = |name: &str, value: &str| {
                format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
            };
            let body = format!("{}{}--x--\r\n", part("sn", sn), part("update", "0"));
            let call = call(path).raw(&body);
            call.header("content-type", "multipart/form-data; boundary=x")
        }
        ("PATCH", "/api/auth/system/{sn}/") => call(&format!("/api/auth/system/{sn}/"))
            .form(&[("first_name", "Anna"), ("last_name", "Berg")]),
        ("POST", "/api/auth/system/{sn}/replace/") => {
            // An earlier caller's replacement may have changed the house's serial number.
            let own = app.get("/api/auth/usr_sn/").bearer(&house.owner().access);
            let own = own.send().await.expect(200).json();
            let own = own[0]["sn"].as_str().unwrap();
            let sn = if sn == house.sn { own } else { sn };
            let spare = format!("N{:010}", u32::from_le_bytes(app.portal.random.bytes()));
            let code = app.code(&[&app.device(&spare).await]).await;
            call(&format!("/api/auth/system/{sn}/replace/")).form(&[("key", &code)])
        }
        ("POST", "/api/auth/grant/") => call(path).form(&invitation(sn)),
        (_, "/api/auth/grant/{id}/") => call(&format!("/api/auth/grant/{grant}/")),
        ("POST", "/api/auth/grant/handover/") => {
            let fields = [
                ("sn", sn),
                ("email", "next@example.com"),
                ("password", PASSWORD),
            ];
            call(path).form(&fields)
        }
        ("DELETE", "/api/auth/usr_sn/{sn}/") => {
            call(&format!("/api/auth/usr_sn/{sn}/")).form(&[("password", PASSWORD)])
        }
        (method, path) => panic!("no request for {method} {path}"),
    }
}

on_both!(several_systems_are_answered_each_by_its_own_level, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "configure").await;
    app.grant(&ben, &eva, "SC000002", "monitor").await;
    let all = app
        .get("/api/auth/settings/")
        .bearer(&eva.access)
        .send()
        .await
        .expect(200);
    assert_eq!(all.json().as_array().unwrap().len(), 1);
    let fields = [("version", "0,0,0"), ("reserve_soc", "30")];
    let path = "/api/auth/settings/?sn=SC000001,SC000002,SC000003";
    let saved = app
        .post(path, &fields)
        .bearer(&eva.access)
        .send()
        .await
        .expect(200)
        .json();
    assert_eq!(saved["success"][0], "SC000001");
    assert_eq!(saved["codes"]["SC000002"]["sn"][0], "scope_too_small");
    assert_eq!(saved["codes"]["SC000003"]["sn"][0], "not_found");
    app.stop().await;
});
