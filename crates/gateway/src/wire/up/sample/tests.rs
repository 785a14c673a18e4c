#![allow(clippy::unwrap_used)]
use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Name, smallest and largest value, and units of the database per unit.
const VOLTAGE: (&str, f64, f64, f64) = ("uv", 0.0, 1_000.0, 10.0);
const METER_POWER: (&str, f64, f64, f64) = ("pp", -1e6, 1e6, 1.0);
const NUMBERS: [(&str, f64, f64, f64); 10] = [
    ("f", 0.0, 100.0, 100.0),
    ("pg", -1e6, 1e6, 1.0),
    ("pv", 0.0, 1e6, 1.0),
    ("pb", -1e6, 1e6, 1.0),
    ("soc", 0.0, 100.0, 10.0),
    ("ei", 0.0, 1e12, 1.0),
    ("ee", 0.0, 1e12, 1.0),
    ("ep", 0.0, 1e12, 1.0),
    ("ec", 0.0, 1e12, 1.0),
    ("ed", 0.0, 1e12, 1.0),
];
const THIRTY_YEARS: Millis = 30 * 366 * 86_400_000;
const THREE_CENTURIES: Millis = 300 * 366 * 86_400_000;

/// Usually a number in its range, sometimes null, rarely a number out of range.
fn number((_, low, high, _): (&str, f64, f64, f64)) -> impl Strategy<Value = Value> + use<> {
    prop_oneof![
        80 => (low..=high).prop_map(Value::from),
        10 => Just(Value::Null),
        10 => prop_oneof![Just(low), Just(high)].prop_map(Value::from),
        1 => prop_oneof![Just(low - 0.01), Just(high * 1.001)].prop_map(Value::from),
    ]
}

fn phases(range: (&str, f64, f64, f64)) -> impl Strategy<Value = Value> + use<> {
    prop_oneof![
        8 => vec(number(range), 0..=3).prop_map(Value::from),
        1 => Just(Value::Null),
    ]
}

fn messages() -> impl Strategy<Value = Map<String, Value>> {
    let numbers = Vec::from(NUMBERS.map(number));
    let uptime = prop_oneof![30 => 0..=THIRTY_YEARS, 1 => Just(-1), 1 => Just(THIRTY_YEARS + 1)];
    let time =
        prop_oneof![8 => Just(1_794_740_400_000), 1 => Just(-1), 1 => Just(THREE_CENTURIES + 1)];
    let quality = prop_oneof![30 => 0..=2_u8, 1 => Just(3)];
    let status = prop_oneof![30 => 0..=7_u8, 1 => Just(8)];
    let head = (any::<u32>(), any::<u32>(), time, uptime, quality);
    let body = (phases(VOLTAGE), phases(METER_POWER), numbers, status);
    let flags = vec(any::<u16>(), 5);
    let missing = vec(any::<proptest::sample::Index>(), 0..4);
    (head, body, flags, missing).prop_map(|(head, body, flags, missing)| {
        let (boot, seq, time, uptime, quality) = head;
        let (voltage, meter_power, numbers, status) = body;
        let message = json!({
            "b": boot, "s": seq, "t": time, "u": uptime, "q": quality, "bs": status,
            "uv": voltage, "pp": meter_power,
            "m1": flags[0], "m2": flags[1], "m3": flags[2], "m5": flags[3], "m6": flags[4],
        });
        let mut message = message.as_object().unwrap().clone();
        message.extend(
            NUMBERS
                .iter()
                .zip(numbers)
                .map(|((name, ..), number)| ((*name).to_owned(), number)),
        );
        for index in missing {
            message.remove(index.get(&NUMBERS).0);
        }
        message
    })
}

/// `None` for a number out of range.
fn expected_number(value: &Value, (_, low, high, scale): (&str, f64, f64, f64)) -> Option<Value> {
    match value.as_f64() {
        None => Some(Value::Null),
        Some(number) if (low..=high).contains(&number) => Some(json!((number * scale).round())),
        Some(_) => None,
    }
}

