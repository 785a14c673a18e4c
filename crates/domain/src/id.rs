//! Random ids. A sequential number could be issued twice after a restored backup, and be taken for the earlier object.

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id: 24 lower-case hexadecimal digits expected")]
pub struct NotAnId;

/// Twelve random bytes in hexadecimal.
macro_rules! random_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            pub fn random(random: &$crate::Random) -> Self {
                let bytes = random.bytes::<12>();
                Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::id::NotAnId;

            fn from_str(text: &str) -> Result<Self, $crate::id::NotAnId> {
                let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
                let right = text.len() == 24 && text.bytes().all(hex);
                right.then(|| Self(text.to_owned())).ok_or($crate::id::NotAnId)
            }
        }
    };
}
pub(crate) use random_id;
