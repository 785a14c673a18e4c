//! The nouns and rules of Suncellar. Plain functions and types, no I/O: time and randomness are passed in.

pub mod account;
pub mod claim;
pub mod clock;
pub mod code;
pub mod country;
pub mod email;
pub mod energy;
pub mod flags;
pub mod key;
pub mod lang;
pub mod message;
pub mod partner;
pub mod password;
pub mod phone;
pub mod random;
pub mod sample;
pub mod serial;
pub mod series;
pub mod session;
pub mod site_time;

pub use account::{AccountId, Role};
pub use clock::Clock;
pub use country::Country;
pub use email::Email;
pub use key::Key;
pub use lang::Lang;
pub use message::Message;
pub use password::Password;
pub use phone::Phone;
pub use random::Random;
pub use sample::Sample;
pub use serial::Serial;
pub use series::Series;
pub use site_time::{SiteDay, Zone};
