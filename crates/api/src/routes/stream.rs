//! Changes as server-sent events: live data, settings and commands. Live data has the format of `data/`: first all systems whose
//! current state the caller has not received, then those that change.
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::command::CommandBody;
use crate::error::{Refusal, Result, language};
use crate::flag_sets::NamedFlags;
use crate::form::Query;
use crate::live::{self, LiveFormat};
use crate::serve::ShutdownSignal;
use crate::session_slots::SessionSlot;
use crate::settings::SettingsEntry;
use crate::{Portal, StreamOptions};
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bus::{ChangeKind, ChangeSubscription, LiveChange, LongConnection};
use domain::aggregate::ALL_SYSTEMS;
use domain::clock::{MINUTE, Millis, SECOND};
use domain::grant::{AccessLevel, Right};
use domain::{CommandId, Serial};
use futures_util::stream;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::convert::Infallible;
use store::Access;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until};
use utoipa::IntoParams;

/// Batteries are asked to report more often for this long at a time.
const WATCH_DURATION: Millis = MINUTE;
/// A caller who has received everything up to a moment may have missed changes shortly before it: changes batched into an event
/// that was never sent, or changes from another process, whose clock differs slightly.
const RESUME_OVERLAP: Millis = 5 * SECOND;

#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct StreamQuery {
    /// The systems on screen, separated by commas. Default: all systems.
    ///
    /// Their batteries are asked to report every 2 s, unless there are more than 50. Systems that the caller may not see are
    /// ignored.
    sn: Option<String>,
    /// As for `data/`.
    #[serde(default)]
    #[param(inline, required = false)]
    flags: NamedFlags,
}

/// Open a stream of server-sent events.
///
/// Events named `data` have the format of `data/`. Events named `settings` and `command` hold the settings of one system or one
/// command, in the format of their own calls.
#[utoipa::path(get, path = "/api/auth/stream/", tag = "live",
    params(StreamQuery, ("Last-Event-ID" = Option<String>, Header, description = "The id of the last `data` event received, or the time of an answer of `data/`; Unix time in milliseconds. The stream starts with the systems that changed since then; without it, with all systems.")),
    responses((status = 200, description = "Server-sent events.", body = String, content_type = "text/event-stream"), (status = 429, body = Refusal)))]
pub(crate) async fn open(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
    shutdown: ShutdownSignal,
) -> Result<Response> {
    let watched = watched_systems(&systems, query.sn.as_deref(), &portal.config.stream);
    let slot = portal.stream_slots.acquire(person.session)?;
    let last = headers.get("last-event-id");
    let last: i64 = last
        .and_then(|id| id.to_str().ok()?.parse().ok())
        .unwrap_or(0);
    let format = LiveFormat {
        lang: language(&headers),
        named: query.flags,
    };
    portal.hold(systems.allowed.iter()).await?;
    let place = shutdown.0.connection();
    let stream = EventStream::new(portal, slot, systems, watched, format, last, place);
    let body = Body::from_stream(stream::unfold(stream, |mut stream| async {
        let bytes = stream.next().await?;
        Some((Ok::<_, Infallible>(bytes), stream))
    }));
    let head = [
        (CONTENT_TYPE.as_str(), "text/event-stream"),
        // Keeps proxies from buffering events.
        ("x-accel-buffering", "no"),
    ];
    Ok((head, body).into_response())
}

/// The systems whose batteries report more often while the stream is open.
fn watched_systems(systems: &Systems, sn: Option<&str>, options: &StreamOptions) -> Vec<Serial> {
    let named = sn.filter(|sn| !matches!(*sn, "" | ALL_SYSTEMS));
    let named: Option<BTreeSet<&str>> = named.map(|sn| sn.split(',').map(str::trim).collect());
    let chosen = systems.allowed.iter().map(Access::sn).filter(|sn| {
        named
            .as_ref()
            .is_none_or(|named| named.contains(sn.as_str()))
    });
    let chosen: Vec<Serial> = chosen.cloned().collect();
    match chosen.len() > options.max_watched {
        true => Vec::new(),
        false => chosen,
    }
}

