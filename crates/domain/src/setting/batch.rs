//! A change of several systems at once, and its undo at each of them: changed fields get their earlier value back, except fields
//! that were changed since.
use super::{ChangedField, Field, Settings, SettingsInput, Value};
use crate::clock::{DAY, Millis};
use crate::id::random_id;
use serde_json::{Value as Json, json};

random_id!(
    /// The portal's id of a batch.
    BatchId
);

/// How long a batch can be undone.
pub const BATCH_UNDO_WINDOW: Millis = 30 * DAY;

/// The undo of a batch at one system.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// The earlier values, as if they were typed.
    pub input: SettingsInput,
    pub skipped: Vec<SkippedField>,
}

/// A field that is not undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedField {
    pub changed: ChangedField,
    pub now: Value,
    pub why: SkipReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It was changed since.
    ChangedSince,
    /// It had no value before, and a known value is never erased.
    WasUnknown,
}

/// Compares what a batch changed with the settings `now`. A value that was changed and changed back counts as changed.
pub fn undo(
    changes: &[ChangedField],
    acknowledged_before: bool,
    now: &Settings,
    changed_since: impl Fn(Field) -> bool,
) -> Undo {
    let mut undo = Undo::default();
    for changed in changes {
        let present = now.get(changed.field).unwrap_or(Value::Unknown);
        let why = match () {
            () if present != changed.to || changed_since(changed.field) => SkipReason::ChangedSince,
            () if changed.from == Value::Unknown => SkipReason::WasUnknown,
            () => {
                let text = changed.from.text(changed.field);
                undo.input.fields.insert(changed.field, text);
                continue;
            }
        };
        undo.skipped.push(SkippedField {
            changed: *changed,
            now: present,
            why,
        });
    }
    // An acknowledgement of the notice for the earlier value is still valid.
    undo.input.acknowledges = acknowledged_before;
    undo
}

impl ChangedField {
    pub fn json(&self) -> Json {
        json!({
            "field": self.field.name(), "from": self.from.json(self.field), "to": self.to.json(self.field),
        })
    }

    pub fn from_json(json: &Json) -> Option<Self> {
        let field: Field = json["field"].as_str()?.parse().ok()?;
        Some(Self {
            field,
            from: field.from_json(&json["from"])?,
            to: field.from_json(&json["to"])?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::Ratings;

    const RESERVE: ChangedField = ChangedField {
        field: Field::ReserveSoc,
        from: Value::Whole(10),
        to: Value::Whole(30),
    };
    const PRICE: ChangedField = ChangedField {
        field: Field::ImportPrice,
        from: Value::Unknown,
        to: Value::Decimal(3_190),
    };

    fn set(values: &[(Field, Value)]) -> Settings {
        let set: Settings = values.iter().copied().collect();
        set.or(&Settings::initial(Ratings::default()))
    }

    #[test]
    fn what_nobody_has_touched_goes_back() {
        let now = set(&[(Field::ReserveSoc, Value::Whole(30))]);
        let undo = undo(&[RESERVE], false, &now, |_| false);
        assert_eq!(undo.input.fields[&Field::ReserveSoc], "10");
        assert_eq!(undo.skipped, []);
    }

    #[test]
    fn what_was_changed_since_is_left_even_when_it_was_changed_back() {
        for (value, since) in [(40, false), (40, true), (30, true)] {
            let value = Value::Whole(value);
            let now = set(&[(Field::ReserveSoc, value)]);
            let undo = undo(&[RESERVE], false, &now, |_| since);
            assert!(undo.input.fields.is_empty());
            assert_eq!(undo.skipped[0].why, SkipReason::ChangedSince);
            assert_eq!(undo.skipped[0].now, value);
        }
    }

    #[test]
    fn what_nobody_knew_before_is_not_forgotten() {
        let now = set(&[(Field::ImportPrice, Value::Decimal(3_190))]);
        let undo = undo(&[PRICE], false, &now, |_| false);
        assert_eq!(undo.skipped[0].why, SkipReason::WasUnknown);
    }

    #[test]
    fn a_change_is_read_as_it_was_written() {
        for changed in [RESERVE, PRICE] {
            assert_eq!(ChangedField::from_json(&changed.json()), Some(changed));
        }
        assert_eq!(
            ChangedField::from_json(&json!({ "field": "disco_mode" })),
            None
        );
    }
}
