//! The ENTSO-E transparency platform: the official day-ahead prices as XML, with the household's token. Requested by POST, as GET
//! would put the token in the address.
use crate::PriceRequest;
use crate::client::{Client, SourceFailure, SourceRequest};
use crate::slots::parse_timestamp;
use domain::Source;
use domain::clock::{HOUR, MINUTE, Millis};
use domain::site_time::utc_text;
use domain::source::{PriceSlot, QUARTER, SourceError, SpotPrice};
use serde::Deserialize;

/// "No matching data found": a valid response without prices.
const NO_DATA: &str = "999";

#[derive(Deserialize)]
struct Document {
    /// Present only in an acknowledgement document, which says why there is no data.
    #[serde(rename = "Reason", default)]
    reasons: Vec<Reason>,
    #[serde(rename = "TimeSeries", default)]
    series: Vec<TimeSeries>,
}

#[derive(Deserialize)]
struct Reason {
    code: String,
}

#[derive(Deserialize)]
struct TimeSeries {
    #[serde(rename = "currency_Unit.name")]
    currency: String,
    #[serde(rename = "price_Measure_Unit.name")]
    unit: String,
    #[serde(rename = "curveType", default)]
    curve: String,
    /// The auction, if a zone has several: 1 is the common one, 2 is EXAA's.
    #[serde(
        rename = "classificationSequence_AttributeInstanceComponent.position",
        default
    )]
    auction: Option<u32>,
    #[serde(rename = "Period", default)]
    periods: Vec<Period>,
}

#[derive(Deserialize)]
struct Period {
    #[serde(rename = "timeInterval")]
    interval: Interval,
    resolution: String,
    #[serde(rename = "Point", default)]
    points: Vec<Point>,
}

#[derive(Deserialize)]
struct Interval {
    start: String,
    end: String,
}

#[derive(Deserialize)]
struct Point {
    position: i64,
    #[serde(rename = "price.amount")]
    price: String,
}

pub(crate) async fn fetch(
    client: &Client,
    request: PriceRequest<'_>,
) -> Result<Vec<PriceSlot>, SourceFailure> {
    let token = request.token.ok_or(SourceError::TokenRefused)?;
    let asked = SourceRequest {
        path: "/api".into(),
        body: Some(("application/xml", request_document(request))),
        secret: Some(("security_token", token)),
        ..SourceRequest::default()
    };
    let body = client.fetch(Source::Entsoe, asked).await?;
    Ok(parse(&body)?)
}

/// A "status request document" with the query as attributes.
fn request_document(request: PriceRequest<'_>) -> String {
    let bounds = request.bounds();
    let minute = |at: Millis| utc_text(at).replacen(":00Z", "Z", 1);
    let interval = format!("{}/{}", minute(bounds.start), minute(bounds.end));
    let zone = request.zone.eic();
    let attributes = [
        ("DocumentType", "A44"),
        ("In_Domain", zone),
        ("Out_Domain", zone),
        ("TimeInterval", &interval),
    ];
    let attributes = attributes.map(|(name, value)| {
        format!(
            "<AttributeInstanceComponent><attribute>{name}</attribute><attributeValue>{value}</attributeValue></AttributeInstanceComponent>"
        )
    });
    let whole_second = request.now - request.now.rem_euclid(1_000);
    format!(
        "<StatusRequest_MarketDocument xmlns=\"urn:iec62325.351:tc57wg16:451-5:statusrequestdocument:4:0\">\
         <mRID>{}</mRID><type>A59</type>\
         <sender_MarketParticipant.mRID codingScheme=\"A01\">10X1001A1001A450</sender_MarketParticipant.mRID>\
         <sender_MarketParticipant.marketRole.type>A07</sender_MarketParticipant.marketRole.type>\
         <receiver_MarketParticipant.mRID codingScheme=\"A01\">10X1001A1001A450</receiver_MarketParticipant.mRID>\
         <receiver_MarketParticipant.marketRole.type>A32</receiver_MarketParticipant.marketRole.type>\
         <createdDateTime>{}</createdDateTime>{}</StatusRequest_MarketDocument>",
        request.now,
        utc_text(whole_second),
        attributes.concat()
    )
}

fn parse(body: &[u8]) -> Result<Vec<PriceSlot>, SourceError> {
    let text = std::str::from_utf8(body).map_err(|_| SourceError::Unreadable)?;
    let document: Document = quick_xml::de::from_str(text).map_err(|_| SourceError::Unreadable)?;
    if let Some(reason) = document.reasons.first() {
        return Err(match reason.code.trim() == NO_DATA {
            true => SourceError::Empty,
            false => SourceError::Rejected,
        });
    }
    let mut slots = Vec::new();
    for series in &document.series {
        if series.auction.is_some_and(|auction| auction != 1) {
            continue;
        }
        if series.currency != "EUR" {
            return Err(SourceError::Currency);
        }
        if series.unit != "MWH" {
            return Err(SourceError::Unreadable);
        }
        for period in &series.periods {
            slots.extend(period.slots(&series.curve)?);
        }
    }
    Ok(finest(slots))
}

impl Period {
    /// Curve type A03 omits positions whose price equals the previous one. In all other types a missing position is a gap.
    fn slots(&self, curve: &str) -> Result<Vec<PriceSlot>, SourceError> {
        let step = match self.resolution.as_str() {
            "PT15M" => QUARTER,
            "PT30M" => 30 * MINUTE,
            "PT60M" | "PT1H" => HOUR,
            _ => return Err(SourceError::Unreadable),
        };
        let start = parse_timestamp(&self.interval.start)?;
        let positions = (parse_timestamp(&self.interval.end)? - start) / step;
        let mut points: Vec<(i64, SpotPrice)> = Vec::new();
        for point in &self.points {
            let price = SpotPrice::per_mwh(&point.price).ok_or(SourceError::Unreadable)?;
            points.push((point.position, price));
        }
        points.sort_by_key(|(position, _)| *position);
        let within = |position: i64| (1..=positions.min(200)).contains(&position);
        if !points.iter().all(|(position, _)| within(*position)) {
            return Err(SourceError::Unreadable);
        }
        let mut slots = Vec::new();
        for (index, (position, price)) in points.iter().enumerate() {
            let next = points.get(index + 1).map_or(positions + 1, |next| next.0);
            let last = if curve == "A03" { next } else { position + 1 };
            slots.extend(
                (*position..last.max(position + 1)).map(|position| PriceSlot {
                    start: start + (position - 1) * step,
                    end: start + position * step,
                    price: *price,
                }),
            );
        }
        Ok(slots)
    }
}

/// Some zones publish a day both in hours and in quarter-hours. The quarter-hours are the traded ones.
fn finest(slots: Vec<PriceSlot>) -> Vec<PriceSlot> {
    let shortest = slots.iter().map(|slot| slot.end - slot.start).min();
    let covers = |long: &PriceSlot| {
        slots.iter().any(|slot| {
            slot.end - slot.start < long.end - long.start
                && slot.start < long.end
                && slot.end > long.start
        })
    };
    let kept = slots
        .iter()
        .filter(|slot| Some(slot.end - slot.start) == shortest || !covers(slot));
    kept.copied().collect()
}
