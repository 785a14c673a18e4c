//! Validation of price responses.
use domain::clock::{HOUR, Millis};
use domain::source::{PriceSlot, QUARTER, SourceError, SpotPrice};

/// Eight days of quarter-hours; no request covers more.
const MAX_SLOTS: usize = 8 * 96;

/// Sorted, without duplicates or overlaps.
pub(crate) fn validate(mut slots: Vec<PriceSlot>) -> Result<Vec<PriceSlot>, SourceError> {
    if slots.is_empty() {
        return Err(SourceError::Empty);
    }
    slots.sort_by_key(|slot| slot.start);
    // Equal duplicates are merged. Duplicates with different prices overlap and are rejected below.
    slots.dedup();
    let sound = |slot: &PriceSlot| {
        let long = slot.end - slot.start;
        slot.start % QUARTER == 0 && long % QUARTER == 0 && (QUARTER..=HOUR).contains(&long)
    };
    let apart = slots.windows(2).all(|pair| pair[0].end <= pair[1].start);
    match slots.len() <= MAX_SLOTS && apart && slots.iter().all(sound) {
        true => Ok(slots),
        false => Err(SourceError::Unreadable),
    }
}

/// For services that give only the start of each slot: every slot lasts as long as the shortest step between two starts. Gaps
/// stay gaps, whether the price or the whole start is missing.
pub(crate) fn from_starts(mut starts: Vec<(Millis, Option<SpotPrice>)>) -> Vec<PriceSlot> {
    starts.sort_by_key(|(start, _)| *start);
    starts.dedup();
    let steps = starts.windows(2).map(|pair| pair[1].0 - pair[0].0);
    let step = steps.min().unwrap_or(HOUR).min(HOUR);
    let slot = |(start, price): &(Millis, Option<SpotPrice>)| {
        Some(PriceSlot {
            start: *start,
            end: start + step,
            price: (*price)?,
        })
    };
    starts.iter().filter_map(slot).collect()
}

/// `2026-11-16T00:00:00.000+01:00` and other forms of RFC 3339.
pub(crate) fn parse_timestamp(text: &str) -> Result<Millis, SourceError> {
    let parsed: Result<jiff::Timestamp, _> = text.trim().parse();
    let at = parsed.map_err(|_| SourceError::Unreadable)?;
    Ok(at.as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(thousandths: i64) -> SpotPrice {
        SpotPrice::from_thousandths(thousandths).unwrap()
    }

    #[test]
    fn the_shortest_step_is_how_long_a_slot_lasts_and_gaps_stay() {
        let starts = vec![
            (2 * HOUR, Some(price(3))),
            (0, Some(price(1))),
            (QUARTER, None),
            (3 * QUARTER, Some(price(2))),
            (3 * QUARTER, Some(price(2))),
        ];
        let slots = validate(from_starts(starts)).unwrap();
        let ends: Vec<_> = slots.iter().map(|slot| (slot.start, slot.end)).collect();
        let want = [
            (0, QUARTER),
            (3 * QUARTER, HOUR),
            (2 * HOUR, 2 * HOUR + QUARTER),
        ];
        assert_eq!(ends, want);
    }

    #[test]
    fn what_contradicts_itself_or_is_no_quarter_hour_is_not_believed() {
        let slot = |start, end, value| PriceSlot {
            start,
            end,
            price: price(value),
        };
        let wrong = |slots: &[PriceSlot]| validate(slots.to_vec()).unwrap_err();
        assert_eq!(wrong(&[]), SourceError::Empty);
        for slots in [
            vec![slot(0, HOUR, 1), slot(0, HOUR, 2)],
            vec![slot(0, HOUR, 1), slot(QUARTER, 2 * QUARTER, 1)],
            vec![slot(1, HOUR + 1, 1)],
            vec![slot(0, 2 * HOUR, 1)],
            vec![slot(HOUR, 0, 1)],
        ] {
            assert_eq!(wrong(&slots), SourceError::Unreadable, "{slots:?}");
        }
    }

    #[test]
    fn moments_are_read_with_and_without_seconds() {
        let noon = 1_794_831_300_000;
        for text in [
            "2026-11-16T12:15:00Z",
            "2026-11-16T12:15Z",
            "2026-11-16T13:15:00.000+01:00",
            "2026-11-16T12:15:00+00:00",
        ] {
            assert_eq!(parse_timestamp(text), Ok(noon), "{text}");
        }
        assert!(parse_timestamp("2026-11-16 12:15:00").is_err());
    }
}
