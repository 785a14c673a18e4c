//! Alarms: what has to be wrong for how long before somebody is told, and when it counts as over.
//!
//! One fault is one alarm, however often its flag flaps and however many samples say so. What nobody knows, as while a battery
//! is offline, opens nothing and closes nothing. [docs/alarms.md] has the table.

mod evidence;
mod flow;
mod watch;

pub use evidence::{Evidence, Presence, UpdateEnd, Verdict};
pub use flow::{FLOWING, STANDS_FOR};
pub use watch::{Change, Open, Watch};

use crate::clock::{DAY, HOUR, MINUTE, Millis};
use crate::{Lang, Message, Zone, message};
use std::str::FromStr;

/// What an alarm is about, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The battery reports a fault of its own: cells, contact to a module, device.
    BatteryError,
    /// Grid and system protection has tripped and stays so.
    NaSchutz,
    Offline,
    /// A meter does not answer.
    MeterError,
    /// Energy flows and its counter stands still.
    CounterStopped,
    UpdateFailed,
    /// The battery has been at its lowest allowed charge for long.
    SocFloor,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::BatteryError,
        Self::NaSchutz,
        Self::Offline,
        Self::MeterError,
        Self::CounterStopped,
        Self::UpdateFailed,
        Self::SocFloor,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BatteryError => "battery_error",
            Self::NaSchutz => "na_schutz",
            Self::Offline => "offline",
            Self::MeterError => "meter_error",
            Self::CounterStopped => "counter_stopped",
            Self::UpdateFailed => "update_failed",
            Self::SocFloor => "soc_floor",
        }
    }

    /// How long it has to be wrong. A flag that comes and goes is wrong from its first time on, until it has stayed away for
    /// [`Self::closes_after`].
    pub const fn opens_after(self) -> Millis {
        match self {
            // Two reports, so that one garbled sample wakes nobody.
            Self::BatteryError => MINUTE,
            // A trip heals itself after 60 s without a fault of the grid.
            Self::NaSchutz => 3 * MINUTE,
            // A router that restarts takes five.
            Self::Offline => 15 * MINUTE,
            Self::MeterError => 5 * MINUTE,
            // Its rule has a time of its own.
            Self::CounterStopped => 0,
            Self::UpdateFailed => 0,
            // Every winter night has an empty battery; a day and a night without charging is worth a word.
            Self::SocFloor => DAY,
        }
    }

    /// How long it has to be right again, without a break.
    pub const fn closes_after(self) -> Millis {
        match self {
            Self::BatteryError | Self::Offline | Self::MeterError => 5 * MINUTE,
            Self::NaSchutz => 10 * MINUTE,
            Self::CounterStopped | Self::UpdateFailed => 0,
            Self::SocFloor => HOUR,
        }
    }

    /// What it is called.
    pub fn text(self, lang: Lang) -> &'static str {
        message::text(lang, "alarm", self.as_str())
    }

    /// What the household can do about it.
    pub fn next_step(self, lang: Lang) -> &'static str {
        message::text(lang, "alarm_next", self.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a kind of alarm")]
pub struct UnknownKind;

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        known.ok_or(UnknownKind)
    }
}

/// How somebody wants to hear of alarms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlarmMail {
    #[default]
    AtOnce,
    /// Once a day, at [`DIGEST_HOUR`].
    Digest,
    Never,
}

impl AlarmMail {
    pub const ALL: [Self; 3] = [Self::AtOnce, Self::Digest, Self::Never];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AtOnce => "at_once",
            Self::Digest => "digest",
            Self::Never => "never",
        }
    }
}

impl FromStr for AlarmMail {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        let known = Self::ALL.into_iter().find(|choice| choice.as_str() == text);
        known.ok_or(Message::ChoiceUnknown)
    }
}

/// Alarms of so long share a mail: an outage of a street is one.
pub const GATHER: Millis = MINUTE;
/// Nobody gets two mails about alarms within this time, whatever happens.
pub const PAUSE: Millis = 15 * MINUTE;
/// When a digest is written, by the clock of the site.
pub const DIGEST_HOUR: i8 = 7;
/// A closed alarm is shown for so long.
pub const SHOWN_FOR: Millis = 90 * DAY;

/// When somebody is told of news that have waited since then. `told_at` is when they got their last mail about alarms.
/// `None`: never, as they chose.
pub fn due_at(
    choice: AlarmMail,
    waiting_since: Millis,
    told_at: Option<Millis>,
    zone: &Zone,
) -> Option<Millis> {
    match choice {
        AlarmMail::Never => None,
        AlarmMail::AtOnce => {
            let gathered = waiting_since + GATHER;
            Some(told_at.map_or(gathered, |told| gathered.max(told + PAUSE)))
        }
        AlarmMail::Digest => {
            let day = zone.day_of(waiting_since);
            let morning = |day| zone.hour_of(day, DIGEST_HOUR);
            let days = [day, day.next()].into_iter();
            days.map(morning).find(|at| *at > waiting_since)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_every_choice_is_found_by_its_name() {
        for kind in Kind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        for choice in AlarmMail::ALL {
            assert_eq!(choice.as_str().parse(), Ok(choice));
        }
        assert!("fire".parse::<Kind>().is_err());
    }

    #[test]
    fn every_kind_has_its_words_in_every_language() {
        for (kind, lang) in Kind::ALL
            .into_iter()
            .flat_map(|kind| Lang::ALL.map(|lang| (kind, lang)))
        {
            assert!(!kind.text(lang).is_empty(), "{kind:?} {lang:?}");
            assert!(!kind.next_step(lang).is_empty(), "{kind:?} {lang:?}");
        }
    }

    #[test]
    fn at_once_gathers_for_a_minute_and_pauses_after_a_mail() {
        let zone = Zone::default();
        let due = |since, told| due_at(AlarmMail::AtOnce, since, told, &zone);
        assert_eq!(due(1_000, None), Some(1_000 + GATHER));
        assert_eq!(due(1_000, Some(500)), Some(500 + PAUSE));
        assert_eq!(due(PAUSE, Some(0)), Some(PAUSE + GATHER));
        assert_eq!(due_at(AlarmMail::Never, 0, None, &zone), None);
    }

    #[test]
    fn a_digest_waits_for_seven_in_the_morning_of_the_site() {
        let zone: Zone = "Europe/Berlin".parse().expect("a zone");
        // 15 November 2026, noon in Berlin.
        let noon = 1_794_740_400_000;
        let due = |at| due_at(AlarmMail::Digest, at, None, &zone);
        assert_eq!(due(noon), Some(noon + 19 * HOUR));
        let six = noon - 6 * HOUR;
        assert_eq!(due(six), Some(six + HOUR));
        assert_eq!(due(six + HOUR), Some(six + 25 * HOUR));
        // The clocks went back on 25 October: that night has an hour more.
        let evening = noon - 22 * DAY + 9 * HOUR;
        assert_eq!(due(evening), Some(evening + 10 * HOUR));
    }
}
