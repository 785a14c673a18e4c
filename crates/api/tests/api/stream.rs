//! Live data as it changes: the snapshot first, then each change, until the session ends.
#![allow(clippy::unwrap_used)]
use api::{PortalConfig, StreamOptions};
use axum::body::Body;
use axum::http::Request;
use axum::http::header::{AUTHORIZATION, HOST};
use futures_util::StreamExt as _;
use serde_json::Value;
use std::time::Duration;
use testkit::http::StreamingResponse;
use testkit::{NOON, Person, TestApp, eventually, on_both, with_app};
use tokio::time::timeout;
use tower::ServiceExt as _;

/// Nothing here takes long; a test that waits for this has failed.
const EVENT_TIMEOUT: Duration = Duration::from_secs(20);

async fn open(app: &TestApp, person: &Person) -> StreamingResponse {
    let call = app.get("/api/auth/stream/").bearer(&person.access);
    call.open().await
}

async fn event(flow: &mut StreamingResponse) -> Option<String> {
    timeout(EVENT_TIMEOUT, flow.event())
        .await
        .expect("an event or the end")
}

/// The id and the document of an event.
fn read(event: &str) -> (i64, Value) {
    let (id, event) = event.split_once('\n').unwrap();
    let id = id.strip_prefix("id: ").unwrap();
    (id.parse().unwrap(), piece(event))
}

/// The document of an event that has no id.
fn piece(event: &str) -> Value {
    let data = event.strip_prefix("event: data\ndata: ").unwrap();
    assert_eq!(data.lines().count(), 1);
    serde_json::from_str(data).unwrap()
}

fn fast(settings: &mut PortalConfig) {
    settings.stream = StreamOptions {
        batch_window: Duration::from_millis(20),
        keep_alive: Duration::from_millis(100),
        session_check_interval: Duration::from_millis(50),
        ..StreamOptions::default()
    };
}

with_app!(
    a_stream_begins_with_every_system_and_goes_on_with_changes,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let battery = app.battery("SC000001");
        battery.hello(|_| {}).await;
        let mut flow = open(app, &anna).await;
        assert_eq!(flow.status, 200);
        assert_eq!(flow.headers["content-type"], "text/event-stream");
        assert_eq!(flow.headers["cache-control"], "no-store");
        assert_eq!(flow.headers["x-accel-buffering"], "no");
        assert!(!flow.headers.contains_key("content-encoding"));
        let (first, snapshot) = read(&event(&mut flow).await.unwrap());
        let call = app.get("/api/auth/data/").bearer(&anna.access);
        assert_eq!(snapshot, call.send().await.expect(200).json());
        battery
            .sample(|sample| sample.grid_power = Some(1_234))
            .await;
        let (second, change) = read(&event(&mut flow).await.unwrap());
        assert_eq!(change["data"][0]["SC000001"]["grid_power"], 1_234);
        assert!(second > first);
    }
);

with_app!(the_systems_are_watched_while_somebody_looks, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    assert_eq!(app.bus.live.watched_until(&battery.sn), None);
    let mut flow = open(app, &anna).await;
    event(&mut flow).await.unwrap();
    assert!(app.bus.live.watched_until(&battery.sn).unwrap() > NOON);
});

/// An owner of five systems.
async fn owner_of_five(app: &TestApp) -> Person {
    let mut serials = Vec::new();
    for n in 1..=5 {
        serials.push(app.device(&format!("SC00000{n}")).await);
    }
    let code = app.code(&serials.iter().collect::<Vec<_>>()).await;
    let form = app.owner_form("anna@example.com", &code);
    let call = app.post("/api/auth/register/", &form);
    call.send().await.expect(201);
    app.log_in("anna@example.com", false).await
}

