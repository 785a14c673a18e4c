//! Polling of weather: a cell is asked for once for all its roofs, and each roof reads what its planes yield of it.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, Millis};
use domain::site::{Coordinates, SiteChange};
use domain::source::{Area, QUARTER, SourceState};
use domain::weather::CellForecast;
use domain::{Source, Zone};
use sources::{Addresses, Sources};
use store::Access;
use store::source::WeatherForecast;
use testkit::{FakeServices, NOON, Reply, TestApp, on_both, with_app};

/// A tenth of the sky is behind a plane with a tilt of 30°, and a fifth of what the ground gets comes back from there.
const SKY_SHARE: f64 = 0.9330 + 0.2 * 0.0670;

/// One round of the job.
async fn round(app: &TestApp, services: &FakeServices) {
    let sources = Sources::new(Addresses::default().or_all(&services.url));
    jobs::sources::run(&app.store, &sources, &app.portal.random, app.clock.now()).await;
}

/// A household whose site is at these hundredths of a degree.
async fn home(app: &TestApp, name: &str, sn: &str, at: (i64, i64), planes: &str) -> Access {
    app.owner(name, sn).await;
    let access = app.household_access(sn).await;
    move_to(app, &access, Coordinates::from_hundredths(at.0, at.1)).await;
    let change = SiteChange {
        planes: Some(planes.parse().unwrap()),
        ..SiteChange::default()
    };
    app.service.change_site(&access, &change).await.unwrap();
    access
}

async fn move_to(app: &TestApp, access: &Access, at: Option<Coordinates>) {
    let change = SiteChange {
        coordinates: Some(at),
        ..SiteChange::default()
    };
    app.service.change_site(access, &change).await.unwrap();
}

/// The first quarter-hour of the answers, half an hour before the tests begin.
fn start() -> Millis {
    let zone = Zone::default();
    zone.start_of(zone.day_of(NOON)) + 12 * HOUR - 2 * QUARTER
}

/// Two hours of a covered sky, each quarter-hour a W/m² brighter.
fn sky(first: i64) -> String {
    let ends = (1..=8).map(|n| ((start() + n * QUARTER) / 1_000).to_string());
    let diffuse: Vec<String> = (0..8).map(|n| (first + n).to_string()).collect();
    format!(
        r#"{{"minutely_15":{{"time":[{}],"direct_radiation":[{}],"diffuse_radiation":[{}]}}}}"#,
        ends.collect::<Vec<_>>().join(","),
        ["0"; 8].join(","),
        diffuse.join(",")
    )
}

async fn as_forecast(app: &TestApp, access: &Access) -> Vec<Option<f64>> {
    let range = start()..start() + 8 * QUARTER;
    let said = app.store.weather_as_forecast(access, range).await.unwrap();
    said.into_iter().map(|watt| watt.map(f64::round)).collect()
}

fn on_roof(kwp: f64, sun: f64) -> Option<f64> {
    Some((kwp * SKY_SHARE * sun).round())
}

with_app!(
    roofs_in_one_cell_are_one_request_and_each_reads_its_own_yield,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/v1/forecast", sky(100));
        let anna = home(app, "anna", "SC000001", (4_814, 1_158), "10/30/0").await;
        let ben = home(app, "ben", "SC000002", (4_806, 1_164), "2/0/0,5/30/180").await;
        let tom = home(app, "tom", "SC000003", (4_812, 1_160), "").await;
        home(app, "ida", "SC000004", (5_250, 1_340), "10/30/0").await;
        app.owner("eva", "SC000005").await;
        round(app, &services).await;
        let mut asked = services.take_requests();
        asked.sort_by(|a, b| a.path.cmp(&b.path));
        let [munich, berlin] = &asked[..] else {
            panic!("two cells, and a home without a place: {asked:?}")
        };
        assert!(munich.path.contains("latitude=48.1&longitude=11.6&"));
        assert!(berlin.path.contains("latitude=52.5&longitude=13.4&"));
        let ((south, north), flat) = (
            (
                on_roof(10.0, 102.0),
                on_roof(5.0, 102.0).map(|watt| watt + 204.0),
            ),
            Some(102.0),
        );
        for (access, want) in [(&anna, south), (&ben, north), (&tom, flat)] {
            assert_eq!(as_forecast(app, access).await[2], want);
        }
        // Nothing is due, and a new home in a known cell has its weather at once.
        app.clock.advance(30 * MINUTE);
        let eva = home(app, "eve", "SC000006", (4_814, 1_158), "10/30/0").await;
        assert_eq!(as_forecast(app, &eva).await[2], south);
        round(app, &services).await;
        assert!(services.take_requests().is_empty());
    }
);

with_app!(
    each_issue_is_kept_with_its_time_beside_those_of_the_roof,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/v1/forecast", sky(100));
        let anna = home(app, "anna", "SC000001", (4_814, 1_158), "10/30/0").await;
        // An issue from when Open-Meteo was asked for each roof.
        let earlier = WeatherForecast {
            source: Source::OpenMeteo,
            issued_at: NOON - HOUR,
            start: start(),
            watts: vec![Some(77); 8],
        };
        let systems = ["SC000001".parse().unwrap()];
        let kept = app
            .store
            .save_weather(&systems, &earlier, SourceState::default());
        kept.await.unwrap();
        round(app, &services).await;
        let weather = app.store.weather(&anna).await.unwrap().unwrap();
        assert_eq!(
            (weather.source, weather.issued_at),
            (Source::OpenMeteo, NOON)
        );
        assert_eq!((weather.start, weather.watts.len()), (start(), 8));
        // It is polled again an hour later; past quarter-hours keep their earlier forecast.
        app.clock.advance(HOUR + 7 * MINUTE);
        services.reply_ok("/v1/forecast", sky(500));
        round(app, &services).await;
        let said = as_forecast(app, &anna).await;
        assert_eq!((said[0], said[1]), (Some(77.0), Some(77.0)));
        assert_eq!(
            (said[2], said[5]),
            (on_roof(10.0, 102.0), on_roof(10.0, 105.0))
        );
        assert_eq!(
            (said[6], said[7]),
            (on_roof(10.0, 506.0), on_roof(10.0, 507.0))
        );
    }
);

