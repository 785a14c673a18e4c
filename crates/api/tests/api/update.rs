//! Updates: published, offered, started, sent to the battery over the real link, reported and confirmed.
#![allow(clippy::unwrap_used)]
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use domain::clock::{DAY, HOUR, SECOND};
use domain::firmware::{Assignment, Fault, Manifest, Part, SecretKey, SignedText};
use serde_json::{Value, json};
use store::firmware::{NewRelease, ReleaseNotes, ReleaseState};
use testkit::battery::{merge, secret};
use testkit::firmware::{IMAGE, manifest, release_key};
use testkit::http::Call;
use testkit::{MqttBattery, NOON, PUBLIC_URL, Person, TestApp, TestResponse, eventually, with_app};

const SN: &str = "SC000001";
async fn roll_out(app: &TestApp, part: Part, version: &str, seq: i64) -> i64 {
    app.roll_out(&manifest(part, version, seq), IMAGE).await
}

fn call(app: &TestApp, person: &Person, method: &str, path: &str) -> Call {
    Call::new(app.updates, method.parse().unwrap(), path).bearer(&person.access)
}

async fn has_update(app: &TestApp, person: &Person) -> Value {
    let answer = call(app, person, "GET", &format!("/api/v1/has_update?sn={SN}"));
    answer.send().await.expect(200).json()
}

/// Waits until the update shows this value.
async fn shows(app: &TestApp, person: &Person, name: &str, value: Value) -> Value {
    eventually(&format!("{name} is {value}"), async || {
        has_update(app, person).await[name] == value
    })
    .await;
    has_update(app, person).await
}

async fn start(app: &TestApp, person: &Person, update: &str) -> TestResponse {
    app.order_update(person, SN, update).await
}

/// A battery with these versions of gateway and master.
async fn greet(app: &TestApp, gateway: &str, master: &str) -> MqttBattery {
    greet_as(app, SN, gateway, master).await
}

async fn greet_as(app: &TestApp, sn: &str, gateway: &str, master: &str) -> MqttBattery {
    let mut battery = MqttBattery::connect(app.devices, sn).await;
    battery.boot = u32::try_from(app.clock.now() / 1_000 % 1_000_000).unwrap();
    battery.subscribe(&[&format!("v1/d/{sn}/down/#")]).await;
    let hello = battery.hello(app.clock.now());
    let versions = json!({"fw": {"g": gateway, "m": master, "sl": null, "off": 0}});
    battery
        .report("hello", merge(hello, versions).to_string())
        .await;
    battery
}

async fn says(
    battery: &mut MqttBattery,
    job: &Value,
    part: &str,
    version: &str,
    stage: &str,
    progress: u8,
) {
    battery.seq += 1;
    let report = json!({
        "b": battery.boot, "s": battery.seq, "job": job, "part": part, "ver": version, "st": stage, "pg": progress,
    });
    battery.report("fw", report.to_string()).await;
}

/// The job in the message to the battery, after verifying both signatures.
async fn assigned_update(app: &TestApp, battery: &mut MqttBattery) -> (Value, Vec<Manifest>) {
    let told = battery.next_message_on("fw").await;
    let text = |name: &str| told[name].as_str().unwrap().to_owned();
    assert_eq!(text("url"), format!("http://{}", app.updates));
    let sealed = SignedText::new(text("assignment"), &text("sig")).unwrap();
    let director = app
        .store
        .director_key([0; 32], [0; 12])
        .await
        .unwrap()
        .public();
    let release = release_key().public();
    let sn = SN.parse().unwrap();
    let now = app.clock.now();
    let assigned = Assignment::verify(&sealed, &director, &release, &sn, 0, now).unwrap();
    (json!(assigned.job.as_str()), assigned.parts)
}

