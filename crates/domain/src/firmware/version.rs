//! A version as batteries report it: one or two digits, a dot, one or two digits.
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    major: u8,
    minor: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a version: one or two digits, a dot, one or two digits")]
pub struct NotAVersion;

impl FromStr for Version {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let number = |digits: &str| -> Option<u8> {
            let right =
                (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            right.then(|| digits.parse().ok()).flatten()
        };
        let (major, minor) = text.split_once('.').ok_or(NotAVersion)?;
        match (number(major), number(minor)) {
            (Some(major), Some(minor)) => Ok(Self { major, minor }),
            _ => Err(NotAVersion),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        assert!(version("2.9") < version("2.10"));
        assert!(version("9.99") < version("10.0"));
        assert_eq!(version("1.14").to_string(), "1.14");
        for wrong in [
            "", "2", "2.", ".6", "2.6.1", "123.4", "2.100", "v2.6", "2,6", "-1.0",
        ] {
            assert_eq!(wrong.parse::<Version>(), Err(NotAVersion), "{wrong}");
        }
    }
}
