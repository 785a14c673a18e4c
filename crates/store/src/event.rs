//! What happened at a battery, once each.
use crate::db::Tx;
use crate::journal::Entry;
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::event::EventKind;
use domain::sample::MessageId;
use domain::{Event, EventCode, Serial};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// How many of the newest messages of each kind are served. The newest of each code is always among them, however old it is:
/// a fault that goes on and the day of the next calibration are not pushed out by others. The journal has them all.
pub const SERVED_OF_A_KIND: usize = 50;

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

/// Whether it was new; then it also has its line in the journal. What a battery tells late of the household before is
/// nobody's to read, and not kept.
pub(crate) async fn keep(tx: &mut Tx, sn: &Serial, event: &Event, now: Millis) -> Result<bool> {
    let kept = execute!(
        tx,
        sqlx::query(
            "INSERT INTO events (sn, boot, seq, at, received_at, code, begins, args)
             SELECT s.sn, $2, $3, $4, $5, $6, $7, $8 FROM systems s WHERE s.sn = $1
                 AND CASE WHEN $4 IS NULL THEN s.history_from = 0 OR EXISTS (SELECT 1 FROM boots b
                     WHERE b.sn = s.sn AND b.boot <= $9 AND b.started_at >= s.history_from)
                 ELSE $4 >= s.history_from END
             ON CONFLICT (sn, boot, seq) DO NOTHING"
        )
        .bind(sn.as_str())
        .bind(event.id.kept_boot())
        .bind(i64::from(event.id.seq))
        .bind(event.at)
        .bind(now)
        .bind(event.code.as_str())
        .bind(event.on)
        .bind(event.args.as_deref())
        .bind(i64::from(event.id.boot))
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

/// Leaves what is served of the messages of one system, newest first.
pub fn keep_served(messages: &mut Vec<LoggedEvent>) {
    let mut of_kind: HashMap<EventKind, usize> = HashMap::new();
    let mut codes: HashSet<EventCode> = HashSet::new();
    messages.retain(|event| {
        let count = of_kind.entry(event.code.kind()).or_default();
        *count += 1;
        codes.insert(event.code) || *count <= SERVED_OF_A_KIND
    });
}

/// Codes as a text in which SQL finds each by its name.
fn codes(which: impl Fn(EventCode) -> bool) -> String {
    let codes = EventCode::ALL.into_iter().filter(|code| which(*code));
    codes.map(|code| format!(",{},", code.as_str())).collect()
}

/// For [`served!`].
fn code_lists() -> [String; 3] {
    [
        codes(|code| code.kind() == EventKind::Protection),
        codes(|code| code.kind() == EventKind::BatteryError),
        codes(|code| !code.is_message()),
    ]
}

/// What [`keep_served`] leaves, newest first. `$1` has the codes of the protection, `$2` of battery errors, `$3` those that are no
/// messages.
macro_rules! served {
    ($of:literal) => {
        concat!(
            "SELECT sn, at, boot, seq, code, begins, args FROM (
                 SELECT k.*,
                     row_number() OVER (PARTITION BY sn, kind ORDER BY at DESC, boot DESC, seq DESC) AS place,
                     row_number() OVER (PARTITION BY sn, code ORDER BY at DESC, boot DESC, seq DESC) AS place_of_code
                 FROM (
                     SELECT e.*, CASE WHEN $1 LIKE '%,' || code || ',%' THEN 1 WHEN $2 LIKE '%,' || code || ',%' THEN 2
                         ELSE 3 END AS kind
                     FROM events e WHERE at IS NOT NULL AND $3 NOT LIKE '%,' || code || ',%'", $of, ") k) ranked
             WHERE place <= $4 OR place_of_code = 1 ORDER BY sn, at DESC, boot DESC, seq DESC"
        )
    };
}

impl Store {
    /// The newest messages of every system, newest first.
    pub async fn newest_events(&self) -> Result<Vec<(Serial, Vec<LoggedEvent>)>> {
        match self.all_newest_events().await {
            // Those that can be read, one by one.
            Err(error) if error.is_damage() => {}
            all => return all,
        }
        let mut found = Vec::new();
        for sn in self.serials().await? {
            let events = self.tolerate(self.newest_events_of(&sn).await, "events", &sn)?;
            found.extend(events.map(|events| (sn, events)));
        }
        Ok(found)
    }

    async fn all_newest_events(&self) -> Result<Vec<(Serial, Vec<LoggedEvent>)>> {
        let [protection, errors, reasons] = code_lists();
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(served!(""))
            .bind(protection).bind(errors).bind(reasons).bind(SERVED_OF_A_KIND as i64).fetch_all(p).await)?;
        let mut systems: Vec<(Serial, Vec<LoggedEvent>)> = Vec::new();
        for row in rows {
            let (sn, event) = row.event()?;
            match systems.last_mut().filter(|(last, _)| *last == sn) {
                Some((_, events)) => events.push(event),
                None => systems.push((sn, vec![event])),
            }
        }
        Ok(systems)
    }

    /// The newest messages of one system, newest first.
    pub async fn newest_events_of(&self, sn: &Serial) -> Result<Vec<LoggedEvent>> {
        let [protection, errors, reasons] = code_lists();
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(served!(" AND sn = $5"))
            .bind(protection).bind(errors).bind(reasons).bind(SERVED_OF_A_KIND as i64).bind(sn.as_str())
            .fetch_all(p).await)?;
        rows.into_iter().map(|row| Ok(row.event()?.1)).collect()
    }
}
