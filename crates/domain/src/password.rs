//! Password rules: at least eight characters, all four kinds of characters, and not a common password.
use crate::Message;
use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

/// A password that follows the rules. Its text is used only for hashing.
pub struct Password(String);

pub const MIN_LENGTH: usize = 8;
/// Far above any passphrase. Longer ones are refused, not cut: Argon2 would have to hash megabytes.
pub const MAX_LENGTH: usize = 1024;

/// The 3,000 most common passwords of public leaks, lower case.
static COMMON: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("../data/common-passwords.txt")
        .lines()
        .collect()
});

impl Password {
    pub fn parse(text: &str) -> Result<Self, Message> {
        let length = text.chars().count();
        if length == 0 {
            return Err(Message::Required);
        }
        if length > MAX_LENGTH {
            return Err(Message::TooLong);
        }
        let has = |kind: fn(char) -> bool| text.chars().any(kind);
        let strong = length >= MIN_LENGTH
            && has(char::is_uppercase)
            && has(char::is_lowercase)
            && has(|c| c.is_numeric())
            && has(|c| !c.is_alphanumeric() && !c.is_whitespace());
        if !strong {
            return Err(Message::PasswordWeak);
        }
        if is_common(text) {
            return Err(Message::PasswordCommon);
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A common password is still common with a capital letter, digits for letters and a few characters around it: `P4ssword1!`.
fn is_common(text: &str) -> bool {
    const DECORATION: usize = 4;
    let lower = text.to_lowercase();
    let plain: String = lower.chars().map(undecorate).collect();
    let core = lower.trim_matches(|c: char| !c.is_alphabetic());
    let plain_core = plain.trim_matches(|c: char| !c.is_alphabetic());
    COMMON.contains(lower.as_str())
        || COMMON.contains(plain.as_str())
        || [core, plain_core]
            .iter()
            .any(|c| COMMON.contains(c) && c.chars().count() + DECORATION >= lower.chars().count())
}

fn undecorate(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_commonest_are_refused_with_their_usual_decorations() {
        for common in [
            "Password1!",
            "P@ssw0rd",
            "Qwerty123!",
            "Dragon-123",
            "#Letmein1",
        ] {
            assert_eq!(
                Password::parse(common).err(),
                Some(Message::PasswordCommon),
                "{common}"
            );
        }
        assert!(Password::parse("Sonnenschein-1!").is_ok());
    }

    proptest! {
        #[test]
        fn a_long_password_is_taken_whole(body in "[a-z]{60,200}") {
            let text = format!("{body}-A1é");
            let password = Password::parse(&text).unwrap();
            prop_assert_eq!(password.as_str(), text);
        }

        #[test]
        fn a_password_without_one_of_the_four_kinds_is_weak(body in "[a-z]{8,40}", missing in 0..4_usize) {
            let kinds = ["Q", "7", "?", ""];
            let extras: String = kinds.iter().enumerate().filter(|(i, _)| *i != missing).map(|(_, k)| *k).collect();
            let text = if missing == 3 { format!("{}{extras}", body.to_uppercase()) } else { format!("{body}{extras}") };
            prop_assert_eq!(Password::parse(&text).err(), Some(Message::PasswordWeak));
        }
    }
}
