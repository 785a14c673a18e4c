//! Every system as it is right now, in memory: read once at the start, changed after each commit.

mod alarms;
mod counting;
mod forecasts;
mod updates;

use crate::changes::{Changes, Part, Subscribers};
use crate::downlink::{Delivery, Downlink};
use crate::notice::{Notice, Notices};
use crate::snapshot::Snapshot;
use dashmap::DashMap;
use domain::clock::{DAY, MINUTE, Millis, SECOND};
use domain::energy::{CONTEXT, Tally};
use domain::{Clock, CommandId, Sample, Serial};
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use store::Store;
use store::device::Facts;
use store::event::LoggedEvent;
use store::firmware::{Releases, UpdateJob};
use store::presence::Presence;
use store::report::{Body, Outcome, Report};
use tokio::sync::Notify;

/// A battery that says neither hello nor a sample for this long is offline.
pub const SILENCE: Millis = 90 * SECOND;
/// A viewer's wish is passed on only when it reaches this much further than the last one.
const WATCH_STEP: Millis = 5 * SECOND;
/// Nobody watches longer than this without saying so again.
const WATCH_MAX: Millis = 10 * MINUTE;
/// For so long after its end an update is still shown.
pub const UPDATE_SHOWN: Millis = DAY;

/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct Live(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    clock: Clock,
    systems: DashMap<Serial, Arc<Snapshot>>,
    subscribers: Arc<Subscribers>,
    /// Until when somebody looks.
    watched: DashMap<Serial, Millis>,
    downlink: Downlink,
    notices: Notices,
    /// Systems whose day has to be read from the store.
    uncounted: Mutex<BTreeSet<Serial>>,
    to_count: Notify,
    storing: AtomicBool,
    /// What is being rolled out.
    releases: RwLock<Arc<Releases>>,
    /// Whoever reads from the store holds it, so that an older answer never replaces a newer one.
    reading: tokio::sync::Mutex<()>,
}

impl Live {
    pub(crate) fn new(store: Store, clock: Clock, downlink: Downlink, notices: Notices) -> Self {
        Self(Arc::new(Inner {
            store,
            clock,
            systems: DashMap::new(),
            subscribers: Arc::default(),
            watched: DashMap::new(),
            downlink,
            notices,
            uncounted: Mutex::default(),
            to_count: Notify::new(),
            storing: AtomicBool::new(true),
            releases: RwLock::default(),
            reading: tokio::sync::Mutex::default(),
        }))
    }

    /// `None` for a system that was registered after the start and has not said hello yet.
    pub fn get(&self, sn: &Serial) -> Option<Arc<Snapshot>> {
        self.0.systems.get(sn).map(|found| Arc::clone(&found))
    }

    /// Changes of these systems from now on.
    pub fn subscribe(&self, systems: impl IntoIterator<Item = Serial>) -> Changes {
        self.0.subscribers.subscribe(systems)
    }

    /// Somebody looks at this system until then: the battery reports every 2 s instead of every 30.
    pub fn watch(&self, sn: &Serial, until: Millis) {
        if let Some(until) = self.watch_here(sn, until) {
            self.0.notices.send(Notice::Watch {
                sn: sn.to_string(),
                until,
            });
        }
    }

    /// Until when somebody looks at this system.
    pub fn watched(&self, sn: &Serial) -> Option<Millis> {
        let until = self.0.watched.get(sn).map(|until| *until)?;
        (until > self.0.clock.now()).then_some(until)
    }

    /// The new end, if it reaches far enough to be passed on.
    pub(crate) fn watch_here(&self, sn: &Serial, until: Millis) -> Option<Millis> {
        let until = until.min(self.0.clock.now() + WATCH_MAX);
        let before = self.watched(sn).unwrap_or(0);
        if until < before + WATCH_STEP {
            return None;
        }
        self.0.watched.insert(sn.clone(), until);
        let wish = Delivery::new("watch", format!("{{\"until\":{until}}}"));
        self.0.downlink.send(sn, wish);
        Some(until)
    }

