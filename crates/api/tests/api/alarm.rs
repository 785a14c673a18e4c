//! Alarms over HTTP: one per fault, visible to and acknowledged by permitted people, closed automatically, and mailed.
#![allow(clippy::unwrap_used)]
use domain::Sample;
use domain::alarm::{AlarmChange, AlarmKind};
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};
use domain::flags::{MESSAGE2, bit};
use domain::sample::BatteryStatus;
use serde_json::Value;
use testkit::{Person, Reporter, TestApp, TestDb, eventually, on_both, with_app};

const SN: &str = "SC000001";

fn bad_cell(sample: &mut Sample) {
    sample.flags.message2 |= bit(MESSAGE2, "bat");
}

fn well(_: &mut Sample) {}

/// For this long, the battery reports such a sample every 30 s, and alarms are checked each time.
async fn reports(app: &TestApp, battery: &Reporter<'_>, time: Millis, how: fn(&mut Sample)) {
    for _ in 0..time / (30 * SECOND) {
        app.clock.advance(30 * SECOND);
        let counting = |sample: &mut Sample| {
            sample.counters = [Some(sample.at / SECOND); 5];
            how(sample);
        };
        battery.sample(counting).await;
        app.check_alarms().await;
    }
}

/// Time passes while batteries could connect.
async fn passes(app: &TestApp, time: Millis) {
    for _ in 0..time / MINUTE {
        app.clock.advance(MINUTE);
        app.check_alarms().await;
    }
}

/// Logs in again, because the old session has expired meanwhile.
async fn again(app: &TestApp, person: &Person) -> Person {
    let electrician = person.email.starts_with("eva");
    app.log_in(&person.email, electrician).await
}

async fn alarms(app: &TestApp, person: &Person) -> Value {
    let person = again(app, person).await;
    let call = app.get("/api/auth/alarm/").bearer(&person.access);
    call.send().await.expect(200).json()
}

async fn live(app: &TestApp, person: &Person) -> Value {
    let person = again(app, person).await;
    let call = app.get("/api/auth/data/").bearer(&person.access);
    call.send().await.expect(200).json()["data"][0][SN]["alarms"].clone()
}

fn acknowledge(app: &TestApp, person: &Person, id: &str) -> testkit::http::Call {
    let call = app.post("/api/auth/alarm/", &[("id", id)]);
    call.bearer(&person.access)
}

/// Subjects of the alarm mails to a recipient, oldest first.
async fn mails(app: &TestApp, to: &str) -> Vec<String> {
    let mails = app.sent_mails().await.into_iter();
    let about = ["Alarm", "Wieder in Ordnung", "Zusammenfassung"];
    mails
        .filter(|mail| mail.to == to)
        .map(|mail| mail.subject)
        .filter(|subject| about.iter().any(|word| subject.starts_with(word)))
        .collect()
}

with_app!(
    a_fault_is_one_alarm_that_both_sides_see_and_that_closes_by_itself,
    |app| {
        let anna = app.owner("anna", SN).await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, SN, "monitor").await;
        let battery = app.battery(SN);
        battery.hello(|_| {}).await;
        reports(app, &battery, 30 * SECOND, bad_cell).await;
        assert_eq!(alarms(app, &anna).await["total"], 0, "too early");
        reports(app, &battery, 5 * MINUTE, bad_cell).await;
        for person in [&anna, &eva] {
            let page = alarms(app, person).await;
            assert_eq!(page["total"], 1);
            let alarm = &page["alarms"][0];
            assert_eq!(
                (&alarm["kind"], &alarm["sn"]),
                (&"battery_error".into(), &SN.into())
            );
            assert_eq!(alarm["text"], "Der Speicher meldet einen Fehler");
            assert_eq!(alarm["acknowledgeable"], true);
            assert_eq!(alarm["closed_at"], Value::Null);
            let seen = live(app, person).await;
            assert_eq!(seen[0]["kind"], "battery_error");
            assert_eq!(seen[0]["acknowledged"], false);
        }
        let opened = ["Alarm: Der Speicher meldet einen Fehler (SC000001)"];
        assert_eq!(mails(app, &anna.email).await, opened);
        assert_eq!(mails(app, &eva.email).await, ["Alarme Ihrer Speicher: 1"]);

        let id = alarms(app, &eva).await["alarms"][0]["id"].to_string();
        let answer = acknowledge(app, &eva, &id).send().await.expect(200).json();
        assert_eq!(answer["acknowledgeable"], false);
        assert_eq!(answer["acknowledged_by"], "Sie");
        assert_eq!(live(app, &anna).await[0]["acknowledged"], true);
        // Acknowledging twice changes nothing.
        acknowledge(app, &anna, &id).send().await.expect(200);
        let page = alarms(app, &anna).await;
        assert_eq!(page["alarms"][0]["acknowledged_by"], "Elektro Sonnenberg");
        let journal = app.get("/api/auth/journal/?kind=battery");
        let journal = journal.bearer(&anna.access).send().await.expect(200).json();
        assert_eq!(
            journal["lines"][0]["text"],
            "Ein Alarm wurde übernommen: Der Speicher meldet einen Fehler."
        );

        // The battery recovers briefly, fails again, then recovers for good.
        reports(app, &battery, 2 * MINUTE, well).await;
        reports(app, &battery, 2 * MINUTE, bad_cell).await;
        reports(app, &battery, 6 * MINUTE, well).await;
        let page = alarms(app, &anna).await;
        assert_eq!(page["total"], 1);
        assert!(page["alarms"][0]["closed_at"].is_i64());
        assert_eq!(live(app, &anna).await, serde_json::json!([]));
        reports(app, &battery, 20 * MINUTE, well).await;
        let over = [opened[0], "Wieder in Ordnung: SC000001"];
        assert_eq!(mails(app, &anna.email).await, over);
    }
);

