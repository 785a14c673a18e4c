//! A battery's messages are the JSON that the device link defines.
use super::*;
use crate::device_event::EventArgs;
use domain::flags::Flags;
use domain::sample::BatteryStatus;
use serde_json::{Value, json};
use std::io::Read as _;

fn measured() -> StampedSample {
    let sample = Sample {
        at: 1_700_000_000_000,
        id: MessageId::new(3, 7),
        voltage: [Some(2_304), Some(2_299), None],
        frequency: Some(4_998),
        meter_power: [Some(-12), None, None],
        grid_power: Some(-12),
        pv_power: Some(500),
        battery_power: Some(-200),
        soc: Some(505),
        counters: [Some(1), Some(2), Some(3), Some(4), None],
        status: BatteryStatus::Charging,
        flags: Flags {
            message2: 1024,
            ..Flags::default()
        },
    };
    StampedSample {
        sample,
        uptime: 4_000,
    }
}

#[test]
fn a_sample_is_the_json_of_the_link() {
    let mut text = String::new();
    sample(&mut text, &measured(), DeviceClock::CORRECT);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        value,
        json!({
            "b": 3, "s": 7, "t": 1_700_000_000_000_i64, "u": 4000, "q": 2, "uv": [230.4, 229.9, null], "f": 49.98,
            "pp": [-12, null, null], "pg": -12, "pv": 500, "pb": -200, "soc": 50.5, "ei": 1, "ee": 2, "ep": 3,
            "ec": 4, "ed": null, "bs": 2, "m1": 0, "m2": 1024, "m3": 0, "m5": 0, "m6": 0
        })
    );
}

#[test]
fn a_batch_inflates_to_its_samples() {
    let batch = [measured(), measured()];
    let packed = history(&mut String::new(), &batch, DeviceClock::CORRECT);
    let mut text = String::new();
    flate2::read::ZlibDecoder::new(&packed[..])
        .read_to_string(&mut text)
        .unwrap();
    let values: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(values.len(), 2);
}

#[test]
fn hello_event_and_will_are_json() {
    let identity = Identity {
        serial: "SC24A0001".parse().unwrap(),
        hardware: "sc-8".into(),
        firmware: FirmwareVersions {
            master: "2.4.1".into(),
            gateway: "1.9.0".into(),
            slave: "1.2.0".into(),
        },
        update_needs_off: true,
        phase: 2,
        capacity: 8_000,
        charge_max: 4_000,
        discharge_max: 4_000,
        zone: "Europe/Berlin".into(),
    };
    let id = MessageId::new(1, 0);
    let mut text = String::new();
    let present = HelloFields {
        identity: &identity,
        settings_version: 3,
        job: None,
    };
    hello(&mut text, id, 5, 5, DeviceClock::CORRECT, present);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(value.get("job").is_none());
    let job = "0123456789abcdef01234567".parse().unwrap();
    let mut text_with_job = String::new();
    let working = HelloFields {
        job: Some(&job),
        ..present
    };
    hello(&mut text_with_job, id, 5, 5, DeviceClock::CORRECT, working);
    let with_job: Value = serde_json::from_str(&text_with_job).unwrap();
    assert_eq!(with_job["job"], job.as_str());
    assert_eq!(
        value["fw"],
        json!({"m": "2.4.1", "g": "1.9.0", "sl": "1.2.0", "off": 1})
    );
    assert_eq!(value["rep_ver"], 3);
    let mut text = String::new();
    let device_event = DeviceEvent {
        at: 9,
        code: domain::EventCode::MeterLost,
        on: true,
        args: EventArgs::Limit(7),
    };
    let late = DeviceClock {
        error: -4,
        quality: 1,
    };
    event(&mut text, id, &device_event, 5, late);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&value["t"], &value["code"]),
        (&json!(5), &json!("meter_lost"))
    );
    assert_eq!(value["args"], json!({"limit": 7}));
    assert!(serde_json::from_str::<Value>(&will(4)).is_ok());
}
