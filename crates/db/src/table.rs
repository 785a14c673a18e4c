//! The tables of a database as the engine itself describes them: columns, references, order.
use crate::{Error, Result};
use sqlx::{PgConnection, SqliteConnection};

/// Set up in a database that is being filled, and dropped when it is complete.
pub(crate) const UNFINISHED: &str = "unfinished_copy";

/// The table of days by system, which PostgreSQL divides by months.
pub(crate) const SEALED_DAYS: &str = "sealed_days";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Boolean,
    Text,
    Bytes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// PostgreSQL numbers new rows itself.
    pub(crate) is_numbered: bool,
}

/// A table. Its columns are in order of their names, because engines and releases may have them in different orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    /// A unique key by which its rows can be ordered; only on PostgreSQL, as SQLite reads them in the order of its tree.
    pub(crate) key: Vec<String>,
    /// The tables that its rows refer to.
    references: Vec<String>,
}

impl Table {
    /// Names of its columns, quoted, with commas.
    pub(crate) fn column_list(&self) -> String {
        let names = self.columns.iter().map(|column| quoted(&column.name));
        names.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn column_names(&self) -> Vec<String> {
        self.columns.iter().map(|c| c.name.clone()).collect()
    }
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(crate) async fn of_sqlite(db: &mut SqliteConnection) -> Result<Vec<Table>> {
    let names: Vec<String> = sqlx::query_scalar(
        "/* SQLite */ SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'
         AND substr(name, 1, 5) <> '_sqlx' AND name <> $1 ORDER BY name",
    )
    .bind(UNFINISHED)
    .fetch_all(&mut *db)
    .await?;
    let mut tables = Vec::new();
    for name in names {
        let columns: Vec<(String, String)> = sqlx::query_as(
            "/* SQLite */ SELECT name, type FROM pragma_table_info($1) ORDER BY name",
        )
        .bind(&name)
        .fetch_all(&mut *db)
        .await?;
        let columns = columns.into_iter().map(|(name, kind)| Column {
            kind: match kind.as_str() {
                "TEXT" => Kind::Text,
                "BLOB" => Kind::Bytes,
                "BOOLEAN" => Kind::Boolean,
                _ => Kind::Integer,
            },
            name,
            is_numbered: false,
        });
        let columns = columns.collect();
        let references = sqlx::query_scalar(
            "/* SQLite */ SELECT DISTINCT \"table\" FROM pragma_foreign_key_list($1)",
        )
        .bind(&name)
        .fetch_all(&mut *db)
        .await?;
        tables.push(Table {
            name,
            columns,
            key: Vec::new(),
            references,
        });
    }
    in_order(tables)
}

pub(crate) async fn of_postgres(db: &mut PgConnection) -> Result<Vec<Table>> {
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
         AND NOT relispartition AND left(relname, 5) <> '_sqlx' AND relname <> $1 ORDER BY relname COLLATE \"C\"",
    )
    .bind(UNFINISHED)
    .fetch_all(&mut *db)
    .await?;
    let mut tables = Vec::new();
    for name in names {
        let relation = quoted(&name);
        let described: Vec<(String, String, bool)> = sqlx::query_as(
            "SELECT attname::text, format_type(atttypid, NULL), attidentity <> '' FROM pg_attribute
             WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname COLLATE \"C\"",
        )
        .bind(&relation)
        .fetch_all(&mut *db)
        .await?;
        let mut columns = Vec::new();
        for (column, kind, is_numbered) in described {
            let kind = match kind.as_str() {
                "bigint" => Kind::Integer,
                "boolean" => Kind::Boolean,
                "text" => Kind::Text,
                "bytea" => Kind::Bytes,
                _ => return Err(Error::ForeignTable(name)),
            };
            columns.push(Column {
                name: column,
                kind,
                is_numbered,
            });
        }
        let key = sqlx::query_scalar(
            "SELECT a.attname::text FROM pg_attribute a, (SELECT indrelid, indkey FROM pg_index
                 WHERE indrelid = $1::regclass AND indisunique AND indpred IS NULL AND indexprs IS NULL
                 ORDER BY indisprimary DESC, indexrelid LIMIT 1) i
             WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
             ORDER BY array_position(i.indkey::int2[], a.attnum)",
        )
        .bind(&relation)
        .fetch_all(&mut *db)
        .await?;
        let references = sqlx::query_scalar(
            "SELECT DISTINCT c.relname::text FROM pg_constraint f JOIN pg_class c ON c.oid = f.confrelid
             WHERE f.contype = 'f' AND f.conrelid = $1::regclass",
        )
        .bind(&relation)
        .fetch_all(&mut *db)
        .await?;
        tables.push(Table {
            name,
            columns,
            key,
            references,
        });
    }
    in_order(tables)
}

/// Each table after those that its rows refer to.
fn in_order(mut waiting: Vec<Table>) -> Result<Vec<Table>> {
    let mut ordered: Vec<Table> = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let names: Vec<String> = waiting.iter().map(|table| table.name.clone()).collect();
        let is_ready = |table: &mut Table| {
            let mut references = table.references.iter();
            references.all(|other| *other == table.name || !names.contains(other))
        };
        let ready: Vec<Table> = waiting.extract_if(.., is_ready).collect();
        if ready.is_empty() {
            return Err(Error::Damaged("tables refer to each other in a circle"));
        }
        ordered.extend(ready);
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_table_comes_after_those_that_it_refers_to() {
        let table = |name: &str, references: &[&str]| Table {
            name: name.into(),
            columns: Vec::new(),
            key: Vec::new(),
            references: references.iter().map(ToString::to_string).collect(),
        };
        let tables = vec![table("a", &["c", "a"]), table("b", &["a"]), table("c", &[])];
        let names: Vec<String> = in_order(tables)
            .unwrap()
            .into_iter()
            .map(|t| t.name)
            .collect();
        assert_eq!(names, ["c", "a", "b"]);
        in_order(vec![table("a", &["b"]), table("b", &["a"])]).unwrap_err();
    }
}
