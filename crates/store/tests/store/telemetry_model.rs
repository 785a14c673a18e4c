//! Samples come late, repeated and shuffled, and days are sealed at any moment: the answers are those of a plain list of samples.
#![allow(clippy::unwrap_used)]
use crate::telemetry_fixture::model::Model;
use crate::telemetry_fixture::{home, sample};
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};
use domain::sample::{BatteryStatus, MessageId};
use domain::series::{Method, Resolution};
use domain::shard::ShardSet;
use domain::{Key, Sample, Serial, Series, SiteDay};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use service::replacement::Replacement;
use store::presence::GatewayId;
use store::report::{Report, ReportBody};
use store::system::NewDevice;
use store::{Access, Store};
use testkit::{TestDb, on_both, service_at};

#[derive(Clone, Debug)]
enum StoreAction {
    /// Time passes and this many samples are measured, one every so many seconds; some are only sent later.
    Live {
        count: usize,
        every: i64,
        seed: u64,
    },
    /// Nothing is measured for a while.
    Silence(Millis),
    /// Samples that were held back are sent in any order, some of them twice.
    BackFill {
        seed: u64,
    },
    Seal,
    /// The log is folded into chunks.
    Fold,
    /// The process is killed and starts again: what was in memory is gone.
    Restart,
    /// The unit is replaced by another one that has been connected for a while.
    Exchange {
        before: Millis,
        seed: u64,
    },
}

fn step() -> impl Strategy<Value = StoreAction> {
    prop_oneof![
        4 => (1usize..60, prop_oneof![Just(30i64), Just(300), Just(797)], any::<u64>())
            .prop_map(|(count, every, seed)| StoreAction::Live { count, every, seed }),
        1 => (0i64..40 * HOUR).prop_map(StoreAction::Silence),
        2 => any::<u64>().prop_map(|seed| StoreAction::BackFill { seed }),
        2 => Just(StoreAction::Seal),
        2 => Just(StoreAction::Fold),
        1 => Just(StoreAction::Restart),
        1 => (0i64..60 * HOUR, any::<u64>()).prop_map(|(before, seed)| StoreAction::Exchange { before, seed }),
    ]
}

fn draw(seed: &mut u64, below: u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % below
}

/// The store, the model, and the samples that were not sent yet.
struct ModelRun<'a> {
    db: &'a TestDb,
    store: Store,
    /// A repeat may count as new to a process that did not receive it. It is stored once nevertheless.
    has_restarted: bool,
    access: Access,
    model: Model,
    now: Millis,
    seq: u32,
    boot: u32,
    counters: [i64; 5],
    unsent: Vec<Sample>,
    /// Every unit of the site, and since when.
    units: Vec<(Serial, Millis)>,
}

