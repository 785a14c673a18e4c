//! Alarms: what is wrong with the caller's systems, who takes care of it, and how the caller is notified.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::{Selection, Systems};
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::{Form, Query, parse_id};
use crate::parameter::{AlarmMailChoice, OneOrAllSystems, PageNumber};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::alarm::AlarmMail;
use domain::clock::Millis;
use domain::grant::Right;
use domain::message::text;
use domain::{Lang, Message};
use serde::{Deserialize, Serialize};
use store::Access;
use store::alarm::{ALARMS_PER_PAGE, Alarm};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct AlarmQuery {
    /// A serial number, or -1 (default) for all systems.
    #[serde(default)]
    #[param(value_type = OneOrAllSystems)]
    sn: String,
    /// The first is 1.
    #[serde(default)]
    #[param(value_type = PageNumber)]
    page: String,
}

/// Ten alarms: what is open first, then the newest of what is over.
#[derive(Serialize, ToSchema)]
pub(crate) struct Alarms {
    page: usize,
    pages: usize,
    total: usize,
    alarms: Vec<AlarmEntry>,
    #[schema(inline)]
    mail: AlarmMailName,
}

/// How somebody hears of alarms by mail.
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

#[derive(Serialize, ToSchema)]
pub(crate) struct AlarmEntry {
    id: i64,
    sn: String,
    #[schema(required)]
    first_name: Option<String>,
    #[schema(required)]
    last_name: Option<String>,
    /// battery_error, na_schutz, offline, meter_error, counter_stopped, update_failed or soc_floor.
    kind: &'static str,
    /// What that is called, in the caller's language.
    text: &'static str,
    /// What the household can do about it.
    next: &'static str,
    /// IANA name, of the site.
    time_zone: String,
    /// When it began to be wrong, in milliseconds since 1970, as the times below.
    since: Millis,
    opened_at: Millis,
    #[schema(required)]
    acknowledged_at: Option<Millis>,
    /// Who that was, in the caller's language: an electrician's company where there is one.
    #[schema(required)]
    acknowledged_by: Option<String>,
    #[schema(required)]
    closed_at: Option<Millis>,
    /// Whether the caller may acknowledge it, and it is open and nobody has.
    acknowledgeable: bool,
}

impl AlarmEntry {
    fn new(alarm: Alarm, access: &Access, lang: Lang) -> Self {
        let may = access.may(Right::Acknowledge);
        let who = alarm.acknowledged.as_ref().map(|acknowledged| {
            let word = match acknowledged.by == Some(access.account()) {
                true => "you",
                false => "person",
            };
            let company = acknowledged.company.clone().filter(|_| word == "person");
            company.unwrap_or_else(|| text(lang, "word", word).to_owned())
        });
        Self {
            id: alarm.id,
            sn: alarm.sn.to_string(),
            first_name: alarm.first_name,
            last_name: alarm.last_name,
            kind: alarm.kind.as_str(),
            text: alarm.kind.text(lang),
            next: alarm.kind.next_step(lang),
            time_zone: access.zone().name().to_owned(),
            since: alarm.since,
            opened_at: alarm.opened_at,
            acknowledgeable: may && alarm.acknowledged.is_none() && alarm.closed_at.is_none(),
            acknowledged_at: alarm.acknowledged.map(|acknowledged| acknowledged.at),
            acknowledged_by: who,
            closed_at: alarm.closed_at,
        }
    }
}

/// What is wrong with the caller's systems, and what was.
#[utoipa::path(get, path = "/api/auth/alarm/", operation_id = "list_alarms", tag = "alarms", params(AlarmQuery),
    responses((status = 200, body = Alarms), (status = 400, body = Problem),
        (status = 404, body = Refusal)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<AlarmQuery>,
) -> Result<Json<Alarms>> {
    let one = match systems.one_or_all(query.sn.trim())? {
        Selection::One(access) => Some(access),
        Selection::All(_) => None,
    };
    let mut errors = FieldErrors::default();
    let page = match query.page.as_str() {
        "" => Some(1),
        page => errors.check("page", page.parse().map_err(|_| Message::NumberInvalid)),
    };
    errors.into_result()?;
    let page = page.unwrap_or(1_usize).max(1);
    let (store, account, now) = (&portal.store, person.account, portal.now());
    let found = store.alarm_page(account, one, page - 1, now).await?;
    let lang = language(&headers);
    let entry = |alarm: Alarm| {
        let of = |access: &&Access| *access.sn() == alarm.sn;
        let access = systems.allowed.iter().find(of)?;
        Some(AlarmEntry::new(alarm, access, lang))
    };
    Ok(Json(Alarms {
        page,
        pages: found.total.div_ceil(ALARMS_PER_PAGE),
        total: found.total,
        alarms: found.alarms.into_iter().filter_map(entry).collect(),
        mail: store.alarm_mail(account).await?.into(),
    }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct Acknowledge {
    #[serde(default)]
    #[schema(required)]
    id: String,
}

/// Say that one has seen an alarm and takes care. It stays open until the fault is gone.
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
    let sn = portal.store.alarm_serial(id).await?;
    let sn = sn.ok_or(Error::not_found())?;
    let access = systems.find(sn.as_str())?;
    let alarm = portal.service.acknowledge_alarm(access, id).await?;
    let alarm = alarm.ok_or(Error::not_found())?;
    Ok(Json(AlarmEntry::new(alarm, access, language(&headers))))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ChooseAlarmMail {
    /// at_once, digest (once a day at 7) or never.
    #[serde(default)]
    #[schema(value_type = AlarmMailChoice, required)]
    mail: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ChosenAlarmMail {
    #[schema(inline)]
    mail: AlarmMailName,
}

/// Choose how to hear of alarms by mail.
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
