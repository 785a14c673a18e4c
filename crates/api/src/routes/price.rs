//! Prices per quarter-hour of today and tomorrow, their source, and the state of the requests to it.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Form, Query};
use crate::number::cents;
use crate::own_account::load_account;
use crate::parameter::{PriceSteps, SystemsOrAll};
use axum::Json;
use axum::extract::State;
use domain::clock::Millis;
use domain::source::{QUARTER, SourceError, TariffStep, TimeOfUse};
use domain::{Message, Source};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::Access;
use utoipa::{IntoParams, ToSchema};

#[derive(Serialize, ToSchema)]
pub(crate) struct SystemPrices {
    sn: String,
    /// ISO 4217 code. Prices are in hundredths of the currency.
    currency: &'static str,
    /// The configured source: none, fixed, time_of_use, or the name of a service.
    provider: &'static str,
    /// The site's time zone, as an IANA name.
    time_zone: String,
    /// The portal's current time; Unix time in milliseconds.
    now: Millis,
    /// The starts of the quarter-hours of today and tomorrow at the site; Unix time in milliseconds.
    time: Vec<Millis>,
    /// The import price of each quarter-hour, in cents per kWh with up to two decimals; may be negative. Null where no price is
    /// known: prices are never estimated.
    #[schema(value_type = Vec<Option<f64>>)]
    import_price: Vec<Option<Box<RawValue>>>,
    /// The source of each price: the provider, or the service that replaces it. Null for prices that the owner entered.
    source: Vec<Option<&'static str>>,
    /// The feed-in price, in cents per kWh. Null until the owner has entered one.
    #[schema(value_type = Option<f64>, required)]
    feed_in_price: Option<Box<RawValue>>,
    /// Until when every quarter-hour from now on has a price; Unix time in milliseconds.
    #[schema(required)]
    known_until: Option<Millis>,
    /// When the provider last answered; Unix time in milliseconds. Null if it never did, or if the owner entered the prices.
    #[schema(required)]
    success_at: Option<Millis>,
    /// Why the last request to the provider failed: unreachable, timed_out, rate_limited, token_refused, no_contract, failed,
    /// rejected, unreadable, empty or currency. Null if it did not.
    #[schema(required)]
    error: Option<&'static str>,
    /// Since when requests to the provider fail; Unix time in milliseconds. Null if they do not.
    #[schema(required)]
    failing_since: Option<Millis>,
    /// The prices by time of day that the owner entered.
    steps: Vec<PriceStep>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PriceStep {
    /// workdays or weekend.
    days: &'static str,
    /// When the price begins to apply, `HH:MM`. It applies until the next step.
    start: String,
    /// The price in cents per kWh, with up to two decimals.
    #[schema(value_type = f64)]
    price: Box<RawValue>,
}

impl From<&TariffStep> for PriceStep {
    fn from(step: &TariffStep) -> Self {
        Self {
            days: step.days.name(),
            start: format!("{:02}:{:02}", step.minute / 60, step.minute % 60),
            price: cents(step.price.hundredths()),
        }
    }
}

#[derive(Deserialize, IntoParams)]
pub(crate) struct PriceQuery {
    /// One serial number, several separated by commas, or -1 (default) for each of the caller's systems.
    #[serde(default)]
    #[param(value_type = SystemsOrAll)]
    sn: String,
}

/// Get the prices of today and tomorrow for the caller's systems.
#[utoipa::path(get, path = "/api/auth/price/", operation_id = "list_prices", tag = "money", params(PriceQuery),
    responses((status = 200, body = [SystemPrices]), (status = 404, body = Refusal)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Query(query): Query<PriceQuery>,
) -> Result<Json<Vec<SystemPrices>>> {
    let chosen = systems.list_or_all(&query.sn)?;
    show(&portal, person, &chosen).await
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SetTimeOfUse {
    /// One serial number, several separated by commas, or -1 for all of the caller's systems.
    #[serde(default)]
    #[schema(value_type = SystemsOrAll, required)]
    sn: String,
    /// Steps `days/HH:MM/cents`, separated by semicolons: `workdays/00:00/21,5;workdays/06:00/34`. Days are workdays or weekend.
    /// Workdays need a step at 00:00, and so do weekends if they have steps. A step applies until the next one.
    #[serde(default)]
    #[schema(value_type = PriceSteps, required)]
    steps: String,
}

/// Set prices by time of day. Replaces the prices that were entered before.
#[utoipa::path(post, path = "/api/auth/price/", operation_id = "set_time_of_use", tag = "money",
    request_body(content = SetTimeOfUse, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = [SystemPrices]), (status = 400, body = Problem),
        (status = 404, body = Refusal)))]
pub(crate) async fn set(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Form(form): Form<SetTimeOfUse>,
) -> Result<Json<Vec<SystemPrices>>> {
    if form.sn.trim().is_empty() {
        return Err(Error::field("sn", Message::Required));
    }
    let chosen = systems.list_or_all(&form.sn)?;
    let steps = TimeOfUse::parse(&form.steps);
    let steps = steps.map_err(|message| Error::field("steps", message))?;
    portal.service.set_time_of_use(&chosen, &steps).await?;
    show(&portal, person, &chosen).await
}

async fn show(
    portal: &Portal,
    person: PersonCaller,
    systems: &[&Access],
) -> Result<Json<Vec<SystemPrices>>> {
    let country = load_account(portal, person).await?.country()?;
    let mut all = Vec::with_capacity(systems.len());
    for access in systems {
        all.push(entry(portal, access, country.currency().code()).await?);
    }
    Ok(Json(all))
}

async fn entry(portal: &Portal, access: &Access, currency: &'static str) -> Result<SystemPrices> {
    let now = portal.now();
    let today = access.zone().day_of(now);
    let range = access.zone().start_of(today)..access.zone().start_of(today.plus(2));
    let prices = portal.store.prices(access, range, now).await?;
    let steps = portal.store.time_of_use(access).await?;
    let starts = (0..).map(|n| prices.start + n * QUARTER);
    let of = |quarter: &Option<store::source::QuarterPrice>| quarter.map(|it| cents(it.import));
    let source = |quarter: &Option<store::source::QuarterPrice>| {
        quarter.and_then(|it| it.source).map(Source::name)
    };
    Ok(SystemPrices {
        sn: access.sn().to_string(),
        currency,
        provider: prices.provider,
        time_zone: access.zone().name().to_owned(),
        now,
        time: starts.take(prices.quarters.len()).collect(),
        import_price: prices.quarters.iter().map(of).collect(),
        source: prices.quarters.iter().map(source).collect(),
        feed_in_price: prices.feed_in.map(cents),
        known_until: prices.known_until(now),
        success_at: prices.state.success_at,
        error: prices.state.error.map(SourceError::code),
        failing_since: prices.state.failing_since,
        steps: steps
            .iter()
            .flat_map(|steps| steps.steps().iter().map(PriceStep::from))
            .collect(),
    })
}
