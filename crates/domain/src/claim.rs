//! A waiting claim: somebody gave a bare serial number, and the battery must confirm it by its main switch. A serial number
//! is an address and no secret, so that the switch has to be turned in a way that nobody turns it otherwise.
use crate::clock::{DAY, MINUTE, Millis, SECOND};
use serde_json::Value;
use std::ops::RangeInclusive;

/// How long the switch may take.
pub const CLAIM_LIFE: Millis = 30 * MINUTE;
/// While claims of the same unit contradict each other, and for so long afterwards, only a code links it. Claims that ended
/// longer ago are forgotten.
pub const CONTEST_LIFE: Millis = DAY;
/// For so long whoever comes with the code takes the place of an owner who came by switch.
pub const DISPLACEMENT_LIFE: Millis = 30 * DAY;

/// The pattern that claimants are shown: off for about five seconds, twice, within a minute. A new unit is switched on once;
/// during an update the switch is off for minutes and on for seconds.
const PATTERN_OFF: RangeInclusive<Millis> = 3 * SECOND..=10 * SECOND;
const PATTERN_LIFE: Millis = MINUTE;

/// How an owner came to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkedBy {
    /// The code from the box.
    Code,
    /// The main switch.
    Switch,
    /// The owner before handed it over.
    Handover,
}

impl LinkedBy {
    pub const ALL: [Self; 3] = [Self::Code, Self::Switch, Self::Handover];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Switch => "switch",
            Self::Handover => "handover",
        }
    }

    /// Whether an owner who came this way at `linked_at` gives way to whoever has the code.
    pub fn gives_way(self, linked_at: Millis, now: Millis) -> bool {
        self == Self::Switch && now - linked_at <= DISPLACEMENT_LIFE
    }
}

/// How long the pattern took, if the main switch was just turned that way. `args` is what the battery reports with
/// `switch_cycled`: for how many ms it was `off` lately, and `on` in between, the newest last.
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
    let in_pattern = PATTERN_OFF.contains(first) && PATTERN_OFF.contains(second);
    let longest = PATTERN_LIFE - first.saturating_add(*second);
    (in_pattern && (0..=longest).contains(between)).then(|| first + between + second)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimState {
    Waiting,
    Linked,
    /// The time ran out.
    Lapsed,
    /// Two accounts were waiting for the same switch, so nobody may have it; the printed code decides.
    Contested,
}

/// What can happen to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimEvent {
    /// The main switch was turned in the pattern between these two times, while others claimed the unit, too.
    PatternReported {
        from: Millis,
        until: Millis,
        rivals: usize,
    },
    /// Somebody looks at the claim at this time.
    Looked { at: Millis },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the claim has ended already")]
pub struct Refused;

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
            expires_at: now + CLAIM_LIFE,
        }
    }

    pub fn next(self, event: ClaimEvent) -> Result<Self, Refused> {
        if self.state != ClaimState::Waiting {
            return Err(Refused);
        }
        let state = match event {
            ClaimEvent::PatternReported { until: at, .. } | ClaimEvent::Looked { at }
                if at > self.expires_at =>
            {
                ClaimState::Lapsed
            }
            ClaimEvent::PatternReported { rivals, .. } if rivals > 0 => ClaimState::Contested,
            // A switch that was turned before the claim proves nothing.
            ClaimEvent::PatternReported { from, .. } if from < self.created_at => {
                ClaimState::Waiting
            }
            ClaimEvent::PatternReported { .. } => ClaimState::Linked,
            ClaimEvent::Looked { .. } => ClaimState::Waiting,
        };
        Ok(Self { state, ..self })
    }
}

impl ClaimState {
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Linked, Self::Lapsed, Self::Contested];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Linked => "linked",
            Self::Lapsed => "lapsed",
            Self::Contested => "contested",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClaimEvent::{Looked, PatternReported};
    use ClaimState::{Contested, Lapsed, Linked, Waiting};

    #[test]
    fn the_pattern_is_off_for_about_five_seconds_twice_within_a_minute() {
        for (args, want) in [
            (r#"{"off":[5000,5000],"on":[4000]}"#, Some(14_000)),
            (r#"{"off":[3000,10000],"on":[47000]}"#, Some(60_000)),
            (r#"{"off":[10000,3000],"on":[0]}"#, Some(13_000)),
            // What was before counts for nothing.
            (r#"{"off":[1000,5000,5000],"on":[900,4000]}"#, Some(14_000)),
            // A new unit is switched on, or off and on once.
            (r#"{"off":[],"on":[]}"#, None),
            (r#"{"off":[86400000],"on":[]}"#, None),
            (r#"{"off":[5000],"on":[]}"#, None),
            // Between the parts of an update it is on for 5 to 10 seconds, and off for minutes.
            (r#"{"off":[120000,180000],"on":[7000]}"#, None),
            (r#"{"off":[180000,5000],"on":[7000]}"#, None),
            (r#"{"off":[5000,180000],"on":[7000]}"#, None),
            // Too short, too long, too slow.
            (r#"{"off":[2999,5000],"on":[4000]}"#, None),
            (r#"{"off":[5000,10001],"on":[4000]}"#, None),
            (r#"{"off":[5000,5000],"on":[50001]}"#, None),
            // No report that makes sense.
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
    fn who_came_by_switch_gives_way_to_a_code_for_thirty_days() {
        for (by, at, want) in [
            (LinkedBy::Switch, 0, true),
            (LinkedBy::Switch, DISPLACEMENT_LIFE, true),
            (LinkedBy::Switch, DISPLACEMENT_LIFE + 1, false),
            (LinkedBy::Code, 0, false),
            (LinkedBy::Handover, 0, false),
        ] {
            assert_eq!(by.gives_way(0, at), want, "{by:?} after {at}");
        }
    }

    #[test]
    fn the_table_of_transitions() {
        let claim = Claim::begin(1_000);
        let end = 1_000 + CLAIM_LIFE;
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
            // Whoever joins in the middle of it contests it, too.
            (reported(999, 15_000, 1), Contested),
            (reported(end, end + 1, 1), Lapsed),
            (Looked { at: end }, Waiting),
            (Looked { at: end + 1 }, Lapsed),
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
            assert_eq!(ended.next(Looked { at: 0 }), Err(Refused));
            let reported = PatternReported {
                from: 0,
                until: 0,
                rivals: 0,
            };
            assert_eq!(ended.next(reported), Err(Refused));
        }
    }
}
