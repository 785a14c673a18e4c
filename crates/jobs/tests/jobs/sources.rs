//! Scheduled polling of sources: due requests are sent once, failed ones are retried later, and known values stay.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, Millis};
use domain::source::{Area, BiddingZone, PollOutcome, QUARTER, SourceError, SourceState};
use domain::{Serial, Source, Zone};
use sources::{Addresses, Sources};
use store::Access;
use store::source::SystemPrices;
use testkit::{FakeServices, NOON, Person, Reply, TestApp, on_both, with_app};

const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";
const ZONE: Area = Area::Zone(BiddingZone::DeLu);

/// One round of the job.
async fn round(app: &TestApp, services: &FakeServices) {
    let sources = Sources::new(Addresses::default().or_all(&services.url));
    jobs::sources::run(&app.store, &sources, &app.portal.random, app.clock.now()).await;
}

async fn set(app: &TestApp, person: &Person, sn: &str, fields: &[(&str, &str)]) {
    let path = format!("/api/auth/settings/?sn={sn}");
    let now = app.get(&path).bearer(&person.access).send().await;
    let version = now.expect(200).json()["version"].to_string();
    let fields = [&[("version", version.as_str())], fields].concat();
    let call = app.post(&path, &fields).bearer(&person.access);
    call.send().await.expect(200);
}

async fn access(app: &TestApp, person: &Person, sn: &str) -> Access {
    let account = app.account_id(&person.email).await;
    let sn: Serial = sn.parse().unwrap();
    app.store.access(account, &sn).await.unwrap().unwrap()
}

/// The prices of today and tomorrow.
async fn prices(app: &TestApp, person: &Person, sn: &str) -> SystemPrices {
    let access = access(app, person, sn).await;
    let today = access.zone().day_of(app.clock.now());
    let range = access.zone().start_of(today)..access.zone().start_of(today.plus(2));
    app.store
        .prices(&access, range, app.clock.now())
        .await
        .unwrap()
}

/// Midnight of the first day of the tests.
fn midnight() -> Millis {
    let zone = Zone::default();
    zone.start_of(zone.day_of(NOON))
}

/// Days in quarter-hours, each price one EUR/MWh above the previous one.
fn energy_charts(days: i64) -> String {
    let count = days * 96;
    let seconds = (0..count).map(|n| ((midnight() + n * QUARTER) / 1_000).to_string());
    let prices = (0..count).map(|n| format!("{n}.00"));
    let join = |items: Vec<String>| items.join(",");
    format!(
        r#"{{"unix_seconds":[{}],"price":[{}],"unit":"EUR / MWh","deprecated":false}}"#,
        join(seconds.collect()),
        join(prices.collect())
    )
}

fn tibber(total: &str) -> String {
    format!(
        r#"{{"data":{{"viewer":{{"homes":[{{"currentSubscription":{{"priceInfo":{{"tomorrow":[],"today":[
        {{"total":{total},"startsAt":"2026-11-15T12:00:00.000+01:00","currency":"EUR"}},
        {{"total":{total},"startsAt":"2026-11-15T12:15:00.000+01:00","currency":"EUR"}}]}}}}}}]}}}}}}"#
    )
}

fn import(prices: &SystemPrices, quarter: usize) -> Option<i64> {
    prices.quarters[quarter].map(|quarter| quarter.import)
}

with_app!(
    a_zone_is_asked_once_for_everybody_and_each_pays_their_own_price,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/price", energy_charts(1));
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let spot = ("provider", "energy_charts");
        let plain = [spot, ("import_adder", "0"), ("vat", "0")];
        set(app, &anna, "SC000001", &plain).await;
        let taxed = [spot, ("import_adder", "10"), ("vat", "19")];
        set(app, &ben, "SC000002", &taxed).await;
        round(app, &services).await;
        assert_eq!(services.take_requests().len(), 1);
        // 50 EUR/MWh are 5 ct; with a surcharge of 10 ct and 19 % tax 17.85 ct.
        assert_eq!(import(&prices(app, &anna, "SC000001").await, 50), Some(500));
        let bens = prices(app, &ben, "SC000002").await;
        assert_eq!(import(&bens, 50), Some(1_785));
        assert_eq!(import(&bens, 96), None);
        assert_eq!(bens.known_until(NOON), Some(midnight() + DAY));
        // Nothing is due before one o'clock.
        app.clock.advance(30 * MINUTE);
        round(app, &services).await;
        assert!(services.take_requests().is_empty());
    }
);

