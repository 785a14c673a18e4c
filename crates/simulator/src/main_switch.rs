//! The main switch: its recent turns, which the battery reports with `switch_cycled`, and the pattern that completes a claim.
use crate::device_event::EventArgs;
use domain::clock::Millis;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// Off for about five seconds, twice, within a minute. Slightly quicker, to keep the wait short.
const PATTERN: [(Duration, bool); 4] = [
    (Duration::ZERO, false),
    (Duration::from_millis(3_600), true),
    (Duration::from_millis(4_800), false),
    (Duration::from_millis(8_400), true),
];
/// How many turns it remembers: off, on, off, on.
const MAX_TURNS: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct MainSwitch {
    /// On or off, and when; newest last.
    turns: VecDeque<(bool, Millis)>,
    /// The remaining turns of a pattern.
    plan: VecDeque<(Instant, bool)>,
}

impl MainSwitch {
    pub(crate) fn begin_pattern(&mut self, now: Instant) {
        self.plan = PATTERN.map(|(after, on)| (now + after, on)).into();
    }

    /// Another use of the switch cancels the pattern.
    pub(crate) fn end_pattern(&mut self) {
        self.plan.clear();
    }

    pub(crate) fn next_turn(&self) -> Option<Instant> {
        self.plan.front().map(|(at, _)| *at)
    }

    pub(crate) fn take_due(&mut self, now: Instant) -> Option<bool> {
        self.next_turn().filter(|at| *at <= now)?;
        self.plan.pop_front().map(|(_, on)| on)
    }

    pub(crate) fn turned(&mut self, on: bool, at: Millis) {
        self.turns.push_back((on, at));
        if self.turns.len() > MAX_TURNS {
            self.turns.pop_front();
        }
    }

    /// How long it was off recently, and on in between.
    pub(crate) fn report(&self) -> EventArgs {
        let turns: Vec<_> = self.turns.iter().copied().collect();
        let (off, on) = match turns.as_slice() {
            [(false, a), (true, b), (false, c), (true, d)] => {
                ([Some(b - a), Some(d - c)], Some(c - b))
            }
            [.., (false, c), (true, d)] => ([None, Some(d - c)], None),
            _ => ([None, None], None),
        };
        EventArgs::Switch { off, on }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::claim::pattern_duration;

    fn reported(turns: &[(bool, Millis)]) -> String {
        let mut switch = MainSwitch::default();
        for (on, at) in turns {
            switch.turned(*on, *at);
        }
        switch.report().json()
    }

    #[test]
    fn it_reports_how_long_it_was_off_and_on_in_between() {
        for (turns, want) in [
            (&[(true, 5)][..], r#"{"off":[],"on":[]}"#),
            (&[(false, 100), (true, 350)], r#"{"off":[250],"on":[]}"#),
            (
                &[(false, 0), (true, 10), (false, 30), (true, 70)],
                r#"{"off":[10,40],"on":[20]}"#,
            ),
            (
                &[(true, 0), (true, 10), (false, 30), (true, 70)],
                r#"{"off":[40],"on":[]}"#,
            ),
        ] {
            assert_eq!(reported(turns), want, "{turns:?}");
        }
    }

    #[test]
    fn what_it_does_by_itself_is_the_pattern_of_a_claim() {
        let mut switch = MainSwitch::default();
        let begun = Instant::now();
        switch.begin_pattern(begun);
        while let Some(at) = switch.next_turn() {
            let on = switch.take_due(at).unwrap();
            let after = at.duration_since(begun).as_millis();
            switch.turned(on, i64::try_from(after).unwrap());
        }
        assert!(pattern_duration(Some(&switch.report().json())).is_some());
    }
}
