//! Who is online and at which gateway, written by several processes at once.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::clock::MINUTE;
use store::Store;
use store::presence::{GatewayId, Presence};
use store::report::{Body, Report};
use store::system::NewDevice;
use testkit::{NOON, TestDb, on_both};

const ONE: GatewayId = GatewayId(1);
const TWO: GatewayId = GatewayId(2);

async fn fleet(store: &Store, count: u32) -> Vec<Serial> {
    let serials: Vec<Serial> = (0..count)
        .map(|n| format!("SC{n:06}").parse().unwrap())
        .collect();
    let devices = serials.iter().map(|sn| NewDevice {
        sn,
        phase: 1,
        // No two devices share one.
        secret: sn.as_str().as_bytes(),
    });
    let devices: Vec<_> = devices.collect();
    store.import_devices(&devices, NOON).await.unwrap();
    serials
}

fn reports<'a>(serials: impl Iterator<Item = &'a Serial>, body: &Body) -> Vec<Report> {
    let report = |sn: &Serial| Report {
        sn: sn.clone(),
        received_at: NOON,
        body: body.clone(),
    };
    serials.map(report).collect()
}

fn state(presence: Presence) -> (bool, GatewayId) {
    (presence.online, presence.gateway)
}

on_both!(
    only_the_gateway_that_has_a_battery_says_that_it_is_gone,
    |db| {
        let serials = fleet(db, 1).await;
        let online = reports(serials.iter(), &Body::Online);
        let will = reports(serials.iter(), &Body::Offline { boot: 1 });
        db.append(&online, ONE).await.unwrap();
        db.append(&online, TWO).await.unwrap();
        let now = async || db.presence(&serials[0]).await.unwrap().unwrap();

        let said = db.append(&will, ONE).await.unwrap();
        assert_eq!(
            said[0].presence, None,
            "the will of a connection that it left"
        );
        let found = db.mark_silent(ONE, &serials, NOON + MINUTE).await.unwrap();
        assert_eq!(
            state(found[0].1),
            (true, TWO),
            "whoever asks learns where it is"
        );
        assert_eq!(now().await.since, NOON);

        let found = db.mark_silent(TWO, &serials, NOON + MINUTE).await.unwrap();
        assert_eq!(state(found[0].1), (false, TWO));
        assert_eq!(now().await.since, NOON + MINUTE);
    }
);

on_both!(
    a_gateway_is_known_by_its_heartbeats_while_batteries_are_at_it,
    |db| {
        let serials = fleet(db, 2).await;
        let online = reports(serials.iter(), &Body::Online);
        db.append(&online[..1], ONE).await.unwrap();
        db.append(&online[1..], TWO).await.unwrap();
        for _ in 0..2 {
            db.pulse(ONE, NOON).await.unwrap();
        }
        let mut heartbeats = db.gateway_heartbeats().await.unwrap();
        heartbeats.sort_by_key(|(gateway, _)| gateway.0);
        assert_eq!(heartbeats, [(ONE, Some(2)), (TWO, None)]);
        assert_eq!(db.online_at(ONE).await.unwrap(), serials[..1]);
        db.mark_silent(ONE, &serials, NOON).await.unwrap();
        assert_eq!(db.gateway_heartbeats().await.unwrap(), [(TWO, None)]);
    }
);

/// Whoever writes several rows of a table does so in the order of serial numbers: in any other order these would wait for each
/// other, and PostgreSQL would end one of them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_that_fall_silent_and_come_back_at_once_never_deadlock() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let serials = fleet(&db, 200).await;
    let all = reports(serials.iter(), &Body::Online);
    db.append(&all, ONE).await.unwrap();
    for _ in 0..3 {
        let backwards: Vec<Serial> = serials.iter().rev().cloned().collect();
        let here = reports(serials.iter(), &Body::Online);
        let there = reports(backwards.iter(), &Body::Offline { boot: 1 });
        let (first, second, third, fourth) = tokio::join!(
            db.mark_silent(ONE, &serials, NOON),
            db.mark_silent(ONE, &backwards, NOON),
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
