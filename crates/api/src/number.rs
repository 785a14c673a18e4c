//! Writes numbers directly into an answer. Charts have thousands of them, and a detour through floating point costs more than
//! reading them.
use serde_json::value::RawValue;

/// Writes a fixed-point number: 2304 with one decimal is `230.4`, 2300 is `230`.
pub(crate) fn fixed(out: &mut Vec<u8>, value: i64, decimals: u8) {
    if value < 0 {
        out.push(b'-');
    }
    let scale = 10_u64.pow(u32::from(decimals));
    let magnitude = value.unsigned_abs();
    digits(out, magnitude / scale, 1);
    let fraction = magnitude % scale;
    if fraction != 0 {
        out.push(b'.');
        digits(out, fraction, usize::from(decimals));
    }
}

/// At least `width` digits, padded with zeros.
pub(crate) fn digits(out: &mut Vec<u8>, mut value: u64, width: usize) {
    let mut buffer = [b'0'; 20];
    let mut place = buffer.len();
    while value > 0 {
        place -= 1;
        buffer[place] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.extend_from_slice(&buffer[place.min(buffer.len() - width)..]);
}

/// A list of numbers, with `null` for missing values.
pub(crate) fn list(out: &mut Vec<u8>, values: impl Iterator<Item = Option<i64>>, decimals: u8) {
    out.push(b'[');
    for (place, value) in values.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        match value {
            Some(value) => fixed(out, value, decimals),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b']');
}

/// An amount of money in cents. It is written digit by digit: money never becomes a floating-point number.
pub(crate) fn cents(hundredths: i64) -> Box<RawValue> {
    let mut digits = Vec::new();
    fixed(&mut digits, hundredths, 2);
    let text = String::from_utf8(digits).expect("digits, a sign and a point are ASCII");
    RawValue::from_string(text).expect("digits, a sign and a point are a JSON number")
}

pub(crate) fn kilowatts(watts: i64) -> f64 {
    watts as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(value: i64, decimals: u8) -> String {
        let mut out = Vec::new();
        fixed(&mut out, value, decimals);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_number_keeps_its_sign_and_its_point() {
        for (value, decimals, want) in [
            (0, 0, "0"),
            (0, 2, "0"),
            (2304, 1, "230.4"),
            (2300, 1, "230"),
            (-5, 1, "-0.5"),
            (5003, 2, "50.03"),
            (-1200, 0, "-1200"),
            (i64::MIN, 0, "-9223372036854775808"),
            (i64::MAX, 1, "922337203685477580.7"),
        ] {
            assert_eq!(text(value, decimals), want);
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_as_the_same_number(value in -1_000_000_000_i64..1_000_000_000, decimals in 0..4_u8) {
            let read: f64 = text(value, decimals).parse().unwrap();
            prop_assert_eq!((read * 10_f64.powi(decimals.into())).round() as i64, value);
            prop_assert!(serde_json::from_str::<f64>(&text(value, decimals)).is_ok());
        }
    }

    #[test]
    fn a_missing_value_is_null() {
        let mut out = Vec::new();
        list(&mut out, [Some(1), None, Some(-25)].into_iter(), 1);
        assert_eq!(out, b"[0.1,null,-2.5]");
    }
}
