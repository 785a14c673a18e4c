//! All systems of a caller as one entry.
use super::Seen;
use super::entry::{LastMessage, LiveAlarm, LiveEntry, alarm, blank, message, tenths};
use super::in_force::of_all;
use domain::clock::Millis;
use domain::event::EventKind;
use domain::flags::Flags;
use domain::sample::Counter;
use domain::together::{Sum, Together};
use domain::{EventCode, Lang, Sample};
use std::collections::{HashMap, HashSet};
use store::alarm::OpenAlarm;
use store::event::{LoggedEvent, SERVED_OF_A_KIND};

/// Alarms that are named for all systems together; each system names its own.
const ALARMS: usize = 10;
/// Systems and codes among which errors that go on are looked for: a large fleet has its alarms for that.
const NAMED_CODES: usize = 1_000;

/// All systems as one: what reports is added, its oldest value tells the age.
pub(super) fn all(
    seen: &[Seen<'_>],
    reporting: &[&Seen<'_>],
    lang: Lang,
    now: Millis,
) -> LiveEntry {
    let zone = seen[0].access.zone();
    let samples = || reporting.iter().filter_map(|one| one.sample());
    // A value that one of them does not measure is not known for all.
    let add = |part: fn(&Sample) -> Option<i32>| {
        let values = samples().map(|sample| part(sample).map(i64::from));
        values
            .sum::<Option<i64>>()
            .filter(|_| !reporting.is_empty())
    };
    let gather = |rule, value: &dyn Fn(&Seen<'_>) -> Option<i64>| {
        let mut sum = Sum::new(rule);
        for one in reporting {
            if let Some(value) = value(one) {
                sum.take(value, one.access.capacity());
            }
        }
        sum.value()
    };
    let phase = |place: usize| {
        let voltage = |one: &Seen<'_>| one.sample()?.voltage[place].map(i64::from);
        gather(Together::Mean, &voltage).map(tenths)
    };
    let soc = |one: &Seen<'_>| one.sample()?.soc.map(i64::from);
    let today: Vec<[Option<i64>; 5]> = reporting.iter().map(|one| one.today(now)).collect();
    let energy = Counter::ALL.map(|counter| {
        let values = today.iter().map(|energy| energy[counter as usize]);
        values.sum::<Option<i64>>().filter(|_| !today.is_empty())
    });
    // One that nobody forecasts makes the sum unknown.
    let expected = |part: fn((i64, i64)) -> i64| {
        let values = seen.iter().map(|one| one.forecast(now).map(part));
        values.sum::<Option<i64>>()
    };
    let oldest = samples().map(|sample| sample.at).min();
    let mut statuses = samples().map(|sample| sample.status.as_str());
    let first = statuses.next();
    let days = seen.iter().filter_map(|one| one.calibration_days(now));
    LiveEntry {
        battery_status: first.filter(|first| statuses.all(|other| other == *first)),
        last_messages: all_messages(seen, lang),
        grid_voltage: gather(Together::Mean, &|one| one.voltage()).map(tenths),
        grid_voltages: [phase(0), phase(1), phase(2)],
        grid_power: add(|sample| sample.grid_power),
        PV_power: add(|sample| sample.pv_power),
        battery_power: add(|sample| sample.battery_power),
        SOC: gather(Together::Weigh, &soc).map(tenths),
        m8: add(Sample::house_power),
        energy_forecast: expected(|(_, pv)| pv),
        load_forecast: expected(|(load, _)| load),
        measured_at: oldest,
        received_at: reporting
            .iter()
            .filter_map(|one| one.snapshot.as_ref()?.received_at)
            .min(),
        online: !reporting.is_empty(),
        isActive: seen.iter().any(Seen::is_active),
        calibration_days: days.min(),
        in_force: of_all(seen, now),
        alarms: all_alarms(seen, lang),
        reporting: Some(reporting.len()),
        systems: Some(seen.len()),
        ..blank(any_flag(reporting), zone, lang)
    }
    .at(oldest, zone, now)
    .with_energy(energy)
}

/// A flag of all systems is set when it is set at one of them.
pub(super) fn any_flag(reporting: &[&Seen<'_>]) -> Flags {
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

/// The worst first; each is one of the systems'.
fn all_alarms(seen: &[Seen<'_>], lang: Lang) -> Vec<LiveAlarm> {
    let mut open: Vec<(&Seen<'_>, &OpenAlarm)> = seen
        .iter()
        .flat_map(|one| one.alarms().map(move |open| (one, open)))
        .collect();
    open.sort_by_key(|(_, open)| (open.acknowledged, open.kind, open.id));
    open.truncate(ALARMS);
    let shown = open.into_iter();
    let shown = shown.map(|(one, open)| alarm(open, lang, Some(one.access.sn().to_string())));
    shown.collect()
}

/// The newest of each kind, and the battery errors that go on however old they are.
fn all_messages(seen: &[Seen<'_>], lang: Lang) -> Vec<LastMessage> {
    let mut events: Vec<(&Seen<'_>, &LoggedEvent)> = seen
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
        *count <= SERVED_OF_A_KIND || goes_on && codes.len() <= NAMED_CODES
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
