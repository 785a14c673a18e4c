//! Entry points for the fuzz targets in `fuzz/`: any bytes from a battery, before and after its login.
#![allow(clippy::unwrap_used, reason = "a panic is what fuzzing looks for")]
use crate::clock_correction::ClockCorrection;
use crate::connect::Link;
use crate::decoder::ReportDecoder;
use crate::wire::{DownTopics, LastWill, UpTopic, has_control_character};
use bytes::BytesMut;
use domain::clock::{DAY, HOUR, Millis, SECOND};
use domain::{Hello, Sample, Serial};
use rmqtt_codec::v3::{Codec, Packet};
use store::report::ReportBody;
use tokio_util::codec::{Decoder as _, Encoder as _};

const NOW: Millis = 1_794_740_400_000;
/// No sample is dated outside of this range.
const OLDEST: Millis = NOW - 401 * DAY;
const NEWEST: Millis = NOW + HOUR;
/// Ends a message and its topic line. A zero byte occurs neither in topics nor in JSON.
const END: u8 = 0;

/// The bytes of a connection.
pub fn packets(input: &[u8]) {
    let whole = read_packets(&[input]);
    let middle = input.first().map_or(0, |first| usize::from(*first)) % (input.len() + 1);
    let (one, other) = input.split_at(middle);
    assert_eq!(whole, read_packets(&[one, other]), "split at {middle}");
    let mut decoder = decoder();
    for packet in whole.0 {
        assert_rewritten(&packet);
        match packet {
            Packet::Connect(connect) => {
                if let Some(will) = connect.last_will {
                    let _ = LastWill::from_json(&will.message);
                }
            }
            Packet::Publish(publish) if !has_control_character(&publish.topic) => {
                if let Some(topic) = UpTopic::parse(&sn(), &publish.topic) {
                    check_message(&mut decoder, topic, &publish.payload);
                }
            }
            Packet::Subscribe { topic_filters, .. } => {
                for (filter, _) in topic_filters {
                    let _ = DownTopics::of_filter(&sn(), &filter);
                }
            }
            _ => {}
        }
    }
}

/// The messages of a connection: the last part of the topic, a line break, the payload, and a zero byte between messages.
pub fn payloads(input: &[u8]) {
    let mut decoder = decoder();
    for message in input.split(|byte| *byte == END) {
        let name = message
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        let payload = message.get(name.len() + 1..).unwrap_or_default();
        let topic = format!("v1/d/{}/up/{}", sn(), String::from_utf8_lossy(name));
        let topic = UpTopic::parse(&sn(), &topic).unwrap();
        check_message(&mut decoder, topic, payload);
    }
}

fn sn() -> Serial {
    "SC000001".parse().unwrap()
}

/// A decoder after a login of a device that started a minute and a half ago.
fn decoder() -> ReportDecoder {
    ReportDecoder::new(ClockCorrection::new(vec![(1, NOW - 90 * SECOND)]))
}

/// Reads packets like those of a battery, until the first one that ends the connection.
fn read_packets(chunks: &[&[u8]]) -> (Vec<Packet>, Option<String>) {
    let mut link = Link::new(tokio::io::empty());
    let mut packets = Vec::new();
    for chunk in chunks {
        link.input().extend_from_slice(chunk);
        loop {
            match link.next_packet() {
                Ok(Some(packet)) => {
                    if let Packet::Connect(_) = packet {
                        link.allow_reports();
                    }
                    packets.push(packet);
                }
                Ok(None) => break,
                Err(error) => return (packets, Some(error.to_string())),
            }
        }
    }
    (packets, None)
}

/// A packet that is written and read again stays the same.
fn assert_rewritten(packet: &Packet) {
    let (mut codec, mut bytes) = (Codec::new(0), BytesMut::new());
    if codec.encode(packet.clone(), &mut bytes).is_ok() {
        let read = codec.decode(&mut bytes).unwrap().unwrap();
        assert_eq!(&read.0, packet);
        assert!(bytes.is_empty());
    }
}

/// A report must stay within the ranges that the database and the arithmetic on samples rely on.
fn check_message(decoder: &mut ReportDecoder, topic: UpTopic<'_>, payload: &[u8]) {
    let Ok((body, rejects)) = decoder.decode(topic, payload, NOW) else {
        return;
    };
    assert!(rejects.iter().all(|(_, sample)| sample.len() < 4_096));
    match body.unwrap() {
        ReportBody::Hello { hello, started_at } => {
            check_hello(&hello);
            assert!(started_at <= NOW);
        }
        ReportBody::Sample(sample) => check_sample(&sample),
        ReportBody::BackFill { samples, undated } => {
            assert!(samples.len() + undated.len() + rejects.len() <= 60);
            samples.iter().for_each(check_sample);
            assert!(undated.iter().all(|sample| sample.payload.len() < 4_096));
        }
        ReportBody::Event(event) => {
            assert!(event.at.is_none_or(|at| (OLDEST..=NEWEST).contains(&at)));
            assert!(event.args.is_none_or(|args| args.len() <= 1_024));
        }
        ReportBody::Settings(report) => assert!((0..1 << 53).contains(&report.version)),
        ReportBody::Answer(answer) => assert!(answer.data.is_none_or(|data| data.len() <= 16_384)),
        ReportBody::Firmware(report) => assert!(report.progress <= 100),
        ReportBody::Offline { since, .. } => assert_eq!(since, NOW),
        other => panic!("no message of a battery: {other:?}"),
    }
}

