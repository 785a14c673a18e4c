//! Several processes on one PostgreSQL: each sees what another commits, and reaches batteries wherever they are connected, whether
//! they inform each other by the database or by NATS.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::clock::MINUTE;
use domain::firmware::Part;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::battery::{MqttLogin, merge};
use testkit::firmware::{IMAGE, manifest};
use testkit::http::StreamingResponse;
use testkit::{MqttBattery, NOON, Person, TestApp, TestDb, between_processes, eventually};

/// Two portals with an endpoint each on one database.
pub(crate) async fn two(db: &TestDb) -> (TestApp, TestApp) {
    let other = db.for_another_process().await;
    let (here, there) = (TestApp::start(db).await, TestApp::start(&other).await);
    here.device("SC000001").await;
    let sn = "SC000001".parse().unwrap();
    // Listening begins a moment after the start; earlier changes are read from the database.
    eventually("both hear each other", async || {
        for app in [&here, &there] {
            app.portal
                .live
                .hold(std::slice::from_ref(&sn))
                .await
                .unwrap();
        }
        here.portal.live.watch(&sn, here.clock.now() + MINUTE);
        there.portal.live.watch(&sn, there.clock.now() + MINUTE);
        here.clock.advance(10_000);
        there.clock.advance(10_000);
        let heard = |app: &TestApp, other: &TestApp| {
            app.portal.live.watched_until(&sn) >= other.portal.live.watched_until(&sn)
        };
        heard(&here, &there) && heard(&there, &here) && here.clock.now() > NOON + 60_000
    })
    .await;
    (here, there)
}

pub(crate) async fn end(here: TestApp, there: TestApp) {
    here.stop().await;
    there.stop().await;
}

between_processes!(what_one_process_commits_the_other_shows, |db| {
    let (here, there) = two(db).await;
    let sn = "SC000001".parse().unwrap();
    let now = here.clock.now();
    let mut changes = there.portal.live.subscribe([sn]);
    let sn = "SC000001".parse().unwrap();
    let mut battery = MqttBattery::connect(here.devices, "SC000001").await;
    battery.say_hello(now).await;
    battery.measure(now).await;
    let event = battery.event(now, "meter_lost");
    battery.report("ev", event.to_string()).await;
    let told = tokio::time::timeout(Duration::from_secs(30), changes.next()).await;
    assert_eq!(told.unwrap().sn, sn);
    eventually("the other process shows all of it", async || {
        there.portal.live.get(&sn).is_some_and(|live| {
            live.online
                && live.since == Some(now)
                && live.sample.is_some_and(|sample| sample.at == now)
                && live.events.len() == 1
                && live.facts.capacity == Some(5200)
        })
    })
    .await;
    let (ours, theirs) = (
        here.portal.live.get(&sn).unwrap(),
        there.portal.live.get(&sn).unwrap(),
    );
    assert_eq!(ours.sample, theirs.sample);
    end(here, there).await;
});

between_processes!(a_battery_is_told_what_another_process_has_for_it, |db| {
    let (here, there) = two(db).await;
    let sn = "SC000002".parse().unwrap();
    let anna = there.owner("anna", "SC000002").await;
    let mut battery = MqttBattery::connect(here.devices, "SC000002").await;
    battery.subscribe_and_say_hello(here.clock.now(), 0).await;
    there
        .portal
        .live
        .hold(std::slice::from_ref(&sn))
        .await
        .unwrap();
    eventually("the other process knows it is there", async || {
        there.portal.live.get(&sn).is_some_and(|live| live.online)
    })
    .await;
    there
        .save_settings(&anna, "SC000002", &[("reserve_soc", "25")])
        .await;
    assert_eq!(
        battery.next_message_on("des").await["state"]["reserve_soc"],
        25
    );
    // A viewer opens the live view in the other process.
    there.clock.advance(5 * MINUTE);
    here.clock.advance(5 * MINUTE);
    let until = there.clock.now() + MINUTE;
    there.portal.live.watch(&sn, until);
    eventually("told that somebody looks", async || {
        battery.next_message_on("watch").await == json!({"until": until})
    })
    .await;
    end(here, there).await;
});

