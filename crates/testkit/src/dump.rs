//! Reads a whole database without knowing its tables: every row as a JSON object, the same on both engines
//! (bytes as `\x…` in lower case).
use sqlx::{Connection as _, PgConnection, SqliteConnection};

pub(crate) async fn dump(url: &str) -> Vec<(String, Vec<String>)> {
    if url.starts_with("sqlite:") {
        dump_sqlite(url).await
    } else {
        dump_postgres(url).await
    }
}

async fn dump_sqlite(url: &str) -> Vec<(String, Vec<String>)> {
    let mut db = SqliteConnection::connect(url)
        .await
        .expect("the test's database");
    let tables: Vec<String> = sqlx::query_scalar(
        "/* SQLite */ SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_sqlx_%' ORDER BY name",
    )
    .fetch_all(&mut db)
    .await
    .expect("the tables");
    let mut out = Vec::new();
    for table in tables {
        let columns: Vec<String> =
            sqlx::query_scalar("/* SQLite */ SELECT name FROM pragma_table_info($1) ORDER BY cid")
                .bind(&table)
                .fetch_all(&mut db)
                .await
                .expect("the columns");
        let quoted: Vec<String> = columns
            .iter()
            .map(|c| {
                format!(
                    "'{c}', CASE typeof({c}) WHEN 'blob' THEN '\\x' || lower(hex({c})) ELSE {c} END"
                )
            })
            .collect();
        let sql = format!(
            "/* SQLite */ SELECT json_object({}) FROM {table}",
            quoted.join(", ")
        );
        let rows = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .fetch_all(&mut db)
            .await
            .expect("the rows");
        out.push((table, rows));
    }
    out
}

async fn dump_postgres(url: &str) -> Vec<(String, Vec<String>)> {
    let mut db = PgConnection::connect(url)
        .await
        .expect("the test's database");
    let tables: Vec<String> = sqlx::query_scalar(
        // A partition's rows are those of its table.
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
         AND NOT relispartition AND relname NOT LIKE '\\_sqlx%' ORDER BY 1",
    )
    .fetch_all(&mut db)
    .await
    .expect("the tables");
    let mut out = Vec::new();
    for table in tables {
        let sql = format!("SELECT to_jsonb(t)::text FROM {table} t");
        let rows = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .fetch_all(&mut db)
            .await
            .expect("the rows");
        out.push((table, rows));
    }
    out
}