with_app!(only_those_who_may_see_and_acknowledge, |app| {
    let anna = app.owner("anna", SN).await;
    let ben = app.owner("ben", "SC000002").await;
    let eva = app.electrician("eva").await;
    let lea = app.member(&anna, "lea", SN, "look").await;
    let max = app.member(&anna, "max", SN, "owner").await;
    let id = app.open_alarm(SN, AlarmKind::MeterError).await.to_string();
    app.bus.live.read_alarms().await.unwrap();
    for person in [&ben, &eva] {
        assert_eq!(alarms(app, person).await["total"], 0);
        let foreign = acknowledge(app, person, &id).send().await.expect(404);
        let missing = acknowledge(app, person, "999999").send().await.expect(404);
        assert_eq!(foreign.text, missing.text);
        acknowledge(app, person, "x").send().await.expect(404);
        let named = app.get("/api/auth/alarm/?sn=SC000001");
        named.bearer(&person.access).send().await.expect(404);
    }
    let seen = alarms(app, &lea).await;
    assert_eq!(seen["alarms"][0]["acknowledgeable"], false);
    let refused = acknowledge(app, &lea, &id).send().await.expect(403).json();
    assert_eq!(refused["code"], "scope_too_small");
    acknowledge(app, &max, &id).send().await.expect(200);
    let seen = alarms(app, &anna).await;
    assert_eq!(seen["alarms"][0]["acknowledged_by"], "Jemand mit Zugang");
    // When a grant ends, its alarms are no longer visible.
    let grant = app.grant(&anna, &eva, SN, "service").await;
    assert_eq!(alarms(app, &eva).await["total"], 1);
    let end = app.call("DELETE", &format!("/api/auth/grant/{grant}/"));
    end.bearer(&anna.access).send().await.expect(204);
    assert_eq!(alarms(app, &eva).await["total"], 0);
});

