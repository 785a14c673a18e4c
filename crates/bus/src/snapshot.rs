//! One system as it is right now.
use domain::clock::{MAX_CLOCK_SKEW, Millis};
use domain::energy::DayEnergy;
use domain::firmware::JobState;
use domain::in_force::Effect;
use domain::{Sample, SiteDay};
use std::sync::Arc;
use store::alarm::OpenAlarm;
use store::device::SystemFacts;
use store::event::LoggedEvent;
use store::firmware::UpdateJob;
use store::planning::IssuedForecast;
use store::presence::{GatewayId, Presence};

/// Immutable for readers: each change makes a new snapshot. Parts that rarely change are shared.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub facts: Arc<SystemFacts>,
    /// The newest by time. Back-fill never replaces it with an older one.
    pub sample: Option<Sample>,
    /// When the battery last said hello or sent a live sample.
    pub last_contact: Option<Millis>,
    pub online: bool,
    /// When it went online or offline; `None` before the first contact.
    pub since: Option<Millis>,
    /// When anything in the snapshot last changed. A reader that read it later than this is up to date.
    pub changed_at: Millis,
    /// The boot number of the newest hello.
    pub(crate) boot: u32,
    /// The gateway of the last contact.
    pub(crate) gateway: GatewayId,
    /// Energy since the site's midnight; `None` until it has been read from the store.
    pub(crate) tally: Option<DayEnergy>,
    /// Newest first, as many as [`store::event::retain_served`] keeps. Events before `Access::history_from` belong to a former
    /// owner.
    pub events: Arc<[LoggedEvent]>,
    /// The newest update, if it is open or ended recently.
    pub update: Option<Arc<UpdateJob>>,
    /// What a command, a plan, an update or the battery itself has in force.
    pub effects: Arc<[Effect]>,
    /// Open alarms, the most severe first.
    pub alarms: Arc<[OpenAlarm]>,
    /// The newest forecast. One from before `Access::history_from` belongs to a former owner.
    pub forecast: Option<Arc<IssuedForecast>>,
}

/// The energy of a site's day so far, in Wh, in the order of [`domain::sample::Counter::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Today {
    pub day: SiteDay,
    pub energy: [Option<i64>; 5],
}

impl Snapshot {
    pub(crate) fn new(facts: SystemFacts) -> Self {
        Self {
            facts: Arc::new(facts),
            sample: None,
            last_contact: None,
            online: false,
            since: None,
            changed_at: 0,
            boot: 0,
            gateway: GatewayId::default(),
            tally: None,
            events: Arc::from([]),
            update: None,
            effects: Arc::from([]),
            alarms: Arc::from([]),
            forecast: None,
        }
    }

    /// `None` before the first contact.
    pub(crate) fn presence(&self) -> Option<Presence> {
        Some(Presence {
            online: self.online,
            since: self.since?,
            boot: self.boot,
            gateway: self.gateway,
        })
    }

    pub(crate) fn set_presence(&mut self, presence: Presence) {
        self.online = presence.online;
        self.since = Some(presence.since);
        self.boot = presence.boot;
        self.gateway = presence.gateway;
    }

    /// Every sample counts as contact; only a newer one becomes the live value. Returns whether the day totals have to be read
    /// again: our clock was ahead, and a sample stamped then is replaced although its time is later.
    pub(crate) fn apply_sample(&mut self, sample: &Sample, received_at: Millis) -> bool {
        self.touch_last_contact(received_at);
        if sample.id.unit < self.facts.unit {
            // A sample of the former unit that was still being processed when the unit was exchanged.
            return false;
        }
        let is_ahead = |newest: Sample| newest.at > received_at + MAX_CLOCK_SKEW;
        if self.sample.is_some_and(is_ahead) {
            self.sample = Some(*sample);
            return true;
        }
        if self
            .sample
            .is_none_or(|newest| newest.order() < sample.order())
        {
            self.sample = Some(*sample);
            self.add_to_tally(sample);
        }
        false
    }

    /// Discards a last contact that was recorded while our clock was ahead.
    pub(crate) fn touch_last_contact(&mut self, at: Millis) {
        let known = self
            .last_contact
            .filter(|known| *known <= at + MAX_CLOCK_SKEW);
        self.last_contact = known.max(Some(at));
    }

    fn add_to_tally(&mut self, sample: &Sample) {
        let zone = &self.facts.zone;
        let Some(tally) = &mut self.tally else { return };
        if sample.at >= tally.span.end {
            tally.begin_day(zone.bounds(zone.day_of(sample.at)));
        }
        tally.add(sample);
    }

    /// Continues from what the store computed, and adds the newest sample in case the store did not have it.
    pub(crate) fn set_tally(&mut self, tally: DayEnergy) {
        self.tally = Some(tally);
        if let Some(sample) = self.sample {
            self.add_to_tally(&sample);
        }
    }

    /// The energy of the site's day that the newest sample belongs to; `None` until it has been read.
    pub fn today(&self) -> Option<Today> {
        let tally = self.tally.as_ref()?;
        Some(Today {
            day: self.facts.zone.day_of(tally.span.start),
            energy: tally.energy,
        })
    }

    /// Keeps values of the former snapshot that are newer than those just read from the database.
    pub(crate) fn merge_newer_from(&mut self, before: &Self) {
        if let Some(sample) = &before.sample {
            self.apply_sample(sample, before.last_contact.unwrap_or(sample.at));
        }
        if let Some(at) = before.last_contact {
            self.touch_last_contact(at);
        }
        // A presence that was committed while the database was being read is newer. A battery that falls silent after a single
        // message is offline since the time of that message, so on equal times offline is the newer state.
        let order = |view: &Self| (view.since, !view.online);
        if order(before) > order(self)
            && let Some(presence) = before.presence()
        {
            self.set_presence(presence);
        }
        let newest = |events: &[LoggedEvent]| events.first().map(|event| (event.at, event.id));
        if newest(&before.events) > newest(&self.events) {
            self.events = Arc::clone(&before.events);
        }
        self.tally = self.tally.take().or_else(|| before.tally.clone());
        let issued = |view: &Self| view.forecast.as_ref().map(|issue| issue.issued_at);
        if issued(before) > issued(self) {
            self.forecast = before.forecast.clone();
        }
    }

    /// Whether its main switch is on, by its newest sample; `None` before the first.
    pub fn switched_on(&self) -> Option<bool> {
        self.sample.map(|sample| sample.flags.switched_on())
    }

    /// Whether the battery may begin this update now. One that needs the main switch off waits until it is off. One that has
    /// begun continues.
    pub(crate) fn may_begin(&self, job: &UpdateJob) -> bool {
        let ready = !self.facts.update_needs_off || self.switched_on() == Some(false);
        ready || job.state != JobState::Waiting
    }

    /// Whether the last contact was before `limit`.
    pub(crate) fn is_silent_since(&self, limit: Millis) -> bool {
        self.last_contact.is_none_or(|at| at < limit)
    }

    /// Inserts an event by time, and drops events that are no longer served.
    pub(crate) fn insert_event(&mut self, event: LoggedEvent) {
        let mut events = self.events.to_vec();
        let index = events.partition_point(|other| (other.at, other.id) > (event.at, event.id));
        events.insert(index, event);
        store::event::retain_served(&mut events);
        self.events = events.into();
    }
}
