//! Where systems stand: place, time zone and the planes of their roofs.
use crate::db::Tx;
use crate::grant::{OWNERS_PAGE, OwnerMail};
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Access, Error, Result, Store};
use domain::Serial;
use domain::clock::Millis;
use domain::site::{Coordinates, Place, Planes, Site, SiteChange};
use serde_json::json;

#[derive(Debug)]
struct Row {
    sn: String,
    place: Option<String>,
    latitude: Option<i64>,
    longitude: Option<i64>,
    time_zone: String,
    planes: String,
}
row!(Row {
    sn,
    place,
    latitude,
    longitude,
    time_zone,
    planes
});

impl Row {
    fn site(&self) -> Result<Site> {
        let place = Place::parse(self.place.as_deref().unwrap_or_default());
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

/// How a change of a site ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Described {
    Done,
    /// Nothing was changed: days have been counted in the zone that it has.
    ZoneFixed,
}

impl Store {
    pub async fn site(&self, access: &Access) -> Result<Option<Site>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, place, latitude, longitude, time_zone, planes FROM systems WHERE sn = $1")
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        row.map(|row| row.site()).transpose()
    }

    /// Where every system stands, for what is worked out by the clock.
    pub async fn sites(&self) -> Result<Vec<(Serial, Site)>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, place, latitude, longitude, time_zone, planes FROM systems ORDER BY sn")
            .fetch_all(p).await)?;
        let site = |row: &Row| {
            let sn = row.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?;
            Ok((sn, row.site()?))
        };
        rows.iter().map(site).collect()
    }

    /// Whether the time zone of a system can no longer change: from its first sample on its days are those of this zone.
    pub async fn zone_is_fixed(&self, access: &Access) -> Result<bool> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM samples WHERE sn = $1) OR EXISTS (SELECT 1 FROM sealed_months WHERE sn = $1)")
            .bind(access.sn().as_str()).fetch_one(p).await)?)
    }

    /// Changes what is given, with its line in the journal, or nothing. The owner gets a mail when an electrician did it.
    pub async fn describe_site(
        &self,
        access: &Access,
        change: &SiteChange,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Described> {
        let mut tx = self.begin().await?;
        // Takes the system's lock, and sees that it is still the same household's.
        let row: Option<Row> = within!(&mut tx, c => sqlx::query_as(
            "UPDATE systems SET planes = planes WHERE sn = $1 AND owner_id IS NOT DISTINCT FROM $2
             RETURNING sn, place, latitude, longitude, time_zone, planes")
            .bind(access.sn().as_str()).bind(access.owner().map(|owner| owner.0)).fetch_optional(c).await)?;
        let before = row.ok_or(Error::Conflict)?.site()?;
        let after = before.with(change);
        if after.zone != before.zone && !move_zone(&mut tx, access.sn(), &after).await? {
            return Ok(Described::ZoneFixed);
        }
        let changed = before.difference(&after);
        if changed.is_empty() {
            return Ok(Described::Done);
        }
        let at = after.coordinates;
        execute!(
            &mut tx,
            sqlx::query(
                "UPDATE systems SET place = $2, latitude = $3, longitude = $4, planes = $5 WHERE sn = $1"
            )
            .bind(access.sn().as_str())
            .bind(after.place.as_ref().map(Place::as_str))
            .bind(at.map(|at| at.latitude().hundredths()))
            .bind(at.map(|at| at.longitude().hundredths()))
            .bind(after.planes.to_string())
        )?;
        // Which parts, and not what they were: places are personal.
        Entry::by(access.account(), Event::SiteChanged, now)
            .on(access.sn())
            .with(json!({ "changed": changed }))
            .write(&mut tx)
            .await?;
        let mail = OwnerMail {
            text: "site_changed",
            page: OWNERS_PAGE,
            values: vec![("sn", access.sn().to_string())],
            until: None,
        };
        self.tell_owner(&mut tx, access, mail, desk, now).await?;
        tx.commit().await?;
        Ok(Described::Done)
    }
}

/// `false` when days have been counted already: those of the past must not move.
async fn move_zone(tx: &mut Tx, sn: &Serial, site: &Site) -> Result<bool> {
    let moved = execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET time_zone = $2, zone_said = TRUE WHERE sn = $1
             AND NOT EXISTS (SELECT 1 FROM samples WHERE sn = $1)
             AND NOT EXISTS (SELECT 1 FROM sealed_months WHERE sn = $1)"
        )
        .bind(sn.as_str())
        .bind(site.zone.name())
    )?;
    Ok(moved == 1)
}

/// The household has left: where it lived goes with it. The time zone and the planes are the roof's and stay.
pub(crate) async fn leave(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET place = NULL, latitude = NULL, longitude = NULL WHERE sn = $1"
        )
        .bind(sn.as_str())
    )?;
    Ok(())
}
