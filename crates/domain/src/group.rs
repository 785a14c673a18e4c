//! Groups: several systems of an account under one name.
use crate::{Message, required_line};
use std::str::FromStr;

/// Groups per account.
pub const MAX_GROUPS: i64 = 200;

/// A group's name as typed, trimmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupName(String);

impl GroupName {
    /// In characters.
    pub const MAX_LENGTH: usize = 60;

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form for comparing and sorting: names that differ only in case are equal.
    pub fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

impl FromStr for GroupName {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        required_line(text, Self::MAX_LENGTH).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_alone_are_the_same() {
        let folded = |text: &str| text.parse::<GroupName>().unwrap().folded();
        assert_eq!(folded(" Ärger im KELLER "), folded("ärger im Keller"));
        assert_ne!(folded("Keller 1"), folded("Keller 2"));
    }
}
