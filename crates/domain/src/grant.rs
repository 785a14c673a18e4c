//! Access to somebody else's system by the owner's consent: how far it reaches, how it begins and how it ends.

mod right;
mod state;

pub use right::{Level, Right};
pub use state::{GrantEvent, GrantState, Refused};

use crate::clock::{DAY, Millis};
use crate::{Message, Role, SiteDay, Zone};
use std::str::FromStr;

/// How long a grant lasts when nobody says how long.
pub const USUAL_DAYS: i32 = 90;
/// An owner should think about it again after a year.
pub const MOST_DAYS: i32 = 366;
/// What an installer code opens, for commissioning.
pub const CODE_DAYS: i32 = 30;
/// A request that nobody has answered is forgotten after so long, and so is one that was refused.
pub const REQUEST_LIFE: Millis = 14 * DAY;
/// How long the code in a household member's invitation works.
pub const MEMBER_CODE_LIFE: Millis = 30 * DAY;
/// A grant that has run out can be renewed for so long.
pub const RENEWABLE: Millis = 30 * DAY;
/// Both sides hear of its end so long before.
pub const REMIND_BEFORE: Millis = 7 * DAY;
/// How long the new owner may take to accept a system.
pub const HANDOVER_LIFE: Millis = 14 * DAY;

/// What a grant opens. An electrician's three build on each other; the other two are for people of the household.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Monitor,
    Configure,
    Service,
    /// Sees everything and changes nothing.
    Look,
    /// The owner's rights, without giving the system away.
    Owner,
}

impl Scope {
    pub const ALL: [Self; 5] = [
        Self::Monitor,
        Self::Configure,
        Self::Service,
        Self::Look,
        Self::Owner,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Monitor => "monitor",
            Self::Configure => "configure",
            Self::Service => "service",
            Self::Look => "look",
            Self::Owner => "owner",
        }
    }

    /// Who can hold it.
    pub const fn role(self) -> Role {
        match self {
            Self::Monitor | Self::Configure | Self::Service => Role::Electrician,
            Self::Look | Self::Owner => Role::User,
        }
    }

    /// What its holder may do.
    pub const fn level(self) -> Level {
        match self {
            Self::Monitor => Level::Monitor,
            Self::Configure => Level::Configure,
            Self::Service => Level::Service,
            Self::Look => Level::Look,
            Self::Owner => Level::Member,
        }
    }

    /// The last day of a grant that begins today, when nobody names one; people of the household stay.
    pub fn usual_end(self, today: SiteDay) -> Option<SiteDay> {
        (self.role() == Role::Electrician).then(|| today.plus(USUAL_DAYS))
    }
}

impl FromStr for Scope {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        if text.is_empty() {
            return Err(Message::Required);
        }
        let known = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        known.ok_or(Message::ChoiceUnknown)
    }
}

/// How a grant came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Invitation,
    Request,
    /// An installer code.
    Code,
}

impl Origin {
    pub const ALL: [Self; 3] = [Self::Invitation, Self::Request, Self::Code];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invitation => "invitation",
            Self::Request => "request",
            Self::Code => "code",
        }
    }
}

/// The last day of a grant as somebody writes it.
pub fn parse_last_day(text: &str, today: SiteDay) -> Result<SiteDay, Message> {
    let day: SiteDay = text.trim().parse().map_err(|_| Message::DateInvalid)?;
    match day {
        day if day < today => Err(Message::DatePast),
        day if day > today.plus(MOST_DAYS) => Err(Message::DateTooLate),
        day => Ok(day),
    }
}

/// The first moment after a last day.
pub fn end_of(zone: &Zone, last_day: SiteDay) -> Millis {
    zone.start_of(last_day.next())
}

/// The last day before a moment at which something ends.
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
    fn the_end_is_the_sites_midnight_also_when_the_clocks_change() {
        let zone: Zone = "Europe/Berlin".parse().unwrap();
        for day in ["2027-03-28", "2027-10-31", "2026-11-15"] {
            let day: SiteDay = day.parse().unwrap();
            assert_eq!(last_day(&zone, end_of(&zone, day)), day);
            assert_eq!(end_of(&zone, day), zone.start_of(day.next()));
        }
    }
}
