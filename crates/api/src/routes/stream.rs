//! What changes, as server-sent events: live data (the same document as `data/`, first of all systems that the caller has
//! not seen as they are, then of those that change), settings, and commands.
use crate::Portal;
use crate::access::Person;
use crate::error::{Error, Refusal, Result, language};
use crate::flag_sets::NamedFlags;
use crate::form::Query;
use crate::live::{self, Words};
use crate::own::Systems;
use crate::routes::command::CommandBody;
use crate::routes::settings;
use crate::serve::Stopping;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bus::{Changed, Changes, Part};
use domain::clock::{MINUTE, Millis, SECOND};
use domain::grant::{Level, Right};
use domain::together::ALL_SYSTEMS;
use domain::{CommandId, Message, Serial};
use futures_util::stream;
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use store::Access;
use store::session::SessionId;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until};
use tokio_util::sync::CancellationToken;
use utoipa::IntoParams;

/// Windows of one login that may be open at once.
const PER_SESSION: usize = 6;
/// Batteries are asked for more than their usual reports for this long at a time.
const WATCH: Millis = MINUTE;
/// A caller who has seen everything up to a moment may still have missed what changed so shortly before it: what shared an
/// event that was never sent, or went through another process, whose clock is not quite this one.
const SLACK: Millis = 5 * SECOND;

/// How a stream moves; other figures only in tests.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Changes within this time share an event.
    pub gather: Duration,
    /// A silent stream says this often that it lives.
    pub keep_alive: Duration,
    /// How often it is asked whether the session still is.
    pub recheck: Duration,
    /// The beginning tells of so many systems at a time: one event of thousands would hold up a browser, and this process.
    pub at_once: usize,
    /// More systems than this on screen are a list, and live by the usual reports: thousands at 2 s would be work for
    /// everybody and news for nobody.
    pub most_watched: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            gather: Duration::from_secs(1),
            keep_alive: Duration::from_secs(15),
            recheck: Duration::from_secs(4),
            at_once: 250,
            most_watched: 50,
        }
    }
}

/// How many answers without an end in sight each session has open: streams, or exports.
#[derive(Clone, Debug)]
pub(crate) struct Streams {
    max_per_session: usize,
    refusal: Message,
    open: Arc<Mutex<HashMap<SessionId, usize>>>,
}

impl Streams {
    pub(crate) fn live() -> Self {
        Self::new(PER_SESSION, Message::TooManyStreams)
    }

    pub(crate) fn new(max_per_session: usize, refusal: Message) -> Self {
        Self {
            max_per_session,
            refusal,
            open: Arc::default(),
        }
    }

    pub(crate) fn open(&self, session: SessionId) -> Result<Place> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(session).or_default();
        if *count >= self.max_per_session {
            return Err(Error::Refused(StatusCode::TOO_MANY_REQUESTS, self.refusal));
        }
        *count += 1;
        drop(open);
        Ok(Place {
            streams: self.clone(),
            session,
        })
    }
}

/// An open stream's place; free again when it is dropped.
pub(crate) struct Place {
    streams: Streams,
    session: SessionId,
}

impl Drop for Place {
    fn drop(&mut self) {
        let streams = &self.streams.open;
        let mut open = streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.session) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.session);
            }
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct StreamQuery {
    /// The systems that are on screen, separated by commas; without it all of them. Their batteries are asked for a report
    /// every 2 s. Of more than 50 nobody looks at each: a whole fleet lives by the usual reports. A system that the caller
    /// may not see, or no longer, is passed over: the stream tells of the others.
    sn: Option<String>,
    /// As with `data/`.
    #[serde(default)]
    #[param(inline, required = false)]
    flags: NamedFlags,
}

