//! The battery's side of the device link, against an endpoint that records what it acknowledges and sometimes hangs up.
#![allow(clippy::unwrap_used)]
use domain::sample::MessageId;
use domain::{Clock, Serial};
use futures_util::{SinkExt as _, StreamExt as _};
use rmqtt_codec::v3::{Codec, ConnectAck, ConnectAckReason, Packet, SubscribeReturnCode};
use serde_json::Value;
use simulator::model::InitialState;
use simulator::{Device, Fleet, FleetContext, Intervention, LinkFaults, Seed};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::Framed;

type Ids = BTreeSet<(u32, u32)>;

/// The samples that the endpoint has stored, by serial number, and all messages in order.
#[derive(Default)]
struct Stored {
    samples: BTreeMap<String, Ids>,
    said: Vec<(String, Value)>,
}

#[derive(Clone, Default)]
struct Endpoint {
    stored: Arc<Mutex<Stored>>,
    /// Every nth message it hangs up instead of acknowledging; 0 for never.
    hang_up_every: u32,
}

impl Endpoint {
    async fn listen(&self) -> std::net::SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let endpoint = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(endpoint.clone().serve(stream));
            }
        });
        address
    }

    async fn serve(self, stream: TcpStream) {
        let mut framed = Framed::new(stream, Codec::new(1 << 20));
        let mut sn = String::new();
        let mut heard = 0;
        while let Some(Ok((packet, _))) = framed.next().await {
            let answer = match packet {
                Packet::Connect(connect) => {
                    sn = connect.client_id.to_string();
                    let known = connect.password.as_deref() == Some(b"secret");
                    Packet::ConnectAck(ConnectAck {
                        return_code: if known {
                            ConnectAckReason::ConnectionAccepted
                        } else {
                            ConnectAckReason::BadUserNameOrPassword
                        },
                        session_present: false,
                    })
                }
                Packet::Subscribe { packet_id, .. } => Packet::SubscribeAck {
                    packet_id,
                    status: vec![SubscribeReturnCode::Failure],
                },
                Packet::Publish(publish) => {
                    heard += 1;
                    self.store(&sn, &publish.topic, &publish.payload);
                    if self.hang_up_every > 0 && heard % self.hang_up_every == 0 {
                        return;
                    }
                    Packet::PublishAck {
                        packet_id: publish.packet_id.unwrap(),
                    }
                }
                Packet::PingRequest => Packet::PingResponse,
                _ => continue,
            };
            if framed.send(answer).await.is_err() {
                return;
            }
        }
    }

    fn store(&self, sn: &str, topic: &str, payload: &[u8]) {
        let name = topic.strip_prefix(&format!("v1/d/{sn}/up/")).unwrap();
        let values: Vec<Value> = if name == "hist" {
            let mut text = String::new();
            flate2::read::ZlibDecoder::new(payload)
                .read_to_string(&mut text)
                .unwrap();
            serde_json::from_str(&text).unwrap()
        } else {
            vec![serde_json::from_slice(payload).unwrap()]
        };
        assert!(values.len() <= 60);
        let mut stored = self.stored.lock().unwrap();
        for value in values {
            if matches!(name, "tele" | "hist") {
                let number = |name: &str| u32::try_from(value[name].as_u64().unwrap()).unwrap();
                let ids = stored.samples.entry(sn.to_owned()).or_default();
                ids.insert((number("b"), number("s")));
            }
            stored.said.push((name.to_owned(), value));
        }
    }

    fn said(&self, name: &str) -> Vec<Value> {
        let stored = self.stored.lock().unwrap();
        let of_name = stored.said.iter().filter(|(said, _)| said == name);
        of_name.map(|(_, value)| value.clone()).collect()
    }
}

fn devices(count: usize, secret: &[u8]) -> Vec<Device> {
    let now = Clock::system().now();
    (0..count)
        .map(|number| {
            let sn: Serial = format!("SIM{number:05}").parse().unwrap();
            let seed = Seed::of(&sn, 1);
            let start = InitialState {
                at: now,
                boot: 1,
                charge: 500,
                readings: [0; 5],
            };
            Device::random(sn, secret.to_vec(), 1, seed, &start)
        })
        .collect()
}

