#![allow(clippy::unwrap_used)]
use super::payload::{MALFORMED, OUT_OF_RANGE, TOO_LARGE, UNKNOWN_CODE, UNKNOWN_ZONE};
use super::*;
use crate::clock_correction::DeviceTime;
use domain::command::{AnswerCode, CommandAnswer};
use domain::event::EventCode;
use domain::firmware::{Fault, FirmwareReport, Part, Stage};
use domain::hello::PartVersions;
use domain::sample::MessageId;
use domain::setting::{Field, SettingRefusal, SettingsReport};
use domain::{Event, Hello, Settings};
use serde_json::json;

const ID: &str = "0123456789abcdef01234567";

/// Parses the message and converts it by the given arm of [`Up`].
macro_rules! decoded {
    ($arm:ident, $payload:expr, $convert:expr) => {
        Up::parse(UpTopic::$arm, $payload.as_bytes()).and_then(|up| match up {
            Up::$arm(message) => $convert(message),
            other => panic!("{other:?}"),
        })
    };
}

fn hello(payload: &str) -> Result<(Hello, DeviceTime), RejectReason> {
    decoded!(Hello, payload, HelloMessage::into_hello)
}

#[test]
fn a_hello_has_facts_and_time() {
    let text = json!({
        "v": 1, "b": 3, "s": 1, "t": 1_000, "u": 20, "q": 2, "hw": "SC-10", "phase": 2, "cap": 9_600.4, "pcmax": 4_600,
        "pdmax": 5_000, "tz": "Europe/Berlin", "fw": {"m": "1.2", "g": "2.3", "sl": "", "off": 0}, "rep_ver": 4,
    });
    let facts = Hello {
        id: MessageId::new(3, 1),
        hardware: "SC-10".to_owned(),
        phase: 2,
        capacity: 9_600,
        charge_max: 4_600,
        discharge_max: 5_000,
        zone: "Europe/Berlin".parse().unwrap(),
        versions: PartVersions {
            master: Some("1.2".to_owned()),
            gateway: Some("2.3".to_owned()),
            slave: None,
        },
        update_needs_off: false,
        settings_version: 4,
    };
    let device_time = DeviceTime {
        boot: 3,
        time: Some(1_000),
        uptime: 20,
        quality: 2,
    };
    assert_eq!(hello(&text.to_string()), Ok((facts, device_time)));
    let least = r#"{"b":3,"s":1,"u":20,"q":0,"hw":"SC","phase":1,"cap":1,"pcmax":1,"pdmax":1,"tz":"Europe/Berlin"}"#;
    let (least, device_time) = hello(least).unwrap();
    assert!(least.update_needs_off && least.versions == PartVersions::default());
    assert_eq!((least.settings_version, device_time.time), (0, None));
    for (name, value, reason) in [
        ("phase", json!(4), OUT_OF_RANGE),
        ("hw", json!("a\nb"), OUT_OF_RANGE),
        ("cap", json!(-1), OUT_OF_RANGE),
        ("fw", json!({"m": "1".repeat(65)}), OUT_OF_RANGE),
        ("rep_ver", json!(-1), OUT_OF_RANGE),
        ("q", json!(3), OUT_OF_RANGE),
        ("tz", json!("Mars/Olympus"), UNKNOWN_ZONE),
        ("u", json!("long"), MALFORMED),
    ] {
        let mut wrong = text.clone();
        wrong[name] = value;
        assert_eq!(hello(&wrong.to_string()), Err(reason), "{name}");
    }
}

#[test]
fn back_fill_is_deflated_with_or_without_a_header() {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, ZlibEncoder};
    use std::io::Write as _;

    let text = br#"[{"b":1,"s":1,"u":3,"q":0,"bs":1},{"b":1,"s":2,"u":4,"q":0,"bs":1}]"#;
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(text).unwrap();
    let mut bare = DeflateEncoder::new(Vec::new(), Compression::fast());
    bare.write_all(text).unwrap();
    for payload in [zlib.finish().unwrap(), bare.finish().unwrap()] {
        let Ok(Up::History(samples)) = Up::parse(UpTopic::History, &payload) else {
            panic!("not back-fill");
        };
        let ids: Vec<_> = samples.iter().map(SampleMessage::id).collect();
        assert_eq!(ids, [MessageId::new(1, 1), MessageId::new(1, 2)]);
    }
    assert!(Up::parse(UpTopic::History, text).is_err());
}

