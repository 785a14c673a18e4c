//! What the database stores of a device: a keyed hash of its secret that no other device has, its starts, its phase.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE, Millis, SECOND};
use domain::hello::PartVersions;
use domain::sample::MessageId;
use domain::shard::ShardSet;
use domain::{Hello, Serial, Zone};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use store::device_login::DeviceLogin;
use store::presence::GatewayId;
use store::report::{Report, ReportBody, ReportChange};
use store::system::NewDevice;
use store::{Error, Purpose};
use testkit::{NOON, TestDb, on_both, service_at};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn import(db: &TestDb, devices: &[(Serial, Vec<u8>)]) -> store::Result<()> {
    let new: Vec<NewDevice<'_>> = devices
        .iter()
        .map(|(sn, secret)| NewDevice {
            sn,
            phase: 1,
            secret,
        })
        .collect();
    service_at(db, NOON).import_devices(&new).await
}

async fn dump(db: &TestDb) -> String {
    format!("{:?}", db.dump().await)
}

async fn rows(db: &TestDb, table: &str) -> Vec<serde_json::Value> {
    let dump = db.dump().await;
    let rows = &dump.iter().find(|(name, _)| name == table).unwrap().1;
    rows.iter()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect()
}

/// Devices with different secrets of arbitrary bytes.
fn fleet(count: usize) -> Vec<(Serial, Vec<u8>)> {
    let secret = proptest::collection::vec(proptest::num::u8::ANY, 32..64);
    let secrets = proptest::collection::hash_set(secret, count);
    let mut runner = TestRunner::deterministic();
    let secrets = secrets.new_tree(&mut runner).unwrap().current();
    let named = secrets.into_iter().enumerate();
    named
        .map(|(n, secret)| (format!("SC{n:06}").parse().unwrap(), secret))
        .collect()
}

