//! Time-based one-time codes (RFC 6238) as a second factor, and recovery codes for a lost phone.
//!
//! SHA-1, six digits and 30 seconds, because every authenticator app uses these for a bare secret.
use crate::clock::{MAX_CLOCK_SKEW, MINUTE, Millis, SECOND};
use crate::code::ALPHABET;
use crate::{Message, Random};
use ring::hmac;
use std::fmt;
use std::str::FromStr;

pub const TIME_STEP: Millis = 30 * SECOND;
/// How long a new secret waits for its first code.
pub const ENROLMENT_TTL: Millis = 30 * MINUTE;
pub const RECOVERY_CODES: usize = 10;

const DIGITS: usize = 6;
const RECOVERY_CODE_LENGTH: usize = 10;
/// How many steps before and after the current one are accepted: clocks differ, and typing takes time.
const TOLERANCE_STEPS: i64 = 1;

/// The secret that the portal and the phone share.
#[derive(Clone, PartialEq, Eq)]
pub struct TotpSecret([u8; 20]);

impl TotpSecret {
    pub fn random(random: &Random) -> Self {
        Self(random.bytes())
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The form for typing: base 32 (RFC 4648), 32 characters.
    pub fn base32(&self) -> String {
        const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let letters = |five: &[u8]| {
            let bits = five
                .iter()
                .fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
            (0..8).map(move |n| {
                let index = usize::try_from(bits >> (35 - 5 * n) & 31).expect("5 bits fit");
                LETTERS[index] as char
            })
        };
        self.0.chunks_exact(5).flat_map(letters).collect()
    }

    /// The content of the QR code. The e-mail address tells several accounts apart in the app.
    pub fn uri(&self, email: &str) -> String {
        let escaped: String = email
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    (byte as char).to_string()
                }
                _ => format!("%{byte:02X}"),
            })
            .collect();
        format!(
            "otpauth://totp/Suncellar:{escaped}?secret={}&issuer=Suncellar",
            self.base32()
        )
    }

    /// The code of a time step, as the app shows it.
    pub fn code(&self, step: i64) -> String {
        format!(
            "{:0DIGITS$}",
            truncated(&self.0, step) % 10_u32.pow(DIGITS as u32)
        )
    }

    /// The time step of this code, if it is near `now` and later than the last used one. A last step from a clock that was ahead
    /// does not count; otherwise nobody could log in until that time.
    pub fn step_of(&self, code: &str, used: i64, now: Millis) -> Option<i64> {
        let current = step_at(now);
        let used = if used > latest_step(now) { 0 } else { used };
        (current - TOLERANCE_STEPS..=current + TOLERANCE_STEPS)
            .find(|step| *step > used && self.code(*step) == code)
    }
}

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The latest step that another process can have used if its clock differs from ours no more than usual.
pub const fn latest_step(now: Millis) -> i64 {
    step_at(now + MAX_CLOCK_SKEW) + TOLERANCE_STEPS
}

pub const fn step_at(now: Millis) -> i64 {
    now.div_euclid(TIME_STEP)
}

/// HOTP's dynamic truncation (RFC 4226, 5.3).
fn truncated(secret: &[u8], counter: i64) -> u32 {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &counter.to_be_bytes());
    let tag = tag.as_ref();
    let offset = usize::from(tag[19] & 15);
    let word = tag[offset..offset + 4].try_into();
    u32::from_be_bytes(word.expect("an offset below 16 leaves 4 of the 20 bytes")) & 0x7fff_ffff
}

/// A one-time replacement for the phone: 50 random bits in two groups of five.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RecoveryCode(String);

impl RecoveryCode {
    pub fn random(random: &Random) -> Self {
        let symbols = random.bytes::<RECOVERY_CODE_LENGTH>();
        let symbols = symbols.map(|byte| ALPHABET[usize::from(byte & 31)] as char);
        Self(symbols.iter().collect())
    }

    /// A full set of codes for an account.
    pub fn set(random: &Random) -> Vec<Self> {
        (0..RECOVERY_CODES).map(|_| Self::random(random)).collect()
    }

    /// The form that is hashed and stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form that is shown to the user.
    pub fn grouped(&self) -> String {
        let (left, right) = self.0.split_at(RECOVERY_CODE_LENGTH / 2);
        format!("{left}-{right}")
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(…)")
    }
}