with_app!(
    an_update_of_two_parts_goes_from_the_offer_to_both_new_versions,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = greet(app, "1.14", "2.6").await;
        assert_eq!(has_update(app, &anna).await["new_update"], false);
        start(app, &anna, "1").await.expect(409);
        roll_out(app, Part::Master, "2.7", 5).await;
        roll_out(app, Part::Gateway, "1.15", 3).await;

        let seen = shows(app, &anna, "total_updates", json!(2)).await;
        assert_eq!(
            (
                &seen["new_update"],
                &seen["update_started"],
                &seen["page"],
                &seen["type"],
                &seen["state"]
            ),
            (
                &json!(true),
                &json!(false),
                &json!(0),
                &json!("gateway"),
                &json!(null)
            )
        );
        assert_eq!(
            seen["updates"][0],
            json!({"type": "gateway", "version": "1.15", "from_version": "1.14", "new_update": true,
            "notes": "Liest den Zähler schneller."})
        );
        let live = app
            .get("/api/auth/data/")
            .bearer(&anna.access)
            .send()
            .await
            .expect(200)
            .json();
        let live = &live["data"][0][SN];
        assert_eq!(
            (&live["updatable"], &live["avalable_updates"]),
            (&json!(true), &json!(2))
        );

        let started = start(app, &anna, "1").await.expect(200).json();
        assert_eq!(started["updates"].as_array().unwrap().len(), 2);
        let (job, parts) = assigned_update(app, &mut battery).await;
        let versions: Vec<_> = parts
            .iter()
            .map(|part| (part.part, part.version.to_string()))
            .collect();
        assert_eq!(
            versions,
            [
                (Part::Gateway, "1.15".to_owned()),
                (Part::Master, "2.7".to_owned())
            ]
        );
        assert_eq!(has_update(app, &anna).await["state"], "waiting");

        says(&mut battery, &job, "gateway", "1.15", "downloading", 30).await;
        let seen = shows(app, &anna, "page", json!(30)).await;
        assert_eq!(
            (&seen["update_started"], &seen["stage"]),
            (&json!(true), &json!("downloading"))
        );
        // The battery's own report is not enough: only a hello with the new version confirms it.
        says(&mut battery, &job, "gateway", "1.15", "confirmed", 100).await;
        assert_eq!(has_update(app, &anna).await["total_updates"], 2);
        says(&mut battery, &job, "gateway", "1.15", "rebooting", 97).await;
        drop(battery);
        app.clock.advance(10 * SECOND);
        let mut battery = greet(app, "1.15", "2.6").await;
        let seen = shows(app, &anna, "total_updates", json!(1)).await;
        assert_eq!(
            (&seen["page"], &seen["type"]),
            (&json!(0), &json!("master"))
        );
        says(&mut battery, &job, "master", "2.7", "installing", 80).await;
        drop(battery);
        app.clock.advance(10 * SECOND);
        let _battery = greet(app, "1.15", "2.7").await;
        let seen = shows(app, &anna, "state", json!("done")).await;
        assert_eq!(
            (
                &seen["new_update"],
                &seen["update_started"],
                &seen["page"],
                &seen["total_updates"]
            ),
            (&json!(false), &json!(false), &json!(100), &json!(0))
        );
        let history = call(app, &anna, "GET", &format!("/api/v1/history/?sn={SN}"));
        let history = history.send().await.expect(200).json();
        assert_eq!(
            (
                &history[0]["type"],
                &history[0]["from_version"],
                &history[0]["version"],
                &history[0]["state"]
            ),
            (
                &json!("master"),
                &json!("2.6"),
                &json!("2.7"),
                &json!("done")
            )
        );
    }
);

with_app!(
    after_an_update_the_progress_begins_anew_when_something_newer_is_offered,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = greet(app, "1.14", "2.6").await;
        roll_out(app, Part::Master, "2.7", 5).await;
        shows(app, &anna, "new_update", json!(true)).await;
        start(app, &anna, "1").await.expect(200);
        let (job, _) = assigned_update(app, &mut battery).await;
        says(&mut battery, &job, "master", "2.7", "failed", 0).await;
        // The same version is offered again; its last known result is the failure.
        let seen = shows(app, &anna, "page", json!(-1)).await;
        assert_eq!(seen["new_update"], true);
        roll_out(app, Part::Master, "2.8", 6).await;
        let seen = shows(app, &anna, "page", json!(0)).await;
        assert_eq!(
            (&seen["new_update"], &seen["updates"][0]["version"]),
            (&json!(true), &json!("2.8"))
        );
        let live = app.get("/api/auth/data/").bearer(&anna.access);
        let live = live.send().await.expect(200).json();
        assert_eq!(live["data"][0][SN]["update_progress"], 0);
    }
);

