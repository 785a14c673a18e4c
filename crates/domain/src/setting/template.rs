//! A template: some fields with their values, under a name, which an electrician keeps for the next system.
use super::change::windows;
use super::{Field, Given, Ratings, Settings};
use crate::{GroupName, Message};

/// How many templates one account keeps.
pub const MOST_TEMPLATES: i64 = 50;

/// As its author writes it; names are compared as those of groups are.
pub type TemplateName = GroupName;

impl Given {
    /// What can be kept without knowing which system it will be for, or everything that is wrong with it. Whether it suits a
    /// system is judged when it is used there.
    pub fn template(&self) -> Result<Settings, Vec<(Field, Message)>> {
        let mut wrong = Vec::new();
        let mut kept = Settings::default();
        for (field, text) in &self.fields {
            match field.parse(text, Ratings::default()) {
                _ if !field.is_open() => wrong.push((*field, Message::Forbidden)),
                _ if field.is_money() => wrong.push((*field, Message::PriceOwnersOnly)),
                Ok(value) => kept.set(*field, value),
                Err(message) => wrong.push((*field, message)),
            }
        }
        wrong.extend(windows(&kept));
        match wrong.is_empty() {
            true => Ok(kept),
            false => Err(wrong),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Value;
    use super::*;

    fn template(fields: &[(Field, &str)]) -> Result<Settings, Vec<(Field, Message)>> {
        let fields = fields
            .iter()
            .map(|(field, text)| (*field, (*text).to_owned()));
        let given = Given {
            fields: fields.collect(),
            acknowledges: false,
        };
        given.template()
    }

    #[test]
    fn a_template_keeps_values_that_some_system_could_have() {
        let kept = template(&[(Field::ReserveSoc, "20"), (Field::ChargeLimit, "11000")]).unwrap();
        assert_eq!(kept.get(Field::ReserveSoc), Some(Value::Whole(20)));
        assert_eq!(kept.iter().count(), 2);
        // Whether a provider is set is another matter at each system.
        assert!(template(&[(Field::DynamicTariff, "plan")]).is_ok());
        assert!(template(&[(Field::ChargeStart, "22:00")]).is_ok());
    }

    #[test]
    fn what_no_system_could_have_is_refused_at_its_field() {
        for (fields, field, message) in [
            (
                &[(Field::ReserveSoc, "101")][..],
                Field::ReserveSoc,
                Message::SocRange,
            ),
            (
                &[(Field::ImportPrice, "31.90")],
                Field::ImportPrice,
                Message::PriceOwnersOnly,
            ),
            (
                &[(Field::ProviderToken, "a-token-that-is-long-enough")],
                Field::ProviderToken,
                Message::Forbidden,
            ),
            (
                &[(Field::ChargeStart, "22:00"), (Field::ChargeEnd, "22:00")],
                Field::ChargeEnd,
                Message::WindowEmpty,
            ),
        ] {
            assert_eq!(template(fields), Err(vec![(field, message)]));
        }
    }
}