/// A typed second factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecondFactor {
    Code(String),
    Recovery(RecoveryCode),
}

impl FromStr for SecondFactor {
    type Err = Message;

    /// Ignores spaces and dashes, and reads letters that look like digits as digits.
    fn from_str(text: &str) -> Result<Self, Message> {
        let plain: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != '-')
            .map(|c| match c.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            })
            .collect();
        let is_code = plain.len() == DIGITS && plain.bytes().all(|b| b.is_ascii_digit());
        let is_recovery =
            plain.len() == RECOVERY_CODE_LENGTH && plain.bytes().all(|b| ALPHABET.contains(&b));
        if is_code {
            Ok(Self::Code(plain))
        } else if is_recovery {
            Ok(Self::Recovery(RecoveryCode(plain)))
        } else {
            Err(Message::TotpWrong)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The secret of the RFC's test vectors.
    fn rfc() -> TotpSecret {
        TotpSecret(*b"12345678901234567890")
    }

    #[test]
    fn codes_are_those_of_rfc_6238() {
        for (seconds, eight) in [
            (59, "94287082"),
            (1_111_111_109, "07081804"),
            (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"),
            (20_000_000_000, "65353130"),
        ] {
            let step = step_at(seconds * SECOND);
            let all = truncated(rfc().as_bytes(), step) % 100_000_000;
            assert_eq!(format!("{all:08}"), eight, "at {seconds}");
            assert_eq!(rfc().code(step), eight[2..], "at {seconds}");
        }
    }

    #[test]
    fn the_secret_is_base_32_and_escaped_in_the_qr_code() {
        assert_eq!(rfc().base32(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(
            rfc().uri("anna+x@example.com"),
            "otpauth://totp/Suncellar:anna%2Bx%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Suncellar"
        );
    }

    #[test]
    fn a_code_counts_one_step_around_now_and_never_again() {
        let (secret, now) = (rfc(), 1_000 * TIME_STEP + 7 * SECOND);
        for (step, used, want) in [
            (1_000, 0, Some(1_000)),
            (999, 0, Some(999)),
            (1_001, 0, Some(1_001)),
            (998, 0, None),
            (1_002, 0, None),
            (1_000, 1_000, None),
            (999, 1_000, None),
            (1_001, 1_000, Some(1_001)),
            // Another process is two minutes ahead.
            (1_001, 1_005, None),
            // The clock was ahead, and is right again.
            (1_000, 1_006, Some(1_000)),
            (1_000, 9_000_000, Some(1_000)),
        ] {
            let found = secret.step_of(&secret.code(step), used, now);
            assert_eq!(found, want, "step {step} after {used}");
        }
    }

    #[test]
    fn what_is_typed_is_read_as_it_was_meant() {
        let code = |text: &str| text.parse::<SecondFactor>();
        assert_eq!(code(" 123 456 "), Ok(SecondFactor::Code("123456".into())));
        let recovery = |text: &str| Ok(SecondFactor::Recovery(RecoveryCode(text.into())));
        assert_eq!(code("7k3qf-9twxa"), recovery("7K3QF9TWXA"));
        assert_eq!(code("OIL0F 9TWXA"), recovery("0110F9TWXA"));
        for wrong in [
            "",
            "12345",
            "1234567",
            "7K3QF",
            "7K3QF-9TWXU",
            "１２３４５６",
        ] {
            assert_eq!(code(wrong), Err(Message::TotpWrong), "{wrong}");
        }
    }

    #[test]
    fn neither_shows_in_debug_output() {
        let shown = format!("{:?} {:?}", rfc(), RecoveryCode("7K3QF9TWXA".into()));
        assert!(!shown.contains("12345") && !shown.contains("7K3QF"));
    }

    proptest! {
        #[test]
        fn a_drawn_recovery_code_is_read_back(seed in any::<[u8; 10]>()) {
            let random = Random::new(move |bytes| bytes.copy_from_slice(&seed));
            let code = RecoveryCode::random(&random);
            prop_assert_eq!(code.grouped().to_lowercase().parse(), Ok(SecondFactor::Recovery(code)));
        }
    }
}