with_app!(a_form_that_says_something_twice_starts_nothing, |app| {
    let anna = app.owner("anna", SN).await;
    let _battery = greet(app, "1.14", "2.6").await;
    roll_out(app, Part::Master, "2.7", 5).await;
    shows(app, &anna, "new_update", json!(true)).await;
    for fields in [
        [("sn", "SC000009"), ("sn", SN), ("update", "1")],
        [("sn", SN), ("update", "0"), ("update", "1")],
    ] {
        let twice = call(app, &anna, "POST", "/api/v1/update/").multipart(&fields);
        assert_eq!(twice.send().await.expect(400).code(), "invalid_form");
    }
    let form = call(app, &anna, "POST", "/api/v1/update/").form(&[("sn", SN), ("update", "1")]);
    assert_eq!(form.send().await.expect(400).code(), "invalid_form");
    assert_eq!(has_update(app, &anna).await["state"], Value::Null);
});

with_app!(the_portal_answers_under_its_own_address_as_well, |app| {
    let anna = app.owner("anna", SN).await;
    app.owner("ben", "SC000002").await;
    let _battery = greet(app, "1.14", "2.6").await;
    roll_out(app, Part::Master, "2.7", 5).await;
    shows(app, &anna, "new_update", json!(true)).await;
    let ask = async |sn: &str| {
        let call = app.get(&format!("/api/v1/has_update?sn={sn}"));
        call.bearer(&anna.access).send().await
    };
    assert_eq!(ask(SN).await.expect(200).json()["total_updates"], 1);
    ask("SC000002").await.expect(404);
    app.get(&format!("/api/v1/has_update?sn={SN}"))
        .send()
        .await
        .expect(401);
    let start = app.post("/api/v1/update/", &[]).bearer(&anna.access);
    let start = start.multipart(&[("sn", SN), ("update", "1")]);
    start.send().await.expect(200);
    shows(app, &anna, "state", json!("waiting")).await;
    let history = app.get(&format!("/api/v1/history/?sn={SN}"));
    let history = history.bearer(&anna.access).send().await.expect(200);
    assert_eq!(history.json()[0]["version"], "2.7");
    // Images are for batteries, which use the update service's address.
    let image = manifest(Part::Master, "2.7", 5).digest();
    let image = app.get(&format!("/api/v1/image/{image}"));
    image.bearer(&anna.access).send().await.expect(404);
});

with_app!(
    an_update_that_falls_silent_is_interrupted_and_a_late_return_repairs_it,
    |app| {
        let anna = app.owner("anna", SN).await;
        let mut battery = greet(app, "1.14", "2.6").await;
        roll_out(app, Part::Master, "2.7", 5).await;
        shows(app, &anna, "new_update", json!(true)).await;
        start(app, &anna, "1").await.expect(200);
        start(app, &anna, "1").await.expect(200);
        let (job, _) = assigned_update(app, &mut battery).await;
        says(&mut battery, &job, "master", "2.7", "installing", 70).await;
        shows(app, &anna, "page", json!(70)).await;
        assert_eq!(
            start(app, &anna, "0").await.expect(409).code(),
            "update_running"
        );
        // The job that runs every second, in one process.
        let interrupt = async || {
            let interrupted = app.service.interrupt_stalled_updates().await;
            interrupted.unwrap().len()
        };
        app.clock.advance(119 * SECOND);
        assert_eq!(interrupt().await, 0);
        app.clock.advance(SECOND);
        assert_eq!(interrupt().await, 1);
        let seen = shows(app, &anna, "page", json!(-1)).await;
        assert_eq!(seen["state"], "interrupted");
        says(&mut battery, &job, "master", "2.7", "installing", 75).await;
        shows(app, &anna, "page", json!(75)).await;
        app.clock.advance(DAY);
        assert_eq!(interrupt().await, 1);
        let anna = app.log_in("anna@example.com", false).await;
        shows(app, &anna, "state", json!("interrupted")).await;
        let _battery = greet(app, "1.14", "2.7").await;
        shows(app, &anna, "state", json!("done")).await;
    }
);

