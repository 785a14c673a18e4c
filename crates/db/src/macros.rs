//! One SQL text for both engines: macros that run it on whichever is open, each in a tracing span that names its place in the code.

/// Runs one expression on whichever pool is open, for a struct with a field `db`. The compiler checks it against both drivers.
#[macro_export]
macro_rules! on {
    ($store:expr, $pool:ident => $body:expr) => {
        match $store.db.pool() {
            $crate::Pool::Sqlite($pool) => $crate::in_span!($body),
            $crate::Pool::Postgres($pool) => $crate::in_span!($body),
        }
    };
}

/// Runs a statement in a span with the module and line that it is written in. Costs next to nothing unless `db=debug` is logged.
#[macro_export]
macro_rules! in_span {
    ($body:expr) => {{
        let span = $crate::statement_span(module_path!(), line!());
        $crate::Instrument::instrument(async { $body }, span).await
    }};
}

/// Like [`on!`], inside a transaction that [`Db::begin`](crate::Db::begin) opened.
#[macro_export]
macro_rules! within {
    ($tx:expr, $connection:ident => $body:expr) => {
        match $tx {
            $crate::Tx::Sqlite(tx, ..) => {
                let $connection = &mut **tx;
                $crate::in_span!($body)
            }
            $crate::Tx::Postgres(tx) => {
                let $connection = &mut **tx;
                $crate::in_span!($body)
            }
        }
    };
}

/// Executes a statement in a transaction (or on the pool, with `on`) and returns the number of changed rows.
#[macro_export]
macro_rules! execute {
    (on $store:expr, $query:expr) => {{
        match $store.db.write_permit().await {
            Ok(_permit) => {
                let done = $crate::on!($store, p => $query.execute(p).await.map(|done| done.rows_affected()));
                $store.db.changes().count_write();
                done
            }
            Err(error) => Err(error),
        }
    }};
    ($tx:expr, $query:expr) => {
        $crate::within!($tx, c => $query.execute(c).await.map(|done| done.rows_affected()))
    };
}

/// The first row found for one of several candidates: a hash may be of any key version.
#[macro_export]
macro_rules! find_first {
    ($candidates:expr, $candidate:ident => $find:expr) => {{
        let mut found = None;
        for $candidate in $candidates {
            found = $find;
            if found.is_some() {
                break;
            }
        }
        found
    }};
}

/// The SQL condition that a site is in a set of shards: the name of its column, and the parameter that has the set's bits.
#[macro_export]
macro_rules! in_shards {
    ($site_id:literal, $bits:literal) => {
        concat!(
            "((CAST(",
            $bits,
            " AS BIGINT) >> CAST(",
            $site_id,
            " % 32 AS INTEGER)) & 1) = 1"
        )
    };
}

/// The rows of the systems in a list. `$sql` is a macro that takes the condition on the serial number and makes the query; the
/// list is its last parameter, with this number.
#[macro_export]
macro_rules! rows_of_systems {
    ($store:expr, $sql:ident, $number:literal, $systems:expr $(, $value:expr)*) => {
        match $store.db.pool() {
            $crate::Pool::Sqlite(pool) => $crate::in_span!(sqlx::query_as(concat!(
                "/* SQLite */ ", $sql!(concat!(" IN (SELECT value FROM json_each($", $number, "))"))))
                $(.bind($value))* .bind($crate::json_list($systems)).fetch_all(pool).await),
            $crate::Pool::Postgres(pool) => $crate::in_span!(sqlx::query_as(
                $sql!(concat!(" = ANY($", $number, ")")))
                $(.bind($value))* .bind($crate::text_list($systems)).fetch_all(pool).await),
        }
    };
}