on_both!(two_devices_never_share_a_hash, |db| {
    let fleet = fleet(200);
    import(db, &fleet).await.unwrap();
    let hashes: BTreeSet<String> = rows(db, "device_secrets")
        .await
        .iter()
        .map(|row| row["hash"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(hashes.len(), fleet.len());
});

on_both!(a_secret_that_another_device_has_is_refused, |db| {
    let secret = b"one secret for two batteries, long enough".to_vec();
    let first = ("SC000001".parse().unwrap(), secret.clone());
    let second = ("SC000002".parse().unwrap(), secret);
    import(db, &[first]).await.unwrap();
    let refused = import(db, &[second]).await.unwrap_err();
    assert!(matches!(refused, Error::Taken(_)), "{refused:?}");
    assert_eq!(rows(db, "systems").await.len(), 1);
});

on_both!(an_import_is_all_or_nothing, |db| {
    let fleet = fleet(3);
    import(db, &fleet[2..]).await.unwrap();
    let refused = import(db, &fleet).await.unwrap_err();
    assert!(matches!(refused, Error::Taken(_)), "{refused:?}");
    assert_eq!(rows(db, "systems").await.len(), 1);
    assert_eq!(rows(db, "device_secrets").await.len(), 1);
});

on_both!(
    no_secret_is_kept_in_clear_or_by_a_hash_without_a_key,
    |db| {
        let secret = b"secret of SC000001, long enough for anybody".to_vec();
        let device = ("SC000001".parse().unwrap(), secret.clone());
        import(db, &[device]).await.unwrap();
        let kept = dump(db).await;
        let plain = ring::digest::digest(&ring::digest::SHA256, &secret);
        assert!(!kept.contains("long enough for anybody"));
        assert!(!kept.contains(&hex(&secret)));
        assert!(!kept.contains(&hex(plain.as_ref())));
    }
);

on_both!(
    what_is_kept_cannot_be_derived_from_the_serial_number,
    |db| {
        let sn: Serial = "SC000001".parse().unwrap();
        let secret = b"drawn at random, long enough for anybody".to_vec();
        import(db, &[(sn.clone(), secret.clone())]).await.unwrap();
        let kept = rows(db, "device_secrets").await[0]["hash"].clone();
        let of = |purpose: Purpose, text: &[u8]| {
            format!("\\x{}", hex(&db.keyring().hash(purpose, text)))
        };
        // Only the secret itself, hashed with our key, gives this value.
        assert_eq!(kept, of(Purpose::DeviceSecret, &secret));
        assert_ne!(kept, of(Purpose::DeviceSecret, sn.as_str().as_bytes()));
        assert_ne!(kept, of(Purpose::Code, &secret));
    }
);

on_both!(only_the_newest_starts_of_a_device_are_remembered, |db| {
    let (sn, secret) = fleet(1).remove(0);
    import(db, &[(sn.clone(), secret.clone())]).await.unwrap();
    let hellos: Vec<Report> = (1..=10).map(|boot| hello(&sn, boot)).collect();
    db.append(&hellos, GatewayId::default()).await.unwrap();

    let newest: Vec<(u32, Millis)> = (3..=10)
        .rev()
        .map(|boot| (boot, NOON + Millis::from(boot)))
        .collect();
    let starts = async || match db.log_in_device(&sn, &secret, NOON).await.unwrap() {
        DeviceLogin::Accepted(login) => login.starts,
        other => panic!("{other:?}"),
    };
    assert_eq!(starts().await, newest);
    db.purge_boots().await.unwrap();
    assert_eq!(rows(db, "boots").await.len(), newest.len());
    assert_eq!(starts().await, newest);
});

/// Two hours after a day its samples are sealed: from then on the system has a history.
const HISTORY: Millis = NOON + 2 * DAY;

on_both!(
    the_phase_of_a_system_with_a_history_changes_once_a_day_at_most,
    |db| {
        let (sn, secret) = fleet(1).remove(0);
        import(db, &[(sn.clone(), secret)]).await.unwrap();
        let boots = AtomicU32::new(0);
        let say = async |phase: u8, at: Millis| {
            let mut report = hello(&sn, boots.fetch_add(1, Ordering::Relaxed) + 1);
            report.received_at = at;
            if let ReportBody::Hello { hello, .. } = &mut report.body {
                hello.phase = phase;
            }
            db.append(&[report], GatewayId::default()).await.unwrap();
            db.facts(&sn).await.unwrap().unwrap().phase
        };
        // A new system may be corrected at once.
        assert_eq!(say(2, NOON).await, 2);
        assert_eq!(say(3, NOON + SECOND).await, 3);
        let sample = Report {
            sn: sn.clone(),
            received_at: NOON,
            body: ReportBody::Sample(testkit::sample(NOON, 1)),
        };
        db.append(&[sample], GatewayId::default()).await.unwrap();
        db.telemetry.fold(HISTORY).await.unwrap();
        db.telemetry.seal_due(ShardSet::ALL, HISTORY).await.unwrap();

        assert_eq!(say(1, HISTORY).await, 1, "the first change of the day");
        for n in 1..=20 {
            let phase = 1 + u8::try_from(n % 3).unwrap();
            assert_eq!(say(phase, HISTORY + n * MINUTE).await, 1);
        }
        assert_eq!(say(2, HISTORY + DAY - 1).await, 1);
        assert_eq!(say(2, HISTORY + DAY).await, 2, "it still says so");
        // Other facts are saved whatever its phase.
        let mut other = hello(&sn, 1_000);
        other.received_at = HISTORY + DAY + SECOND;
        if let ReportBody::Hello { hello, .. } = &mut other.body {
            hello.capacity = 7_000;
        }
        let outcomes = db.append(&[other], GatewayId::default()).await.unwrap();
        let facts = outcomes[0].changes.iter().find_map(|change| match change {
            ReportChange::Facts(facts) => Some(facts),
            _ => None,
        });
        let facts = facts.unwrap();
        assert_eq!((facts.phase, facts.capacity), (2, Some(7_000)));
        assert_eq!(db.facts(&sn).await.unwrap().as_ref(), Some(facts));
    }
);

fn hello(sn: &Serial, boot: u32) -> Report {
    Report {
        sn: sn.clone(),
        received_at: NOON,
        body: ReportBody::Hello {
            hello: Hello {
                id: MessageId::new(boot, 1),
                versions: PartVersions::default(),
                hardware: "SC-5".to_owned(),
                capacity: 10_000,
                phase: 1,
                charge_max: 5_000,
                discharge_max: 5_000,
                zone: Zone::default(),
                update_needs_off: true,
                settings_version: 0,
            },
            started_at: NOON + Millis::from(boot),
        },
    }
}