with_app!(an_update_that_waits_can_be_withdrawn, |app| {
    let anna = app.owner("anna", SN).await;
    greet(app, "1.14", "2.6").await.disconnect().await;
    roll_out(app, Part::Master, "2.7", 5).await;
    shows(app, &anna, "new_update", json!(true)).await;
    start(app, &anna, "1").await.expect(200);
    shows(app, &anna, "state", json!("waiting")).await;
    start(app, &anna, "0").await.expect(200);
    let seen = shows(app, &anna, "state", json!("cancelled")).await;
    assert_eq!(
        (&seen["new_update"], &seen["update_started"]),
        (&json!(true), &json!(false))
    );
});

with_app!(
    a_battery_that_goes_back_says_why_and_three_of_them_stop_the_roll_out,
    |app| {
        let id = roll_out(app, Part::Master, "2.7", 5).await;
        let mut people = Vec::new();
        for n in 1..=4 {
            people.push(
                app.owner(&format!("owner-{n}"), &format!("SC00000{n}"))
                    .await,
            );
        }
        let mut batteries = Vec::new();
        for n in 1..=4 {
            let sn = format!("SC00000{n}");
            let mut battery = MqttBattery::connect(app.devices, &sn).await;
            battery.subscribe(&[&format!("v1/d/{sn}/down/#")]).await;
            let hello = battery.hello(app.clock.now());
            let versions = json!({"fw": {"g": "1.14", "m": "2.6", "sl": null, "off": 0}});
            battery
                .report("hello", merge(hello, versions).to_string())
                .await;
            let serial = sn.parse().unwrap();
            eventually("it is offered", async || {
                !app.portal.live.offered(&serial).is_empty()
            })
            .await;
            batteries.push(battery);
        }
        for n in 1..=3_usize {
            let (sn, battery) = (format!("SC00000{n}"), &mut batteries[n - 1]);
            app.order_update(&people[n - 1], &sn, "1").await.expect(200);
            let told = battery.next_message_on("fw").await;
            let text: Value = serde_json::from_str(told["assignment"].as_str().unwrap()).unwrap();
            let failed = json!({
                "job": text["job"], "part": "master", "ver": "2.7", "st": "failed", "pg": 0, "err": "rolled_back",
            });
            battery.report("fw", failed.to_string()).await;
            app.service.advance_rollouts().await.unwrap();
            let releases = app.store.firmware_releases().await.unwrap();
            let state = releases
                .iter()
                .find(|release| release.id == id)
                .unwrap()
                .state;
            let want = match n {
                3 => ReleaseState::Stopped,
                _ => ReleaseState::Running,
            };
            assert_eq!(state, want, "after {n} failures");
        }
        let seen = has_update(app, &people[0]).await;
        assert_eq!(
            (&seen["page"], &seen["state"], &seen["error"]["code"]),
            (&json!(-1), &json!("failed"), &json!("rolled_back"))
        );
        eventually("the rest is not offered it", async || {
            app.portal
                .live
                .offered(&"SC000004".parse().unwrap())
                .is_empty()
        })
        .await;
        let late = app
            .order_update(&people[3], "SC000004", "1")
            .await
            .expect(409);
        assert_eq!(late.code(), "no_update");
    }
);

