//! What happened at a battery, once each.
use crate::db::Tx;
use crate::journal::Entry;
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Event, EventCode, Serial};
use serde_json::{Value, json};

/// How many of the newest messages of a system are served.
pub const SERVED: usize = 50;

/// An event with a time, as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    pub at: Millis,
    pub id: MessageId,
    pub code: EventCode,
    /// It began, or (`false`) it is over.
    pub on: bool,
    /// Details: a JSON object as text, or nothing.
    pub args: Option<String>,
}

#[derive(Debug)]
struct Row {
    sn: String,
    at: Millis,
    boot: i64,
    seq: i64,
    code: String,
    begins: bool,
    args: Option<String>,
}
row!(Row {
    sn,
    at,
    boot,
    seq,
    code,
    begins,
    args
});

impl Row {
    fn event(self) -> Result<(Serial, LoggedEvent)> {
        let id = MessageId::of_kept(self.boot, self.seq);
        let event = LoggedEvent {
            at: self.at,
            id: id.ok_or(Error::Damaged("events.boot, seq"))?,
            code: self
                .code
                .parse()
                .map_err(|_| Error::Damaged("events.code"))?,
            on: self.begins,
            args: self.args,
        };
        Ok((
            self.sn.parse().map_err(|_| Error::Damaged("events.sn"))?,
            event,
        ))
    }
}

/// Whether it was new; then it also has its line in the journal.
pub(crate) async fn keep(tx: &mut Tx, sn: &Serial, event: &Event, now: Millis) -> Result<bool> {
    let kept = execute!(
        tx,
        sqlx::query(
            "INSERT INTO events (sn, boot, seq, at, received_at, code, begins, args)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (sn, boot, seq) DO NOTHING"
        )
        .bind(sn.as_str())
        .bind(event.id.kept_boot())
        .bind(i64::from(event.id.seq))
        .bind(event.at)
        .bind(now)
        .bind(event.code.as_str())
        .bind(event.on)
        .bind(event.args.as_deref())
    )?;
    if let (1, Some(at)) = (kept, event.at) {
        let args = event.args.as_deref().unwrap_or("null");
        let args: Value = serde_json::from_str(args).unwrap_or_default();
        let detail = json!({ "code": event.code.as_str(), "on": event.on, "args": args });
        let line = Entry::by_battery(crate::journal::Event::Battery, sn, at);
        line.with(detail).write(tx).await?;
    }
    Ok(kept == 1)
}

/// The codes that are no messages, as a condition.
fn reasons() -> String {
    let reasons = EventCode::REASONS.map(|code| format!(",{},", code.as_str()));
    reasons.concat()
}

impl Store {
    /// The newest messages of every system, newest first.
    pub async fn newest_events(&self) -> Result<Vec<(Serial, LoggedEvent)>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, at, boot, seq, code, begins, args FROM (
                 SELECT e.*, row_number() OVER (PARTITION BY sn ORDER BY at DESC, boot DESC, seq DESC) AS place
                 FROM events e WHERE at IS NOT NULL AND $2 NOT LIKE '%,' || code || ',%') ranked
             WHERE place <= $1 ORDER BY sn, place")
            .bind(SERVED as i64).bind(reasons()).fetch_all(p).await)?;
        rows.into_iter().map(Row::event).collect()
    }

    /// The newest messages of one system, newest first.
    pub async fn newest_events_of(&self, sn: &Serial) -> Result<Vec<LoggedEvent>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, at, boot, seq, code, begins, args FROM events
             WHERE sn = $1 AND at IS NOT NULL AND $3 NOT LIKE '%,' || code || ',%'
             ORDER BY at DESC, boot DESC, seq DESC LIMIT $2")
            .bind(sn.as_str()).bind(SERVED as i64).bind(reasons()).fetch_all(p).await)?;
        rows.into_iter().map(|row| Ok(row.event()?.1)).collect()
    }
}
