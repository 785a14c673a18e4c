//! The operator's security advisories: every owner of a unit with certain firmware gets one mail.
#![allow(clippy::unwrap_used)]
use domain::clock::SECOND;
use domain::firmware::{AffectedFirmware, Part};
use domain::{Lang, Serial};
use serde_json::json;
use service::advisory::{AdvisoryText, AdvisoryTexts, MAIL_INTERVAL};
use testkit::{Person, TestApp, on_both};

fn affected() -> AffectedFirmware {
    AffectedFirmware {
        part: Part::Master,
        hardware: None,
        from: None,
        fixed_in: Some("2.7".parse().unwrap()),
    }
}

fn texts() -> AdvisoryTexts {
    let text = |lang: Lang| {
        let code = lang.code();
        AdvisoryText::parse(&format!("Betreff {code}\n\nErstens {code}.\n\nZweitens."))
    };
    AdvisoryTexts::read(text).unwrap()
}

async fn says(app: &TestApp, sn: &str, version: &str) {
    app.battery(sn)
        .hello(|hello| hello.versions.master = Some(version.into()))
        .await;
}

async fn speaks(app: &TestApp, person: &Person, language: &str) {
    let change = app.call("PATCH", "/api/auth/account/");
    let change = change.form(&[("language", language)]);
    change.bearer(&person.access).send().await.expect(200);
}

/// Whom an advisory is mailed to, of all mails so far.
async fn advised(app: &TestApp) -> Vec<(String, String)> {
    let mails = app.sent_mails().await.into_iter();
    let advisories = mails.filter(|mail| mail.subject.contains("Betreff"));
    advisories.map(|mail| (mail.to, mail.text)).collect()
}

on_both!(every_owner_of_affected_firmware_is_mailed_once, |db| {
    let app = TestApp::start(db).await;
    let two: [Serial; 2] = ["SC000001", "SC000002"].map(|sn| sn.parse().unwrap());
    app.owner_of("anna", &two).await;
    let ben = app.owner("ben", "SC000003").await;
    app.owner("carla", "SC000004").await;
    app.device("SC000005").await;
    app.device("SC000006").await;
    speaks(&app, &ben, "fr").await;
    for (sn, version) in [
        ("SC000001", "2.6"),
        ("SC000002", "1.12"),
        ("SC000003", "2.6"),
        ("SC000004", "2.7"),
        ("SC000005", "2.6"),
    ] {
        says(&app, sn, version).await;
    }
    let before = db.count("SELECT count(*) FROM journal").await;

    // SC000005 has no owner, SC000006 has never reported.
    let units = app.store.affected_units(&affected()).await.unwrap();
    let units: Vec<_> = units
        .iter()
        .map(|unit| (unit.sn.as_str(), unit.version.as_str()))
        .collect();
    let want = [
        ("SC000001", "2.6"),
        ("SC000002", "1.12"),
        ("SC000003", "2.6"),
        ("SC000005", "2.6"),
    ];
    assert_eq!(units, want);

    let mailed = app.service.mail_advisory(&affected(), &texts()).await;
    assert_eq!(mailed.unwrap(), 2);
    // They do not become due at the same time.
    assert_eq!(advised(&app).await.len(), 1);
    const { assert!(MAIL_INTERVAL < SECOND) };
    app.clock.advance(SECOND);
    let mails = advised(&app).await;
    let [(anna, german), (ben, french)] = mails.as_slice() else {
        panic!("{mails:?}");
    };
    assert_eq!(
        (anna.as_str(), ben.as_str()),
        ("anna@example.com", "ben@example.com")
    );
    for line in ["Erstens de.", "Zweitens.", "- SC000001", "- SC000002"] {
        assert!(german.lines().any(|said| said == line), "{german}");
    }
    assert!(german.contains("https://portal.test/update\n"), "{german}");
    assert!(french.contains("Erstens fr.\n\nZweitens."), "{french}");
    assert!(
        french.contains("https://portal.test/update?sn=SC000003\n"),
        "{french}"
    );

    let entries = db.dump().await;
    let (_, journal) = entries
        .iter()
        .find(|(table, _)| table == "journal")
        .unwrap();
    assert_eq!(journal.len() as i64, before + 1);
    let entry = journal.iter().find(|row| row.contains("owners_advised"));
    let entry: serde_json::Value = serde_json::from_str(entry.unwrap()).unwrap();
    let detail: serde_json::Value =
        serde_json::from_str(entry["detail"].as_str().unwrap()).unwrap();
    let want = json!({
        "part": "master", "hardware": null, "from": null, "fixed_in": "2.7", "units": 4, "owners": 2
    });
    assert_eq!(detail, want);
    app.stop().await;
});

on_both!(without_an_affected_owner_nothing_is_written, |db| {
    let app = TestApp::start(db).await;
    app.owner("anna", "SC000001").await;
    says(&app, "SC000001", "2.7").await;
    let before = db.count("SELECT count(*) FROM journal").await;
    let mailed = app.service.mail_advisory(&affected(), &texts()).await;
    assert_eq!(mailed.unwrap(), 0);
    assert_eq!(db.count("SELECT count(*) FROM journal").await, before);
    app.stop().await;
});
