//! What enums with derived names share. These names are stored and sent: a variant that is renamed keeps its old name by
//! `#[strum(serialize = "…")]`.
use crate::alarm::AlarmKind;
use crate::command::AnswerCode;
use crate::firmware::{Fault, Part, Version};
use crate::grant::GrantScope;
use crate::setting::{Field, SettingRefusal};
use crate::{CompanyRole, Currency, EventCode, Price, Serial, SiteDay};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use strum::VariantArray;

/// All variants, in the order of the enum.
pub const fn variants<T: VariantArray + Copy, const N: usize>() -> [T; N] {
    *T::VARIANTS
        .as_array()
        .expect("N is the number of variants, or it does not compile")
}

/// The error of an enum that does not say which name is unknown.
pub(crate) fn unknown<E: Default>(_: &str) -> E {
    E::default()
}

/// In JSON, these types are the text that this method of theirs returns and that they are parsed from.
macro_rules! serde_as_text {
    ($($type:ident: $text:ident,)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.$text())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let unknown = |_| D::Error::custom(concat!("unknown ", stringify!($type)));
                text.parse().map_err(unknown)
            }
        }
    )*};
}

serde_as_text! {
    AlarmKind: as_str,
    AnswerCode: as_str,
    CompanyRole: as_str,
    Currency: code,
    EventCode: as_str,
    Fault: as_str,
    Field: name,
    GrantScope: as_str,
    Part: as_str,
    Price: to_string,
    Serial: as_str,
    SettingRefusal: as_str,
    SiteDay: to_string,
    Version: to_string,
}
