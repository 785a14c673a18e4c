//! Which messages are in sealed days: a few ranges of sequence numbers per boot.
use db::{FromRow, Result, Tx};
use domain::Serial;
use domain::sample::MessageId;
use std::collections::BTreeMap;

#[derive(Debug, FromRow)]
struct Row {
    first_seq: i64,
    last_seq: i64,
}

/// Records messages whose rows are about to be deleted.
pub(crate) async fn record(
    tx: &mut Tx,
    sn: &Serial,
    ids: impl Iterator<Item = MessageId>,
) -> Result<()> {
    let mut boots: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for id in ids {
        let seq = i64::from(id.seq);
        boots.entry(id.stored_boot()).or_default().push((seq, seq));
    }
    for (boot, mut ranges) in boots {
        merge_ranges(&mut ranges);
        let first = ranges.first().map_or(0, |range| range.0);
        let last = ranges.last().map_or(0, |range| range.1);
        let known: Vec<Row> = within!(tx, c => sqlx::query_as(
            "SELECT first_seq, last_seq FROM sealed_messages
             WHERE sn = $1 AND boot = $2 AND first_seq <= $4 AND last_seq >= $3")
            .bind(sn.as_str()).bind(boot).bind(first - 1).bind(last + 1).fetch_all(c).await)?;
        let known: Vec<_> = known
            .iter()
            .map(|row| (row.first_seq, row.last_seq))
            .collect();
        ranges.extend(&known);
        merge_ranges(&mut ranges);
        for old in known.iter().filter(|old| !ranges.contains(old)) {
            execute!(
                tx,
                sqlx::query(
                    "DELETE FROM sealed_messages WHERE sn = $1 AND boot = $2 AND first_seq = $3"
                )
                .bind(sn.as_str())
                .bind(boot)
                .bind(old.0)
            )?;
        }
        for new in ranges.iter().filter(|new| !known.contains(new)) {
            execute!(tx, sqlx::query(
                "INSERT INTO sealed_messages (sn, boot, first_seq, last_seq) VALUES ($1, $2, $3, $4)")
                .bind(sn.as_str()).bind(boot).bind(new.0).bind(new.1))?;
        }
    }
    Ok(())
}

/// Sorts ranges and joins those that touch.
fn merge_ranges(ranges: &mut Vec<(i64, i64)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, kept| {
        let touches = next.0 <= kept.1 + 1;
        if touches {
            kept.1 = kept.1.max(next.1);
        }
        touches
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_touch_become_one() {
        let mut ranges = vec![(7, 9), (1, 2), (3, 3), (5, 5), (8, 12), (5, 5)];
        merge_ranges(&mut ranges);
        assert_eq!(ranges, [(1, 3), (5, 5), (7, 12)]);
    }
}
