//! What happened to the caller's systems and why, newest first.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::csv::{self, CsvStyle, CsvTable};
use crate::error::{FieldErrors, Problem, Refusal, Result, language};
use crate::form::Query;
use crate::parameter::{ActorChoice, Day, EntryKinds, FileFormat, PageNumber, SystemsOrAll};
use crate::period::date;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use domain::aggregate::ALL_SYSTEMS;
use domain::clock::Millis;
use domain::journal::{EntryKind, JournalEvent};
use domain::message::text;
use domain::setting::Field;
use domain::{Lang, Message, Role, Zone};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Access;
use store::journal::{ENTRIES_PER_PAGE, EntryFilter, JournalPage, PageActor, PageEntry};
use utoipa::{IntoParams, ToSchema};

/// The most entries that a file contains.
const MAX_FILE_LINES: usize = 10_000;

#[derive(Deserialize, IntoParams)]
pub(crate) struct JournalQuery {
    /// A serial number, several by comma, or -1 (default) for all systems and the account itself.
    #[serde(default)]
    #[param(value_type = SystemsOrAll)]
    sn: String,
    /// The first is 1.
    #[serde(default)]
    #[param(value_type = PageNumber)]
    page: String,
    /// settings, command, battery, access, account, operator; several by comma, every kind when missing.
    #[serde(default)]
    #[param(value_type = EntryKinds)]
    kind: String,
    /// you, person, battery, operator or portal.
    #[serde(default)]
    #[param(value_type = ActorChoice)]
    actor: String,
    /// First day, `YYYY-MM-DD` of the site's calendar.
    #[serde(default)]
    #[param(value_type = Day)]
    from: String,
    /// Last day.
    #[serde(default)]
    #[param(value_type = Day)]
    to: String,
    /// `json` (default) gives a page, `csv` every line as a file, with `Accept-Language` for the spreadsheets of that language.
    #[serde(default)]
    #[param(value_type = FileFormat)]
    format: String,
}

/// Ten lines, newest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct JournalBody {
    page: usize,
    pages: usize,
    total: usize,
    lines: Vec<JournalLine>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct JournalLine {
    id: i64,
    at: Millis,
    /// `YYYY-MM-DD HH:MM:SS` on the site's clock.
    time: String,
    sn: Option<String>,
    kind: &'static str,
    event: &'static str,
    /// you, person, battery, operator or portal …
    actor: &'static str,
    /// … and who that is, in the caller's language: an electrician's company where there is one.
    who: String,
    /// What happened, as a sentence.
    text: String,
    /// Of a setting: which …
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    /// … from which value …
    #[serde(skip_serializing_if = "Value::is_null")]
    from: Value,
    /// … to which.
    #[serde(skip_serializing_if = "Value::is_null")]
    to: Value,
}

/// What happened and why: who changed what, and why the battery acted.
#[utoipa::path(get, path = "/api/auth/journal/", tag = "journal", params(JournalQuery),
    responses((status = 200, content((JournalBody = "application/json"), (String = "text/csv"))),
        (status = 400, body = Problem), (status = 404, body = Refusal)))]
pub(crate) async fn journal(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<JournalQuery>,
) -> Result<Response> {
    let chosen: Vec<Access> = systems
        .list_or_all(&query.sn)?
        .into_iter()
        .cloned()
        .collect();
    let filter = Filter::read(&query, &chosen, portal.now())?;
    let wanted = EntryFilter {
        account: person.account,
        systems: &chosen,
        own: matches!(query.sn.trim(), "" | ALL_SYSTEMS),
        only_present: person.role == Role::Electrician,
        kinds: &filter.kinds,
        who: filter.who,
        from: filter.from,
        until: filter.until,
    };
    let formatter = LineFormatter {
        systems: &chosen,
        sees_money: person.role != Role::Electrician,
        lang: language(&headers),
    };
    if filter.csv {
        let found = portal
            .store
            .journal_page(&wanted, 0, MAX_FILE_LINES)
            .await?;
        let table = formatter.table(&found, CsvStyle::for_caller(&headers));
        return Ok(csv::file("suncellar_journal.csv", table));
    }
    let found = portal
        .store
        .journal_page(&wanted, filter.page, ENTRIES_PER_PAGE)
        .await?;
    let body = JournalBody {
        page: filter.page + 1,
        pages: found.total.div_ceil(ENTRIES_PER_PAGE),
        total: found.total,
        lines: found
            .entries
            .iter()
            .map(|line| formatter.line(line))
            .collect(),
    };
    Ok(Json(body).into_response())
}