    /// Reads everything; at the start, and when notices of other processes were missed.
    pub async fn load(&self) -> store::Result<()> {
        let _reading = self.0.reading.lock().await;
        let store = &self.0.store;
        let mut presences: HashMap<Serial, Presence> =
            store.presences().await?.into_iter().collect();
        let mut samples: HashMap<Serial, Sample> =
            store.latest_samples().await?.into_iter().collect();
        let mut events: HashMap<Serial, Vec<LoggedEvent>> = HashMap::new();
        for (sn, event) in store.newest_events().await? {
            events.entry(sn).or_default().push(event);
        }
        let since = self.0.clock.now() - UPDATE_SHOWN;
        let updates = store.newest_updates(since).await?.into_iter();
        let mut updates: HashMap<Serial, UpdateJob> =
            updates.map(|job| (job.sn.clone(), job)).collect();
        self.take_releases(store.running_releases().await?);
        for (sn, facts) in store.all_facts().await? {
            let mut snapshot = Snapshot::new(facts);
            snapshot.update = updates.remove(&sn).map(Arc::new);
            snapshot.messages = events.remove(&sn).unwrap_or_default().into();
            snapshot.sample = samples.remove(&sn);
            if let Some(presence) = presences.remove(&sn) {
                snapshot.stand(presence);
            }
            let known = self.get(&sn).is_some();
            if snapshot.sample.is_none() && !known {
                // Nothing was ever measured, so that there is nothing to read.
                let zone = &snapshot.facts.zone;
                let today = zone.day_of(self.0.clock.now());
                snapshot.tally = Some(Tally::new(zone.bounds(today)));
                self.put(&sn, snapshot);
                continue;
            }
            self.put(&sn, snapshot);
            self.count_again(&sn);
        }
        self.take_alarms(store.open_alarms().await?);
        Ok(())
    }

    /// Every system, as far as it is known.
    pub fn all(&self) -> impl Iterator<Item = (Serial, Arc<Snapshot>)> {
        let serials: Vec<Serial> = self
            .0
            .systems
            .iter()
            .map(|entry| entry.key().clone())
            .collect();
        serials.into_iter().filter_map(|sn| {
            let snapshot = self.get(&sn)?;
            Some((sn, snapshot))
        })
    }

    /// Reads one system again: its facts changed, or it is new here.
    pub async fn reload(&self, sn: &Serial) -> store::Result<()> {
        self.read_one(sn, false).await
    }

    /// Reads one system as if it had never been seen: its unit was exchanged, so that nothing of what is known here holds.
    pub(crate) async fn renew(&self, sn: &Serial) {
        if let Err(error) = self.read_one(sn, true).await {
            tracing::warn!(%error, %sn, "the live view of an exchanged unit could not be read");
            self.0.systems.remove(sn);
        }
    }

    async fn read_one(&self, sn: &Serial, anew: bool) -> store::Result<()> {
        let _reading = self.0.reading.lock().await;
        let store = &self.0.store;
        let Some(facts) = store.facts(sn).await? else {
            self.0.systems.remove(sn);
            return Ok(());
        };
        let mut snapshot = Snapshot::new(facts);
        snapshot.messages = store.newest_events_of(sn).await?.into();
        snapshot.update = store.newest_update(sn).await?.map(Arc::new);
        if let Some(presence) = store.presence(sn).await? {
            snapshot.stand(presence);
        }
        if anew {
            snapshot.sample = store.latest_sample(sn).await?;
            self.0.systems.remove(sn);
        }
        self.put(sn, snapshot);
        self.count_again(sn);
        Ok(())
    }

    /// Keeps what memory knows better than the database: the newest sample and when the battery was heard.
    fn put(&self, sn: &Serial, mut snapshot: Snapshot) {
        let before = self.get(sn);
        snapshot.changed_at = self.0.clock.now();
        snapshot.received_at = snapshot.sample.map(|sample| sample.at);
        if snapshot.online && before.as_ref().is_none_or(|before| !before.online) {
            // It gets a full 90 s to say something before silence counts.
            snapshot.received_at = Some(self.0.clock.now());
        }
        let entry = self.0.systems.entry(sn.clone());
        entry
            .and_modify(|current| {
                snapshot.take_newer(current);
                *current = Arc::new(snapshot.clone());
            })
            .or_insert_with(|| Arc::new(snapshot));
        self.0.subscribers.tell(sn, &Part::Live);
    }