with_app!(
    where_a_cell_has_no_answer_its_roofs_are_asked_for_elsewhere,
    |app| {
        let services = FakeServices::start().await;
        services.reply("/v1/forecast", Reply::Text(503, String::new()));
        let solar = r#"{"result":{"watt_hours_period":{"2026-11-15T11:00:00+00:00":0,"2026-11-15T13:00:00+00:00":2000}},
            "message":{"code":0}}"#;
        services.reply_ok("/estimate", solar);
        // Two batteries under one roof, a neighbour, and somebody far away.
        let anna = home(app, "anna", "SC000001", (4_814, 1_158), "10/30/0").await;
        home(app, "ben", "SC000002", (4_814, 1_158), "10/30/0").await;
        home(app, "eva", "SC000003", (4_813, 1_158), "10/30/0").await;
        round(app, &services).await;
        let count = |services: &FakeServices, start: &str| {
            let requests = services.take_requests().into_iter();
            requests.filter(|it| it.path.starts_with(start)).count()
        };
        assert_eq!(count(&services, "/estimate"), 2);
        let weather = app.store.weather(&anna).await.unwrap().unwrap();
        assert_eq!(weather.source, Source::ForecastSolar);
        assert_eq!(as_forecast(app, &anna).await[2], Some(1_000.0));
        // The cell is tried again, its roofs only after their hour.
        app.clock.advance(4 * MINUTE);
        round(app, &services).await;
        assert_eq!(count(&services, "/estimate"), 0);
        services.reply_ok("/v1/forecast", sky(100));
        app.clock.advance(8 * MINUTE);
        round(app, &services).await;
        assert_eq!(count(&services, "/estimate"), 0);
        assert_eq!(as_forecast(app, &anna).await[4], on_roof(10.0, 104.0));
    }
);

with_app!(
    a_source_that_wants_fewer_requests_is_not_asked_for_the_next_roof,
    |app| {
        let services = FakeServices::start().await;
        services.reply("/v1/forecast", Reply::Text(503, String::new()));
        services.reply("/estimate", Reply::With(429, "retry-after", "3600".into()));
        for (n, sn) in ["SC000001", "SC000002", "SC000003"].into_iter().enumerate() {
            let at = (4_814 - n as i64, 1_158);
            home(app, &format!("owner{n}"), sn, at, "10/30/0").await;
        }
        round(app, &services).await;
        assert_eq!(services.take_requests().len(), 2);
    }
);

with_app!(a_round_asks_for_at_most_64_cells, |app| {
    let services = FakeServices::start().await;
    services.reply_ok("/v1/forecast", sky(100));
    let cells: Vec<Area> = (0..70)
        .map(|n| Area::Cell(format!("48.1,{n}.0").parse().unwrap()))
        .collect();
    let due = SourceState::default();
    let set = app.store.set_source_state(Source::OpenMeteo, &cells, due);
    set.await.unwrap();
    for want in [64, 6, 0] {
        round(app, &services).await;
        assert_eq!(services.take_requests().len(), want);
    }
});

with_app!(a_cell_is_asked_for_while_a_roof_is_in_it, |app| {
    let services = FakeServices::start().await;
    services.reply_ok("/v1/forecast", sky(100));
    let anna = home(app, "anna", "SC000001", (4_814, 1_158), "10/30/0").await;
    let cell = Area::Cell("48.1,11.6".parse().unwrap());
    // As if a process that knows nothing of cells had written the site.
    let forget = app.store.delete_poll(Source::OpenMeteo, &cell);
    forget.await.unwrap();
    round(app, &services).await;
    assert!(services.take_requests().is_empty());
    app.store.update_needed_polls().await.unwrap();
    round(app, &services).await;
    assert_eq!(services.take_requests().len(), 1);
    let at = Coordinates::from_hundredths(4_814, 1_158);
    move_to(app, &anna, None).await;
    app.store.update_needed_polls().await.unwrap();
    move_to(app, &anna, at).await;
    assert_eq!(app.store.weather(&anna).await.unwrap(), None);
    move_to(app, &anna, None).await;
    app.store.update_needed_polls().await.unwrap();
    app.clock.advance(2 * HOUR);
    round(app, &services).await;
    assert!(services.take_requests().is_empty());
});

on_both!(old_issues_are_thinned_out_and_then_deleted, |db| {
    let store = db.store();
    let cell = "48.1,11.6".parse().unwrap();
    let forecast = CellForecast {
        start: start(),
        quarters: Vec::new(),
    };
    let hours = (1..=72).map(|n| NOON - n * HOUR);
    for issued_at in hours.chain([NOON - 46 * DAY]) {
        let state = SourceState::default();
        let kept = store.save_cell_weather(cell, issued_at, &forecast, state);
        kept.await.unwrap();
    }
    store.purge_sources(NOON).await.unwrap();
    let tables = db.dump().await;
    let (_, rows) = tables
        .iter()
        .find(|(name, _)| name == "cell_weather")
        .unwrap();
    // Two days of hours; of the day before one in three hours, with a part of one at each end.
    assert_eq!(rows.len(), 48 + 9);
});
