//! Presence and gateways, written by several processes at once.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::clock::{MINUTE, Millis};
use store::Store;
use store::presence::{GatewayId, Presence};
use store::report::{Report, ReportBody};
use store::system::NewDevice;
use testkit::{NOON, TestDb, on_both, service_at};

const ONE: GatewayId = GatewayId(1);
const TWO: GatewayId = GatewayId(2);

async fn fleet(store: &Store, count: u32) -> Vec<Serial> {
    let serials: Vec<Serial> = (0..count)
        .map(|n| format!("SC{n:06}").parse().unwrap())
        .collect();
    let devices = serials.iter().map(|sn| NewDevice {
        sn,
        phase: 1,
        // Each device has its own secret.
        secret: sn.as_str().as_bytes(),
    });
    let devices: Vec<_> = devices.collect();
    service_at(store, NOON)
        .import_devices(&devices)
        .await
        .unwrap();
    serials
}

fn reports<'a>(serials: impl Iterator<Item = &'a Serial>, body: &ReportBody) -> Vec<Report> {
    let report = |sn: &Serial| Report {
        sn: sn.clone(),
        received_at: NOON,
        body: body.clone(),
    };
    serials.map(report).collect()
}

const LEFT: ReportBody = ReportBody::Offline {
    boot: 1,
    since: NOON,
};

fn last_heard(serials: &[Serial], at: Millis) -> Vec<(Serial, Millis)> {
    let heard = |sn: &Serial| (sn.clone(), at);
    serials.iter().map(heard).collect()
}

fn state(presence: Presence) -> (bool, GatewayId) {
    (presence.online, presence.gateway)
}

on_both!(
    only_the_gateway_that_has_a_battery_says_that_it_is_gone,
    |db| {
        let serials = fleet(db, 1).await;
        let online = reports(serials.iter(), &ReportBody::Online);
        let will = reports(serials.iter(), &LEFT);
        db.append(&online, ONE).await.unwrap();
        db.append(&online, TWO).await.unwrap();
        let now = async || db.presence(&serials[0]).await.unwrap().unwrap();

        let said = db.append(&will, ONE).await.unwrap();
        assert!(
            said[0].changes.is_empty(),
            "the will of a connection that it left"
        );
        let silent = last_heard(&serials, NOON + MINUTE);
        let found = db.mark_silent(ONE, &silent).await.unwrap();
        assert_eq!(
            state(found[0].1),
            (true, TWO),
            "whoever asks learns where it is"
        );
        assert_eq!(now().await.since, NOON);

        let found = db.mark_silent(TWO, &silent).await.unwrap();
        assert_eq!(state(found[0].1), (false, TWO));
        assert_eq!(now().await.since, NOON + MINUTE);
    }
);

on_both!(
    a_gateway_is_known_by_its_heartbeats_while_batteries_are_at_it,
    |db| {
        let serials = fleet(db, 2).await;
        let online = reports(serials.iter(), &ReportBody::Online);
        db.append(&online[..1], ONE).await.unwrap();
        db.append(&online[1..], TWO).await.unwrap();
        for _ in 0..2 {
            db.record_heartbeat(ONE, NOON).await.unwrap();
        }
        let mut heartbeats = db.gateway_heartbeats().await.unwrap();
        heartbeats.sort_by_key(|(gateway, _)| gateway.0);
        assert_eq!(heartbeats, [(ONE, Some(2)), (TWO, None)]);
        assert_eq!(db.online_at(ONE).await.unwrap(), serials[..1]);
        let silent = last_heard(&serials, NOON);
        db.mark_silent(ONE, &silent).await.unwrap();
        assert_eq!(db.gateway_heartbeats().await.unwrap(), [(TWO, None)]);
    }
);

/// All writers of several rows write them in the order of serial numbers. In any other order these would deadlock, and PostgreSQL
/// would abort one of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_that_fall_silent_and_come_back_at_once_never_deadlock() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let serials = fleet(&db, 200).await;
    let all = reports(serials.iter(), &ReportBody::Online);
    db.append(&all, ONE).await.unwrap();
    for _ in 0..3 {
        let backwards: Vec<Serial> = serials.iter().rev().cloned().collect();
        let here = reports(serials.iter(), &ReportBody::Online);
        let there = reports(backwards.iter(), &LEFT);
        let silent = last_heard(&serials, NOON);
        let silent_backwards = last_heard(&backwards, NOON);
        let (first, second, third, fourth) = tokio::join!(
            db.mark_silent(ONE, &silent),
            db.mark_silent(ONE, &silent_backwards),
            db.append(&here, TWO),
            db.append(&there, ONE),
        );
        assert_eq!(first.unwrap().len(), serials.len());
        assert_eq!(second.unwrap().len(), serials.len());
        assert_eq!(third.unwrap().len(), serials.len());
        assert_eq!(fourth.unwrap().len(), serials.len());
        db.append(&all, ONE).await.unwrap();
    }
    db.close().await;
}