with_app!(
    tomorrows_prices_are_asked_for_from_one_oclock_until_they_are_there,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/price", energy_charts(1));
        let anna = app.owner("anna", "SC000001").await;
        set(app, &anna, "SC000001", &[("provider", "energy_charts")]).await;
        round(app, &services).await;
        services.take_requests();
        app.clock.advance(HOUR + 6 * MINUTE);
        round(app, &services).await;
        assert_eq!(services.take_requests().len(), 1);
        services.reply_ok("/price", energy_charts(2));
        app.clock.advance(16 * MINUTE);
        round(app, &services).await;
        assert_eq!(services.take_requests().len(), 1);
        let known = prices(app, &anna, "SC000001").await;
        assert_eq!(
            known.known_until(app.clock.now()),
            Some(midnight() + 2 * DAY)
        );
        for _ in 0..23 {
            app.clock.advance(HOUR);
            round(app, &services).await;
        }
        assert!(services.take_requests().is_empty());
        app.clock.advance(50 * MINUTE);
        round(app, &services).await;
        assert_eq!(services.take_requests().len(), 1);
    }
);

with_app!(where_a_source_fails_another_stands_in_and_is_named, |app| {
    let services = FakeServices::start().await;
    services.reply("/v1/marketdata", Reply::Text(500, String::new()));
    services.reply_ok("/price", energy_charts(1));
    let anna = app.owner("anna", "SC000001").await;
    set(app, &anna, "SC000001", &[("provider", "awattar")]).await;
    round(app, &services).await;
    let found = prices(app, &anna, "SC000001").await;
    assert_eq!(found.source, Some(Source::Awattar));
    assert_eq!(found.state.error, Some(SourceError::Failed));
    let quarter = found.quarters[50].unwrap();
    assert_eq!(quarter.source, Some(Source::EnergyCharts));
    // When it works again its own prices are used.
    let start = midnight();
    let own = format!(
        r#"{{"object":"list","data":[{{"start_timestamp":{start},"end_timestamp":{},"marketprice":7.00,"unit":"Eur/MWh"}}]}}"#,
        start + HOUR
    );
    services.reply_ok("/v1/marketdata", own);
    app.clock.advance(5 * MINUTE);
    round(app, &services).await;
    let found = prices(app, &anna, "SC000001").await;
    assert_eq!(found.state.error, None);
    assert_eq!(found.quarters[0].unwrap().source, Some(Source::Awattar));
    assert_eq!(
        found.quarters[50].unwrap().source,
        Some(Source::EnergyCharts)
    );
});

with_app!(what_is_known_stays_while_every_source_is_silent, |app| {
    let services = FakeServices::start().await;
    services.reply_ok("/price", energy_charts(2));
    let anna = app.owner("anna", "SC000001").await;
    set(app, &anna, "SC000001", &[("provider", "energy_charts")]).await;
    round(app, &services).await;
    services.reply("/", Reply::Text(503, String::new()));
    app.clock.advance(DAY + 2 * HOUR);
    let since = app.clock.now();
    for _ in 0..5 {
        round(app, &services).await;
        app.clock.advance(HOUR);
    }
    let found = prices(app, &anna, "SC000001").await;
    assert_eq!(found.state.error, Some(SourceError::Failed));
    assert_eq!(found.state.failing_since, Some(since));
    assert_eq!(found.state.success_at, Some(NOON));
    assert!(found.quarters[..96].iter().all(Option::is_some));
    assert!(found.quarters[96..].iter().all(Option::is_none));
});

with_app!(a_source_that_asks_for_a_pause_gets_it, |app| {
    let services = FakeServices::start().await;
    services.reply("/", Reply::With(429, "retry-after", "7200".into()));
    let anna = app.owner("anna", "SC000001").await;
    set(app, &anna, "SC000001", &[("provider", "energy_charts")]).await;
    round(app, &services).await;
    let state = app.store.source_state(Source::EnergyCharts, &ZONE).await;
    let state = state.unwrap();
    assert_eq!(state.error, Some(SourceError::RateLimited));
    assert_eq!(state.next_at, NOON + 2 * HOUR);
    services.take_requests();
    app.clock.advance(HOUR);
    round(app, &services).await;
    assert!(services.take_requests().is_empty());
});

