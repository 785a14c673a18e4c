//! The site of a system: place, time zone and the planes of its roof.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::clock::HOUR;
use serde_json::{Value, json};
use testkit::{Person, TestApp, TestResponse, with_app};

async fn describe(app: &TestApp, who: &Person, sn: &str, fields: &[(&str, &str)]) -> TestResponse {
    let call = app.call("PATCH", &format!("/api/auth/system/{sn}/"));
    call.form(fields).bearer(&who.access).send().await
}

async fn site(app: &TestApp, who: &Person, sn: &str) -> Value {
    let call = app.get(&format!("/api/auth/system/{sn}/"));
    call.bearer(&who.access).send().await.expect(200).json()
}

async fn listed(app: &TestApp, who: &Person) -> Value {
    let call = app.get("/api/auth/usr_sn/").bearer(&who.access);
    call.send().await.expect(200).json()[0].clone()
}

const ROOF: [(&str, &str); 5] = [
    ("place", " Bad Tölz "),
    ("latitude", "47.76079"),
    ("longitude", "11,5568"),
    ("time_zone", "Europe/Vienna"),
    ("planes", "5.2/30/-90,4.645/30/90"),
];

with_app!(a_site_is_told_and_comes_back, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let fresh = json!({
        "sn": "SC000001", "place": null, "latitude": null, "longitude": null, "time_zone": "Europe/Berlin",
        "time_zone_fixed": false, "planes": [], "kwp": null,
    });
    assert_eq!(site(app, &anna, "SC000001").await, fresh);
    describe(app, &anna, "SC000001", &ROOF).await.expect(204);
    let told = json!({
        "sn": "SC000001", "place": "Bad Tölz", "latitude": 47.76, "longitude": 11.56, "time_zone": "Europe/Vienna",
        "time_zone_fixed": false, "kwp": 9.845,
        "planes": [{"kwp": 5.2, "tilt": 30, "azimuth": -90}, {"kwp": 4.645, "tilt": 30, "azimuth": 90}],
    });
    assert_eq!(site(app, &anna, "SC000001").await, told);
    let listed = listed(app, &anna).await;
    assert_eq!(
        (&listed["place"], &listed["kwp"], &listed["time_zone"]),
        (&json!("Bad Tölz"), &json!(9.845), &json!("Europe/Vienna"))
    );
    // The journal says what kind of data changed, but not where a person lives.
    let journal = app.get("/api/auth/account/export/").bearer(&anna.access);
    let journal = journal.send().await.expect(200).json()["journal"].clone();
    let line = journal.as_array().unwrap().last().unwrap().clone();
    assert_eq!(line["event"], "site_changed");
    let detail: Value = serde_json::from_str(line["detail"].as_str().unwrap()).unwrap();
    let parts = json!({"changed": ["place", "coordinates", "time_zone", "planes"]});
    assert_eq!(detail, parts);
});