with_app!(
    people_write_what_they_found_and_dismiss_what_needs_no_more_attention,
    |app| {
        let anna = app.owner("anna", SN).await;
        let eva = app.electrician("eva").await;
        let lea = app.member(&anna, "lea", SN, "look").await;
        let ben = app.owner("ben", "SC000002").await;
        app.grant(&anna, &eva, SN, "monitor").await;
        let battery = app.battery(SN);
        battery.hello(|_| {}).await;
        reports(app, &battery, 3 * MINUTE, bad_cell).await;
        let id = alarms(app, &anna).await["alarms"][0]["id"].to_string();
        let write = |person: &Person, what: &str, text: &str| {
            let call = app.post(
                &format!("/api/auth/alarm/{what}/"),
                &[("id", &id), ("text", text)],
            );
            call.bearer(&person.access)
        };

        for what in ["comment", "dismiss"] {
            write(&ben, what, "Hallo").send().await.expect(404);
            write(&lea, what, "Hallo").send().await.expect(403);
            let empty = write(&eva, what, " \n ").send().await.expect(400);
            assert_eq!(empty.code(), "text:required");
        }
        let written = write(&eva, "comment", "Ich bin\nMontag da")
            .send()
            .await
            .expect(200)
            .json();
        assert_eq!(written["comments"][0]["text"], "Ich bin Montag da");
        assert_eq!(written["comments"][0]["who"], "Sie");
        let page = alarms(app, &anna).await;
        assert_eq!(
            page["alarms"][0]["comments"][0]["who"],
            "Elektro Sonnenberg"
        );
        assert_eq!(page["alarms"][0]["commentable"], true);
        assert_eq!(alarms(app, &lea).await["alarms"][0]["commentable"], false);

        let dismissed = write(&eva, "dismiss", "Zelle 3 wird am Montag getauscht");
        let dismissed = dismissed.send().await.expect(200).json();
        assert_eq!(dismissed["dismissed_by"], "Sie");
        assert_eq!(dismissed["closed_at"], Value::Null);
        assert_eq!(dismissed["acknowledgeable"], false);
        assert_eq!(
            live(app, &anna).await,
            serde_json::json!([]),
            "nobody is shown it any more"
        );
        let journal = app
            .get("/api/auth/journal/?kind=battery")
            .bearer(&anna.access);
        let journal = journal.send().await.expect(200).json();
        assert_eq!(journal["lines"][0]["event"], "alarm_dismissed");
        assert_eq!(journal["lines"][1]["event"], "alarm_commented");

        // The same fault is no new alarm; after its end the next one is.
        reports(app, &battery, 10 * MINUTE, bad_cell).await;
        assert_eq!(alarms(app, &anna).await["total"], 1);
        reports(app, &battery, 10 * MINUTE, well).await;
        assert!(alarms(app, &anna).await["alarms"][0]["closed_at"].is_i64());
        reports(app, &battery, 3 * MINUTE, bad_cell).await;
        let page = alarms(app, &anna).await;
        assert_eq!(page["total"], 2);
        assert_eq!(page["alarms"][0]["dismissed_at"], Value::Null);
        assert_eq!(live(app, &anna).await[0]["kind"], "battery_error");

        let eva = again(app, &eva).await;
        let file = app.get("/api/auth/alarm/?format=csv").bearer(&eva.access);
        let file = file.send().await.expect(200);
        assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8");
        let rows: Vec<&str> = file.text.split("\r\n").collect();
        assert_eq!(
            rows[0],
            "Seriennummer,Kunde,Was,Seit,Gesehen,Bis,Kommentare"
        );
        assert!(
            file.text.contains("Sie: Ich bin Montag da"),
            "{}",
            file.text
        );
        assert_eq!(file.text.matches(SN).count(), 2);
    }
);

with_app!(an_alarm_has_a_bounded_number_of_comments, |app| {
    let anna = app.owner("anna", SN).await;
    let id = app.open_alarm(SN, AlarmKind::MeterError).await.to_string();
    let comment = || {
        let call = app.post(
            "/api/auth/alarm/comment/",
            &[("id", &id), ("text", "noch einer")],
        );
        call.bearer(&anna.access).send()
    };
    for _ in 0..domain::alarm::MAX_COMMENTS {
        comment().await.expect(200);
    }
    assert_eq!(comment().await.expect(400).code(), "text:too_many_comments");
});

with_app!(a_new_owner_sees_nothing_of_what_was_before, |app| {
    let anna = app.owner("anna", SN).await;
    let battery = app.battery(SN);
    battery.hello(|_| {}).await;
    reports(app, &battery, 3 * MINUTE, bad_cell).await;
    let id = alarms(app, &anna).await["alarms"][0]["id"].to_string();
    let leave = app.call("DELETE", &format!("/api/auth/usr_sn/{SN}/"));
    let leave = leave.form(&[("password", testkit::PASSWORD)]);
    leave.bearer(&anna.access).send().await.expect(204);
    app.bus.live.read_alarms().await.unwrap();
    let code = app.code(&[&battery.sn]).await;
    let form = app.owner_form("ben@example.com", &code);
    let call = app.post("/api/auth/register/", &form);
    call.send().await.expect(201);
    let ben = app.log_in("ben@example.com", false).await;
    assert_eq!(alarms(app, &ben).await["total"], 0);
    assert_eq!(live(app, &ben).await, serde_json::json!([]));
    acknowledge(app, &ben, &id).send().await.expect(404);
    // The fault persists: the new owner gets an alarm that begins with their ownership.
    let since = app.clock.now();
    reports(app, &battery, 20 * MINUTE, bad_cell).await;
    let page = alarms(app, &ben).await;
    assert_eq!(page["total"], 1);
    assert!(page["alarms"][0]["since"].as_i64().unwrap() >= since);
    assert_eq!(mails(app, &anna.email).await.len(), 1);
});

