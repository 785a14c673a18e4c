//! Numbers with their units, in the notation of a language.
use crate::Lang;

/// `4200` with `W` is "4.200 W" in German; the narrow space is non-breaking.
pub fn with_unit(digits: &str, unit: Option<&str>, lang: Lang) -> String {
    let thousands = match lang {
        Lang::De | Lang::Hr => ".",
        Lang::En => ",",
        Lang::Pl | Lang::Fr => "\u{202f}",
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut number = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            number.push_str(thousands);
        }
        number.push(digit);
    }
    if !fraction.is_empty() {
        number.push_str(lang.decimal_point());
        number.push_str(fraction);
    }
    match unit {
        Some(unit) => format!("{number}\u{a0}{unit}"),
        None => number,
    }
}

/// "30 %".
pub fn percent(whole: i64, lang: Lang) -> String {
    with_unit(&whole.to_string(), Some("%"), lang)
}

/// Tenths of a kWh.
pub fn tenths_of_kwh(wh: i64) -> i64 {
    (wh.max(0) + 50) / 100
}

/// "2,3 kWh".
pub fn energy(wh: i64, lang: Lang) -> String {
    let tenths = tenths_of_kwh(wh);
    let digits = format!("{}.{}", tenths / 10, tenths % 10);
    with_unit(&digits, Some("kWh"), lang)
}

/// A price per kWh: "24 ct", or "24,5 ct" if it is not whole.
pub fn price(hundredths: i64, lang: Lang) -> String {
    let tenths = (hundredths.abs() + 5) / 10;
    let digits = match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    };
    let minus = if hundredths < 0 && tenths > 0 {
        "−"
    } else {
        ""
    };
    format!("{minus}{}", with_unit(&digits, Some("ct"), lang))
}

/// Whole cents from hundredths, rounded half away from zero.
pub fn cents(hundredths: i64) -> i64 {
    (hundredths + hundredths.signum() * 50) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_and_energies_are_written_as_people_write_them() {
        assert_eq!(price(2_449, Lang::De), "24,5\u{a0}ct");
        assert_eq!(price(-310, Lang::En), "−3.1\u{a0}ct");
        assert_eq!(price(-4, Lang::En), "0\u{a0}ct");
        assert_eq!(energy(12_345, Lang::Fr), "12,3\u{a0}kWh");
        assert_eq!((cents(149), cents(150), cents(-150)), (1, 2, -2));
    }
}
