//! Types that are a text in JSON: the names of enums, and values with a form of their own.
use crate::alarm::AlarmKind;
use crate::command::AnswerCode;
use crate::firmware::{Fault, JobId, JobState, Part, Stage, Version};
use crate::grant::GrantScope;
use crate::setting::{Field, SettingRefusal};
use crate::{CompanyRole, Currency, EventCode, Price, Serial, SiteDay};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Serializes these types as the text that this method returns, and parses them from it.
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
    JobId: as_str,
    JobState: as_str,
    Part: as_str,
    Price: to_string,
    Serial: as_str,
    SettingRefusal: as_str,
    SiteDay: to_string,
    Stage: as_str,
    Version: to_string,
}
