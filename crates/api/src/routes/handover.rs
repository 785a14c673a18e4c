//! Handover when a house is sold: the owner offers a system to another person by mail, or withdraws the offer.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Form, parse_id};
use crate::grant::{HandoverEntry, address};
use crate::own_account::{load_account, reauthenticate};
use crate::parameter::{EmailAddress, SerialNumber};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Message;
use serde::Deserialize;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct OfferHandover {
    /// The serial number of the system.
    #[serde(default)]
    #[schema(value_type = SerialNumber, required)]
    sn: String,
    /// The new owner's e-mail address.
    #[serde(default)]
    #[schema(value_type = EmailAddress, required)]
    email: String,
    /// The caller's current password, for confirmation.
    #[schema(value_type = String, required)]
    password: Option<String>,
}

/// Offer a system to a new owner.
///
/// Ownership changes when the new owner enters the mailed code. The history of the present household is not handed over.
#[utoipa::path(post, path = "/api/auth/grant/handover/", operation_id = "offer_handover", tag = "grants",
    request_body(content = OfferHandover, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = HandoverEntry), (status = 400, body = Problem), (status = 404, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn offer(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Form(form): Form<OfferHandover>,
) -> Result<(StatusCode, Json<HandoverEntry>)> {
    if form.sn.trim().is_empty() {
        return Err(Error::field("sn", Message::Required));
    }
    let access = systems.find(form.sn.trim())?;
    let account = load_account(&portal, person).await?;
    let email = address(&form.email, &account.email);
    let email = email.map_err(|message| Error::field("email", message))?;
    reauthenticate(&portal, &account, form.password.as_deref()).await?;
    portal
        .limits
        .invitation(person.account, email.as_str())
        .await?;
    let offered = portal.service.offer_handover(access, &email).await?;
    Ok((StatusCode::CREATED, Json(offered.into())))
}

/// Withdraw a handover. The mailed code stops working.
#[utoipa::path(delete, path = "/api/auth/grant/handover/{id}/", operation_id = "withdraw_handover", tag = "grants",
    params(("id" = i64, Path)),
    responses((status = 204)))]
pub(crate) async fn withdraw(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let withdrawn = portal
        .service
        .withdraw_handover(person.account, parse_id(&id)?);
    match withdrawn.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}
