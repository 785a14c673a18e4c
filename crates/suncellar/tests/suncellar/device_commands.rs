//! Simulated batteries on the real link: settings and commands over HTTP take effect once and are reported.
#![allow(clippy::unwrap_used)]
use domain::clock::{HOUR, SECOND};
use domain::command::CommandState;
use domain::flags::{MESSAGE1, MESSAGE2, is_set};
use domain::sample::BatteryStatus;
use domain::{Command, Sample, Serial};
use serde_json::{Value, json};
use service::command::QueueResult;
use simulator::model::InitialState;
use simulator::wire::DeviceClock;
use simulator::{Device, ExecutedOrder, Fleet, FleetContext, Intervention, LinkFaults, Seed};
use std::collections::BTreeSet;
use std::time::Duration;
use store::command::CommandEntry;
use testkit::battery::secret;
use testkit::{NOON, PASSWORD, Person, TestApp, TestResponse, eventually, on_both};

const SN: &str = "SIM00001";

fn sn() -> Serial {
    SN.parse().unwrap()
}

fn device(device_clock: DeviceClock) -> Device {
    let start = InitialState {
        at: NOON,
        boot: 1,
        charge: 500,
        readings: [0; 5],
    };
    let mut device = Device::random(sn(), secret(SN).into_bytes(), 1, Seed::of(&sn(), 1), &start);
    device.device_clock = device_clock;
    device
}

fn context(app: &TestApp) -> FleetContext {
    let mut context = FleetContext::new(app.devices, Duration::from_millis(25), app.clock.clone());
    context.history_jitter = Duration::from_millis(100);
    context.accepts_interventions = true;
    context.record_executed_orders = true;
    context
}

/// An owner and their battery.
async fn home(app: &TestApp, context: FleetContext) -> (Person, Fleet) {
    let anna = app.owner("anna", SN).await;
    let fleet = Fleet::start(context, vec![device(DeviceClock::CORRECT)]);
    reports(app, |_| true).await;
    (anna, fleet)
}

/// Advances the clock until a sample matches.
async fn reports(app: &TestApp, shows: impl Fn(&Sample) -> bool) {
    let asked = app.clock.now();
    eventually("the battery shows it", async || {
        app.clock.advance(SECOND);
        let now = app.portal.live.get(&sn());
        let sample = now.and_then(|now| now.sample);
        sample.is_some_and(|sample| sample.at > asked && shows(&sample))
    })
    .await;
}

async fn read(app: &TestApp, person: &Person) -> Value {
    let call = app.get(&format!("/api/auth/settings/?sn={SN}"));
    call.bearer(&person.access).send().await.expect(200).json()
}

async fn save(app: &TestApp, person: &Person, fields: &[(&str, &str)]) {
    let version = read(app, person).await["version"].to_string();
    let mut all = vec![("version", version.as_str()), ("password", PASSWORD)];
    all.extend(fields);
    let call = app.post(&format!("/api/auth/settings/?sn={SN}"), &all);
    call.bearer(&person.access).send().await.expect(200);
}