on_both!(a_restart_opens_nothing_twice_and_loses_no_closing, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", SN).await;
    let battery = app.battery(SN);
    battery.hello(|_| {}).await;
    reports(&app, &battery, 3 * MINUTE, bad_cell).await;
    let now = app.clock.now();
    app.stop().await;
    let app = TestApp::start(db).await;
    app.clock.advance(now - app.clock.now());
    let battery = app.battery(SN);
    battery.hello(|hello| hello.id.boot = 2).await;
    let again = |sample: &mut Sample| {
        sample.id.boot = 2;
        bad_cell(sample);
    };
    reports(&app, &battery, 3 * MINUTE, again).await;
    assert_eq!(alarms(&app, &anna).await["total"], 1);
    let mended = |sample: &mut Sample| sample.id.boot = 2;
    reports(&app, &battery, 6 * MINUTE, mended).await;
    let page = alarms(&app, &anna).await;
    assert_eq!(page["total"], 1);
    assert!(page["alarms"][0]["closed_at"].is_i64());
    app.stop().await;
});

with_app!(an_outage_of_many_systems_is_one_mail, |app| {
    let anna = app.owner("anna", SN).await;
    let eva = app.electrician("eva").await;
    let mut serials = vec![SN.to_owned()];
    app.grant(&anna, &eva, SN, "monitor").await;
    for number in 2..=25 {
        let sn = format!("SC{number:06}");
        let owner = app.owner(&format!("owner{number}"), &sn).await;
        app.grant(&owner, &eva, &sn, "monitor").await;
        serials.push(sn);
    }
    for sn in &serials {
        let battery = app.battery(sn);
        battery.hello(|_| {}).await;
        battery.goes_offline().await;
    }
    passes(app, 14 * MINUTE).await;
    assert_eq!(alarms(app, &eva).await["total"], 0);
    passes(app, 3 * MINUTE).await;
    assert_eq!(alarms(app, &eva).await["total"], 25);
    let mails = app.sent_mails().await.into_iter();
    let mails = mails.filter(|mail| mail.to == eva.email && mail.subject.starts_with("Alarm"));
    let mails: Vec<_> = mails.collect();
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert_eq!(mails[0].subject, "Alarme Ihrer Speicher: 25");
    let lines = mails[0].text.lines();
    assert_eq!(lines.filter(|line| line.starts_with("- ")).count(), 21);
    assert!(mails[0].text.contains("und 5 weitere"));
    let eva = again(app, &eva).await;
    let page = app.get("/api/auth/alarm/?page=3").bearer(&eva.access);
    let page = page.send().await.expect(200).json();
    assert_eq!((&page["page"], &page["pages"]), (&3.into(), &3.into()));
    assert_eq!(page["alarms"].as_array().unwrap().len(), 5);
});

with_app!(our_own_absence_makes_nobody_offline, |app| {
    let anna = app.owner("anna", SN).await;
    let battery = app.battery(SN);
    battery.hello(|_| {}).await;
    battery.goes_offline().await;
    passes(app, 5 * MINUTE).await;
    // The portal is down for hours; afterwards batteries have a quarter of an hour to reconnect.
    app.clock.advance(6 * HOUR);
    app.check_alarms().await;
    passes(app, 14 * MINUTE).await;
    assert_eq!(alarms(app, &anna).await["total"], 0);
    passes(app, 2 * MINUTE).await;
    assert_eq!(alarms(app, &anna).await["alarms"][0]["kind"], "offline");
});

with_app!(
    a_digest_comes_in_the_morning_and_no_mail_at_all_if_one_likes,
    |app| {
        let anna = app.owner("anna", SN).await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, SN, "monitor").await;
        let choose = |person: &Person, mail: &str| {
            let call = app.post("/api/auth/alarm/mail/", &[("mail", mail)]);
            call.bearer(&person.access)
        };
        let chosen = choose(&anna, "digest").send().await.expect(200).json();
        assert_eq!(chosen["mail"], "digest");
        assert_eq!(alarms(app, &anna).await["mail"], "digest");
        choose(&eva, "never").send().await.expect(200);
        let wrong = choose(&eva, "sometimes").send().await.expect(400).json();
        assert_eq!(wrong["codes"]["mail"][0], "choice_unknown");
        app.open_alarm(SN, AlarmKind::NaSchutz).await;
        // It is noon in Germany; seven in the morning is 19 hours away.
        app.clock.advance(19 * HOUR - MINUTE);
        app.check_alarms().await;
        assert!(mails(app, &anna.email).await.is_empty());
        passes(app, 2 * MINUTE).await;
        assert_eq!(
            mails(app, &anna.email).await,
            ["Zusammenfassung der Alarme: 1"]
        );
        app.clock.advance(DAY);
        app.check_alarms().await;
        assert_eq!(mails(app, &anna.email).await.len(), 1, "nothing new");
        assert!(mails(app, &eva.email).await.is_empty());
    }
);

