//! A phone number, checked against the numbering plan of the person's country and stored in E.164.
use crate::{Country, Message};
use phonenumber::Mode;

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
        let number = phonenumber::parse(region, text).map_err(|_| Message::PhoneInvalid)?;
        if !number.is_valid() {
            return Err(Message::PhoneInvalid);
        }
        Ok(Self(number.format().mode(Mode::E164).to_string()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
