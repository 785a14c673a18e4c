//! Batteries that send as fast as they are acknowledged, and know what was.
use domain::clock::{Clock, Millis};
use rmqtt_codec::v3::Packet;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use store::system::NewDevice;
use testkit::MqttBattery;
use testkit::battery::{MqttLogin, secret};
use testkit::database;
use testkit::service_at;
use tokio::sync::watch;

pub(crate) fn now() -> Millis {
    Clock::system().now()
}

pub(crate) fn serial(n: usize) -> String {
    format!("SC{n:06}")
}

pub(crate) async fn register(url: &str, count: usize) {
    let store = database::open(url).await.unwrap();
    for n in 0..count {
        let sn = serial(n);
        let (serial, secret) = (sn.parse().unwrap(), secret(&sn));
        let device = NewDevice {
            sn: &serial,
            phase: 1,
            secret: secret.as_bytes(),
        };
        service_at(&store, now())
            .import_devices(&[device])
            .await
            .unwrap();
    }
    store.db().close().await;
}

/// Sends samples until `goal` of them are acknowledged and none is unanswered, over as many connections as needed. Unacknowledged samples are sent
/// again unchanged.
pub(crate) async fn load(
    n: usize,
    goal: Arc<AtomicUsize>,
    mut server: watch::Receiver<SocketAddr>,
    total: Arc<AtomicUsize>,
) -> BTreeSet<u32> {
    const IN_FLIGHT: usize = 8;
    let sn = serial(n);
    let mut acknowledged = BTreeSet::new();
    let mut unanswered: BTreeMap<u32, String> = BTreeMap::new();
    let mut last = 0;
    let wanted = || goal.load(Ordering::Relaxed);
    while acknowledged.len() < wanted() || !unanswered.is_empty() {
        let address = *server.borrow_and_update();
        let Ok(mut battery) = MqttBattery::log_in(address, MqttLogin::of(&sn)).await else {
            // The server was killed; the next one has another address.
            let _ = tokio::time::timeout(Duration::from_secs(1), server.changed()).await;
            continue;
        };
        battery.seq = last;
        battery.started = now() - 1_000;
        let mut packets = HashMap::new();
        for (seq, body) in &unanswered {
            packets.insert(battery.publish("tele", body.clone()).await, *seq);
        }
        loop {
            while packets.len() < IN_FLIGHT && acknowledged.len() + packets.len() < wanted() {
                let body = battery.sample(now()).to_string();
                unanswered.insert(battery.seq, body.clone());
                packets.insert(battery.publish("tele", body).await, battery.seq);
            }
            let Some(packet) = battery.next().await else {
                break;
            };
            if let Packet::PublishAck { packet_id } = packet {
                let seq = packets.remove(&packet_id).unwrap();
                unanswered.remove(&seq);
                acknowledged.insert(seq);
                total.fetch_add(1, Ordering::Relaxed);
            }
            if packets.is_empty() {
                break;
            }
        }
        last = battery.seq;
    }
    acknowledged
}

/// Exactly what was acknowledged is stored, each sample once.
pub(crate) async fn assert_stored(
    url: &str,
    batteries: Vec<tokio::task::JoinHandle<BTreeSet<u32>>>,
) {
    for (n, battery) in batteries.into_iter().enumerate() {
        let acknowledged: Vec<i64> = battery.await.unwrap().into_iter().map(i64::from).collect();
        let stored = database::samples(url, &serial(n)).await;
        let mut stored: Vec<i64> = stored.iter().map(|row| row.2).collect();
        stored.sort_unstable();
        assert_eq!(stored, acknowledged, "{}", serial(n));
    }
}