with_app!(only_what_is_given_changes, |app| {
    let anna = app.owner("anna", "SC000001").await;
    describe(app, &anna, "SC000001", &ROOF).await.expect(204);
    let names = [("first_name", "Anna"), ("last_name", "Berg")];
    describe(app, &anna, "SC000001", &names).await.expect(204);
    describe(app, &anna, "SC000001", &[("planes", "")])
        .await
        .expect(204);
    let left = site(app, &anna, "SC000001").await;
    assert_eq!((&left["planes"], &left["kwp"]), (&json!([]), &Value::Null));
    assert_eq!(
        (&left["place"], &left["latitude"]),
        (&json!("Bad Tölz"), &json!(47.76))
    );
    let none = [("place", ""), ("latitude", ""), ("longitude", "")];
    describe(app, &anna, "SC000001", &none).await.expect(204);
    let left = site(app, &anna, "SC000001").await;
    assert_eq!(
        (&left["place"], &left["longitude"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(listed(app, &anna).await["last_name"], "Berg");
    let nothing = describe(app, &anna, "SC000001", &[]).await.expect(400);
    assert_eq!(nothing.code(), "nothing_to_change");
});

with_app!(
    every_field_is_judged_and_a_wrong_one_changes_nothing,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let long = "x".repeat(81);
        for (fields, codes) in [
            (
                vec![("place", long.as_str())],
                json!({"place": ["too_long"]}),
            ),
            (
                vec![("latitude", "91"), ("longitude", "-181")],
                json!({"latitude": ["latitude_range"], "longitude": ["longitude_range"]}),
            ),
            (
                vec![("latitude", "48.1")],
                json!({"longitude": ["required"]}),
            ),
            (
                vec![("latitude", "north"), ("longitude", "11")],
                json!({"latitude": ["number_invalid"]}),
            ),
            (
                vec![("time_zone", "Mars/Olympus")],
                json!({"time_zone": ["time_zone_unknown"]}),
            ),
            (vec![("time_zone", "")], json!({"time_zone": ["required"]})),
            (
                vec![("planes", "5.2/30")],
                json!({"planes": ["planes_invalid"]}),
            ),
            (
                vec![("planes", "0/30/0")],
                json!({"planes": ["peak_range"]}),
            ),
            (
                vec![("planes", "5/91/0")],
                json!({"planes": ["tilt_range"]}),
            ),
            (
                vec![("planes", "5/30/200")],
                json!({"planes": ["azimuth_range"]}),
            ),
            (
                vec![(
                    "planes",
                    "1/1/1,1/1/1,1/1/1,1/1/1,1/1/1,1/1/1,1/1/1,1/1/1,1/1/1",
                )],
                json!({"planes": ["too_many_planes"]}),
            ),
            (
                vec![("place", "Bonn"), ("first_name", "Anna")],
                json!({"last_name": ["required"]}),
            ),
        ] {
            let wrong = describe(app, &anna, "SC000001", &fields).await.expect(400);
            assert_eq!(wrong.json()["codes"], codes, "{fields:?}");
        }
        let untouched = site(app, &anna, "SC000001").await;
        assert_eq!(
            (&untouched["place"], &untouched["planes"]),
            (&Value::Null, &json!([]))
        );
    }
);

with_app!(
    a_time_zone_is_the_persons_until_something_is_measured,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let sn: Serial = "SC000001".parse().unwrap();
        let battery = app.battery("SC000001");
        battery.hello(|_| {}).await;
        describe(app, &anna, "SC000001", &[("time_zone", "Atlantic/Canary")])
            .await
            .expect(204);
        let zone = || {
            app.portal
                .live
                .get(&sn)
                .unwrap()
                .facts
                .zone
                .name()
                .to_owned()
        };
        assert_eq!(
            zone(),
            "Atlantic/Canary",
            "the live view counts its day by it at once"
        );
        // The battery's own time zone no longer counts.
        battery.hello(|_| {}).await;
        assert_eq!(zone(), "Atlantic/Canary");
        battery.sample(|_| {}).await;
        assert_eq!(site(app, &anna, "SC000001").await["time_zone_fixed"], true);
        // Days have been counted by now: neither the zone nor the rest of the request is changed.
        let moved = [("time_zone", "Asia/Tokyo"), ("place", "Tokio")];
        let refused = describe(app, &anna, "SC000001", &moved).await.expect(400);
        assert_eq!(
            refused.json()["codes"],
            json!({"time_zone": ["time_zone_fixed"]})
        );
        // Sending the same values again is not a change.
        let same = [("time_zone", "Atlantic/Canary"), ("place", "Las Palmas")];
        describe(app, &anna, "SC000001", &same).await.expect(204);
        let now = site(app, &anna, "SC000001").await;
        assert_eq!(
            (&now["time_zone"], &now["place"]),
            (&json!("Atlantic/Canary"), &json!("Las Palmas"))
        );
    }
);

with_app!(
    who_looks_reads_the_site_and_who_configures_writes_it,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        describe(app, &anna, "SC000001", &[("place", "Annenkirchen")])
            .await
            .expect(204);
        let eva = app.electrician("eva").await;
        let max = app.electrician("max").await;
        app.grant(&anna, &eva, "SC000001", "monitor").await;
        app.grant(&anna, &max, "SC000001", "configure").await;
        let paul = app.member(&anna, "paul", "SC000001", "owner").await;
        let lea = app.member(&anna, "lea", "SC000001", "look").await;
        for reader in [&eva, &lea] {
            assert_eq!(site(app, reader, "SC000001").await["place"], "Annenkirchen");
            let refused = describe(app, reader, "SC000001", &[("place", "Bonn")]).await;
            assert_eq!(refused.expect(403).code(), "scope_too_small");
        }
        for writer in [&max, &paul] {
            describe(app, writer, "SC000001", &[("place", "Annendorf")])
                .await
                .expect(204);
        }
        // No one else can read or write it, or tell it from one that does not exist.
        for sn in ["SC000001", "SC999999"] {
            let read = app.get(&format!("/api/auth/system/{sn}/"));
            let read = read.bearer(&ben.access).send().await.expect(404);
            let written = describe(app, &ben, sn, &[("place", "Bonn")])
                .await
                .expect(404);
            assert_eq!(read.text, written.text);
        }
        let export = app.get("/api/auth/account/export/").bearer(&ben.access);
        assert!(!export.send().await.expect(200).text.contains("Annendorf"));
    }
);

