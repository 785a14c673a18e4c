//! Which messages have left the log for chunks or sealed days: a few ranges of sequence numbers per boot. A message in a range is
//! a repeat, wherever and whenever it arrives.
use db::{FromRow, Result, Tx};
use domain::Serial;
use domain::sample::MessageId;
use std::collections::{BTreeMap, BTreeSet};

/// Ranges that are kept of a boot. A battery leaves a gap with each message that is no sample, for as long as it runs: beyond this, the
/// smallest gaps are closed, the oldest first, and their numbers count as stored. So a gap that back-fill may still fill stays:
/// after an outage it is long, and a message under way is among the newest.
const MAX_RANGES_PER_BOOT: usize = 500;
/// Gaps that are closed at a time.
const CLOSED_AT_ONCE: usize = 125;
/// Ranges that are kept of a system. Beyond this its lowest boots are forgotten: an honest battery never repeats what it sent
/// hundreds of starts ago.
const MAX_RANGES_PER_SYSTEM: i64 = 10_000;

/// Sequence numbers as ranges that neither touch nor overlap, in order, and as many as are kept of a boot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SeqRanges(Vec<(u32, u32)>);

impl SeqRanges {
    pub(crate) fn contains(&self, seq: u32) -> bool {
        let after = self.0.partition_point(|range| range.0 <= seq);
        after > 0 && self.0[after - 1].1 >= seq
    }

    /// Returns whether it was new.
    pub(crate) fn insert(&mut self, seq: u32) -> bool {
        let after = self.0.partition_point(|range| range.0 <= seq);
        if after > 0 && self.0[after - 1].1 >= seq {
            return false;
        }
        let joins_before = after > 0 && self.0[after - 1].1.checked_add(1) == Some(seq);
        let joins_after = after < self.0.len() && seq.checked_add(1) == Some(self.0[after].0);
        match (joins_before, joins_after) {
            (true, true) => {
                self.0[after - 1].1 = self.0[after].1;
                self.0.remove(after);
            }
            (true, false) => self.0[after - 1].1 = seq,
            (false, true) => self.0[after].0 = seq,
            (false, false) => self.0.insert(after, (seq, seq)),
        }
        if self.0.len() > MAX_RANGES_PER_BOOT {
            self.close_gaps(self.0.len() - MAX_RANGES_PER_BOOT + CLOSED_AT_ONCE);
        }
        true
    }

    /// Whether a number would join a range.
    pub(crate) fn is_beside(&self, seq: u32) -> bool {
        let neighbours = [seq.checked_sub(1), seq.checked_add(1)];
        neighbours
            .into_iter()
            .flatten()
            .any(|seq| self.contains(seq))
    }

    /// Closes the smallest gaps, of equal ones the oldest.
    fn close_gaps(&mut self, count: usize) {
        let pairs = self.0.windows(2).enumerate();
        let mut gaps: Vec<(u32, usize)> = pairs
            .map(|(index, pair)| (pair[1].0 - pair[0].1, index + 1))
            .collect();
        gaps.sort_unstable();
        gaps.truncate(count);
        let closed: BTreeSet<usize> = gaps.into_iter().map(|(_, index)| index).collect();
        let mut kept: Vec<(u32, u32)> = Vec::with_capacity(self.0.len() - closed.len());
        for (index, range) in self.0.iter().enumerate() {
            match kept.last_mut() {
                Some(before) if closed.contains(&index) => before.1 = range.1,
                _ => kept.push(*range),
            }
        }
        self.0 = kept;
    }

    /// Appends a range that begins after all others.
    fn push(&mut self, first: u32, last: u32) {
        match self.0.last_mut() {
            Some(end) if first <= end.1.saturating_add(1) => end.1 = end.1.max(last),
            _ => self.0.push((first, last)),
        }
    }
}

#[derive(Debug, FromRow)]
struct Row {
    first_seq: i64,
    last_seq: i64,
}

#[derive(Debug, FromRow)]
struct SystemRow {
    sn: String,
    boot: i64,
    first_seq: i64,
    last_seq: i64,
}

/// The recorded messages of one boot of a system.
pub(crate) async fn read(tx: &mut Tx, sn: &Serial, boot: i64) -> Result<SeqRanges> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(
        "SELECT first_seq, last_seq FROM message_ranges WHERE sn = $1 AND boot = $2 ORDER BY first_seq")
        .bind(sn.as_str()).bind(boot).fetch_all(c).await)?;
    let mut ranges = SeqRanges::default();
    for row in rows {
        ranges.push(seq(row.first_seq), seq(row.last_seq));
    }
    Ok(ranges)
}

/// The recorded messages of several boots, each of one system; boots without any are left out.
pub(crate) async fn read_all(
    tx: &mut Tx,
    boots: &[(&Serial, i64)],
) -> Result<Vec<(String, i64, SeqRanges)>> {
    /// Two parameters each; SQLite allows 32,766.
    const MAX_BOOTS_PER_QUERY: usize = 1_000;
    let mut found: BTreeMap<(String, i64), SeqRanges> = BTreeMap::new();
    for boots in boots.chunks(MAX_BOOTS_PER_QUERY) {
        let values: Vec<String> = (0..boots.len())
            .map(|n| format!("(${}, CAST(${} AS BIGINT))", 2 * n + 1, 2 * n + 2))
            .collect();
        let sql = format!(
            "SELECT r.sn, r.boot, r.first_seq, r.last_seq FROM message_ranges r
             WHERE (r.sn, r.boot) IN (VALUES {}) ORDER BY r.first_seq",
            values.join(", ")
        );
        let rows: Vec<SystemRow> = within!(&mut *tx, c => {
            let mut query = sqlx::query_as(sqlx::AssertSqlSafe(sql));
            for (sn, boot) in boots {
                query = query.bind(sn.as_str()).bind(*boot);
            }
            query.fetch_all(c).await
        })?;
        for row in rows {
            let ranges = found.entry((row.sn, row.boot)).or_default();
            ranges.push(seq(row.first_seq), seq(row.last_seq));
        }
    }
    let found = found.into_iter();
    Ok(found
        .map(|((sn, boot), ranges)| (sn, boot, ranges))
        .collect())
}

