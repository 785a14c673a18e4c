//! One system as its reader may see it, and its live entry.
use super::entry::{LiveEntry, alarm, blank, message, tenths};
use super::in_force::InForceEntry;
use super::update_view::UpdateView;
use bus::{LiveView, Snapshot};
use domain::clock::{DAY, Millis};
use domain::firmware::SwitchStep;
use domain::flags::Flags;
use domain::in_force::{InForceInputs, InForceReader, in_force};
use domain::{EventCode, Lang, Sample};
use std::sync::Arc;
use store::Access;
use store::alarm::OpenAlarm;
use store::event::LoggedEvent;
use store::firmware::UpdateJob;

/// One system as its reader may see it, without anything from the previous household.
pub(crate) struct VisibleSystem<'a> {
    pub(crate) access: &'a Access,
    pub(super) snapshot: Option<Arc<Snapshot>>,
    pub(super) update: Option<UpdateView>,
    /// Since when the operator's brake stops all changes.
    pub(super) braked_since: Option<Millis>,
}

impl<'a> VisibleSystem<'a> {
    pub(crate) fn new(access: &'a Access, live: &LiveView) -> Self {
        let snapshot = live.get(access.sn());
        let job = snapshot.as_ref().and_then(|now| now.update.clone());
        let job = job.filter(|job| job.created_at > access.history_from());
        let offered = live.offered_parts(access.sn());
        let mut system = Self {
            access,
            snapshot,
            update: None,
            braked_since: live.braked_since(),
        };
        if !offered.is_empty() || job.is_some() {
            let switch = job.as_ref().and_then(|job| system.switch_step(job));
            system.update = Some(UpdateView {
                offered,
                job,
                switch,
            });
        }
        system
    }

    pub(crate) fn sample(&self) -> Option<&Sample> {
        let sample = self.snapshot.as_ref()?.sample.as_ref()?;
        (sample.at >= self.access.history_from()).then_some(sample)
    }

    pub(crate) fn online(&self) -> bool {
        self.snapshot.as_ref().is_some_and(|now| now.online)
    }

    /// Online, with a sample.
    pub(crate) fn reports(&self) -> bool {
        self.online() && self.sample().is_some()
    }

    /// Online and switched on.
    pub(crate) fn is_active(&self) -> bool {
        self.online()
            && self
                .sample()
                .is_none_or(|sample| sample.flags.switched_on())
    }

    /// The battery reports that its main switch is off.
    pub(crate) fn switched_off(&self) -> bool {
        let sample = self.sample();
        sample.is_some_and(|sample| !sample.flags.switched_on())
    }

    /// The battery updates only with its main switch off. This is also assumed before its first report.
    pub(crate) fn update_needs_off(&self) -> bool {
        let facts = self.snapshot.as_ref().map(|now| &now.facts);
        facts.is_none_or(|facts| facts.update_needs_off)
    }

    /// What must be done at the main switch now for this update.
    pub(crate) fn switch_step(&self, job: &UpdateJob) -> Option<SwitchStep> {
        let switch = self.snapshot.as_ref().and_then(|now| now.switched_on());
        let switch = switch.filter(|_| self.online());
        job.switch_step(self.update_needs_off(), switch)
    }

    /// %.
    pub(crate) fn soc(&self) -> Option<f64> {
        let soc = self.sample()?.soc?;
        Some(tenths(i64::from(soc)))
    }

    pub(super) fn messages(&self) -> impl Iterator<Item = &LoggedEvent> {
        let messages = self.snapshot.iter().flat_map(|now| now.events.iter());
        messages.filter(|event| event.at >= self.access.history_from())
    }

    /// Open alarms, the worst first.
    pub(super) fn alarms(&self) -> impl Iterator<Item = &OpenAlarm> {
        let alarms = self.snapshot.iter().flat_map(|now| now.alarms.iter());
        alarms.filter(|alarm| !alarm.dismissed && alarm.opened_at >= self.access.history_from())
    }

    /// Today's energies. Unknown if the day began with another owner.
    pub(super) fn today(&self, now: Millis) -> [Option<i64>; 5] {
        let zone = self.access.zone();
        let today = self.snapshot.as_ref().and_then(|now| now.today());
        let day = zone.day_of(now);
        match today {
            Some(today) if today.day == day && self.access.history_from() <= zone.start_of(day) => {
                today.energy
            }
            _ => [None; 5],
        }
    }

