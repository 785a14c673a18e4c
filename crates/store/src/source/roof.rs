//! Roofs in cells without weather. Each is polled from forecast.solar.
use super::WeatherForecast;
use super::poll::write_state;
use crate::site::parse_planes;
use crate::{Error, Result, Store};
use db::FromRow;
use domain::Serial;
use domain::clock::Millis;
use domain::site::{Coordinates, Planes};
use domain::source::{Area, SourceState};
use domain::weather::WeatherCell;

/// Systems with the same coordinates and the same planes.
#[derive(Clone, Debug)]
pub struct Roof {
    pub coordinates: Coordinates,
    pub planes: Planes,
    pub systems: Vec<Serial>,
}

#[derive(Debug, FromRow)]
struct RoofRow {
    sn: String,
    latitude: i64,
    longitude: i64,
    planes: String,
}

impl Store {
    /// The roofs in a cell that may be polled from forecast.solar now: those of `limit` systems, longest waiting first.
    pub async fn due_roofs(&self, cell: WeatherCell, limit: i64, now: Millis) -> Result<Vec<Roof>> {
        let (latitudes, longitudes) = (cell.latitudes(), cell.longitudes());
        let rows: Vec<RoofRow> = on!(self, p => sqlx::query_as(
            "SELECT s.sn, s.latitude, s.longitude, s.planes FROM systems s
             LEFT JOIN source_states f ON f.source = 'forecast_solar' AND f.area = s.sn
             WHERE s.latitude BETWEEN $1 AND $2 AND s.longitude BETWEEN $3 AND $4 AND COALESCE(f.next_at, 0) <= $5
             ORDER BY COALESCE(f.next_at, 0), s.sn LIMIT $6")
            .bind(*latitudes.start()).bind(*latitudes.end()).bind(*longitudes.start()).bind(*longitudes.end())
            .bind(now).bind(limit).fetch_all(p).await)?;
        let mut roofs: Vec<Roof> = Vec::new();
        for row in rows {
            let coordinates = Coordinates::from_hundredths(row.latitude, row.longitude)
                .ok_or(Error::Damaged("systems.latitude"))?;
            let planes = parse_planes(&row.planes)?;
            let sn = row.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?;
            let same = roofs
                .iter_mut()
                .find(|roof| roof.coordinates == coordinates && roof.planes == planes);
            match same {
                Some(roof) => roof.systems.push(sn),
                None => roofs.push(Roof {
                    coordinates,
                    planes,
                    systems: vec![sn],
                }),
            }
        }
        Ok(roofs)
    }

    /// Stores an issue for the systems of one roof, and the new state of its poll.
    pub async fn save_weather(
        &self,
        systems: &[Serial],
        weather: &WeatherForecast,
        state: SourceState,
    ) -> Result<()> {
        let watts = serde_json::to_string(&weather.watts).unwrap_or_default();
        let mut tx = self.db.begin().await?;
        for sn in systems {
            execute!(
                &mut tx,
                sqlx::query(
                    "INSERT INTO weather_forecasts (sn, issued_at, source, starts_at, watts) VALUES ($1, $2, $3, $4, $5)
                     ON CONFLICT (sn, issued_at) DO NOTHING"
                )
                .bind(sn.as_str())
                .bind(weather.issued_at)
                .bind(weather.source.name())
                .bind(weather.start)
                .bind(&watts)
            )?;
            write_state(&mut tx, weather.source, &Area::System(sn.clone()), state).await?;
        }
        tx.commit().await
    }
}
