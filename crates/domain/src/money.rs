//! Money in exact integers: the price of a kWh, and the cost of energy at that price. Only displayed cents are rounded.
use crate::{Country, Lang, Message};
use std::fmt;
use std::str::FromStr;
use strum::{EnumString, IntoStaticStr};

/// Currencies. Prices are given in hundredths of the unit (cents).
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "UPPERCASE", parse_err_ty = Message, parse_err_fn = Message::unknown_choice)]
pub enum Currency {
    Eur,
    Pln,
    Chf,
}

impl Currency {
    /// ISO 4217.
    pub const fn code(self) -> &'static str {
        self.into_str()
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::Eur => "€",
            Self::Pln => "zł",
            Self::Chf => "CHF",
        }
    }

    /// Formats an amount in cents: 17 is "0,17 €" in German.
    pub fn amount(self, cents: i64, lang: Lang) -> String {
        let minus = if cents < 0 { "−" } else { "" };
        let cents = cents.unsigned_abs();
        let point = lang.decimal_point();
        format!(
            "{minus}{}{point}{:02}\u{a0}{}",
            cents / 100,
            cents % 100,
            self.sign()
        )
    }
}

impl Country {
    pub const fn currency(self) -> Currency {
        match self {
            Self::Poland => Currency::Pln,
            Self::Switzerland => Currency::Chf,
            _ => Currency::Eur,
        }
    }
}

/// What a kWh costs or earns, in hundredths of a cent (grosz, rappen).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price(i64);

impl Price {
    /// 500 cents: a higher price is a typing error.
    pub(crate) const MAX: i64 = 50_000;

    pub fn from_hundredths(hundredths: i64) -> Option<Self> {
        (0..=Self::MAX)
            .contains(&hundredths)
            .then_some(Self(hundredths))
    }

    pub const fn hundredths(self) -> i64 {
        self.0
    }

    /// The cost of `wh`.
    pub fn of(self, wh: i64) -> Money {
        Money(i128::from(wh) * i128::from(self.0))
    }
}

impl FromStr for Price {
    type Err = Message;

    /// Cents with up to two decimals after a point or a comma.
    fn from_str(text: &str) -> Result<Self, Message> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Message::Required);
        }
        let (below_zero, number) = match text.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, text),
        };
        let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(fraction) || fraction.len() > 2 {
            return Err(Message::PriceInvalid);
        }
        let hundredths: Option<i64> = format!("{whole}{fraction:0<2}").parse().ok();
        hundredths
            .filter(|_| !below_zero)
            .and_then(Self::from_hundredths)
            .ok_or(Message::PriceRange)
    }
}

/// In cents, always with two decimals.
impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// An exact amount. The unit is the cost of 1 Wh at 0.01 cents per kWh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(i128);

impl Money {
    const CENT: i128 = 100 * 1000;

    /// Whole cents, rounded half away from zero.
    pub fn cents(self) -> i64 {
        let cents = (2 * self.0 + self.0.signum() * Self::CENT) / (2 * Self::CENT);
        i64::try_from(cents).expect("a Wh costs less than a cent, so the cents fit as well")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn price(text: &str) -> Price {
        text.parse().unwrap()
    }

    #[test]
    fn an_amount_is_written_as_people_write_it() {
        assert_eq!(Currency::Eur.amount(17, Lang::De), "0,17\u{a0}€");
        assert_eq!(Currency::Eur.amount(-1_234, Lang::En), "−12.34\u{a0}€");
        assert_eq!(Currency::Pln.amount(5, Lang::Pl), "0,05\u{a0}zł");
        assert_eq!("CHF".parse(), Ok(Currency::Chf));
    }

    #[test]
    fn a_price_is_kept_to_the_hundredth_of_a_cent() {
        for (text, hundredths, shown) in [
            ("31.9", 3190, "31.90"),
            ("7,94", 794, "7.94"),
            (" 31 ", 3100, "31.00"),
            ("0", 0, "0.00"),
            ("0,05", 5, "0.05"),
            ("500.00", 50_000, "500.00"),
        ] {
            assert_eq!(price(text).hundredths(), hundredths, "{text}");
            assert_eq!(price(text).to_string(), shown);
        }
    }

    #[test]
    fn cents_are_rounded_half_away_from_zero() {
        for (text, wh, cents) in [
            ("31.90", 1000, 32),
            ("31.40", 1000, 31),
            ("0.50", 1000, 1),
            ("0.49", 1000, 0),
            ("50.00", 10, 1),
            ("49.99", 10, 0),
            ("500.00", 1_000_000, 500_000),
        ] {
            assert_eq!(price(text).of(wh).cents(), cents, "{wh} Wh at {text}");
            assert_eq!(price(text).of(-wh).cents(), -cents, "{wh} Wh at {text}");
        }
    }

    #[test]
    fn people_pay_in_the_currency_of_their_country() {
        for country in Country::ALL {
            let want = match country.code() {
                "PL" => "PLN",
                "CH" => "CHF",
                _ => "EUR",
            };
            assert_eq!(country.currency().code(), want);
        }
    }

    proptest! {
        #[test]
        fn every_price_is_read_as_it_is_written(hundredths in 0..=Price::MAX, comma in any::<bool>()) {
            let written = Price::from_hundredths(hundredths).unwrap().to_string();
            let typed = if comma { written.replace('.', ",") } else { written };
            prop_assert_eq!(price(&typed).hundredths(), hundredths);
        }

        #[test]
        fn cents_are_the_nearest_whole_ones(wh in any::<i64>(), hundredths in 0..=Price::MAX) {
            let amount = Price::from_hundredths(hundredths).unwrap().of(wh);
            let missed = amount.0 - i128::from(amount.cents()) * Money::CENT;
            prop_assert!(2 * missed.abs() <= Money::CENT);
        }
    }
}
