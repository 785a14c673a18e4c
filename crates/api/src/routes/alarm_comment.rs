//! What people write about alarms, and why one needs no more attention.
use crate::Portal;
use crate::alarm::{AlarmEntry, access_to};
use crate::caller_systems::Systems;
use crate::error::{Error, Problem, Refusal, Result, language};
use crate::form::{Form, parse_id};
use crate::parameter::CommentLine;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::Message;
use domain::alarm::CommentText;
use serde::Deserialize;
use service::alarm::Commented;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct AlarmRemark {
    #[serde(default)]
    #[schema(required)]
    id: String,
    /// One line of at most 500 characters, visible to everyone who sees the alarm. An alarm has at most 50 comments.
    #[serde(default)]
    #[schema(value_type = CommentLine, required)]
    text: String,
}

/// Add a comment to an open or closed alarm.
#[utoipa::path(post, path = "/api/auth/alarm/comment/", operation_id = "comment_on_alarm", tag = "alarms",
    request_body(content = AlarmRemark, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = AlarmEntry), (status = 400, body = Problem), (status = 404, body = Refusal)))]
pub(crate) async fn comment(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Form(form): Form<AlarmRemark>,
) -> Result<Json<AlarmEntry>> {
    write(&portal, &systems, &headers, &form, false).await
}

/// Dismiss an open alarm, with a reason.
///
/// The alarm is then shown as closed. The fault itself is closed only when it is gone; until then no other alarm of this kind
/// opens.
#[utoipa::path(post, path = "/api/auth/alarm/dismiss/", operation_id = "dismiss_alarm", tag = "alarms",
    request_body(content = AlarmRemark, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = AlarmEntry), (status = 400, body = Problem), (status = 404, body = Refusal)))]
pub(crate) async fn dismiss(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Form(form): Form<AlarmRemark>,
) -> Result<Json<AlarmEntry>> {
    write(&portal, &systems, &headers, &form, true).await
}

async fn write(
    portal: &Portal,
    systems: &Systems,
    headers: &HeaderMap,
    form: &AlarmRemark,
    dismiss: bool,
) -> Result<Json<AlarmEntry>> {
    let id = parse_id(form.id.trim())?;
    let access = access_to(portal, systems, id).await?;
    let text = form.text.parse::<CommentText>();
    let text = text.map_err(|wrong| Error::field("text", wrong))?;
    let written = match dismiss {
        true => portal.service.dismiss_alarm(access, id, &text).await?,
        false => portal.service.comment_on_alarm(access, id, &text).await?,
    };
    match written.ok_or(Error::not_found())? {
        Commented::Added(alarm) => {
            let entry = AlarmEntry::load(portal, *alarm, access, language(headers));
            Ok(Json(entry.await?))
        }
        Commented::TooMany => Err(Error::field("text", Message::TooManyComments)),
    }
}
