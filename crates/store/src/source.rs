//! How asking each source stands, and who wants to know what.

mod price;
mod time_of_use;
mod weather;

pub use price::{Quarter, SystemPrices};
pub use weather::Weather;

use crate::db::Tx;
use crate::{Error, Result, Store, setting};
use domain::clock::Millis;
use domain::setting::Field;
use domain::source::{Area, BiddingZone, SourceState};
use domain::{Country, Serial, Source};
use std::fmt;

/// Somebody wants prices of a source. Systems that ask with the same token ask together.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub source: Source,
    pub zone: BiddingZone,
    /// With which token, and for which systems; `None` where anybody may ask, for all of the zone.
    pub household: Option<Household>,
}

#[derive(Clone, Debug)]
pub struct Household {
    pub token: ProviderToken,
    pub systems: Vec<Serial>,
}

/// Read for one call; it shows itself to nobody.
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

impl Wanted {
    /// What is kept of asking is about these.
    pub fn asked(&self) -> Vec<Area> {
        match &self.household {
            None => vec![Area::Zone(self.zone)],
            Some(household) => {
                let systems = household.systems.iter().cloned();
                systems.map(Area::System).collect()
            }
        }
    }

    /// The prices are about these: whoever asks with a token of their own for the exchange's prices still gets everybody's.
    pub fn about(&self) -> Vec<Area> {
        match self.source.is_final() {
            true => self.asked(),
            false => vec![Area::Zone(self.zone)],
        }
    }
}

#[derive(Debug)]
struct WantedRow {
    sn: String,
    country: String,
    desired: String,
    provider_token: Option<Vec<u8>>,
}
row!(WantedRow {
    sn,
    country,
    desired,
    provider_token
});

#[derive(Debug)]
struct StateRow {
    success_at: Option<Millis>,
    error: Option<String>,
    failing_since: Option<Millis>,
    tries: i64,
    next_at: Millis,
}
row!(StateRow {
    success_at,
    error,
    failing_since,
    tries,
    next_at
});

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
    /// Every question that somebody's settings ask, each once. Most households ask none: the database leaves them out.
    pub async fn wanted_prices(&self) -> Result<Vec<Wanted>> {
        let rows: Vec<WantedRow> = on!(self, p => sqlx::query_as(
            r#"SELECT t.sn, a.country, t.desired, t.provider_token
             FROM settings t JOIN systems s ON s.sn = t.sn JOIN accounts a ON a.id = s.owner_id
             WHERE t.desired LIKE '%"provider":"tibber"%' OR t.desired LIKE '%"provider":"awattar"%'
                 OR t.desired LIKE '%"provider":"energy_charts"%' OR t.desired LIKE '%"provider":"entsoe"%' ORDER BY t.sn"#)
            .fetch_all(p).await)?;
        let mut wanted: Vec<Wanted> = Vec::new();
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
                    wanted.push(Wanted {
                        source,
                        zone,
                        household,
                    });
                }
                continue;
            }
            // A token is checked when it is saved; without one there is nothing to ask with.
            let Some(sealed) = row.provider_token else {
                continue;
            };
            let token = ProviderToken(setting::open_token(&self.keyring, &sealed)?);
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
                    let household = Some(Household { token, systems });
                    wanted.push(Wanted {
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

    /// Keeps that a question about prices failed.
    pub async fn keep_failure(&self, wanted: &Wanted, state: SourceState) -> Result<()> {
        let mut tx = self.begin().await?;
        if let Some(wanted) = self.still_wanted(&mut tx, wanted).await? {
            for area in wanted.asked() {
                write_state(&mut tx, wanted.source, &area, state).await?;
            }
        }
        tx.commit().await
    }

    /// Without the systems whose token was replaced while the question was under way: its answer says nothing of the new
    /// one, which would otherwise not be tried for hours. `None` where nobody is left.
    async fn still_wanted(&self, tx: &mut Tx, wanted: &Wanted) -> Result<Option<Wanted>> {
        let mut left = wanted.clone();
        let Some(household) = &mut left.household else {
            return Ok(Some(left));
        };
        let mut systems = Vec::new();
        for sn in std::mem::take(&mut household.systems) {
            // It changes nothing, and holds the row until this is done.
            let sealed: Option<Option<Vec<u8>>> = within!(&mut *tx, c => sqlx::query_scalar(
                "UPDATE settings SET provider_token = provider_token WHERE sn = $1 RETURNING provider_token")
                .bind(sn.as_str()).fetch_optional(c).await)?;
            let Some(Some(sealed)) = sealed else { continue };
            if setting::open_token(&self.keyring, &sealed)? == household.token.secret() {
                systems.push(sn);
            }
        }
        household.systems = systems;
        let somebody = !household.systems.is_empty();
        Ok(somebody.then_some(left))
    }

    /// Keeps how it stands with a source of weather.
    pub async fn set_source_state(
        &self,
        source: Source,
        areas: &[Area],
        state: SourceState,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        for area in areas {
            write_state(&mut tx, source, area, state).await?;
        }
        tx.commit().await
    }

    /// Forgets prices and weather that nobody looks back at.
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

/// The exchange of the country that the owner lives in.
fn zone_of(country: &str) -> Result<BiddingZone> {
    let country: Country = country
        .parse()
        .map_err(|_| Error::Damaged("accounts.country"))?;
    Ok(country.bidding_zone())
}

/// Another provider or token is asked at once, and what the last one said of this system is gone with it.
pub(crate) async fn renewed(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for statement in [
        "DELETE FROM source_states WHERE area = $1 AND source IN ('tibber', 'entsoe')",
        "DELETE FROM prices WHERE area = $1",
    ] {
        execute!(&mut *tx, sqlx::query(statement).bind(sn.as_str()))?;
    }
    Ok(())
}

/// When a household leaves: its prices, its area in the weather and what its provider said go with it.
pub(crate) async fn leave(tx: &mut Tx, sn: &Serial) -> Result<()> {
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
