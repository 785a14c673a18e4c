//! The state of each source of prices and weather, and which prices households need.

mod price;
mod time_of_use;
mod weather;

pub use price::{QuarterPrice, SystemPrices};
pub use time_of_use::set_time_of_use;
pub use weather::WeatherForecast;

use crate::{Error, Result, Store, setting};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::setting::Field;
use domain::source::{Area, BiddingZone, SourceState};
use domain::{Country, Serial, Source};
use std::fmt;

/// Prices that a household's settings need from a source. Systems with the same token share one request.
#[derive(Clone, Debug)]
pub struct PriceDemand {
    pub source: Source,
    pub zone: BiddingZone,
    /// The token to use and the systems it is for; `None` for a public source, which is asked once for the whole zone.
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

    /// For the one header that carries it.
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

#[derive(Debug, FromRow)]
struct StateRow {
    success_at: Option<Millis>,
    error: Option<String>,
    failing_since: Option<Millis>,
    tries: i64,
    next_at: Millis,
}

impl StateRow {
    fn state(self) -> Result<SourceState> {
        let error = self.error.map(|code| code.parse()).transpose();
        Ok(SourceState {
            success_at: self.success_at,
            error: error.map_err(|_| Error::Damaged("source_states.error"))?,
            failing_since: self.failing_since,
            tries: self.tries,
            next_at: self.next_at,
        })
    }
}

impl Store {
    /// All requests that households' settings need, without repeats. The query leaves out households that need none, which are
    /// most.
    pub async fn price_demands(&self) -> Result<Vec<PriceDemand>> {
        let rows: Vec<PriceDemandRow> = on!(self, p => sqlx::query_as(
            r#"SELECT t.sn, a.country, t.desired, t.provider_token
             FROM settings t JOIN systems s ON s.sn = t.sn JOIN accounts a ON a.id = s.owner_id
             WHERE t.desired LIKE '%"provider":"tibber"%' OR t.desired LIKE '%"provider":"awattar"%'
                 OR t.desired LIKE '%"provider":"energy_charts"%' OR t.desired LIKE '%"provider":"entsoe"%' ORDER BY t.sn"#)
            .fetch_all(p).await)?;
        let mut wanted: Vec<PriceDemand> = Vec::new();
        for row in rows {
            let settings = setting::document(Some(&row.desired), "settings.desired")?;
            let Some(source) = Source::of_provider(settings.get(Field::Provider)) else {
                continue;
            };
            let zone = zone_of(&row.country)?;
            let sn: Serial = row.sn.parse().map_err(|_| Error::Damaged("settings.sn"))?;
            if !source.needs_token() {
                if !wanted
                    .iter()
                    .any(|it| (it.source, it.zone) == (source, zone))
                {
                    let household = None;
                    wanted.push(PriceDemand {
                        source,
                        zone,
                        household,
                    });
                }
                continue;
            }
            // The settings require a token when they are saved; without one no request is possible.
            let Some(sealed) = row.provider_token else {
                continue;
            };
            let token = ProviderToken(setting::decrypt_token(&self.keyring, &sealed)?);
            let same = wanted.iter_mut().find_map(|it| {
                let alike = (it.source, it.zone) == (source, zone);
                it.household
                    .as_mut()
                    .filter(|household| alike && household.token == token)
            });
            match same {
                Some(household) => household.systems.push(sn),
                None => {
                    let systems = vec![sn];
                    let household = Some(HouseholdToken { token, systems });
                    wanted.push(PriceDemand {
                        source,
                        zone,
                        household,
                    });
                }
            }
        }
        Ok(wanted)
    }

    /// A source that was never asked is due at once.
    pub async fn source_state(&self, source: Source, area: &Area) -> Result<SourceState> {
        let row: Option<StateRow> = on!(self, p => sqlx::query_as(
            "SELECT success_at, error, failing_since, tries, next_at FROM source_states WHERE source = $1 AND area = $2")
            .bind(source.name()).bind(area.to_string()).fetch_optional(p).await)?;
        Ok(row.map(StateRow::state).transpose()?.unwrap_or_default())
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

    /// Sets the state of a weather source.
    pub async fn set_source_state(
        &self,
        source: Source,
        areas: &[Area],
        state: SourceState,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        for area in areas {
            write_state(&mut tx, source, area, state).await?;
        }
        tx.commit().await
    }

    /// Deletes prices and weather that are no longer needed.
    pub async fn purge_sources(&self, now: Millis) -> Result<()> {
        self.purge_prices(now).await?;
        self.purge_weather(now).await
    }
}

async fn write_state(tx: &mut Tx, source: Source, area: &Area, state: SourceState) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO source_states (source, area, success_at, error, failing_since, tries, next_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (source, area) DO UPDATE
             SET success_at = excluded.success_at, error = excluded.error, failing_since = excluded.failing_since,
                 tries = excluded.tries, next_at = excluded.next_at"
        )
        .bind(source.name())
        .bind(area.to_string())
        .bind(state.success_at)
        .bind(state.error.map(domain::source::SourceError::code))
        .bind(state.failing_since)
        .bind(state.tries)
        .bind(state.next_at)
    )?;
    Ok(())
}

/// The bidding zone of the owner's country.
fn zone_of(country: &str) -> Result<BiddingZone> {
    let country: Country = country
        .parse()
        .map_err(|_| Error::Damaged("accounts.country"))?;
    Ok(country.bidding_zone())
}

/// A new provider or token is asked at once. What the former provider said about this system is deleted.
pub async fn provider_changed(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for statement in [
        "DELETE FROM source_states WHERE area = $1 AND source IN ('tibber', 'entsoe')",
        "DELETE FROM prices WHERE area = $1",
    ] {
        execute!(&mut *tx, sqlx::query(statement).bind(sn.as_str()))?;
    }
    Ok(())
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
