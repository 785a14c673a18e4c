//! Fakes of the external price services for the demo, each in the exact format of the original. They repeat four real weeks of
//! prices. Tomorrow's prices appear at 12:45, as in reality. A token that begins with `wrong` is refused.
use super::weather::{SunForecast, weather};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use domain::clock::{MINUTE, Millis, SECOND};
use domain::source::{PriceMarkup, QUARTER, SpotPrice};
use domain::{Clock, SiteDay, Zone};
use serde::Deserialize;
use serde_json::{Value, json};
use std::ops::Range;

const PRICE_DATA: &str = include_str!("../../data/day-ahead-prices.txt");
/// The first day of the data, a Monday.
const FIRST_DAY: &str = "2025-11-03";
/// In minutes since midnight.
const PUBLICATION_MINUTE: u16 = 12 * 60 + 45;
/// What the demo's Tibber adds to the exchange price.
const TIBBER_CONTRACT: PriceMarkup = PriceMarkup {
    adder: 1_834,
    vat: 190,
};

pub fn fake_services(clock: Clock, sun_forecast: SunForecast) -> Router {
    let weather = weather(clock.clone(), sun_forecast);
    let prices = Router::new()
        .route("/price", get(energy_charts))
        .route("/v1/marketdata", get(awattar))
        .route("/v1-beta/gql", post(tibber))
        .route("/api", post(entsoe))
        .with_state(Exchange { clock });
    prices.merge(weather)
}

#[derive(Clone)]
struct Exchange {
    clock: Clock,
}

impl Exchange {
    /// The published quarter-hours of these days, with prices in thousandths of a cent per kWh.
    fn prices(&self, days: Range<SiteDay>) -> Vec<(Millis, i64)> {
        let zone = Zone::default();
        let now = self.clock.now();
        let ahead = if zone.minute_of_day(now) >= PUBLICATION_MINUTE {
            2
        } else {
            1
        };
        let end = days.end.min(zone.day_of(now).plus(ahead));
        let lines: Vec<&str> = PRICE_DATA.lines().collect();
        let mut found = Vec::new();
        for day in SiteDay::each(days.start..end) {
            let line = lines[line_of(day, lines.len())];
            let values: Vec<&str> = line.split(',').collect();
            let bounds = zone.bounds(day);
            let quarters = (0..).map(|n| bounds.start + n * QUARTER);
            // By local time: a repeated hour has its prices twice, a skipped hour has none.
            found.extend(quarters.take_while(|at| *at < bounds.end).filter_map(|at| {
                let value = values.get(usize::from(zone.minute_of_day(at) / 15))?;
                Some((at, SpotPrice::per_mwh(value)?.thousandths()))
            }));
        }
        found
    }

    fn two_days(&self) -> Range<SiteDay> {
        let today = Zone::default().day_of(self.clock.now());
        today..today.plus(2)
    }
}

/// The line with the same day of the week, from any of the weeks.
fn line_of(day: SiteDay, lines: usize) -> usize {
    let first: SiteDay = FIRST_DAY.parse().unwrap_or(day);
    let zone = Zone::default();
    let hours = (zone.start_of(day) - zone.start_of(first)) / MINUTE / 60;
    // Rounding to whole days is safe: clocks change by one hour at most.
    let days = (hours + 12).div_euclid(24);
    usize::try_from(days.rem_euclid(lines as i64)).unwrap_or(0)
}

/// Euros per MWh with two decimals, as exchanges write them.
fn per_mwh(thousandths: i64) -> f64 {
    thousandths as f64 / 100.0
}

#[derive(Deserialize)]
struct DayQuery {
    start: String,
    end: String,
}

