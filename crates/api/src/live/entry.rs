//! The fields of one live entry, with the names of the specification.
use super::in_force::InForceEntry;
use super::update_view::UpdateView;
use crate::flag_sets::{Message1, Message2};
use crate::update_names::{StateName, SwitchName};
use domain::clock::Millis;
use domain::firmware::JobState;
use domain::flags::Flags;
use domain::message::event_text;
use domain::sample::Counter;
use domain::{Lang, Zone};
use store::alarm::OpenAlarm;
use store::event::LoggedEvent;
use store::firmware::UpdateJob;
use utoipa::ToSchema;

/// What a system reported last. Older than 90 s it is still given, with its time; `online` is false then.
#[derive(serde::Serialize, ToSchema)]
#[allow(non_snake_case, reason = "the names of the fields")]
pub(crate) struct LiveEntry {
    pub(super) message1: Message1,
    pub(super) message2: Message2,
    /// off, standby, charging, discharging, full, empty, calibrating or fault; null before the first report, and for several systems that differ.
    pub(super) battery_status: Option<&'static str>,
    /// Newest first.
    pub(super) last_messages: Vec<LastMessage>,
    /// V, of the unit's own phase.
    pub(super) grid_voltage: Option<f64>,
    /// V, per phase.
    pub(super) grid_voltages: [Option<f64>; 3],
    /// W at the meter, per phase; import is positive. Null where this unit does not measure.
    pub(super) meter_powers: [Option<i64>; 3],
    /// W; import is positive, feed-in negative.
    pub(super) grid_power: Option<i64>,
    /// W.
    pub(super) PV_power: Option<i64>,
    /// W; discharge is positive, charge negative.
    pub(super) battery_power: Option<i64>,
    /// %.
    pub(super) SOC: Option<f64>,
    /// W that the house takes: PV + grid + battery.
    pub(super) m8: Option<i64>,
    /// Wh since the site's midnight, as the four below.
    pub(super) charge_energy: Option<i64>,
    pub(super) discharge_energy: Option<i64>,
    pub(super) import_energy: Option<i64>,
    pub(super) feed_in_energy: Option<i64>,
    pub(super) PV_energy: Option<i64>,
    /// Wh that the house took since midnight.
    pub(super) house_energy: Option<i64>,
    /// W for now; null until there are forecasts.
    pub(super) energy_forecast: Option<i64>,
    /// W for now; null until there are forecasts.
    pub(super) load_forecast: Option<i64>,
    /// `YYYY-MM-DD HH:MM:SS` on the site's clock: when this was measured.
    pub(super) time: Option<String>,
    /// IANA name.
    pub(super) time_zone: String,
    /// Minutes ahead of UTC at that time.
    pub(super) time_zone_offset: i32,
    /// The same moment as `time`, in milliseconds since 1970.
    pub(super) measured_at: Option<Millis>,
    /// When the portal heard of the system last.
    pub(super) received_at: Option<Millis>,
    /// The battery reports: its last word is at most 90 s old.
    pub(super) online: bool,
    /// On the site's clock: since when it has been online, or offline.
    pub(super) last_online_from: Option<String>,
    /// The same in milliseconds since 1970.
    pub(super) state_since_at: Option<Millis>,
    /// Online and switched on.
    pub(super) isActive: bool,
    /// Days until the next calibration is due, when the battery has said so.
    pub(super) calibration_days: Option<i64>,
    pub(super) updatable: bool,
    /// How many parts could be updated; null when there was never anything to update.
    pub(super) avalable_updates: Option<u32>,
    pub(super) total_updates: Option<u32>,
    pub(super) update_started: bool,
    pub(super) update_progress: Option<i32>,
    pub(super) update_type: Option<String>,
    /// What makes the battery act otherwise than its settings say, what needs a hand first.
    pub(super) in_force: Vec<InForceEntry>,
    /// How the newest update is; left out when there is none, or it ended long ago.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub(super) update_state: Option<StateName>,
    /// What has to be done at the main switch now, for the update; left out when nothing has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub(super) update_switch: Option<SwitchName>,
    /// Alarms that are open, the worst first.
    pub(super) alarms: Vec<LiveAlarm>,
    /// The language of the texts in here.
    pub(super) lang: &'static str,
    /// Entry -1 only: how many of the `systems` report and are added here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reporting: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) systems: Option<usize>,
}

/// An alarm that is open.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct LiveAlarm {
    pub(super) id: i64,
    /// battery_error, na_schutz, offline, meter_error, counter_stopped, update_failed or soc_floor.
    pub(super) kind: &'static str,
    /// What that is called.
    pub(super) text: &'static str,
    /// What the household can do about it.
    pub(super) next: &'static str,
    /// When it began to be wrong, in milliseconds since 1970.
    pub(super) since: Millis,
    /// Somebody has seen it and takes care.
    pub(super) acknowledged: bool,
    /// Entry -1 only: whose alarm it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sn: Option<String>,
}

