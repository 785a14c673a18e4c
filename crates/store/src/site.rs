//! Sites of systems: place, coordinates, time zone and the planes of their roofs.
use crate::source::schedule_poll;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::site::{Coordinates, Planes, Site, Town};
use domain::source::Area;
use domain::weather::WeatherCell;
use domain::{Serial, Source};

#[derive(Debug, FromRow)]
struct Row {
    place: Option<String>,
    latitude: Option<i64>,
    longitude: Option<i64>,
    time_zone: String,
    planes: String,
}

impl Row {
    fn site(&self) -> Result<Site> {
        let place = Town::parse(self.place.as_deref().unwrap_or_default());
        let coordinates = match self.latitude.zip(self.longitude) {
            None => None,
            Some((latitude, longitude)) => {
                let known = Coordinates::from_hundredths(latitude, longitude);
                Some(known.ok_or(Error::Damaged("systems.latitude"))?)
            }
        };
        Ok(Site {
            place: place.map_err(|_| Error::Damaged("systems.place"))?,
            coordinates,
            zone: self
                .time_zone
                .parse()
                .map_err(|_| Error::Damaged("systems.time_zone"))?,
            planes: parse_planes(&self.planes)?,
        })
    }
}

pub(crate) fn parse_planes(text: &str) -> Result<Planes> {
    text.parse().map_err(|_| Error::Damaged("systems.planes"))
}

impl Store {
    pub async fn site(&self, access: &Access) -> Result<Option<Site>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT place, latitude, longitude, time_zone, planes FROM systems WHERE sn = $1")
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        row.map(|row| row.site()).transpose()
    }

    /// Whether the time zone can no longer change: from the first sample on, the system's days follow it.
    pub async fn zone_is_fixed(&self, access: &Access) -> Result<bool> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT measured FROM systems WHERE sn = $1")
            .bind(access.sn().as_str()).fetch_one(p).await)?)
    }
}

/// Locks the system and returns its site. `None` if it no longer belongs to the same household.
pub async fn lock(tx: &mut Tx, access: &Access) -> Result<Option<Site>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "UPDATE systems SET planes = planes WHERE sn = $1 AND owner_id IS NOT DISTINCT FROM $2
         RETURNING place, latitude, longitude, time_zone, planes")
        .bind(access.sn().as_str()).bind(access.owner().map(|owner| owner.0)).fetch_optional(c).await)?;
    row.map(|row| row.site()).transpose()
}

/// Saves everything except the time zone. If no weather is requested for the place yet, it is requested at once.
pub async fn update(tx: &mut Tx, sn: &Serial, site: &Site) -> Result<()> {
    let at = site.coordinates;
    if let Some(at) = at {
        let cell = Area::Cell(WeatherCell::of(at));
        schedule_poll(tx, Source::OpenMeteo, &cell).await?;
    }
    execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET place = $2, latitude = $3, longitude = $4, planes = $5 WHERE sn = $1"
        )
        .bind(sn.as_str())
        .bind(site.place.as_ref().map(Town::as_str))
        .bind(at.map(|at| at.latitude().hundredths()))
        .bind(at.map(|at| at.longitude().hundredths()))
        .bind(site.planes.to_string())
    )?;
    Ok(())
}

/// `false` when there are samples already: past days must not shift.
pub async fn change_zone(tx: &mut Tx, sn: &Serial, site: &Site) -> Result<bool> {
    let moved = execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET time_zone = $2, zone_said = TRUE WHERE sn = $1
             AND NOT measured"
        )
        .bind(sn.as_str())
        .bind(site.zone.name())
    )?;
    Ok(moved == 1)
}

/// The household has left: its place is erased. The time zone and the planes belong to the roof and stay.
pub(crate) async fn clear_place(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET place = NULL, latitude = NULL, longitude = NULL WHERE sn = $1"
        )
        .bind(sn.as_str())
    )?;
    Ok(())
}