on_both!(many_systems_begin_a_few_at_a_time_and_miss_nothing, |db| {
    let few = |settings: &mut PortalConfig| settings.stream.max_systems_per_event = 2;
    let app = TestApp::start_with(db, few).await;
    let anna = owner_of_five(&app).await;
    let mut flow = open(&app, &anna).await;
    let mut told: Vec<Value> = Vec::new();
    let mut sizes = Vec::new();
    let mut flags = serde_json::Map::new();
    for n in 0..3 {
        let event = event(&mut flow).await.unwrap();
        // Only the last event has an id, because only a client that has everything may resume.
        let piece = match n {
            0 | 1 => piece(&event),
            _ => read(&event).1,
        };
        let entries = piece["data"].as_array().unwrap();
        sizes.push(entries.len());
        told.extend(entries.iter().cloned());
        flags.extend(piece["message3"].as_object().unwrap().clone());
    }
    // The third event has one system and the combined entry.
    assert_eq!(sizes, [2, 2, 2]);
    let call = app.get("/api/auth/data/").bearer(&anna.access);
    let whole = call.send().await.expect(200).json();
    assert_eq!(Value::Array(told), whole["data"]);
    assert_eq!(Value::Object(flags), whole["message3"]);
    drop(flow);
    app.stop().await;
});

on_both!(a_stream_that_still_begins_ends_with_the_session, |db| {
    let few = |settings: &mut PortalConfig| settings.stream.max_systems_per_event = 2;
    let app = TestApp::start_with(db, few).await;
    let anna = owner_of_five(&app).await;
    // Without a connection, so that nothing is read ahead of the test.
    let request = Request::get("/api/auth/stream/").header(HOST, "test");
    let request = request.header(AUTHORIZATION, format!("Bearer {}", anna.access));
    let request = request.body(Body::empty()).unwrap();
    let router = api::portal(app.portal.clone());
    let answer = router.oneshot(request).await.unwrap();
    let mut parts = answer.into_body().into_data_stream();
    parts.next().await.unwrap().unwrap();
    let out = app
        .post("/api/auth/logout/", &[])
        .bearer(&anna.access)
        .send();
    out.await.expect(204);
    assert!(parts.next().await.is_none());
    app.stop().await;
});

on_both!(who_comes_back_hears_only_what_changed_meanwhile, |db| {
    let app = TestApp::start(db).await;
    let anna = owner_of_five(&app).await;
    for n in 1..=5 {
        let battery = app.battery(&format!("SC00000{n}"));
        battery.hello(|_| {}).await;
        let live = &app.bus.live;
        eventually("its day is read", async || {
            live.get(&battery.sn).unwrap().today().is_some()
        })
        .await;
    }
    let mut flow = open(&app, &anna).await;
    let (_, all) = read(&event(&mut flow).await.unwrap());
    assert_eq!(all["data"].as_array().unwrap().len(), 6);
    drop(flow);
    app.clock.advance(domain::clock::MINUTE);
    let left = app.clock.now();
    app.clock.advance(domain::clock::SECOND);
    let battery = app.battery("SC000002");
    battery.sample(|_| {}).await;
    app.clock.advance(domain::clock::MINUTE);
    let call = app.get("/api/auth/stream/").bearer(&anna.access);
    let mut flow = call.header("last-event-id", &left.to_string()).open().await;
    let (id, changed) = read(&event(&mut flow).await.unwrap());
    assert!(id >= app.clock.now());
    let changed = changed["data"].as_array().unwrap().iter();
    let told: Vec<&String> = changed
        .flat_map(|entry| entry.as_object().unwrap().keys())
        .collect();
    assert_eq!(told, ["SC000002", "-1"]);
    drop(flow);
    app.stop().await;
});

on_both!(of_a_fleet_only_the_system_on_screen_is_watched, |db| {
    let few = |settings: &mut PortalConfig| settings.stream.max_watched = 4;
    let app = TestApp::start_with(db, few).await;
    let anna = owner_of_five(&app).await;
    let watched = |app: &TestApp| {
        let sn = |n: i32| format!("SC00000{n}").parse().unwrap();
        let watched = (1..=5).filter(|n| app.bus.live.watched_until(&sn(*n)).is_some());
        watched.collect::<Vec<_>>()
    };
    let mut flow = open(&app, &anna).await;
    event(&mut flow).await.unwrap();
    assert!(watched(&app).is_empty());
    let call = app.get("/api/auth/stream/?sn=SC000003");
    let mut flow = call.bearer(&anna.access).open().await;
    let (_, all) = read(&event(&mut flow).await.unwrap());
    assert_eq!(all["data"].as_array().unwrap().len(), 6);
    assert_eq!(watched(&app), [3]);
    drop(flow);
    app.stop().await;
});

