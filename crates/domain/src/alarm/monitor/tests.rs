use super::super::{AlarmKind, BatteryPresence, UpdateOutcome};
use super::*;
use crate::Sample;
use crate::clock::{DAY, HOUR, SECOND};
use crate::flags::{Flags, MESSAGE1, MESSAGE2, bit};
use crate::sample::{BatteryStatus, MessageId};
use proptest::prelude::*;

const START: Millis = 1_794_740_400_000;
const TICK: Millis = 30 * SECOND;

fn sample(at: Millis) -> Sample {
    Sample {
        at,
        id: MessageId::new(1, 1),
        voltage: [None; 3],
        frequency: None,
        meter_power: [None; 3],
        grid_power: Some(0),
        pv_power: Some(0),
        battery_power: Some(0),
        soc: Some(500),
        counters: [Some(0); 5],
        status: BatteryStatus::Standby,
        flags: Flags::default(),
    }
}

/// A system that is checked every 30 s, and whose alarms are stored at once.
struct AlarmStory {
    now: Millis,
    monitor: AlarmMonitor,
    open: Vec<ActiveAlarm>,
    changes: Vec<(Millis, AlarmChange)>,
}

impl AlarmStory {
    fn new() -> Self {
        Self {
            now: START,
            monitor: AlarmMonitor::default(),
            open: Vec::new(),
            changes: Vec::new(),
        }
    }

    fn see(&mut self, evidence: &Evidence<'_>) {
        for change in self.monitor.check(evidence, &self.open) {
            self.changes.push((evidence.now - START, change));
            match change {
                AlarmChange::Open { kind, counter, .. } => {
                    self.open.push(ActiveAlarm { kind, counter })
                }
                AlarmChange::Close(kind) => self.open.retain(|open| open.kind != kind),
            }
        }
    }

    /// Online for `time`, with samples changed like this.
    fn online(&mut self, time: Millis, change: impl Fn(&mut Sample)) -> &mut Self {
        for _ in 0..time / TICK {
            self.now += TICK;
            let mut sample = sample(self.now);
            change(&mut sample);
            self.see(&Evidence {
                now: self.now,
                presence: BatteryPresence::Online,
                reachable_since: Some(START - DAY),
                sample: Some(&sample),
                update: UpdateOutcome::Unknown,
            });
        }
        self
    }

    /// Offline for `time`, while batteries can reach the server since `reachable`.
    fn offline(&mut self, time: Millis, reachable: Option<Millis>) -> &mut Self {
        let gone = self.now;
        let last = sample(self.now);
        for _ in 0..time / TICK {
            self.now += TICK;
            self.see(&Evidence {
                now: self.now,
                presence: BatteryPresence::OfflineSince(gone),
                reachable_since: reachable,
                sample: Some(&last),
                update: UpdateOutcome::Failed,
            });
        }
        self
    }

    /// The process restarts: its memory is lost, open alarms are not.
    fn restart(&mut self) -> &mut Self {
        self.monitor = AlarmMonitor::default();
        self
    }

    fn kinds(&self) -> Vec<(AlarmKind, bool)> {
        let kind = |(_, change): &(Millis, AlarmChange)| match change {
            AlarmChange::Open { kind, .. } => (*kind, true),
            AlarmChange::Close(kind) => (*kind, false),
        };
        self.changes.iter().map(kind).collect()
    }
}

/// Changes a sample so that it shows a fault.
type FaultySample<'a> = &'a dyn Fn(&mut Sample);

fn well(_: &mut Sample) {}

fn flag(name: &'static str) -> impl Fn(&mut Sample) {
    move |sample| sample.flags.message2 |= bit(MESSAGE2, name)
}

