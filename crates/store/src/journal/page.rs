//! Journal entries for readers, newest first and page by page.
use super::Actor;
use crate::company::author;
use crate::{Access, Error, Result, Store};
use db::FromRow;
use domain::clock::Millis;
use domain::grant::Right;
use domain::journal::{EntryKind, JournalEvent, JournalEventName};
use domain::names::variants;
use domain::{AccountId, Serial};
use strum::{IntoStaticStr, VariantArray};

pub const ENTRIES_PER_PAGE: usize = 10;

/// Which entries to read.
#[derive(Clone, Debug)]
pub struct EntryFilter<'a> {
    pub account: AccountId,
    /// Entries about these systems since the present household began. Where the account may not read the whole journal, only its
    /// own entries and those of its company.
    pub systems: &'a [Access],
    /// Also entries by the account about none of these systems and, for a company's owner, about its members.
    pub own: bool,
    /// Leaves out an electrician's work at systems to which the grant has ended.
    pub only_present: bool,
    /// Entries of these kinds; of every kind if empty.
    pub kinds: &'a [EntryKind],
    pub who: Option<PageActor>,
    pub from: Millis,
    /// Exclusive.
    pub until: Millis,
}

/// The actor, from the reader's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum PageActor {
    You,
    /// Another person with access.
    Person,
    Battery,
    Operator,
    Portal,
}

impl PageActor {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct JournalPage {
    pub total: usize,
    pub entries: Vec<PageEntry>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PageEntry {
    pub id: i64,
    pub at: Millis,
    pub sn: Option<Serial>,
    pub who: PageActor,
    /// The name and the company, if an electrician did it.
    pub company: Option<String>,
    pub event: JournalEvent,
}

#[derive(Debug, FromRow)]
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

/// Everything after SELECT. Parameters:
/// $1 the account, $2 the systems where it reads all entries, $8 those where it reads its own and its company's, $10 both lists,
/// $7 whether to add its entries about none of these systems, $9 whether to restrict these to entries about no system at all,
/// $3 events, $4 who, $5 and $6 the time. Lists are written `,a,b,`; an empty list of events means all.
/// The entries of a household begin after the moment when the previous one left, since that leaving has an entry with that time.
macro_rules! select {
    ($columns:expr, $end:literal) => {
        concat!(
            "SELECT ", $columns, " FROM (
                 SELECT j.* FROM systems y JOIN journal j ON j.sn = y.sn AND j.at > y.history_from
                 WHERE y.sn IN (SELECT sn FROM systems WHERE owner_id = $1 UNION SELECT sn FROM held_grants WHERE account_id = $1)
                     AND ($2 LIKE '%,' || y.sn || ',%' OR ($8 LIKE '%,' || y.sn || ',%'
                         AND (j.account_id = $1 OR j.company_id = (SELECT company_id FROM accounts WHERE id = $1))))
                 UNION ALL
                 SELECT j.* FROM journal j WHERE $7 AND j.account_id = $1 AND (j.sn IS NULL OR NOT $9)
                     AND (j.sn IS NULL OR NOT ($10 LIKE '%,' || j.sn || ',%'))
                 UNION ALL
                 SELECT j.* FROM journal j WHERE $7 AND j.event LIKE 'company_%' AND j.account_id IS DISTINCT FROM $1
                     AND j.company_id = (SELECT company_id FROM accounts WHERE id = $1 AND company_role = 'owner')
             ) j LEFT JOIN accounts a ON a.id = j.account_id LEFT JOIN companies c ON c.id = j.company_id
             WHERE j.at >= $5 AND j.at < $6
                 AND ($3 = '' OR $3 LIKE '%,' || j.event || ',%')
                 AND ($4 = '' OR $4 = CASE WHEN j.actor <> 'person' THEN j.actor
                     WHEN j.account_id = $1 THEN 'you' ELSE 'person' END) ", $end
        )
    };
}

impl Store {
    /// Page `page`, counted from 0, with `size` entries per page.
    pub async fn journal_page(
        &self,
        filter: &EntryFilter<'_>,
        page: usize,
        size: usize,
    ) -> Result<JournalPage> {
        let systems = |whole: bool| {
            let of = filter.systems.iter();
            let of = of.filter(move |access| access.may(Right::WholeJournal) == whole);
            list(of.map(|access| access.sn().as_str()))
        };
        let (whole, partly) = (systems(true), systems(false));
        let all = format!("{whole}{partly}");
        let of_kind = |event: &&JournalEventName| filter.kinds.contains(&event.kind());
        let events = JournalEventName::ALL.iter().filter(of_kind);
        let events = list(events.map(|event| event.as_str()));
        let who = filter.who.map_or("", PageActor::as_str);
        let total: i64 = on!(self, p => sqlx::query_scalar(select!("count(*)", ""))
            .bind(filter.account.0).bind(&whole).bind(&events).bind(who).bind(filter.from).bind(filter.until)
            .bind(filter.own).bind(&partly).bind(filter.only_present).bind(&all).fetch_one(p).await)?;
        let offset = i64::try_from(page.saturating_mul(size)).unwrap_or(i64::MAX);
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            concat!("j.id, j.at, j.account_id, j.actor, j.sn, j.event, j.detail, ", author!("a", "c"), " AS company"),
            "ORDER BY j.at DESC, j.id DESC LIMIT $11 OFFSET $12"))
            .bind(filter.account.0).bind(&whole).bind(&events).bind(who).bind(filter.from).bind(filter.until)
            .bind(filter.own).bind(&partly).bind(filter.only_present).bind(&all).bind(i64::try_from(size).unwrap_or(i64::MAX)).bind(offset).fetch_all(p).await)?;
        Ok(JournalPage {
            total: usize::try_from(total).unwrap_or(0),
            entries: rows
                .into_iter()
                .map(|row| row.line(filter.account))
                .collect::<Result<_>>()?,
        })
    }
}

impl Row {
    fn line(self, reader: AccountId) -> Result<PageEntry> {
        let detail = serde_json::from_str(&self.detail);
        let detail = detail.map_err(|_| Error::Damaged("journal.detail"))?;
        let event = JournalEvent::parse(&self.event, &detail);
        let who = match self.actor.parse() {
            Ok(Actor::Person) if self.account_id == Some(reader.0) => PageActor::You,
            Ok(Actor::Person) => PageActor::Person,
            Ok(Actor::Battery) => PageActor::Battery,
            Ok(Actor::Operator) => PageActor::Operator,
            Ok(Actor::Portal) => PageActor::Portal,
            Err(_) => return Err(Error::Damaged("journal.actor")),
        };
        let sn = self.sn.map(|sn| sn.parse()).transpose();
        Ok(PageEntry {
            id: self.id,
            at: self.at,
            sn: sn.map_err(|_| Error::Damaged("journal.sn"))?,
            who,
            company: self.company.filter(|_| who == PageActor::Person),
            event: event.ok_or(Error::Damaged("journal.event"))?,
        })
    }
}

/// `,a,b,`, for LIKE.
pub(super) fn list<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for item in items {
        text.push_str(if text.is_empty() { "," } else { "" });
        text.push_str(item);
        text.push(',');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Lang;
    use domain::message::text;

    #[test]
    fn everybody_who_does_something_has_a_name_in_every_language() {
        for lang in Lang::ALL {
            for who in PageActor::ALL {
                assert!(!text(lang, "word", who.as_str()).is_empty(), "{who:?}");
            }
        }
    }
}
