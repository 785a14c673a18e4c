//! Customer cards: a note and photos about a customer, visible only within the electrician's company.
use crate::Message;
use crate::one_line::one_line;
use std::str::FromStr;

/// The most photos that a company keeps of one system.
pub const MAX_PHOTOS: usize = 12;

/// The most photos that a company keeps of all its customers' systems: about 2 GB.
pub const MAX_COMPANY_PHOTOS: usize = 5_000;

/// Notes about a customer; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CustomerNote(String);

impl CustomerNote {
    /// In characters.
    pub const MAX_LENGTH: usize = 2_000;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CustomerNote {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        let lines: Vec<String> = text.lines().map(one_line).collect();
        let note = lines.join("\n").trim().to_owned();
        match note.chars().count() {
            0..=Self::MAX_LENGTH => Ok(Self(note)),
            _ => Err(Message::TooLong),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_keeps_its_lines_and_has_a_bounded_length() {
        let read = |text: &str| text.parse::<CustomerNote>();
        let note = read(" Hund \r\n\r\nSchlüssel\u{202e}  beim Nachbarn\n ").unwrap();
        assert_eq!(note.as_str(), "Hund\n\nSchlüssel beim Nachbarn");
        assert_eq!(read(" \n\n").unwrap(), CustomerNote::default());
        assert!(read(&"ä".repeat(CustomerNote::MAX_LENGTH)).is_ok());
        let long = "ä".repeat(CustomerNote::MAX_LENGTH + 1);
        assert_eq!(read(&long), Err(Message::TooLong));
    }
}
