//! Prices and weather from outside, and which prices households need.

mod needed_polls;
mod poll;
mod price;
mod roof;
mod time_of_use;
mod weather;

pub(crate) use poll::schedule_poll;
pub use price::{QuarterPrice, SystemPrices};
pub use roof::Roof;
pub use time_of_use::set_time_of_use;
pub use weather::WeatherForecast;

use crate::{Error, Result, Store, setting};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::setting::{Field, Value};
use domain::source::{Area, BiddingZone, SourceState};
use domain::{Country, Serial, Source};
use poll::write_state;
use std::fmt;

/// Prices that a household's settings need from a source. Systems with the same token share one request.
#[derive(Clone, Debug)]
pub struct PriceDemand {
    pub source: Source,
    pub zone: BiddingZone,
    /// The token to use and the systems it is for; `None` for a public source, which is polled once for the whole zone.
    pub household: Option<HouseholdToken>,
}

#[derive(Clone, Debug)]
pub struct HouseholdToken {
    pub token: ProviderToken,
    pub systems: Vec<Serial>,
}

/// Decrypted for one call. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderToken(String);

impl ProviderToken {
    pub fn new(token: String) -> Self {
        Self(token)
    }

    /// The token itself, for the one header that carries it.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ProviderToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProviderToken(…)")
    }
}

impl PriceDemand {
    /// The areas whose [`SourceState`] a request updates.
    pub fn state_areas(&self) -> Vec<Area> {
        match &self.household {
            None => vec![Area::Zone(self.zone)],
            Some(household) => {
                let systems = household.systems.iter().cloned();
                systems.map(Area::System).collect()
            }
        }
    }

    /// The areas that the prices are stored under. Exchange prices are stored for the whole zone, even if a household's own token
    /// fetched them.
    pub fn price_areas(&self) -> Vec<Area> {
        match self.source.has_final_prices() {
            true => self.state_areas(),
            false => vec![Area::Zone(self.zone)],
        }
    }
}

#[derive(Debug, FromRow)]
struct PriceDemandRow {
    sn: String,
    country: String,
    desired: String,
    provider_token: Option<Vec<u8>>,
}

impl Store {
    /// The request for a system to a source that needs a token, together with the owner's other systems that have the same token.
    /// `None` if the system's settings no longer name this source.
    pub async fn household_demand(
        &self,
        source: Source,
        sn: &Serial,
    ) -> Result<Option<PriceDemand>> {
        let rows: Vec<PriceDemandRow> = on!(self, p => sqlx::query_as(
            "SELECT t.sn, a.country, t.desired, t.provider_token
             FROM settings t JOIN systems s ON s.sn = t.sn JOIN accounts a ON a.id = s.owner_id
             WHERE s.owner_id = (SELECT owner_id FROM systems WHERE sn = $1) ORDER BY t.sn")
            .bind(sn.as_str()).fetch_all(p).await)?;
        let mut tokens: Vec<(Serial, ProviderToken, BiddingZone)> = Vec::new();
        for row in rows {
            let settings = setting::document(Some(&row.desired), "settings.desired")?;
            // The settings require a token when they are saved; without one no request is possible.
            let (true, Some(sealed)) = (
                Source::of_provider(settings.get(Field::Provider)) == Some(source),
                row.provider_token,
            ) else {
                continue;
            };
            let sn = row.sn.parse().map_err(|_| Error::Damaged("settings.sn"))?;
            let token = ProviderToken(setting::decrypt_token(&self.keyring, &sealed)?);
            tokens.push((sn, token, zone_of(&row.country)?));
        }
        let Some((_, token, zone)) = tokens.iter().find(|(of, ..)| of == sn).cloned() else {
            return Ok(None);
        };
        let same = tokens.into_iter().filter(|(_, other, _)| *other == token);
        let systems = same.map(|(sn, ..)| sn).collect();
        Ok(Some(PriceDemand {
            source,
            zone,
            household: Some(HouseholdToken { token, systems }),
        }))
    }

    /// Records that a request for prices failed.
    pub async fn save_price_failure(&self, wanted: &PriceDemand, state: SourceState) -> Result<()> {
        let mut tx = self.db.begin().await?;
        if let Some(wanted) = self.still_current(&mut tx, wanted).await? {
            for area in wanted.state_areas() {
                write_state(&mut tx, wanted.source, &area, state).await?;
            }
        }
        tx.commit().await
    }

    /// Leaves out systems whose token was replaced during the request: the result says nothing about the new token, which would
    /// otherwise not be tried for hours. `None` if no system is left.
    async fn still_current(
        &self,
        tx: &mut Tx,
        wanted: &PriceDemand,
    ) -> Result<Option<PriceDemand>> {
        let mut left = wanted.clone();
        let Some(household) = &mut left.household else {
            return Ok(Some(left));
        };
        let mut systems = Vec::new();
        for sn in std::mem::take(&mut household.systems) {
            // Changes nothing, but locks the row until the transaction ends.
            let sealed: Option<Option<Vec<u8>>> = within!(&mut *tx, c => sqlx::query_scalar(
                "UPDATE settings SET provider_token = provider_token WHERE sn = $1 RETURNING provider_token")
                .bind(sn.as_str()).fetch_optional(c).await)?;
            let Some(Some(sealed)) = sealed else { continue };
            if setting::decrypt_token(&self.keyring, &sealed)? == household.token.secret() {
                systems.push(sn);
            }
        }
        household.systems = systems;
        let somebody = !household.systems.is_empty();
        Ok(somebody.then_some(left))
    }

    /// Deletes prices and weather that are no longer needed.
    pub async fn purge_sources(&self, now: Millis) -> Result<()> {
        self.purge_prices(now).await?;
        self.purge_weather(now).await
    }
}

/// The bidding zone of the owner's country.
fn zone_of(country: &str) -> Result<BiddingZone> {
    let country: Country = country
        .parse()
        .map_err(|_| Error::Damaged("accounts.country"))?;
    Ok(country.bidding_zone())
}

/// A new provider or token is polled at once. The former provider's data about this system is deleted.
pub async fn provider_changed(tx: &mut Tx, sn: &Serial, provider: Option<Value>) -> Result<()> {
    for statement in [
        "DELETE FROM source_states WHERE area = $1 AND source IN ('tibber', 'entsoe')",
        "DELETE FROM prices WHERE area = $1",
    ] {
        execute!(&mut *tx, sqlx::query(statement).bind(sn.as_str()))?;
    }
    let Some(source) = Source::of_provider(provider) else {
        return Ok(());
    };
    if source.needs_token() {
        return schedule_poll(tx, source, &Area::System(sn.clone())).await;
    }
    let country: Option<String> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT a.country FROM systems s JOIN accounts a ON a.id = s.owner_id WHERE s.sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    match country {
        Some(country) => schedule_poll(tx, source, &Area::Zone(zone_of(&country)?)).await,
        None => Ok(()),
    }
}

/// When a household leaves, its prices, its weather forecasts and the state of its sources are deleted.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for statement in [
        "DELETE FROM source_states WHERE area = $1",
        "DELETE FROM prices WHERE area = $1",
        "DELETE FROM weather_forecasts WHERE sn = $1",
        "DELETE FROM time_of_use WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(statement).bind(sn.as_str()))?;
    }
    Ok(())
}
