//! The journal of the caller's systems, newest entries first.
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

/// The most entries in one file.
const MAX_FILE_LINES: usize = 10_000;

#[derive(Deserialize, IntoParams)]
pub(crate) struct JournalQuery {
    /// One serial number, several separated by commas, or -1 (default) for all systems and the account itself.
    #[serde(default)]
    #[param(value_type = SystemsOrAll)]
    sn: String,
    /// The page number, starting at 1 (default).
    #[serde(default)]
    #[param(value_type = PageNumber)]
    page: String,
    /// settings, command, update, battery, access, account or operator; several separated by commas. Default: every kind.
    #[serde(default)]
    #[param(value_type = EntryKinds)]
    kind: String,
    /// Only entries of this actor: you, person, battery, operator or portal.
    #[serde(default)]
    #[param(value_type = ActorChoice)]
    actor: String,
    /// The first day, `YYYY-MM-DD` in the site's time zone.
    #[serde(default)]
    #[param(value_type = Day)]
    from: String,
    /// The last day, included.
    #[serde(default)]
    #[param(value_type = Day)]
    to: String,
    /// `json` (default) returns one page, `csv` a file with all entries. `Accept-Language` sets the number format of the file.
    #[serde(default)]
    #[param(value_type = FileFormat)]
    format: String,
}

/// A page of ten entries, newest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct JournalBody {
    page: usize,
    pages: usize,
    /// The number of entries on all pages.
    total: usize,
    lines: Vec<JournalLine>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct JournalLine {
    id: i64,
    /// When it happened; Unix time in milliseconds.
    at: Millis,
    /// `YYYY-MM-DD HH:MM:SS` in the site's local time.
    time: String,
    /// The serial number of the system. Null if the entry concerns the account only.
    sn: Option<String>,
    /// settings, command, update, battery, access, account or operator.
    kind: &'static str,
    /// The stable name of the event.
    event: &'static str,
    /// Who acted: you, person, battery, operator or portal.
    actor: &'static str,
    /// The name of the actor, in the caller's language. For an electrician, the company's name if there is one.
    who: String,
    /// What happened, as a sentence in the caller's language.
    text: String,
    /// For a changed setting: its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'static str>,
    /// For a changed setting: the old value.
    #[serde(skip_serializing_if = "Value::is_null")]
    from: Value,
    /// For a changed setting: the new value.
    #[serde(skip_serializing_if = "Value::is_null")]
    to: Value,
}

/// List journal entries: who changed what, and why the battery acted.
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
    /// Whether the answer is a file with all entries.
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

/// The time zone of the first system, by which days are counted.
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

    /// The entry as far as the reader may see it. Electricians see that a price was changed, but not which one.
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