with_app!(a_system_that_one_may_no_longer_see_is_passed_over, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.device("SC000009").await;
    let call = app.get("/api/auth/stream/?sn=SC000009");
    let mut flow = call.bearer(&anna.access).open().await;
    let (_, all) = read(&event(&mut flow).await.unwrap());
    assert!(all["data"][0]["SC000001"].is_object());
    let watched = |sn: &str| app.bus.live.watched_until(&sn.parse().unwrap());
    assert_eq!((watched("SC000001"), watched("SC000009")), (None, None));
});

on_both!(changes_within_a_moment_share_an_event, |db| {
    let slow =
        |settings: &mut PortalConfig| settings.stream.batch_window = Duration::from_millis(300);
    let app = TestApp::start_with(db, slow).await;
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    let mut flow = open(&app, &anna).await;
    event(&mut flow).await.unwrap();
    for power in 1..=5 {
        battery
            .sample(|sample| sample.grid_power = Some(power))
            .await;
    }
    let mut events = 0;
    loop {
        events += 1;
        let (_, change) = read(&event(&mut flow).await.unwrap());
        if change["data"][0]["SC000001"]["grid_power"] == 5 {
            break;
        }
    }
    assert!(events <= 2, "{events} events for five samples at once");
    drop(flow);
    app.stop().await;
});

on_both!(a_silent_stream_says_that_it_lives, |db| {
    let app = TestApp::start_with(db, fast).await;
    let anna = app.owner("anna", "SC000001").await;
    let mut flow = open(&app, &anna).await;
    event(&mut flow).await.unwrap();
    for _ in 0..3 {
        assert_eq!(event(&mut flow).await.unwrap(), ": still here");
    }
    drop(flow);
    app.stop().await;
});

/// Reads to the end.
async fn end(flow: &mut StreamingResponse) {
    while event(flow).await.is_some() {}
}

with_app!(a_stream_ends_within_5_seconds_of_the_logout, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let mut flow = open(app, &anna).await;
    event(&mut flow).await.unwrap();
    let logout = app.post("/api/auth/logout/", &[]).bearer(&anna.access);
    logout.send().await.expect(204);
    timeout(Duration::from_secs(5), end(&mut flow))
        .await
        .expect("the end of the stream");
});

on_both!(
    a_stream_ends_with_its_session_its_account_or_its_systems,
    |db| {
        let app = TestApp::start_with(db, fast).await;
        let anna = app.owner("anna", "SC000001").await;
        let mut flow = open(&app, &anna).await;
        event(&mut flow).await.unwrap();
        let unlink = app.call("DELETE", "/api/auth/usr_sn/SC000001/");
        let unlink = unlink.form(&[("password", testkit::PASSWORD)]);
        unlink.bearer(&anna.access).send().await.expect(204);
        end(&mut flow).await;

        let ben = app.owner("ben", "SC000002").await;
        let mut flow = open(&app, &ben).await;
        event(&mut flow).await.unwrap();
        app.clock.advance(13 * domain::clock::HOUR);
        end(&mut flow).await;
        open(&app, &ben).await;

        let cleo = app.owner("cleo", "SC000003").await;
        let mut flow = open(&app, &cleo).await;
        event(&mut flow).await.unwrap();
        let account = app.account_id(&cleo.email).await;
        app.service.erase_account(account).await.unwrap();
        end(&mut flow).await;
        app.stop().await;
    }
);

on_both!(a_stop_of_the_server_ends_every_stream_at_once, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", "SC000001").await;
    let mut flow = open(&app, &anna).await;
    event(&mut flow).await.unwrap();
    let stopped = tokio::spawn(app.stop());
    timeout(Duration::from_secs(5), end(&mut flow))
        .await
        .expect("the end of the stream");
    stopped.await.unwrap();
});

with_app!(
    a_login_has_a_handful_of_streams_and_gets_its_places_back,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let mut flows = Vec::new();
        for _ in 0..6 {
            let mut flow = open(app, &anna).await;
            event(&mut flow).await.unwrap();
            flows.push(flow);
        }
        let call = app.get("/api/auth/stream/").bearer(&anna.access);
        let answer = call.send().await.expect(429);
        assert_eq!(answer.code(), "too_many_streams");
        assert_eq!(answer.headers["retry-after"], "10");
        drop(flows);
        let again = async {
            while open(app, &anna).await.status != 200 {
                tokio::task::yield_now().await;
            }
        };
        timeout(EVENT_TIMEOUT, again).await.expect("a place");
    }
);

