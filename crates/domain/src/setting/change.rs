//! Validates a requested change against the current settings and the unit's ratings.
use super::{Field, MAX_STANDARD_ADDRESS, NOTICE_THRESHOLD_W, Ratings, Settings, Value};
use crate::Message;
use crate::account::MAX_TEXT;
use std::collections::BTreeMap;

/// The shortest token that any provider hands out.
const MIN_TOKEN_LENGTH: usize = 20;
const MAX_TOKEN_LENGTH: usize = 5 * MAX_TEXT;

/// A system before the change.
#[derive(Clone, Copy, Debug)]
pub struct CurrentSettings<'a> {
    /// Every field has a value.
    pub settings: &'a Settings,
    pub ratings: Ratings,
    /// A token of the provider is stored.
    pub has_token: bool,
    /// The notice under §14a was acknowledged.
    pub acknowledged: bool,
}

/// The values of a form as typed.
#[derive(Clone, Debug, Default)]
pub struct SettingsInput {
    pub fields: BTreeMap<Field, String>,
    /// The form acknowledges the notice under §14a.
    pub acknowledges: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedField {
    pub field: Field,
    pub from: Value,
    pub to: Value,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TokenChange {
    #[default]
    Keep,
    Set(String),
    Erase,
}

/// A change that may be saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsChange {
    /// Only fields whose value differs.
    pub fields: Vec<ChangedField>,
    pub token: TokenChange,
    /// The new state of the acknowledgement; `None` leaves it unchanged.
    pub acknowledged: Option<bool>,
    pub warnings: Vec<(Field, Message)>,
}

impl SettingsChange {
    /// Acknowledging the notice counts as a change, even for a limit that was there before.
    pub fn is_empty(&self) -> bool {
        let acknowledges = self.acknowledged == Some(true);
        self.fields.is_empty() && self.token == TokenChange::Keep && !acknowledges
    }

    pub fn touches_wiring(&self) -> bool {
        self.fields.iter().any(|changed| changed.field.is_wiring())
    }

    /// The settings after the change.
    pub fn applied_to(&self, settings: &Settings) -> Settings {
        let mut after = settings.clone();
        for changed in &self.fields {
            after.set(changed.field, changed.to);
        }
        after
    }
}

impl SettingsInput {
    /// The requested change, or an error for every invalid field.
    pub fn validate(
        &self,
        current: CurrentSettings<'_>,
    ) -> Result<SettingsChange, Vec<(Field, Message)>> {
        let mut wrong = Vec::new();
        let mut after = current.settings.clone();
        for (field, text) in self
            .fields
            .iter()
            .filter(|(field, _)| field.is_in_document())
        {
            match field.parse(text, current.ratings) {
                // An empty field in a form does not erase a known value.
                Ok(Value::Unknown) => {}
                Ok(value) => after.set(*field, value),
                Err(message) => wrong.push((*field, message)),
            }
        }
        wrong.extend(windows(&after));
        wrong.extend(prices(&after));
        let token = self.token(current, &after);
        let token = token.unwrap_or_else(|message| {
            wrong.push((Field::ProviderToken, message));
            TokenChange::Keep
        });
        let notice = self.notice(current, &after);
        let acknowledged = notice.unwrap_or_else(|message| {
            wrong.push((Field::ChargeLimit, message));
            None
        });
        if !wrong.is_empty() {
            // Only the first error of each field is reported; others may follow from it.
            let mut reported = std::collections::HashSet::new();
            wrong.retain(|(field, _)| reported.insert(*field));
            return Err(wrong);
        }
        let fields = differences(current.settings, &after);
        let warnings = warnings(&fields);
        Ok(SettingsChange {
            fields,
            token,
            acknowledged,
            warnings,
        })
    }

    /// A token is kept only for a provider that needs one, and only for the provider that it was entered for.
    fn token(
        &self,
        current: CurrentSettings<'_>,
        after: &Settings,
    ) -> Result<TokenChange, Message> {
        let provider = after.get(Field::Provider);
        if !needs_token(provider) {
            return Ok(match current.has_token {
                true => TokenChange::Erase,
                false => TokenChange::Keep,
            });
        }
        let given = self.fields.get(&Field::ProviderToken);
        let given = given
            .map(|text| text.trim())
            .filter(|text| !text.is_empty());
        let same_provider = current.settings.get(Field::Provider) == provider;
        match given {
            Some(token) if token.chars().count() < MIN_TOKEN_LENGTH => Err(Message::TokenTooShort),
            Some(token) if token.len() > MAX_TOKEN_LENGTH => Err(Message::TooLong),
            Some(token) => Ok(TokenChange::Set(token.to_owned())),
            None if current.has_token && same_provider => Ok(TokenChange::Keep),
            None => Err(Message::Required),
        }
    }

