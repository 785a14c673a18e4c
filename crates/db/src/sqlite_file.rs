//! What SQLite itself does with a database file: copy it, check it.
use crate::database_file::{explain, read_only};
use crate::error::FileError;
use crate::private_file::{create_private, remove, sync};
use crate::snapshot::{DatabaseContents, Snapshot};
use crate::{DatabaseFile, Error, Result, migrations};
use sqlx::{Connection as _, SqliteConnection};
use std::io;
use std::path::Path;

/// Problems of a database, as lines for people; empty when there are none.
pub(crate) async fn check(database: &DatabaseFile) -> Result<Vec<String>> {
    let mut db = read_only(database.path()).await?;
    let mut damage = integrity(&mut db)
        .await
        .map_err(|error| database.explain(error))?;
    if !damage.is_empty() {
        name_tables(&mut db, &mut damage).await?;
        damage.extend(unreadable_systems(&mut db).await?);
    }
    Ok(damage)
}

/// Copies `source`, including its write-ahead log, into one consistent file that is synced to disk.
pub(crate) async fn copy(source: &Path, target: &Path) -> Result<DatabaseContents> {
    remove(target)?;
    create_private(target).map_err(FileError::io(target))?;
    let done = async {
        let mut db = read_only(source).await?;
        let name = target.to_str().ok_or_else(|| {
            FileError::io(target)(io::Error::other("the name is not valid UTF-8"))
        })?;
        let written = sqlx::query("VACUUM INTO $1")
            .bind(name)
            .execute(&mut db)
            .await;
        written.map_err(|error| explain(source, error))?;
        db.close().await?;
        sync(target)?;
        inspect(target).await.map_err(|error| match error {
            // Errors name the source: the user does not know the name of the copy.
            Error::File(FileError::Foreign(_)) => FileError::Foreign(source.to_owned()).into(),
            Error::File(FileError::Newer(_)) => FileError::Newer(source.to_owned()).into(),
            other => other,
        })
    };
    let done = done.await;
    if done.is_err() {
        let _ = std::fs::remove_file(target);
    }
    done
}

/// Reads the whole file and checks it.
async fn inspect(file: &Path) -> Result<DatabaseContents> {
    let mut db = read_only(file).await?;
    let damage = integrity(&mut db).await?;
    db.close().await?;
    if let Some(first) = damage.first() {
        let (file, cause) = (file.to_owned(), first.clone());
        return Err(FileError::Damaged { file, cause }.into());
    }
    let mut snapshot = Snapshot::of_file(file.to_owned()).await?;
    let contents = match snapshot.schema_version().await? {
        Some(version) if version > migrations::latest_version() => {
            Err(FileError::Newer(file.to_owned()).into())
        }
        Some(version) => snapshot.contents(version).await,
        None => Err(FileError::Foreign(file.to_owned()).into()),
    };
    snapshot.close().await?;
    contents
}

/// Results of SQLite's own integrity check.
async fn integrity(db: &mut SqliteConnection) -> Result<Vec<String>> {
    let lines = sqlx::query_scalar::<_, String>("PRAGMA integrity_check(100)")
        .fetch_all(db)
        .await
        .map_err(Error::from);
    match lines {
        // If SQLite cannot traverse the rows, its own list ends with an error.
        Err(error) if error.is_damage() => Ok(vec![error.to_string()]),
        lines => Ok(lines?.into_iter().filter(|line| line != "ok").collect()),
    }
}

/// Adds table names: SQLite identifies a table only by its root page.
async fn name_tables(db: &mut SqliteConnection, damage: &mut [String]) -> Result<()> {
    let roots: Vec<(i64, String)> =
        sqlx::query_as("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0")
            .fetch_all(db)
            .await?;
    for line in damage {
        let root = line
            .strip_prefix("Tree ")
            .and_then(|rest| rest.split(' ').next());
        let root = root.and_then(|root| root.parse::<i64>().ok());
        if let Some((_, table)) = roots.iter().find(|(page, _)| Some(*page) == root) {
            *line = format!("table {table}: {line}");
        }
    }
    Ok(())
}

/// Systems whose rows cannot be read, table by table.
async fn unreadable_systems(db: &mut SqliteConnection) -> Result<Vec<String>> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT t.name FROM sqlite_schema t WHERE t.type = 'table'
         AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) c WHERE c.name = 'sn') ORDER BY t.name",
    )
    .fetch_all(&mut *db)
    .await?;
    let serials: Vec<String> = sqlx::query_scalar("SELECT sn FROM systems ORDER BY sn")
        .fetch_all(&mut *db)
        .await?;
    let mut found = Vec::new();
    for table in tables {
        for sn in &serials {
            let rows = sqlx::AssertSqlSafe(format!("SELECT * FROM {table} WHERE sn = $1"));
            let read = sqlx::query(rows).bind(sn).fetch_all(&mut *db).await;
            if let Err(error) = read {
                found.push(format!(
                    "table {table}: rows of {sn} cannot be read: {error}"
                ));
            }
        }
    }
    Ok(found)
}
