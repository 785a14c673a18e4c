//! Alarms of the caller's systems: the list, acknowledgement, and notification by mail.
use crate::Portal;
use crate::alarm::{AlarmEntry, access_to};
use crate::caller::PersonCaller;
use crate::caller_systems::{Selection, Systems};
use crate::csv::{self, CsvStyle, CsvTable};
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::{Form, Query, parse_id};
use crate::parameter::{AlarmMailChoice, FileFormat, OneOrAllSystems, PageNumber};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use domain::alarm::AlarmMail;
use domain::clock::Millis;
use domain::message::text;
use domain::{Lang, Message, Serial};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::Access;
use store::alarm::{ALARMS_PER_PAGE, Alarm};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct AlarmQuery {
    /// One serial number, or -1 (default) for all systems.
    #[serde(default)]
    #[param(value_type = OneOrAllSystems)]
    sn: String,
    /// The page number, starting at 1 (default).
    #[serde(default)]
    #[param(value_type = PageNumber)]
    page: String,
    /// `json` (default) returns one page, `csv` a file with all alarms. `Accept-Language` sets the number format of the file.
    #[serde(default)]
    #[param(value_type = FileFormat)]
    format: String,
}

/// The most alarms in one file.
const MAX_FILE_ALARMS: usize = 10_000;

/// A page of ten alarms: open ones first, then closed ones, newest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct Alarms {
    page: usize,
    pages: usize,
    /// The number of alarms on all pages.
    total: usize,
    alarms: Vec<AlarmEntry>,
    #[schema(inline)]
    mail: AlarmMailName,
}

/// How an account is notified of alarms by mail.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AlarmMailName {
    AtOnce,
    Digest,
    Never,
}

impl From<AlarmMail> for AlarmMailName {
    fn from(choice: AlarmMail) -> Self {
        match choice {
            AlarmMail::AtOnce => Self::AtOnce,
            AlarmMail::Digest => Self::Digest,
            AlarmMail::Never => Self::Never,
        }
    }
}

/// List open and closed alarms of the caller's systems.
#[utoipa::path(get, path = "/api/auth/alarm/", operation_id = "list_alarms", tag = "alarms", params(AlarmQuery),
    responses((status = 200, content((Alarms = "application/json"), (String = "text/csv"))), (status = 400, body = Problem),
        (status = 404, body = Refusal)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<AlarmQuery>,
) -> Result<Response> {
    let one = match systems.one_or_all(query.sn.trim())? {
        Selection::One(access) => Some(access),
        Selection::All(_) => None,
    };
    let mut errors = FieldErrors::default();
    let page = match query.page.as_str() {
        "" => Some(1),
        page => errors.check("page", page.parse().map_err(|_| Message::NumberInvalid)),
    };
    let csv = errors.check("format", csv::is_wanted(&query.format));
    errors.into_result()?;
    let page = page.unwrap_or(1_usize).max(1);
    let (skip, count) = match csv.unwrap_or_default() {
        true => (0, MAX_FILE_ALARMS),
        false => ((page - 1).saturating_mul(ALARMS_PER_PAGE), ALARMS_PER_PAGE),
    };
    let (store, account, now) = (&portal.store, person.account, portal.now());
    let found = store.alarm_page(account, one, skip, count, now).await?;
    let of: BTreeSet<Serial> = found.alarms.iter().map(|alarm| alarm.sn.clone()).collect();
    let mut comments = store.alarm_comments(&Vec::from_iter(of)).await?;
    let lang = language(&headers);
    let entry = |alarm: Alarm| {
        let of = |access: &&Access| *access.sn() == alarm.sn;
        let access = systems.allowed.iter().find(of)?;
        let comments = comments.remove(&alarm.id).unwrap_or_default();
        Some((AlarmEntry::new(alarm, comments, access, lang), access))
    };
    let alarms: Vec<_> = found.alarms.into_iter().filter_map(entry).collect();
    if csv == Some(true) {
        let table = table(&alarms, lang, CsvStyle::for_caller(&headers));
        return Ok(csv::file("suncellar_alarms.csv", table));
    }
    let body = Alarms {
        page,
        pages: found.total.div_ceil(ALARMS_PER_PAGE),
        total: found.total,
        alarms: alarms.into_iter().map(|(entry, _)| entry).collect(),
        mail: store.alarm_mail(account).await?.into(),
    };
    Ok(Json(body).into_response())
}

fn table(alarms: &[(AlarmEntry, &Access)], lang: Lang, style: CsvStyle) -> Vec<u8> {
    let mut table = CsvTable::new(style);
    for name in [
        "sn",
        "customer",
        "what",
        "alarm_since",
        "alarm_acknowledged",
        "alarm_until",
        "comments",
    ] {
        table.text(text(lang, "csv", name));
    }
    table.end_row();
    for (alarm, access) in alarms {
        let clock = |at: Option<Millis>| {
            at.map(|at| access.zone().clock_text(at))
                .unwrap_or_default()
        };
        let names = [&alarm.first_name, &alarm.last_name].into_iter().flatten();
        let comments = alarm.comments.iter();
        let comments =
            comments.map(|one| format!("{} {}: {}", clock(Some(one.at)), one.who, one.text));
        table.text(&alarm.sn);
        table.text(&names.cloned().collect::<Vec<_>>().join(" "));
        table.text(alarm.text);
        table.text(&clock(Some(alarm.since)));
        table.text(&clock(alarm.acknowledged_at));
        table.text(&clock(alarm.closed_at.or(alarm.dismissed_at)));
        table.text(&comments.collect::<Vec<_>>().join("\n"));
        table.end_row();
    }
    table.into_bytes()
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct Acknowledge {
    #[serde(default)]
    #[schema(required)]
    id: String,
}

/// Acknowledge an alarm: the caller has seen it and takes care of it. It stays open until the fault is gone.
#[utoipa::path(post, path = "/api/auth/alarm/", operation_id = "acknowledge_alarm", tag = "alarms",
    request_body(content = Acknowledge, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = AlarmEntry),
        (status = 404, body = Refusal)))]
pub(crate) async fn acknowledge(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Form(form): Form<Acknowledge>,
) -> Result<Json<AlarmEntry>> {
    let id = parse_id(form.id.trim())?;
    let access = access_to(&portal, &systems, id).await?;
    let alarm = portal.service.acknowledge_alarm(access, id).await?;
    let alarm = alarm.ok_or(Error::not_found())?;
    let entry = AlarmEntry::load(&portal, alarm, access, language(&headers));
    Ok(Json(entry.await?))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ChooseAlarmMail {
    /// at_once, digest (once a day at 7:00) or never.
    #[serde(default)]
    #[schema(value_type = AlarmMailChoice, required)]
    mail: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ChosenAlarmMail {
    #[schema(inline)]
    mail: AlarmMailName,
}

/// Choose how to be notified of alarms by mail.
#[utoipa::path(post, path = "/api/auth/alarm/mail/", operation_id = "choose_alarm_mail", tag = "alarms",
    request_body(content = ChooseAlarmMail, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = ChosenAlarmMail), (status = 400, body = Problem)))]
pub(crate) async fn choose_mail(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<ChooseAlarmMail>,
) -> Result<Json<ChosenAlarmMail>> {
    let choice: AlarmMail = form
        .mail
        .trim()
        .parse()
        .map_err(|message| Error::field("mail", message))?;
    portal
        .service
        .set_alarm_mail(person.account, choice)
        .await?;
    Ok(Json(ChosenAlarmMail {
        mail: choice.into(),
    }))
}
