//! Tibber: the final price of one household including fees and taxes, by GraphQL with the household's own token. Errors come with
//! status 200. Of several homes the first with a contract counts.
use crate::PriceRequest;
use crate::client::{Client, SourceFailure, SourceRequest};
use crate::slots::{from_starts, parse_timestamp};
use domain::Source;
use domain::source::{PriceSlot, SourceError, SpotPrice};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// Without `resolution` the prices are hourly.
const QUERY: &str = "{ viewer { homes { currentSubscription { priceInfo(resolution: QUARTER_HOURLY) { \
     today { total startsAt currency } tomorrow { total startsAt currency } } } } } }";

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow, default)]
    data: Option<Data<'a>>,
    #[serde(default)]
    errors: Vec<GraphQlError>,
}

#[derive(Deserialize)]
struct GraphQlError {
    #[serde(default)]
    message: String,
    #[serde(default)]
    extensions: Extensions,
}

#[derive(Default, Deserialize)]
struct Extensions {
    #[serde(default)]
    code: String,
}

#[derive(Deserialize)]
struct Data<'a> {
    #[serde(borrow)]
    viewer: Option<Viewer<'a>>,
}

#[derive(Deserialize)]
struct Viewer<'a> {
    #[serde(borrow)]
    homes: Vec<Option<Home<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Home<'a> {
    #[serde(borrow)]
    current_subscription: Option<Subscription<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription<'a> {
    #[serde(borrow)]
    price_info: Option<PriceInfo<'a>>,
}

#[derive(Deserialize)]
struct PriceInfo<'a> {
    #[serde(borrow)]
    today: Vec<Price<'a>>,
    #[serde(borrow)]
    tomorrow: Vec<Price<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Price<'a> {
    #[serde(borrow)]
    total: &'a RawValue,
    starts_at: String,
    currency: String,
}

pub(crate) async fn fetch(
    client: &Client,
    request: PriceRequest<'_>,
) -> Result<Vec<PriceSlot>, SourceFailure> {
    let token = request.token.ok_or(SourceError::TokenRefused)?;
    let bearer = format!("Bearer {token}");
    let asked = SourceRequest {
        path: "/v1-beta/gql".into(),
        body: Some(("application/json", json!({ "query": QUERY }).to_string())),
        secret: Some(("authorization", &bearer)),
        ..SourceRequest::default()
    };
    let body = client.fetch(Source::Tibber, asked).await?;
    Ok(parse(&body)?)
}

fn parse(body: &[u8]) -> Result<Vec<PriceSlot>, SourceError> {
    let answer: Answer<'_> = serde_json::from_slice(body).map_err(|_| SourceError::Unreadable)?;
    if let Some(error) = answer.errors.first() {
        return Err(classify(error));
    }
    let viewer = answer.data.and_then(|data| data.viewer);
    let homes = viewer.ok_or(SourceError::Unreadable)?.homes;
    let infos = homes.into_iter().flatten().filter_map(|home| {
        let contract = home.current_subscription?;
        contract.price_info
    });
    let mut starts = Vec::new();
    for info in infos.take(1) {
        for price in info.today.iter().chain(&info.tomorrow) {
            if price.currency != "EUR" {
                return Err(SourceError::Currency);
            }
            let total = SpotPrice::per_kwh(price.total.get());
            starts.push((
                parse_timestamp(&price.starts_at)?,
                Some(total.ok_or(SourceError::Unreadable)?),
            ));
        }
    }
    match starts.is_empty() {
        true => Err(SourceError::NoContract),
        false => Ok(from_starts(starts)),
    }
}

/// A malformed token gives an internal error; only the message tells it apart.
fn classify(error: &GraphQlError) -> SourceError {
    let message = error.message.to_lowercase();
    let about_token = ["invalid token", "compact jws", "claim", "unauthenticated"];
    match error.extensions.code.as_str() {
        "UNAUTHENTICATED" | "FORBIDDEN" => SourceError::TokenRefused,
        _ if about_token.iter().any(|word| message.contains(word)) => SourceError::TokenRefused,
        "INTERNAL_SERVER_ERROR" => SourceError::Failed,
        _ => SourceError::Rejected,
    }
}
