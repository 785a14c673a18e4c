//! The partitions of `sealed_days` on PostgreSQL, one for each month.
use crate::Result;
use crate::row::Value;
use crate::table::{SEALED_DAYS, Table};
use sqlx::{AssertSqlSafe, PgConnection};
use std::collections::BTreeSet;

/// The months whose partitions exist; `None` if the schema has no partitions yet.
pub(crate) async fn months(db: &mut PgConnection) -> Result<Option<BTreeSet<i64>>> {
    let is_divided: Option<bool> = sqlx::query_scalar(
        "SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass('sealed_days')",
    )
    .fetch_optional(&mut *db)
    .await?;
    if is_divided != Some(true) {
        return Ok(None);
    }
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'sealed_days'::regclass",
    )
    .fetch_all(db)
    .await?;
    let month = |name: String| name.rsplit('_').next()?.parse().ok();
    Ok(Some(names.into_iter().filter_map(month).collect()))
}

/// The months of some rows of the table.
pub(crate) fn months_of(table: &Table, rows: &[Vec<Value>]) -> BTreeSet<i64> {
    let day = table.columns.iter().position(|column| column.name == "day");
    let month = |row: &Vec<Value>| match row.get(day?)? {
        Value::Integer(day) => Some(day / 100),
        _ => None,
    };
    rows.iter().filter_map(month).collect()
}

/// Makes the partition of a month of `sealed_days`: a table of its own that is then attached. Unlike `PARTITION OF`, this lets others
/// read and write the other months meanwhile.
pub async fn attach_month(db: &mut PgConnection, month: i64) -> Result<()> {
    let (name, from, to) = (
        format!("{SEALED_DAYS}_{month}"),
        month * 100,
        month * 100 + 100,
    );
    for statement in [
        format!("CREATE TABLE {name} (LIKE {SEALED_DAYS} INCLUDING DEFAULTS INCLUDING STORAGE)"),
        format!(
            "ALTER TABLE {SEALED_DAYS} ATTACH PARTITION {name} FOR VALUES FROM ({from}) TO ({to})"
        ),
    ] {
        sqlx::query(AssertSqlSafe(statement))
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}