with_app!(what_is_not_right_is_not_published, |app| {
    let good = manifest(Part::Master, "2.7", 5);
    let key = release_key().public();
    let trusted = app.service.trust_release_key(&key, false).await;
    trusted.unwrap();
    let try_to = async |sealed: SignedText, image: &[u8]| {
        let new = NewRelease {
            signed_manifest: &sealed,
            image,
            notes: &ReleaseNotes::default(),
            soak: HOUR,
        };
        app.service.publish_firmware(new).await.unwrap()
    };
    let sealed = good.sign(&release_key());
    let mut flipped = IMAGE.to_vec();
    flipped[7] ^= 1;
    assert_eq!(
        try_to(sealed.clone(), &flipped).await,
        Err(Fault::WrongImage)
    );
    let text = sealed.text().replace("\"seq\":5", "\"seq\":6");
    let forged = SignedText::new(text, &sealed.signature_hex()).unwrap();
    assert_eq!(try_to(forged, IMAGE).await, Err(Fault::Signature));
    let other = good.sign(&SecretKey::new([1; 32]));
    assert_eq!(try_to(other, IMAGE).await, Err(Fault::Signature));
    let old = Manifest {
        expires_at: NOON,
        ..good.clone()
    };
    assert_eq!(
        try_to(old.sign(&release_key()), IMAGE).await,
        Err(Fault::Expired)
    );
    assert!(try_to(sealed, IMAGE).await.is_ok());
    let lower = manifest(Part::Master, "2.8", 5);
    assert_eq!(
        try_to(lower.sign(&release_key()), IMAGE).await,
        Err(Fault::OldSequence)
    );
});

with_app!(
    an_image_is_loaded_by_its_battery_alone_and_from_any_byte,
    |app| {
        let anna = app.owner("anna", SN).await;
        app.owner("ben", "SC000002").await;
        let mut battery = greet(app, "1.14", "2.6").await;
        roll_out(app, Part::Master, "2.7", 5).await;
        shows(app, &anna, "new_update", json!(true)).await;
        let path = format!(
            "/api/v1/image/{}",
            manifest(Part::Master, "2.7", 5).digest()
        );
        let load = |sn: &str, secret: &str| {
            let login = BASE64.encode(format!("{sn}:{secret}"));
            let get = Call::new(app.updates, "GET".parse().unwrap(), &path);
            get.header("authorization", &format!("Basic {login}"))
        };
        load(SN, &secret(SN)).send().await.expect(404);
        start(app, &anna, "1").await.expect(200);
        assigned_update(app, &mut battery).await;
        let whole = load(SN, &secret(SN)).send().await.expect(200);
        assert_eq!(whole.text.as_bytes(), IMAGE);
        let rest = load(SN, &secret(SN))
            .header("range", "bytes=10-")
            .send()
            .await
            .expect(206);
        assert_eq!(rest.text.as_bytes(), &IMAGE[10..]);
        let size = IMAGE.len();
        let range = rest.headers["content-range"].to_str().unwrap().to_owned();
        assert_eq!(range, format!("bytes 10-{}/{size}", size - 1));
        load(SN, &secret(SN))
            .header("range", "bytes=9999-")
            .send()
            .await
            .expect(416);
        load(SN, "wrong").send().await.expect(401);
        load("SC000002", &secret("SC000002"))
            .send()
            .await
            .expect(404);
        call(app, &anna, "GET", &path).send().await.expect(403);
    }
);

