//! Events that batteries report, each stored once.
use crate::journal::NewEntry;
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::event::EventKind;
use domain::journal::JournalEvent;
use domain::sample::MessageId;
use domain::{Event, EventCode, Serial};
use std::collections::{HashMap, HashSet};

/// How many of the newest messages of each kind are served. The newest of each code is always included, however old it is, so
/// that others cannot displace an ongoing fault or the day of the next calibration. The journal has all of them.
pub const MAX_SERVED_PER_KIND: usize = 50;

/// An event with a known time, as shown to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    pub at: Millis,
    pub id: MessageId,
    pub code: EventCode,
    /// `true`: it began; `false`: it ended.
    pub on: bool,
    /// Details: the text of a JSON object.
    pub args: Option<String>,
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    at: Millis,
    boot: i64,
    seq: i64,
    code: String,
    begins: bool,
    args: Option<String>,
}

impl Row {
    fn event(self) -> Result<(Serial, LoggedEvent)> {
        let id = MessageId::from_stored(self.boot, self.seq);
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

/// Stores an event with its journal entry, and returns whether it was new. A late event from the previous household's time is not
/// stored, because no account may read it.
pub(crate) async fn insert(tx: &mut Tx, sn: &Serial, event: &Event, now: Millis) -> Result<bool> {
    let kept = execute!(
        tx,
        sqlx::query(
            "INSERT INTO events (sn, boot, seq, at, received_at, code, begins, args)
             SELECT s.sn, $2, $3, $4, $5, $6, $7, $8 FROM systems s WHERE s.sn = $1
                 AND CASE WHEN CAST($4 AS BIGINT) IS NULL THEN s.history_from = 0 OR EXISTS (SELECT 1 FROM boots b
                     WHERE b.sn = s.sn AND b.boot <= $9 AND b.started_at >= s.history_from)
                 ELSE $4 >= s.history_from END
             ON CONFLICT (sn, boot, seq) DO NOTHING"
        )
        .bind(sn.as_str())
        .bind(event.id.stored_boot())
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
        let event = JournalEvent::Battery {
            code: Some(event.code),
            on: event.on,
            args: serde_json::from_str(args).unwrap_or_default(),
        };
        NewEntry::by_battery(event, sn, at).write(tx).await?;
    }
    Ok(kept == 1)
}

/// Reduces the messages of one system, newest first, to those that are served.
pub fn retain_served(messages: &mut Vec<LoggedEvent>) {
    let mut of_kind: HashMap<EventKind, usize> = HashMap::new();
    let mut codes: HashSet<EventCode> = HashSet::new();
    messages.retain(|event| {
        let count = of_kind.entry(event.code.kind()).or_default();
        *count += 1;
        codes.insert(event.code) || *count <= MAX_SERVED_PER_KIND
    });
}

/// Codes as one text, each as `,code,`, for a search with LIKE.
fn codes(which: impl Fn(EventCode) -> bool) -> String {
    let codes = EventCode::ALL.into_iter().filter(|code| which(*code));
    codes.map(|code| format!(",{},", code.as_str())).collect()
}

/// The code lists that [`served!`] takes as parameters.
fn code_lists() -> [String; 3] {
    [
        codes(|code| code.kind() == EventKind::Protection),
        codes(|code| code.kind() == EventKind::BatteryError),
        codes(|code| !code.is_message()),
    ]
}

/// The events that [`retain_served`] would keep, newest first. `$1` lists the protection codes, `$2` the battery error codes,
/// `$3` the codes that are not messages.
macro_rules! served {
    ($which:expr) => {
        concat!(
            "SELECT sn, at, boot, seq, code, begins, args FROM (
                 SELECT k.*,
                     row_number() OVER (PARTITION BY sn, kind ORDER BY at DESC, boot DESC, seq DESC) AS place,
                     row_number() OVER (PARTITION BY sn, code ORDER BY at DESC, boot DESC, seq DESC) AS place_of_code
                 FROM (
                     SELECT e.*, CASE WHEN $1 LIKE '%,' || code || ',%' THEN 1 WHEN $2 LIKE '%,' || code || ',%' THEN 2
                         ELSE 3 END AS kind
                     FROM events e WHERE at IS NOT NULL AND $3 NOT LIKE '%,' || code || ',%'
                         AND sn", $which, ") k) ranked
             WHERE place <= $4 OR place_of_code = 1 ORDER BY sn, at DESC, boot DESC, seq DESC"
        )
    };
}

impl Store {
    /// The newest messages of these systems, newest first.
    pub async fn newest_events_of(
        &self,
        systems: &[Serial],
    ) -> Result<Vec<(Serial, Vec<LoggedEvent>)>> {
        match self.read_newest_events(systems).await {
            // Reads system by system, and leaves out the unreadable ones.
            Err(error) if error.is_damage() => {}
            all => return all,
        }
        let mut found = Vec::new();
        for sn in systems {
            let read = self.read_newest_events(std::slice::from_ref(sn)).await;
            found.extend(self.db.tolerate(read, "events", sn)?.into_iter().flatten());
        }
        Ok(found)
    }

    async fn read_newest_events(
        &self,
        systems: &[Serial],
    ) -> Result<Vec<(Serial, Vec<LoggedEvent>)>> {
        let [protection, errors, reasons] = code_lists();
        let rows: Vec<Row> = rows_of_systems!(
            self,
            served,
            5,
            systems,
            &protection,
            &errors,
            &reasons,
            MAX_SERVED_PER_KIND as i64
        )?;
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
}
