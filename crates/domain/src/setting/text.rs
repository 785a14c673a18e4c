//! Settings as people read them: names and values in their language.
use super::{Field, Value};
use crate::Lang;
use crate::message::text;
use crate::quantity::with_unit;

impl Field {
    /// Its name in the form.
    pub fn label(self, lang: Lang) -> &'static str {
        text(lang, "setting", self.name())
    }
}

impl Value {
    /// With its unit: "4.200 W", "off", "SDM630".
    pub fn describe(self, field: Field, lang: Lang) -> String {
        match self {
            Self::Unknown => text(lang, "word", "unknown").to_owned(),
            Self::Switch(on) => text(lang, "word", if on { "on" } else { "off" }).to_owned(),
            Self::Choice(choice) => match text(lang, "word", choice) {
                "" => proper_name(choice).to_owned(),
                word => word.to_owned(),
            },
            Self::Time(_) => self.text(field),
            Self::Whole(_) | Self::Decimal(_) => {
                with_unit(&self.text(field), field.kind().unit(), lang)
            }
        }
    }
}

/// Names are the same in every language.
fn proper_name(choice: &str) -> &str {
    match choice {
        "tibber" => "Tibber",
        "awattar" => "aWATTar",
        "energy_charts" => "Energy-Charts",
        "entsoe" => "ENTSO-E",
        "adl400" => "ADL400",
        "adw300" => "ADW300",
        "sdm630" => "SDM630",
        "em24" => "EM24",
        "umg604" => "UMG604",
        "dtsu666" => "DTSU666",
        "shelly3em" => "Shelly 3EM",
        "rs485" => "RS485",
        "tcp" => "TCP",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_its_name_in_every_language() {
        for lang in Lang::ALL {
            for field in Field::all() {
                assert!(!field.label(lang).is_empty(), "{}", field.name());
            }
        }
    }
}
