//! Customer cards: a note and photos about a customer, visible only within the electrician's company.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Bytes, Form, parse_id};
use crate::parameter::{BinaryFile, CustomerNoteText, MillisSince1970, SerialNumber};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use domain::Message;
use domain::clock::Millis;
use domain::customer::{CustomerNote, MAX_COMPANY_PHOTOS, MAX_PHOTOS};
use serde::{Deserialize, Serialize};
use store::Access;
use store::customer::Photo;
use utoipa::ToSchema;

/// What the caller's company has recorded about the household of a system.
#[derive(Serialize, ToSchema)]
pub(crate) struct CustomerEntry {
    /// Empty if there is no note.
    note: String,
    /// When the note was last changed; Unix time in milliseconds. Null if there is no note.
    #[schema(required)]
    changed_at: Option<Millis>,
    /// Who changed it last: person and company.
    #[schema(required)]
    changed_by: Option<String>,
    /// At most twelve photos, oldest first.
    photos: Vec<PhotoEntry>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PhotoEntry {
    id: i64,
    /// When the photo was added; Unix time in milliseconds.
    added_at: Millis,
}

impl From<Photo> for PhotoEntry {
    fn from(Photo { id, added_at }: Photo) -> Self {
        Self { id, added_at }
    }
}

async fn entry(portal: &Portal, access: &Access) -> Result<Json<CustomerEntry>> {
    let note = portal.store.customer_note(access).await?;
    let photos = portal.store.customer_photos(access).await?;
    Ok(Json(CustomerEntry {
        changed_at: note.as_ref().map(|note| note.changed_at),
        changed_by: note.as_ref().and_then(|note| note.changed_by.clone()),
        note: note.map(|note| note.text).unwrap_or_default(),
        photos: photos.into_iter().map(PhotoEntry::from).collect(),
    }))
}

/// Get the note and the list of photos. Neither the household nor other companies can see them.
#[utoipa::path(get, path = "/api/auth/system/{sn}/customer/", operation_id = "show_customer", tag = "systems",
    params(("sn" = SerialNumber, Path)), responses((status = 200, body = CustomerEntry)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    systems: Systems,
    Path(sn): Path<String>,
) -> Result<Json<CustomerEntry>> {
    entry(&portal, systems.find(&sn)?).await
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SaveCustomerNote {
    /// The text of the note; empty to remove it.
    #[serde(default)]
    #[schema(value_type = CustomerNoteText, required)]
    note: String,
    /// `changed_at` of the note that the caller has read; left out for a first note.
    #[serde(default)]
    #[schema(value_type = MillisSince1970)]
    changed_at: String,
}

/// Save the note. Refused if another person has changed it since the caller read it.
#[utoipa::path(post, path = "/api/auth/system/{sn}/customer/", operation_id = "save_customer_note", tag = "systems",
    params(("sn" = SerialNumber, Path)),
    request_body(content = SaveCustomerNote, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = CustomerEntry), (status = 400, body = Problem), (status = 409, body = Refusal)))]
pub(crate) async fn save(
    State(portal): State<Portal>,
    systems: Systems,
    Path(sn): Path<String>,
    Form(form): Form<SaveCustomerNote>,
) -> Result<Json<CustomerEntry>> {
    let access = systems.find(&sn)?;
    let note = form.note.parse::<CustomerNote>();
    let note = note.map_err(|wrong| Error::field("note", wrong))?;
    let known = match form.changed_at.trim() {
        "" => None,
        text => Some(text.parse::<Millis>()),
    };
    let known = known.transpose();
    let known = known.map_err(|_| Error::field("changed_at", Message::NumberInvalid))?;
    let saved = portal.service.save_customer_note(access, &note, known);
    match saved.await? {
        true => entry(&portal, access).await,
        false => Err(Error::Refused(
            StatusCode::CONFLICT,
            Message::VersionConflict,
        )),
    }
}

/// Add a photo, a JPEG of at most 1 MiB.
///
/// The photo is re-encoded: rotated upright, scaled down to 1,600 pixels at most, and stripped of metadata such as the location.
#[utoipa::path(post, path = "/api/auth/system/{sn}/customer/photo/", operation_id = "add_customer_photo", tag = "systems",
    params(("sn" = SerialNumber, Path)), request_body(content = BinaryFile, content_type = "image/jpeg"),
    responses((status = 201, body = CustomerEntry), (status = 400, body = Refusal), (status = 409, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn add_photo(
    State(portal): State<Portal>,
    systems: Systems,
    Path(sn): Path<String>,
    Bytes(bytes): Bytes,
) -> Result<(StatusCode, Json<CustomerEntry>)> {
    let access = systems.find(&sn)?;
    // Nothing is decoded that could not be kept anyway.
    require_room(&portal, access).await?;
    portal.limits.photo(access.account()).await?;
    let jpeg = portal.photos.clean(bytes).await?;
    match portal.service.add_customer_photo(access, &jpeg).await? {
        true => Ok((StatusCode::CREATED, entry(&portal, access).await?)),
        // Somebody else in the company was faster.
        false => {
            require_room(&portal, access).await?;
            Err(Error::Refused(StatusCode::CONFLICT, Message::TooManyPhotos))
        }
    }
}

/// Refuses if the company may keep no further photo of this system, or of any.
async fn require_room(portal: &Portal, access: &Access) -> Result<()> {
    let (here, all) = portal.store.count_customer_photos(access).await?;
    let full = match (here >= MAX_PHOTOS, all >= MAX_COMPANY_PHOTOS) {
        (true, _) => Message::TooManyPhotos,
        (_, true) => Message::TooManyCompanyPhotos,
        _ => return Ok(()),
    };
    Err(Error::Refused(StatusCode::CONFLICT, full))
}

/// Get a photo.
#[utoipa::path(get, path = "/api/auth/system/{sn}/customer/photo/{id}/", operation_id = "customer_photo", tag = "systems",
    params(("sn" = SerialNumber, Path), ("id" = i64, Path)),
    responses((status = 200, body = BinaryFile, content_type = "image/jpeg")))]
pub(crate) async fn show_photo(
    State(portal): State<Portal>,
    systems: Systems,
    Path((sn, id)): Path<(String, String)>,
) -> Result<impl IntoResponse> {
    let access = systems.find(&sn)?;
    let jpeg = portal.store.customer_photo(access, parse_id(&id)?).await?;
    let jpeg = jpeg.ok_or(Error::not_found())?;
    Ok(([(CONTENT_TYPE, "image/jpeg")], jpeg))
}

/// Delete a photo.
#[utoipa::path(delete, path = "/api/auth/system/{sn}/customer/photo/{id}/", operation_id = "delete_customer_photo",
    tag = "systems", params(("sn" = SerialNumber, Path), ("id" = i64, Path)),
    responses((status = 204)))]
pub(crate) async fn delete_photo(
    State(portal): State<Portal>,
    systems: Systems,
    Path((sn, id)): Path<(String, String)>,
) -> Result<StatusCode> {
    let access = systems.find(&sn)?;
    let deleted = portal
        .service
        .delete_customer_photo(access, parse_id(&id)?)
        .await?;
    match deleted {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}
