//! Who a person is to the product.
use crate::Message;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(pub i64);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The two roles a person can register with. Operators have no account, partners and devices have their own keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    User,
    Electrician,
}

impl Role {
    pub const ALL: [Self; 2] = [Self::User, Self::Electrician];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Electrician => "electrician",
        }
    }
}

impl FromStr for Role {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or(Message::RoleUnknown)
    }
}

/// The version of the terms that a registration agrees to; stored with the consent and its time.
pub const TERMS_VERSION: &str = "2026-11";

/// Longest text accepted in a free field (a company's name, a person's).
pub const MAX_TEXT: usize = 200;

/// A name of a company or of a person: required, trimmed, not endless.
pub fn parse_name(text: &str) -> Result<String, Message> {
    match text.trim() {
        "" => Err(Message::Required),
        name if name.chars().count() > MAX_TEXT => Err(Message::TooLong),
        name => Ok(name.to_owned()),
    }
}
