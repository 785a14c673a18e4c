//! Lines of the journal as people read them: the newest first, a page at a time.
use super::{Event, Kind};
use crate::{Access, Error, Result, Store};
use domain::clock::Millis;
use domain::grant::Right;
use domain::{AccountId, Serial};
use serde_json::Value;

/// Lines on a page.
pub const PAGE: usize = 10;

/// Which lines somebody looks for.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    pub account: AccountId,
    /// Lines about these systems, of the present household: everybody's, or the account's own where it may not read the others.
    pub systems: &'a [Access],
    /// And what the account did that is about none of its systems.
    pub own: bool,
    /// An electrician's work at a system is not to be read any more when the grant has ended.
    pub only_present: bool,
    /// Of these kinds; of every kind when empty.
    pub kinds: &'a [Kind],
    pub who: Option<Who>,
    pub from: Millis,
    /// Excluded.
    pub until: Millis,
}

/// Who did something, seen by somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    You,
    /// Somebody else with access.
    Person,
    Battery,
    Operator,
    Portal,
}

impl Who {
    pub const ALL: [Self; 5] = [
        Self::You,
        Self::Person,
        Self::Battery,
        Self::Operator,
        Self::Portal,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::You => "you",
            Self::Person => "person",
            Self::Battery => "battery",
            Self::Operator => "operator",
            Self::Portal => "portal",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct JournalPage {
    pub total: usize,
    pub lines: Vec<PageLine>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PageLine {
    pub id: i64,
    pub at: Millis,
    pub sn: Option<Serial>,
    pub who: Who,
    /// Of an electrician who did it.
    pub company: Option<String>,
    pub kind: Kind,
    pub event: &'static str,
    pub detail: Value,
}

#[derive(Debug)]
struct Row {
    id: i64,
    at: Millis,
    account_id: Option<i64>,
    actor: String,
    sn: Option<String>,
    event: String,
    detail: String,
    company: Option<String>,
}
row!(Row {
    id,
    at,
    account_id,
    actor,
    sn,
    event,
    detail,
    company
});

/// Everything after SELECT: $1 the account, $2 the systems of which it reads everything, $8 those of which it reads what it did
/// itself, $7 whether what is about none of them is wanted and $9 whether of that only what is about no system at all, $3 events,
/// $4 who, $5 and $6 the time. A household's lines begin after the moment in which the one before it left, as its leaving has
/// a line of that moment. Lists are written `,a,b,`; an empty list of events means every one.
macro_rules! select {
    ($columns:literal, $end:literal) => {
        concat!(
            "SELECT ", $columns, " FROM (
                 SELECT j.* FROM systems y JOIN journal j ON j.sn = y.sn AND j.at > y.history_from
                 WHERE y.sn IN (SELECT sn FROM systems WHERE owner_id = $1 UNION SELECT sn FROM grants WHERE account_id = $1)
                     AND ($2 LIKE '%,' || y.sn || ',%' OR (j.account_id = $1 AND $8 LIKE '%,' || y.sn || ',%'))
                 UNION ALL
                 SELECT j.* FROM journal j WHERE $7 AND j.account_id = $1 AND (j.sn IS NULL OR NOT $9)
                     AND (j.sn IS NULL OR NOT ($10 LIKE '%,' || j.sn || ',%'))
             ) j LEFT JOIN accounts a ON a.id = j.account_id
             WHERE j.at >= $5 AND j.at < $6
                 AND ($3 = '' OR $3 LIKE '%,' || j.event || ',%')
                 AND ($4 = '' OR $4 = CASE WHEN j.actor <> 'person' THEN j.actor
                     WHEN j.account_id = $1 THEN 'you' ELSE 'person' END) ", $end
        )
    };
}

impl Store {
    /// Page `page`, the first being 0, of `size` lines.
    pub async fn journal_page(
        &self,
        wanted: &Wanted<'_>,
        page: usize,
        size: usize,
    ) -> Result<JournalPage> {
        let systems = |whole: bool| {
            let of = wanted.systems.iter();
            let of = of.filter(move |access| access.may(Right::WholeJournal) == whole);
            list(of.map(|access| access.sn().as_str()))
        };
        let (whole, partly) = (systems(true), systems(false));
        let all = format!("{whole}{partly}");
        let of_kind = |event: &&Event| wanted.kinds.contains(&event.kind());
        let events = Event::ALL
            .iter()
            .filter(of_kind)
            .map(|event| event.as_str());
        let events = list(events);
        let who = wanted.who.map_or("", Who::as_str);
        let total: i64 = on!(self, p => sqlx::query_scalar(select!("count(*)", ""))
            .bind(wanted.account.0).bind(&whole).bind(&events).bind(who).bind(wanted.from).bind(wanted.until)
            .bind(wanted.own).bind(&partly).bind(wanted.only_present).bind(&all).fetch_one(p).await)?;
        let offset = i64::try_from(page.saturating_mul(size)).unwrap_or(i64::MAX);
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "j.id, j.at, j.account_id, j.actor, j.sn, j.event, j.detail, a.company",
            "ORDER BY j.at DESC, j.id DESC LIMIT $11 OFFSET $12"))
            .bind(wanted.account.0).bind(&whole).bind(&events).bind(who).bind(wanted.from).bind(wanted.until)
            .bind(wanted.own).bind(&partly).bind(wanted.only_present).bind(&all).bind(i64::try_from(size).unwrap_or(i64::MAX)).bind(offset).fetch_all(p).await)?;
        Ok(JournalPage {
            total: usize::try_from(total).unwrap_or(0),
            lines: rows
                .into_iter()
                .map(|row| row.line(wanted.account))
                .collect::<Result<_>>()?,
        })
    }
}

impl Row {
    fn line(self, reader: AccountId) -> Result<PageLine> {
        let event = Event::ALL.iter().find(|event| event.as_str() == self.event);
        let event = event.ok_or(Error::Damaged("journal.event"))?;
        let who = match self.actor.as_str() {
            "person" if self.account_id == Some(reader.0) => Who::You,
            "person" => Who::Person,
            "battery" => Who::Battery,
            "operator" => Who::Operator,
            "portal" => Who::Portal,
            _ => return Err(Error::Damaged("journal.actor")),
        };
        let sn = self.sn.map(|sn| sn.parse()).transpose();
        Ok(PageLine {
            id: self.id,
            at: self.at,
            sn: sn.map_err(|_| Error::Damaged("journal.sn"))?,
            who,
            company: self.company.filter(|_| who == Who::Person),
            kind: event.kind(),
            event: event.as_str(),
            detail: serde_json::from_str(&self.detail)
                .map_err(|_| Error::Damaged("journal.detail"))?,
        })
    }
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for item in items {
        text.push_str(if text.is_empty() { "," } else { "" });
        text.push_str(item);
        text.push(',');
    }
    text
}
