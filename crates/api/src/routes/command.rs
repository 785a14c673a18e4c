//! Commands to batteries: executed once per idempotency key, with a state that can be queried until they end.
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
    /// The idempotency key, 8 to 64 characters of `A-Za-z0-9_-`. A request repeated with the same key is executed once.
    #[serde(default)]
    #[schema(value_type = IdempotencyKey, required)]
    key: String,
    /// For charge_to: the target state of charge in %.
    #[schema(value_type = Percent, required = false)]
    soc: Option<String>,
    /// For charge_to: the maximum charging power in W.
    #[schema(value_type = Watts, required = false)]
    power: Option<String>,
    /// For hold: when it ends; Unix time in milliseconds.
    #[schema(value_type = MillisSince1970, required = false)]
    until: Option<String>,
}

/// A connected battery answers within seconds.
const RETRY_AFTER_SECONDS: u64 = 30;

/// Give a command to a battery. A repeated idempotency key returns the command of the first request.
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
        QueueResult::New(entry) => {
            // The battery gets this id, too: it leads from the request to the device.
            tracing::info!(sn = %access.sn(), command = entry.id.as_str(), "command_accepted");
            (StatusCode::CREATED, entry)
        }
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
    // Restarting is for people who service the unit: someone should be on site.
    if command == Ok(Command::Restart) && !access.may(Right::Restart) {
        return Err(Error::forbidden(Message::Forbidden));
    }
    errors.into_result()?;
    command.ok().zip(key).ok_or(Error::internal())
}

/// Get the state of a command.
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
