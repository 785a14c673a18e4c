//! Values that several events share, or that are lists.
use crate::firmware::{Part, Version};
use crate::grant::GrantScope;
use crate::{Currency, Price, SiteDay, Tariff};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Reads a stored value. A value of another type, or a name that is no longer known, counts as missing.
pub(super) fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GrantDetail {
    #[serde(deserialize_with = "or_default")]
    pub scope: Option<GrantScope>,
    /// The last day; `None` without end.
    #[serde(deserialize_with = "or_default")]
    pub until: Option<SiteDay>,
    /// Whether it opens the owner's phone number and postal address.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub contact: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(contact: &bool) -> bool {
    !contact
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TariffPrices {
    pub import_price: Price,
    pub feed_in_price: Price,
}

impl From<&Tariff> for TariffPrices {
    fn from(tariff: &Tariff) -> Self {
        Self {
            import_price: tariff.import_price,
            feed_in_price: tariff.feed_in_price,
        }
    }
}

/// How often the bad-weather notice was right and wrong so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NoticeRecord {
    pub hits: i64,
    pub false_alarms: i64,
}

/// One part of a battery, updated or to be updated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartUpdate {
    #[serde(deserialize_with = "or_default")]
    pub part: Option<Part>,
    #[serde(deserialize_with = "or_default")]
    pub from: Option<Version>,
    #[serde(deserialize_with = "or_default")]
    pub to: Option<Version>,
}

/// The result of a plan's block that has ended, with times of the site's clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlockOutcome {
    /// `charge` or `hold`.
    pub mode: String,
    pub from: String,
    pub to: String,
    /// Price of an imported kWh, in hundredths of a cent.
    pub price: i64,
    /// Wh that went into the battery, as far as measured.
    pub charged: Option<i64>,
    /// Wh that were imported.
    pub imported: Option<i64>,
    /// State of charge at its end, in %.
    pub soc: Option<i64>,
    /// Expected saving, in hundredths of a cent.
    pub expected: Option<i64>,
    #[serde(deserialize_with = "or_default")]
    pub currency: Option<Currency>,
}
