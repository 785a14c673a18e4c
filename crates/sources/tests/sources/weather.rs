//! Weather services in their exact format, replayed by a local server.
#![allow(clippy::unwrap_used)]
use domain::Source;
use domain::clock::HOUR;
use domain::site::Coordinates;
use domain::source::{QUARTER, SourceError};
use sources::{Addresses, PvYield, SourceFailure, Sources, WeatherRequest};
use testkit::{FakeServices, NOON, Reply};

async fn ask(
    services: &FakeServices,
    source: Source,
    planes: &str,
) -> Result<PvYield, SourceFailure> {
    let planes = planes.parse().unwrap();
    let question = WeatherRequest {
        coordinates: Coordinates::from_hundredths(4_814, 1_158).unwrap(),
        planes: &planes,
        now: NOON,
    };
    let sources = Sources::new(Addresses::default().or_all(&services.url));
    sources.weather(source, question).await
}

/// Open-Meteo's format, from the start of a UTC day on.
fn open_meteo(name: &str, values: &str) -> String {
    let first = NOON / 1_000 / 86_400 * 86_400;
    let count = values.split(',').count() as i64;
    let times: Vec<String> = (0..count).map(|n| (first + 900 * n).to_string()).collect();
    format!(
        r#"{{"latitude":48.14,"longitude":11.58,"generationtime_ms":0.05,"utc_offset_seconds":0,"timezone":"GMT",
        "timezone_abbreviation":"GMT","elevation":524.0,"minutely_15_units":{{"time":"unixtime","{name}":"W/m²"}},
        "minutely_15":{{"time":[{}],"{name}":[{values}]}}}}"#,
        times.join(",")
    )
}

#[tokio::test]
async fn open_meteo_is_asked_for_each_plane_and_the_planes_add_up() {
    let services = FakeServices::start().await;
    let east = open_meteo("global_tilted_irradiance", "0.0,-1.6,500.0,null,1000.0");
    let west = open_meteo("global_tilted_irradiance", "0.0,10.0,100.0,100.0,50.5");
    let path = "/v1/forecast?latitude=48.14&longitude=11.58&timeformat=unixtime&forecast_days=3\
                &minutely_15=global_tilted_irradiance&tilt=30&azimuth=";
    services.reply_ok(&format!("{path}-90"), east);
    services.reply_ok(&format!("{path}90"), west);
    let sun = ask(&services, Source::OpenMeteo, "5/30/-90,2.5/30/90").await;
    let want = PvYield {
        // Each value is for the quarter-hour that ends at its time.
        start: NOON / HOUR / 24 * 24 * HOUR - QUARTER,
        watts: vec![Some(0), Some(25), Some(2_750), None, Some(5_126)],
    };
    assert_eq!(sun.unwrap(), want);
    assert_eq!(services.take_requests().len(), 2);
}

#[tokio::test]
async fn without_planes_a_kilowatt_lies_flat() {
    let services = FakeServices::start().await;
    services.reply_ok("/v1/forecast", open_meteo("shortwave_radiation", "0,640.4"));
    let sun = ask(&services, Source::OpenMeteo, "").await.unwrap();
    assert_eq!(sun.watts, [Some(0), Some(640)]);
    let asked = &services.take_requests()[0].path;
    assert!(asked.ends_with("&minutely_15=shortwave_radiation"));
}

#[tokio::test]
async fn open_meteo_refuses_with_a_reason_that_stays_there() {
    let services = FakeServices::start().await;
    let reason = r#"{"error":true,"reason":"Parameter 'tilt' is out of range"}"#;
    for (code, want) in [
        (400, SourceError::Rejected),
        (429, SourceError::RateLimited),
        (200, SourceError::Unreadable),
    ] {
        services.reply("/v1/forecast", Reply::Text(code, reason.into()));
        let failure = ask(&services, Source::OpenMeteo, "5/30/0")
            .await
            .unwrap_err();
        assert_eq!(failure.error, want);
    }
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
    let sun = ask(&services, Source::ForecastSolar, "5.2/30/-45").await;
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
async fn forecast_solar_says_in_its_message_that_it_was_asked_too_often() {
    let services = FakeServices::start().await;
    let body = r#"{"result":null,"message":{"code":429,"type":"error","text":"Rate limit for API calls reached."}}"#;
    for code in [200, 429] {
        services.reply("/estimate", Reply::Text(code, body.into()));
        let answer = ask(&services, Source::ForecastSolar, "5/30/0").await;
        assert_eq!(answer.unwrap_err().error, SourceError::RateLimited);
    }
}
