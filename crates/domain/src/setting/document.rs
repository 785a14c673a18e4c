//! A document of settings: the desired ones, or those that a battery reports as applied.
use super::{Field, Ratings, Value};
use crate::{Price, Tariff};
use serde_json::Map;
use std::collections::BTreeMap;

/// Values by field; fields may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<Field, Value>);

impl Settings {
    /// The settings of a new system.
    pub fn initial(ratings: Ratings) -> Self {
        let open = Field::all().filter(|field| field.is_in_document());
        open.map(|field| (field, field.initial(ratings))).collect()
    }

    pub fn get(&self, field: Field) -> Option<Value> {
        self.0.get(&field).copied()
    }

    pub fn set(&mut self, field: Field, value: Value) {
        self.0.insert(field, value);
    }

    /// Prices are both settings and tariffs.
    pub fn set_prices(&mut self, tariff: &Tariff) {
        let value = |price: Price| Value::Decimal(price.hundredths());
        self.set(Field::ImportPrice, value(tariff.import_price));
        self.set(Field::FeedInPrice, value(tariff.feed_in_price));
    }

    pub fn iter(&self) -> impl Iterator<Item = (Field, Value)> {
        self.0.iter().map(|(field, value)| (*field, *value))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the fields that are missing here from `other`.
    pub fn or(mut self, other: &Self) -> Self {
        for (field, value) in other.iter() {
            self.0.entry(field).or_insert(value);
        }
        self
    }

    /// Only the `wanted` fields.
    pub fn only(&self, wanted: impl Fn(Field) -> bool) -> Self {
        self.iter().filter(|(field, _)| wanted(*field)).collect()
    }

    /// The settings to store and send, without initial values that are only guessed because the unit has never reported its
    /// ratings. It would refuse such values, which were never entered.
    pub fn without_guesses(&self, ratings: Ratings) -> Self {
        let guessed = |(field, value): &(Field, Value)| {
            field.is_guessed(ratings) && *value == field.initial(ratings)
        };
        self.iter().filter(|member| !guessed(member)).collect()
    }

    pub fn json(&self) -> Map<String, serde_json::Value> {
        let member = |(field, value): (Field, Value)| (field.name().to_owned(), value.json(field));
        self.iter().map(member).collect()
    }

    /// Ignores unknown names: a newer battery may report more fields.
    pub fn from_json(document: &Map<String, serde_json::Value>) -> Result<Self, NotAValue> {
        let known = document.iter().filter_map(|(name, json)| {
            let field: Field = name
                .parse()
                .ok()
                .filter(|field: &Field| field.is_in_document())?;
            Some((field, json))
        });
        known
            .map(|(field, json)| Ok((field, field.from_json(json).ok_or(NotAValue(field))?)))
            .collect()
    }
}

impl FromIterator<(Field, Value)> for Settings {
    fn from_iter<T: IntoIterator<Item = (Field, Value)>>(values: T) -> Self {
        Self(values.into_iter().collect())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid value of the setting {}", .0.name())]
pub struct NotAValue(Field);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let initial = Settings::initial(Ratings::default());
        assert_eq!(Settings::from_json(&initial.json()), Ok(initial.clone()));
        assert_eq!(initial.json()["charge_end"], "24:00");
        assert!(!initial.json().contains_key("provider_token"));
    }

    #[test]
    fn a_limit_is_kept_only_when_somebody_set_it_or_the_rating_is_known() {
        let unknown = Ratings::default();
        let mut settings = Settings::initial(unknown);
        settings.set(Field::DischargeLimit, Value::Whole(1_000));
        let kept = settings.without_guesses(unknown);
        assert_eq!(kept.get(Field::ChargePower), None);
        assert_eq!(kept.get(Field::ChargeLimit), None);
        assert_eq!(kept.get(Field::DischargeLimit), Some(Value::Whole(1_000)));
        assert_eq!(kept.get(Field::ReserveSoc), Some(Value::Whole(10)));
        let known = Ratings {
            charge: Some(2_500),
            discharge: Some(2_500),
        };
        assert_eq!(
            Settings::initial(known).without_guesses(known),
            Settings::initial(known)
        );
    }

    #[test]
    fn a_document_with_an_impossible_value_is_refused_and_an_unknown_name_passed_over() {
        let read = |document: serde_json::Value| Settings::from_json(document.as_object().unwrap());
        assert!(read(json!({"reserve_soc": 101})).is_err());
        assert!(read(json!({"reserve_soc": [1]})).is_err());
        let known = read(json!({"reserve_soc": 20, "disco_mode": true, "provider_token": "x"}));
        assert_eq!(known.unwrap().iter().count(), 1);
    }
}
