//! Commands to batteries: executed once per idempotency key, and observable until they end.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::{Selection, Systems};
use crate::command::CommandBody;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::Form;
use crate::parameter::{
    CommandName, IdempotencyKey, MillisSince1970, Percent, SerialNumber, Watts,
};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::clock::Millis;
use domain::command::{Arguments, Command, CommandKey};
use domain::grant::Right;
use domain::setting::Ratings;
use domain::{CommandId, Message};
use serde::Deserialize;
use service::command::QueueResult;
use store::Access;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct GiveCommand {
    #[serde(default)]
    #[schema(value_type = SerialNumber, required)]
    sn: String,
    /// switch_on, switch_off, meter_test, calibrate, charge_to, hold, auto or restart.
    #[serde(default)]
    #[schema(value_type = CommandName, required)]
    command: String,
    /// Names this one act: 8 to 64 of `A-Za-z0-9_-`. The same key acts once, however often it is sent.
    #[serde(default)]
    #[schema(value_type = IdempotencyKey, required)]
    key: String,
    /// charge_to: to so many percent.
    #[schema(value_type = Percent, required = false)]
    soc: Option<String>,
    /// charge_to: with so many W at most.
    #[schema(value_type = Watts, required = false)]
    power: Option<String>,
    /// hold: until then, in milliseconds since 1970.
    #[schema(value_type = MillisSince1970, required = false)]
    until: Option<String>,
}

/// The battery answers within seconds, if it is there.
const RETRY_AFTER_SECONDS: u64 = 30;

/// Tell a battery to do something. A repeated key answers what the first request began.
#[utoipa::path(post, path = "/api/auth/command/", operation_id = "give_command", tag = "commands",
    request_body(content = GiveCommand, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = CommandBody), (status = 200, body = CommandBody), (status = 400, body = Problem), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn give(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Form(form): Form<GiveCommand>,
) -> Result<(StatusCode, Json<CommandBody>)> {
    let Selection::One(access) = systems.one_or_all(&form.sn)? else {
        return Err(Error::field("sn", Message::Required));
    };
    portal.hold([access]).await?;
    let now = portal.now();
    let (command, key) = check(&portal, access, &form, now)?;
    let queued = portal.service.queue_command(access, &key, command);
    let (status, entry) = match queued.await? {
        QueueResult::New(entry) => (StatusCode::CREATED, entry),
        QueueResult::Repeated(entry) => (StatusCode::OK, entry),
        QueueResult::KeyReused => {
            return Err(Error::Refused(StatusCode::CONFLICT, Message::KeyReused));
        }
        QueueResult::TooManyOpen => {
            return Err(Error::RateLimited {
                seconds: RETRY_AFTER_SECONDS,
                message: Message::TooManyCommands,
            });
        }
        QueueResult::Blocked(blocked) => return Err(blocked.into()),
    };
    let body = CommandBody::new(entry, now, language(&headers));
    Ok((status, Json(body)))
}

fn check(
    portal: &Portal,
    access: &Access,
    form: &GiveCommand,
    now: Millis,
) -> Result<(Command, CommandKey)> {
    let facts = portal.live.get(access.sn()).map(|now| now.facts.clone());
    let ratings = facts.map_or_else(Ratings::default, |facts| Ratings {
        charge: facts.charge_max,
        discharge: facts.discharge_max,
    });
    let arguments = Arguments {
        soc: form.soc.as_deref(),
        power: form.power.as_deref(),
        until: form.until.as_deref(),
    };
    let mut errors = FieldErrors::default();
    let key = errors.check("key", form.key.parse::<CommandKey>());
    let command = Command::parse(&form.command, arguments, ratings, now);
    let command = command.map_err(|wrong| {
        for (field, message) in wrong {
            errors.add(field, message);
        }
    });
    // Restarting is for people who service the unit: someone should be there to look at it.
    if command == Ok(Command::Restart) && !access.may(Right::Restart) {
        return Err(Error::forbidden(Message::Forbidden));
    }
    errors.into_result()?;
    command.ok().zip(key).ok_or(Error::internal())
}

/// How a command fares.
#[utoipa::path(get, path = "/api/auth/command/{id}/", operation_id = "show_command", tag = "commands",
    params(("id" = String, Path)),
    responses((status = 200, body = CommandBody)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    person: PersonCaller,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<CommandBody>> {
    let id: CommandId = id.parse().map_err(|_| Error::not_found())?;
    let entry = portal
        .store
        .command(person.account, &id, portal.now())
        .await?;
    let entry = entry.ok_or(Error::not_found())?;
    let body = CommandBody::new(entry, portal.now(), language(&headers));
    Ok(Json(body))
}
