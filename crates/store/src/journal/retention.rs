//! Deletes journal entries that are too old to be evidence of anything.
use super::page::list;
use crate::{Result, Store};
use domain::clock::{DAY, Millis};
use domain::journal::{EntryKind, JournalEventName};

/// Five years.
const MAX_ENTRY_AGE: Millis = 1_826 * DAY;
const BATCH_SIZE: i64 = 500;

/// Who was given access is kept for as long as it matters: while anybody has a grant of the system, and if it is not about a system.
const DELETE_OLD: &str = "DELETE FROM journal WHERE id > $1 AND id <= $2 AND at < $3
     AND NOT ($4 LIKE '%,' || event || ',%' AND (sn IS NULL OR sn IN (SELECT g.sn FROM grants g)))";

impl Store {
    /// Deletes old entries, in small transactions, and returns how many. It reads them in the order in which they were written, as
    /// far as they are old: an index on their time would cost every writer.
    pub async fn purge_journal(&self, now: Millis) -> Result<u64> {
        let before = now - MAX_ENTRY_AGE;
        let names = JournalEventName::ALL.iter();
        let about_access = names.filter(|event| event.kind() == EntryKind::Access);
        let about_access = list(about_access.map(|event| event.as_str()));
        let (mut read_to, mut deleted) = (0, 0);
        loop {
            let (last, oldest): (Option<i64>, Option<Millis>) = on!(self, p => sqlx::query_as(
                "SELECT MAX(id), MIN(at) FROM (SELECT id, at FROM journal WHERE id > $1 ORDER BY id LIMIT $2) AS batch")
                .bind(read_to).bind(BATCH_SIZE).fetch_one(p).await)?;
            let Some(last) = last.filter(|_| oldest.is_some_and(|oldest| oldest < before)) else {
                return Ok(deleted);
            };
            let mut tx = self.db.begin().await?;
            deleted += execute!(
                &mut tx,
                sqlx::query(DELETE_OLD)
                    .bind(read_to)
                    .bind(last)
                    .bind(before)
                    .bind(&about_access)
            )?;
            tx.commit_invalidating(std::iter::empty()).await?;
            read_to = last;
        }
    }
}