/// What changes: events named `data`, each with a document as `data/` answers it; `settings` and `command`, each with the
/// settings of one system or one command as their own calls answer them.
#[utoipa::path(get, path = "/api/auth/stream/", tag = "live",
    params(StreamQuery, ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event of live data that arrived, or the time of an answer of `data/` in milliseconds: the stream begins with what has changed since, and without it with all systems, so that nothing is missed")),
    responses((status = 200, description = "server-sent events", body = String, content_type = "text/event-stream"),
        (status = 401, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn open(
    State(portal): State<Portal>,
    person: Person,
    systems: Systems,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
    stopping: Stopping,
) -> Result<Response> {
    let watched = on_screen(&systems, query.sn.as_deref(), &portal.settings.stream);
    let place = portal.streams.open(person.session)?;
    let last = headers.get("last-event-id");
    let last: i64 = last
        .and_then(|id| id.to_str().ok()?.parse().ok())
        .unwrap_or(0);
    let words = Words {
        lang: language(&headers),
        named: query.flags,
    };
    let stream = Stream::new(portal, place, systems, watched, words, last, stopping.0);
    let body = Body::from_stream(stream::unfold(stream, |mut stream| async {
        let bytes = stream.next().await?;
        Some((Ok::<_, Infallible>(bytes), stream))
    }));
    let head = [
        (CONTENT_TYPE.as_str(), "text/event-stream"),
        // Proxies that buffer would hold events back.
        ("x-accel-buffering", "no"),
    ];
    Ok((head, body).into_response())
}

/// The systems whose batteries report more often meanwhile.
fn on_screen(systems: &Systems, sn: Option<&str>, pace: &Pace) -> Vec<Serial> {
    let named = sn.filter(|sn| !matches!(*sn, "" | ALL_SYSTEMS));
    let named: Option<BTreeSet<&str>> = named.map(|sn| sn.split(',').map(str::trim).collect());
    let chosen = systems.allowed.iter().map(Access::sn).filter(|sn| {
        named
            .as_ref()
            .is_none_or(|named| named.contains(sn.as_str()))
    });
    let chosen: Vec<Serial> = chosen.cloned().collect();
    match chosen.len() > pace.most_watched {
        true => Vec::new(),
        false => chosen,
    }
}

/// One open stream. It only works when the connection asks for more, so a slow reader gets fewer events, never a queue of old ones.
struct Stream {
    portal: Portal,
    place: Place,
    systems: Systems,
    /// Those whose batteries report more often meanwhile.
    watched: Vec<Serial>,
    words: Words,
    changes: Changes,
    stop: CancellationToken,
    /// Changed since the last event.
    changed: BTreeSet<Serial>,
    last_id: i64,
    /// What the beginning still has to tell of; `None` when it is over.
    untold: Option<Vec<Access>>,
    recheck: Interval,
    /// The next event is not sent before.
    not_before: Instant,
    /// When silence has lasted long enough.
    keep_alive: Instant,
    watched_until: Millis,
}

impl Stream {
    fn new(
        portal: Portal,
        place: Place,
        systems: Systems,
        watched: Vec<Serial>,
        words: Words,
        last_id: i64,
        stop: CancellationToken,
    ) -> Self {
        let serials = systems.allowed.iter().map(|access| access.sn().clone());
        // First listened, then looked: what changes meanwhile is told twice rather than never.
        let changes = portal.live.subscribe(serials);
        let unseen = |access: &&Access| {
            let snapshot = portal.live.get(access.sn());
            snapshot.is_none_or(|snapshot| snapshot.changed_at >= last_id - SLACK)
        };
        let untold = systems.allowed.iter().filter(unseen).cloned().collect();
        let pace = portal.settings.stream;
        let mut recheck = interval(pace.recheck);
        recheck.set_missed_tick_behavior(MissedTickBehavior::Delay);
        recheck.reset();
        Self {
            portal,
            place,
            systems,
            watched,
            words,
            changes,
            stop,
            changed: BTreeSet::new(),
            last_id,
            untold: Some(untold),
            recheck,
            not_before: Instant::now(),
            keep_alive: Instant::now() + pace.keep_alive,
            watched_until: 0,
        }
    }

    /// The next piece to send, or the end.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(untold) = self.untold.take() {
            return Some(self.begin(untold));
        }
        loop {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                _ = self.recheck.tick() => {
                    if !self.may_go_on().await {
                        return None;
                    }
                    self.watch();
                }
                () = sleep_until(self.not_before), if !self.changed.is_empty() => {
                    let changed = std::mem::take(&mut self.changed);
                    return Some(self.event(|access| changed.contains(access.sn())));
                }
                changed = self.changes.next() => {
                    if let Some(event) = self.take(changed).await {
                        return Some(event);
                    }
                }
                () = sleep_until(self.keep_alive) => {
                    self.keep_alive = Instant::now() + self.portal.settings.stream.keep_alive;
                    return Some(Bytes::from_static(b": still here\n\n"));
                }
            }
        }
    }

    /// Some at a time; the entry for all of them together comes with the last. Before that there is no id, as whoever comes
    /// back with one has seen all.
    fn begin(&mut self, mut untold: Vec<Access>) -> Bytes {
        self.watch();
        let at_once = self.portal.settings.stream.at_once;
        if untold.len() <= at_once {
            let untold: BTreeSet<&Serial> = untold.iter().map(Access::sn).collect();
            return self.event(|access| untold.contains(access.sn()));
        }
        self.untold = Some(untold.split_off(at_once));
        let now = self.portal.now();
        let document = live::write_some(&self.portal.live, &untold, self.words, now);
        let piece = [b"event: data\ndata: ", document.as_slice(), b"\n\n"];
        piece.concat().into()
    }

    /// Live changes wait for company; anything else is told at once.
    async fn take(&mut self, changed: Changed) -> Option<Bytes> {
        let Changed { sn, part } = changed;
        let told = match part {
            Part::Live => {
                self.changed.insert(sn);
                return None;
            }
            Part::Settings => self.settings(&sn).await,
            Part::Command(id) => self.command(&sn, &id).await,
        };
        match told {
            Ok(event) => event,
            // What it missed, the browser finds when it asks itself.
            Err(error) => {
                tracing::warn!(?error, "a change could not be told");
                None
            }
        }
    }

    /// The system, if the caller may do this with it.
    fn access(&self, sn: &Serial, right: Right) -> Option<&Access> {
        let of = |access: &&Access| access.sn() == sn && access.may(right);
        self.systems.allowed.iter().find(of)
    }

    async fn settings(&mut self, sn: &Serial) -> Result<Option<Bytes>> {
        let Some(access) = self.access(sn, Right::SeeSettings) else {
            return Ok(None);
        };
        let entry = settings::entry(&self.portal, access, self.words.lang).await?;
        Ok(Some(self.named("settings", &to_json(&entry))))
    }

    async fn command(&mut self, sn: &Serial, id: &CommandId) -> Result<Option<Bytes>> {
        let Some(access) = self.access(sn, Right::Command) else {
            return Ok(None);
        };
        let now = self.portal.now();
        let entry = self.portal.store.command(access.account(), id, now).await?;
        let body = entry.map(|entry| CommandBody::new(entry, now, self.words.lang));
        Ok(body.map(|body| self.named("command", &to_json(&body))))
    }

    /// Whether the session still is, with the same systems and rights; otherwise the browser asks anew and learns why.
    async fn may_go_on(&self) -> bool {
        let now = self.portal.now();
        let entered = self.portal.store.enter(&self.place.session, now).await;
        let rights = |accesses: &[Access]| -> Vec<(Serial, Level)> {
            let right = |access: &Access| (access.sn().clone(), access.level());
            accesses.iter().map(right).collect()
        };
        match entered {
            Ok(Some((_, accesses))) => rights(&accesses) == rights(&self.systems.allowed),
            Ok(None) => false,
            Err(error) => {
                tracing::warn!(%error, "a stream ends because its session cannot be read");
                false
            }
        }
    }

    /// Batteries report every 2 s while somebody looks.
    fn watch(&mut self) {
        let until = self.portal.now() + WATCH;
        if until - self.watched_until < WATCH / 2 {
            return;
        }
        for sn in &self.watched {
            self.portal.live.watch(sn, until);
        }
        self.watched_until = until;
    }

    fn event(&mut self, of: impl Fn(&Access) -> bool) -> Bytes {
        let now = self.portal.now();
        let document = live::write(
            &self.portal.live,
            &self.systems.allowed,
            of,
            self.words,
            now,
        );
        self.not_before = Instant::now() + self.portal.settings.stream.gather;
        self.named("data", &document)
    }

    fn named(&mut self, name: &str, document: &[u8]) -> Bytes {
        // Ids only ever grow, also over a reconnection.
        self.last_id = self.portal.now().max(self.last_id.saturating_add(1));
        let mut event = format!("id: {}\nevent: {name}\ndata: ", self.last_id).into_bytes();
        event.extend_from_slice(document);
        event.extend_from_slice(b"\n\n");
        self.keep_alive = Instant::now() + self.portal.settings.stream.keep_alive;
        event.into()
    }
}

fn to_json(body: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("an answer is plain data")
}
