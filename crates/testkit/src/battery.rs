//! A minimal MQTT client as a battery: it sends exactly what the test says, and sees every packet.
use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use rmqtt_codec::types::{Publish, QoS};
use rmqtt_codec::v3::{Codec, Connect, ConnectAckReason, LastWill, Packet, SubscribeReturnCode};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_util::codec::Framed;

/// Longer waits fail the test.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// The hardware of all test batteries.
pub const HARDWARE: &str = "SC-5";

/// The secret of a test's device.
pub fn secret(sn: &str) -> String {
    format!("secret of {sn}, long enough for anybody")
}

pub struct MqttBattery {
    pub sn: String,
    /// The boot counter.
    pub boot: u32,
    pub seq: u32,
    /// When it started, by its own clock and the test's; the uptime in its messages counts from here.
    pub started: i64,
    link: Framed<TcpStream, Codec>,
    packet: u16,
}

/// A battery's login, for tests to change.
#[derive(Clone, Debug)]
pub struct MqttLogin {
    pub client: String,
    pub user: Option<String>,
    pub password: Option<Bytes>,
    pub keep_alive: u16,
    /// Topic and payload.
    pub will: Option<(String, String)>,
}

impl MqttLogin {
    pub fn of(sn: &str) -> Self {
        Self {
            client: sn.to_owned(),
            user: Some(sn.to_owned()),
            password: Some(Bytes::from(secret(sn))),
            keep_alive: 60,
            will: None,
        }
    }

    /// With the last will of real batteries.
    pub fn with_will(sn: &str, boot: u32) -> Self {
        let will = (
            format!("v1/d/{sn}/up/pres"),
            json!({"on": 0, "b": boot}).to_string(),
        );
        Self {
            will: Some(will),
            ..Self::of(sn)
        }
    }
}

impl MqttBattery {
    pub async fn connect(address: SocketAddr, sn: &str) -> Self {
        let connected = Self::log_in(address, MqttLogin::of(sn)).await;
        connected.unwrap_or_else(|code| panic!("{sn} was refused: {code:?}"))
    }

    /// `Err(None)`: no answer, because nobody listens or the connection was closed.
    pub async fn log_in(
        address: SocketAddr,
        login: MqttLogin,
    ) -> Result<Self, Option<ConnectAckReason>> {
        let mut link = open(address).await.map_err(|_| None)?;
        let connect = Connect {
            client_id: login.client.clone().into(),
            username: login.user.map(Into::into),
            password: login.password,
            clean_session: true,
            keep_alive: login.keep_alive,
            last_will: login.will.map(|(topic, message)| LastWill {
                qos: QoS::AtLeastOnce,
                retain: false,
                topic: topic.into(),
                message: message.into(),
            }),
            ..Connect::default()
        };
        link.send(connect.into()).await.map_err(|_| None)?;
        match in_time(link.next()).await {
            Some(Ok((Packet::ConnectAck(ack), _))) => match ack.return_code {
                ConnectAckReason::ConnectionAccepted => Ok(Self {
                    sn: login.client,
                    boot: 1,
                    seq: 0,
                    started: crate::NOON - 3_600_000,
                    link,
                    packet: 0,
                }),
                code => Err(Some(code)),
            },
            _ => Err(None),
        }
    }

    pub async fn send(&mut self, packet: Packet) {
        self.link.send(packet).await.unwrap();
    }

    /// The next packet; `None` once the connection is closed.
    pub async fn next(&mut self) -> Option<Packet> {
        match in_time(self.link.next()).await {
            Some(Ok((packet, _))) => Some(packet),
            _ => None,
        }
    }

    /// Whether a packet arrives within `time`; only for tests that expect none.
    pub async fn receives_any_within(&mut self, time: Duration) -> bool {
        tokio::time::timeout(time, self.link.next()).await.is_ok()
    }

    /// Publishes with QoS 1 to its own topic and returns the packet id without waiting.
    pub async fn publish(&mut self, topic: &str, payload: impl Into<Bytes>) -> NonZeroU16 {
        let topic = format!("v1/d/{}/up/{topic}", self.sn);
        self.publish_to(&topic, payload).await
    }

    pub async fn publish_to(&mut self, topic: &str, payload: impl Into<Bytes>) -> NonZeroU16 {
        self.packet = self.packet.wrapping_add(1).max(1);
        let packet_id = NonZeroU16::new(self.packet).unwrap();
        let publish = Publish {
            dup: false,
            retain: false,
            qos: QoS::AtLeastOnce,
            topic: topic.into(),
            packet_id: Some(packet_id),
            payload: payload.into(),
            properties: None,
        };
        // If the server has closed the connection, the next read shows it.
        let _ = self.link.send(Packet::Publish(Box::new(publish))).await;
        packet_id
    }

    /// Waits for the acknowledgement of this packet. Skips messages from the portal and acknowledgements of earlier packets.
    pub async fn wait_for_ack(&mut self, packet: NonZeroU16) {
        loop {
            match self.next().await {
                Some(Packet::PublishAck { packet_id }) if packet_id < packet => {}
                Some(Packet::PublishAck { packet_id }) => {
                    assert_eq!(packet_id, packet, "acknowledged in order");
                    return;
                }
                Some(Packet::Publish(_)) => {}
                other => panic!("{}: expected an acknowledgement, got {other:?}", self.sn),
            }
        }
    }

    /// Whether the acknowledgement of the oldest waiting packet arrives within `time`; removes it from `waiting`.
    pub async fn ack_within(&mut self, time: Duration, waiting: &mut Vec<NonZeroU16>) -> bool {
        match tokio::time::timeout(time, self.link.next()).await {
            Ok(Some(Ok((Packet::PublishAck { packet_id }, _)))) => {
                assert_eq!(packet_id, waiting.remove(0), "acknowledged in order");
                true
            }
            Ok(other) => panic!("{}: expected an acknowledgement, got {other:?}", self.sn),
            Err(_) => false,
        }
    }

