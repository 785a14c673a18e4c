//! Tariffs: import and feed-in prices of the owner's systems, as entered by the owner.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result};
use crate::form::{Form, Query};
use crate::number::cents;
use crate::own_account::load_account;
use crate::parameter::{CentsPerKwh, DayOrBeginning, SystemsOrAll};
use crate::period::date;
use axum::Json;
use axum::extract::State;
use domain::clock::Millis;
use domain::tariff::TariffStart;
use domain::{Message, Tariff, Zone};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use service::tariff::NewTariff;
use store::Access;
use utoipa::{IntoParams, ToSchema};

#[derive(Serialize, ToSchema)]
pub(crate) struct SystemTariffs {
    sn: String,
    /// ISO 4217 code. Prices are in hundredths of the currency.
    currency: &'static str,
    /// Oldest first. Empty if the owner has not entered prices.
    tariffs: Vec<TariffEntry>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TariffEntry {
    /// The first day, `YYYY-MM-DD`; null for a tariff that applies from the beginning.
    #[schema(required)]
    from: Option<String>,
    /// In cents per kWh, with up to two decimals.
    #[schema(value_type = f64)]
    import_price: Box<RawValue>,
    /// In cents per kWh, with up to two decimals.
    #[schema(value_type = f64)]
    feed_in_price: Box<RawValue>,
}

impl From<&Tariff> for TariffEntry {
    fn from(tariff: &Tariff) -> Self {
        Self {
            from: tariff.from.map(|day| day.to_string()),
            import_price: cents(tariff.import_price.hundredths()),
            feed_in_price: cents(tariff.feed_in_price.hundredths()),
        }
    }
}

#[derive(Deserialize, IntoParams)]
pub(crate) struct TariffQuery {
    /// One serial number, several separated by commas, or -1 (default) for each of the caller's systems.
    #[serde(default)]
    #[param(value_type = SystemsOrAll)]
    sn: String,
}

/// List the tariffs of the caller's systems.
#[utoipa::path(get, path = "/api/auth/tariff/", operation_id = "list_tariffs", tag = "money", params(TariffQuery),
    responses((status = 200, body = [SystemTariffs]), (status = 404, body = Refusal)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Query(query): Query<TariffQuery>,
) -> Result<Json<Vec<SystemTariffs>>> {
    let chosen = systems.list_or_all(&query.sn)?;
    show(&portal, person, &chosen).await
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SetTariff {
    /// One serial number, several separated by commas, or -1 for all of the caller's systems.
    #[serde(default)]
    #[schema(value_type = SystemsOrAll, required)]
    sn: String,
    /// In cents (grosz, rappen) per kWh: 0 to 500, with up to two decimals after a point or a comma.
    #[serde(default)]
    #[schema(value_type = CentsPerKwh, required)]
    import_price: String,
    /// In cents (grosz, rappen) per kWh: 0 to 500, with up to two decimals after a point or a comma.
    #[serde(default)]
    #[schema(value_type = CentsPerKwh, required)]
    feed_in_price: String,
    /// The first day, `YYYY-MM-DD`, at most a year ahead, or `null` for the beginning. Default: the beginning for a system's
    /// first tariff, today for later ones. A tariff with the same first day is replaced.
    #[serde(default)]
    #[schema(value_type = DayOrBeginning)]
    from: String,
}

/// Set the tariff of one or more systems.
#[utoipa::path(post, path = "/api/auth/tariff/", operation_id = "set_tariff", tag = "money",
    request_body(content = SetTariff, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = [SystemTariffs]), (status = 400, body = Problem),
        (status = 404, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn set(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Form(form): Form<SetTariff>,
) -> Result<Json<Vec<SystemTariffs>>> {
    if form.sn.trim().is_empty() {
        return Err(Error::field("sn", Message::Required));
    }
    let chosen = systems.list_or_all(&form.sn)?;
    let zone = chosen.first().map(|access| access.zone().clone());
    let tariff = check(&form, &zone.unwrap_or_default(), portal.now())?;
    portal.service.set_tariff(&chosen, tariff).await??;
    show(&portal, person, &chosen).await
}

fn check(form: &SetTariff, zone: &Zone, now: Millis) -> Result<NewTariff> {
    let mut errors = FieldErrors::default();
    let import_price = errors.check("import_price", form.import_price.parse());
    let feed_in_price = errors.check("feed_in_price", form.feed_in_price.parse());
    let since = errors.check("from", since(form.from.trim(), zone, now));
    errors.into_result()?;
    let (Some(import_price), Some(feed_in_price), Some(since)) =
        (import_price, feed_in_price, since)
    else {
        return Err(Error::internal());
    };
    Ok(NewTariff {
        since,
        import_price,
        feed_in_price,
    })
}

fn since(text: &str, zone: &Zone, now: Millis) -> Result<TariffStart, Message> {
    match text {
        "" => Ok(TariffStart::Unspecified),
        "null" => Ok(TariffStart::Beginning),
        text => TariffStart::starting(date(text, zone, now)?, zone.day_of(now)),
    }
}

async fn show(
    portal: &Portal,
    person: PersonCaller,
    systems: &[&Access],
) -> Result<Json<Vec<SystemTariffs>>> {
    let country = load_account(portal, person).await?.country()?;
    let mut all = Vec::with_capacity(systems.len());
    for access in systems {
        let tariffs = portal.store.tariffs(access).await?;
        all.push(SystemTariffs {
            sn: access.sn().to_string(),
            currency: country.currency().code(),
            tariffs: tariffs.iter().map(TariffEntry::from).collect(),
        });
    }
    Ok(Json(all))
}
