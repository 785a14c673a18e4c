//! Moves the bodies of old months into the sample store, one object per system and month, and deletes objects that are not in use.
use crate::late_samples::month_number;
use crate::sample_store::SampleStore;
use crate::stored_body::StoredBody;
use crate::{Telemetry, chunks, codec, sample_retention};
use db::{Error, FromRow, Result, Tx};
use domain::clock::{DAY, HOUR, Millis};
use domain::shard::ShardSet;
use domain::{Random, Serial, Zone};
use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// How long after its end a month is moved. By then late samples are rare; each of them rewrites the object.
const MOVE_AFTER: Millis = 35 * DAY;

/// An object that was uploaded and not used after this time will never be used: its process has died.
const UPLOAD_TIMEOUT: Millis = DAY;
/// A reader of a day's row may still request the object that the row named.
const DELETE_REPLACED_AFTER: Millis = HOUR;

/// Deleted with the next run.
const AT_ONCE: Millis = 1;

const MONTHS_PER_QUERY: i64 = 500;
const OBJECTS_PER_QUERY: i64 = 500;

#[derive(Debug, FromRow)]
struct MonthRow {
    sn: String,
    month: i64,
    site_id: i64,
}

#[derive(Debug, FromRow)]
struct DayRow {
    day: i64,
    body: Vec<u8>,
    object: Option<String>,
    object_at: Option<i64>,
    object_bytes: Option<i64>,
}

#[derive(Debug, FromRow)]
struct ObjectRow {
    id: i64,
    name: String,
}

/// A month with all bodies concatenated.
struct PackedMonth {
    version: i64,
    content: Vec<u8>,
    /// Each day with its offset and length.
    days: Vec<(i64, i64, i64)>,
}

