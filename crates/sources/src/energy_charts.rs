//! energy-charts.info of Fraunhofer ISE: day-ahead prices of every bidding zone, without a token. Licensed CC BY 4.0.
//! Starts in seconds and prices in EUR/MWh, in two lists of equal length; `null` is a gap.
use crate::PriceRequest;
use crate::client::{Client, SourceFailure, SourceRequest};
use crate::slots::from_starts;
use domain::Source;
use domain::clock::SECOND;
use domain::source::{PriceSlot, SourceError, SpotPrice};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Answer<'a> {
    unix_seconds: Vec<i64>,
    #[serde(borrow)]
    price: Vec<Option<&'a RawValue>>,
    unit: &'a str,
}

pub(crate) async fn fetch(
    client: &Client,
    request: PriceRequest<'_>,
) -> Result<Vec<PriceSlot>, SourceFailure> {
    let today = request.today();
    let path = format!(
        "/price?bzn={}&start={today}&end={}",
        request.zone.name(),
        today.next()
    );
    let asked = SourceRequest {
        path,
        ..SourceRequest::default()
    };
    let body = client.fetch(Source::EnergyCharts, asked).await?;
    Ok(parse(&body)?)
}

fn parse(body: &[u8]) -> Result<Vec<PriceSlot>, SourceError> {
    let unreadable = SourceError::Unreadable;
    let answer: Answer<'_> = serde_json::from_slice(body).map_err(|_| unreadable)?;
    let unit: String = answer.unit.split_whitespace().collect();
    if unit != "EUR/MWh" || answer.unix_seconds.len() != answer.price.len() {
        return Err(unreadable);
    }
    let mut starts = Vec::new();
    for (seconds, price) in answer.unix_seconds.iter().zip(answer.price) {
        let price = price.map(|price| SpotPrice::per_mwh(price.get()).ok_or(unreadable));
        let start = seconds.checked_mul(SECOND).ok_or(unreadable)?;
        starts.push((start, price.transpose()?));
    }
    Ok(from_starts(starts))
}
