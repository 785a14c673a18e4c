//! How much one battery may send. Beyond its quota a battery is throttled: nothing is read from its connection until it has tokens
//! again. Nothing is lost by that, because what was not read was not acknowledged.
//!
//! Every kind of message has a token bucket. The buckets belong to the serial number, not to the connection: reconnecting does not
//! fill them.
use domain::Serial;
use domain::clock::{MINUTE, Millis, SECOND};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Store;
use store::throttled_device::{MessageKind, ThrottledDevice};

const DEFAULT_LIVE_SAMPLES_A_SECOND: u32 = 5;
/// Back-fill of a week (20,160 samples) takes three minutes at 120 samples a second.
const HISTORY_SAMPLES_PER_LIVE_SAMPLE: i64 = 24;
/// What a full bucket holds, as the time that it takes to fill it.
const LIVE_BURST: Millis = MINUTE;
const HISTORY_BURST: Millis = 10 * SECOND;
const OTHER_BURST: Millis = MINUTE;
/// The minimum cost of a message: with fewer samples it still has to be inflated, parsed and acknowledged.
const MIN_HISTORY_TOKENS: usize = 12;
/// Buckets count in thousandths of a token: a rate per second is then a rate per millisecond.
const TOKEN: i64 = 1_000;
/// The shortest time for which a battery is not read.
const MIN_PAUSE: Duration = Duration::from_millis(10);
/// After this long within its quota, being throttled again counts as a new incident and is logged.
const INCIDENT_ENDS_AFTER: Millis = 10 * MINUTE;
/// How often an ongoing incident is written to the database.
const RECORD_INTERVAL: Millis = MINUTE;

/// The sustained rate that every battery may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    live_samples_a_second: i64,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            live_samples_a_second: i64::from(DEFAULT_LIVE_SAMPLES_A_SECOND),
        }
    }
}

impl Quota {
    /// `None` for 0: no quota.
    pub fn of_live_samples_a_second(count: u32) -> Option<Self> {
        (count > 0).then_some(Self {
            live_samples_a_second: i64::from(count),
        })
    }

    /// Tokens a second.
    const fn rate(self, kind: MessageKind) -> i64 {
        match kind {
            MessageKind::Live | MessageKind::Other => self.live_samples_a_second,
            MessageKind::History => self.live_samples_a_second * HISTORY_SAMPLES_PER_LIVE_SAMPLE,
        }
    }

    /// What a full bucket holds, in thousandths of a token.
    const fn burst(self, kind: MessageKind) -> i64 {
        let filled_after = match kind {
            MessageKind::Live => LIVE_BURST,
            MessageKind::History => HISTORY_BURST,
            MessageKind::Other => OTHER_BURST,
        };
        self.rate(kind) * filled_after
    }
}

/// What a message costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) live: usize,
    pub(crate) history: usize,
    pub(crate) other: usize,
}

impl Cost {
    pub(crate) const LIVE_SAMPLE: Self = Self {
        live: 1,
        history: 0,
        other: 0,
    };
    pub(crate) const OTHER: Self = Self {
        live: 0,
        history: 0,
        other: 1,
    };

    pub(crate) fn history(samples: usize) -> Self {
        Self {
            history: samples.max(MIN_HISTORY_TOKENS),
            ..Self::default()
        }
    }

    /// Rejects are written one by one.
    pub(crate) fn with_rejects(self, rejects: usize) -> Self {
        Self {
            other: self.other.max(rejects),
            ..self
        }
    }

    const fn of(self, kind: MessageKind) -> usize {
        match kind {
            MessageKind::Live => self.live,
            MessageKind::History => self.history,
            MessageKind::Other => self.other,
        }
    }
}

/// The quotas of all batteries at this endpoint. It grows to the number of registered devices at most, because only a device that
/// has logged in gets one.
#[derive(Debug)]
pub(crate) struct Quotas {
    quota: Option<Quota>,
    store: Store,
    devices: Mutex<HashMap<Serial, Arc<Mutex<Buckets>>>>,
}

impl Quotas {
    pub(crate) fn new(quota: Option<Quota>, store: Store) -> Self {
        Self {
            quota,
            store,
            devices: Mutex::default(),
        }
    }

    /// The quota of a device that has logged in; `None` if there are no quotas.
    pub(crate) fn of(self: &Arc<Self>, sn: &Serial, now: Millis) -> Option<DeviceQuota> {
        let quota = self.quota?;
        let mut devices = lock(&self.devices);
        let buckets = devices.entry(sn.clone());
        let buckets = buckets.or_insert_with(|| Arc::new(Mutex::new(Buckets::full(quota, now))));
        Some(DeviceQuota {
            buckets: Arc::clone(buckets),
            quotas: Arc::clone(self),
        })
    }
}

