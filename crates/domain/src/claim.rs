//! Claims: an account has entered a bare serial number, and the battery must confirm it by its main switch. A serial number is no
//! secret, so the switch must be turned in a pattern that does not occur otherwise.
use crate::clock::{DAY, MINUTE, Millis, SECOND};
use serde_json::Value;
use std::ops::RangeInclusive;
use strum::{EnumString, IntoStaticStr};

/// How long a claim waits for the switch.
pub const CLAIM_TTL: Millis = 30 * MINUTE;
/// While several accounts claim the same unit, and for this long afterwards, only a code links it. Claims that ended longer
/// ago are ignored.
pub const CONTEST_TTL: Millis = DAY;
/// For this long an account with the code from the box replaces an owner who was linked by the switch or by a customer code.
pub const CODE_TAKEOVER_WINDOW: Millis = 30 * DAY;

/// Claimants are asked to switch off for about five seconds, twice, within a minute. Other uses differ: a new unit is switched
/// on once; during an update the switch is off for minutes and on for seconds.
const PATTERN_OFF_DURATION: RangeInclusive<Millis> = 3 * SECOND..=10 * SECOND;
const MAX_PATTERN_DURATION: Millis = MINUTE;

/// How an owner got a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum LinkedBy {
    /// The code from the box.
    Code,
    /// The main switch.
    Switch,
    /// The previous owner handed it over.
    Handover,
    /// The electrician who commissioned it issued a code for the customer.
    CustomerCode,
}

impl LinkedBy {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// Whether an owner who was linked this way at `linked_at` is replaced by an account with the code from the box.
    pub fn gives_way(self, linked_at: Millis, now: Millis) -> bool {
        matches!(self, Self::Switch | Self::CustomerCode) && now - linked_at <= CODE_TAKEOVER_WINDOW
    }
}

/// Whether a person with the code displaces the owner of a system that was linked `by` this way `at` this time.
pub fn yields_to_code(by: Option<LinkedBy>, at: Option<Millis>, now: Millis) -> bool {
    by.zip(at).is_some_and(|(by, at)| by.gives_way(at, now))
}

/// How long the pattern took, if the main switch was just turned in the pattern. `args` come from the battery's event
/// `switch_cycled`: how many ms the switch was recently `off`, and `on` in between, newest last.
pub fn pattern_duration(args: Option<&str>) -> Option<Millis> {
    let args: Value = serde_json::from_str(args?).ok()?;
    let lengths = |name: &str| -> Option<Vec<Millis>> {
        let lengths = args[name].as_array()?;
        lengths.iter().map(Value::as_i64).collect()
    };
    let (off, on) = (lengths("off")?, lengths("on")?);
    let ([.., first, second], [.., between]) = (off.as_slice(), on.as_slice()) else {
        return None;
    };
    let in_pattern = PATTERN_OFF_DURATION.contains(first) && PATTERN_OFF_DURATION.contains(second);
    let longest = MAX_PATTERN_DURATION - first.saturating_add(*second);
    (in_pattern && (0..=longest).contains(between)).then(|| first + between + second)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum ClaimState {
    Waiting,
    Linked,
    /// It expired.
    Lapsed,
    /// Two accounts were waiting for the same switch, so neither is linked; the printed code decides.
    Contested,
}

/// What can happen to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimEvent {
    /// The main switch was turned in the pattern between these two times, while `rivals` other claims of the unit were waiting.
    PatternReported {
        from: Millis,
        until: Millis,
        rivals: usize,
    },
    /// The claim's state is queried at this time.
    Polled { at: Millis },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the claim has already ended")]
pub struct ClaimEnded;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub state: ClaimState,
    pub created_at: Millis,
    pub expires_at: Millis,
}

impl Claim {
    pub fn begin(now: Millis) -> Self {
        Self {
            state: ClaimState::Waiting,
            created_at: now,
            expires_at: now + CLAIM_TTL,
        }
    }

    pub fn next(self, event: ClaimEvent) -> Result<Self, ClaimEnded> {
        if self.state != ClaimState::Waiting {
            return Err(ClaimEnded);
        }
        let state = match event {
            ClaimEvent::PatternReported { until: at, .. } | ClaimEvent::Polled { at }
                if at > self.expires_at =>
            {
                ClaimState::Lapsed
            }
            ClaimEvent::PatternReported { rivals, .. } if rivals > 0 => ClaimState::Contested,
            // A pattern that began before the claim proves nothing.
            ClaimEvent::PatternReported { from, .. } if from < self.created_at => {
                ClaimState::Waiting
            }
            ClaimEvent::PatternReported { .. } => ClaimState::Linked,
            ClaimEvent::Polled { .. } => ClaimState::Waiting,
        };
        Ok(Self { state, ..self })
    }
}

