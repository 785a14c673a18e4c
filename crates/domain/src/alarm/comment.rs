use crate::{Message, required_line};
use std::str::FromStr;

/// Comments per alarm.
pub const MAX_COMMENTS: i64 = 50;

/// A comment on an alarm: one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentText(String);

impl CommentText {
    /// In characters.
    pub const MAX_LENGTH: usize = 500;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CommentText {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        required_line(text, Self::MAX_LENGTH).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_one_line_of_bounded_length() {
        let read = |text: &str| text.parse::<CommentText>();
        assert_eq!(
            read(" Zelle 3\nist\u{202e} defekt ").unwrap().as_str(),
            "Zelle 3 ist defekt"
        );
        assert_eq!(read(" \n "), Err(Message::Required));
        assert!(read(&"ä".repeat(CommentText::MAX_LENGTH)).is_ok());
        assert_eq!(
            read(&"ä".repeat(CommentText::MAX_LENGTH + 1)),
            Err(Message::TooLong)
        );
    }
}