/// Why and for how long a battery is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pause {
    pub(crate) kind: MessageKind,
    pub(crate) duration: Duration,
}

/// One device's quota, shared by its connections.
#[derive(Debug)]
pub(crate) struct DeviceQuota {
    buckets: Arc<Mutex<Buckets>>,
    quotas: Arc<Quotas>,
}

impl DeviceQuota {
    /// Charges a message that was read. The bucket may go into debt, because the number of samples is known only after reading.
    pub(crate) fn charge(&self, cost: Cost, now: Millis) {
        lock(&self.buckets).charge(cost, now);
    }

    /// For how long nothing may be read from the battery; `None` if it may send.
    pub(crate) fn pause(&self, now: Millis) -> Option<Pause> {
        lock(&self.buckets).pause(now)
    }

    /// Notifies the operator: one log line when throttling begins, and a row that is updated once a minute.
    pub(crate) async fn report_throttled(&self, sn: &Serial, kind: MessageKind, now: Millis) {
        let change = lock(&self.buckets).incident(now);
        if change.begins {
            tracing::warn!(
                %sn,
                messages = kind.as_str(),
                "device_throttled: it sends more than its quota and is read more slowly; `suncellar admin list-throttled` lists all"
            );
        }
        if change.record {
            let device = ThrottledDevice {
                sn: sn.clone(),
                kind,
                since: change.since,
                at: now,
            };
            if let Err(error) = self.quotas.store.record_throttled(&device).await {
                tracing::warn!(%sn, %error, "throttled_device_not_recorded: retrying in a minute");
            }
        }
    }
}

#[derive(Debug)]
struct Buckets {
    quota: Quota,
    /// In thousandths, by [`MessageKind::ALL`]; negative is debt.
    tokens: [i64; 3],
    refilled_at: Millis,
    incident: Option<Incident>,
}

/// A period in which the battery is throttled again and again.
#[derive(Clone, Copy, Debug)]
struct Incident {
    since: Millis,
    last: Millis,
    recorded_at: Millis,
}

/// What the operator has to know of an incident now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IncidentChange {
    since: Millis,
    begins: bool,
    record: bool,
}

impl Buckets {
    fn full(quota: Quota, now: Millis) -> Self {
        Self {
            quota,
            tokens: MessageKind::ALL.map(|kind| quota.burst(kind)),
            refilled_at: now,
            incident: None,
        }
    }

    /// If the clock was set back, nothing is refilled; refilling continues from the new time.
    fn refill(&mut self, now: Millis) {
        let elapsed = (now - self.refilled_at).clamp(0, MINUTE);
        self.refilled_at = now;
        for (tokens, kind) in self.tokens.iter_mut().zip(MessageKind::ALL) {
            let filled = *tokens + elapsed * self.quota.rate(kind);
            *tokens = filled.min(self.quota.burst(kind));
        }
    }

    fn charge(&mut self, cost: Cost, now: Millis) {
        self.refill(now);
        for (tokens, kind) in self.tokens.iter_mut().zip(MessageKind::ALL) {
            *tokens -= i64::try_from(cost.of(kind)).unwrap_or(0) * TOKEN;
        }
    }

    fn pause(&mut self, now: Millis) -> Option<Pause> {
        self.refill(now);
        let tokens = self.tokens.iter().zip(MessageKind::ALL);
        let empty = tokens.filter(|(tokens, _)| **tokens <= 0);
        let pauses = empty.map(|(tokens, kind)| {
            let wait = -tokens / self.quota.rate(kind) + 1;
            let wait = Duration::from_millis(wait.unsigned_abs());
            Pause {
                kind,
                duration: wait.max(MIN_PAUSE),
            }
        });
        pauses.max_by_key(|pause| pause.duration)
    }

    fn incident(&mut self, now: Millis) -> IncidentChange {
        let ongoing = self
            .incident
            .filter(|incident| now - incident.last < INCIDENT_ENDS_AFTER);
        let mut incident = ongoing.unwrap_or(Incident {
            since: now,
            last: now,
            recorded_at: now,
        });
        let record = ongoing.is_none() || now - incident.recorded_at >= RECORD_INTERVAL;
        if record {
            incident.recorded_at = now;
        }
        incident.last = now;
        self.incident = Some(incident);
        IncidentChange {
            since: incident.since,
            begins: ongoing.is_none(),
            record,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