#[test]
fn an_event_says_when_it_happened_in_one_of_three_ways() {
    let event = |payload: &str| {
        let mut asked = None;
        let dated = |time| {
            asked = Some(time);
            Some(77)
        };
        let event = decoded!(Event, payload, |message: EventMessage<'_>| message
            .into_event(dated));
        event.map(|event| (event, asked.unwrap()))
    };
    let expected = |on, args: Option<&str>| Event {
        id: MessageId::new(1, 2),
        at: Some(77),
        code: EventCode::MeterLost,
        on,
        args: args.map(str::to_owned),
    };
    let uptime = DeviceTime {
        boot: 1,
        time: Some(5),
        uptime: 9,
        quality: 2,
    };
    assert_eq!(
        event(r#"{"b":1,"s":2,"t":5,"u":9,"code":"meter_lost","on":0,"args":{"address":7}}"#),
        Ok((
            expected(false, Some(r#"{"address":7}"#)),
            EventTime::Device(uptime)
        ))
    );
    assert_eq!(
        event(r#"{"b":1,"s":2,"t":5,"code":"meter_lost","on":true,"args":null}"#),
        Ok((expected(true, None), EventTime::Clock(5)))
    );
    assert_eq!(
        event(r#"{"b":1,"s":2,"t":-5,"code":"meter_lost"}"#),
        Ok((expected(true, None), EventTime::Missing))
    );
    let impossible = r#"{"b":1,"s":2,"code":"grid_limit","args":{"limit":-1e300}}"#;
    assert_eq!(event(impossible).unwrap().0.args, None, "the event counts");
    let limit = r#"{"b":1,"s":2,"code":"grid_limit","args":{"limit":4200}}"#;
    let args = event(limit).unwrap().0.args;
    assert_eq!(args.as_deref(), Some(r#"{"limit":4200}"#));
    assert_eq!(event(r#"{"b":1,"s":2,"code":"party"}"#), Err(UNKNOWN_CODE));
    let long = json!({"b": 1, "s": 2, "code": "meter_lost", "args": "a".repeat(1_024)});
    assert_eq!(event(&long.to_string()), Err(TOO_LARGE));
}

#[test]
fn a_last_will_says_which_start_is_over() {
    let will = |payload: &str| {
        let up = Up::parse(UpTopic::Presence, payload.as_bytes())?;
        let Up::LastWill(will) = up else {
            panic!("{up:?}")
        };
        Ok(will.boot)
    };
    assert_eq!(will(r#"{"on":0,"b":3}"#), Ok(3));
    assert_eq!(will(r#"{"on":1,"b":3}"#), Err(OUT_OF_RANGE));
    assert_eq!(will(r#"{"on":0}"#), Err(MALFORMED));
}

#[test]
fn reported_settings_are_applied_or_refused() {
    let settings = |payload: &str| decoded!(Settings, payload, SettingsMessage::into_report);
    let applied = json!({"reserve_soc": 20});
    let text = r#"{"b":1,"s":2,"ver":3,"state":{"reserve_soc":20,"newer":1},"err":{"meter_type":"needs_tcp","newer":"x"}}"#;
    assert_eq!(
        settings(text),
        Ok(SettingsReport {
            id: MessageId::new(1, 2),
            version: 3,
            applied: Settings::from_json(applied.as_object().unwrap()).unwrap(),
            refused: vec![(Field::MeterType, SettingRefusal::NeedsTcp)],
        })
    );
    assert_eq!(
        settings(r#"{"b":1,"s":2,"ver":-1}"#).map(|_| ()),
        Err(OUT_OF_RANGE)
    );
    assert_eq!(
        settings(&" ".repeat(8 * 1024 + 1)).map(|_| ()),
        Err(TOO_LARGE)
    );
}

#[test]
fn an_answer_may_come_while_the_command_runs() {
    let answer = |payload: &str| decoded!(Answer, payload, AnswerMessage::into_answer);
    for (ok, code, expected_ok, expected_code) in [
        ("1", "passed", Some(true), AnswerCode::Passed),
        ("true", "", Some(true), AnswerCode::Ok),
        ("0", "busy", Some(false), AnswerCode::Busy),
        ("false", "newer", Some(false), AnswerCode::Refused),
        ("null", "", None, AnswerCode::Ok),
    ] {
        let text = format!(r#"{{"id":"{ID}","ok":{ok},"code":"{code}","data":{{"w":1}}}}"#);
        let expected = CommandAnswer {
            command: ID.parse().unwrap(),
            ok: expected_ok,
            code: expected_code,
            data: Some(r#"{"w":1}"#.to_owned()),
        };
        assert_eq!(answer(&text), Ok(expected), "{ok} {code}");
    }
    assert_eq!(answer(r#"{"id":"drop table"}"#), Err(MALFORMED));
    assert_eq!(answer(&" ".repeat(4 * 1024 + 1)), Err(TOO_LARGE));
}

#[test]
fn the_progress_of_an_update_belongs_to_its_stage() {
    let firmware = |stage: &str, progress: u8, fault: &str| {
        let text = json!({"job": ID, "part": "master", "ver": "1.2", "st": stage, "pg": progress, "err": fault});
        let text = text.to_string();
        decoded!(Firmware, text, FirmwareMessage::into_report)
    };
    let expected = |stage, progress, fault| FirmwareReport {
        job: ID.parse().unwrap(),
        part: Part::Master,
        version: "1.2".parse().unwrap(),
        stage,
        progress,
        fault,
    };
    assert_eq!(
        firmware("downloading", 30, ""),
        Ok(expected(Stage::Downloading, 30, None))
    );
    let failed = expected(Stage::Failed, 30, Some(Fault::of("signature")));
    assert_eq!(firmware("failed", 30, "signature"), Ok(failed));
    assert_eq!(firmware("downloading", 61, ""), Err(OUT_OF_RANGE));
    assert_eq!(firmware("dancing", 0, ""), Err(MALFORMED));
}

#[test]
fn what_is_not_known_is_a_reject() {
    let unknown = Up::parse(UpTopic::Unknown("news"), b"{}");
    assert_eq!(unknown.map(|_| ()), Err(UNKNOWN_TOPIC));
}