    /// A limit above the threshold needs the notice. A limit below it takes the acknowledgement back.
    fn notice(
        &self,
        current: CurrentSettings<'_>,
        after: &Settings,
    ) -> Result<Option<bool>, Message> {
        let above = |settings: &Settings| matches!(settings.get(Field::ChargeLimit), Some(Value::Whole(limit)) if limit > NOTICE_THRESHOLD_W);
        match (above(after), current.acknowledged) {
            (true, true) => Ok(None),
            (true, false) if self.acknowledges => Ok(Some(true)),
            // An unchanged limit needs no acknowledgement: it may have been set on the unit itself.
            (true, false)
                if after.get(Field::ChargeLimit) == current.settings.get(Field::ChargeLimit) =>
            {
                Ok(None)
            }
            (true, false) => Err(Message::Acknowledge14a),
            (false, true) => Ok(Some(false)),
            (false, false) => Ok(None),
        }
    }
}

/// Resets every `selected` field to its initial value. Facts, such as the price in the contract, stay.
pub fn reset(current: CurrentSettings<'_>, selected: impl Fn(Field) -> bool) -> SettingsChange {
    let initial = Settings::initial(current.ratings);
    let after = initial
        .only(|field| !field.may_be_unknown() && selected(field))
        .or(current.settings);
    SettingsChange {
        fields: differences(current.settings, &after),
        token: match current.has_token {
            true => TokenChange::Erase,
            false => TokenChange::Keep,
        },
        acknowledged: (selected(Field::ChargeLimit) && current.acknowledged).then_some(false),
        warnings: Vec::new(),
    }
}

fn differences(before: &Settings, after: &Settings) -> Vec<ChangedField> {
    let changed = after.iter().filter_map(|(field, to)| {
        let from = before.get(field).unwrap_or(Value::Unknown);
        (from != to).then_some(ChangedField { field, from, to })
    });
    changed.collect()
}

fn needs_token(provider: Option<Value>) -> bool {
    matches!(provider, Some(Value::Choice("tibber" | "entsoe")))
}

/// Rejects empty windows: some would read them as "never", others as "always".
pub(super) fn windows(after: &Settings) -> impl Iterator<Item = (Field, Message)> {
    let windows = [
        (Field::ChargeStart, Field::ChargeEnd),
        (Field::DischargeStart, Field::DischargeEnd),
    ];
    let empty = windows.map(|(start, end)| {
        let same = after.get(start).is_some() && after.get(start) == after.get(end);
        same.then_some((end, Message::WindowEmpty))
    });
    empty.into_iter().flatten()
}

/// A dynamic tariff needs a provider, and a fixed price needs its value.
fn prices(after: &Settings) -> impl Iterator<Item = (Field, Message)> {
    let is = |field: Field, choice: &'static str| after.get(field) == Some(Value::Choice(choice));
    let follows = !is(Field::DynamicTariff, "off");
    let no_provider = follows && is(Field::Provider, "none");
    let unknown = after.get(Field::ImportPrice) == Some(Value::Unknown);
    let no_price = is(Field::Provider, "fixed") && unknown;
    [
        no_provider.then_some((Field::Provider, Message::ProviderRequired)),
        no_price.then_some((Field::ImportPrice, Message::Required)),
    ]
    .into_iter()
    .flatten()
}

fn warnings(changed: &[ChangedField]) -> Vec<(Field, Message)> {
    let reserved = |changed: &&ChangedField| {
        changed.field == Field::MeterAddress
            && matches!(changed.to, Value::Whole(address) if address > MAX_STANDARD_ADDRESS)
    };
    let reserved = changed.iter().filter(reserved);
    reserved
        .map(|changed| (changed.field, Message::AddressReserved))
        .collect()
}

#[cfg(test)]
mod tests;
