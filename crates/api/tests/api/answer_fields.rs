//! Which fields each role sees of what it may read, written down a second time in `answer_fields.txt`: a field that somebody sees or
//! sees no more must be intended. The letters are those of the matrix in `levels.rs`. With `ACCEPT=1` the file is written anew.
#![allow(clippy::unwrap_used)]
use crate::levels::{self, House, MATRIX};
use domain::alarm::AlarmKind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use testkit::{Person, TestApp, TestDb};

/// Calls that are not about systems.
const OTHERS: [&str; 4] = [
    "/api/auth/account/",
    "/api/auth/company/",
    "/api/auth/settings/template/",
    "/api/auth/partner/",
];

const EXPECTED: &str = include_str!("answer_fields.txt");

/// Everything about the system that a person can have entered or a battery reported. Commissioning has done the rest.
async fn fill(app: &TestApp, house: &House) {
    let (sn, owner) = (house.sn.as_str(), house.owner());
    let patch = |path: &str| app.call("PATCH", path);
    let change = async |call: testkit::http::Call, who: &Person| {
        let answer = call.bearer(&who.access).send().await;
        assert!(answer.status.is_success(), "{}", answer.text);
        answer
    };
    let roof = [
        ("first_name", "Anna"),
        ("last_name", "Berg"),
        ("place", "Bad Tölz"),
        ("latitude", "47.76"),
        ("longitude", "11.56"),
        ("planes", "5.2/30/-90"),
    ];
    change(patch(&format!("/api/auth/system/{sn}/")).form(&roof), owner).await;
    change(patch("/api/auth/account/").form(&[("address", "Rathausplatz 1")]), owner).await;
    let tariff = [("sn", sn), ("import_price", "31.90"), ("feed_in_price", "8")];
    change(app.post("/api/auth/tariff/", &tariff), owner).await;
    let path = format!("/api/auth/settings/?sn={sn}");
    let now = app.get(&path).bearer(&owner.access).send().await.expect(200).json();
    let version = now["version"].to_string();
    let token = [
        ("version", version.as_str()),
        ("provider", "tibber"),
        ("provider_token", "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE"),
    ];
    change(app.post(&path, &token), owner).await;
    let plan = [("sn", sn), ("soc", "70"), ("by", "18:00")];
    change(app.post("/api/auth/plan/", &plan), owner).await;
    let alarm = app.open_alarm(sn, AlarmKind::Offline).await.to_string();
    let comment = [("id", alarm.as_str()), ("text", "Router getauscht")];
    change(app.post("/api/auth/alarm/comment/", &comment), owner).await;
    for (letter, person) in &house.people {
        let name = format!("Gruppe {letter}");
        let sn = if *letter == 'e' { "" } else { sn };
        let group = [("name", name.as_str()), ("sn", sn)];
        change(app.post("/api/auth/group/", &group), person).await;
    }
    let note = format!("/api/auth/system/{sn}/customer/");
    change(app.post(&note, &[("note", "Hund")]), house.service()).await;
    app.battery(sn).sample(|_| {}).await;
    app.view_is_up_to_date().await;
}

/// Serial numbers, and the key of all systems together.
fn is_system(key: &str) -> bool {
    key == "-1" || (key.starts_with("HOME") && key.len() == 8)
}

fn collect(value: &Value, path: &str, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                let key = if is_system(key) { "*" } else { key };
                let dot = if path.is_empty() { "" } else { "." };
                collect(value, &format!("{path}{dot}{key}"), fields);
            }
        }
        Value::Array(entries) if !entries.is_empty() => {
            let path = format!("{path}[]");
            entries.iter().for_each(|entry| collect(entry, &path, fields));
        }
        _ => {
            fields.insert(path.to_owned());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_role_sees_these_fields_and_no_others() {
    let db = TestDb::sqlite().await;
    let app = TestApp::start(&db).await;
    let house = House::build(&app, 1).await;
    let ids = levels::commissioned(&app, house.service(), &house.sn).await;
    fill(&app, &house).await;
    let about_systems = MATRIX.iter().filter(|(method, _, _)| *method == "GET");
    let about_systems = about_systems.map(|(_, path, _)| *path);
    let mut shown = String::new();
    for path in about_systems.chain(OTHERS) {
        // Fields by who sees them.
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        let mut people: Vec<_> = house.people.iter().collect();
        people.sort_by_key(|(letter, _)| "ohlmcfse".find(*letter));
        for (letter, person) in people {
            let (sn, ids) = (&house.sn, (i64::MAX, ids));
            let call = match OTHERS.contains(&path) {
                true => app.get(path),
                false => levels::request(&app, &house, "GET", path, sn, ids, person).await,
            };
            let answer = levels::send(call, path, person).await;
            let body = serde_json::from_str(&answer.text);
            let (true, Ok(body)) = (answer.status.is_success(), body) else {
                continue;
            };
            let mut fields = BTreeSet::new();
            collect(&body, "", &mut fields);
            for field in fields {
                seen.entry(field).or_default().push(*letter);
            }
        }
        let mut by_people: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (field, letters) in &seen {
            by_people.entry(letters).or_default().push(field);
        }
        if !by_people.is_empty() {
            writeln!(shown, "{path}").unwrap();
        }
        for (letters, fields) in by_people {
            writeln!(shown, "  {letters}: {}", fields.join(", ")).unwrap();
        }
    }
    app.stop().await;
    if std::env::var_os("ACCEPT").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api/answer_fields.txt");
        std::fs::write(file, &shown).unwrap();
    } else {
        assert_eq!(shown, EXPECTED, "if that is intended: ACCEPT=1");
    }
}