impl ModelRun<'_> {
    async fn run(&mut self, step: StoreAction) {
        match step {
            StoreAction::Live {
                count,
                every,
                mut seed,
            } => {
                let mut live = Vec::new();
                for _ in 0..count {
                    self.now += every * SECOND + draw(&mut seed, 2_000) as i64 - 1_000;
                    let sample = self.measure(&mut seed);
                    match draw(&mut seed, 5) {
                        0 => self.unsent.push(sample),
                        1 => live.extend([sample, sample]),
                        _ => live.push(sample),
                    }
                    if live.len() >= 20 || every > 60 {
                        self.send(&std::mem::take(&mut live)).await;
                    }
                }
                self.send(&live).await;
            }
            StoreAction::Silence(millis) => self.now += millis,
            StoreAction::BackFill { mut seed } => {
                for place in (1..self.unsent.len()).rev() {
                    let other = draw(&mut seed, place as u64 + 1) as usize;
                    self.unsent.swap(place, other);
                }
                if self.db.db().is_shared() {
                    // By then another process has folded what a killed one left.
                    let later = self.now + HOUR;
                    let telemetry = &self.store.telemetry;
                    telemetry.fold_abandoned(later).await.unwrap();
                }
                let count = draw(&mut seed, self.unsent.len() as u64 + 1) as usize;
                let mut sent: Vec<Sample> = self.unsent.drain(..count).collect();
                // Some are repeated with another time.
                for _ in 0..draw(&mut seed, 4) {
                    let known = &self.model.samples;
                    if !known.is_empty() {
                        let mut again = known[draw(&mut seed, known.len() as u64) as usize];
                        again.at += draw(&mut seed, 3) as i64;
                        sent.push(again);
                    }
                }
                self.send(&sent).await;
            }
            StoreAction::Seal => {
                self.store
                    .telemetry
                    .seal_due(ShardSet::ALL, self.now)
                    .await
                    .unwrap();
            }
            StoreAction::Fold => self.store.telemetry.fold(self.now).await.unwrap(),
            StoreAction::Restart => {
                self.store = self.db.open_again().await;
                self.has_restarted = true;
            }
            StoreAction::Exchange { before, seed } => self.exchange(before, seed).await,
        }
    }

    /// The new unit counts its boots from 1, its counters are a little above those of the old one, and it was added `before`.
    async fn exchange(&mut self, before: Millis, mut seed: u64) {
        let old = self.access.sn().as_str();
        let new: Serial = format!("{}{:02}", &old[..8], self.units.len())
            .parse()
            .unwrap();
        let device = NewDevice {
            sn: &new,
            phase: 1,
            secret: new.as_str().as_bytes(),
        };
        service_at(self.db, self.now)
            .import_devices(&[device])
            .await
            .unwrap();
        let (owner, linked) = (self.access.account(), self.now - before);
        self.db
            .execute(&format!(
                "UPDATE systems SET owner_id = {}, linked_at = {linked} WHERE sn = '{}'",
                owner.0,
                new.as_str()
            ))
            .await;
        let known = self.model.samples.iter().map(|sample| sample.at);
        let last = known.max().map_or(0, |last| last + 1);
        let since = linked.max(last);
        (self.boot, self.seq) = (1, 0);
        for counter in &mut self.counters {
            *counter += draw(&mut seed, 40) as i64;
        }
        self.units.push((new.clone(), since));
        let (mut at, end) = (linked - HOUR, self.now);
        let mut own = Vec::new();
        while at < end {
            self.now = at;
            own.push(self.measure(&mut seed));
            at += 797 * SECOND;
        }
        self.now = end;
        let first = own.iter().find(|sample| sample.at >= since);
        let from = first.map_or(end, |sample| sample.at.min(end));
        let unit = self.units.len() - 1;
        self.units[unit].1 = from;
        // Some of it is sealed before the exchange is known.
        self.report(unit, &own).await;
        if draw(&mut seed, 2) == 0 {
            self.store
                .telemetry
                .seal_due(ShardSet::ALL, self.now)
                .await
                .unwrap();
        }
        let service = service_at(&self.store, self.now);
        let key = Key::Serial(new.clone());
        let replaced = service.replace_unit(&self.access, &key);
        let replaced = replaced.await.unwrap();
        assert_eq!(replaced, Replacement::Done(new.clone()));
        for sample in own.into_iter().filter(|sample| sample.at >= from) {
            self.model.append(sample);
        }
        self.access = self.db.access(owner, &new).await.unwrap().unwrap();
    }

    /// Sends samples of this unit with its own message numbers. Returns how many were new at the site.
    async fn report(&self, unit: usize, samples: &[Sample]) -> usize {
        let raw = samples.iter().map(|sample| Sample {
            id: sample.id.with_unit(0),
            ..*sample
        });
        let report = Report {
            sn: self.units[unit].0.clone(),
            received_at: self.now,
            body: ReportBody::BackFill {
                samples: raw.collect(),
                undated: Vec::new(),
            },
        };
        let reports = std::slice::from_ref(&report);
        let outcomes = self.store.append(reports, GatewayId::default()).await;
        let outcomes = outcomes.unwrap();
        let filed = match &outcomes[0].rerouted {
            Some(filed) => filed.clone(),
            None => vec![(report, outcomes[0].clone())],
        };
        let here = filed
            .iter()
            .filter(|(report, _)| report.sn == *self.access.sn());
        here.flat_map(|(_, outcome)| &outcome.new)
            .filter(|new| **new)
            .count()
    }

    /// Whether the sample's unit was at the site at that time.
    fn stood(&self, sample: &Sample) -> bool {
        let unit = usize::from(sample.id.unit);
        let until = self.units.get(unit + 1).map_or(Millis::MAX, |next| next.1);
        (self.units[unit].1..until).contains(&sample.at)
    }

    fn measure(&mut self, seed: &mut u64) -> Sample {
        self.seq += 1 + u32::from(draw(seed, 20) == 0);
        if draw(seed, 80) == 0 {
            (self.boot, self.seq) = (self.boot + 1, 1);
        }
        for counter in &mut self.counters {
            *counter += draw(seed, 12) as i64;
        }
        let mut counters = self.counters.map(Some);
        match draw(seed, 60) {
            0 => counters[draw(seed, 5) as usize] = None,
            1 => counters[draw(seed, 5) as usize] = Some(draw(seed, 1_000_000) as i64),
            2 => self.counters[draw(seed, 5) as usize] = 0,
            _ => {}
        }
        let power = |seed: &mut u64| (draw(seed, 40) > 0).then(|| draw(seed, 5_000) as i32 - 2_000);
        Sample {
            id: MessageId::new(self.boot, self.seq).with_unit(self.units.len() as u8 - 1),
            voltage: [power(seed), Some(2_300), None],
            grid_power: power(seed),
            pv_power: power(seed).map(i32::abs),
            battery_power: power(seed),
            soc: Some(draw(seed, 1_001) as i32),
            counters,
            status: BatteryStatus::ALL[draw(seed, 8) as usize],
            ..sample(self.now, 0)
        }
    }

    async fn send(&mut self, samples: &[Sample]) {
        let mut new = 0;
        for sample in samples {
            new += usize::from(self.stood(sample) && self.model.append(*sample));
        }
        let mut kept = 0;
        for unit in 0..self.units.len() {
            let of = |sample: &&Sample| usize::from(sample.id.unit) == unit;
            let own: Vec<Sample> = samples.iter().filter(of).copied().collect();
            if !own.is_empty() {
                kept += self.report(unit, &own).await;
            }
        }
        match self.has_restarted && self.db.db().is_shared() {
            true => assert!(kept >= new),
            false => assert_eq!(kept, new),
        }
    }

    async fn compare(&self, days: &[SiteDay]) {
        let all = days[0]..days[days.len() - 1].next();
        let (db, access) = (&self.store, &self.access);
        let totals = db
            .telemetry
            .daily_totals(access.site(), all.clone())
            .await
            .unwrap();
        let measured = db
            .telemetry
            .measured_days(access.site(), all.clone())
            .await
            .unwrap();
        for (day, found) in days.iter().zip(totals) {
            assert_eq!(found, self.model.day_totals(*day));
            let expected = self.model.measured_day(*day);
            assert_eq!(measured.get(day), expected.as_ref(), "{day}");
            let samples = db.telemetry.day_samples(access.site(), *day).await.unwrap();
            assert_eq!(samples, self.model.day_samples(*day), "{day}");
        }
        for resolution in Resolution::ALL {
            for method in Method::ALL {
                let few = [Series::GridPower, Series::House, Series::Charge];
                let series = match (resolution, method) {
                    (Resolution::Minute, Method::Mean) => &few[..2],
                    (Resolution::Minute, Method::Sum) => &few[2..],
                    (Resolution::Minute, _) => continue,
                    _ => &Series::ALL[..],
                };
                // The model is slow: check minutes on one day only.
                let days = match resolution {
                    Resolution::Minute => all.start.next()..all.start.plus(2),
                    _ => all.clone(),
                };
                let found = db
                    .chart(access, days.clone(), resolution, method, series)
                    .await
                    .unwrap();
                let expected = self.model.chart(days, resolution, method, series);
                assert_eq!(found, expected, "{resolution:?} {method:?}");
            }
        }
    }
}