    /// Changes one system and tells who listens.
    fn change(&self, sn: &Serial, change: impl FnOnce(&mut Snapshot)) {
        if let Some(mut entry) = self.0.systems.get_mut(sn) {
            let snapshot = Arc::make_mut(&mut entry);
            change(snapshot);
            snapshot.changed_at = self.0.clock.now();
            drop(entry);
            self.0.subscribers.tell(sn, &Part::Live);
        }
    }

    /// Tells who listens, here and in other processes, that settings were saved or reported.
    pub(crate) fn settings_changed(&self, sn: &Serial) {
        self.hear_settings(sn);
        self.0.notices.send(Notice::Settings { sn: sn.to_string() });
    }

    pub(crate) fn hear_settings(&self, sn: &Serial) {
        self.0.subscribers.tell(sn, &Part::Settings);
    }

    /// The same of a command.
    pub(crate) fn command_changed(&self, sn: &Serial, id: &CommandId) {
        self.hear_command(sn, id.clone());
        self.0.notices.send(Notice::Command {
            sn: sn.to_string(),
            id: id.to_string(),
        });
    }

    pub(crate) fn hear_command(&self, sn: &Serial, id: CommandId) {
        self.0.subscribers.tell(sn, &Part::Command(id));
    }

    /// Puts what was committed into the view, and tells the other processes.
    pub(crate) async fn committed(&self, reports: &[Report], outcomes: &[Outcome]) {
        let mut kept: Vec<(&Report, &Outcome)> = Vec::with_capacity(reports.len());
        for (report, outcome) in reports.iter().zip(outcomes) {
            match &outcome.filed {
                None => kept.push((report, outcome)),
                Some(filed) => {
                    kept.extend(filed.iter().map(|(report, outcome)| (report, outcome)));
                    if matches!(report.body, Body::Sample(_)) {
                        self.heard(&report.sn, report.received_at);
                    }
                }
            }
        }
        for (report, outcome) in kept {
            let sn = &report.sn;
            if self.is_new(report) {
                self.reload_or_log(sn).await;
                self.0.notices.send(Notice::Reload { sn: sn.to_string() });
            } else if let Some(facts) = &outcome.facts
                && self.get(sn).is_some_and(|found| *found.facts != *facts)
            {
                self.describe(sn, facts).await;
                self.0.notices.send(Notice::Reload { sn: sn.to_string() });
            }
            self.apply(report, outcome);
            if let Some(update) = &outcome.update {
                self.update_stands(sn, Some(update.clone()));
            }
        }
    }

    /// Somebody said something else about a system than its battery does: reads it again, here and in the other processes.
    pub async fn described(&self, sn: &Serial) {
        self.reload_or_log(sn).await;
        self.0.notices.send(Notice::Reload { sn: sn.to_string() });
    }

    /// Takes what the battery says about itself now.
    async fn describe(&self, sn: &Serial, facts: &Facts) {
        let _reading = self.0.reading.lock().await;
        let mut moved = false;
        self.change(sn, |snapshot| {
            moved = snapshot.facts.zone != facts.zone;
            snapshot.facts = Arc::new(facts.clone());
        });
        if moved {
            self.count_again(sn);
        }
    }

    fn is_new(&self, report: &Report) -> bool {
        !matches!(report.body, Body::Reject { .. }) && !self.0.systems.contains_key(&report.sn)
    }

    pub(crate) async fn load_or_log(&self) {
        if let Err(error) = self.load().await {
            tracing::warn!(%error, "the live view could not be read again");
        }
    }

    pub(crate) async fn reload_or_log(&self, sn: &Serial) {
        if let Err(error) = self.reload(sn).await {
            tracing::warn!(%error, %sn, "the live view of a system could not be read");
        }
    }