    /// Publishes and waits until it is stored.
    pub async fn report(&mut self, topic: &str, payload: impl Into<Bytes>) {
        let packet = self.publish(topic, payload).await;
        self.wait_for_ack(packet).await;
    }

    /// The id and time of the next message; `now` is the test's clock.
    pub fn stamp(&mut self, now: i64) -> Value {
        self.seq += 1;
        json!({"b": self.boot, "s": self.seq, "t": now, "u": now - self.started, "q": 2})
    }

    pub fn hello(&mut self, now: i64) -> Value {
        merge(
            self.stamp(now),
            json!({
                "v": 1, "hw": HARDWARE, "phase": 1, "cap": 5200, "pcmax": 2500, "pdmax": 2600,
                "tz": "Europe/Berlin", "fw": {"m": "4.1.0", "g": "2.0.3", "sl": null, "off": 0}, "rep_ver": 0,
            }),
        )
    }

    pub fn sample(&mut self, now: i64) -> Value {
        merge(
            self.stamp(now),
            json!({
                "uv": [230.4, 231.0, 229.9], "f": 50.01, "pp": [100, -20, 30], "pg": 110, "pv": 1500, "pb": -600,
                "soc": 57.3, "ei": 1000, "ee": 2000, "ep": 3000, "ec": 4000, "ed": 5000, "bs": 2,
                "m1": 0, "m2": 1 << 10, "m3": 3, "m5": 0, "m6": 1,
            }),
        )
    }

    pub fn event(&mut self, now: i64, code: &str) -> Value {
        merge(self.stamp(now), json!({"code": code, "on": 1}))
    }

    /// `up/rep`: the settings in use with their version, and refusals by field.
    pub fn applied(&mut self, version: i64, state: Value, err: Value) -> Value {
        self.seq += 1;
        json!({"b": self.boot, "s": self.seq, "ver": version, "state": state, "err": err})
    }

    /// `up/res`; `ok` is null while the command runs.
    pub fn answer(&mut self, id: &str, ok: Value, code: &str, data: Value) -> Value {
        self.seq += 1;
        json!({"b": self.boot, "s": self.seq, "id": id, "ok": ok, "code": code, "data": data})
    }

    /// Subscribes to all its topics and sends a hello with the version of its settings.
    pub async fn subscribe_and_say_hello(&mut self, now: i64, version: i64) {
        let filter = format!("v1/d/{}/down/#", self.sn);
        self.subscribe(&[&filter]).await;
        let hello = merge(self.hello(now), json!({"rep_ver": version}));
        self.publish("hello", hello.to_string()).await;
    }

    pub async fn say_hello(&mut self, now: i64) {
        let hello = self.hello(now);
        self.report("hello", hello.to_string()).await;
    }

    pub async fn measure(&mut self, now: i64) {
        let sample = self.sample(now);
        self.report("tele", sample.to_string()).await;
    }

    /// Whether each filter was granted.
    pub async fn subscribe(&mut self, filters: &[&str]) -> Vec<bool> {
        let packet_id = NonZeroU16::MAX;
        let topic_filters = filters
            .iter()
            .map(|filter| ((*filter).into(), QoS::AtLeastOnce))
            .collect();
        self.send(Packet::Subscribe {
            packet_id,
            topic_filters,
        })
        .await;
        match self.next().await {
            Some(Packet::SubscribeAck { status, .. }) => status
                .iter()
                .map(|status| matches!(status, SubscribeReturnCode::Success(_)))
                .collect(),
            other => panic!("expected an answer to the subscription, got {other:?}"),
        }
    }

    /// The next message from the portal: topic and JSON.
    pub async fn next_message(&mut self) -> (String, Value) {
        loop {
            match self.next().await {
                Some(Packet::Publish(publish)) => {
                    let body = serde_json::from_slice(&publish.payload).unwrap();
                    return (publish.topic.to_string(), body);
                }
                Some(Packet::PublishAck { .. }) => {}
                other => panic!("{}: expected a message, got {other:?}", self.sn),
            }
        }
    }

    /// The next message on this topic; skips others.
    pub async fn next_message_on(&mut self, topic: &str) -> Value {
        let topic = format!("v1/d/{}/down/{topic}", self.sn);
        loop {
            let (received_on, message) = self.next_message().await;
            if received_on == topic {
                return message;
            }
        }
    }

    /// Whether a message on this topic arrives within `time`; only for tests that expect none.
    pub async fn receives_within(&mut self, topic: &str, time: Duration) -> bool {
        tokio::time::timeout(time, self.next_message_on(topic))
            .await
            .is_ok()
    }

    /// Waits until the server closes the connection.
    pub async fn wait_until_closed(&mut self) {
        while self.next().await.is_some() {}
    }

    /// Disconnects cleanly.
    pub async fn disconnect(mut self) {
        self.send(Packet::Disconnect).await;
        self.wait_until_closed().await;
    }
}

/// Encodes back-fill, which is sent compressed.
pub fn deflated(samples: &[Value]) -> Vec<u8> {
    let text = serde_json::to_vec(samples).unwrap();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(&text).unwrap();
    zlib.finish().unwrap()
}

pub fn merge(mut first: Value, second: Value) -> Value {
    let fields = first.as_object_mut().unwrap();
    fields.extend(second.as_object().unwrap().clone());
    first
}

async fn open(address: SocketAddr) -> std::io::Result<Framed<TcpStream, Codec>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(Framed::new(stream, Codec::new(0)))
}

async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(ANSWER_TIMEOUT, future)
        .await
        .expect("no answer in time")
}