with_app!(
    an_electrician_describes_a_roof_before_anybody_owns_it,
    |app| {
        let sn = app.device("SC000001").await;
        let eva = app.electrician("eva").await;
        let code = app.installer_code(&[&sn]).await;
        app.post("/api/auth/grant/code/", &[("code", &code)])
            .bearer(&eva.access)
            .send()
            .await
            .expect(200);
        describe(app, &eva, "SC000001", &ROOF).await.expect(204);
        let code = app.code(&[&sn]).await;
        let form = app.owner_form("anna@example.com", &code);
        app.post("/api/auth/register/", &form)
            .send()
            .await
            .expect(201);
        let anna = app.log_in("anna@example.com", false).await;
        // The electrician described the house that she has just moved into.
        assert_eq!(site(app, &anna, "SC000001").await["place"], "Bad Tölz");
        // When she leaves, her place is deleted; the roof stays.
        app.call("DELETE", "/api/auth/usr_sn/SC000001/")
            .form(&[("password", testkit::PASSWORD)])
            .bearer(&anna.access)
            .send()
            .await
            .expect(204);
        let code = app.code(&[&sn]).await;
        let form = app.owner_form("ben@example.com", &code);
        app.post("/api/auth/register/", &form)
            .send()
            .await
            .expect(201);
        let ben = app.log_in("ben@example.com", false).await;
        let left = site(app, &ben, "SC000001").await;
        assert_eq!(
            (&left["place"], &left["latitude"], &left["longitude"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
        assert_eq!(
            (&left["kwp"], &left["time_zone"]),
            (&json!(9.845), &json!("Europe/Vienna"))
        );
    }
);

with_app!(
    an_electrician_mails_the_owner_a_dozen_times_an_hour,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, "SC000001", "configure").await;
        let before = app.sent_mails().await.len();
        let change = async |eva: &Person, n: i32| {
            let latitude = format!("47.{n}");
            let fields = [("latitude", latitude.as_str()), ("longitude", "11.5")];
            describe(app, eva, "SC000001", &fields).await.expect(204);
            let name = format!("Anna{n}");
            let names = [("first_name", name.as_str()), ("last_name", "Berg")];
            describe(app, eva, "SC000001", &names).await.expect(204);
        };
        for n in 10..25 {
            change(&eva, n).await;
        }
        // Of each kind. All of it was done, and is in the journal.
        assert_eq!(app.sent_mails().await.len() - before, 2 * 12);
        let place = site(app, &anna, "SC000001").await;
        assert_eq!(place["latitude"], 47.24);
        app.clock.advance(HOUR);
        let eva = app.log_in(&eva.email, true).await;
        change(&eva, 30).await;
        assert_eq!(app.sent_mails().await.len() - before, 2 * 13);
    }
);
