//! Commands to batteries: given once for each key, and looked at until they have ended.
use crate::Portal;
use crate::access::Person;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::Form;
use crate::own::{Choice, Systems};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use domain::clock::Millis;
use domain::command::{AnswerCode, Arguments, Command, CommandKey, CommandState};
use domain::grant::Right;
use domain::setting::Ratings;
use domain::{CommandId, Lang, Message};
use serde::{Deserialize, Serialize};
use store::Access;
use store::command::{CommandEntry, NewCommand, Queued};
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct GiveCommand {
    #[serde(default)]
    sn: String,
    /// switch_on, switch_off, meter_test, calibrate, charge_to, hold, auto or restart.
    #[serde(default)]
    command: String,
    /// Names this one act: 8 to 64 of `A-Za-z0-9_-`. The same key acts once, however often it is sent.
    #[serde(default)]
    key: String,
    /// charge_to: to so many percent.
    soc: Option<String>,
    /// charge_to: with so many W at most.
    power: Option<String>,
    /// hold: until then, in milliseconds since 1970.
    until: Option<String>,
}

/// A command as it stands.
#[derive(Serialize, ToSchema)]
pub(crate) struct CommandBody {
    id: String,
    sn: String,
    command: String,
    #[schema(value_type = Object)]
    args: serde_json::Value,
    #[schema(inline)]
    state: StateName,
    created_at: Millis,
    /// Not answered by then, it has expired: the battery never acts on it later.
    expires_at: Millis,
    sent_at: Option<Millis>,
    ended_at: Option<Millis>,
    /// How the battery answered.
    code: Option<String>,
    /// The same in the caller's language.
    text: Option<&'static str>,
    /// What it brought, also while it runs.
    #[schema(value_type = Option<Object>)]
    data: Option<serde_json::Value>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StateName {
    Queued,
    Sent,
    Done,
    Failed,
    Expired,
}

impl From<CommandState> for StateName {
    fn from(state: CommandState) -> Self {
        match state {
            CommandState::Queued => Self::Queued,
            CommandState::Sent => Self::Sent,
            CommandState::Done => Self::Done,
            CommandState::Failed => Self::Failed,
            CommandState::Expired => Self::Expired,
        }
    }
}

impl CommandBody {
    pub(crate) fn new(entry: CommandEntry, now: Millis, lang: Lang) -> Self {
        let entry = entry.seen_at(now);
        let went_well = entry.state == CommandState::Done;
        let text = |code: &String| AnswerCode::of(code, went_well).text(lang);
        Self {
            id: entry.id.to_string(),
            sn: entry.sn.to_string(),
            command: entry.command,
            args: entry.args,
            state: entry.state.into(),
            created_at: entry.created_at,
            expires_at: entry.expires_at,
            sent_at: entry.sent_at,
            ended_at: entry.ended_at,
            text: entry.code.as_ref().map(text),
            code: entry.code,
            data: entry.data,
        }
    }
}

/// Tell a battery to do something. A repeated key answers what the first request began.
#[utoipa::path(post, path = "/api/auth/command/", operation_id = "give_command", tag = "commands",
    request_body(content = GiveCommand, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = CommandBody), (status = 200, body = CommandBody), (status = 400, body = Problem),
        (status = 401, body = Refusal), (status = 403, body = Refusal), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub(crate) async fn give(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Form(form): Form<GiveCommand>,
) -> Result<(StatusCode, Json<CommandBody>)> {
    let Choice::One(access) = systems.choose(&form.sn)? else {
        return Err(Error::field("sn", Message::Required));
    };
    let now = portal.now();
    let (command, key) = check(&portal, access, &form, now)?;
    let id = CommandId::random(&portal.random);
    let new = NewCommand {
        id: &id,
        key: &key,
        command,
        devices_a_minute: portal.settings.devices_a_minute,
    };
    let (status, entry) = match portal.store.queue_command(access, new, now).await? {
        Queued::New(entry) => {
            portal.bus.command_queued(access.sn(), &id).await;
            (StatusCode::CREATED, entry)
        }
        Queued::Repeated(entry) => (StatusCode::OK, entry),
        Queued::KeyReused => {
            return Err(Error::Refused(StatusCode::CONFLICT, Message::KeyReused));
        }
        Queued::TooManyOpen => {
            let refused = Message::TooManyCommands;
            return Err(Error::Refused(StatusCode::TOO_MANY_REQUESTS, refused));
        }
        Queued::Held(held) => return Err(held.into()),
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
    let key = errors.take("key", form.key.parse::<CommandKey>());
    let command = Command::parse(&form.command, arguments, ratings, now);
    let command = command.map_err(|wrong| {
        for (field, message) in wrong {
            errors.add(field, message);
        }
    });
    // Whoever restarts a unit should stand where it can be looked at: that is for those who service it.
    if command == Ok(Command::Restart) && !access.may(Right::Restart) {
        return Err(Error::Refused(StatusCode::FORBIDDEN, Message::Forbidden));
    }
    errors.into_result()?;
    command.ok().zip(key).ok_or(Error::internal())
}

/// How a command fares.
#[utoipa::path(get, path = "/api/auth/command/{id}/", operation_id = "show_command", tag = "commands",
    params(("id" = String, Path)),
    responses((status = 200, body = CommandBody), (status = 401, body = Refusal), (status = 404, body = Refusal)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    person: Person,
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
