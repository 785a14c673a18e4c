//! A template: some fields with their values, which an electrician keeps under a name for further systems.
use super::change::windows;
use super::{Field, Ratings, Settings, SettingsInput};
use crate::{GroupName, Message};

/// Templates per account.
pub const MAX_TEMPLATES: i64 = 50;

/// The name as typed; names are compared like those of groups.
pub type TemplateName = GroupName;

impl SettingsInput {
    /// Validates what can be checked without knowing the system. Whether the template suits a system is checked when it is
    /// used there.
    pub fn template(&self) -> Result<Settings, Vec<(Field, Message)>> {
        let mut wrong = Vec::new();
        let mut kept = Settings::default();
        for (field, text) in &self.fields {
            match field.parse(text, Ratings::default()) {
                _ if !field.is_in_document() => wrong.push((*field, Message::Forbidden)),
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
        let given = SettingsInput {
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
        // Whether a provider is set depends on the system.
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
