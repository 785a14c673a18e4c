//! The secrets of a device while they are changed, and the operator's block.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::clock::DAY;
use service::Service;
use service::device::OLD_SECRET_VALID_FOR;
use store::device_login::DeviceLogin;
use store::system::NewDevice;
use testkit::{NOON, TestDb, on_both, service_at};

const FIRST: &str = "the secret from the factory, long enough";

fn sn() -> Serial {
    "SC000001".parse().unwrap()
}

async fn import(db: &TestDb) -> Service {
    let sn = sn();
    let device = NewDevice {
        sn: &sn,
        phase: 1,
        secret: FIRST.as_bytes(),
    };
    service_at(db, NOON)
        .import_devices(&[device])
        .await
        .unwrap();
    service_at(db, NOON)
}

async fn log_in(db: &TestDb, secret: &str, now: i64) -> DeviceLogin {
    let sn = sn();
    let login = db.log_in_device(&sn, secret.as_bytes(), now);
    login.await.unwrap()
}

async fn is_accepted(db: &TestDb, secret: &str) -> bool {
    matches!(log_in(db, secret, NOON).await, DeviceLogin::Accepted(_))
}

async fn rotate(service: &Service, drop_old: bool) -> String {
    let rotated = service.rotate_device_secret(&sn(), drop_old).await;
    rotated.unwrap().unwrap()
}

/// How often its connections were ended.
async fn revocations(db: &TestDb) -> i64 {
    let devices = db.device_revocations().await.unwrap();
    devices.first().map_or(0, |(_, count)| *count)
}

/// What the operator did to the device after it was imported.
async fn journal(db: &TestDb) -> Vec<String> {
    let dump = db.dump().await;
    let (_, entries) = dump.iter().find(|(name, _)| name == "journal").unwrap();
    let parse = |row: &String| serde_json::from_str::<serde_json::Value>(row).unwrap();
    let events = entries.iter().map(parse);
    events
        .inspect(|row| assert_eq!(row["actor"], "operator"))
        .filter(|row| row["sn"] == "SC000001")
        .map(|row| row["event"].as_str().unwrap().to_owned())
        .collect()
}

on_both!(
    the_old_secret_is_valid_until_the_device_uses_the_new_one,
    |db| {
        let service = import(db).await;
        let second = rotate(&service, false).await;
        assert!(is_accepted(db, FIRST).await, "it does not know the new one");
        assert!(is_accepted(db, FIRST).await);
        assert!(is_accepted(db, &second).await);
        assert!(!is_accepted(db, FIRST).await, "the new one was used");
        assert!(is_accepted(db, &second).await);
        assert_eq!(revocations(db).await, 0, "nobody was disconnected");
        assert_eq!(journal(db).await, ["device_secret_rotated"]);
    }
);

on_both!(the_old_secret_ends_after_a_month_at_the_latest, |db| {
    let service = import(db).await;
    let second = rotate(&service, false).await;
    let end = NOON + OLD_SECRET_VALID_FOR;
    db.purge_device_secrets(end - 1).await.unwrap();
    assert!(matches!(
        log_in(db, FIRST, end - 1).await,
        DeviceLogin::Accepted(_)
    ));
    assert_eq!(log_in(db, FIRST, end).await, DeviceLogin::Refused);
    db.purge_device_secrets(end).await.unwrap();
    assert_eq!(revocations(db).await, 1, "a connection with it ends");
    // Set back or not: it is gone.
    assert_eq!(log_in(db, FIRST, NOON).await, DeviceLogin::Refused);
    assert!(is_accepted(db, &second).await);
});

on_both!(
    a_second_change_replaces_a_secret_that_was_never_used,
    |db| {
        let service = import(db).await;
        let lost = rotate(&service, false).await;
        let third = rotate(&service, false).await;
        assert!(is_accepted(db, FIRST).await, "the one that the device has");
        assert!(!is_accepted(db, &lost).await);
        assert!(is_accepted(db, &third).await);
        assert!(!is_accepted(db, FIRST).await);
    }
);

on_both!(an_old_secret_that_expired_does_not_come_back, |db| {
    let service = import(db).await;
    let second = rotate(&service, false).await;
    let later = service_at(db, NOON + OLD_SECRET_VALID_FOR + DAY);
    // It begins with the same seed: draw once, so that it makes another secret.
    let unknown: Serial = "SC999999".parse().unwrap();
    let drawn = later.rotate_device_secret(&unknown, false).await;
    assert_eq!(drawn.unwrap(), None);
    rotate(&later, false).await;
    assert!(!is_accepted(db, FIRST).await);
    assert!(
        is_accepted(db, &second).await,
        "the only one that it can have"
    );
});

on_both!(a_secret_that_is_dropped_at_once_ends_connections, |db| {
    let service = import(db).await;
    let second = rotate(&service, true).await;
    assert!(!is_accepted(db, FIRST).await);
    assert_eq!(revocations(db).await, 1);
    let DeviceLogin::Accepted(login) = log_in(db, &second, NOON).await else {
        panic!("the new secret is refused");
    };
    assert_eq!(login.revocations, 1, "this one stays");
});

on_both!(a_blocked_device_is_refused_until_it_is_unblocked, |db| {
    let service = import(db).await;
    assert!(service.block_device(&sn(), true).await.unwrap());
    assert_eq!(log_in(db, FIRST, NOON).await, DeviceLogin::Blocked);
    assert_eq!(log_in(db, "wrong", NOON).await, DeviceLogin::Refused);
    assert_eq!(db.blocked_devices().await.unwrap(), [(sn(), NOON)]);
    // Once more changes nothing.
    assert!(service.block_device(&sn(), true).await.unwrap());
    assert_eq!(revocations(db).await, 1);

    assert!(service.block_device(&sn(), false).await.unwrap());
    assert!(service.block_device(&sn(), false).await.unwrap());
    assert!(is_accepted(db, FIRST).await);
    assert_eq!(db.blocked_devices().await.unwrap(), []);
    assert_eq!(journal(db).await, ["device_blocked", "device_unblocked"]);

    let unknown: Serial = "SC999999".parse().unwrap();
    assert!(!service.block_device(&unknown, true).await.unwrap());
    let rotated = service.rotate_device_secret(&unknown, true).await;
    assert_eq!(rotated.unwrap(), None);
});
