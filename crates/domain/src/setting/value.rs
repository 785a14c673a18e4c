//! One value of a setting: parsed from what a person typed or a battery sent, and formatted for both.
use super::{DAY_END, Field, FieldKind, Ratings};
use crate::{Message, Price};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// %, W, or an address.
    Whole(i64),
    /// Minutes since midnight; 1440 is midnight at the end of the day.
    Time(u16),
    Choice(&'static str),
    Switch(bool),
    /// A fixed-point number with as many decimals as its [`FieldKind`] has.
    Decimal(i64),
    Unknown,
}

impl Field {
    /// Parses what a person typed, within the unit's ratings.
    pub fn parse(self, text: &str, ratings: Ratings) -> Result<Value, Message> {
        let text = text.trim();
        if text.is_empty() {
            return if self.may_be_unknown() {
                Ok(Value::Unknown)
            } else {
                Err(Message::Required)
            };
        }
        let value = self.read(text)?;
        match (self.range(ratings), value) {
            (Some((least, most)), Value::Whole(number) | Value::Decimal(number))
                if !(least..=most).contains(&number) =>
            {
                Err(self.out_of_range())
            }
            _ => Ok(value),
        }
    }

    fn read(self, text: &str) -> Result<Value, Message> {
        match self.kind() {
            FieldKind::Percent | FieldKind::Power(_) | FieldKind::Address => {
                fixed_point(text, 0).map(Value::Whole)
            }
            FieldKind::Price => {
                let price: Price = text.parse()?;
                Ok(Value::Decimal(price.hundredths()))
            }
            FieldKind::Rate => fixed_point(text, self.kind().decimals()).map(Value::Decimal),
            FieldKind::Time => time(text).map(Value::Time).ok_or(Message::TimeInvalid),
            FieldKind::Choice(choices) => {
                let known = choices.iter().find(|choice| **choice == text);
                let known = known.ok_or(Message::ChoiceUnknown)?;
                Ok(Value::Choice(known))
            }
            FieldKind::Switch => match text {
                "true" | "1" | "on" => Ok(Value::Switch(true)),
                "false" | "0" | "off" => Ok(Value::Switch(false)),
                _ => Err(Message::SwitchInvalid),
            },
            FieldKind::Token => Err(Message::ChoiceUnknown),
        }
    }

    fn out_of_range(self) -> Message {
        match self.kind() {
            FieldKind::Percent => Message::SocRange,
            FieldKind::Power(_) => Message::PowerRange,
            FieldKind::Price => Message::PriceRange,
            FieldKind::Rate => Message::RateRange,
            FieldKind::Address => Message::AddressRange,
            FieldKind::Time | FieldKind::Choice(_) | FieldKind::Switch | FieldKind::Token => {
                Message::ChoiceUnknown
            }
        }
    }

    /// From a document of the portal or a battery. `None` if the value is never valid for this field.
    pub fn from_json(self, json: &serde_json::Value) -> Option<Value> {
        let text = match json {
            serde_json::Value::Null if self.may_be_unknown() => return Some(Value::Unknown),
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Bool(_) => json.to_string(),
            // To a battery 35 and 35.0 are the same number.
            serde_json::Value::Number(number) => {
                let text = number.to_string();
                text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
            }
            _ => return None,
        };
        self.parse(&text, Ratings::default()).ok()
    }
}

impl Value {
    /// As a person types it: `07:30`, `12.5`, `true`.
    pub fn text(self, field: Field) -> String {
        match self {
            Self::Whole(number) => number.to_string(),
            Self::Time(minute) => format!("{:02}:{:02}", minute / 60, minute % 60),
            Self::Choice(choice) => choice.to_owned(),
            Self::Switch(on) => on.to_string(),
            Self::Decimal(number) => decimal_text(number, field.kind().decimals()),
            Self::Unknown => String::new(),
        }
    }

    /// The form in documents. A decimal number is written from its digits and never calculated with as a float.
    pub fn json(self, field: Field) -> serde_json::Value {
        match self {
            Self::Time(_) | Self::Choice(_) => self.text(field).into(),
            Self::Switch(on) => on.into(),
            Self::Unknown => serde_json::Value::Null,
            Self::Whole(number) => number.into(),
            Self::Decimal(_) => serde_json::from_str(&self.text(field)).unwrap_or_default(),
        }
    }
}

/// `12`, `12.5` or `12,5` as an integer of the smallest unit; more than `decimals` decimals are refused. A whole number
/// must not have a point: "4.000" W could mean 4 W or 4,000 W.
fn fixed_point(text: &str, decimals: u8) -> Result<i64, Message> {
    let invalid = Message::NumberInvalid;
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = match digits.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let room = usize::from(decimals);
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    // No setting needs more than twelve digits, and twelve never overflow.
    if !plain(whole) || whole.len() > 12 {
        return Err(invalid);
    }
    if fraction.is_some_and(|digits| !plain(digits) || digits.len() > room) {
        return Err(invalid);
    }
    let fraction = fraction.unwrap_or("");
    let number: i64 = format!("{whole}{fraction:0<room$}")
        .parse()
        .map_err(|_| invalid)?;
    Ok(if negative { -number } else { number })
}

