//! Members of a household, and the sale of a house: who has the owner's rights, who can only look, and who sees nothing.
#![allow(clippy::unwrap_used)]
use domain::EventCode;
use domain::clock::{DAY, MINUTE};
use serde_json::{Value, json};
use testkit::{PASSWORD, Person, TestApp, TestResponse, with_app};

async fn get(app: &TestApp, person: &Person, path: &str) -> TestResponse {
    app.get(path).bearer(&person.access).send().await
}

async fn post(app: &TestApp, person: &Person, path: &str, fields: &[(&str, &str)]) -> TestResponse {
    app.post(path, fields).bearer(&person.access).send().await
}

async fn delete(app: &TestApp, person: &Person, path: &str) -> TestResponse {
    let call = app.call("DELETE", path).form(&[("password", PASSWORD)]);
    call.bearer(&person.access).send().await
}

async fn hand_over(app: &TestApp, owner: &Person, email: &str) -> TestResponse {
    let fields = [("sn", "SC000001"), ("email", email), ("password", PASSWORD)];
    post(app, owner, "/api/auth/grant/handover/", &fields).await
}

with_app!(
    a_member_has_the_owners_rights_but_cannot_give_the_system_away,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let paul = app.member(&anna, "paul", "SC000001", "owner").await;
        let systems = get(app, &paul, "/api/auth/usr_sn/")
            .await
            .expect(200)
            .json();
        assert_eq!(
            (&systems[0]["sn"], &systems[0]["access"]),
            (&json!("SC000001"), &json!("member"))
        );
        // Wiring after repeating one's own password, prices for the whole household.
        let path = "/api/auth/settings/?sn=SC000001";
        let wiring = [("version", "0"), ("charge_limit", "2000")];
        post(app, &paul, path, &wiring).await.expect(400);
        let wiring = [
            ("version", "0"),
            ("charge_limit", "2000"),
            ("password", PASSWORD),
        ];
        post(app, &paul, path, &wiring).await.expect(200);
        let prices = [
            ("sn", "SC000001"),
            ("import_price", "30"),
            ("feed_in_price", "8"),
        ];
        post(app, &paul, "/api/auth/tariff/", &prices)
            .await
            .expect(200);
        let tariffs = get(app, &anna, "/api/auth/tariff/")
            .await
            .expect(200)
            .json();
        assert_eq!(tariffs[0]["tariffs"].as_array().unwrap().len(), 1);
        // He may invite an electrician, but no one into the household.
        let invite = [
            ("sn", "SC000001"),
            ("email", "eva@example.com"),
            ("scope", "monitor"),
            ("password", PASSWORD),
        ];
        post(app, &paul, "/api/auth/grant/", &invite)
            .await
            .expect(201);
        let invite = [
            ("sn", "SC000001"),
            ("email", "tom@example.com"),
            ("scope", "look"),
            ("password", PASSWORD),
        ];
        post(app, &paul, "/api/auth/grant/", &invite)
            .await
            .expect(403);
        hand_over(app, &paul, "next@example.com").await.expect(403);
        delete(app, &paul, "/api/auth/usr_sn/SC000001/")
            .await
            .expect(403);
        // The owner is notified and can end it; then he has no system.
        let mails = app.sent_mails().await;
        assert!(
            mails.iter().any(
                |mail| mail.to == anna.email && mail.subject == "Ihre Einladung ist angenommen"
            )
        );
        let grants = get(app, &anna, "/api/auth/grant/").await.expect(200).json();
        let member = grants["given"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["role"] == "user")
            .unwrap()
            .clone();
        assert_eq!(
            (&member["email"], &member["until"]),
            (&json!(paul.email), &Value::Null)
        );
        delete(app, &anna, &format!("/api/auth/grant/{}/", member["id"]))
            .await
            .expect(204);
        get(app, &paul, path).await.expect(404);
        app.try_log_in(&paul.email, PASSWORD, false)
            .await
            .expect(403);
    }
);

with_app!(a_member_who_only_looks_changes_nothing, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let lea = app.member(&anna, "lea", "SC000001", "look").await;
    get(app, &lea, "/api/auth/settings/?sn=SC000001")
        .await
        .expect(200);
    get(app, &lea, "/api/auth/journal/?sn=SC000001")
        .await
        .expect(200);
    let set = [("version", "0"), ("reserve_soc", "30")];
    let refused = post(app, &lea, "/api/auth/settings/?sn=SC000001", &set)
        .await
        .expect(403);
    assert_eq!(refused.code(), "scope_too_small");
    let command = [
        ("sn", "SC000001"),
        ("command", "auto"),
        ("key", "a-key-of-lea"),
    ];
    post(app, &lea, "/api/auth/command/", &command)
        .await
        .expect(403);
});