#[test]
fn each_fault_opens_after_its_time_and_closes_after_its_own() {
    let empty = |sample: &mut Sample| sample.status = BatteryStatus::Empty;
    let faults: [(AlarmKind, FaultySample<'_>); 4] = [
        (AlarmKind::BatteryError, &flag("bat")),
        (AlarmKind::NaSchutz, &flag("na_schutz")),
        (AlarmKind::MeterError, &flag("sm1")),
        (AlarmKind::SocFloor, &empty),
    ];
    for (kind, fault) in faults {
        let mut story = AlarmStory::new();
        story.online(kind.opens_after(), fault);
        assert_eq!(story.kinds(), [], "{kind:?} too early");
        story.online(TICK, fault);
        assert_eq!(story.kinds(), [(kind, true)]);
        let (_, AlarmChange::Open { since, .. }) = story.changes[0] else {
            panic!("{:?}", story.changes)
        };
        assert_eq!(since, START + TICK, "{kind:?} began with the first sample");
        story.online(kind.closes_after(), well);
        assert_eq!(story.kinds().len(), 1, "{kind:?} over too early");
        story.online(TICK, well);
        assert_eq!(story.kinds(), [(kind, true), (kind, false)]);
    }
}

#[test]
fn a_flag_that_flaps_is_one_alarm() {
    let mut story = AlarmStory::new();
    for _ in 0..60 {
        story
            .online(2 * MINUTE, flag("na_schutz"))
            .online(3 * MINUTE, well);
    }
    assert_eq!(story.kinds(), [(AlarmKind::NaSchutz, true)]);
}

#[test]
fn a_moment_is_no_alarm() {
    let mut story = AlarmStory::new();
    story
        .online(MINUTE, flag("bat"))
        .online(HOUR, well)
        .online(MINUTE, flag("bat"))
        .online(HOUR, well);
    assert_eq!(story.kinds(), []);
}

#[test]
fn who_is_gone_for_a_quarter_of_an_hour_is_offline_until_back_for_five_minutes() {
    let mut story = AlarmStory::new();
    story
        .online(HOUR, well)
        .offline(15 * MINUTE - TICK, Some(0));
    assert_eq!(story.kinds(), []);
    story.offline(HOUR, Some(0));
    assert_eq!(story.kinds(), [(AlarmKind::Offline, true)]);
    story.online(4 * MINUTE, well);
    assert_eq!(story.kinds().len(), 1);
    story.online(2 * MINUTE, well);
    assert_eq!(
        story.kinds(),
        [(AlarmKind::Offline, true), (AlarmKind::Offline, false)]
    );
}

#[test]
fn our_own_outage_makes_nobody_offline() {
    let mut story = AlarmStory::new();
    story.online(HOUR, well).offline(5 * HOUR, None);
    assert_eq!(story.kinds(), [], "nobody could have reached us");
    let back = story.now;
    story.offline(14 * MINUTE, Some(back));
    assert_eq!(
        story.kinds(),
        [],
        "they have a quarter of an hour to return"
    );
    story.offline(2 * MINUTE, Some(back));
    assert_eq!(story.kinds(), [(AlarmKind::Offline, true)]);
}

#[test]
fn who_is_gone_is_gone_since_the_last_contact_also_after_a_start_of_ours() {
    let mut story = AlarmStory::new();
    let gone = story.online(HOUR, well).now;
    // The server was down for hours, and has been back for long enough.
    story.now += 5 * HOUR;
    let back = story.now;
    for _ in 0..16 {
        story.now += MINUTE;
        let evidence = Evidence {
            now: story.now,
            presence: BatteryPresence::OfflineSince(gone),
            reachable_since: Some(back),
            sample: None,
            update: UpdateOutcome::Unknown,
        };
        story.see(&evidence);
    }
    let opened = story.changes.iter().map(|(at, change)| (*at, *change));
    let offline = AlarmChange::Open {
        kind: AlarmKind::Offline,
        since: gone,
        counter: None,
    };
    let at = back + 15 * MINUTE - START;
    assert_eq!(opened.collect::<Vec<_>>(), [(at, offline)]);
}

#[test]
fn an_outage_of_ours_that_nobody_looked_at_counts_as_one() {
    let mut story = AlarmStory::new();
    story.online(HOUR, well).offline(10 * MINUTE, Some(0));
    // The machine was suspended.
    story.now += 5 * HOUR;
    let back = story.now;
    story.offline(14 * MINUTE, Some(back));
    assert_eq!(story.kinds(), []);
    story.offline(2 * MINUTE, Some(back));
    assert_eq!(story.kinds(), [(AlarmKind::Offline, true)]);
}

#[test]
fn what_is_unknown_closes_nothing_and_opens_nothing_else() {
    let mut story = AlarmStory::new();
    story.online(HOUR, flag("bat")).offline(3 * HOUR, Some(0));
    let both = [(AlarmKind::BatteryError, true), (AlarmKind::Offline, true)];
    assert_eq!(story.kinds(), both);
    story.online(MINUTE, flag("bat"));
    assert_eq!(story.kinds(), both);
}

#[test]
fn a_restart_opens_nothing_twice_and_loses_no_closing() {
    let mut story = AlarmStory::new();
    story.online(HOUR, flag("bat")).restart();
    story.online(HOUR, flag("bat")).restart();
    assert_eq!(story.kinds(), [(AlarmKind::BatteryError, true)]);
    story.online(4 * MINUTE, well).restart().online(HOUR, well);
    assert_eq!(
        story.kinds(),
        [
            (AlarmKind::BatteryError, true),
            (AlarmKind::BatteryError, false)
        ]
    );
}

#[test]
fn what_takes_a_day_is_not_forgotten_by_a_restart() {
    let empty = |sample: &mut Sample| sample.status = BatteryStatus::Empty;
    let mut story = AlarmStory::new();
    story.online(20 * HOUR, empty);
    let since = story
        .monitor
        .low_charge_since()
        .expect("it has been empty for long");
    story.monitor = AlarmMonitor::with_low_charge_since(since);
    story.online(5 * HOUR, empty);
    assert_eq!(story.kinds(), [(AlarmKind::SocFloor, true)]);
    story.online(2 * HOUR, well);
    assert_eq!(story.monitor.low_charge_since(), None);
}

#[test]
fn a_silent_meter_of_a_storage_that_is_off_or_under_test_is_no_fault() {
    let off = |sample: &mut Sample| {
        sample.flags.message2 |= bit(MESSAGE2, "aus") | bit(MESSAGE2, "sm1");
    };
    let testing = |sample: &mut Sample| {
        sample.flags.message2 |= bit(MESSAGE2, "sm1");
        sample.flags.message1 |= bit(MESSAGE1, "sm_test");
    };
    let mut story = AlarmStory::new();
    story.online(HOUR, off).online(HOUR, testing);
    assert_eq!(story.kinds(), []);
}

#[test]
fn an_update_that_failed_is_an_alarm_until_one_went_well() {
    let mut story = AlarmStory::new();
    let mut end = |update: UpdateOutcome| {
        story.now += TICK;
        let sample = sample(story.now);
        let now = story.now;
        story.see(&Evidence {
            now,
            presence: BatteryPresence::Online,
            reachable_since: Some(0),
            sample: Some(&sample),
            update,
        });
        story.kinds().len()
    };
    let lengths = [
        end(UpdateOutcome::Unknown),
        end(UpdateOutcome::Failed),
        end(UpdateOutcome::Failed),
        end(UpdateOutcome::Unknown),
        end(UpdateOutcome::NoFailure),
    ];
    assert_eq!(lengths, [0, 1, 1, 1, 2]);
}

/// 500 W from the roof, counted or not.
fn sunshine(counted: bool) -> impl Fn(&mut Sample) {
    move |sample| {
        sample.pv_power = Some(500);
        sample.grid_power = Some(-500);
        let energy = (sample.at - START) / 7_200;
        sample.counters = [Some(0), Some(energy), Some(7), Some(0), Some(0)];
        if counted {
            sample.counters[Counter::Pv as usize] = Some(7 + energy);
        }
    }
}

#[test]
fn a_counter_that_stands_while_energy_flows_has_stopped_until_it_moves() {
    let mut story = AlarmStory::new();
    story.online(HOUR, sunshine(true));
    assert_eq!(story.kinds(), []);
    story.online(30 * MINUTE, sunshine(false));
    assert_eq!(story.kinds(), []);
    story.online(10 * MINUTE, sunshine(false));
    assert_eq!(story.kinds(), [(AlarmKind::CounterStopped, true)]);
    let (_, AlarmChange::Open { counter, .. }) = story.changes[0] else {
        panic!("{:?}", story.changes)
    };
    assert_eq!(counter, Some(Counter::Pv));
    // At night nothing flows. That does not prove that the counter moves again, and neither does a restart.
    let night = |sample: &mut Sample| {
        sunshine(false)(sample);
        (sample.pv_power, sample.grid_power) = (Some(0), Some(0));
    };
    story.online(HOUR, night).restart().online(HOUR, night);
    story.restart().online(10 * MINUTE, sunshine(false));
    assert_eq!(story.kinds().len(), 1);
    story.online(10 * MINUTE, sunshine(true));
    assert_eq!(
        story.kinds(),
        [
            (AlarmKind::CounterStopped, true),
            (AlarmKind::CounterStopped, false)
        ]
    );
}

#[test]
fn what_nobody_writes_down_is_asked_for_again_later() {
    let mut monitor = AlarmMonitor::default();
    let mut asked = Vec::new();
    for minute in 0..40 {
        let now = START + minute * MINUTE;
        let mut sample = sample(now);
        flag("bat")(&mut sample);
        let evidence = Evidence {
            now,
            presence: BatteryPresence::Online,
            reachable_since: Some(0),
            sample: Some(&sample),
            update: UpdateOutcome::Unknown,
        };
        if !monitor.check(&evidence, &[]).is_empty() {
            asked.push(minute);
        }
        if minute == 2 {
            monitor.retry_opening();
        }
    }
    assert_eq!(asked, [1, 3, 18, 33]);
}

/// A second, slow and simple implementation of the debouncing, over the whole past.
fn model(kind: AlarmKind, past: &[(Millis, Diagnosis)], open: bool) -> Option<bool> {
    let (now, diagnosis) = *past.last()?;
    // How long there has been no fault at the end of this part of the past.
    let right_for = |until: usize| {
        let stretch = &past[..=until];
        let run = stretch
            .iter()
            .rev()
            .take_while(|(_, diagnosis)| *diagnosis == Diagnosis::Healthy);
        run.last().map(|(begin, _)| stretch[until].0 - begin)
    };
    let healed = |until: usize| right_for(until).is_some_and(|time| time >= kind.closes_after());
    match diagnosis {
        Diagnosis::Unknown => None,
        Diagnosis::Healthy => (open && healed(past.len() - 1)).then_some(false),
        Diagnosis::Faulty(_) => {
            let clean = (0..past.len()).rev().find(|at| {
                (kind == AlarmKind::Offline && past[*at].1 == Diagnosis::Unknown) || healed(*at)
            });
            let episode = &past[clean.map_or(0, |at| at + 1)..];
            let begin = episode.iter().find_map(|(_, diagnosis)| match diagnosis {
                Diagnosis::Faulty(since) => Some(*since),
                _ => None,
            })?;
            (!open && now - begin >= kind.opens_after()).then_some(true)
        }
    }
}

proptest! {
    #[test]
    fn alarms_open_and_close_as_the_plain_model_says(
        kind in prop::sample::select(AlarmKind::ALL.to_vec()),
        steps in prop::collection::vec((1_i64..20, 0_u8..8), 1..80),
    ) {
        let mut state = KindState::default();
        let (mut now, mut open) = (START, false);
        let mut past = Vec::new();
        let unit = (kind.opens_after().max(kind.closes_after()) / 25).max(SECOND);
        for (step, what) in steps {
            now += step * unit;
            let diagnosis = match what {
                0 => Diagnosis::Unknown,
                1..=4 => Diagnosis::Faulty(now),
                _ => Diagnosis::Healthy,
            };
            past.push((now, diagnosis));
            let wanted = model(kind, &past, open);
            let change = state.update(kind, diagnosis, open, None, now);
            let said = change.map(|change| matches!(change, AlarmChange::Open { .. }));
            prop_assert_eq!(said, wanted, "{:?} after {:?}", kind, past);
            open = said.unwrap_or(open);
        }
    }

    #[test]
    fn whatever_happens_alarms_of_a_kind_open_and_close_in_turn(
        steps in prop::collection::vec((0_u8..7, 1_i64..80), 1..40),
    ) {
        let mut story = AlarmStory::new();
        for (what, ticks) in steps {
            let time = ticks * TICK;
            match what {
                0 => story.online(time, well),
                1 => story.online(time, flag("bat")),
                2 => story.online(time, flag("na_schutz")),
                3 => story.online(time, sunshine(false)),
                4 => story.offline(time, Some(0)),
                5 => story.offline(time, None),
                _ => story.restart(),
            };
        }
        for kind in AlarmKind::ALL {
            let own = story.kinds().into_iter().filter(|(other, _)| *other == kind);
            for (place, (_, opens)) in own.enumerate() {
                prop_assert_eq!(opens, place % 2 == 0, "{:?}", kind);
            }
        }
    }
}
