//! Which polls are needed, from all settings and sites. Changes schedule their poll at once. This job finds what they miss, such
//! as an owner who moved to another country, and ends polls that are no longer needed.
use super::{schedule_poll, zone_of};
use crate::{Error, Result, Store};
use db::FromRow;
use domain::Source;
use domain::site::Coordinates;
use domain::source::{Area, BiddingZone};
use domain::weather::WeatherCell;
use std::collections::BTreeSet;

#[derive(Debug, FromRow)]
struct CoordinatesRow {
    latitude: i64,
    longitude: i64,
}

#[derive(Debug, FromRow)]
struct FailingRow {
    source: String,
    country: Option<String>,
    area: String,
}

/// The households whose settings name a provider: $1 is what the stored settings contain then.
macro_rules! households {
    () => {
        "FROM settings t JOIN systems s ON s.sn = t.sn JOIN accounts a ON a.id = s.owner_id WHERE t.desired LIKE $1"
    };
}

impl Store {
    /// Adds missing polls and deletes those that are not needed, with the weather of cells without a roof.
    pub async fn update_needed_polls(&self) -> Result<()> {
        let fallbacks = self.fallbacks().await?;
        for source in Source::ALL.iter().copied().filter(|it| it.has_prices()) {
            if source.needs_token() {
                self.update_household_polls(source).await?;
            } else {
                let zones = fallbacks.iter().filter(|(fallback, _)| *fallback == source);
                let zones = zones.map(|(_, zone)| *zone).collect();
                self.update_zone_polls(source, zones).await?;
            }
        }
        self.update_cell_polls().await
    }

    async fn update_household_polls(&self, source: Source) -> Result<()> {
        for statement in [
            concat!(
                "INSERT INTO source_states (source, area, tries, next_at) SELECT $2, t.sn, 0, 0 ",
                households!(),
                " AND t.provider_token IS NOT NULL ON CONFLICT (source, area) DO NOTHING"
            ),
            concat!(
                "DELETE FROM source_states WHERE source = $2 AND area NOT IN (SELECT t.sn ",
                households!(),
                ")"
            ),
        ] {
            execute!(on self, sqlx::query(statement).bind(stored(source)).bind(source.name()))?;
        }
        Ok(())
    }

    async fn update_zone_polls(
        &self,
        source: Source,
        fallback_zones: BTreeSet<BiddingZone>,
    ) -> Result<()> {
        let known = self.polled_areas(source).await?;
        let countries: Vec<String> = on!(self, p => sqlx::query_scalar(
            concat!("SELECT DISTINCT a.country ", households!())).bind(stored(source)).fetch_all(p).await)?;
        let mut zones = fallback_zones;
        for country in countries {
            zones.insert(zone_of(&country)?);
        }
        let needed = zones.into_iter().map(Area::Zone).collect();
        self.replace_polls(source, &known, &needed).await
    }

    /// The fallback sources, with their zones.
    async fn fallbacks(&self) -> Result<BTreeSet<(Source, BiddingZone)>> {
        let rows: Vec<FailingRow> = on!(self, p => sqlx::query_as(
            "SELECT DISTINCT f.source, a.country, CASE WHEN a.country IS NULL THEN f.area ELSE '' END AS area
             FROM source_states f LEFT JOIN systems s ON s.sn = f.area LEFT JOIN accounts a ON a.id = s.owner_id
             WHERE f.error IS NOT NULL AND f.source NOT IN ('open_meteo', 'forecast_solar')")
            .fetch_all(p).await)?;
        let mut found = BTreeSet::new();
        for row in rows {
            let zone = match &row.country {
                Some(country) => Some(zone_of(country)?),
                None => row.area.parse().ok(),
            };
            let source: Source = row
                .source
                .parse()
                .map_err(|_| Error::Damaged("source_states.source"))?;
            found.extend(zone.and_then(|zone| Some((source.fallback(zone)?, zone))));
        }
        Ok(found)
    }

    async fn update_cell_polls(&self) -> Result<()> {
        let known = self.polled_areas(Source::OpenMeteo).await?;
        let places: Vec<CoordinatesRow> = on!(self, p => sqlx::query_as(
            "SELECT DISTINCT latitude, longitude FROM systems WHERE latitude IS NOT NULL AND longitude IS NOT NULL")
            .fetch_all(p).await)?;
        let mut needed = BTreeSet::new();
        for CoordinatesRow {
            latitude,
            longitude,
        } in places
        {
            let at = Coordinates::from_hundredths(latitude, longitude);
            let at = at.ok_or(Error::Damaged("systems.latitude"))?;
            needed.insert(Area::Cell(WeatherCell::of(at)));
        }
        self.replace_polls(Source::OpenMeteo, &known, &needed).await
    }

    /// Read before computing what is needed, so that a poll that is scheduled meanwhile is not deleted.
    async fn polled_areas(&self, source: Source) -> Result<BTreeSet<String>> {
        let areas: Vec<String> = on!(self, p => sqlx::query_scalar(
            "SELECT area FROM source_states WHERE source = $1")
            .bind(source.name()).fetch_all(p).await)?;
        Ok(areas.into_iter().collect())
    }

    async fn replace_polls(
        &self,
        source: Source,
        known: &BTreeSet<String>,
        needed: &BTreeSet<Area>,
    ) -> Result<()> {
        let missing = needed
            .iter()
            .filter(|area| !known.contains(&area.to_string()));
        let names: BTreeSet<String> = needed.iter().map(Area::to_string).collect();
        if *known == names {
            return Ok(());
        }
        let mut tx = self.db.begin().await?;
        for area in missing {
            schedule_poll(&mut tx, source, area).await?;
        }
        for area in known.difference(&names) {
            let delete = "DELETE FROM source_states WHERE source = $1 AND area = $2";
            execute!(
                &mut tx,
                sqlx::query(delete).bind(source.name()).bind(area.as_str())
            )?;
            let delete = "DELETE FROM cell_weather WHERE cell = $1";
            execute!(&mut tx, sqlx::query(delete).bind(area.as_str()))?;
        }
        tx.commit().await
    }
}

/// How settings with this provider are stored.
fn stored(source: Source) -> String {
    format!(r#"%"provider":"{}"%"#, source.name())
}