/// An open stream. It produces an event only when the connection asks for one, so a slow reader gets fewer events, not a growing
/// queue.
struct EventStream {
    portal: Portal,
    slot: SessionSlot,
    systems: Systems,
    /// Systems whose batteries report more often while the stream is open.
    watched: Vec<Serial>,
    format: LiveFormat,
    changes: ChangeSubscription,
    place: LongConnection,
    /// Systems that changed since the last event.
    changed: BTreeSet<Serial>,
    last_id: i64,
    /// Systems whose initial state was not sent yet; `None` once all were sent.
    unsent: Option<Vec<Access>>,
    /// The first part was sent.
    begun: bool,
    recheck: Interval,
    /// The earliest time for the next event.
    not_before: Instant,
    /// When the next keep-alive is due.
    keep_alive: Instant,
    watched_until: Millis,
}

impl EventStream {
    fn new(
        portal: Portal,
        slot: SessionSlot,
        systems: Systems,
        watched: Vec<Serial>,
        format: LiveFormat,
        last_id: i64,
        place: LongConnection,
    ) -> Self {
        let serials = systems.allowed.iter().map(|access| access.sn().clone());
        // Subscribes before reading: a change in between is sent twice rather than not at all.
        let changes = portal.live.subscribe(serials);
        // An id from the future was issued while our clock was fast, so what was sent by then is unknown.
        let seen_until = if last_id > portal.now() { 0 } else { last_id };
        let unseen = |access: &&Access| {
            let snapshot = portal.live.get(access.sn());
            snapshot.is_none_or(|snapshot| snapshot.changed_at >= seen_until - RESUME_OVERLAP)
        };
        let unsent = systems.allowed.iter().filter(unseen).cloned().collect();
        let options = portal.config.stream;
        let mut recheck = interval(options.session_check_interval);
        recheck.set_missed_tick_behavior(MissedTickBehavior::Delay);
        recheck.reset();
        Self {
            portal,
            slot,
            systems,
            watched,
            format,
            changes,
            place,
            changed: BTreeSet::new(),
            last_id,
            unsent: Some(unsent),
            begun: false,
            recheck,
            not_before: Instant::now(),
            keep_alive: Instant::now() + options.keep_alive,
            watched_until: 0,
        }
    }