/// Energy flows, and no counter moves.
fn uncounted(sample: &mut Sample) {
    sample.grid_power = Some(2_000);
    sample.counters = [Some(1_000); 5];
}

with_app!(
    what_a_counter_missed_before_an_absence_does_not_count,
    |app| {
        let anna = app.owner("anna", SN).await;
        let battery = app.battery(SN);
        battery.hello(|_| {}).await;
        reports(app, &battery, 20 * MINUTE, uncounted).await;
        battery.goes_offline().await;
        passes(app, 5 * MINUTE).await;
        reports(app, &battery, 20 * MINUTE, uncounted).await;
        assert_eq!(alarms(app, &anna).await["total"], 0);
        reports(app, &battery, 12 * MINUTE, uncounted).await;
        let kind = alarms(app, &anna).await["alarms"][0]["kind"].clone();
        assert_eq!(kind, "counter_stopped");
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_battery_that_was_elsewhere_meanwhile_is_judged_afresh() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let (here, there) = (TestApp::start(&db).await, TestApp::start(&db).await);
    here.owner("anna", SN).await;
    let sn = here.battery(SN).sn;
    let systems = [sn.clone()];
    let at_floor = async || db.batteries_at_floor(&systems).await.unwrap();
    // Connects as after a start with this number, and reports.
    let reports = async |app: &TestApp, boot: u32, status: BatteryStatus| {
        let battery = app.battery(SN);
        battery.hello(|hello| hello.id.boot = boot).await;
        let sampled = battery.sample(|sample| {
            sample.id.boot = boot;
            sample.status = status;
        });
        sampled.await;
        app.check_alarms().await;
    };
    reports(&here, 1, BatteryStatus::Empty).await;
    assert_eq!(at_floor().await, [(sn.clone(), here.clock.now())]);

    // It is charged while it is connected to the other gateway.
    for minute in 0..62 {
        there.clock.advance(MINUTE);
        reports(&there, 2 + minute, BatteryStatus::Charging).await;
    }
    assert_eq!(at_floor().await, []);
    here.clock.advance(62 * MINUTE);
    eventually("the first one knows", async || {
        here.portal.live.last_seen_here().next().is_none()
    })
    .await;
    here.check_alarms().await;

    reports(&here, 100, BatteryStatus::Empty).await;
    assert_eq!(at_floor().await, [(sn, here.clock.now())]);
    here.stop().await;
    there.stop().await;
    db.close().await;
}

with_app!(two_processes_that_see_the_same_open_one, |app| {
    app.owner("anna", SN).await;
    let (sn, now) = (app.battery(SN).sn, app.clock.now());
    let open = AlarmChange::Open {
        kind: AlarmKind::Offline,
        since: now,
        counter: None,
    };
    let changes = [(sn.clone(), open)];
    let (one, other) = tokio::join!(
        app.service.write_alarms(&changes),
        app.service.write_alarms(&changes)
    );
    assert_eq!(one.unwrap().opened + other.unwrap().opened, 1);
    let close = [(sn, AlarmChange::Close(AlarmKind::Offline))];
    let (one, other) = tokio::join!(
        app.service.write_alarms(&close),
        app.service.write_alarms(&close)
    );
    assert_eq!(one.unwrap().closed + other.unwrap().closed, 1);
});

with_app!(nobody_is_told_of_a_system_that_nobody_looks_after, |app| {
    let sn = app.device(SN).await;
    let battery = app.battery(SN);
    battery.hello(|_| {}).await;
    reports(app, &battery, 5 * MINUTE, bad_cell).await;
    assert!(
        app.store
            .open_alarms_of(std::slice::from_ref(&sn))
            .await
            .unwrap()
            .is_empty()
    );
    // The electrician who commissions it is notified.
    let eva = app.electrician("eva").await;
    let code = app.installer_code(&[&sn]).await;
    let open = app.post("/api/auth/grant/code/", &[("code", &code)]);
    open.bearer(&eva.access).send().await.expect(200);
    reports(app, &battery, 20 * MINUTE, bad_cell).await;
    assert_eq!(alarms(app, &eva).await["total"], 1);
});