fn quick(gateway: std::net::SocketAddr) -> FleetContext {
    let mut context = FleetContext::new(gateway, Duration::from_millis(20), Clock::system());
    context.history_jitter = Duration::from_millis(50);
    context.record_acknowledged = true;
    context.accepts_interventions = true;
    context
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what}: timeout after 30 s");
}

fn as_ids(ids: &[MessageId]) -> Ids {
    ids.iter().map(|id| (id.boot, id.seq)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_exactly_what_was_stored_whatever_goes_wrong() {
    let endpoint = Endpoint {
        hang_up_every: 37,
        ..Endpoint::default()
    };
    let mut context = quick(endpoint.listen().await);
    context.link_faults = LinkFaults {
        duplicate: 0.1,
        reorder: 0.1,
        disconnect: 0.01,
        lose_ack: 0.02,
        max_offline: Duration::from_millis(100),
    };
    let fleet = Fleet::start(context, devices(20, b"secret"));
    let stats = &fleet.context().stats;
    let enough = || {
        stats
            .acknowledged
            .load(std::sync::atomic::Ordering::Relaxed)
            > 2_000
    };
    until("2,000 samples", enough).await;
    assert!(fleet.finish(Duration::from_secs(30)).await);
    let stored = endpoint.stored.lock().unwrap();
    for (sn, ids) in fleet.acknowledged() {
        assert_eq!(as_ids(&ids), stored.samples[sn.as_str()], "{sn}");
    }
    assert!(stats.reconnects.load(std::sync::atomic::Ordering::Relaxed) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_measured_while_away_comes_as_history_with_its_own_time() {
    let endpoint = Endpoint::default();
    let fleet = Fleet::start(quick(endpoint.listen().await), devices(1, b"secret"));
    let sn = "SIM00000".parse().unwrap();
    until("a live sample", || !endpoint.said("tele").is_empty()).await;
    assert!(fleet.intervene(&sn, Intervention::StayAway(Duration::from_millis(400))));
    until("history", || endpoint.said("hist").len() >= 10).await;
    assert_eq!(endpoint.said("hello").len(), 2);
    let times: Vec<_> = endpoint
        .said("hist")
        .iter()
        .map(|sample| sample["t"].as_i64().unwrap())
        .collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    // A reboot restarts the message numbers.
    assert!(fleet.intervene(&sn, Intervention::Reboot));
    until("the second boot", || {
        endpoint.said("hello").last().unwrap()["b"] == 2
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turned_switch_shows_in_the_flags_and_is_told_once_it_is_on_again() {
    let endpoint = Endpoint::default();
    let fleet = Fleet::start(quick(endpoint.listen().await), devices(1, b"secret"));
    until("a live sample", || !endpoint.said("tele").is_empty()).await;
    let sn = "SIM00000".parse().unwrap();
    for on in [false, true] {
        assert!(fleet.intervene(&sn, Intervention::Switch(on)));
        until("it is turned", || fleet.states()[0].switched_on == on).await;
    }
    until("the event", || !endpoint.said("ev").is_empty()).await;
    let event = &endpoint.said("ev")[0];
    assert_eq!(event["code"], "switch_cycled");
    assert_eq!(event["args"]["off"].as_array().unwrap().len(), 1);
    let off = |sample: &Value| sample["m2"].as_u64().unwrap() >> 11 & 1 == 1;
    let samples = endpoint.said("tele");
    assert!(samples.iter().any(off) && !off(&samples[0]));
    let before = samples.len();
    until("it is on again", || {
        endpoint.said("tele")[before..]
            .iter()
            .any(|sample| !off(sample))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_secret_gets_nowhere() {
    let endpoint = Endpoint::default();
    let fleet = Fleet::start(quick(endpoint.listen().await), devices(1, b"guess"));
    let stats = &fleet.context().stats;
    until("a refusal", || {
        stats.refused.load(std::sync::atomic::Ordering::Relaxed) > 0
    })
    .await;
    assert!(endpoint.stored.lock().unwrap().said.is_empty());
}