    fn apply(&self, report: &Report, outcome: &Outcome) {
        let sn = &report.sn;
        if let Some(presence) = outcome.presence
            && self.presence(sn) != Some(presence)
        {
            self.stands(sn, presence);
            self.0.notices.send(Notice::presence(sn, presence));
        }
        if outcome.settings_changed {
            self.settings_changed(sn);
        }
        match &report.body {
            Body::Sample(sample) => {
                self.sampled(sn, sample, report.received_at);
                self.0
                    .notices
                    .send(Notice::sampled(sn, sample, report.received_at));
            }
            Body::Hello { .. } => self.heard(sn, report.received_at),
            Body::History { samples, .. } => self.filled(sn, samples, &outcome.new),
            Body::Answer(answer) if outcome.command_changed => {
                self.command_changed(sn, &answer.command);
            }
            Body::Sent(id) if outcome.command_changed => self.command_changed(sn, id),
            Body::Event(event) if outcome.event_new && event.code.is_message() => {
                if let Some(at) = event.at {
                    let logged = LoggedEvent {
                        at,
                        id: event.id,
                        code: event.code,
                        on: event.on,
                        args: event.args.clone(),
                    };
                    self.change(sn, |snapshot| snapshot.log(logged));
                    self.0.notices.send(Notice::Reload { sn: sn.to_string() });
                }
            }
            _ => {}
        }
    }

    pub(crate) fn sampled(&self, sn: &Serial, sample: &Sample, received_at: Millis) {
        self.change(sn, |snapshot| snapshot.take_sample(sample, received_at));
    }

    /// Back-fill changes nothing that is live, but the day's energy may have it now.
    fn filled(&self, sn: &Serial, samples: &[Sample], new: &[bool]) {
        let mut new = samples.iter().zip(new).filter(|(_, new)| **new);
        let today = self
            .get(sn)
            .and_then(|snapshot| Some(snapshot.tally.as_ref()?.span.clone()));
        // A sample shortly before midnight moves what the first quarter of the day has.
        let since = today.map_or(Millis::MIN, |span| span.start - CONTEXT);
        if new.any(|(sample, _)| sample.at >= since) {
            self.count_again(sn);
        }
    }

    pub(crate) fn heard(&self, sn: &Serial, at: Millis) {
        self.change(sn, |snapshot| {
            snapshot.received_at = snapshot.received_at.max(Some(at));
        });
    }

    fn presence(&self, sn: &Serial) -> Option<Presence> {
        self.0.systems.get(sn).and_then(|found| found.presence())
    }

    pub(crate) fn stands(&self, sn: &Serial, presence: Presence) {
        self.change(sn, |snapshot| snapshot.stand(presence));
    }

    pub(crate) fn is_online(&self, sn: &Serial) -> bool {
        self.0.systems.get(sn).is_some_and(|found| found.online)
    }

    /// Systems that count as online although nobody heard of them for 90 s.
    pub(crate) fn silent(&self) -> Vec<Serial> {
        let limit = self.0.clock.now() - SILENCE;
        let systems = self.0.systems.iter();
        systems
            .filter(|entry| entry.is_silent_since(limit))
            .map(|entry| entry.key().clone())
            .collect()
    }

    /// Forgets who does not look any more.
    pub(crate) fn forget_viewers(&self) {
        let now = self.0.clock.now();
        self.0.watched.retain(|_, until| *until > now);
    }

    pub(crate) fn heard_after(&self, sn: &Serial, at: Millis) -> bool {
        let heard = self.0.systems.get(sn).and_then(|found| found.received_at);
        heard > Some(at)
    }

    /// Whether the last group of reports could be stored: not while the database is away or its disk is full.
    pub fn is_storing(&self) -> bool {
        self.0.storing.load(Ordering::Relaxed)
    }

    pub(crate) fn set_storing(&self, storing: bool) {
        self.0.storing.store(storing, Ordering::Relaxed);
    }

    pub(crate) fn is_silent(&self, sn: &Serial) -> bool {
        let limit = self.0.clock.now() - SILENCE;
        self.get(sn)
            .is_some_and(|snapshot| snapshot.is_silent_since(limit))
    }
}
