//! The five languages. German is the default and the fallback.
use crate::names::variants;
use crate::{Message, SiteDay};
use strum::{EnumString, IntoStaticStr, VariantArray};

#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = Message, parse_err_fn = unknown_language)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    #[default]
    De,
    En,
    Pl,
    Fr,
    Hr,
}

fn unknown_language(_: &str) -> Message {
    Message::LanguageUnknown
}

/// The abbreviations that browsers use in British English.
const ENGLISH_MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec",
];

impl Lang {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn code(self) -> &'static str {
        self.into_str()
    }

    pub const fn decimal_point(self) -> &'static str {
        match self {
            Self::En => ".",
            Self::De | Self::Pl | Self::Fr | Self::Hr => ",",
        }
    }

    /// A date in the usual form of the language.
    pub fn day(self, day: SiteDay) -> String {
        let (year, rest) = (day.year(), day.number() % 10_000);
        let (month, day) = (rest / 100, rest % 100);
        match self {
            Self::De | Self::Pl => format!("{day:02}.{month:02}.{year}"),
            Self::Hr => format!("{day:02}.{month:02}.{year}."),
            Self::Fr => format!("{day:02}/{month:02}/{year}"),
            // A numeric month is ambiguous in English: 02/03 or 03/02.
            Self::En => {
                let month = ENGLISH_MONTHS.get(month as usize - 1).unwrap_or(&"");
                format!("{day} {month} {year}")
            }
        }
    }

    /// The best supported language for an `Accept-Language` header.
    pub fn from_accept_language(header: &str) -> Self {
        Self::named_in(header).unwrap_or_default()
    }

    /// The best of the supported languages that an `Accept-Language` header names, by weight and then by order.
    pub fn named_in(header: &str) -> Option<Self> {
        let mut best = (0.0, None);
        for entry in header.split(',') {
            let mut parts = entry.split(';');
            let tag = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
            let weight = parts
                .find_map(|p| p.trim().strip_prefix("q=")?.parse::<f32>().ok())
                .unwrap_or(1.0);
            let language = tag.split('-').next().unwrap_or_default();
            if let Ok(lang) = language.parse::<Self>()
                && weight > best.0
            {
                best = (weight, Some(lang));
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_written_as_each_language_does_and_in_english_with_the_month_as_a_word() {
        let day = SiteDay::new(2026, 3, 5).unwrap();
        for (lang, want) in [
            (Lang::De, "05.03.2026"),
            (Lang::En, "5 Mar 2026"),
            (Lang::Pl, "05.03.2026"),
            (Lang::Fr, "05/03/2026"),
            (Lang::Hr, "05.03.2026."),
        ] {
            assert_eq!(lang.day(day), want);
        }
        let december = SiteDay::new(2026, 12, 31).unwrap();
        assert_eq!(Lang::En.day(december), "31 Dec 2026");
    }

    #[test]
    fn the_heaviest_known_language_wins_and_german_is_the_fallback() {
        for (header, want) in [
            ("", Lang::De),
            ("pl", Lang::Pl),
            ("en-GB,en;q=0.9,de;q=0.8", Lang::En),
            ("ja,fr;q=0.5,hr;q=0.7", Lang::Hr),
            ("de;q=0.1, en;q=0.2", Lang::En),
            ("*;q=0.5, ;;;, q=1", Lang::De),
            ("en;q=0, fr;q=NaN", Lang::De),
        ] {
            assert_eq!(Lang::from_accept_language(header), want, "{header:?}");
        }
    }
}
