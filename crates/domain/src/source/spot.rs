//! Prices as sources publish them, and what a household pays.
use crate::clock::{MINUTE, Millis};
use std::ops::Range;
use std::str::FromStr;

/// The time step of the market and of the portal.
pub const QUARTER: Millis = 15 * MINUTE;

/// The price of a kWh in thousandths of a cent. One unit is exactly 0.01 EUR/MWh, the step of exchange prices. May be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpotPrice(i64);

impl SpotPrice {
    /// 10,000 EUR/MWh, twice the exchange's own limits. A higher price is a damaged answer.
    const MAX: i64 = 1_000_000;

    pub fn from_thousandths(thousandths: i64) -> Option<Self> {
        (-Self::MAX..=Self::MAX)
            .contains(&thousandths)
            .then_some(Self(thousandths))
    }

    pub const fn thousandths(self) -> i64 {
        self.0
    }

    /// Parses euros per MWh as a service writes them.
    pub fn per_mwh(text: &str) -> Option<Self> {
        fixed_point(text, 2).and_then(Self::from_thousandths)
    }

    /// Parses euros per kWh as a service writes them.
    pub fn per_kwh(text: &str) -> Option<Self> {
        fixed_point(text, 5).and_then(Self::from_thousandths)
    }

    /// What a household pays, in hundredths of a cent. Without `terms` the price is final; otherwise the adder is added, and VAT
    /// on both. Rounded once, half away from zero.
    pub fn purchase_price(self, terms: Option<PriceMarkup>) -> i64 {
        let (net, rate) = match terms {
            None => (self.0, 0),
            Some(terms) => (self.0 + 10 * terms.adder, terms.vat),
        };
        let gross = net * (1_000 + rate);
        (2 * gross + gross.signum() * 10_000) / 20_000
    }
}

/// What is added to the exchange price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceMarkup {
    /// Hundredths of a cent per kWh, before tax.
    pub adder: i64,
    /// Tenths of a percent.
    pub vat: i64,
}

/// Parses a JSON or XML number without floating point; excess decimals are rounded.
fn fixed_point(text: &str, decimals: usize) -> Option<i64> {
    let text = text.trim();
    let (text, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, i32::from_str(exponent).ok()?),
        None => (text, 0),
    };
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}");
    let are_digits = !whole.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits || digits.len() > 30 || exponent.abs() > 12 {
        return None;
    }
    let number: i128 = digits.parse().ok()?;
    let shift = decimals as i32 + exponent - fraction.len() as i32;
    let power = 10_i128.checked_pow(shift.unsigned_abs())?;
    let scaled = match shift {
        0.. => number.checked_mul(power)?,
        _ => (2 * number + power) / (2 * power),
    };
    i64::try_from(sign * scaled).ok()
}

/// A price and the time for which it is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceSlot {
    pub start: Millis,
    pub end: Millis,
    pub price: SpotPrice,
}

/// The price of each quarter of a range; `None` in a gap. A slot counts only for quarters that it covers completely.
pub fn quarter_prices(slots: &[PriceSlot], range: Range<Millis>) -> Vec<Option<SpotPrice>> {
    let count = usize::try_from((range.end - range.start) / QUARTER).unwrap_or(0);
    let mut prices = vec![None; count];
    for slot in slots {
        let first = (slot.start - range.start).max(0);
        let mut index = (first + QUARTER - 1) / QUARTER;
        while range.start + (index + 1) * QUARTER <= slot.end.min(range.end) {
            prices[index as usize] = Some(slot.price);
            index += 1;
        }
    }
    prices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::HOUR;
    use proptest::prelude::*;

    fn spot(thousandths: i64) -> SpotPrice {
        SpotPrice::from_thousandths(thousandths).unwrap()
    }

    #[test]
    fn numbers_are_read_digit_by_digit() {
        for (text, want) in [
            ("89.12", Some(8_912)),
            ("-5.12", Some(-512)),
            ("0", Some(0)),
            ("-0.01", Some(-1)),
            ("102", Some(10_200)),
            ("41.0300000000000011", Some(4_103)),
            ("0.005", Some(1)),
            ("1e2", Some(10_000)),
            ("1.5E+1", Some(1_500)),
            ("NaN", None),
            ("", None),
            ("-", None),
            ("1,5", None),
            ("99999999", None),
            ("1e99", None),
        ] {
            let read = SpotPrice::per_mwh(text).map(SpotPrice::thousandths);
            assert_eq!(read, want, "{text}");
        }
        assert_eq!(SpotPrice::per_kwh("0.2512"), Some(spot(25_120)));
        assert_eq!(SpotPrice::per_kwh("-0.00345"), Some(spot(-345)));
    }

    #[test]
    fn what_a_household_pays_has_adder_and_tax_on_both() {
        let terms = |adder, vat| Some(PriceMarkup { adder, vat });
        for (price, terms, want) in [
            (8_912, None, 891),
            (8_915, None, 892),
            (-8_915, None, -892),
            (8_912, terms(0, 0), 891),
            (10_000, terms(1_000, 190), 2_380),
            (-10_000, terms(0, 190), -1_190),
            (-20_000, terms(1_000, 200), -1_200),
            (0, terms(1_834, 190), 2_182),
        ] {
            assert_eq!(spot(price).purchase_price(terms), want, "{price} {terms:?}");
        }
    }

    #[test]
    fn hours_and_quarters_fill_their_quarter_hours_and_gaps_stay() {
        let slot = |start, end, price| PriceSlot {
            start,
            end,
            price: spot(price),
        };
        let slots = [
            slot(0, HOUR, 100),
            slot(HOUR, HOUR + QUARTER, 200),
            slot(2 * HOUR, 2 * HOUR + QUARTER / 2, 300),
        ];
        let found = quarter_prices(&slots, 0..3 * HOUR);
        let numbers: Vec<Option<i64>> = found
            .iter()
            .map(|p| p.map(SpotPrice::thousandths))
            .collect();
        let (hour, quarter) = (Some(100), Some(200));
        assert_eq!(&numbers[..6], [hour, hour, hour, hour, quarter, None]);
        assert!(numbers[6..].iter().all(Option::is_none));
        // A range that begins and ends within a slot.
        let within = quarter_prices(&slots, QUARTER..3 * QUARTER);
        assert_eq!(within, [Some(spot(100)); 2]);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,40}") {
            let _ = SpotPrice::per_mwh(&text);
        }

        #[test]
        fn every_price_is_read_as_an_exchange_writes_it(thousandths in -1_000_000i64..=1_000_000) {
            let sign = if thousandths < 0 { "-" } else { "" };
            let digits = thousandths.abs();
            let text = format!("{sign}{}.{:02}", digits / 100, digits % 100);
            prop_assert_eq!(SpotPrice::per_mwh(&text), SpotPrice::from_thousandths(thousandths));
        }
    }
}