/// A setting is saved at one portal, for a battery that is connected to another process, and a third one shows it. Returns how long
/// it took until the battery had it and the page was told.
async fn save_setting(db: &TestDb) -> Duration {
    let (one, two) = (
        db.for_another_process().await,
        db.for_another_process().await,
    );
    let portal = TestApp::start(db).await;
    let (gateway, other_portal) = (TestApp::start(&one).await, TestApp::start(&two).await);
    let anna = portal.owner("anna", "SC000002").await;
    let mut battery = MqttBattery::connect(gateway.devices, "SC000002").await;
    battery.subscribe_and_say_hello(NOON, 0).await;
    let page = other_portal.get("/api/auth/stream/").bearer(&anna.access);
    let mut page = page.open().await;
    page.event().await.unwrap();

    let begun = Instant::now();
    portal
        .save_settings(&anna, "SC000002", &[("reserve_soc", "25")])
        .await;
    let (told, ()) = tokio::join!(battery.next_message_on("des"), shows(&mut page, "desired"));
    let took = begun.elapsed();
    eprintln!("a setting was everywhere after {took:?}");
    assert_eq!(told["state"]["reserve_soc"], 25);

    let version = told["ver"].as_i64().unwrap();
    let applied = battery.applied(version, json!({"reserve_soc": 25}), json!({}));
    battery.report("rep", applied.to_string()).await;
    shows(&mut page, "reported").await;
    end(portal, other_portal).await;
    gateway.stop().await;
    took
}

