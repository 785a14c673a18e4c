//! Groups: what a person calls some of their systems together.
use crate::Message;
use std::str::FromStr;

/// An account has at most so many.
pub const MOST_GROUPS: i64 = 200;

/// A group's name as the person writes it, without the spaces around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupName(String);

impl GroupName {
    /// In characters.
    pub const LONGEST: usize = 60;

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as names are compared and sorted: those that differ in case alone are the same.
    pub fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

impl FromStr for GroupName {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        match text.trim() {
            "" => Err(Message::Required),
            name if name.chars().count() > Self::LONGEST => Err(Message::TooLong),
            name => Ok(Self(name.to_owned())),
        }
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
