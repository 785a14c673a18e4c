//! The combined entry of all systems of a caller.
use super::entry::{LastMessage, LiveAlarm, LiveEntry, alarm, blank, message, tenths};
use super::in_force::InForceEntry;
use super::visible_system::VisibleSystem;
use domain::aggregate::{Accumulator, Aggregation};
use domain::clock::Millis;
use domain::event::EventKind;
use domain::flags::Flags;
use domain::sample::Counter;
use domain::{EventCode, Lang, Sample};
use std::collections::{HashMap, HashSet};
use store::alarm::OpenAlarm;
use store::event::{LoggedEvent, MAX_SERVED_PER_KIND};

/// How many alarms the combined entry lists; each system's own entry lists all of its alarms.
const MAX_COMBINED_ALARMS: usize = 10;
/// How many pairs of system and code are searched for ongoing errors. A large fleet has its alarms for that.
const MAX_ERROR_CODES: usize = 1_000;

/// All systems combined: values of reporting systems are added, and the oldest one determines the age.
pub(super) fn combined_entry(
    systems: &[VisibleSystem<'_>],
    reporting: &[&VisibleSystem<'_>],
    lang: Lang,
    now: Millis,
) -> LiveEntry {
    let zone = systems[0].access.zone();
    let samples = || reporting.iter().filter_map(|one| one.sample());
    // If one of them does not measure a value, the total is unknown.
    let add = |part: fn(&Sample) -> Option<i32>| {
        let values = samples().map(|sample| part(sample).map(i64::from));
        values
            .sum::<Option<i64>>()
            .filter(|_| !reporting.is_empty())
    };
    let gather = |rule, value: &dyn Fn(&VisibleSystem<'_>) -> Option<i64>| {
        let mut sum = Accumulator::new(rule);
        for one in reporting {
            if let Some(value) = value(one) {
                sum.add(value, one.access.capacity());
            }
        }
        sum.value()
    };
    let phase = |place: usize| {
        let voltage = |one: &VisibleSystem<'_>| one.sample()?.voltage[place].map(i64::from);
        gather(Aggregation::Mean, &voltage).map(tenths)
    };
    let soc = |one: &VisibleSystem<'_>| one.sample()?.soc.map(i64::from);
    let today: Vec<[Option<i64>; 5]> = reporting.iter().map(|one| one.today(now)).collect();
    let energy = Counter::ALL.map(|counter| {
        let values = today.iter().map(|energy| energy[counter as usize]);
        values.sum::<Option<i64>>().filter(|_| !today.is_empty())
    });
    // If one of them has no forecast, the sum is unknown.
    let expected = |part: fn((i64, i64)) -> i64| {
        let values = systems.iter().map(|one| one.forecast(now).map(part));
        values.sum::<Option<i64>>()
    };
    let oldest = samples().map(|sample| sample.at).min();
    let mut statuses = samples().map(|sample| sample.status.as_str());
    let first = statuses.next();
    let days = systems.iter().filter_map(|one| one.calibration_days(now));
    LiveEntry {
        battery_status: first.filter(|first| statuses.all(|other| other == *first)),
        last_messages: all_messages(systems, lang),
        grid_voltage: gather(Aggregation::Mean, &|one| one.voltage()).map(tenths),
        grid_voltages: [phase(0), phase(1), phase(2)],
        grid_power: add(|sample| sample.grid_power),
        PV_power: add(|sample| sample.pv_power),
        battery_power: add(|sample| sample.battery_power),
        SOC: gather(Aggregation::CapacityWeighted, &soc).map(tenths),
        m8: add(Sample::house_power),
        energy_forecast: expected(|(_, pv)| pv),
        load_forecast: expected(|(load, _)| load),
        measured_at: oldest,
        received_at: reporting
            .iter()
            .filter_map(|one| one.snapshot.as_ref()?.last_contact)
            .min(),
        online: !reporting.is_empty(),
        isActive: systems.iter().any(VisibleSystem::is_active),
        calibration_days: days.min(),
        in_force: combined_in_force(systems, now),
        alarms: all_alarms(systems, lang),
        reporting: Some(reporting.len()),
        systems: Some(systems.len()),
        ..blank(any_flag(reporting), zone, lang)
    }
    .at(oldest, zone, now)
    .with_energy(energy)
}

/// A combined flag is set if it is set at any system.
pub(super) fn any_flag(reporting: &[&VisibleSystem<'_>]) -> Flags {
    let mut any = Flags::default();
    for flags in reporting.iter().map(|one| one.flags()) {
        any.message1 |= flags.message1;
        any.message2 |= flags.message2;
        any.message3 |= flags.message3;
        any.message5 |= flags.message5;
        any.message6 |= flags.message6;
    }
    any
}

/// The worst first; each names its system.
fn all_alarms(systems: &[VisibleSystem<'_>], lang: Lang) -> Vec<LiveAlarm> {
    let mut open: Vec<(&VisibleSystem<'_>, &OpenAlarm)> = systems
        .iter()
        .flat_map(|one| one.alarms().map(move |open| (one, open)))
        .collect();
    open.sort_by_key(|(_, open)| (open.acknowledged, open.kind, open.id));
    open.truncate(MAX_COMBINED_ALARMS);
    let shown = open.into_iter();
    let shown = shown.map(|(one, open)| alarm(open, lang, Some(one.access.sn().to_string())));
    shown.collect()
}

/// The newest of each kind, and ongoing battery errors regardless of their age.
fn all_messages(systems: &[VisibleSystem<'_>], lang: Lang) -> Vec<LastMessage> {
    let mut events: Vec<(&VisibleSystem<'_>, &LoggedEvent)> = systems
        .iter()
        .flat_map(|one| one.messages().map(move |event| (one, event)))
        .collect();
    events.sort_by_key(|(_, event)| std::cmp::Reverse((event.at, event.id)));
    let mut of_kind: HashMap<EventKind, usize> = HashMap::new();
    let mut codes: HashSet<(&str, EventCode)> = HashSet::new();
    events.retain(|(one, event)| {
        let newest = codes.insert((one.access.sn().as_str(), event.code));
        let kind = event.code.kind();
        let count = of_kind.entry(kind).or_default();
        *count += 1;
        let goes_on = newest && event.on && kind == EventKind::BatteryError;
        *count <= MAX_SERVED_PER_KIND || goes_on && codes.len() <= MAX_ERROR_CODES
    });
    let shown = events.into_iter().map(|(one, event)| {
        message(
            event,
            one.access.zone(),
            lang,
            Some(one.access.sn().to_string()),
        )
    });
    shown.collect()
}

/// For all systems combined: each entry names its system; the brake is the same for all and appears once.
fn combined_in_force(systems: &[VisibleSystem<'_>], now: Millis) -> Vec<InForceEntry> {
    /// A household has only a few; for a fleet, they are read per system.
    const MAX_COMBINED_ENTRIES: usize = 20;
    let mut braked = false;
    let each = systems.iter().flat_map(|one| {
        let sn = one.access.sn();
        one.in_force(now).map(move |mut entry| {
            entry.sn = (entry.kind != "brake").then(|| sn.to_string());
            entry
        })
    });
    each.filter(|entry| entry.kind != "brake" || !std::mem::replace(&mut braked, true))
        .take(MAX_COMBINED_ENTRIES)
        .collect()
}
