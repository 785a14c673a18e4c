//! Grants: access to another person's system with the owner's consent, with scope, start and end.

mod right;
mod state;

pub use right::{AccessLevel, Right};
pub use state::{GrantEvent, GrantState, InvalidGrantTransition};

use crate::clock::{DAY, Millis};
use crate::names::variants;
use crate::{Message, Role, SiteDay, Zone, has_address, one_line, without_links};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// How long a grant lasts by default.
pub const DEFAULT_GRANT_DAYS: i32 = 90;
/// The longest grant: an owner should decide again after a year.
pub const MAX_GRANT_DAYS: i32 = 366;
/// How long the grant of an installer code lasts, for commissioning.
pub const INSTALLER_GRANT_DAYS: i32 = 30;
/// How long a request is kept, whether it is unanswered or refused.
pub const GRANT_REQUEST_TTL: Millis = 14 * DAY;
/// How long before the end of a grant its holder is asked to renew it.
pub const RENEW_BEFORE: Millis = 14 * DAY;
/// How long the code in a household member's invitation is valid.
pub const MEMBER_CODE_TTL: Millis = 30 * DAY;
/// How long an expired grant can be renewed.
pub const RENEWABLE_FOR: Millis = 30 * DAY;
/// How long before the end of a grant both sides are reminded.
pub const REMIND_BEFORE: Millis = 7 * DAY;
/// Longest message with a request for access, in characters.
pub const MAX_REQUEST_MESSAGE: usize = 300;
/// The most systems in one request for access.
pub const MAX_REQUESTED_AT_ONCE: usize = 200;
/// How long the new owner may take to accept a system.
pub const HANDOVER_TTL: Millis = 14 * DAY;

/// What a grant allows. The electrician's three scopes build on each other; the other two are for household members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = Message, parse_err_fn = Message::invalid_choice)]
pub enum GrantScope {
    Monitor,
    Configure,
    Service,
    /// See everything, change nothing.
    Look,
    /// The owner's rights, except giving the system away.
    Owner,
}

impl GrantScope {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// The role of accounts that can hold it.
    pub const fn role(self) -> Role {
        match self {
            Self::Monitor | Self::Configure | Self::Service => Role::Electrician,
            Self::Look | Self::Owner => Role::User,
        }
    }

    pub const fn level(self) -> AccessLevel {
        match self {
            Self::Monitor => AccessLevel::Monitor,
            Self::Configure => AccessLevel::Configure,
            Self::Service => AccessLevel::Service,
            Self::Look => AccessLevel::Look,
            Self::Owner => AccessLevel::Member,
        }
    }

    /// Whether it allows more than another one for the same role.
    pub fn exceeds(self, other: Self) -> bool {
        self.role() == other.role() && self as u8 > other as u8
    }

    /// The default last day of a grant that begins today. Grants of household members do not end.
    pub fn default_end(self, today: SiteDay) -> Option<SiteDay> {
        (self.role() == Role::Electrician).then(|| today.plus(DEFAULT_GRANT_DAYS))
    }
}

/// How a grant was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum Origin {
    Invitation,
    Request,
    /// An installer code.
    Code,
}

impl Origin {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// Parses the last day of a grant.
pub fn parse_last_day(text: &str, today: SiteDay) -> Result<SiteDay, Message> {
    let day: SiteDay = text.trim().parse().map_err(|_| Message::DateInvalid)?;
    match day {
        day if day < today => Err(Message::DatePast),
        day if day > today.plus(MAX_GRANT_DAYS) => Err(Message::DateTooLate),
        day => Ok(day),
    }
}

/// Parses the message of a request for access, which the portal mails to the owner: one line, too short for a letter, and without
/// anything that a mail program turns into a link. `None` if it is empty.
pub fn parse_request_message(text: &str) -> Result<Option<String>, Message> {
    let text = one_line(text);
    if has_address(&text) {
        return Err(Message::NameHasAddress);
    }
    let text = without_links(&text);
    match text.chars().count() {
        0 => Ok(None),
        1..=MAX_REQUEST_MESSAGE => Ok(Some(text)),
        _ => Err(Message::TooLong),
    }
}

/// When a grant with this last day ends: the first moment of the next day.
pub fn end_of(zone: &Zone, last_day: SiteDay) -> Millis {
    zone.start_of(last_day.next())
}

/// The last day of a grant that ends at `until`.
pub fn last_day(zone: &Zone, until: Millis) -> SiteDay {
    zone.day_of(until - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_day_is_today_or_within_a_year() {
        let today: SiteDay = "2026-11-15".parse().unwrap();
        for (text, want) in [
            ("2026-11-15", Ok("2026-11-15")),
            (" 2027-11-16 ", Ok("2027-11-16")),
            ("2026-11-14", Err(Message::DatePast)),
            ("2027-11-17", Err(Message::DateTooLate)),
            ("15.11.2026", Err(Message::DateInvalid)),
        ] {
            let want = want.map(|day| day.parse().unwrap());
            assert_eq!(parse_last_day(text, today), want, "{text}");
        }
    }

    #[test]
    fn a_message_is_a_few_plain_words_on_one_line() {
        let long = "ä".repeat(MAX_REQUEST_MESSAGE);
        let some = |text: &str| Ok(Some(text.to_owned()));
        for (text, want) in [
            (" \n ", Ok(None)),
            (
                " Wir haben Ihre\r\nAnlage montiert.\u{202e} ",
                some("Wir haben Ihre Anlage montiert."),
            ),
            ("<b>Hallo</b> & 1 < 2", some("<b>Hallo</b> & 1 < 2")),
            ("evil.example/login", some("evil. example/login")),
            ("https://evil.example", Err(Message::NameHasAddress)),
            ("Bitte an x@evil.example", Err(Message::NameHasAddress)),
            (&long, some(&long)),
            (&format!("{long}ä"), Err(Message::TooLong)),
        ] {
            assert_eq!(parse_request_message(text), want, "{text}");
        }
    }

    #[test]
    fn the_end_is_the_sites_midnight_also_when_the_clocks_change() {
        let zone: Zone = "Europe/Berlin".parse().unwrap();
        for day in ["2027-03-28", "2027-10-31", "2026-11-15"] {
            let day: SiteDay = day.parse().unwrap();
            assert_eq!(last_day(&zone, end_of(&zone, day)), day);
            assert_eq!(end_of(&zone, day), zone.start_of(day.next()));
        }
    }
}
