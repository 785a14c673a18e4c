//! A change of several systems at once, and how it is undone at each: what it changed goes back to what was there before,
//! and what somebody has changed since is left to them.
use super::{Changed, Field, Given, Settings, Value};
use crate::clock::{DAY, Millis};
use crate::id::random_id;
use serde_json::{Value as Json, json};

random_id!(
    /// The portal's name for a batch.
    BatchId
);

/// How long a batch can be undone.
pub const BATCHES_KEPT: Millis = 30 * DAY;

/// What undoing comes to at one system.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// The values from before, as if they were typed.
    pub given: Given,
    /// What stays as it is.
    pub left: Vec<Left>,
}

/// A field that undoing leaves as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    pub changed: Changed,
    pub now: Value,
    pub why: LeftWhy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftWhy {
    /// Somebody has changed it since.
    ChangedSince,
    /// Nobody had said it before, and what is known is not forgotten.
    WasUnknown,
}

/// Holds what a batch changed against what is set `now`. A value that was changed and changed back counts as changed.
pub fn undo(
    changes: &[Changed],
    acknowledged_before: bool,
    now: &Settings,
    changed_since: impl Fn(Field) -> bool,
) -> Undo {
    let mut undo = Undo::default();
    for changed in changes {
        let present = now.get(changed.field).unwrap_or(Value::Unknown);
        let why = match () {
            () if present != changed.to || changed_since(changed.field) => LeftWhy::ChangedSince,
            () if changed.from == Value::Unknown => LeftWhy::WasUnknown,
            () => {
                let text = changed.from.text(changed.field);
                undo.given.fields.insert(changed.field, text);
                continue;
            }
        };
        undo.left.push(Left {
            changed: *changed,
            now: present,
            why,
        });
    }
    // Who had acknowledged the notice for the value from before has done so.
    undo.given.acknowledges = acknowledged_before;
    undo
}

impl Changed {
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

    const RESERVE: Changed = Changed {
        field: Field::ReserveSoc,
        from: Value::Whole(10),
        to: Value::Whole(30),
    };
    const PRICE: Changed = Changed {
        field: Field::ImportPrice,
        from: Value::Unknown,
        to: Value::Decimal(3_190),
    };

    fn set(values: &[(Field, Value)]) -> Settings {
        let set: Settings = values.iter().copied().collect();
        set.or(&Settings::fresh(Ratings::default()))
    }

    #[test]
    fn what_nobody_has_touched_goes_back() {
        let now = set(&[(Field::ReserveSoc, Value::Whole(30))]);
        let undo = undo(&[RESERVE], false, &now, |_| false);
        assert_eq!(undo.given.fields[&Field::ReserveSoc], "10");
        assert_eq!(undo.left, []);
    }

    #[test]
    fn what_was_changed_since_is_left_even_when_it_was_changed_back() {
        for (value, since) in [(40, false), (40, true), (30, true)] {
            let value = Value::Whole(value);
            let now = set(&[(Field::ReserveSoc, value)]);
            let undo = undo(&[RESERVE], false, &now, |_| since);
            assert!(undo.given.fields.is_empty());
            assert_eq!(undo.left[0].why, LeftWhy::ChangedSince);
            assert_eq!(undo.left[0].now, value);
        }
    }

    #[test]
    fn what_nobody_knew_before_is_not_forgotten() {
        let now = set(&[(Field::ImportPrice, Value::Decimal(3_190))]);
        let undo = undo(&[PRICE], false, &now, |_| false);
        assert_eq!(undo.left[0].why, LeftWhy::WasUnknown);
    }

    #[test]
    fn a_change_is_read_as_it_was_written() {
        for changed in [RESERVE, PRICE] {
            assert_eq!(Changed::from_json(&changed.json()), Some(changed));
        }
        assert_eq!(Changed::from_json(&json!({ "field": "disco_mode" })), None);
    }
}
