//! Accounts: roles, terms and names.
use crate::{Message, has_address, required_line, without_links};
use std::fmt;
use strum::{EnumString, IntoStaticStr};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(pub i64);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The two roles a person can register with. Operators have no account, partners and devices have their own keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = Message, parse_err_fn = unknown_role)]
pub enum Role {
    User,
    Electrician,
}

fn unknown_role(_: &str) -> Message {
    Message::RoleUnknown
}

impl Role {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// The version of the terms that a registration agrees to; stored with the consent and its time.
pub const TERMS_VERSION: &str = "2026-11";

/// Longest text accepted in a free field such as a person's name, in characters.
pub const MAX_TEXT: usize = 200;

/// The name of a person or a place: required, one line, at most [`MAX_TEXT`] characters.
pub fn parse_name(text: &str) -> Result<String, Message> {
    required_line(text, MAX_TEXT)
}

/// A postal address: one line of at most [`MAX_TEXT`] characters, or empty for none.
pub fn parse_postal_address(text: &str) -> Result<String, Message> {
    match required_line(text, MAX_TEXT) {
        Err(Message::Required) => Ok(String::new()),
        line => line,
    }
}

/// Longest name of a company or of one of its members, in characters.
pub const MAX_PUBLIC_NAME: usize = 80;

/// The name of a company or of one of its members. It appears in the portal's mails to people who may not know it, so it must be
/// too short for a message and must not contain anything that a mail program turns into a link.
pub fn parse_public_name(text: &str) -> Result<String, Message> {
    let name = parse_name(text)?;
    if has_address(&name) {
        return Err(Message::NameHasAddress);
    }
    let name = without_links(&name);
    match name.chars().count() {
        0..=MAX_PUBLIC_NAME => Ok(name),
        _ => Err(Message::TooLong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_postal_address_is_one_line_or_none() {
        let read = parse_postal_address;
        assert_eq!(
            read("Am Hang 3\n 12345  Musterstadt").as_deref(),
            Ok("Am Hang 3 12345 Musterstadt")
        );
        assert_eq!(read(" \n").as_deref(), Ok(""));
        assert_eq!(read(&"a".repeat(MAX_TEXT + 1)), Err(Message::TooLong));
    }

    #[test]
    fn a_company_is_a_name_and_no_letter() {
        let long = "a".repeat(MAX_PUBLIC_NAME);
        for (text, parsed) in [
            (" Elektro  Sonnenberg ", Ok("Elektro Sonnenberg".to_owned())),
            ("Müller GmbH & Co.KG", Ok("Müller GmbH & Co. KG".to_owned())),
            ("evil.example/login", Ok("evil. example/login".to_owned())),
            (
                "Bitte hier: https://evil.example/login",
                Err(Message::NameHasAddress),
            ),
            ("WWW.EVIL.EXAMPLE", Err(Message::NameHasAddress)),
            ("someone@evil.example", Err(Message::NameHasAddress)),
            (&long, Ok(long.clone())),
            (&format!("{long}a"), Err(Message::TooLong)),
            ("", Err(Message::Required)),
        ] {
            assert_eq!(parse_public_name(text), parsed, "{text}");
        }
    }
}
