//! Each price service, replayed by a local server: recorded responses where there are any, otherwise the service's exact format.
#![allow(clippy::unwrap_used)]
use domain::clock::{HOUR, Millis};
use domain::source::{BiddingZone, PriceSlot, QUARTER, SourceError, SpotPrice, quarter_prices};
use domain::{Source, Zone};
use sources::{Addresses, PriceRequest, SourceFailure, Sources};
use testkit::{FakeServices, Reply};

const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";

fn sources(services: &FakeServices) -> Sources {
    Sources::new(Addresses::default().or_all(&services.url))
}

fn noon(date: &str) -> Millis {
    Zone::default().hour_of(date.parse().unwrap(), 12)
}

async fn ask(
    services: &FakeServices,
    source: Source,
    zone: BiddingZone,
    date: &str,
) -> Result<Vec<PriceSlot>, SourceFailure> {
    let question = PriceRequest {
        zone,
        token: source.needs_token().then_some(TOKEN),
        now: noon(date),
    };
    sources(services).prices(source, question).await
}

fn error(answer: Result<Vec<PriceSlot>, SourceFailure>) -> SourceError {
    answer.unwrap_err().error
}

/// The prices of a day by its quarter-hours, in thousandths of a cent.
fn day(slots: &[PriceSlot], date: &str) -> Vec<Option<i64>> {
    let bounds = Zone::default().bounds(date.parse().unwrap());
    let found = quarter_prices(slots, bounds);
    let number = |price: &Option<SpotPrice>| price.map(SpotPrice::thousandths);
    found.iter().map(number).collect()
}

const SHORT: &str = include_str!("recorded/energy-charts-2024-03-31-23h.json");
const LONG: &str = include_str!("recorded/energy-charts-2024-10-27-25h.json");
const QUARTERS: &str = include_str!("recorded/energy-charts-2025-11-14-quarter-hour.json");

#[tokio::test]
async fn recorded_days_have_23_24_and_25_hours_without_a_gap() {
    let services = FakeServices::start().await;
    for (recorded, date, hours, first) in [
        (SHORT, "2024-03-31", 23, 7_570),
        (LONG, "2024-10-27", 25, 9_222),
        (QUARTERS, "2025-11-14", 24, 9_796),
    ] {
        services.reply_ok("/price", recorded);
        let slots = ask(&services, Source::EnergyCharts, BiddingZone::DeLu, date).await;
        let prices = day(&slots.unwrap(), date);
        assert_eq!(prices.len(), hours * 4, "{date}");
        assert!(prices.iter().all(Option::is_some), "{date}");
        assert_eq!(prices[0], Some(first), "{date}");
        let next = date.parse::<domain::SiteDay>().unwrap().next();
        let asked = &services.take_requests()[0];
        assert_eq!(
            asked.path,
            format!("/price?bzn=DE-LU&start={date}&end={next}")
        );
    }
}

#[tokio::test]
async fn an_hour_is_four_quarters_and_a_quarter_is_one() {
    let services = FakeServices::start().await;
    services.reply_ok("/price", LONG);
    let slots = ask(
        &services,
        Source::EnergyCharts,
        BiddingZone::DeLu,
        "2024-10-27",
    )
    .await;
    let hourly = slots.unwrap();
    assert_eq!((hourly.len(), hourly[0].end - hourly[0].start), (25, HOUR));
    services.reply_ok("/price", QUARTERS);
    let slots = ask(
        &services,
        Source::EnergyCharts,
        BiddingZone::DeLu,
        "2025-11-14",
    )
    .await;
    let quarterly = slots.unwrap();
    assert_eq!(
        (quarterly.len(), quarterly[0].end - quarterly[0].start),
        (96, QUARTER)
    );
}