#[derive(serde::Serialize, ToSchema)]
pub(crate) struct LastMessage {
    /// `YYYY-MM-DD HH:MM:SS` on the site's clock.
    pub(super) time: String,
    pub(super) code: &'static str,
    pub(super) text: &'static str,
    /// It began, or (false) it is over.
    pub(super) on: bool,
    /// Entry -1 only: whose message it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sn: Option<String>,
}

impl LiveEntry {
    pub(super) fn at(self, at: Option<Millis>, zone: &Zone, now: Millis) -> Self {
        Self {
            time: at.map(|at| zone.clock_text(at)),
            time_zone_offset: zone.offset_minutes(at.unwrap_or(now)),
            ..self
        }
    }

    pub(super) fn with_update(self, update: Option<&UpdateView>) -> Self {
        let Some(update) = update else { return self };
        let job = update.job.as_deref();
        let open = job.filter(|job| job.state.is_open());
        let current = open.and_then(UpdateJob::current).map(|part| part.part);
        let part = current.or_else(|| update.offered.first().map(|(part, _)| *part));
        let count = |number: usize| u32::try_from(number).ok();
        Self {
            updatable: open.is_none() && !update.offered.is_empty(),
            avalable_updates: count(update.offered.len()),
            total_updates: count(open.map_or(update.offered.len(), UpdateJob::parts_left)),
            update_started: open.is_some_and(|job| job.state != JobState::Waiting),
            update_progress: job
                .map(|job| job.wizard_progress(update.offered.iter().map(|(_, id)| *id))),
            update_type: part.map(|part| part.as_str().to_owned()),
            update_state: job.map(|job| StateName::shown(job, update.switch)),
            update_switch: update.switch.map(SwitchName::from),
            ..self
        }
    }

    pub(super) fn with_energy(self, energy: [Option<i64>; 5]) -> Self {
        let of = |counter: Counter| energy[counter as usize];
        let (import, feed_in) = (of(Counter::Import), of(Counter::FeedIn));
        let (charge, discharge, pv) =
            (of(Counter::Charge), of(Counter::Discharge), of(Counter::Pv));
        let house = || Some(pv? + import? + discharge? - feed_in? - charge?);
        Self {
            charge_energy: charge,
            discharge_energy: discharge,
            import_energy: import,
            feed_in_energy: feed_in,
            PV_energy: pv,
            house_energy: house(),
            ..self
        }
    }
}

/// An entry of which only the flags are known yet.
pub(super) fn blank(flags: Flags, zone: &Zone, lang: Lang) -> LiveEntry {
    LiveEntry {
        message1: flags.message1.into(),
        message2: flags.message2.into(),
        battery_status: None,
        last_messages: Vec::new(),
        grid_voltage: None,
        grid_voltages: [None; 3],
        meter_powers: [None; 3],
        grid_power: None,
        PV_power: None,
        battery_power: None,
        SOC: None,
        m8: None,
        charge_energy: None,
        discharge_energy: None,
        import_energy: None,
        feed_in_energy: None,
        PV_energy: None,
        house_energy: None,
        energy_forecast: None,
        load_forecast: None,
        time: None,
        time_zone: zone.name().to_owned(),
        time_zone_offset: 0,
        measured_at: None,
        received_at: None,
        online: false,
        last_online_from: None,
        state_since_at: None,
        isActive: false,
        calibration_days: None,
        updatable: false,
        avalable_updates: None,
        total_updates: None,
        update_started: false,
        update_progress: None,
        update_type: None,
        in_force: Vec::new(),
        update_state: None,
        update_switch: None,
        alarms: Vec::new(),
        lang: lang.code(),
        reporting: None,
        systems: None,
    }
}

pub(super) fn message(
    event: &LoggedEvent,
    zone: &Zone,
    lang: Lang,
    sn: Option<String>,
) -> LastMessage {
    LastMessage {
        time: zone.clock_text(event.at),
        code: event.code.as_str(),
        text: event_text(event.code, event.on, lang),
        on: event.on,
        sn,
    }
}

pub(super) fn alarm(open: &OpenAlarm, lang: Lang, sn: Option<String>) -> LiveAlarm {
    LiveAlarm {
        id: open.id,
        kind: open.kind.as_str(),
        text: open.kind.text(lang),
        next: open.kind.next_step(lang),
        since: open.since,
        acknowledged: open.acknowledged,
        sn,
    }
}

pub(super) fn tenths(value: i64) -> f64 {
    value as f64 / 10.0
}