with_app!(
    a_refused_token_is_told_and_a_new_one_is_tried_at_once,
    |app| {
        let services = FakeServices::start().await;
        let refused = r#"{"errors":[{"message":"invalid token","extensions":{"code":"UNAUTHENTICATED"}}],"data":null}"#;
        services.reply_ok("/v1-beta/gql", refused);
        let anna = app.owner("anna", "SC000001").await;
        let wrong = [
            ("provider", "tibber"),
            ("provider_token", "a-token-that-is-long-but-wrong"),
        ];
        set(app, &anna, "SC000001", &wrong).await;
        round(app, &services).await;
        let found = prices(app, &anna, "SC000001").await;
        assert_eq!(found.state.error, Some(SourceError::TokenRefused));
        services.take_requests();
        app.clock.advance(HOUR);
        round(app, &services).await;
        assert!(
            services.take_requests().is_empty(),
            "it does not become right"
        );
        services.reply_ok("/v1-beta/gql", tibber("0.2512"));
        let anna = app.log_in(&anna.email, false).await;
        set(app, &anna, "SC000001", &[("provider_token", TOKEN)]).await;
        round(app, &services).await;
        let found = prices(app, &anna, "SC000001").await;
        assert_eq!(found.state.error, None);
        // A final price: neither surcharge nor tax is added.
        assert_eq!(import(&found, 48), Some(2_512));
        let asked = services.take_requests();
        assert_eq!(asked[0].headers["authorization"], format!("Bearer {TOKEN}"));
    }
);

with_app!(
    a_token_that_is_replaced_while_the_old_one_is_asked_with_is_tried_all_the_same,
    |app| {
        let services = FakeServices::start().await;
        let anna = app.owner("anna", "SC000001").await;
        let wrong = [
            ("provider", "tibber"),
            ("provider_token", "a-token-that-is-long-but-wrong"),
        ];
        set(app, &anna, "SC000001", &wrong).await;
        let sn = "SC000001".parse().unwrap();
        let asked = app.store.household_demand(Source::Tibber, &sn).await;
        let asked = asked.unwrap().unwrap();
        set(app, &anna, "SC000001", &[("provider_token", TOKEN)]).await;
        // The response to the request with the wrong token arrives only now.
        let refused = PollOutcome::Failed {
            error: SourceError::TokenRefused,
            retry_after: None,
        };
        let state = SourceState::default().after(refused, 0.0, app.clock.now());
        app.store.save_price_failure(&asked, state).await.unwrap();
        services.reply_ok("/v1-beta/gql", tibber("0.2512"));
        round(app, &services).await;
        let found = prices(app, &anna, "SC000001").await;
        assert_eq!(found.state.error, None);
        assert_eq!(import(&found, 48), Some(2_512));
    }
);

with_app!(
    systems_with_one_token_are_asked_for_together_and_others_see_nothing_of_it,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/v1-beta/gql", tibber("0.30"));
        let units = [app.device("SC000001").await, app.device("SC000002").await];
        let code = app.code(&units.each_ref()).await;
        let form = app.owner_form("anna@example.com", &code);
        let call = app.post("/api/auth/register/", &form);
        call.send().await.expect(201);
        let anna = app.log_in("anna@example.com", false).await;
        let ben = app.owner("ben", "SC000003").await;
        let own = [("provider", "tibber"), ("provider_token", TOKEN)];
        set(app, &anna, "SC000001", &own).await;
        set(app, &anna, "SC000002", &own).await;
        let other = [
            ("provider", "tibber"),
            ("provider_token", "another-token-of-another-home"),
        ];
        set(app, &ben, "SC000003", &other).await;
        round(app, &services).await;
        assert_eq!(services.take_requests().len(), 2);
        for (person, sn) in [(&anna, "SC000001"), (&anna, "SC000002"), (&ben, "SC000003")] {
            assert_eq!(import(&prices(app, person, sn).await, 48), Some(3_000));
        }
        // Prices of a provider are gone after a change of provider.
        set(app, &anna, "SC000001", &[("provider", "energy_charts")]).await;
        let area = Area::System("SC000001".parse().unwrap());
        let range = midnight()..midnight() + DAY;
        let left = app
            .store
            .published_prices(Source::Tibber, &area, range)
            .await;
        assert!(left.unwrap().is_empty());
    }
);

with_app!(
    a_household_in_another_currency_is_told_that_nothing_is_converted,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/price", energy_charts(1));
        let sn = app.device("SC000001").await;
        let code = app.code(&[&sn]).await;
        let mut form = app.owner_form("ola@example.com", &code);
        form.retain(|(name, _)| !["country", "phone"].contains(name));
        form.extend([("country", "PL"), ("phone", "+48 22 345 67 89")]);
        let call = app.post("/api/auth/register/", &form);
        call.send().await.expect(201);
        let ola = app.log_in("ola@example.com", false).await;
        set(app, &ola, "SC000001", &[("provider", "energy_charts")]).await;
        round(app, &services).await;
        assert!(services.take_requests()[0].path.contains("bzn=PL"));
        let found = prices(app, &ola, "SC000001").await;
        assert_eq!(found.state.error, Some(SourceError::Currency));
        assert!(found.quarters.iter().all(Option::is_none));
    }
);