#[tokio::test]
async fn gaps_stay_gaps_and_prices_below_zero_stay_below() {
    let services = FakeServices::start().await;
    let start = Zone::default().start_of("2026-11-16".parse().unwrap()) / 1_000;
    let at = |n: i64| start + n * 900;
    let body = format!(
        r#"{{"license_info":"","unix_seconds":[{},{},{},{}],"price":[-5.12,null,0,102.5],"unit":"EUR / MWh","deprecated":false}}"#,
        at(0),
        at(1),
        at(2),
        at(5)
    );
    services.reply_ok("/price", body);
    let slots = ask(
        &services,
        Source::EnergyCharts,
        BiddingZone::At,
        "2026-11-16",
    )
    .await;
    let prices = day(&slots.unwrap(), "2026-11-16");
    let want = [Some(-512), None, Some(0), None, None, Some(10_250), None];
    assert_eq!(prices[..7], want);
    assert!(
        services.take_requests()[0]
            .path
            .starts_with("/price?bzn=AT&")
    );
}

#[tokio::test]
async fn what_is_not_of_the_shape_is_not_believed() {
    let services = FakeServices::start().await;
    let energy_charts = [
        "",
        "<html>",
        r#"{"unix_seconds":[1],"price":[],"unit":"EUR / MWh"}"#,
        r#"{"unix_seconds":[0],"price":[1],"unit":"PLN / MWh"}"#,
        r#"{"unix_seconds":[0],"price":["much"],"unit":"EUR / MWh"}"#,
        r#"{"unix_seconds":[0,0],"price":[1,2],"unit":"EUR / MWh"}"#,
        r#"{"unix_seconds":[7],"price":[1],"unit":"EUR / MWh"}"#,
        r#"{"unix_seconds":[0],"price":[99999999],"unit":"EUR / MWh"}"#,
    ];
    let entsoe = ["{}", "<Publication_MarketDocument><TimeSeries/>"];
    let cases = energy_charts.map(|body| (Source::EnergyCharts, body));
    let more = entsoe.map(|body| (Source::Entsoe, body));
    let others = [
        (Source::Awattar, r#"{"data":[{"start_timestamp":0}]}"#),
        (
            Source::Awattar,
            r#"{"data":[{"start_timestamp":0,"end_timestamp":3600000,"marketprice":1,"unit":"Eur/kWh"}]}"#,
        ),
        (Source::Tibber, r#"{"data":{}}"#),
    ];
    for (source, body) in cases.into_iter().chain(more).chain(others) {
        services.reply_ok("/", body);
        let answer = ask(&services, source, BiddingZone::DeLu, "2026-11-16").await;
        assert_eq!(error(answer), SourceError::Unreadable, "{body}");
    }
}

#[tokio::test]
async fn awattar_is_asked_for_two_days_and_read_to_the_millisecond() {
    let services = FakeServices::start().await;
    let start = Zone::default().start_of("2026-11-16".parse().unwrap());
    let entry = |n: i64, price: &str| {
        let (start, end) = (start + n * HOUR, start + (n + 1) * HOUR);
        format!(
            r#"{{"start_timestamp":{start},"end_timestamp":{end},"marketprice":{price},"unit":"Eur/MWh"}}"#
        )
    };
    let body = format!(
        r#"{{"object":"list","data":[{},{},{}],"url":"/de/v1/marketdata"}}"#,
        entry(0, "42.09"),
        entry(1, "-31.54"),
        entry(3, "102.49")
    );
    services.reply_ok("/v1/marketdata", body);
    let slots = ask(&services, Source::Awattar, BiddingZone::DeLu, "2026-11-16").await;
    let prices = day(&slots.unwrap(), "2026-11-16");
    assert_eq!(prices[0..4], [Some(4_209); 4]);
    assert_eq!(prices[4..8], [Some(-3_154); 4]);
    assert_eq!(prices[8..12], [None; 4]);
    assert_eq!(prices[12], Some(10_249));
    let want = format!("/v1/marketdata?start={start}&end={}", start + 48 * HOUR);
    assert_eq!(services.take_requests()[0].path, want);
    // It has no prices for other zones and is not called.
    let other = ask(&services, Source::Awattar, BiddingZone::Fr, "2026-11-16").await;
    assert_eq!(error(other), SourceError::Empty);
    assert!(services.take_requests().is_empty());
}

fn tibber(homes: &str) -> String {
    format!(r#"{{"data":{{"viewer":{{"homes":[{homes}]}}}}}}"#)
}

#[tokio::test]
async fn tibber_gives_final_prices_of_the_first_home_with_a_contract() {
    let services = FakeServices::start().await;
    let homes = r#"{"currentSubscription":null},
        {"currentSubscription":{"priceInfo":{
            "today":[
                {"total":0.2512,"startsAt":"2026-11-16T00:00:00.000+01:00","currency":"EUR"},
                {"total":-0.0034,"startsAt":"2026-11-16T00:15:00.000+01:00","currency":"EUR"},
                {"total":0.25125,"startsAt":"2026-11-16T00:30:00.000+01:00","currency":"EUR"}],
            "tomorrow":[]}}}"#;
    services.reply_ok("/v1-beta/gql", tibber(homes));
    let slots = ask(&services, Source::Tibber, BiddingZone::DeLu, "2026-11-16").await;
    let prices = day(&slots.unwrap(), "2026-11-16");
    let want = [Some(25_120), Some(-340), Some(25_125), None];
    assert_eq!(prices[..4], want);
    let asked = &services.take_requests()[0];
    assert_eq!(asked.headers["authorization"], format!("Bearer {TOKEN}"));
    assert!(asked.body.contains("priceInfo(resolution: QUARTER_HOURLY)"));
    assert!(!asked.path.contains(TOKEN) && !asked.body.contains(TOKEN));
}

#[tokio::test]
async fn tibber_says_what_is_wrong_in_good_answers() {
    let services = FakeServices::start().await;
    let trouble = |code: &str, message: &str| {
        format!(
            r#"{{"errors":[{{"message":"{message}","extensions":{{"code":"{code}"}}}}],"data":null}}"#
        )
    };
    let crowns = r#"{"currentSubscription":{"priceInfo":{"tomorrow":[],"today":[
        {"total":1.2,"startsAt":"2026-11-16T00:00:00.000+01:00","currency":"SEK"}]}}}"#;
    for (body, want) in [
        (
            trouble("UNAUTHENTICATED", "invalid token"),
            SourceError::TokenRefused,
        ),
        (
            trouble("INTERNAL_SERVER_ERROR", "Invalid Compact JWS"),
            SourceError::TokenRefused,
        ),
        (
            trouble("INTERNAL_SERVER_ERROR", "oops"),
            SourceError::Failed,
        ),
        (
            trouble("GRAPHQL_VALIDATION_FAILED", "no such field"),
            SourceError::Rejected,
        ),
        (tibber(""), SourceError::NoContract),
        (
            tibber(r#"{"currentSubscription":null}"#),
            SourceError::NoContract,
        ),
        (tibber(crowns), SourceError::Currency),
    ] {
        services.reply_ok("/v1-beta/gql", &*body);
        let answer = ask(&services, Source::Tibber, BiddingZone::DeLu, "2026-11-16").await;
        assert_eq!(error(answer), want, "{body}");
    }
}