fn seq(stored: i64) -> u32 {
    u32::try_from(stored.max(0)).unwrap_or(u32::MAX)
}

/// Records messages that have left the log. Returns for each whether it was new.
pub(crate) async fn record(
    tx: &mut Tx,
    sn: &Serial,
    ids: impl Iterator<Item = MessageId>,
) -> Result<Vec<bool>> {
    let ids: Vec<MessageId> = ids.collect();
    let boots: BTreeSet<i64> = ids.iter().map(|id| id.stored_boot()).collect();
    let mut is_new = vec![false; ids.len()];
    let mut has_more = false;
    for boot in boots {
        let before = read(tx, sn, boot).await?;
        let mut after = before.clone();
        for (id, is_new) in ids.iter().zip(&mut is_new) {
            if id.stored_boot() == boot {
                *is_new = after.insert(id.seq);
            }
        }
        has_more |= after.0.len() > before.0.len();
        write(tx, sn, boot, &before, &after).await?;
    }
    if has_more {
        forget_lowest_boots(tx, sn).await?;
    }
    Ok(is_new)
}

async fn forget_lowest_boots(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "DELETE FROM message_ranges WHERE sn = $1 AND boot < (SELECT boot FROM message_ranges WHERE sn = $1
             ORDER BY boot DESC, first_seq DESC LIMIT 1 OFFSET $2)"
        )
        .bind(sn.as_str())
        .bind(MAX_RANGES_PER_SYSTEM)
    )?;
    Ok(())
}

/// Writes the ranges that have changed. Ranges only grow and join, so a missing one has become part of another.
async fn write(
    tx: &mut Tx,
    sn: &Serial,
    boot: i64,
    before: &SeqRanges,
    after: &SeqRanges,
) -> Result<()> {
    let begins = |first: u32| {
        after
            .0
            .binary_search_by_key(&first, |range| range.0)
            .is_ok()
    };
    for (first, _) in before.0.iter().filter(|(first, _)| !begins(*first)) {
        execute!(
            &mut *tx,
            sqlx::query(
                "DELETE FROM message_ranges WHERE sn = $1 AND boot = $2 AND first_seq = $3"
            )
            .bind(sn.as_str())
            .bind(boot)
            .bind(i64::from(*first))
        )?;
    }
    let is_known = |range: &(u32, u32)| before.0.binary_search(range).is_ok();
    for (first, last) in after.0.iter().filter(|range| !is_known(range)) {
        execute!(
            &mut *tx,
            sqlx::query(
                "INSERT INTO message_ranges (sn, boot, first_seq, last_seq) VALUES ($1, $2, $3, $4)
             ON CONFLICT (sn, boot, first_seq) DO UPDATE SET last_seq = excluded.last_seq"
            )
            .bind(sn.as_str())
            .bind(boot)
            .bind(i64::from(*first))
            .bind(i64::from(*last))
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn ranges_that_touch_become_one() {
        let mut ranges = SeqRanges::default();
        for (first, last) in [(1, 2), (3, 3), (5, 5), (7, 9), (8, 12)] {
            ranges.push(first, last);
        }
        assert_eq!(ranges.0, [(1, 3), (5, 5), (7, 12)]);
        assert!(ranges.insert(6));
        assert_eq!(ranges.0, [(1, 3), (5, 12)]);
        assert!(!ranges.insert(12));
    }

    #[test]
    fn a_boot_with_many_gaps_keeps_the_long_and_the_newest_ones() {
        let mut ranges = SeqRanges::default();
        // The outage from 10 to 1,000 is not filled yet; then every second message is no sample.
        (1..10).for_each(|seq| assert!(ranges.insert(seq)));
        for seq in (1_000..200_000).step_by(2) {
            assert!(ranges.insert(seq));
            assert!(ranges.0.len() <= MAX_RANGES_PER_BOOT);
        }
        assert!((10..1_000).all(|seq| !ranges.contains(seq)));
        assert!(ranges.contains(1_001), "an old gap counts as stored");
        let newest = (199_501..199_999).step_by(2);
        assert!(newest.into_iter().all(|seq| !ranges.contains(seq)));
        assert!(ranges.insert(500) && ranges.insert(199_997));
    }

    proptest! {
        #[test]
        fn ranges_know_what_a_set_of_numbers_knows(seqs in prop::collection::vec(0u32..60, 0..80)) {
            let (mut ranges, mut set) = (SeqRanges::default(), BTreeSet::new());
            for seq in seqs {
                prop_assert_eq!(ranges.insert(seq), set.insert(seq));
            }
            for seq in 0..61 {
                prop_assert_eq!(ranges.contains(seq), set.contains(&seq));
            }
            prop_assert!(ranges.0.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
        }
    }
}