impl ClaimState {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClaimEvent::{PatternReported, Polled};
    use ClaimState::{Contested, Lapsed, Linked, Waiting};

    #[test]
    fn the_pattern_is_off_for_about_five_seconds_twice_within_a_minute() {
        for (args, want) in [
            (r#"{"off":[5000,5000],"on":[4000]}"#, Some(14_000)),
            (r#"{"off":[3000,10000],"on":[47000]}"#, Some(60_000)),
            (r#"{"off":[10000,3000],"on":[0]}"#, Some(13_000)),
            // Earlier switching is ignored.
            (r#"{"off":[1000,5000,5000],"on":[900,4000]}"#, Some(14_000)),
            // A new unit is switched on, or off and on once.
            (r#"{"off":[],"on":[]}"#, None),
            (r#"{"off":[86400000],"on":[]}"#, None),
            (r#"{"off":[5000],"on":[]}"#, None),
            // Between the parts of an update the switch is on for 5 to 10 seconds, and off for minutes.
            (r#"{"off":[120000,180000],"on":[7000]}"#, None),
            (r#"{"off":[180000,5000],"on":[7000]}"#, None),
            (r#"{"off":[5000,180000],"on":[7000]}"#, None),
            // Too short, too long, too slow.
            (r#"{"off":[2999,5000],"on":[4000]}"#, None),
            (r#"{"off":[5000,10001],"on":[4000]}"#, None),
            (r#"{"off":[5000,5000],"on":[50001]}"#, None),
            // Malformed reports.
            (r#"{"off":[5000,5000]}"#, None),
            (r#"{"off":[5000,5000],"on":[]}"#, None),
            (r#"{"off":[5000,5000],"on":[-9000]}"#, None),
            (r#"{"off":["5000",5000],"on":[4000]}"#, None),
            (r#"{"off":2,"on":1}"#, None),
            (r#"{"off":[5000,9223372036854775807],"on":[1]}"#, None),
            ("[]", None),
            ("off", None),
        ] {
            assert_eq!(pattern_duration(Some(args)), want, "{args}");
        }
        assert_eq!(pattern_duration(None), None);
    }

    #[test]
    fn who_came_by_switch_or_customer_code_gives_way_to_the_code_from_the_box_for_thirty_days() {
        for (by, at, want) in [
            (LinkedBy::Switch, 0, true),
            (LinkedBy::Switch, CODE_TAKEOVER_WINDOW, true),
            (LinkedBy::Switch, CODE_TAKEOVER_WINDOW + 1, false),
            (LinkedBy::CustomerCode, CODE_TAKEOVER_WINDOW, true),
            (LinkedBy::CustomerCode, CODE_TAKEOVER_WINDOW + 1, false),
            (LinkedBy::Code, 0, false),
            (LinkedBy::Handover, 0, false),
        ] {
            assert_eq!(by.gives_way(0, at), want, "{by:?} after {at}");
        }
    }

    #[test]
    fn the_table_of_transitions() {
        let claim = Claim::begin(1_000);
        let end = 1_000 + CLAIM_TTL;
        let reported = |from, until, rivals| PatternReported {
            from,
            until,
            rivals,
        };
        for (event, want) in [
            (reported(999, 15_000, 0), Waiting),
            (reported(1_000, 15_000, 0), Linked),
            (reported(end - 14_000, end, 0), Linked),
            (reported(end - 14_000, end + 1, 0), Lapsed),
            (reported(2_000, 16_000, 1), Contested),
            // A claim that begins during the pattern is contested, too.
            (reported(999, 15_000, 1), Contested),
            (reported(end, end + 1, 1), Lapsed),
            (Polled { at: end }, Waiting),
            (Polled { at: end + 1 }, Lapsed),
        ] {
            assert_eq!(claim.next(event).unwrap().state, want, "{event:?}");
        }
    }

    #[test]
    fn an_ended_claim_takes_no_further_event() {
        for state in [Linked, Lapsed, Contested] {
            let ended = Claim {
                state,
                ..Claim::begin(0)
            };
            assert_eq!(ended.next(Polled { at: 0 }), Err(ClaimEnded));
            let reported = PatternReported {
                from: 0,
                until: 0,
                rivals: 0,
            };
            assert_eq!(ended.next(reported), Err(ClaimEnded));
        }
    }
}