/// One series of a publication document; `auction` is the sequence number where a zone has several.
fn series(auction: &str, curve: &str, resolution: &str, points: &str) -> String {
    format!(
        r#"<TimeSeries><mRID>1</mRID><auction.type>A01</auction.type><businessType>A62</businessType>
        <in_Domain.mRID codingScheme="A01">10Y1001A1001A82H</in_Domain.mRID>
        <out_Domain.mRID codingScheme="A01">10Y1001A1001A82H</out_Domain.mRID>
        <contract_MarketAgreement.type>A01</contract_MarketAgreement.type>
        <currency_Unit.name>EUR</currency_Unit.name><price_Measure_Unit.name>MWH</price_Measure_Unit.name>
        {auction}<curveType>{curve}</curveType>
        <Period><timeInterval><start>2026-11-15T23:00Z</start><end>2026-11-16T23:00Z</end></timeInterval>
        <resolution>{resolution}</resolution>{points}</Period></TimeSeries>"#
    )
}

fn point(position: i64, price: &str) -> String {
    format!("<Point><position>{position}</position><price.amount>{price}</price.amount></Point>")
}

fn publication(series: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="utf-8"?>
        <Publication_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-3:publicationdocument:7:3">
        <mRID>8116828a</mRID><revisionNumber>1</revisionNumber><type>A44</type>
        <period.timeInterval><start>2026-11-15T23:00Z</start><end>2026-11-16T23:00Z</end></period.timeInterval>
        {series}</Publication_MarketDocument>"#
    )
}