fn check_hello(hello: &Hello) {
    assert!((1..=3).contains(&hello.phase));
    for rated in [hello.charge_max, hello.discharge_max] {
        assert!((0..=1_000_000).contains(&rated));
    }
    let versions = &hello.versions;
    let versions = [&versions.master, &versions.gateway, &versions.slave];
    for shown in versions.into_iter().flatten().chain([&hello.hardware]) {
        assert!(shown.len() <= 64 && !has_control_character(shown));
    }
}

fn check_sample(sample: &Sample) {
    assert!((OLDEST..=NEWEST).contains(&sample.at), "{}", sample.at);
    let within = |value: Option<i32>, range: std::ops::RangeInclusive<i32>| {
        assert!(
            value.is_none_or(|value| range.contains(&value)),
            "{value:?}"
        );
    };
    for voltage in sample.voltage {
        within(voltage, 0..=10_000);
    }
    within(sample.frequency, 0..=10_000);
    let powers = [sample.grid_power, sample.pv_power, sample.battery_power];
    for power in sample.meter_power.into_iter().chain(powers) {
        within(power, -1_000_000..=1_000_000);
    }
    within(sample.soc, 0..=1_000);
    for counter in sample.counters.into_iter().flatten() {
        assert!((0..=1_000_000_000_000).contains(&counter));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use rmqtt_codec::types::{Publish, QoS};
    use rmqtt_codec::v3::{Connect, LastWill};
    use serde_json::json;
    use std::io::Write as _;
    use std::num::NonZeroU16;
    use testkit::corpus;

    #[test]
    fn no_known_connection_does_harm() {
        corpus::run_each("packets", packets);
    }

    #[test]
    fn no_known_message_does_harm() {
        corpus::run_each("payloads", payloads);
    }

    fn publish(name: &str, payload: impl Into<Bytes>) -> Packet {
        Packet::Publish(Box::new(Publish {
            dup: false,
            retain: false,
            qos: QoS::AtLeastOnce,
            topic: format!("v1/d/{}/up/{name}", sn()).into(),
            packet_id: NonZeroU16::new(7),
            payload: payload.into(),
            properties: None,
        }))
    }

    fn back_fill() -> Vec<u8> {
        let sample =
            |n: u32| json!({"b": 1, "s": n, "t": NOW, "u": 1_000 * n, "q": 2, "bs": 1, "soc": 50});
        let samples: Vec<_> = (1..4).map(sample).collect();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
        zlib.write_all(serde_json::to_string(&samples).unwrap().as_bytes())
            .unwrap();
        zlib.finish().unwrap()
    }

    #[test]
    #[ignore = "writes the binary files of the corpus"]
    fn write_corpus() {
        let connect = Connect {
            client_id: sn().as_str().into(),
            username: Some(sn().as_str().into()),
            password: Some(Bytes::from_static(b"a secret of thirty-two characters")),
            clean_session: true,
            keep_alive: 60,
            last_will: Some(LastWill {
                qos: QoS::AtLeastOnce,
                retain: false,
                topic: format!("v1/d/{}/up/pres", sn()).into(),
                message: Bytes::from_static(br#"{"on":0,"b":1}"#),
            }),
            ..Connect::default()
        };
        let hello = json!({
            "v": 1, "b": 1, "s": 1, "t": NOW, "u": 20, "q": 2, "hw": "SC-10", "phase": 2, "cap": 9_600, "pcmax": 4_600,
            "pdmax": 5_000, "tz": "Europe/Berlin", "fw": {"m": "1.2"}, "rep_ver": 4,
        });
        let packet_id = NonZeroU16::new(8).unwrap();
        let filter = format!("v1/d/{}/down/#", sn());
        let login = Packet::Connect(Box::new(connect));
        let subscribe = Packet::Subscribe {
            packet_id,
            topic_filters: vec![(filter.clone().into(), QoS::AtMostOnce)],
        };
        let unsubscribe = Packet::Unsubscribe {
            packet_id,
            topic_filters: vec![filter.into()],
        };
        for (name, connection) in [
            ("login", vec![login.clone()]),
            (
                "session",
                vec![login, subscribe, publish("hello", hello.to_string())],
            ),
            ("back-fill", vec![publish("hist", back_fill())]),
            (
                "end",
                vec![unsubscribe, Packet::PingRequest, Packet::Disconnect],
            ),
        ] {
            let (mut codec, mut bytes) = (Codec::new(0), BytesMut::new());
            for packet in connection {
                codec.encode(packet, &mut bytes).unwrap();
            }
            corpus::write("packets", name, &bytes);
        }
        corpus::write("payloads", "hist", &[b"hist\n", &back_fill()[..]].concat());
    }
}