    /// Expected load and sun now, in W.
    pub(super) fn forecast(&self, now: Millis) -> Option<(i64, i64)> {
        let issue = self.snapshot.as_ref()?.forecast.as_deref()?;
        let own = issue.issued_at >= self.access.history_from();
        let (load, pv) = issue.at(now).filter(|_| own)?;
        Some((load[1], pv[1]))
    }

    pub(super) fn flags(&self) -> Flags {
        self.sample()
            .map_or_else(Flags::default, |sample| sample.flags)
    }

    pub(super) fn voltage(&self) -> Option<i64> {
        let own = usize::from(self.access.phase()).checked_sub(1)?;
        let voltage = self.sample()?.voltage.get(own).copied()?;
        voltage.map(i64::from)
    }

    pub(super) fn entry(&self, lang: Lang, now: Millis) -> LiveEntry {
        let zone = self.access.zone();
        let sample = self.sample();
        let power = |part: fn(&Sample) -> Option<i32>| sample.and_then(part).map(i64::from);
        let snapshot = self.snapshot.as_deref();
        let since = snapshot.and_then(|now| now.since);
        let expected = self.forecast(now);
        let last_messages = self
            .messages()
            .map(|event| message(event, zone, lang, None));
        LiveEntry {
            battery_status: sample.map(|sample| sample.status.as_str()),
            last_messages: last_messages.collect(),
            grid_voltage: self.voltage().map(tenths),
            grid_voltages: sample.map_or([None; 3], |sample| {
                sample.voltage.map(|volt| volt.map(i64::from).map(tenths))
            }),
            meter_powers: sample.map_or([None; 3], |sample| {
                sample.meter_power.map(|power| power.map(i64::from))
            }),
            grid_power: power(|sample| sample.grid_power),
            PV_power: power(|sample| sample.pv_power),
            battery_power: power(|sample| sample.battery_power),
            SOC: power(|sample| sample.soc).map(tenths),
            m8: power(Sample::house_power),
            energy_forecast: expected.map(|(_, pv)| pv),
            load_forecast: expected.map(|(load, _)| load),
            measured_at: sample.map(|sample| sample.at),
            received_at: snapshot.and_then(|now| now.last_contact),
            online: self.online(),
            last_online_from: since.map(|at| zone.clock_text(at)),
            state_since_at: since,
            isActive: self.is_active(),
            calibration_days: self.calibration_days(now),
            in_force: self.in_force(now).collect(),
            alarms: self.alarms().map(|open| alarm(open, lang, None)).collect(),
            ..blank(self.flags(), zone, lang)
        }
        .with_update(self.update.as_ref())
        .at(sample.map(|sample| sample.at), zone, now)
        .with_energy(self.today(now))
    }

    pub(super) fn in_force(&self, now: Millis) -> impl Iterator<Item = InForceEntry> {
        let effects = self.snapshot.as_ref().map(|now| now.effects.clone());
        let facts = InForceInputs {
            effects: effects.as_deref().unwrap_or_default(),
            online: self.online(),
            // The last sample of an offline battery does not describe the present.
            sample: self.sample().filter(|_| self.online()),
            update: self.update.as_ref().and_then(UpdateView::progress),
            braked_since: self.braked_since,
            now,
        };
        let reader = InForceReader {
            account: self.access.account(),
            owner: self.access.owner(),
            level: self.access.level(),
            history_from: self.access.history_from(),
        };
        in_force(facts, reader).into_iter().map(InForceEntry::from)
    }

    /// Days left until the calibration that the battery announced.
    pub(super) fn calibration_days(&self, now: Millis) -> Option<i64> {
        let codes = [EventCode::CalibrationDue, EventCode::CalibrationDone];
        let newest = self.messages().find(|event| codes.contains(&event.code))?;
        if newest.code == EventCode::CalibrationDone || !newest.on {
            return None;
        }
        // Without a number of days, the calibration is due now.
        let args = newest.args.as_deref().unwrap_or("{}");
        let args: serde_json::Value = serde_json::from_str(args).ok()?;
        let days = args
            .get("days")
            .map_or(Some(0), serde_json::Value::as_i64)?;
        Some((days - (now - newest.at) / DAY).max(0))
    }
}