#[tokio::test]
async fn entsoe_repeats_a_price_where_its_curve_leaves_positions_out() {
    let services = FakeServices::start().await;
    let points = [point(1, "90.00"), point(5, "-1.5"), point(96, "50")].concat();
    services.reply_ok("/api", publication(&series("", "A03", "PT15M", &points)));
    let slots = ask(&services, Source::Entsoe, BiddingZone::DeLu, "2026-11-16").await;
    let prices = day(&slots.unwrap(), "2026-11-16");
    assert_eq!(prices.len(), 96);
    assert_eq!(prices[0..4], [Some(9_000); 4]);
    assert_eq!(prices[4..95], [Some(-150); 91]);
    assert_eq!(prices[95], Some(5_000));
    let asked = &services.take_requests()[0];
    assert_eq!(
        (asked.method.as_str(), asked.path.as_str()),
        ("POST", "/api")
    );
    assert_eq!(asked.headers["security_token"], TOKEN);
    assert_eq!(asked.headers["content-type"], "application/xml");
    let attribute = |name: &str, value: &str| {
        format!("<attribute>{name}</attribute><attributeValue>{value}</attributeValue>")
    };
    for (name, value) in [
        ("DocumentType", "A44"),
        ("In_Domain", "10Y1001A1001A82H"),
        ("Out_Domain", "10Y1001A1001A82H"),
        ("TimeInterval", "2026-11-15T23:00Z/2026-11-17T23:00Z"),
    ] {
        assert!(asked.body.contains(&attribute(name, value)), "{name}");
    }
}

#[tokio::test]
async fn entsoe_in_hours_with_another_curve_keeps_its_gaps() {
    let services = FakeServices::start().await;
    let points = [point(1, "90.00"), point(3, "80")].concat();
    services.reply_ok("/api", publication(&series("", "A01", "PT60M", &points)));
    let slots = ask(&services, Source::Entsoe, BiddingZone::DeLu, "2026-11-16").await;
    let prices = day(&slots.unwrap(), "2026-11-16");
    assert_eq!(prices[0..4], [Some(9_000); 4]);
    assert_eq!(prices[4..8], [None; 4]);
    assert_eq!(prices[8..12], [Some(8_000); 4]);
}

#[tokio::test]
async fn of_two_auctions_the_common_one_counts_and_of_two_resolutions_the_finer() {
    let services = FakeServices::start().await;
    let sequence = |number: u8| {
        format!(
            "<classificationSequence_AttributeInstanceComponent.position>{number}</classificationSequence_AttributeInstanceComponent.position>"
        )
    };
    let all = [
        series(&sequence(2), "A03", "PT15M", &point(1, "11")),
        series(&sequence(1), "A03", "PT60M", &point(1, "22")),
        series(&sequence(1), "A03", "PT15M", &point(1, "33")),
    ];
    services.reply_ok("/api", publication(&all.concat()));
    let slots = ask(&services, Source::Entsoe, BiddingZone::DeLu, "2026-11-16").await;
    let prices = day(&slots.unwrap(), "2026-11-16");
    assert_eq!(prices, [Some(3_300); 96]);
}

#[tokio::test]
async fn entsoe_acknowledges_what_it_cannot_answer() {
    let services = FakeServices::start().await;
    let acknowledgement = |code: &str| {
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
            <Acknowledgement_MarketDocument xmlns="urn:iec62325.351:tc57wg16:451-1:acknowledgementdocument:7:0">
            <mRID>b3f1</mRID><Reason><code>{code}</code><text>…</text></Reason></Acknowledgement_MarketDocument>"#
        )
    };
    for (code, want) in [("999", SourceError::Empty), ("100", SourceError::Rejected)] {
        services.reply_ok("/api", acknowledgement(code));
        let answer = ask(&services, Source::Entsoe, BiddingZone::DeLu, "2026-11-16").await;
        assert_eq!(error(answer), want);
    }
    services.reply("/api", Reply::Text(401, "<html>Unauthorized".into()));
    let answer = ask(&services, Source::Entsoe, BiddingZone::DeLu, "2026-11-16").await;
    assert_eq!(error(answer), SourceError::TokenRefused);
}
