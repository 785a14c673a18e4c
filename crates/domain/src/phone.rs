//! A phone number, checked against the numbering plan of the person's country and stored in E.164.
use crate::{Country, Message};
use phonenumber::metadata::{DATABASE as WORLD, Database};
use phonenumber::{Mode, ParseError, country};
use std::sync::LazyLock;

/// The plans of our countries, written by `scripts/phone-plans`. Those of the world take ten times as long and are read when the
/// first number from elsewhere comes.
static OURS: LazyLock<Database> = LazyLock::new(|| {
    Database::parse(include_str!("../phone-plans.xml")).expect("the plans are well-formed")
});

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone(String);

impl Phone {
    /// Reads a number as somebody in `country` would write it, or in the international form.
    pub fn parse(text: &str, country: Country) -> Result<Self, Message> {
        if text.trim().is_empty() {
            return Err(Message::Required);
        }
        // Letters are vanity numbers to the library and typing slips to us.
        if text.len() > 40 || text.chars().any(char::is_alphabetic) {
            return Err(Message::PhoneInvalid);
        }
        let region = country.code().parse().ok();
        let number = match read(&OURS, region, text) {
            Err(ParseError::InvalidCountryCode) => read(&WORLD, region, text),
            read => read,
        };
        let number = number.ok().flatten();
        number.map(Self).ok_or(Message::PhoneInvalid)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The number in E.164; `None` where its plan does not have it.
fn read(
    plans: &Database,
    region: Option<country::Id>,
    text: &str,
) -> Result<Option<String>, ParseError> {
    let number = phonenumber::parse_with(plans, region, text)?;
    let valid = number.is_valid_with(plans).then_some(number);
    // With its plans: without, even this form reads those of the world.
    Ok(valid.map(|number| {
        let e164 = number.format_with(plans).mode(Mode::E164);
        e164.to_string()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn e164(plans: &Database, country: Country, text: &str) -> Option<String> {
        read(plans, country.code().parse().ok(), text).ok()?
    }

    #[test]
    fn every_country_of_ours_has_its_plan() {
        for country in Country::ALL {
            assert!(OURS.by_id(country.code()).is_some(), "{country:?}");
        }
    }

    #[test]
    fn numbers_from_elsewhere_are_known_too() {
        let phone = Phone::parse("+1 650 253 0000", Country::Germany);
        assert_eq!(phone, Ok(Phone("+16502530000".into())));
        assert_eq!(e164(&OURS, Country::Germany, "+1 650 253 0000"), None);
    }

    proptest! {
        #[test]
        fn our_plans_say_what_those_of_the_world_say(
            country in prop::sample::select(Country::ALL),
            text in "(0|00|\\+)?(49|48|43|41|32|33|371|370|372|385|31)?[0-9]{5,11}",
        ) {
            let ours = e164(&OURS, country, &text);
            let world = e164(&WORLD, country, &text);
            let is_ours = |number: &String| Country::ALL.iter().any(|country| {
                let plan = OURS.by_id(country.code()).expect("each has one");
                number.starts_with(&format!("+{}", plan.country_code()))
            });
            prop_assert_eq!(ours, world.filter(is_ours));
        }
    }
}