/// Waits until the page is told of 25 % as the desired or the reported reserve.
async fn shows(page: &mut StreamingResponse, which: &str) {
    let told = async {
        loop {
            let event = page.event().await.unwrap();
            let settings = event.split_once("event: settings\ndata: ");
            let settings = settings.map(|(_, data)| serde_json::from_str::<Value>(data).unwrap());
            if settings.is_some_and(|settings| settings[which]["reserve_soc"] == 25) {
                return;
            }
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(30), told).await;
    told.expect("the page is told");
}

between_processes!(
    a_setting_reaches_the_battery_and_the_pages_of_other_processes,
    |db| {
        save_setting(db).await;
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures: make soak"]
async fn soak_a_setting_is_everywhere_within_a_second() {
    for with_nats in [false, true] {
        let Some(mut db) = TestDb::postgres().await else {
            return;
        };
        if with_nats {
            db = db.with_nats();
        }
        let took = save_setting(&db).await;
        assert!(took <= Duration::from_secs(1), "{took:?}");
        db.close().await;
    }
}

between_processes!(
    how_far_an_update_is_the_others_hear_and_need_not_read,
    |db| {
        let (here, there) = two(db).await;
        let sn: Serial = "SC000002".parse().unwrap();
        here.owner("anna", "SC000002").await;
        let mut battery = MqttBattery::connect(here.devices, "SC000002").await;
        let versions = json!({"fw": {"m": "4.1", "g": "2.0", "sl": null, "off": 0}});
        let hello = merge(battery.hello(here.clock.now()), versions);
        battery.report("hello", hello.to_string()).await;
        battery.measure(here.clock.now()).await;
        let systems = std::slice::from_ref(&sn);
        there.portal.live.hold(systems).await.unwrap();
        here.roll_out(&manifest(Part::Master, "4.2", 5), IMAGE)
            .await;
        eventually("it is offered", async || {
            !here.portal.live.offered(&sn).is_empty()
        })
        .await;
        let access = here.household_access("SC000002").await;
        here.service.start_update(&access).await.unwrap();
        let shown = || there.portal.live.get(&sn)?.update.clone();
        eventually("the other process shows it", async || shown().is_some()).await;
        let job = shown().unwrap().id.clone();
        there.view_is_up_to_date().await;

        // From now on nobody can read a system again.
        let lock = db.lock_reads("forecasts").await;
        for progress in [20, 40] {
            battery.seq += 1;
            let report = json!({
                "b": battery.boot, "s": battery.seq, "job": job.as_str(), "part": "master", "ver": "4.2",
                "st": "downloading", "pg": progress,
            });
            battery.report("fw", report.to_string()).await;
        }
        eventually("the other process shows how far it is", async || {
            shown().is_some_and(|update| update.parts[0].progress == 40)
        })
        .await;
        lock.release().await;
        end(here, there).await;
    }
);

between_processes!(
    a_battery_that_connects_to_another_process_leaves_the_first,
    |db| {
        let (here, there) = two(db).await;
        let mut first = MqttBattery::connect(here.devices, "SC000001").await;
        first.say_hello(here.clock.now()).await;
        let sn = "SC000001".parse().unwrap();
        // Its connection was announced before.
        eventually("the other process knows it is there", async || {
            there.portal.live.get(&sn).is_some_and(|live| live.online)
        })
        .await;
        let mut second = MqttBattery::connect(there.devices, "SC000001").await;
        first.wait_until_closed().await;
        second.seq = 1;
        second.measure(there.clock.now()).await;
        assert_eq!(db.samples("SC000001").await.len(), 1);
        end(here, there).await;
    }
);

between_processes!(
    a_battery_that_is_blocked_by_one_process_leaves_the_other,
    |db| {
        let (here, there) = two(db).await;
        let sn = "SC000001".parse().unwrap();
        let mut battery = MqttBattery::connect(here.devices, "SC000001").await;
        battery.say_hello(here.clock.now()).await;
        there.service.block_device(&sn, true).await.unwrap();
        battery.wait_until_closed().await;
        end(here, there).await;
    }
);

between_processes!(
    a_battery_that_moves_a_hundred_times_never_counts_as_offline,
    |db| {
        let (here, there) = two(db).await;
        let sn: Serial = "SC000001".parse().unwrap();
        let since = here.clock.now();
        let mut former: Option<MqttBattery> = None;
        for turn in 0..100 {
            let app = if turn % 2 == 0 { &here } else { &there };
            let login = MqttLogin::with_will("SC000001", 1);
            let mut battery = MqttBattery::log_in(app.devices, login).await.unwrap();
            battery.seq = former.as_ref().map_or(0, |former| former.seq);
            battery.say_hello(since).await;
            battery.measure(since + turn).await;
            if let Some(mut former) = former.replace(battery) {
                former.wait_until_closed().await;
            }
            let presence = db.presence(&sn).await.unwrap().unwrap();
            assert!(presence.online && presence.since == since, "turn {turn}");
            for app in [&here, &there] {
                let shown = app.portal.live.get(&sn).unwrap();
                assert!(shown.online || turn == 0, "turn {turn}");
            }
        }
        assert_eq!(db.samples("SC000001").await.len(), 100);
        end(here, there).await;
    }
);

between_processes!(what_is_ended_in_one_process_is_over_in_the_other, |db| {
    let (here, there) = two(db).await;
    let anna = here.owner("anna", "SC000002").await;
    let eva = here.electrician("eva").await;
    let grant = here.grant(&anna, &eva, "SC000002", "service").await;
    let anna_elsewhere = here.log_in(&anna.email, false).await;
    let status = async |person: &Person| {
        let asked = there
            .get("/api/auth/system/SC000002/")
            .bearer(&person.access);
        asked.send().await.status
    };
    let statuses = async || {
        let (anna, elsewhere) = (status(&anna).await, status(&anna_elsewhere).await);
        [
            anna.as_u16(),
            elsewhere.as_u16(),
            status(&eva).await.as_u16(),
        ]
    };
    assert_eq!(statuses().await, [200, 200, 200]);

    let logout = here.post("/api/auth/logout/", &[]).bearer(&anna.access);
    logout.send().await.expect(204);
    assert_eq!(statuses().await, [401, 200, 200]);
    let refresh = [("refresh", anna.refresh.as_str())];
    let refreshed = there.post("/api/auth/token/refresh/", &refresh).send();
    assert_eq!(refreshed.await.status, 401);

    let ended = here.call("DELETE", &format!("/api/auth/grant/{grant}/"));
    ended
        .bearer(&anna_elsewhere.access)
        .send()
        .await
        .expect(204);
    assert_eq!(statuses().await, [401, 200, 404]);

    let email = anna.email.parse().unwrap();
    here.service.lock_account(&email, true).await.unwrap();
    assert_eq!(statuses().await, [401, 401, 404]);
    end(here, there).await;
});
