//! The countries that the product is sold in, as in the registration form.
use crate::Message;
use std::str::FromStr;

macro_rules! countries {
    ($($country:ident $code:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Country { $($country),* }

        impl Country {
            pub const ALL: &[Self] = &[$(Self::$country),*];

            /// ISO 3166-1 alpha-2, as stored and sent.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$country => $code),* }
            }
        }
    };
}

countries! {
    Germany "DE", Poland "PL", Austria "AT", Switzerland "CH", Belgium "BE", France "FR",
    Latvia "LV", Lithuania "LT", Estonia "EE", Croatia "HR", Netherlands "NL",
}

impl FromStr for Country {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        Self::ALL
            .iter()
            .copied()
            .find(|c| c.code() == text)
            .ok_or(Message::CountryUnknown)
    }
}