with_app!(
    the_code_of_an_invitation_is_for_its_address_and_works_once,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let invite = [
            ("sn", "SC000001"),
            ("email", "paul@example.com"),
            ("scope", "owner"),
            ("password", PASSWORD),
        ];
        post(app, &anna, "/api/auth/grant/", &invite)
            .await
            .expect(201);
        let code = app.mailed_token("paul@example.com", "key").await;
        let add = async |who: &Person, code: &str| {
            let added = post(app, who, "/api/auth/usr_sn/", &[("keys", code)]).await;
            added.expect(200).json()["keys"][0]["status"].clone()
        };
        assert_eq!(add(&ben, &code).await, "unknown");
        let form = app.owner_form("mallory@example.com", &code);
        let refused = app
            .post("/api/auth/register/", &form)
            .from("10.2.2.2")
            .send()
            .await;
        assert_eq!(refused.expect(400).code(), "sn1:code_unknown");
        // A person with an account accepts with that account.
        let invite = [
            ("sn", "SC000001"),
            ("email", ben.email.as_str()),
            ("scope", "look"),
            ("password", PASSWORD),
        ];
        post(app, &anna, "/api/auth/grant/", &invite)
            .await
            .expect(201);
        let code = app.mailed_token(&ben.email, "key").await;
        assert_eq!(add(&ben, &code).await, "linked");
        assert_eq!(add(&ben, &code).await, "unknown");
        let systems = get(app, &ben, "/api/auth/usr_sn/").await.expect(200).json();
        let access: Vec<&str> = systems
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["access"].as_str().unwrap())
            .collect();
        assert_eq!(access, ["look", "owner"]);
        // The other one expires.
        let code = app.mailed_token("paul@example.com", "key").await;
        app.clock.advance(30 * DAY);
        let form = app.owner_form("paul@example.com", &code);
        app.post("/api/auth/register/", &form)
            .from("10.2.2.3")
            .send()
            .await
            .expect(400);
    }
);

/// A household that has left data everywhere.
async fn lived_in(app: &TestApp) -> (Person, Person) {
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "service").await;
    app.member(&anna, "paul", "SC000001", "owner").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    battery.sample(|_| {}).await;
    let now = app.clock.now();
    battery
        .event(Some(now), EventCode::MeterLost, true, None)
        .await;
    let names = app.call("PATCH", "/api/auth/system/SC000001/");
    let names = names.form(&[
        ("first_name", "Annegret"),
        ("last_name", "Sonnleitner"),
        ("place", "Annenkirchen"),
        ("latitude", "48.137"),
        ("longitude", "11.576"),
        ("planes", "5.2/30/-90,4.6/30/90"),
    ]);
    names.bearer(&anna.access).send().await.expect(204);
    let token = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";
    let set = [
        ("version", "0"),
        ("charge_start", "23:07"),
        ("provider", "tibber"),
        ("provider_token", token),
    ];
    post(app, &anna, "/api/auth/settings/?sn=SC000001", &set)
        .await
        .expect(200);
    let group = [("name", "Annegrets Keller"), ("sn", "SC000001")];
    post(app, &anna, "/api/auth/group/", &group)
        .await
        .expect(201);
    let prices = [
        ("sn", "SC000001"),
        ("import_price", "31.90"),
        ("feed_in_price", "7.94"),
    ];
    post(app, &anna, "/api/auth/tariff/", &prices)
        .await
        .expect(200);
    let command = [
        ("sn", "SC000001"),
        ("command", "calibrate"),
        ("key", "a-key-of-hers"),
    ];
    post(app, &anna, "/api/auth/command/", &command)
        .await
        .expect(201);
    app.clock.advance(MINUTE);
    (anna, eva)
}

