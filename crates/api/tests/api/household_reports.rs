//! A battery's reports leave with their household; late reports about the previous household reach no one.
#![allow(clippy::unwrap_used)]
use domain::clock::{HOUR, MINUTE};
use domain::sample::MessageId;
use domain::shard::ShardSet;
use domain::{EventCode, Serial};
use serde_json::{Value, json};
use store::report::{Report, ReportBody, UndatedSample};
use testkit::{Person, TestApp, TestDb, on_both};

const SN: &str = "SC000001";

async fn report(app: &TestApp, body: ReportBody) {
    let report = Report {
        sn: SN.parse().unwrap(),
        received_at: app.clock.now(),
        body,
    };
    app.bus.uplink.store(report).await.unwrap();
    app.view_is_up_to_date().await;
}

/// A sample without a time, from this boot of the battery.
async fn undated(app: &TestApp, boot: u32, payload: &str) {
    let hidden = vec![UndatedSample {
        id: MessageId::new(boot, 900),
        payload: payload.to_owned(),
    }];
    let samples = Vec::new();
    report(
        app,
        ReportBody::BackFill {
            samples,
            undated: hidden,
        },
    )
    .await;
}

async fn rows(db: &TestDb, table: &str) -> usize {
    let dump = db.dump().await;
    let found = dump.into_iter().find(|(name, _)| name == table);
    found.unwrap().1.len()
}

/// Events and undated samples in a person's export.
async fn exported(app: &TestApp, person: &Person) -> (Value, Value) {
    let call = app.get("/api/auth/account/export/").bearer(&person.access);
    let document = call.send().await.expect(200).json();
    (
        document["events"].clone(),
        document["hidden_samples"].clone(),
    )
}

on_both!(
    reports_go_with_the_household_and_late_ones_reach_nobody,
    |db| {
        let app = TestApp::start(db).await;
        app.owner("anna", SN).await;
        let battery = app.battery(SN);
        battery.hello(|_| {}).await;
        let before = app.clock.now();
        battery
            .event(Some(before), EventCode::MeterLost, true, None)
            .await;
        undated(&app, 1, r#"{"pg":5}"#).await;
        let (topic, reason) = ("up/x".to_owned(), "unknown");
        let payload = b"{\"pg\":7}".to_vec();
        report(
            &app,
            ReportBody::Reject {
                topic,
                reason,
                payload,
            },
        )
        .await;

        app.clock.advance(MINUTE);
        let access = app.household_access(SN).await;
        let unlinked = app.service.unlink(&access);
        unlinked.await.unwrap();
        let ben = app.owner("ben", "SC000002").await;
        let sn: Serial = SN.parse().unwrap();
        let code = app.code(&[&sn]).await;
        let added = app.post("/api/auth/usr_sn/", &[("keys", &code)]);
        added.bearer(&ben.access).send().await.expect(200);
        app.clock.advance(MINUTE);
        // The hourly job.
        app.store
            .telemetry
            .erase_former_households(ShardSet::ALL)
            .await
            .unwrap();
        for table in ["events", "hidden_samples", "rejects"] {
            assert_eq!(rows(db, table).await, 0, "{table}");
        }

        // The battery was offline during the sale, and now reports about the time before.
        battery
            .event(Some(before), EventCode::MeterLost, false, None)
            .await;
        battery.event(None, EventCode::BmsFault, true, None).await;
        undated(&app, 1, r#"{"pg":6}"#).await;
        assert_eq!(exported(&app, &ben).await, (json!([]), json!([])));
        assert_eq!(
            rows(db, "events").await + rows(db, "hidden_samples").await,
            0
        );

        // From its first boot in the new household on, its reports belong to that household.
        battery.hello(|hello| hello.id = MessageId::new(2, 1)).await;
        let now = app.clock.now();
        battery
            .event(Some(now), EventCode::MeterLost, true, None)
            .await;
        undated(&app, 2, r#"{"pg":8}"#).await;
        let (events, hidden) = exported(&app, &ben).await;
        assert_eq!(events.as_array().unwrap().len(), 1);
        assert_eq!(hidden.as_array().unwrap().len(), 1);
        app.stop().await;
    }
);

on_both!(
    what_a_wrong_clock_dated_in_the_future_goes_with_the_household,
    |db| {
        let app = TestApp::start(db).await;
        app.owner("anna", SN).await;
        let battery = app.battery(SN);
        battery.hello(|_| {}).await;
        let ahead = app.clock.now() + HOUR;
        battery.sample(|sample| sample.at = ahead).await;
        assert_eq!(db.samples(SN).await.len(), 1);
        let access = app.household_access(SN).await;
        app.service.unlink(&access).await.unwrap();
        assert_eq!(db.samples(SN).await.len(), 0);
        app.stop().await;
    }
);