async fn compare_with_model(
    db: &TestDb,
    number: usize,
    zone: &str,
    start: SiteDay,
    steps: Vec<StoreAction>,
) {
    let mut home = home(db, &format!("SC{number:06}")).await;
    db.execute(&format!(
        "UPDATE systems SET time_zone = '{zone}' WHERE sn = '{}'",
        home.sn.as_str()
    ))
    .await;
    home.reload_access(db).await;
    let model = Model::new(zone);
    let mut run = ModelRun {
        db,
        store: db.open_again().await,
        has_restarted: false,
        now: model.zone.start_of(start) + 20 * HOUR,
        access: home.access,
        model,
        seq: 0,
        boot: 1,
        counters: [5_000, 0, 70_000, 0, 300],
        unsent: Vec::new(),
        units: vec![(home.sn, 0)],
    };
    for step in steps {
        run.run(step).await;
    }
    let last = run.model.zone.day_of(run.now);
    let mut days = vec![start.plus(-1)];
    while days[days.len() - 1] < last {
        days.push(days[days.len() - 1].next());
    }
    run.compare(&days).await;
    let telemetry = &run.store.telemetry;
    telemetry.fold(run.now).await.unwrap();
    telemetry.fold_abandoned(run.now + HOUR).await.unwrap();
    run.compare(&days).await;
    telemetry
        .seal_due(ShardSet::ALL, run.now + 2 * DAY)
        .await
        .unwrap();
    run.compare(&days).await;
    assert_eq!(
        telemetry
            .seal_due(ShardSet::ALL, run.now + 2 * DAY)
            .await
            .unwrap(),
        0,
        "nothing is left to seal"
    );
}

/// Most of these days are next to a clock change.
const ZONES_AND_DAYS: [(&str, &str); 6] = [
    ("Europe/Berlin", "2026-03-28"),
    ("Europe/Berlin", "2026-10-24"),
    ("Europe/London", "2026-10-24"),
    ("America/New_York", "2026-03-07"),
    ("Asia/Kolkata", "2026-06-30"),
    ("Pacific/Auckland", "2026-04-04"),
];