fn decimal_text(number: i64, decimals: u8) -> String {
    let scale = 10_u64.pow(u32::from(decimals));
    let (sign, size) = (if number < 0 { "-" } else { "" }, number.unsigned_abs());
    let (whole, rest) = (size / scale, size % scale);
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    let width = usize::from(decimals);
    let fraction = format!("{rest:0width$}");
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

/// Exactly `HH:MM`, 00:00 to 24:00.
pub(crate) fn time(text: &str) -> Option<u16> {
    let (hour, minute) = text.split_once(':')?;
    let two = |part: &str| -> Option<u16> {
        let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse().ok()).flatten()
    };
    let (hour, minute) = (two(hour)?, two(minute)?);
    let minutes = hour * 60 + minute;
    (minute < 60 && minutes <= DAY_END).then_some(minutes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RATED: Ratings = Ratings {
        charge: Some(4_600),
        discharge: Some(5_000),
    };

    #[test]
    fn what_people_type_is_read_or_refused_with_its_reason() {
        for (name, text, want) in [
            ("reserve_soc", "0", Ok(Value::Whole(0))),
            ("reserve_soc", " 100 ", Ok(Value::Whole(100))),
            ("reserve_soc", "101", Err(Message::SocRange)),
            ("reserve_soc", "-1", Err(Message::SocRange)),
            ("reserve_soc", "", Err(Message::Required)),
            ("reserve_soc", "ten", Err(Message::NumberInvalid)),
            ("reserve_soc", "10.5", Err(Message::NumberInvalid)),
            ("reserve_soc", "10.0", Err(Message::NumberInvalid)),
            ("charge_limit", "4.000", Err(Message::NumberInvalid)),
            ("charge_start", "00:00", Ok(Value::Time(0))),
            ("charge_end", "24:00", Ok(Value::Time(1_440))),
            ("charge_end", "24:01", Err(Message::TimeInvalid)),
            ("charge_end", "7:30", Err(Message::TimeInvalid)),
            ("charge_end", "07:60", Err(Message::TimeInvalid)),
            ("discharge_end", "", Err(Message::Required)),
            ("charge_limit", "4600", Ok(Value::Whole(4_600))),
            ("charge_limit", "4601", Err(Message::PowerRange)),
            ("discharge_limit", "5000", Ok(Value::Whole(5_000))),
            ("discharge_limit", "5001", Err(Message::PowerRange)),
            ("charge_price", "12,5", Ok(Value::Decimal(1_250))),
            ("charge_price", "-3.25", Err(Message::PriceRange)),
            ("charge_price", "12.345", Err(Message::PriceInvalid)),
            ("charge_price", "501", Err(Message::PriceRange)),
            ("import_price", "-1", Err(Message::PriceRange)),
            ("import_price", "", Ok(Value::Unknown)),
            ("vat", "8.1", Ok(Value::Decimal(81))),
            ("vat", "100.1", Err(Message::RateRange)),
            ("ups", "on", Ok(Value::Switch(true))),
            ("ups", "0", Ok(Value::Switch(false))),
            ("ups", "perhaps", Err(Message::SwitchInvalid)),
            ("meter_type", "", Err(Message::Required)),
            ("meter_type", "sdm630", Ok(Value::Choice("sdm630"))),
            ("meter_type", "abacus", Err(Message::ChoiceUnknown)),
            ("meter_address", "1", Ok(Value::Whole(1))),
            ("meter_address", "250", Ok(Value::Whole(250))),
            ("meter_address", "0", Err(Message::AddressRange)),
            ("meter_address", "251", Err(Message::AddressRange)),
        ] {
            let field: Field = name.parse().unwrap();
            assert_eq!(field.parse(text, RATED), want, "{name} {text:?}");
        }
    }

    #[test]
    fn a_battery_may_write_a_whole_number_with_a_point() {
        let field = Field::ReserveSoc;
        let read = |json: &str| field.from_json(&serde_json::from_str(json).unwrap());
        assert_eq!(read("35.0"), Some(Value::Whole(35)));
        assert_eq!(read("35.5"), None);
    }

    #[test]
    fn a_price_keeps_its_digits() {
        for (text, json) in [
            ("28.53", "28.53"),
            ("0,07", "0.07"),
            ("30.10", "30.1"),
            ("5", "5"),
        ] {
            let field = Field::ChargePrice;
            let value = field.parse(text, RATED).unwrap();
            assert_eq!(value.json(field).to_string(), json);
            assert_eq!(field.from_json(&value.json(field)), Some(value));
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_typed_leaves_the_range(place in 0..24_usize, text in "\\PC{0,12}|-?[0-9]{1,14}([.,][0-9]{0,4})?") {
            let field = Field::all().nth(place).unwrap();
            if let Ok(value) = field.parse(&text, RATED) {
                match (field.range(RATED), value) {
                    (Some((least, most)), Value::Whole(number) | Value::Decimal(number)) => {
                        prop_assert!((least..=most).contains(&number));
                    }
                    (_, Value::Time(minute)) => prop_assert!(minute <= DAY_END),
                    (_, Value::Unknown) => prop_assert!(field.may_be_unknown()),
                    _ => {}
                }
                prop_assert_eq!(field.from_json(&value.json(field)), Some(value));
            }
        }
    }
}