async fn energy_charts(State(exchange): State<Exchange>, Query(days): Query<DayQuery>) -> Response {
    let (Ok(start), Ok(end)) = (days.start.parse::<SiteDay>(), days.end.parse::<SiteDay>()) else {
        return StatusCode::UNPROCESSABLE_ENTITY.into_response();
    };
    let prices = exchange.prices(start.max(end.plus(-30))..end.next());
    let seconds: Vec<i64> = prices.iter().map(|(at, _)| at / SECOND).collect();
    let values: Vec<f64> = prices.iter().map(|(_, price)| per_mwh(*price)).collect();
    let answer = json!({
        "license_info": "CC BY 4.0 (creativecommons.org/licenses/by/4.0) from Bundesnetzagentur | SMARD.de",
        "unix_seconds": seconds, "price": values, "unit": "EUR / MWh", "deprecated": false,
    });
    Json(answer).into_response()
}

async fn awattar(State(exchange): State<Exchange>) -> Json<Value> {
    let prices = exchange.prices(exchange.two_days());
    let hours = prices.chunks(4).filter(|hour| hour.len() == 4);
    let hours = hours.map(|hour| {
        let mean = hour.iter().map(|(_, price)| price).sum::<i64>() / 4;
        json!({
            "start_timestamp": hour[0].0, "end_timestamp": hour[3].0 + QUARTER,
            "marketprice": per_mwh(mean), "unit": "Eur/MWh",
        })
    });
    let hours: Vec<Value> = hours.collect();
    Json(json!({ "object": "list", "data": hours, "url": "/de/v1/marketdata" }))
}

/// Whether the fake services accept a token.
fn is_known(headers: &HeaderMap, name: &str, before: &str) -> bool {
    let given = headers.get(name).and_then(|value| value.to_str().ok());
    given.is_some_and(|text| !text.trim_start_matches(before).starts_with("wrong"))
}

async fn tibber(State(exchange): State<Exchange>, headers: HeaderMap) -> Json<Value> {
    if !is_known(&headers, "authorization", "Bearer ") {
        let error =
            json!({ "message": "invalid token", "extensions": { "code": "UNAUTHENTICATED" } });
        return Json(json!({ "errors": [error], "data": null }));
    }
    let days = exchange.two_days();
    let of = |day: SiteDay| -> Vec<Value> {
        let prices = exchange.prices(day..day.next()).into_iter();
        let entry = |(at, price): (Millis, i64)| {
            let spot = SpotPrice::from_thousandths(price)?;
            let total = spot.purchase_price(Some(TIBBER_CONTRACT)) as f64 / 10_000.0;
            let starts_at = domain::site_time::utc_text(at);
            Some(json!({ "total": total, "startsAt": starts_at, "currency": "EUR" }))
        };
        prices.filter_map(entry).collect()
    };
    let info = json!({ "today": of(days.start), "tomorrow": of(days.start.next()) });
    let home = json!({ "currentSubscription": { "priceInfo": info } });
    Json(json!({ "data": { "viewer": { "homes": [home] } } }))
}

async fn entsoe(State(exchange): State<Exchange>, headers: HeaderMap) -> Response {
    if !is_known(&headers, "security_token", "") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let prices = exchange.prices(exchange.two_days());
    let (Some((first, _)), Some((last, _))) = (prices.first(), prices.last()) else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let points = prices.iter().enumerate().map(|(place, (_, price))| {
        let (place, price) = (place + 1, per_mwh(*price));
        format!("<Point><position>{place}</position><price.amount>{price}</price.amount></Point>")
    });
    let points: String = points.collect();
    let moment = |at: Millis| domain::site_time::utc_text(at).replacen(":00Z", "Z", 1);
    let (start, end) = (moment(*first), moment(last + QUARTER));
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\
         <Publication_MarketDocument xmlns=\"urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3\"><type>A44</type>\
         <TimeSeries><mRID>1</mRID><currency_Unit.name>EUR</currency_Unit.name>\
         <price_Measure_Unit.name>MWH</price_Measure_Unit.name><curveType>A03</curveType>\
         <Period><timeInterval><start>{start}</start><end>{end}</end></timeInterval>\
         <resolution>PT15M</resolution>{points}</Period></TimeSeries></Publication_MarketDocument>"
    );
    document.into_response()
}