/// All values of a sample in the database; `None` for a reject.
fn expected(message: &Value) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for range in [VOLTAGE, METER_POWER] {
        for phase in 0..3 {
            values.push(expected_number(&message[range.0][phase], range)?);
        }
    }
    for range in NUMBERS {
        values.push(expected_number(&message[range.0], range)?);
    }
    let uptime = message["u"].as_i64()?;
    let usable = (0..=THIRTY_YEARS).contains(&uptime)
        && message["q"].as_u64()? <= 2
        && message["bs"].as_u64()? <= 7;
    for name in ["b", "s", "bs", "m1", "m2", "m3", "m5", "m6"] {
        values.push(json!(message[name].as_f64()));
    }
    usable.then_some(values)
}

fn values(sample: &Sample) -> Vec<Value> {
    let numbers = [
        sample.frequency,
        sample.grid_power,
        sample.pv_power,
        sample.battery_power,
        sample.soc,
    ];
    let measured = sample.voltage.into_iter().chain(sample.meter_power);
    let measured = measured.chain(numbers).map(|value| value.map(f64::from));
    let counters = sample.counters.map(|value| value.map(|value| value as f64));
    let Flags {
        message1,
        message2,
        message3,
        message5,
        message6,
    } = sample.flags;
    let flags = [message1, message2, message3, message5, message6].map(f64::from);
    let head = [sample.id.boot, sample.id.seq, sample.status as u32].map(f64::from);
    let rest = head.into_iter().chain(flags).map(Some);
    let all = measured.chain(counters).chain(rest);
    all.map(|value| json!(value)).collect()
}

proptest! {
    #[test]
    fn a_sample_is_what_a_plain_reading_of_its_json_says(
        message in messages(),
        dated in proptest::option::weighted(0.8, 0..2_000_000_000_000_i64),
    ) {
        let text = Value::Object(message).to_string();
        let read: SampleMessage = serde_json::from_str(&text).unwrap();
        // Parse the text again: the last bit of a large number may differ from the value that was written.
        let message: Value = serde_json::from_str(&text).unwrap();
        let mut asked = None;
        let sample = read.to_sample(|device_time| {
            asked = Some(device_time);
            dated
        });
        let Some(expected) = expected(&message) else {
            prop_assert_eq!(sample, Err(OUT_OF_RANGE));
            prop_assert_eq!(asked, None, "a reject is not dated");
            return Ok(());
        };
        let time = message["t"].as_i64().filter(|time| (0..=THREE_CENTURIES).contains(time));
        let asked = asked.unwrap();
        prop_assert_eq!(asked.time, time);
        prop_assert_eq!(json!([asked.boot, asked.uptime, asked.quality]), json!([message["b"], message["u"], message["q"]]));
        let sample = sample.unwrap();
        prop_assert_eq!(sample.map(|sample| sample.at), dated.map(|at| (at + 50) / 100 * 100));
        if let Some(sample) = sample {
            prop_assert_eq!(values(&sample), expected);
        }
    }
}

#[test]
fn a_sample_that_is_stored_as_it_came_keeps_its_names() {
    let text = r#"{"s":2,"b":1,"u":3,"q":0,"bs":1,"uv":[230.1],"m2":4}"#;
    let message: SampleMessage = serde_json::from_str(text).unwrap();
    assert_eq!(
        message.to_json(),
        concat!(
            r#"{"t":null,"b":1,"s":2,"u":3,"q":0,"uv":[230.1,null,null],"f":null,"pp":[null,null,null],"#,
            r#""pg":null,"pv":null,"pb":null,"soc":null,"ei":null,"ee":null,"ep":null,"ec":null,"ed":null,"#,
            r#""bs":1,"m1":0,"m2":4,"m3":0,"m5":0,"m6":0}"#,
        )
    );
}

#[test]
fn a_fourth_phase_is_malformed() {
    let text = r#"{"s":2,"b":1,"u":3,"q":0,"bs":1,"uv":[1,2,3,4]}"#;
    assert!(serde_json::from_str::<SampleMessage>(text).is_err());
}