async fn compare_many(db: &TestDb, count: usize, mut runner: TestRunner) {
    let steps = prop::collection::vec(step(), 4..20);
    for number in 0..count {
        let (zone, day) = ZONES_AND_DAYS[number % ZONES_AND_DAYS.len()];
        let steps = steps.new_tree(&mut runner).unwrap().current();
        // Shown if it fails.
        println!("{zone} {day} {steps:?}");
        compare_with_model(db, number, zone, day.parse().unwrap(), steps).await;
    }
}

// What random runs have found.
on_both!(what_failed_once_answers_like_a_list_of_samples, |db| {
    use StoreAction::{BackFill, Exchange, Fold, Live, Restart, Seal, Silence};
    let live = |count, every, seed| Live { count, every, seed };
    let steps = vec![
        Exchange {
            before: 168_577_674,
            seed: 3_423_964_946_517_426_192,
        },
        live(58, 797, 4_754_889_420_509_765_092),
        live(21, 300, 15_345_408_521_537_273_925),
        Seal,
        Silence(121_253_068),
        live(45, 797, 10_091_960_700_974_635_254),
        Fold,
        Silence(58_205_901),
        live(57, 797, 259_907_044_743_419_905),
        live(55, 30, 12_101_999_587_044_211_723),
        Restart,
        live(57, 30, 16_402_407_956_195_326_013),
        BackFill {
            seed: 3_957_169_219_720_634_819,
        },
    ];
    compare_with_model(db, 0, "Asia/Kolkata", "2026-06-30".parse().unwrap(), steps).await;
});

on_both!(a_store_answers_like_a_list_of_samples, |db| {
    compare_many(db, 12, TestRunner::deterministic()).await;
});

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: make soak"]
async fn soak_any_order_of_samples_folds_seals_and_restarts_answers_like_a_list() {
    let count = 150;
    let db = TestDb::sqlite().await;
    compare_many(&db, count, TestRunner::default()).await;
    if let Some(db) = TestDb::postgres().await {
        compare_many(&db, count, TestRunner::default()).await;
        db.close().await;
    }
}

on_both!(
    hours_add_up_to_days_and_days_to_months_in_five_zones,
    |db| {
        for (number, (zone, day)) in ZONES_AND_DAYS.into_iter().enumerate() {
            let mut home = home(db, &format!("SC{number:06}")).await;
            let sn = home.sn.as_str().to_owned();
            db.execute(&format!(
                "UPDATE systems SET time_zone = '{zone}' WHERE sn = '{sn}'"
            ))
            .await;
            home.reload_access(db).await;
            let day: SiteDay = day.parse().unwrap();
            let start = home.access.zone().start_of(day.plus(-2));
            let samples: Vec<Sample> = (0..5 * 288)
                .map(|n| Sample {
                    counters: [Some(n * 7), Some(n * n / 50), None, Some(0), Some(n / 3)],
                    ..sample(start + n * 5 * MINUTE, n as u32 + 1)
                })
                .collect();
            db.telemetry
                .append_samples(&home.sn, &samples, start + 6 * DAY)
                .await
                .unwrap();
            for _ in 0..2 {
                let month = day.month_start()..day.plus(10).next_month();
                let sum = async |resolution, days: std::ops::Range<SiteDay>| {
                    let series = [
                        Series::Import,
                        Series::FeedIn,
                        Series::PvEnergy,
                        Series::Charge,
                        Series::Discharge,
                    ];
                    let chart = db
                        .chart(&home.access, days, resolution, Method::Mean, &series)
                        .await
                        .unwrap();
                    chart
                        .lines
                        .iter()
                        .map(|line| line.values.iter().flatten().sum::<i64>())
                        .collect::<Vec<_>>()
                };
                let days = day.plus(-2)..day.plus(4);
                let hours = sum(Resolution::Hour, days.clone()).await;
                assert_eq!(hours, sum(Resolution::Minute, days.clone()).await, "{zone}");
                assert_eq!(
                    hours,
                    sum(Resolution::Quarter, days.clone()).await,
                    "{zone}"
                );
                assert_eq!(hours, sum(Resolution::Day, days).await, "{zone}");
                assert_eq!(hours, sum(Resolution::Month, month).await, "{zone}");
                let last = samples[samples.len() - 1]
                    .counters
                    .map(Option::unwrap_or_default);
                assert_eq!(hours, last, "{zone}");
                db.telemetry
                    .seal_due(ShardSet::ALL, start + 7 * DAY)
                    .await
                    .unwrap();
            }
        }
    }
);
