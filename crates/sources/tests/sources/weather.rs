//! Weather services in their exact format, replayed by a local server.
#![allow(clippy::unwrap_used)]
use domain::clock::HOUR;
use domain::site::Coordinates;
use domain::source::{QUARTER, SourceError};
use domain::weather::{CellForecast, Irradiance};
use sources::{Addresses, PvYield, RoofRequest, SourceFailure, Sources};
use testkit::{FakeServices, NOON, Reply};

fn sources(services: &FakeServices) -> Sources {
    Sources::new(Addresses::default().or_all(&services.url))
}

async fn ask_open_meteo(services: &FakeServices) -> Result<CellForecast, SourceFailure> {
    let cell = "48.1,11.6".parse().unwrap();
    sources(services).cell_weather(cell).await
}

async fn ask_forecast_solar(
    services: &FakeServices,
    planes: &str,
) -> Result<PvYield, SourceFailure> {
    let planes = planes.parse().unwrap();
    let question = RoofRequest {
        coordinates: Coordinates::from_hundredths(4_814, 1_158).unwrap(),
        planes: &planes,
        now: NOON,
    };
    sources(services).roof_yield(question).await
}

/// Open-Meteo's format, from the start of a UTC day on.
fn open_meteo(direct: &str, diffuse: &str) -> String {
    let first = NOON / 1_000 / 86_400 * 86_400;
    let count = direct.split(',').count() as i64;
    let times: Vec<String> = (0..count).map(|n| (first + 900 * n).to_string()).collect();
    format!(
        r#"{{"latitude":48.1,"longitude":11.6,"generationtime_ms":0.05,"utc_offset_seconds":0,"timezone":"GMT",
        "timezone_abbreviation":"GMT","elevation":524.0,
        "minutely_15_units":{{"time":"unixtime","direct_radiation":"W/m²","diffuse_radiation":"W/m²"}},
        "minutely_15":{{"time":[{}],"direct_radiation":[{direct}],"diffuse_radiation":[{diffuse}]}}}}"#,
        times.join(",")
    )
}

#[tokio::test]
async fn open_meteo_is_asked_once_for_the_direct_and_the_diffuse_light_of_a_cell() {
    let services = FakeServices::start().await;
    let body = open_meteo("0.0,-1.6,500.4,null,250.5", "0.0,10.0,100.0,100.0,50");
    services.reply_ok("/v1/forecast", body);
    let quarter = |direct, diffuse| Some(Irradiance { direct, diffuse });
    let want = CellForecast {
        // Each value is for the quarter-hour that ends at its time.
        start: NOON / HOUR / 24 * 24 * HOUR - QUARTER,
        quarters: vec![
            quarter(0, 0),
            quarter(0, 10),
            quarter(500, 100),
            None,
            quarter(251, 50),
        ],
    };
    assert_eq!(ask_open_meteo(&services).await.unwrap(), want);
    let asked = services.take_requests();
    let paths: Vec<&str> = asked.iter().map(|asked| asked.path.as_str()).collect();
    let path = "/v1/forecast?latitude=48.1&longitude=11.6&timeformat=unixtime&forecast_days=3\
                &minutely_15=direct_radiation,diffuse_radiation";
    assert_eq!(paths, [path]);
}

#[tokio::test]
async fn open_meteo_refuses_with_a_reason_that_stays_there() {
    let services = FakeServices::start().await;
    let reason = r#"{"error":true,"reason":"Parameter 'latitude' is out of range"}"#;
    for (code, want) in [
        (400, SourceError::Rejected),
        (429, SourceError::RateLimited),
        (200, SourceError::Unreadable),
    ] {
        services.reply("/v1/forecast", Reply::Text(code, reason.into()));
        let failure = ask_open_meteo(&services).await.unwrap_err();
        assert_eq!(failure.error, want);
    }
    services.reply_ok("/v1/forecast", open_meteo("1,2,3", "1,2"));
    let failure = ask_open_meteo(&services).await.unwrap_err();
    assert_eq!(failure.error, SourceError::Unreadable);
}

#[tokio::test]
async fn forecast_solar_gives_energy_between_irregular_times() {
    let services = FakeServices::start().await;
    // NOON is 11:00 UTC. From 11:20 to 12:00 400 Wh, then 1,200 Wh in an hour, and a sunset.
    let body = r#"{"result":{
            "watts":{"2026-11-15T11:20:00+00:00":0},
            "watt_hours_period":{"2026-11-15T11:20:00+00:00":0,"2026-11-15T12:00:00+00:00":400,
                "2026-11-15T13:00:00+00:00":1200,"2026-11-15T13:10:00+00:00":0},
            "watt_hours":{},"watt_hours_day":{"2026-11-15":1600}},
        "message":{"code":0,"type":"success","text":"","pid":"x","info":{"timezone":"Europe/Berlin"},
            "ratelimit":{"zone":"IP 1.2.3.4","period":3600,"limit":12,"remaining":11}}}"#;
    services.reply_ok("/estimate", body);
    let sun = ask_forecast_solar(&services, "5.2/30/-45").await;
    let sun = sun.unwrap();
    assert_eq!(sun.start, NOON);
    let want = [0, 400, 600, 600, 1_200, 1_200, 1_200, 1_200, 0];
    assert_eq!(sun.watts[..9], want.map(Some));
    let energy: i64 = sun.watts.iter().flatten().sum();
    assert_eq!(energy / 4, 1_600);
    let asked = &services.take_requests()[0].path;
    assert_eq!(asked, "/estimate/48.14/11.58/30/-45/5.200?time=utc");
}

#[tokio::test]
async fn forecast_solar_is_asked_for_each_plane_and_the_planes_add_up() {
    let services = FakeServices::start().await;
    let plane = |energy: i64| {
        format!(
            r#"{{"result":{{"watt_hours_period":{{"2026-11-15T11:00:00+00:00":0,"2026-11-15T12:00:00+00:00":{energy}}}}},
            "message":{{"code":0}}}}"#
        )
    };
    services.reply_ok("/estimate/48.14/11.58/30/-90/5.000", plane(1_000));
    services.reply_ok("/estimate/48.14/11.58/30/90/2.500", plane(200));
    let sun = ask_forecast_solar(&services, "5/30/-90,2.5/30/90").await;
    assert_eq!(sun.unwrap().watts[..4], [Some(1_200); 4]);
    assert_eq!(services.take_requests().len(), 2);
}

#[tokio::test]
async fn forecast_solar_says_in_its_message_that_it_was_asked_too_often() {
    let services = FakeServices::start().await;
    let body = r#"{"result":null,"message":{"code":429,"type":"error","text":"Rate limit for API calls reached."}}"#;
    for code in [200, 429] {
        services.reply("/estimate", Reply::Text(code, body.into()));
        let answer = ask_forecast_solar(&services, "5/30/0").await;
        assert_eq!(answer.unwrap_err().error, SourceError::RateLimited);
    }
}
