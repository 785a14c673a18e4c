//! The site of a system, and the names of the people who live there.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::error::{Error, FieldErrors, Problem, Result};
use crate::form::Form;
use crate::number::kilowatts;
use crate::parameter::{LatitudeText, LongitudeText, NameText, PlanesText, SerialNumber, TownText};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::account::parse_name;
use domain::site::{Coordinates, Plane, SiteChange, Town};
use domain::{Message, Zone};
use serde::{Deserialize, Serialize};
use service::site::SiteChangeResult;
use store::end_user::EndUser;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct SiteEntry {
    sn: String,
    /// The town, as entered.
    #[schema(required)]
    place: Option<String>,
    /// Degrees with two decimals (about a kilometre). Both coordinates are set, or neither is.
    #[schema(required)]
    latitude: Option<f64>,
    #[schema(required)]
    longitude: Option<f64>,
    /// The site's time zone, as an IANA name.
    time_zone: String,
    /// Whether samples exist in this time zone. It can then no longer be changed.
    time_zone_fixed: bool,
    planes: Vec<PlaneEntry>,
    /// The total peak power of all planes in kWp.
    #[schema(required)]
    kwp: Option<f64>,
}

/// PV modules with the same orientation.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlaneEntry {
    /// Peak power in kWp.
    kwp: f64,
    /// Degrees: 0 is flat, 90 is vertical.
    tilt: i64,
    /// Degrees from south: -90 is east, 90 is west, 180 or -180 is north.
    azimuth: i64,
}

impl From<Plane> for PlaneEntry {
    fn from(plane: Plane) -> Self {
        Self {
            kwp: kilowatts(plane.peak()),
            tilt: plane.tilt(),
            azimuth: plane.azimuth(),
        }
    }
}

/// Get the location of a system and the PV modules on its roof.
#[utoipa::path(get, path = "/api/auth/system/{sn}/", operation_id = "show_site", tag = "systems", params(("sn" = SerialNumber, Path)),
    responses((status = 200, body = SiteEntry)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    systems: Systems,
    Path(sn): Path<String>,
) -> Result<Json<SiteEntry>> {
    let access = systems.find(&sn)?;
    let site = portal.store.site(access).await?;
    let site = site.ok_or(Error::not_found())?;
    let degrees = |hundredths: i64| hundredths as f64 / 100.0;
    let at = site.coordinates;
    Ok(Json(SiteEntry {
        sn,
        place: site.place.map(|place| place.as_str().to_owned()),
        latitude: at.map(|at| degrees(at.latitude().hundredths())),
        longitude: at.map(|at| degrees(at.longitude().hundredths())),
        time_zone: site.zone.name().to_owned(),
        time_zone_fixed: portal.store.zone_is_fixed(access).await?,
        planes: site.planes.iter().map(PlaneEntry::from).collect(),
        kwp: site.planes.peak().map(kilowatts),
    }))
}

/// The fields to change. Fields that are left out keep their value.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DescribeSystem {
    /// Required together with the last name.
    #[schema(value_type = NameText, required = false)]
    first_name: Option<String>,
    #[schema(value_type = NameText, required = false)]
    last_name: Option<String>,
    /// The town, at most 80 characters. An empty value removes it.
    #[schema(value_type = TownText, required = false)]
    place: Option<String>,
    /// Required together with the longitude; empty values remove both. Stored with two decimals.
    #[schema(value_type = LatitudeText, required = false)]
    latitude: Option<String>,
    #[schema(value_type = LongitudeText, required = false)]
    longitude: Option<String>,
    /// An IANA name. Can be changed only before the first sample.
    #[schema(value_type = String, required = false)]
    time_zone: Option<String>,
    /// At most eight planes `kWp/tilt/azimuth`, separated by commas: `5.2/30/-45,4.6/30/135`. An empty value removes all.
    #[schema(value_type = PlanesText, required = false)]
    planes: Option<String>,
}

/// Change the names of the people who live with a system, its location, or the PV modules on its roof.
#[utoipa::path(patch, path = "/api/auth/system/{sn}/", operation_id = "describe_system", tag = "systems", params(("sn" = SerialNumber, Path)),
    request_body(content = DescribeSystem, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem)))]
pub(crate) async fn describe(
    State(portal): State<Portal>,
    systems: Systems,
    Path(sn): Path<String>,
    Form(form): Form<DescribeSystem>,
) -> Result<StatusCode> {
    let access = systems.find(&sn)?;
    let mut errors = FieldErrors::default();
    let names = read_names(&form, &mut errors);
    let change = read_change(&form, &mut errors);
    errors.into_result()?;
    if names.is_none() && change == SiteChange::default() {
        return Err(Error::Refused(
            StatusCode::BAD_REQUEST,
            Message::NothingToChange,
        ));
    }
    // The change that may be refused comes first.
    match portal.service.change_site(access, &change).await? {
        SiteChangeResult::Done => {}
        SiteChangeResult::ZoneFixed => {
            return Err(Error::field("time_zone", Message::TimeZoneFixed));
        }
    }
    if let Some(names) = names {
        portal.service.name_end_user(access, &names).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Both names, if either is given.
fn read_names(form: &DescribeSystem, errors: &mut FieldErrors) -> Option<EndUser> {
    let given = |text: &Option<String>| text.clone().unwrap_or_default();
    if form.first_name.is_none() && form.last_name.is_none() {
        return None;
    }
    let first_name = errors.check("first_name", parse_name(&given(&form.first_name)));
    let last_name = errors.check("last_name", parse_name(&given(&form.last_name)));
    let (first_name, last_name) = first_name.zip(last_name)?;
    Some(EndUser {
        first_name,
        last_name,
    })
}

fn read_change(form: &DescribeSystem, errors: &mut FieldErrors) -> SiteChange {
    let place = form.place.as_deref();
    let zone = form.time_zone.as_deref();
    let planes = form.planes.as_deref();
    SiteChange {
        place: place.and_then(|text| errors.check("place", Town::parse(text))),
        coordinates: read_coordinates(form, errors),
        zone: zone.and_then(|text| errors.check("time_zone", parse_zone(text))),
        planes: planes.and_then(|text| errors.check("planes", text.parse())),
    }
}

fn parse_zone(text: &str) -> Result<Zone, Message> {
    match text.trim() {
        "" => Err(Message::Required),
        name => name.parse().map_err(|_| Message::TimeZoneUnknown),
    }
}

/// Latitude and longitude are valid only together.
fn read_coordinates(
    form: &DescribeSystem,
    errors: &mut FieldErrors,
) -> Option<Option<Coordinates>> {
    if form.latitude.is_none() && form.longitude.is_none() {
        return None;
    }
    let given = |text: &'_ Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    let (latitude, longitude) = (given(&form.latitude), given(&form.longitude));
    if latitude.is_empty() && longitude.is_empty() {
        return Some(None);
    }
    let latitude = errors.check("latitude", latitude.parse());
    let longitude = errors.check("longitude", longitude.parse());
    let (latitude, longitude) = latitude.zip(longitude)?;
    Some(Some(Coordinates::new(latitude, longitude)))
}
