//! Moves a portal to another database, of whichever engine, while no server runs. An interrupted move goes on where it stopped, and
//! the source stays as it is.
use crate::error::FileError;
use crate::filling::{Filling, STEP_BYTES};
use crate::open::APPLICATION;
use crate::private_file::rename;
use crate::row::size_of_row;
use crate::snapshot::{Others, Snapshot, connect_postgres};
use crate::table::Table;
use crate::{DatabaseFile, Error, Result, migrations};
use futures_util::TryStreamExt as _;
use sqlx::Connection as _;

/// What a move has done so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveStep {
    /// Rows of a table that are in the target, of all.
    Copied { table: String, rows: u64, of: u64 },
    /// A table was read in both databases, and is the same.
    Compared { table: String, rows: u64 },
}

/// Copies everything from one database into the other, a new one, and compares them.
pub async fn move_database(
    from: &str,
    to: &str,
    step: &mut (dyn FnMut(MoveStep) + Send),
) -> Result<()> {
    let (source_file, target_file) = (DatabaseFile::of(from)?, DatabaseFile::of(to)?);
    let _lock = source_file.as_ref().map(DatabaseFile::lock).transpose()?;
    if source_file.is_none() {
        refuse_if_in_use(from).await?;
    }
    let mut source = Snapshot::open(from, Others::MustWait).await?;
    let program = migrations::latest_version();
    match source.schema_version().await? {
        None => return Err(Error::NoPortal),
        Some(schema) if schema < program => return Err(Error::SchemaTooOld { schema, program }),
        Some(schema) if schema > program => return Err(Error::SchemaTooNew { schema, program }),
        Some(_) => {}
    }
    let name = match &source_file {
        Some(file) => file.path().display().to_string(),
        None => "PostgreSQL".to_owned(),
    };
    match target_file {
        Some(target) => {
            let _lock = target.lock()?;
            if target.path().exists() {
                return Err(FileError::Exists(target.path().to_owned()).into());
            }
            let partial = target.sibling(".moving");
            let filling = Filling::of_file(&partial, program, &name).await?;
            let filled = Snapshot::of_file(partial.clone());
            copy(&mut source, filling, filled, step).await?;
            rename(&partial, target.path())?;
        }
        None => {
            let filling = Filling::of_postgres(to, program, &name).await?;
            let filled = Snapshot::open(to, Others::MayWrite);
            copy(&mut source, filling, filled, step).await?;
        }
    }
    source.close().await
}

async fn copy(
    source: &mut Snapshot,
    mut filling: Filling,
    filled: impl Future<Output = Result<Snapshot>>,
    step: &mut (dyn FnMut(MoveStep) + Send),
) -> Result<()> {
    let tables = source.tables().await?;
    let mut pairs: Vec<(Table, Table)> = Vec::new();
    // In the order of the target, in which rows come after those that they refer to.
    for target in filling.tables() {
        let same = tables.iter().find(|table| table.name == target.name);
        let same = same.filter(|table| table.column_names() == target.column_names());
        let same = same.ok_or_else(|| Error::Differs(target.name.clone()))?;
        pairs.push((same.clone(), target.clone()));
    }
    for (from, to) in &pairs {
        copy_table(source, &mut filling, from, to, step).await?;
    }
    let mut filled = filled.await?;
    for (from, to) in &pairs {
        let (was, is) = tokio::try_join!(source.sum(from), filled.sum(to))?;
        if was != is {
            return Err(Error::Differs(from.name.clone()));
        }
        let (table, rows) = (from.name.clone(), is.rows);
        step(MoveStep::Compared { table, rows });
    }
    filled.close().await?;
    filling.finish().await
}

async fn copy_table(
    source: &mut Snapshot,
    filling: &mut Filling,
    from: &Table,
    to: &Table,
    step: &mut (dyn FnMut(MoveStep) + Send),
) -> Result<()> {
    let of = source.count(from).await?;
    let mut told = |filling: &Filling| {
        let (table, rows) = (to.name.clone(), filling.copied(&to.name));
        step(MoveStep::Copied { table, rows, of });
    };
    let (mut waiting, mut bytes) = (Vec::new(), 0);
    let mut rows = source.rows_after(from, filling.copied(&to.name));
    while let Some(row) = rows.try_next().await? {
        bytes += size_of_row(&row);
        waiting.push(row);
        if bytes >= STEP_BYTES {
            filling.write(to, &waiting).await?;
            told(filling);
            waiting.clear();
            bytes = 0;
        }
    }
    filling.write(to, &waiting).await?;
    told(filling);
    Ok(())
}

/// A process that is only slow to stop would write into the database that is left behind.
async fn refuse_if_in_use(url: &str) -> Result<()> {
    let mut db = connect_postgres(url).await?;
    let others: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
    )
    .bind(APPLICATION)
    .fetch_one(&mut db)
    .await?;
    db.close().await?;
    match others {
        0 => Ok(()),
        others => Err(Error::InUse(others)),
    }
}
