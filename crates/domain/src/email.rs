//! An e-mail address in lower case: one mailbox is one account.
use crate::Message;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Email(String);

impl Email {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Email {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        let text = text.trim().to_lowercase();
        if text.is_empty() {
            return Err(Message::Required);
        }
        let options = email_address::Options::default()
            .with_required_tld()
            .without_display_text()
            .without_domain_literal();
        email_address::EmailAddress::parse_with_options(&text, options)
            .map_err(|_| Message::EmailInvalid)?;
        // Quoted local parts are valid by the standard, but cause trouble in mail programs and logs.
        if text.contains('"') {
            Err(Message::EmailInvalid)
        } else {
            Ok(Self(text))
        }
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
