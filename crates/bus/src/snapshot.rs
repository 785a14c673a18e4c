//! One system as it is right now.
use domain::clock::{MAX_CLOCK_SKEW, Millis};
use domain::energy::Tally;
use domain::firmware::JobState;
use domain::in_force::Effect;
use domain::{Sample, SiteDay};
use std::sync::Arc;
use store::alarm::OpenAlarm;
use store::device::Facts;
use store::event::LoggedEvent;
use store::firmware::UpdateJob;
use store::planning::Issue;
use store::presence::{GatewayId, Presence};

/// A view that never changes: what happens next makes a new one. Parts that rarely change are shared.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub facts: Arc<Facts>,
    /// The newest by time; back-fill never moves it backwards.
    pub sample: Option<Sample>,
    /// When the battery last said hello or sent a live sample.
    pub received_at: Option<Millis>,
    pub online: bool,
    /// When the present state began; `None` before the first contact.
    pub since: Option<Millis>,
    /// When anything of this last changed; whoever has seen it after that has seen all.
    pub changed_at: Millis,
    /// The start of the device that said the newest hello.
    pub(crate) boot: u32,
    /// Who heard of it last.
    pub(crate) gateway: GatewayId,
    /// Energy since the site's midnight, as it grows; `None` until it has been read.
    pub(crate) tally: Option<Tally>,
    /// Newest first, as many as [`store::event::keep_served`] leaves. Events before `Access::history_from` are not this owner's.
    pub messages: Arc<[LoggedEvent]>,
    /// The newest update, if it is open or ended not long ago.
    pub update: Option<Arc<UpdateJob>>,
    /// What a command, a plan, an update or the battery itself has begun and not ended.
    pub effects: Arc<[Effect]>,
    /// What is wrong, the worst first.
    pub alarms: Arc<[OpenAlarm]>,
    /// The newest. One from before `Access::history_from` is not this owner's.
    pub forecast: Option<Arc<Issue>>,
}

/// The energy of a site's day so far, in Wh, in the order of [`domain::sample::Counter::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Today {
    pub day: SiteDay,
    pub energy: [Option<i64>; 5],
}

impl Snapshot {
    pub(crate) fn new(facts: Facts) -> Self {
        Self {
            facts: Arc::new(facts),
            sample: None,
            received_at: None,
            online: false,
            since: None,
            changed_at: 0,
            boot: 0,
            gateway: GatewayId::default(),
            tally: None,
            messages: Arc::from([]),
            update: None,
            effects: Arc::from([]),
            alarms: Arc::from([]),
            forecast: None,
        }
    }

    /// Where the battery stands; `None` before the first contact.
    pub(crate) fn presence(&self) -> Option<Presence> {
        Some(Presence {
            online: self.online,
            since: self.since?,
            boot: self.boot,
            gateway: self.gateway,
        })
    }

    pub(crate) fn stand(&mut self, presence: Presence) {
        self.online = presence.online;
        self.since = Some(presence.since);
        self.boot = presence.boot;
        self.gateway = presence.gateway;
    }

    /// Only a newer sample moves the live value; every one says that the battery is there. Says whether the day has to be
    /// counted again: our clock was ahead, and what it stamped then is not newer than what comes now.
    pub(crate) fn take_sample(&mut self, sample: &Sample, received_at: Millis) -> bool {
        self.heard(received_at);
        if sample.id.unit < self.facts.unit {
            // Of the unit that stood there before, and on its way when that was exchanged.
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
            self.count(sample);
        }
        false
    }

    /// The battery said something; a time that our clock gave while it was ahead is forgotten.
    pub(crate) fn heard(&mut self, at: Millis) {
        let known = self
            .received_at
            .filter(|known| *known <= at + MAX_CLOCK_SKEW);
        self.received_at = known.max(Some(at));
    }

    fn count(&mut self, sample: &Sample) {
        let zone = &self.facts.zone;
        let Some(tally) = &mut self.tally else { return };
        if sample.at >= tally.span.end {
            tally.turn_to(zone.bounds(zone.day_of(sample.at)));
        }
        tally.add(sample);
    }

    /// Goes on from what the store counted; the newest sample may be newer than that.
    pub(crate) fn start_day(&mut self, tally: Tally) {
        self.tally = Some(tally);
        if let Some(sample) = self.sample {
            self.count(&sample);
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

    /// Takes from an older view what the database knows less well.
    pub(crate) fn take_newer(&mut self, before: &Self) {
        if let Some(sample) = &before.sample {
            self.take_sample(sample, before.received_at.unwrap_or(sample.at));
        }
        if let Some(at) = before.received_at {
            self.heard(at);
        }
        // What was committed while the database was being read.
        if before.since > self.since
            && let Some(presence) = before.presence()
        {
            self.stand(presence);
        }
        let newest = |messages: &[LoggedEvent]| messages.first().map(|event| (event.at, event.id));
        if newest(&before.messages) > newest(&self.messages) {
            self.messages = Arc::clone(&before.messages);
        }
        self.tally = self.tally.take().or_else(|| before.tally.clone());
        // They are read by themselves.
        self.alarms = Arc::clone(&before.alarms);
        self.forecast = before.forecast.clone();
    }

    /// Whether its main switch is on, by its newest sample; `None` before the first.
    pub fn switched_on(&self) -> Option<bool> {
        self.sample.map(|sample| sample.flags.switched_on())
    }

    /// Whether the battery may begin this update now: one that needs its main switch off only while it is off. What has
    /// begun goes on.
    pub(crate) fn may_begin(&self, job: &UpdateJob) -> bool {
        let ready = !self.facts.update_needs_off || self.switched_on() == Some(false);
        ready || job.state != JobState::Waiting
    }

    /// Whether nothing was heard of it since then.
    pub(crate) fn is_quiet_since(&self, limit: Millis) -> bool {
        self.received_at.is_none_or(|at| at < limit)
    }

    /// Puts an event in its place by time; what falls off the end is not served any more.
    pub(crate) fn log(&mut self, event: LoggedEvent) {
        let mut messages = self.messages.to_vec();
        let place = messages.partition_point(|other| (other.at, other.id) > (event.at, event.id));
        messages.insert(place, event);
        store::event::keep_served(&mut messages);
        self.messages = messages.into();
    }
}