impl Telemetry {
    /// Moves months that are old enough. Returns the number of moved months. An error of one does not stop the others, unless the
    /// store is unavailable.
    pub async fn move_to_sample_store(
        &self,
        shards: ShardSet,
        random: &Random,
        now: Millis,
    ) -> Result<usize> {
        let Some(store) = self.sample_store.get() else {
            return Ok(0);
        };
        let before = month_number(Zone::default().day_of(now - MOVE_AFTER));
        let first = self.first_kept_day().await?.number() / 100;
        let mut moved = 0;
        let mut after = (first, String::new());
        loop {
            // A system's last month is kept, because the live view shows the last sample. A month that was moved before is
            // rewritten, so that its object holds no erased data.
            let months: Vec<MonthRow> = on!(self, p => sqlx::query_as(concat!(
                "SELECT m.sn, m.month, s.site_id FROM sealed_months m JOIN systems s ON s.sn = m.sn
                 WHERE NOT m.in_store AND (m.month, m.sn) > ($1, $2) AND m.month < $3 AND m.dirty = 0 AND ", in_shards!("s.site_id", "$4"),
                " AND (EXISTS (SELECT 1 FROM sealed_months n WHERE n.sn = m.sn AND n.month > m.month)
                    OR EXISTS (SELECT 1 FROM sample_objects o WHERE o.sn = m.sn AND o.month = m.month AND o.delete_at IS NULL))
                 ORDER BY m.month, m.sn LIMIT $5"))
                .bind(after.0).bind(after.1.as_str()).bind(before).bind(shards.bits()).bind(MONTHS_PER_QUERY).fetch_all(p).await)?;
            let Some(last) = months.last() else {
                return Ok(moved);
            };
            after = (last.month, last.sn.clone());
            for month in &months {
                let sn: Serial = month
                    .sn
                    .parse()
                    .map_err(|_| Error::Damaged("sealed_months.sn"))?;
                match self.move_month(store, &sn, month, random, now).await {
                    Ok(is_moved) => moved += usize::from(is_moved),
                    Err(error @ Error::SampleStore(_)) => return Err(error),
                    Err(error) => {
                        tracing::error!(%sn, month = month.month, %error, "month_not_moved: retrying with the next run");
                    }
                }
            }
        }
    }

    /// Returns whether it was moved. If the system's past changes meanwhile, it is left for the next run.
    async fn move_month(
        &self,
        store: &SampleStore,
        sn: &Serial,
        row: &MonthRow,
        random: &Random,
        now: Millis,
    ) -> Result<bool> {
        let Some(packed) = self.pack_month(sn, row.month).await? else {
            return Ok(false);
        };
        // Without bodies the month needs no object.
        let mut object = None;
        if !packed.days.is_empty() {
            let name = object_name(row.site_id, row.month, random);
            // Its row comes first, so that the object is found and deleted whatever happens.
            object = Some(self.announce_object(sn, row.month, &name, now).await?);
            store.put(&name, packed.content).await?;
        }
        let mut tx = self.db.begin().await?;
        chunks::lock_systems(&mut tx, &[sn]).await?;
        let unchanged = "UPDATE sealing SET version = version + 1 WHERE sn = $1 AND version = $2";
        let unchanged = execute!(
            &mut tx,
            sqlx::query(unchanged)
                .bind(sn.as_str())
                .bind(packed.version)
        )?;
        let first_kept = sample_retention::hold(&mut tx).await?;
        if unchanged == 0 || row.month < first_kept.number() / 100 {
            return Ok(false);
        }
        for (day, at, bytes) in &packed.days {
            execute!(
                &mut tx,
                sqlx::query(
                    "UPDATE sealed_days SET body = $3, object_id = $4, object_at = $5, object_bytes = $6 WHERE sn = $1 AND day = $2"
                )
                .bind(sn.as_str())
                .bind(*day)
                .bind(&b""[..])
                .bind(object)
                .bind(*at)
                .bind(*bytes)
            )?;
        }
        let replace = "UPDATE sample_objects SET delete_at = $3 WHERE sn = $1 AND month = $2 AND delete_at IS NULL";
        execute!(
            &mut tx,
            sqlx::query(replace)
                .bind(sn.as_str())
                .bind(row.month)
                .bind(now + DELETE_REPLACED_AFTER)
        )?;
        if let Some(id) = object {
            let used = "UPDATE sample_objects SET delete_at = NULL WHERE id = $1 AND delete_at > 0";
            if execute!(&mut tx, sqlx::query(used).bind(id))? == 0 {
                // The upload took so long that the object is being deleted.
                return Ok(false);
            }
        }
        let done = "UPDATE sealed_months SET in_store = TRUE WHERE sn = $1 AND month = $2";
        execute!(&mut tx, sqlx::query(done).bind(sn.as_str()).bind(row.month))?;
        tx.commit().await?;
        Ok(object.is_some())
    }

    /// All bodies of a month. `None` if one of them is being moved.
    async fn pack_month(&self, sn: &Serial, month: i64) -> Result<Option<PackedMonth>> {
        let version = self.sealing_version(sn).await?;
        let days: Vec<DayRow> = on!(self, p => sqlx::query_as(concat!(
            "SELECT d.day, ", body_columns!(), " FROM ", days_with_objects!(),
            " WHERE d.sn = $1 AND d.day >= $2 AND d.day < $3 ORDER BY d.day"))
            .bind(sn.as_str()).bind(month * 100).bind(month * 100 + 100).fetch_all(p).await)?;
        let numbers: Vec<i64> = days.iter().map(|day| day.day).collect();
        let stored = days
            .into_iter()
            .map(|day| StoredBody::new(day.body, day.object, day.object_at, day.object_bytes))
            .collect::<Result<_>>()?;
        let Ok(bodies) = self.load_bodies(stored).await? else {
            return Ok(None);
        };
        let mut packed = PackedMonth {
            version,
            content: Vec::new(),
            days: Vec::with_capacity(numbers.len()),
        };
        for (day, body) in numbers.into_iter().zip(bodies) {
            // Unreadable data must not replace data that can still be examined.
            codec::check(&body)?;
            let number = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
            packed
                .days
                .push((day, number(packed.content.len()), number(body.len())));
            packed.content.extend(body);
        }
        Ok(Some(packed))
    }

    async fn announce_object(
        &self,
        sn: &Serial,
        month: i64,
        name: &str,
        now: Millis,
    ) -> Result<i64> {
        let mut tx = self.db.begin().await?;
        let insert = "INSERT INTO sample_objects (sn, month, name, delete_at) VALUES ($1, $2, $3, $4) RETURNING id";
        let id = within!(&mut tx, c => sqlx::query_scalar(insert).bind(sn.as_str()).bind(month)
            .bind(name).bind(now + UPLOAD_TIMEOUT).fetch_one(c).await)?;
        tx.commit().await?;
        Ok(id)
    }

    /// Deletes objects that are no longer in use, or never were, from the store and then from the database. Returns how many.
    pub async fn delete_unused_objects(&self, now: Millis) -> Result<usize> {
        let Some(store) = self.sample_store.get() else {
            return Ok(0);
        };
        let mut deleted = 0;
        loop {
            let unused: Vec<ObjectRow> = on!(self, p => sqlx::query_as(
                "SELECT id, name FROM sample_objects WHERE delete_at <= $1 ORDER BY id LIMIT $2")
                .bind(now).bind(OBJECTS_PER_QUERY).fetch_all(p).await)?;
            if unused.is_empty() {
                return Ok(deleted);
            }
            for object in unused {
                // From here on, the object can no longer be used.
                let claim =
                    "UPDATE sample_objects SET delete_at = 0 WHERE id = $1 AND delete_at <= $2";
                if execute!(on self, sqlx::query(claim).bind(object.id).bind(now))? == 0 {
                    continue;
                }
                store.delete(&object.name).await?;
                let forget = "DELETE FROM sample_objects WHERE id = $1 AND delete_at = 0";
                execute!(on self, sqlx::query(forget).bind(object.id))?;
                deleted += 1;
            }
        }
    }
}

/// The site's number, which has no meaning outside the portal, and a random part that cannot be guessed.
fn object_name(site_id: i64, month: i64, random: &Random) -> String {
    let mut name = format!("{site_id}/{month}-");
    for byte in random.bytes::<16>() {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// Marks the objects of these months of a system for deletion: they contain erased data, and nothing that is in use.
pub(crate) async fn erase(tx: &mut Tx, sn: &Serial, months: RangeInclusive<i64>) -> Result<()> {
    let erase =
        "UPDATE sample_objects SET delete_at = $4 WHERE sn = $1 AND month >= $2 AND month <= $3
         AND (delete_at IS NULL OR delete_at > 0)";
    execute!(
        tx,
        sqlx::query(erase)
            .bind(sn.as_str())
            .bind(*months.start())
            .bind(*months.end())
            .bind(AT_ONCE)
    )?;
    Ok(())
}

/// The same for months of which only totals are kept, of all systems.
pub(crate) async fn erase_before(tx: &mut Tx, month: i64) -> Result<()> {
    let erase = "UPDATE sample_objects SET delete_at = $2 WHERE month < $1 AND (delete_at IS NULL OR delete_at > 0)";
    execute!(tx, sqlx::query(erase).bind(month).bind(AT_ONCE))?;
    Ok(())
}