/// The parsed filter of a query, each part validated.
struct Filter {
    /// As a file, with every line.
    csv: bool,
    page: usize,
    kinds: Vec<EntryKind>,
    who: Option<PageActor>,
    from: Millis,
    until: Millis,
}

impl Filter {
    fn read(query: &JournalQuery, systems: &[Access], now: Millis) -> Result<Self> {
        let zone = zone(systems);
        let mut errors = FieldErrors::default();
        let page = match query.page.as_str() {
            "" => Some(1),
            page => errors.check("page", page.parse().map_err(|_| Message::NumberInvalid)),
        };
        let kinds = query.kind.split(',').filter(|name| !name.is_empty());
        let kinds: std::result::Result<Vec<EntryKind>, Message> = kinds.map(kind).collect();
        let kinds = errors.check("kind", kinds);
        let who = match query.actor.as_str() {
            "" => Some(None),
            name => {
                let known = PageActor::ALL.into_iter().find(|who| who.as_str() == name);
                errors.check("actor", known.map(Some).ok_or(Message::ChoiceUnknown))
            }
        };
        let mut day = |name: &'static str, text: &str| match text {
            "" => None,
            text => errors.check(name, date(text, &zone, now)),
        };
        let (from, to) = (day("from", &query.from), day("to", &query.to));
        let csv = errors.check("format", csv::is_wanted(&query.format));
        errors.into_result()?;
        Ok(Self {
            csv: csv.unwrap_or_default(),
            page: page.unwrap_or(1_usize).saturating_sub(1),
            kinds: kinds.unwrap_or_default(),
            who: who.flatten(),
            from: from.map_or(Millis::MIN, |day| zone.start_of(day)),
            until: to.map_or(Millis::MAX, |day| zone.start_of(day.next())),
        })
    }
}

fn kind(name: &str) -> std::result::Result<EntryKind, Message> {
    let known = EntryKind::ALL
        .into_iter()
        .find(|kind| kind.as_str() == name.trim());
    known.ok_or(Message::ChoiceUnknown)
}

/// Days are those of the first system.
fn zone(systems: &[Access]) -> Zone {
    let first = systems.first();
    first.map_or_else(Zone::default, |access| access.zone().clone())
}

/// Formats entries for one reader.
struct LineFormatter<'a> {
    systems: &'a [Access],
    sees_money: bool,
    lang: Lang,
}

impl LineFormatter<'_> {
    fn zone(&self, line: &PageEntry) -> Zone {
        let of = |access: &&Access| Some(access.sn()) == line.sn.as_ref();
        let found = self.systems.iter().find(of);
        found.map_or_else(|| zone(self.systems), |access| access.zone().clone())
    }

    fn who(&self, line: &PageEntry) -> String {
        let name = text(self.lang, "word", line.who.as_str());
        line.company.clone().unwrap_or_else(|| name.to_owned())
    }

    /// What the reader may know. Electricians learn that a price was changed, but not which one.
    fn event(&self, line: &PageEntry) -> JournalEvent {
        match line.event.is_about_money() && !self.sees_money {
            true => line.event.without_detail(),
            false => line.event.clone(),
        }
    }

    fn line(&self, line: &PageEntry) -> JournalLine {
        let event = self.event(line);
        let (kind, name, text) = (event.kind(), event.name(), event.describe(self.lang));
        let (field, from, to) = match event {
            JournalEvent::SettingChanged {
                field, from, to, ..
            } => (field, from, to),
            JournalEvent::SettingRefused { field, .. } => (field, Value::Null, Value::Null),
            _ => (None, Value::Null, Value::Null),
        };
        JournalLine {
            id: line.id,
            at: line.at,
            time: self.zone(line).clock_text(line.at),
            sn: line.sn.as_ref().map(ToString::to_string),
            kind: kind.as_str(),
            event: name,
            actor: line.who.as_str(),
            who: self.who(line),
            text,
            field: field.map(Field::name),
            from,
            to,
        }
    }

    fn table(&self, found: &JournalPage, style: CsvStyle) -> Vec<u8> {
        let mut table = CsvTable::new(style);
        for name in ["site_time", "utc", "sn", "who", "what"] {
            table.text(text(self.lang, "csv", name));
        }
        table.end_row();
        for line in &found.entries {
            table.moment(&self.zone(line), line.at);
            table.text(line.sn.as_ref().map_or("", |sn| sn.as_str()));
            table.text(&self.who(line));
            table.text(&self.event(line).describe(self.lang));
            table.end_row();
        }
        table.into_bytes()
    }
}
