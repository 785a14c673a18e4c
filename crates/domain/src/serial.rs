//! A serial number: identifies one unit and is printed on its case. Never a secret.
use crate::Message;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Serial(String);

impl Serial {
    pub const LENGTH: std::ops::RangeInclusive<usize> = 6..=12;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Serial {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Message::Required);
        }
        // Lower case is the most common mistake and has its own message, but only if nothing else is wrong.
        let upper = text.to_ascii_uppercase();
        let well_formed = Self::LENGTH.contains(&upper.len())
            && upper
                .bytes()
                .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
        match (well_formed, upper == text) {
            (true, true) => Ok(Self(upper)),
            (true, false) => Err(Message::SerialUppercase),
            (false, _) => Err(Message::SerialFormat),
        }
    }
}

impl fmt::Display for Serial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