/// No data of the previous household, on any screen.
async fn sees_nothing_old(app: &TestApp, next: &Person) {
    let day = "2026-11-15";
    for path in [
        "/api/auth/usr_sn/",
        "/api/auth/system/SC000001/",
        "/api/auth/data/",
        &format!("/api/auth/graph/?sn=SC000001&date={day}"),
        "/api/auth/energy_chart/?sn=SC000001",
        &format!("/api/auth/export/?sn=SC000001&from={day}&to={day}"),
        "/api/auth/settings/?sn=SC000001",
        "/api/auth/journal/",
        "/api/auth/group/",
        "/api/auth/tariff/",
        "/api/auth/savings/?sn=SC000001",
        "/api/auth/grant/",
        "/api/auth/account/export/",
    ] {
        let answer = get(app, next, path).await.expect(200).text;
        for old in [
            "nnegret",
            "Sonnleitner",
            "Annenkirchen",
            "48.14",
            "4814",
            "23:07",
            "ebAE",
            "\"provider\":\"tibber\"",
            "31.9",
            "calibrate",
            "meter_lost",
            "Zähler antwortet",
            "anna@",
            "eva@",
            "paul@",
            "Elektro Sonnenberg",
        ] {
            assert!(!answer.contains(old), "{path} shows {old}: {answer}");
        }
    }
    // The roof belongs to the house.
    let site = get(app, next, "/api/auth/system/SC000001/").await.json();
    assert_eq!((&site["kwp"], &site["place"]), (&json!(9.8), &Value::Null));
    let live = get(app, next, "/api/auth/data/").await.json();
    assert_eq!(live["SC000001"]["SOC"], Value::Null, "{live}");
    let history = testkit::http::Call::new(
        app.updates,
        "GET".parse().unwrap(),
        "/api/v1/history/?sn=SC000001",
    );
    let history = history.bearer(&next.access).send().await.expect(200).json();
    assert_eq!(history, json!([]));
    let journal = get(app, next, "/api/auth/journal/?sn=SC000001")
        .await
        .expect(200)
        .json();
    let events: Vec<&str> = journal["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["event"].as_str().unwrap())
        .collect();
    assert_eq!(events, ["system_linked"]);
}

with_app!(the_new_owner_of_a_house_sees_none_of_the_old_data, |app| {
    let (anna, eva) = lived_in(app).await;
    let offered = hand_over(app, &anna, "next@example.com")
        .await
        .expect(201)
        .json();
    assert_eq!(
        (&offered["sn"], &offered["email"]),
        (&json!("SC000001"), &json!("next@example.com"))
    );
    // Nothing changes until the code is entered.
    get(app, &anna, "/api/auth/graph/?sn=SC000001")
        .await
        .expect(200);
    let code = app.mailed_token("next@example.com", "key").await;
    let form = app.owner_form("next@example.com", &code);
    app.post("/api/auth/register/", &form)
        .from("10.3.3.3")
        .send()
        .await
        .expect(201);
    let next = app.log_in("next@example.com", false).await;
    app.clock.advance(1);
    sees_nothing_old(app, &next).await;
    for gone in [&anna, &eva] {
        get(app, gone, "/api/auth/graph/?sn=SC000001")
            .await
            .expect(404);
    }
    let mails = app.sent_mails().await;
    let told =
        |to: &str, subject: &str| mails.iter().any(|it| it.to == to && it.subject == subject);
    assert!(told(&anna.email, "Ihr Speicher ist übergeben"));
    assert!(told(&eva.email, "Ihr Zugang zu einem Speicher ist beendet"));
    // The previous owner can still export her own data.
    let lines = get(app, &anna, "/api/auth/account/export/")
        .await
        .expect(200)
        .json()["journal"]
        .clone();
    assert!(lines.to_string().contains("handed_over"));
});

with_app!(who_releases_a_system_leaves_nothing_behind_either, |app| {
    let (anna, eva) = lived_in(app).await;
    delete(app, &anna, "/api/auth/usr_sn/SC000001/")
        .await
        .expect(204);
    get(app, &eva, "/api/auth/graph/?sn=SC000001")
        .await
        .expect(404);
    app.clock.advance(MINUTE);
    let code = app.code(&[&"SC000001".parse().unwrap()]).await;
    let form = app.owner_form("next@example.com", &code);
    app.post("/api/auth/register/", &form)
        .from("10.3.3.4")
        .send()
        .await
        .expect(201);
    let next = app.log_in("next@example.com", false).await;
    sees_nothing_old(app, &next).await;
});

with_app!(a_handover_can_be_withdrawn_and_runs_out, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    let wrong = [
        ("sn", "SC000001"),
        ("email", "next@example.com"),
        ("password", "wrong"),
    ];
    let refused = post(app, &anna, "/api/auth/grant/handover/", &wrong)
        .await
        .expect(400);
    assert_eq!(refused.code(), "password:password_wrong");
    let offered = hand_over(app, &anna, "next@example.com")
        .await
        .expect(201)
        .json();
    let code = app.mailed_token("next@example.com", "key").await;
    let path = format!("/api/auth/grant/handover/{}/", offered["id"]);
    delete(app, &ben, &path).await.expect(404);
    let listed = get(app, &anna, "/api/auth/grant/").await.expect(200).json();
    assert_eq!(listed["handovers"], json!([offered]));
    delete(app, &anna, &path).await.expect(204);
    let keys = [("keys", code.as_str())];
    let tried = post(app, &ben, "/api/auth/usr_sn/", &keys)
        .await
        .expect(200)
        .json();
    assert_eq!(tried["keys"][0]["status"], "unknown");
    // A second offer voids the first, and the last one expires.
    hand_over(app, &anna, "next@example.com").await.expect(201);
    let code = app.mailed_token("next@example.com", "key").await;
    app.clock.advance(14 * DAY);
    let ben = app.log_in(&ben.email, false).await;
    let keys = [("keys", code.as_str())];
    let tried = post(app, &ben, "/api/auth/usr_sn/", &keys)
        .await
        .expect(200)
        .json();
    assert_eq!(tried["keys"][0]["status"], "unknown");
});