    /// The next chunk to send; `None` ends the stream.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(unsent) = self.unsent.take() {
            // Each part is read when the connection has taken the one before, which may be long ago.
            if self.begun && !self.is_still_permitted().await {
                return None;
            }
            self.begun = true;
            return Some(self.initial_event(unsent));
        }
        loop {
            tokio::select! {
                biased;
                () = self.place.ended() => return None,
                _ = self.recheck.tick() => {
                    if !self.is_still_permitted().await {
                        return None;
                    }
                    self.renew_watch();
                }
                () = sleep_until(self.not_before), if !self.changed.is_empty() => {
                    let changed = std::mem::take(&mut self.changed);
                    return Some(self.data_event(|access| changed.contains(access.sn())));
                }
                changed = self.changes.next() => {
                    if let Some(event) = self.handle_change(changed).await {
                        return Some(event);
                    }
                }
                () = sleep_until(self.keep_alive) => {
                    self.keep_alive = Instant::now() + self.portal.config.stream.keep_alive;
                    return Some(Bytes::from_static(b": still here\n\n"));
                }
            }
        }
    }

    /// Sends a part of the systems at a time; the combined entry comes with the last part. Only the last event has an id, because
    /// a client that reconnects with an id has received everything before it.
    fn initial_event(&mut self, mut unsent: Vec<Access>) -> Bytes {
        self.renew_watch();
        let max_systems_per_event = self.portal.config.stream.max_systems_per_event;
        if unsent.len() <= max_systems_per_event {
            let unsent: BTreeSet<&Serial> = unsent.iter().map(Access::sn).collect();
            return self.data_event(|access| unsent.contains(access.sn()));
        }
        self.unsent = Some(unsent.split_off(max_systems_per_event));
        let now = self.portal.now();
        let document = live::write_some(&self.portal.live, &unsent, self.format, now);
        let piece = [b"event: data\ndata: ", document.as_slice(), b"\n\n"];
        piece.concat().into()
    }

    /// Live changes are batched; all others are sent at once.
    async fn handle_change(&mut self, changed: LiveChange) -> Option<Bytes> {
        let LiveChange { sn, kind } = changed;
        let event = match kind {
            ChangeKind::Live => {
                self.changed.insert(sn);
                return None;
            }
            ChangeKind::Settings => self.settings(&sn).await,
            ChangeKind::Command(id) => self.command(&sn, &id).await,
        };
        match event {
            Ok(event) => event,
            Err(error) => {
                tracing::warn!(
                    ?error,
                    "stream_event_not_sent: the browser gets the change with its next request"
                );
                None
            }
        }
    }

    /// The system, if the caller has this right there.
    fn access(&self, sn: &Serial, right: Right) -> Option<&Access> {
        let of = |access: &&Access| access.sn() == sn && access.may(right);
        self.systems.allowed.iter().find(of)
    }

    async fn settings(&mut self, sn: &Serial) -> Result<Option<Bytes>> {
        let Some(access) = self.access(sn, Right::SeeSettings) else {
            return Ok(None);
        };
        let entry = SettingsEntry::load(&self.portal, access, self.format.lang).await?;
        Ok(Some(self.format_event("settings", &to_json(&entry))))
    }

    async fn command(&mut self, sn: &Serial, id: &CommandId) -> Result<Option<Bytes>> {
        let Some(access) = self.access(sn, Right::Command) else {
            return Ok(None);
        };
        let now = self.portal.now();
        let entry = self.portal.store.command(access.account(), id, now).await?;
        let body = entry.map(|entry| CommandBody::new(entry, now, self.format.lang));
        Ok(body.map(|body| self.format_event("command", &to_json(&body))))
    }

    /// Whether the session is still valid, with the same systems and rights. If not, the browser connects again and learns the
    /// reason.
    async fn is_still_permitted(&self) -> bool {
        let now = self.portal.now();
        let entered = self
            .portal
            .store
            .authenticate_session(&self.slot.session, now)
            .await;
        let rights = |accesses: &[Access]| -> Vec<(Serial, AccessLevel)> {
            let right = |access: &Access| (access.sn().clone(), access.level());
            accesses.iter().map(right).collect()
        };
        match entered {
            Ok(Some((_, accesses))) => rights(&accesses) == rights(&self.systems.allowed),
            Ok(None) => false,
            Err(error) => {
                tracing::warn!(%error, "stream_session_read_failed: the stream ends");
                false
            }
        }
    }

    /// Keeps batteries reporting every 2 s while the stream is open.
    fn renew_watch(&mut self) {
        let until = self.portal.now() + WATCH_DURATION;
        if until - self.watched_until < WATCH_DURATION / 2 {
            return;
        }
        for sn in &self.watched {
            self.portal.live.watch(sn, until);
        }
        self.watched_until = until;
    }

    fn data_event(&mut self, of: impl Fn(&Access) -> bool) -> Bytes {
        let now = self.portal.now();
        let document = live::write(
            &self.portal.live,
            &self.systems.allowed,
            of,
            self.format,
            now,
        );
        self.not_before = Instant::now() + self.portal.config.stream.batch_window;
        self.format_event("data", &document)
    }

    fn format_event(&mut self, name: &str, document: &[u8]) -> Bytes {
        // Ids always increase, even across reconnects.
        self.last_id = self.portal.now().max(self.last_id.saturating_add(1));
        let mut event = format!("id: {}\nevent: {name}\ndata: ", self.last_id).into_bytes();
        event.extend_from_slice(document);
        event.extend_from_slice(b"\n\n");
        self.keep_alive = Instant::now() + self.portal.config.stream.keep_alive;
        event.into()
    }
}

fn to_json(body: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(body).expect("an answer is plain data")
}
