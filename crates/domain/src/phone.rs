//! A phone number, checked against the numbering plan of the person's country and stored in E.164.
use crate::{Country, Message};
use phonenumber::metadata::{DATABASE as WORLD, Database};
use phonenumber::{ParseError, country};
use std::sync::OnceLock;

/// The numbering plans of the [`Country`] list, written by `scripts/phone-plans`.
const OURS: &str = include_str!("../phone-plans.xml");

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phone(String);

impl Phone {
    /// Parses a number in the national form of `country` or in the international form.
    pub fn parse(text: &str, country: Country) -> Result<Self, Message> {
        if text.trim().is_empty() {
            return Err(Message::Required);
        }
        // The library accepts letters as vanity numbers; here they are typing errors.
        if text.len() > 40 || text.chars().any(char::is_alphabetic) {
            return Err(Message::PhoneInvalid);
        }
        let region = country.code().parse().ok();
        // Parsing the plans of the whole world takes a second; most numbers need only the plan of one country.
        let number = match read(plan_of(country), region, text) {
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

/// The plan of a country, parsed when it is first needed.
fn plan_of(country: Country) -> &'static Database {
    static PLANS: [OnceLock<Database>; Country::ALL.len()] =
        [const { OnceLock::new() }; Country::ALL.len()];
    PLANS[country as usize].get_or_init(|| {
        let start = format!("<territory id=\"{}\"", country.code());
        let territory = OURS.split("</territory>").find_map(|part| {
            let at = part.find(&start)?;
            part.get(at..)
        });
        let territory = territory.unwrap_or_default();
        let plans = format!(
            "<phoneNumberMetadata><territories>{territory}</territory></territories></phoneNumberMetadata>"
        );
        Database::parse(plans).expect("a test parses every plan")
    })
}

/// The number in E.164; `None` if it is not valid in its plan.
fn read(
    plans: &Database,
    region: Option<country::Id>,
    text: &str,
) -> Result<Option<String>, ParseError> {
    let number = phonenumber::parse_with(plans, region, text)?;
    let is_valid = number.is_valid_with(plans);
    // The library's formatter would parse the plans of the whole world, whatever plans it is given.
    Ok(is_valid.then(|| format!("+{}{}", number.country().code(), number.national())))
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
            let plan = plan_of(*country).by_id(country.code());
            assert!(plan.is_some(), "{country:?}");
        }
    }

    #[test]
    fn numbers_from_elsewhere_are_known_too() {
        let phone = Phone::parse("+1 650 253 0000", Country::Germany);
        assert_eq!(phone, Ok(Phone("+16502530000".into())));
        let germany = plan_of(Country::Germany);
        assert_eq!(e164(germany, Country::Germany, "+1 650 253 0000"), None);
    }

    proptest! {
        #[test]
        fn our_plans_say_what_those_of_the_world_say(
            country in prop::sample::select(Country::ALL),
            text in "(0|00|\\+)?(49|48|43|41|32|33|371|370|372|385|31)?[0-9]{5,11}",
        ) {
            let phone = Phone::parse(&text, country).ok();
            let world = e164(&WORLD, country, &text);
            prop_assert_eq!(phone.map(|phone| phone.0), world);
        }
    }
}
