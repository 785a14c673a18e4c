//! Replacement of a unit: a new unit takes over, and the system keeps its history.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::client::ClientAddress;
use crate::error::{Error, Problem, Refusal, Result, language};
use crate::form::{Form, ticked};
use crate::parameter::{SerialNumber, Switch};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::{Key, Lang, Message, Serial};
use serde::{Deserialize, Serialize};
use service::replacement::{Replacement, ReplacementRefusal};
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct ReplaceUnit {
    /// The code of the new unit, or the serial number of a unit that the caller has connected already.
    #[serde(default)]
    #[schema(required)]
    key: String,
    /// `true` only checks which unit it is, without changing anything.
    #[serde(default)]
    #[schema(value_type = Switch)]
    dry_run: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ReplacedUnit {
    /// `replaced`; `waiting`, if the main switch of the new unit must be turned before the call is repeated; `fits` after a dry
    /// run.
    status: &'static str,
    /// The new unit's serial number.
    sn: String,
    /// The model of the new unit. Only after a dry run, if the unit has reported and the key proves possession; otherwise null.
    #[schema(required)]
    hardware: Option<String>,
    text: &'static str,
}

impl ReplacedUnit {
    fn new(status: &'static str, sn: &Serial, message: Message, lang: Lang) -> Self {
        Self {
            status,
            sn: sn.to_string(),
            hardware: None,
            text: message.text(lang),
        }
    }
}

/// Replace the unit of a system.
///
/// History, settings, prices, names, groups, access, protocols and journal continue under the new unit's serial number. The old
/// unit is left without an owner.
#[utoipa::path(post, path = "/api/auth/system/{sn}/replace/", operation_id = "replace_unit", tag = "systems",
    params(("sn" = SerialNumber, Path)),
    request_body(content = ReplaceUnit, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = ReplacedUnit), (status = 400, body = Problem), (status = 409, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn replace(
    State(portal): State<Portal>,
    systems: Systems,
    client: ClientAddress,
    headers: HeaderMap,
    Path(sn): Path<String>,
    Form(form): Form<ReplaceUnit>,
) -> Result<Json<ReplacedUnit>> {
    let lang = language(&headers);
    let access = systems.find(&sn)?;
    let key = match form.key.trim() {
        "" => return Err(Error::field("key", Message::Required)),
        text => text.parse::<Key>(),
    };
    let key = key.map_err(|message| Error::field("key", message))?;
    let (limits, account) = (&portal.limits, Some(access.account()));
    limits.keys(client.0, account, 1).await?;
    let proven = async || {
        if matches!(key, Key::Code(_)) {
            limits.keys_were_right(client.0, account, 1).await;
        }
    };
    if ticked(&form.dry_run) {
        let tried = portal.service.check_replacement(access, &key);
        let (new, hardware) = tried.await?.map_err(refusal)?;
        proven().await;
        return Ok(Json(ReplacedUnit {
            hardware,
            ..ReplacedUnit::new("fits", &new, Message::ReplaceFits, lang)
        }));
    }
    match portal.service.replace_unit(access, &key).await? {
        Replacement::Done(new) => {
            proven().await;
            let done = ReplacedUnit::new("replaced", &new, Message::UnitReplaced, lang);
            Ok(Json(done))
        }
        Replacement::Waiting(new) => {
            let waiting = ReplacedUnit::new("waiting", &new, Message::ReplaceWaiting, lang);
            Ok(Json(waiting))
        }
        Replacement::Refused(why) => Err(refusal(why)),
    }
}

const fn unfit(why: ReplacementRefusal) -> Message {
    match why {
        ReplacementRefusal::CodeUnknown => Message::CodeUnknown,
        ReplacementRefusal::Used => Message::SerialUsed,
        ReplacementRefusal::Same => Message::ReplaceSame,
        ReplacementRefusal::Several => Message::ReplaceSeveral,
        ReplacementRefusal::InUse => Message::ReplaceInUse,
        ReplacementRefusal::NeedsCode => Message::ReplaceNeedsCode,
        ReplacementRefusal::Updating => Message::ReplaceUpdating,
    }
}

fn refusal(why: ReplacementRefusal) -> Error {
    match why {
        ReplacementRefusal::Updating => Error::Refused(StatusCode::CONFLICT, unfit(why)),
        _ => Error::field("key", unfit(why)),
    }
}
