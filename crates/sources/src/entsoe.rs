//! The transparency platform of the European grid operators: the official day-ahead prices as XML, with a token of the
//! household. Asked by POST, since GET would carry the token in the address.
use crate::PriceQuestion;
use crate::client::{Client, Failure, Question};
use crate::slots::moment;
use domain::Source;
use domain::clock::{HOUR, MINUTE, Millis};
use domain::site_time::utc_text;
use domain::source::{PriceSlot, QUARTER, SourceError, SpotPrice};
use serde::Deserialize;

/// "No matching data found": a good answer without prices.
const NO_DATA: &str = "999";

#[derive(Deserialize)]
struct Document {
    /// Only in an acknowledgement, which says why there is nothing else.
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
    /// Which auction, where there are several: 1 is the common one, 2 is EXAA's.
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

pub(crate) async fn ask(
    client: &Client,
    question: PriceQuestion<'_>,
) -> Result<Vec<PriceSlot>, Failure> {
    let token = question.token.ok_or(SourceError::TokenRefused)?;
    let asked = Question {
        path: "/api".into(),
        body: Some(("application/xml", request(question))),
        secret: Some(("security_token", token)),
        ..Question::default()
    };
    let body = client.ask(Source::Entsoe, asked).await?;
    Ok(read(&body)?)
}

/// A "status request document" with the question as attributes.
fn request(question: PriceQuestion<'_>) -> String {
    let bounds = question.bounds();
    let minute = |at: Millis| utc_text(at).replacen(":00Z", "Z", 1);
    let interval = format!("{}/{}", minute(bounds.start), minute(bounds.end));
    let zone = question.zone.eic();
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
    let whole_second = question.now - question.now.rem_euclid(1_000);
    format!(
        "<StatusRequest_MarketDocument xmlns=\"urn:iec62325.351:tc57wg16:451-5:statusrequestdocument:4:0\">\
         <mRID>{}</mRID><type>A59</type>\
         <sender_MarketParticipant.mRID codingScheme=\"A01\">10X1001A1001A450</sender_MarketParticipant.mRID>\
         <sender_MarketParticipant.marketRole.type>A07</sender_MarketParticipant.marketRole.type>\
         <receiver_MarketParticipant.mRID codingScheme=\"A01\">10X1001A1001A450</receiver_MarketParticipant.mRID>\
         <receiver_MarketParticipant.marketRole.type>A32</receiver_MarketParticipant.marketRole.type>\
         <createdDateTime>{}</createdDateTime>{}</StatusRequest_MarketDocument>",
        question.now,
        utc_text(whole_second),
        attributes.concat()
    )
}

fn read(body: &[u8]) -> Result<Vec<PriceSlot>, SourceError> {
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
    /// Curve A03 leaves out positions whose price is that of the one before; in every other a missing one is a gap.
    fn slots(&self, curve: &str) -> Result<Vec<PriceSlot>, SourceError> {
        let step = match self.resolution.as_str() {
            "PT15M" => QUARTER,
            "PT30M" => 30 * MINUTE,
            "PT60M" | "PT1H" => HOUR,
            _ => return Err(SourceError::Unreadable),
        };
        let start = moment(&self.interval.start)?;
        let positions = (moment(&self.interval.end)? - start) / step;
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
        for (place, (position, price)) in points.iter().enumerate() {
            let next = points.get(place + 1).map_or(positions + 1, |next| next.0);
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

/// Some zones publish a day in hours and in quarters: the quarters are what is traded.
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
