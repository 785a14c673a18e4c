//! Accounts: roles, terms and names.
use crate::{Message, one_line};
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

/// Longest text accepted in a free field such as a company's or a person's name, in characters.
pub const MAX_TEXT: usize = 200;

/// The name of a company or a person: required, one line, at most [`MAX_TEXT`] characters.
pub fn parse_name(text: &str) -> Result<String, Message> {
    let name = one_line(text);
    match name.chars().count() {
        0 => Err(Message::Required),
        1..=MAX_TEXT => Ok(name),
        _ => Err(Message::TooLong),
    }
}