/// Saves settings and waits until the battery has reported them.
async fn set(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> Value {
    save(app, person, fields).await;
    has_reported(app, person).await
}

async fn has_reported(app: &TestApp, person: &Person) -> Value {
    eventually("the battery has reported", async || {
        let seen = read(app, person).await;
        seen["version"] == seen["reported_version"]
    })
    .await;
    read(app, person).await
}

async fn give(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> TestResponse {
    let mut all = vec![("sn", SN)];
    all.extend(fields);
    let call = app.post("/api/auth/command/", &all);
    call.bearer(&person.access).send().await
}

/// Sends a command and waits until it has ended.
async fn run_command(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> Value {
    let given = give(app, person, fields).await.expect(201).json();
    ended(app, person, &given["id"]).await
}

async fn ended(app: &TestApp, person: &Person, id: &Value) -> Value {
    let path = format!("/api/auth/command/{}/", id.as_str().unwrap());
    let mut seen = Value::Null;
    eventually("the command has ended", async || {
        seen = app.get(&path).bearer(&person.access).send().await.json();
        !seen["ended_at"].is_null()
    })
    .await;
    seen
}

on_both!(a_window_visibly_changes_the_power_of_the_battery, |db| {
    let app = TestApp::start(db).await;
    let (anna, _fleet) = home(&app, context(&app)).await;
    reports(&app, |sample| sample.battery_power != Some(0)).await;
    let night = [
        ("charge_start", "01:00"),
        ("charge_end", "02:00"),
        ("discharge_start", "01:00"),
        ("discharge_end", "02:00"),
    ];
    let seen = set(&app, &anna, &night).await;
    assert_eq!(
        (&seen["state"], &seen["reported"]["charge_start"]),
        (&json!("applied"), &json!("01:00"))
    );
    reports(&app, |sample| sample.battery_power == Some(0)).await;
    let day = [
        ("charge_start", "00:00"),
        ("charge_end", "24:00"),
        ("discharge_start", "00:00"),
        ("discharge_end", "24:00"),
    ];
    set(&app, &anna, &day).await;
    reports(&app, |sample| sample.battery_power != Some(0)).await;
    app.stop().await;
});

on_both!(
    a_battery_that_was_set_before_its_first_contact_takes_everything,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", SN).await;
        save(&app, &anna, &[("reserve_soc", "35")]).await;
        let _fleet = Fleet::start(context(&app), vec![device(DeviceClock::CORRECT)]);
        let seen = has_reported(&app, &anna).await;
        assert_eq!(
            (&seen["state"], &seen["reported"]["reserve_soc"]),
            (&json!("applied"), &json!(35)),
            "{}",
            seen["errors"]
        );
        let most = &seen["fields"]["charge_power"]["max"];
        assert_eq!(&seen["desired"]["charge_power"], most);
        assert_eq!(&seen["reported"]["charge_power"], most);
        app.stop().await;
    }
);

on_both!(
    a_wrong_meter_address_silences_the_meter_and_fails_its_test,
    |db| {
        let app = TestApp::start(db).await;
        let (anna, _fleet) = home(&app, context(&app)).await;
        let test = run_command(
            &app,
            &anna,
            &[("command", "meter_test"), ("key", "test-number-1")],
        )
        .await;
        assert_eq!(
            (&test["state"], &test["code"]),
            (&json!("done"), &json!("passed"))
        );
        assert_eq!(test["data"]["steps"], 5);
        let phases = test["data"]["phases"].as_array().unwrap();
        assert!(phases.iter().all(|phase| phase["ok"] == true), "{phases:?}");
        set(&app, &anna, &[("meter_address", "77")]).await;
        reports(&app, |sample| {
            is_set(sample.flags.message2, MESSAGE2, "sm1")
        })
        .await;
        let given = give(
            &app,
            &anna,
            &[("command", "meter_test"), ("key", "test-number-2")],
        )
        .await;
        reports(&app, |sample| {
            is_set(sample.flags.message1, MESSAGE1, "sm_test")
        })
        .await;
        let test = ended(&app, &anna, &given.json()["id"]).await;
        assert_eq!(
            (&test["state"], &test["code"]),
            (&json!("failed"), &json!("meter_silent"))
        );
        set(&app, &anna, &[("meter_address", "1")]).await;
        reports(&app, |sample| sample.grid_power.is_some()).await;
        app.stop().await;
    }
);

on_both!(what_it_is_not_built_for_it_refuses_and_says_why, |db| {
    let app = TestApp::start(db).await;
    let (anna, _fleet) = home(&app, context(&app)).await;
    let seen = set(
        &app,
        &anna,
        &[("meter_type", "shelly3em"), ("reserve_soc", "35")],
    )
    .await;
    assert_eq!(seen["state"], "refused");
    assert_eq!(seen["errors"], json!({"meter_type": "needs_tcp"}));
    assert_eq!(
        (
            &seen["reported"]["meter_type"],
            &seen["reported"]["reserve_soc"]
        ),
        (&json!("adl400"), &json!(35))
    );
    app.stop().await;
});

on_both!(commands_are_obeyed, |db| {
    let app = TestApp::start(db).await;
    let (anna, _fleet) = home(&app, context(&app)).await;
    let done = async |command: &str, more: &[(&str, &str)]| {
        let key = format!("key-of-{command}");
        let mut fields = vec![("command", command), ("key", key.as_str())];
        fields.extend(more);
        run_command(&app, &anna, &fields).await["code"].clone()
    };
    assert_eq!(
        done("charge_to", &[("soc", "90"), ("power", "1000")]).await,
        "ok"
    );
    reports(&app, |sample| sample.battery_power == Some(-1_000)).await;
    let until = (app.clock.now() + HOUR).to_string();
    assert_eq!(done("hold", &[("until", &until)]).await, "ok");
    reports(&app, |sample| sample.battery_power == Some(0)).await;
    assert_eq!(done("auto", &[]).await, "ok");
    reports(&app, |sample| sample.battery_power != Some(0)).await;
    assert_eq!(done("calibrate", &[]).await, "ok");
    reports(&app, |sample| sample.status == BatteryStatus::Calibrating).await;
    assert_eq!(done("switch_off", &[]).await, "ok");
    reports(&app, |sample| sample.status == BatteryStatus::Off).await;
    let refused = run_command(
        &app,
        &anna,
        &[
            ("command", "charge_to"),
            ("key", "while-it-is-off"),
            ("soc", "50"),
        ],
    )
    .await;
    assert_eq!(
        (&refused["state"], &refused["code"]),
        (&json!("failed"), &json!("switched_off"))
    );
    assert_eq!(done("switch_on", &[]).await, "ok");
    reports(&app, |sample| sample.flags.switched_on()).await;
    // A switch that was turned remotely does not prove that somebody was at the battery.
    let events = app.newest_events(&sn()).await;
    assert!(
        events
            .iter()
            .all(|event| event.code != domain::EventCode::SwitchCycled)
    );
    app.stop().await;
});

on_both!(a_restart_is_answered_after_it, |db| {
    let app = TestApp::start(db).await;
    let (anna, fleet) = home(&app, context(&app)).await;
    let account = app.account_id(&anna.email).await;
    let access = app.store.access(account, &sn()).await.unwrap().unwrap();
    let key = "a-key-to-restart".parse().unwrap();
    let queued = app.service.queue_command(&access, &key, Command::Restart);
    let QueueResult::New(CommandEntry { id, .. }) = queued.await.unwrap() else {
        panic!("the key is new");
    };
    let seen = ended(&app, &anna, &json!(id.as_str())).await;
    assert_eq!(seen["state"], "done");
    reports(&app, |sample| sample.id.boot == 2).await;
    assert_eq!(
        fleet.executed_orders(&sn()),
        [ExecutedOrder::Command(id.to_string())]
    );
    app.stop().await;
});

on_both!(whatever_goes_wrong_on_the_way_each_is_done_once, |db| {
    let app = TestApp::start(db).await;
    let mut rough = context(&app);
    rough.link_faults = LinkFaults {
        duplicate: 0.2,
        reorder: 0.1,
        disconnect: 0.05,
        lose_ack: 0.1,
        max_offline: Duration::from_millis(200),
    };
    let (anna, fleet) = home(&app, rough).await;
    let mut ids = BTreeSet::new();
    for number in 0..12 {
        let soc = (20 + number).to_string();
        set(&app, &anna, &[("reserve_soc", &soc)]).await;
        let key = format!("key-number-{number}");
        let fields = [("command", "auto"), ("key", key.as_str())];
        let done = run_command(&app, &anna, &fields).await;
        assert_eq!(done["state"], "done");
        ids.insert(done["id"].as_str().unwrap().to_owned());
        // The client does not know that it worked and sends the request again.
        give(&app, &anna, &fields).await.expect(200);
    }
    let executed_orders = fleet.executed_orders(&sn());
    let applied: Vec<i64> = executed_orders
        .iter()
        .filter_map(|order| match order {
            ExecutedOrder::Settings(version) => Some(*version),
            ExecutedOrder::Command(_) => None,
        })
        .collect();
    assert_eq!(applied, (1..=12).collect::<Vec<i64>>());
    let obeyed: Vec<&String> = executed_orders
        .iter()
        .filter_map(|order| match order {
            ExecutedOrder::Command(id) => Some(id),
            ExecutedOrder::Settings(_) => None,
        })
        .collect();
    assert_eq!(obeyed.len(), 12);
    assert_eq!(obeyed.into_iter().cloned().collect::<BTreeSet<_>>(), ids);
    app.stop().await;
});

on_both!(
    a_late_command_is_refused_by_a_battery_whose_clock_is_wrong_too,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", SN).await;
        let behind = DeviceClock {
            error: -HOUR,
            quality: 1,
        };
        let fleet = Fleet::start(context(&app), vec![device(behind)]);
        reports(&app, |_| true).await;
        let late = CommandEntry {
            id: "0".repeat(24).parse().unwrap(),
            sn: sn(),
            command: "switch_off".to_owned(),
            args: json!({}),
            state: CommandState::Queued,
            created_at: app.clock.now() - HOUR,
            // In time by the battery's own clock, late by half an hour by ours.
            expires_at: app.clock.now() - HOUR / 2,
            sent_at: None,
            ended_at: None,
            code: None,
            data: None,
        };
        let late = bus::Delivery::Command(late);
        assert!(app.bus.downlink.send(&sn(), late));
        // A later command in time, on the same connection, is executed.
        let done = run_command(&app, &anna, &[("command", "auto"), ("key", "one-in-time")]).await;
        assert_eq!(done["state"], "done");
        assert_eq!(
            fleet.executed_orders(&sn()),
            [ExecutedOrder::Command(
                done["id"].as_str().unwrap().to_owned()
            )]
        );
        app.stop().await;
    }
);

on_both!(
    the_grid_operators_limit_is_shown_and_never_overridden,
    |db| {
        let app = TestApp::start(db).await;
        let (anna, fleet) = home(&app, context(&app)).await;
        let until = app.clock.now() + 6 * HOUR;
        assert!(fleet.intervene(&sn(), Intervention::Dim { limit: 300, until }));
        let fields = [
            ("command", "charge_to"),
            ("key", "as-much-as-it-can"),
            ("soc", "100"),
        ];
        run_command(&app, &anna, &fields).await;
        eventually("the limit is shown", async || {
            app.clock.advance(SECOND);
            read(&app, &anna).await["grid_limit"]["limit"] == 300
        })
        .await;
        reports(&app, |sample| sample.status == BatteryStatus::Charging).await;
        let sample = app.portal.live.get(&sn()).unwrap().sample.unwrap();
        let surplus = sample.pv_power.unwrap() - sample.house_power().unwrap();
        assert!(-sample.battery_power.unwrap() <= 300 + surplus.max(0));
        let journal = app
            .get("/api/auth/journal/?kind=battery")
            .bearer(&anna.access);
        assert!(journal.send().await.text.contains("§14a"));
        app.stop().await;
    }
);
