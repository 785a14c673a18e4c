//! Alarms: which faults open one after how long, and when it closes.
//!
//! One fault is one alarm, however often its flag flaps and however many samples show it. An unknown state, such as while a
//! battery is offline, opens nothing and closes nothing. docs/alarms.md has the table.

mod comment;
mod counter_monitor;
mod evidence;
mod monitor;

pub use comment::{CommentText, MAX_COMMENTS};
pub use counter_monitor::{COUNTER_STOPPED_AFTER, MIN_FLOW_W};
pub use evidence::{BatteryPresence, Diagnosis, Evidence, UpdateOutcome};
pub use monitor::{ActiveAlarm, AlarmChange, AlarmMonitor};

use crate::clock::{DAY, HOUR, MINUTE, Millis};
use crate::names::{unknown, variants};
use crate::{Lang, Message, Zone, message};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// What an alarm is about, most severe first.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = UnknownAlarmKind, parse_err_fn = unknown)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AlarmKind {
    /// The battery reports an internal fault: cells, contact to a module, device.
    BatteryError,
    /// Grid and system protection has tripped and stays tripped.
    NaSchutz,
    Offline,
    /// A meter does not answer.
    MeterError,
    /// Energy flows but its counter does not move.
    CounterStopped,
    UpdateFailed,
    /// The battery has been at its lowest allowed state of charge for long.
    SocFloor,
}

impl AlarmKind {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// How long the fault must last. A flapping flag counts from its first appearance until it has been absent for
    /// [`Self::closes_after`].
    pub const fn opens_after(self) -> Millis {
        match self {
            // Two reports: one garbled sample opens nothing.
            Self::BatteryError => MINUTE,
            // A trip resets itself after 60 s without a grid fault.
            Self::NaSchutz => 3 * MINUTE,
            // A router restart takes five minutes.
            Self::Offline => 15 * MINUTE,
            Self::MeterError => 5 * MINUTE,
            // `COUNTER_STOPPED_AFTER` has already passed.
            Self::CounterStopped => 0,
            Self::UpdateFailed => 0,
            // The battery is empty every winter night; a day and a night without charging is unusual.
            Self::SocFloor => DAY,
        }
    }

    /// How long the fault must be absent without a break.
    pub const fn closes_after(self) -> Millis {
        match self {
            Self::BatteryError | Self::Offline | Self::MeterError => 5 * MINUTE,
            Self::NaSchutz => 10 * MINUTE,
            Self::CounterStopped | Self::UpdateFailed => 0,
            Self::SocFloor => HOUR,
        }
    }

    pub fn text(self, lang: Lang) -> &'static str {
        message::text(lang, "alarm", self.as_str())
    }

    /// What the household can do about it.
    pub fn next_step(self, lang: Lang) -> &'static str {
        message::text(lang, "alarm_next", self.as_str())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("unknown alarm kind")]
pub struct UnknownAlarmKind;

/// When an account wants mails about alarms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = Message, parse_err_fn = Message::unknown_choice)]
pub enum AlarmMail {
    #[default]
    AtOnce,
    /// Once a day, at [`DIGEST_HOUR`].
    Digest,
    Never,
}

impl AlarmMail {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// Alarms within this time share a mail: a power cut in a whole street is one mail.
pub const GATHER_WINDOW: Millis = MINUTE;
/// The shortest time between two alarm mails to one account, whatever happens.
pub const MIN_MAIL_INTERVAL: Millis = 15 * MINUTE;
/// The hour at which a digest is written, local time of the site.
pub const DIGEST_HOUR: i8 = 7;
/// How long a closed alarm is shown.
pub const CLOSED_ALARM_SHOWN_FOR: Millis = 90 * DAY;

/// When the next alarm mail to an account is due. `waiting_since` is the time of the oldest change that was not mailed yet,
/// `last_mail_at` that of the account's last alarm mail. `None` if the account wants no mails.
pub fn mail_due_at(
    choice: AlarmMail,
    waiting_since: Millis,
    last_mail_at: Option<Millis>,
    zone: &Zone,
) -> Option<Millis> {
    match choice {
        AlarmMail::Never => None,
        AlarmMail::AtOnce => {
            let gathered = waiting_since + GATHER_WINDOW;
            Some(last_mail_at.map_or(gathered, |last| gathered.max(last + MIN_MAIL_INTERVAL)))
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
        for kind in AlarmKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        for choice in AlarmMail::ALL {
            assert_eq!(choice.as_str().parse(), Ok(choice));
        }
        assert!("fire".parse::<AlarmKind>().is_err());
    }

    #[test]
    fn every_kind_has_its_words_in_every_language() {
        for (kind, lang) in AlarmKind::ALL
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
        let due = |since, told| mail_due_at(AlarmMail::AtOnce, since, told, &zone);
        assert_eq!(due(1_000, None), Some(1_000 + GATHER_WINDOW));
        assert_eq!(due(1_000, Some(500)), Some(500 + MIN_MAIL_INTERVAL));
        assert_eq!(
            due(MIN_MAIL_INTERVAL, Some(0)),
            Some(MIN_MAIL_INTERVAL + GATHER_WINDOW)
        );
        assert_eq!(mail_due_at(AlarmMail::Never, 0, None, &zone), None);
    }

    #[test]
    fn a_digest_waits_for_seven_in_the_morning_of_the_site() {
        let zone: Zone = "Europe/Berlin".parse().expect("a zone");
        // 15 November 2026, noon in Berlin.
        let noon = 1_794_740_400_000;
        let due = |at| mail_due_at(AlarmMail::Digest, at, None, &zone);
        assert_eq!(due(noon), Some(noon + 19 * HOUR));
        let six = noon - 6 * HOUR;
        assert_eq!(due(six), Some(six + HOUR));
        assert_eq!(due(six + HOUR), Some(six + 25 * HOUR));
        // The clocks went back on 25 October: that night is an hour longer.
        let evening = noon - 22 * DAY + 9 * HOUR;
        assert_eq!(due(evening), Some(evening + 10 * HOUR));
    }
}