with_app!(
    a_fallback_is_asked_by_its_own_times_until_the_source_answers,
    |app| {
        let services = FakeServices::start().await;
        services.reply("/v1/marketdata", Reply::Text(500, String::new()));
        services.reply_ok("/price", energy_charts(1));
        let anna = app.owner("anna", "SC000001").await;
        set(app, &anna, "SC000001", &[("provider", "awattar")]).await;
        // Late enough for tomorrow's prices, which the fallback is asked for every ten minutes.
        app.clock.advance(2 * HOUR);
        for _ in 0..8 {
            round(app, &services).await;
            app.store.update_needed_polls().await.unwrap();
            app.clock.advance(16 * MINUTE);
        }
        let fallback = |services: &FakeServices| {
            let requests = services.take_requests().into_iter();
            requests.filter(|it| it.path.starts_with("/price")).count()
        };
        assert_eq!(fallback(&services), 8, "more often than the source fails");
        let start = midnight();
        let own = format!(
            r#"{{"object":"list","data":[{{"start_timestamp":{start},"end_timestamp":{},"marketprice":7.00,"unit":"Eur/MWh"}}]}}"#,
            start + HOUR
        );
        services.reply_ok("/v1/marketdata", own);
        app.clock.advance(3 * HOUR);
        round(app, &services).await;
        app.store.update_needed_polls().await.unwrap();
        services.take_requests();
        app.clock.advance(3 * HOUR);
        round(app, &services).await;
        assert_eq!(fallback(&services), 0);
    }
);

with_app!(
    who_moves_to_another_country_gets_its_prices_and_nobody_the_old_ones,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/price", energy_charts(1));
        let anna = app.owner("anna", "SC000001").await;
        set(app, &anna, "SC000001", &[("provider", "energy_charts")]).await;
        round(app, &services).await;
        services.take_requests();
        let moved = [("country", "AT"), ("phone", "+43 1 5880 0")];
        let call = app.call("PATCH", "/api/auth/account/").form(&moved);
        call.bearer(&anna.access).send().await.expect(200);
        app.store.update_needed_polls().await.unwrap();
        app.clock.advance(DAY);
        round(app, &services).await;
        let asked = services.take_requests();
        assert_eq!(asked.len(), 1);
        assert!(asked[0].path.contains("bzn=AT"), "{}", asked[0].path);
    }
);

on_both!(two_processes_on_one_database_ask_once, |db| {
    let app = TestApp::start(db).await;
    let services = FakeServices::start().await;
    services.reply_ok("/price", energy_charts(1));
    services.reply_ok("/v1-beta/gql", tibber("0.30"));
    let anna = app.owner("anna", "SC000001").await;
    set(&app, &anna, "SC000001", &[("provider", "energy_charts")]).await;
    let ben = app.owner("ben", "SC000002").await;
    let own = [("provider", "tibber"), ("provider_token", TOKEN)];
    set(&app, &ben, "SC000002", &own).await;
    let cells: Vec<Area> = (0..20)
        .map(|n| Area::Cell(format!("48.1,{}.0", n).parse().unwrap()))
        .collect();
    let due = SourceState::default();
    let set = app.store.set_source_state(Source::OpenMeteo, &cells, due);
    set.await.unwrap();
    let other = db.open_again().await;
    let sources = Sources::new(Addresses::default().or_all(&services.url));
    let (random, now) = (&app.portal.random, app.clock.now());
    tokio::join!(
        jobs::sources::run(&app.store, &sources, random, now),
        jobs::sources::run(&other, &sources, random, now)
    );
    let mut paths: Vec<String> = services
        .take_requests()
        .into_iter()
        .map(|request| request.path)
        .collect();
    assert_eq!(paths.len(), 22);
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 22);
    other.db().close().await;
    app.stop().await;
});

with_app!(
    a_request_whose_process_died_is_made_by_another_after_a_minute,
    |app| {
        let services = FakeServices::start().await;
        services.reply_ok("/price", energy_charts(1));
        let anna = app.owner("anna", "SC000001").await;
        set(app, &anna, "SC000001", &[("provider", "energy_charts")]).await;
        let claimed = app
            .store
            .claim_poll(Source::EnergyCharts, &[ZONE], 1, app.clock.now());
        assert_eq!(claimed.await.unwrap().unwrap().tries, 0);
        round(app, &services).await;
        assert!(services.take_requests().is_empty());
        app.clock.advance(MINUTE);
        round(app, &services).await;
        assert_eq!(services.take_requests().len(), 1);
    }
);
