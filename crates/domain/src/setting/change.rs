//! What a person wants changed, held against what is set and what the unit is built for.
use super::{Field, NOTICE_ABOVE, Ratings, Settings, USUAL_ADDRESSES, Value};
use crate::Message;
use crate::account::MAX_TEXT;
use std::collections::BTreeMap;

/// The shortest token that any provider hands out.
const SHORTEST_TOKEN: usize = 20;
const LONGEST_TOKEN: usize = 5 * MAX_TEXT;

/// How a system stands before the change.
#[derive(Clone, Copy, Debug)]
pub struct Standing<'a> {
    /// Every field has a value.
    pub settings: &'a Settings,
    pub ratings: Ratings,
    /// A token of the provider is kept.
    pub has_token: bool,
    /// The notice under §14a was acknowledged.
    pub acknowledged: bool,
}

/// What a form asks for, as it was typed.
#[derive(Clone, Debug, Default)]
pub struct Given {
    pub fields: BTreeMap<Field, String>,
    /// The notice under §14a is acknowledged with it.
    pub acknowledges: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
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
pub struct Change {
    /// The fields whose value is another one now.
    pub fields: Vec<Changed>,
    pub token: TokenChange,
    /// Whether the notice counts as acknowledged from now on; `None` leaves that as it is.
    pub acknowledged: Option<bool>,
    pub warnings: Vec<(Field, Message)>,
}

impl Change {
    /// A notice that is acknowledged counts, also for a limit that was there before.
    pub fn is_empty(&self) -> bool {
        let acknowledges = self.acknowledged == Some(true);
        self.fields.is_empty() && self.token == TokenChange::Keep && !acknowledges
    }

    pub fn touches_wiring(&self) -> bool {
        self.fields.iter().any(|changed| changed.field.is_wiring())
    }

    /// The document after it.
    pub fn applied_to(&self, settings: &Settings) -> Settings {
        let mut after = settings.clone();
        for changed in &self.fields {
            after.set(changed.field, changed.to);
        }
        after
    }
}

impl Given {
    /// The change that it asks for, or everything that is wrong with it.
    pub fn judge(&self, standing: Standing<'_>) -> Result<Change, Vec<(Field, Message)>> {
        let mut wrong = Vec::new();
        let mut after = standing.settings.clone();
        for (field, text) in self.fields.iter().filter(|(field, _)| field.is_open()) {
            match field.parse(text, standing.ratings) {
                // What somebody has told is not forgotten because a form came without it.
                Ok(Value::Unknown) => {}
                Ok(value) => after.set(*field, value),
                Err(message) => wrong.push((*field, message)),
            }
        }
        wrong.extend(windows(&after));
        wrong.extend(prices(&after));
        let token = self.token(standing, &after);
        let token = token.unwrap_or_else(|message| {
            wrong.push((Field::ProviderToken, message));
            TokenChange::Keep
        });
        let notice = self.notice(standing, &after);
        let acknowledged = notice.unwrap_or_else(|message| {
            wrong.push((Field::ChargeLimit, message));
            None
        });
        if !wrong.is_empty() {
            // A field that could not be read is told once, whatever else follows from it.
            let mut told = std::collections::HashSet::new();
            wrong.retain(|(field, _)| told.insert(*field));
            return Err(wrong);
        }
        let fields = differences(standing.settings, &after);
        let warnings = warnings(&fields);
        Ok(Change {
            fields,
            token,
            acknowledged,
            warnings,
        })
    }

    /// Kept only for a provider that needs one, and never for another one than it came from.
    fn token(&self, standing: Standing<'_>, after: &Settings) -> Result<TokenChange, Message> {
        let provider = after.get(Field::Provider);
        if !needs_token(provider) {
            return Ok(match standing.has_token {
                true => TokenChange::Erase,
                false => TokenChange::Keep,
            });
        }
        let given = self.fields.get(&Field::ProviderToken);
        let given = given
            .map(|text| text.trim())
            .filter(|text| !text.is_empty());
        let same_provider = standing.settings.get(Field::Provider) == provider;
        match given {
            Some(token) if token.chars().count() < SHORTEST_TOKEN => Err(Message::TokenTooShort),
            Some(token) if token.len() > LONGEST_TOKEN => Err(Message::TooLong),
            Some(token) => Ok(TokenChange::Set(token.to_owned())),
            None if standing.has_token && same_provider => Ok(TokenChange::Keep),
            None => Err(Message::Required),
        }
    }

    /// Going above the limit needs the notice; going below it again takes the acknowledgement back.
    fn notice(&self, standing: Standing<'_>, after: &Settings) -> Result<Option<bool>, Message> {
        let above = |settings: &Settings| matches!(settings.get(Field::ChargeLimit), Some(Value::Whole(limit)) if limit > NOTICE_ABOVE);
        match (above(after), standing.acknowledged) {
            (true, true) => Ok(None),
            (true, false) if self.acknowledges => Ok(Some(true)),
            // A limit that was there before is the battery's affair until somebody changes it.
            (true, false)
                if after.get(Field::ChargeLimit) == standing.settings.get(Field::ChargeLimit) =>
            {
                Ok(None)
            }
            (true, false) => Err(Message::Acknowledge14a),
            (false, true) => Ok(Some(false)),
            (false, false) => Ok(None),
        }
    }
}

/// Every field that is `meant` as it was when the system was new. What is a fact rather than a choice, as the price in the
/// contract, stays.
pub fn reset(standing: Standing<'_>, meant: impl Fn(Field) -> bool) -> Change {
    let fresh = Settings::fresh(standing.ratings);
    let after = fresh
        .only(|field| !field.may_be_unknown() && meant(field))
        .or(standing.settings);
    Change {
        fields: differences(standing.settings, &after),
        token: match standing.has_token {
            true => TokenChange::Erase,
            false => TokenChange::Keep,
        },
        acknowledged: (meant(Field::ChargeLimit) && standing.acknowledged).then_some(false),
        warnings: Vec::new(),
    }
}

fn differences(before: &Settings, after: &Settings) -> Vec<Changed> {
    let changed = after.iter().filter_map(|(field, to)| {
        let from = before.get(field).unwrap_or(Value::Unknown);
        (from != to).then_some(Changed { field, from, to })
    });
    changed.collect()
}

fn needs_token(provider: Option<Value>) -> bool {
    matches!(provider, Some(Value::Choice("tibber" | "entsoe")))
}

/// A window without a minute would be read as "never" by some and as "always" by others.
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

/// Whoever goes by prices has to know where they come from, and the one that never changes.
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

fn warnings(changed: &[Changed]) -> Vec<(Field, Message)> {
    let reserved = |changed: &&Changed| {
        changed.field == Field::MeterAddress
            && matches!(changed.to, Value::Whole(address) if address > USUAL_ADDRESSES)
    };
    let found = changed.iter().filter(reserved);
    found
        .map(|changed| (changed.field, Message::AddressReserved))
        .collect()
}

#[cfg(test)]
mod tests;
