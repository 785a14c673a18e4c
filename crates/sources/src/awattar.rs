//! aWATTar's market data for Germany and Austria, without a token, at most 100 requests a day. Starts and ends in milliseconds,
//! prices in EUR/MWh.
use crate::PriceRequest;
use crate::address::AWATTAR_AT;
use crate::client::{Client, SourceFailure, SourceRequest};
use domain::Source;
use domain::clock::Millis;
use domain::source::{BiddingZone, PriceSlot, SourceError, SpotPrice};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    data: Vec<Entry<'a>>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    start_timestamp: Millis,
    end_timestamp: Millis,
    #[serde(borrow)]
    marketprice: &'a RawValue,
    unit: &'a str,
}

pub(crate) async fn fetch(
    client: &Client,
    request: PriceRequest<'_>,
) -> Result<Vec<PriceSlot>, SourceFailure> {
    let host = match request.zone {
        BiddingZone::DeLu => None,
        BiddingZone::At => Some(AWATTAR_AT),
        _ => return Err(SourceError::Empty.into()),
    };
    let bounds = request.bounds();
    let asked = SourceRequest {
        path: format!("/v1/marketdata?start={}&end={}", bounds.start, bounds.end),
        host,
        ..SourceRequest::default()
    };
    let body = client.fetch(Source::Awattar, asked).await?;
    Ok(parse(&body)?)
}

fn parse(body: &[u8]) -> Result<Vec<PriceSlot>, SourceError> {
    let unreadable = SourceError::Unreadable;
    let answer: Answer<'_> = serde_json::from_slice(body).map_err(|_| unreadable)?;
    let slot = |entry: &Entry<'_>| {
        let price = SpotPrice::per_mwh(entry.marketprice.get());
        let price = price.filter(|_| entry.unit.eq_ignore_ascii_case("Eur/MWh"));
        Ok(PriceSlot {
            start: entry.start_timestamp,
            end: entry.end_timestamp,
            price: price.ok_or(unreadable)?,
        })
    };
    answer.data.iter().map(slot).collect()
}