with_app!(ids_go_on_after_a_reconnection, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let last = NOON + 1_000_000;
    let call = app.get("/api/auth/stream/").bearer(&anna.access);
    let mut flow = call.header("last-event-id", &last.to_string()).open().await;
    let (id, snapshot) = read(&event(&mut flow).await.unwrap());
    assert_eq!(id, last + 1);
    assert!(snapshot["data"][0]["SC000001"].is_object());
});

with_app!(a_change_of_somebody_elses_system_is_not_heard, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.owner("ben", "SC000002").await;
    let mut flow = open(app, &anna).await;
    event(&mut flow).await.unwrap();
    app.battery("SC000002").hello(|_| {}).await;
    app.battery("SC000002").sample(|_| {}).await;
    app.battery("SC000001").hello(|_| {}).await;
    let (_, change) = read(&event(&mut flow).await.unwrap());
    assert!(!change.to_string().contains("SC000002"));
    assert!(change["data"][0]["SC000001"].is_object());
});

/// The next event with this name, and its document.
async fn named(flow: &mut StreamingResponse, name: &str) -> Value {
    loop {
        let event = event(flow).await.unwrap();
        let mut lines = event.lines();
        if lines.nth(1) == Some(&format!("event: {name}")) {
            let data = lines.next().unwrap().strip_prefix("data: ").unwrap();
            return serde_json::from_str(data).unwrap();
        }
    }
}

with_app!(settings_and_commands_are_told_as_they_change, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let mut flow = open(app, &anna).await;
    event(&mut flow).await.unwrap();
    let path = "/api/auth/settings/?sn=SC000001";
    let fields = [("version", "0"), ("reserve_soc", "30")];
    app.post(path, &fields)
        .bearer(&anna.access)
        .send()
        .await
        .expect(200);
    let saved = named(&mut flow, "settings").await;
    assert_eq!(
        saved,
        app.get(path).bearer(&anna.access).send().await.json()
    );
    let fields = [
        ("sn", "SC000001"),
        ("command", "auto"),
        ("key", "a-key-of-anna"),
    ];
    let given = app
        .post("/api/auth/command/", &fields)
        .bearer(&anna.access)
        .send()
        .await;
    let given = given.expect(201).json();
    assert_eq!(named(&mut flow, "command").await, given);
    let mut battery = testkit::MqttBattery::connect(app.devices, "SC000001").await;
    battery.subscribe_and_say_hello(NOON, 0).await;
    assert_eq!(named(&mut flow, "command").await["state"], "sent");
    let report = battery.applied(
        1,
        serde_json::json!({"reserve_soc": 30}),
        serde_json::json!({}),
    );
    battery.report("rep", report.to_string()).await;
    assert_eq!(
        named(&mut flow, "settings").await["reported"]["reserve_soc"],
        30
    );
    let id = given["id"].as_str().unwrap();
    let answer = battery.answer(id, serde_json::json!(1), "ok", serde_json::json!({}));
    battery.report("res", answer.to_string()).await;
    assert_eq!(named(&mut flow, "command").await["state"], "done");
});

with_app!(
    a_portal_that_drains_is_not_ready_ends_streams_and_answers_everything_else,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shutdown = bus::Shutdown::default();
        let connections = domain::connections::Connections::default();
        let router = api::portal(app.portal.clone());
        let serving = api::serve(listener, connections, router, None, shutdown.clone());
        let serving = tokio::spawn(serving);
        let get = |path: &str| testkit::http::Call::new(address, "GET".parse().unwrap(), path);
        let mut flow = get("/api/auth/stream/").bearer(&anna.access).open().await;
        event(&mut flow).await.unwrap();
        get("/readyz").send().await.expect(200);

        let draining = shutdown.clone();
        let draining = tokio::spawn(async move { draining.drain(EVENT_TIMEOUT / 20).await });
        eventually("it is not ready", async || {
            get("/readyz").send().await.status == 503
        })
        .await;
        while event(&mut flow).await.is_some() {}
        draining.await.unwrap();
        get("/healthz").send().await.expect(200);
        let data = get("/api/auth/data/").bearer(&anna.access);
        data.send().await.expect(200);
        shutdown.stop().cancel();
        serving.await.unwrap();
    }
);
