//! A home with a battery, and samples for it.
#![allow(clippy::unwrap_used)]
pub(crate) mod model;

use domain::clock::{MINUTE, Millis};
use domain::flags::Flags;
use domain::sample::{BatteryStatus, MessageId};
use domain::{Country, Email, Lang, Phone, Role, Sample, Serial, SiteDay, Zone};
use service::registration::Registration;
use store::Access;
use store::account::Profile;
use store::system::NewDevice;
use testkit::{NOON, TestDb, service_at};

pub(crate) struct Home {
    pub(crate) sn: Serial,
    pub(crate) access: Access,
}

/// A system with an owner.
pub(crate) async fn home(db: &TestDb, sn: &str) -> Home {
    let serial: Serial = sn.parse().unwrap();
    let device = NewDevice {
        sn: &serial,
        phase: 1,
        secret: sn.as_bytes(),
    };
    service_at(db, NOON)
        .import_devices(&[device])
        .await
        .unwrap();
    let email: Email = format!("{sn}@example.com").parse().unwrap();
    let profile = Profile {
        email,
        role: Role::User,
        phone: Phone::parse("+49 30 901820", Country::Germany).unwrap(),
        country: Country::Germany,
        company: None,
        language: Lang::De,
    };
    let new = Registration {
        profile: &profile,
        password_hash: "no hash",
        keys: &[],
    };
    let registered = service_at(db, NOON).register(&new).await;
    let (account, _) = registered.unwrap();
    db.execute(&format!(
        "UPDATE systems SET owner_id = {} WHERE sn = '{sn}'",
        account.0
    ))
    .await;
    Home {
        access: db.access(account, &serial).await.unwrap().unwrap(),
        sn: serial,
    }
}

impl Home {
    /// Reads the access again.
    pub(crate) async fn reload_access(&mut self, db: &TestDb) {
        let access = db.access(self.access.account(), &self.sn).await.unwrap();
        self.access = access.unwrap();
    }
}

/// A sample on a sunny day.
pub(crate) fn sample(at: Millis, seq: u32) -> Sample {
    Sample {
        at,
        id: MessageId::new(1, seq),
        voltage: [Some(2304), Some(2310), None],
        frequency: Some(4998),
        meter_power: [Some(-200), Some(-100), Some(-100)],
        grid_power: Some(-400),
        pv_power: Some(1500),
        battery_power: Some(-600),
        soc: Some(555),
        counters: [Some(10), Some(20), Some(30), None, Some(50)],
        status: BatteryStatus::Charging,
        flags: Flags {
            message2: 1 << 10,
            ..Flags::default()
        },
    }
}

/// A sample with only the import counter.
pub(crate) fn reading(at: Millis, seq: u32, import: i64) -> Sample {
    Sample {
        counters: [Some(import), None, None, None, None],
        ..sample(at, seq)
    }
}

/// A day by its name: `2026-11-15`.
pub(crate) fn day(text: &str) -> SiteDay {
    text.parse().unwrap()
}

/// Days with a sample every five minutes; every counter gains 2 Wh each time.
pub(crate) fn days(zone: &Zone, first: SiteDay, count: i32) -> Vec<Vec<Sample>> {
    let mut seq = 0;
    let mut one = |day: i32| {
        let bounds = zone.bounds(first.plus(day));
        let times = (0..).map(|n| bounds.start + n * 5 * MINUTE);
        let times = times.take_while(|at| *at < bounds.end);
        times
            .map(|at| {
                seq += 1;
                Sample {
                    counters: [Some(2 * i64::from(seq)); 5],
                    grid_power: Some(i32::try_from(seq % 500).unwrap()),
                    ..sample(at, seq)
                }
            })
            .collect()
    };
    (0..count).map(&mut one).collect()
}

/// The number of rows of a table.
pub(crate) async fn count(db: &TestDb, table: &str) -> usize {
    let dump = db.dump().await;
    dump.iter().find(|(name, _)| name == table).unwrap().1.len()
}
