//! Limits how often a system's samples may begin a new range of sequence numbers: each is a row in `message_ranges`. Honest batteries
//! begin one at each start, and after a message that is no sample. A broken or hostile one may begin one with each sample.
use domain::Serial;
use domain::clock::{DAY, Millis};
use domain::sample::MessageId;
use std::collections::{HashMap, HashSet};

/// In a day, for each system and process. Samples that would begin more are dropped.
const MAX_NEW_RANGES_PER_DAY: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct NewRanges {
    /// The day that is counted, of UTC.
    day: Millis,
    begun: HashMap<Serial, usize>,
}

impl NewRanges {
    /// Counts one. `false` if the system has begun too many today.
    pub(crate) fn begin(&mut self, sn: &Serial, now: Millis) -> bool {
        let today = now.div_euclid(DAY);
        if self.day != today {
            self.day = today;
            self.begun.clear();
        }
        let begun = self.begun.entry(sn.clone()).or_default();
        *begun += 1;
        if *begun == MAX_NEW_RANGES_PER_DAY + 1 {
            tracing::warn!(%sn, "too_many_message_ranges: this battery's boots or sequence numbers jump; samples are dropped until tomorrow");
        }
        let is_allowed = *begun <= MAX_NEW_RANGES_PER_DAY;
        if !is_allowed {
            metrics::counter!("telemetry_samples_dropped_total").increment(1);
        }
        is_allowed
    }
}

/// Whether no neighbour of this message is in the same commit.
pub(crate) fn has_no_neighbour(
    seen: &HashSet<(&Serial, MessageId)>,
    sn: &Serial,
    id: MessageId,
) -> bool {
    let neighbours = [id.seq.checked_sub(1), id.seq.checked_add(1)];
    let mut neighbours = neighbours.into_iter().flatten();
    !neighbours.any(|seq| seen.contains(&(sn, MessageId { seq, ..id })))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_system_begins_so_many_a_day_and_the_others_theirs() {
        let (one, two): (Serial, Serial) =
            ("SC000001".parse().unwrap(), "SC000002".parse().unwrap());
        let mut ranges = NewRanges::default();
        assert!((0..MAX_NEW_RANGES_PER_DAY).all(|_| ranges.begin(&one, DAY)));
        assert!(!ranges.begin(&one, 2 * DAY - 1));
        assert!(ranges.begin(&two, 2 * DAY - 1));
        assert!(ranges.begin(&one, 2 * DAY));
    }
}
