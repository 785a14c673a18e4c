#![allow(clippy::unwrap_used)]
use super::*;
use domain::sample::MessageId;
use serde_json::{Value, json};

const NOW: Millis = 1_794_740_400_000;

fn decoder() -> ReportDecoder {
    ReportDecoder::new(ClockCorrection::default())
}

fn sample(boot: u32, uptime: Millis) -> Value {
    json!({"b": boot, "s": 1, "t": 0, "u": uptime, "q": 0, "bs": 1, "soc": 50})
}

fn decode_live(
    decoder: &mut ReportDecoder,
    message: &Value,
    received: Millis,
) -> Result<ReportBody, RejectReason> {
    let decoded = decoder.decode(UpTopic::Sample, message.to_string().as_bytes(), received)?;
    assert_eq!(decoded.1, []);
    Ok(decoded.0.unwrap())
}

#[test]
fn a_live_sample_is_dated_to_the_tenth_of_a_second() {
    let live = decode_live(&mut decoder(), &sample(2, 5_000), NOW + 1_049).unwrap();
    let ReportBody::Sample(live) = live else {
        panic!("{live:?}")
    };
    assert_eq!(
        (live.at, live.id, live.soc),
        (NOW + 1_000, MessageId::new(2, 1), Some(500))
    );
}

#[test]
fn a_sample_from_before_the_restart_is_back_fill() {
    let mut decoder = ReportDecoder::new(ClockCorrection::new(vec![(1, NOW - 90_000)]));
    decode_live(&mut decoder, &sample(2, 5_000), NOW).unwrap();
    let late = decode_live(&mut decoder, &sample(1, 30_020), NOW).unwrap();
    let ReportBody::BackFill { samples, undated } = late else {
        panic!("{late:?}")
    };
    assert_eq!((samples[0].at, undated.len()), (NOW - 60_000, 0));
    let dateless = decode_live(&mut decoder, &sample(0, 30_000), NOW).unwrap();
    let ReportBody::BackFill { samples, undated } = dateless else {
        panic!("{dateless:?}")
    };
    assert_eq!((samples.len(), undated[0].id), (0, MessageId::new(0, 1)));
    let stored: Value = serde_json::from_str(&undated[0].payload).unwrap();
    assert_eq!((&stored["b"], &stored["u"]), (&json!(0), &json!(30_000)));
    // It does not belong to the newest start, so the next live sample is still live.
    let live = decode_live(&mut decoder, &sample(2, 6_000), NOW + 1_000).unwrap();
    assert!(matches!(live, ReportBody::Sample(_)));
}

#[test]
fn a_rejected_sample_teaches_nothing() {
    let mut decoder = decoder();
    for (name, value) in [
        ("soc", json!(101)),
        ("bs", json!(8)),
        ("u", json!(-1)),
        ("q", json!(3)),
    ] {
        let mut wrong = sample(9, 50_000);
        wrong[name] = value;
        assert!(decode_live(&mut decoder, &wrong, NOW).is_err(), "{name}");
        assert!(!decoder.knows_boot());
        assert_eq!(decoder.take_clock_ahead(), None);
    }
    // This message sets neither the start of the device nor its boot number: it would be late, and of an older start.
    let live = decode_live(&mut decoder, &sample(8, 5_000), NOW + 7_000).unwrap();
    assert!(matches!(live, ReportBody::Sample(sample) if sample.at == NOW + 7_000));
}
