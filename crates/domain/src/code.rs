//! Registration and installer codes: 100 random bits in Crockford's base 32, four groups of five.
//! Single use; the server stores only a keyed hash.
use crate::{Message, Random};
use std::fmt;
use std::str::FromStr;
use strum::{EnumString, IntoStaticStr};

pub(crate) const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const GROUPS: usize = 4;
const GROUP: usize = 5;
pub(crate) const SYMBOLS: usize = GROUPS * GROUP;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Code(String);

/// What a code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum CodeKind {
    /// Links the systems it covers to the account that enters it.
    Registration,
    /// Gives an electrician service access while the systems have no owner.
    Installer,
}

impl CodeKind {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

impl Code {
    pub fn random(random: &Random) -> Self {
        // 5 of the 8 bits of each byte are used: that is uniform over the alphabet without rejection.
        let symbols = random
            .bytes::<SYMBOLS>()
            .map(|byte| ALPHABET[usize::from(byte & 31)] as char);
        Self::of(&symbols)
    }

    fn of(symbols: &[char]) -> Self {
        let groups: Vec<String> = symbols
            .chunks(GROUP)
            .map(|group| group.iter().collect())
            .collect();
        Self(groups.join("-"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Code {
    type Err = Message;

    /// Accepts upper and lower case, and any spaces and dashes.
    fn from_str(text: &str) -> Result<Self, Message> {
        let symbols: Vec<char> = text
            .chars()
            .filter(|c| !c.is_whitespace() && !is_dash(*c))
            .map(|c| c.to_ascii_uppercase())
            .collect();
        let known = |c: &char| ALPHABET.iter().any(|symbol| char::from(*symbol) == *c);
        if symbols.len() == SYMBOLS && symbols.iter().all(known) {
            Ok(Self::of(&symbols))
        } else {
            Err(Message::CodeUnknown)
        }
    }
}

/// The hyphen and the characters that word processors and mail programs replace it with.
pub(crate) fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{ad}' | '\u{2010}'
            ..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// A code is a secret: only [`Code::as_str`] shows it, where it is issued.
impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_random_code_reads_back_and_holds_at_least_80_bits(bytes in any::<[u8; 20]>()) {
            let random = Random::new(move |out| out.copy_from_slice(&bytes[..out.len()]));
            let code = Code::random(&random);
            prop_assert_eq!(code.as_str().parse::<Code>().unwrap(), code.clone());
            prop_assert_eq!(code.as_str().len(), 23);
            // every one of the 20 symbols takes all 32 values: 100 bits
            prop_assert!(code.as_str().bytes().filter(|b| *b != b'-').count() * 5 >= 80);
        }
    }

    #[test]
    fn a_code_never_shows_in_debug_output() {
        let code: Code = "7K3QF-9TWXA-B2C4D-E5G6H".parse().unwrap();
        assert!(!format!("{code:?}").contains("7K3QF"));
    }
}