with_app!(only_the_portals_pages_may_ask_from_a_browser, |app| {
    let ask = async |origin: &str| {
        let preflight = Call::new(app.updates, "OPTIONS".parse().unwrap(), "/api/v1/update/");
        let preflight = preflight
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization");
        let answer = preflight.send().await;
        let allowed = answer.headers.get("access-control-allow-origin").cloned();
        allowed.map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(ask(PUBLIC_URL).await.as_deref(), Some(PUBLIC_URL));
    assert_ne!(
        ask("https://evil.example").await.as_deref(),
        Some("https://evil.example")
    );
});

with_app!(somebody_elses_system_has_no_update_to_see, |app| {
    let anna = app.owner("anna", SN).await;
    app.owner("ben", "SC000002").await;
    for sn in ["SC000002", "SC999999", "1"] {
        for path in [
            format!("/api/v1/has_update?sn={sn}"),
            format!("/api/v1/history/?sn={sn}"),
        ] {
            call(app, &anna, "GET", &path).send().await.expect(404);
        }
    }
    let guest = Call::new(
        app.updates,
        "GET".parse().unwrap(),
        &format!("/api/v1/has_update?sn={SN}"),
    );
    guest.send().await.expect(401);
});

with_app!(a_household_is_updated_with_one_order_and_one_mail, |app| {
    const SECOND: &str = "SC000002";
    let anna = app.owner("anna", SN).await;
    let code = app.code(&[&app.device(SECOND).await]).await;
    let linked = app.post("/api/auth/usr_sn/", &[("keys", &code)]);
    linked.bearer(&anna.access).send().await.expect(200);
    let ben = app.owner("ben", "SC000003").await;
    let eva = app.electrician("eva").await;
    for (owner, sn) in [(&anna, SN), (&anna, SECOND), (&ben, "SC000003")] {
        app.grant(owner, &eva, sn, "service").await;
    }
    roll_out(app, Part::Gateway, "1.15", 2).await;
    let both = format!("{SN},{SECOND}");
    let _first = greet(app, "1.14", "2.6").await;
    shows(app, &eva, "new_update", json!(true)).await;
    // The second has not said yet what it has: none starts.
    app.order_update(&eva, &both, "1").await.expect(409);
    assert_eq!(has_update(app, &eva).await["update_started"], false);
    let of_two = format!("{SN},SC000003");
    let refused = app.order_update(&eva, &of_two, "1").await.expect(400);
    assert_eq!(refused.code(), "sn:other_household");
    let _second = greet_as(app, SECOND, "1.14", "2.6").await;
    eventually("the second is offered the update", async || {
        let started = app.order_update(&eva, &both, "1").await;
        started.status == 200
    })
    .await;
    let mails = app.sent_mails().await.into_iter();
    let told: Vec<_> = mails
        .filter(|mail| mail.to == anna.email && mail.subject.contains("aktualisiert"))
        .collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].text.contains("Ihre Speicher SC000001, SC000002"));
    assert!(told[0].text.contains("/update"));
    // Repeated, it finds the open update and sends no mail.
    let mails = app.sent_mails().await.len();
    app.order_update(&eva, &both, "1").await.expect(200);
    assert_eq!(app.sent_mails().await.len(), mails);
});

with_app!(
    an_electrician_with_service_updates_and_the_owner_is_told,
    |app| {
        let anna = app.owner("anna", SN).await;
        let (eva, max) = (app.electrician("eva").await, app.electrician("max").await);
        app.grant(&anna, &eva, SN, "service").await;
        app.grant(&anna, &max, SN, "configure").await;
        roll_out(app, Part::Gateway, "1.15", 2).await;
        let _battery = greet(app, "1.14", "2.6").await;
        shows(app, &eva, "new_update", json!(true)).await;
        start(app, &max, "1").await.expect(403);
        start(app, &eva, "1").await.expect(200);
        let mails = app.sent_mails().await;
        let told = mails.iter().rev().find(|mail| mail.to == anna.email);
        let told = told.unwrap();
        assert_eq!(told.subject, "Ihr Speicher wird aktualisiert");
        assert!(
            told.text
                .contains("Elektro Sonnenberg hat ein Update für Ihren Speicher SC000001")
        );
        let journal = app.get("/api/auth/journal/?kind=update");
        let journal = journal.bearer(&anna.access).send().await.expect(200).json();
        let line = &journal["lines"][0];
        assert_eq!(
            (&line["event"], &line["who"]),
            (&json!("update_started"), &json!("Elektro Sonnenberg"))
        );
        // An owner who starts the update needs no notification.
        start(app, &anna, "0").await.expect(200);
        start(app, &anna, "1").await.expect(200);
        assert_eq!(app.sent_mails().await.len(), mails.len());
    }
);
