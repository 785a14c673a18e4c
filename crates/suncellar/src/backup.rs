//! Backup, restore and check of the embedded database. PostgreSQL has tools of its own.
use crate::config::Config;
use crate::roles::make_data_dir;
use anyhow::{Context as _, bail};
use db::DatabaseFile;
use db::backup::DatabaseContents;
use domain::Clock;
use domain::site_time::utc_text;
use std::path::Path;

pub(crate) async fn backup(config: &Config, file: &Path) -> anyhow::Result<()> {
    let database = database(config, "pg_dump -Fc \"$DATABASE\" -f FILE")?;
    let contents = db::backup::backup(&database, file)
        .await
        .context("no backup was written")?;
    println!("backed up to {}: {}", file.display(), described(&contents));
    Ok(())
}

pub(crate) async fn restore(config: &Config, file: &Path) -> anyhow::Result<()> {
    let database = database(
        config,
        "pg_restore -d \"$DATABASE\" FILE, into a new, empty database",
    )?;
    make_data_dir(config)?;
    let now = Clock::system().now();
    let restored = db::backup::restore(file, &database, now)
        .await
        .context("nothing was restored")?;
    println!(
        "restored {}: {}",
        database.path().display(),
        described(&restored.contents)
    );
    if let Some(old) = restored.set_aside {
        println!("what was there before is {}", old.display());
    }
    Ok(())
}

pub(crate) async fn check(config: &Config) -> anyhow::Result<()> {
    let database = database(config, "pg_amcheck")?;
    let damage = db::backup::check(&database).await?;
    for line in &damage {
        println!("{line}");
    }
    let name = database.path().display();
    if !damage.is_empty() {
        bail!("{name} is damaged: put the last backup back with `suncellar restore FILE`");
    }
    println!("{name} is sound");
    Ok(())
}

/// The database file; for PostgreSQL an error that names the tool to use instead.
fn database(config: &Config, instead: &str) -> anyhow::Result<DatabaseFile> {
    DatabaseFile::of(&config.database)?.with_context(|| {
        format!("this is for SQLite; for PostgreSQL use {instead} (docs/operations.md, Backup)")
    })
}

fn described(contents: &DatabaseContents) -> String {
    let DatabaseContents {
        systems,
        accounts,
        newest_sample,
        bytes,
    } = contents;
    let newest = newest_sample.map_or_else(|| "none".to_owned(), utc_text);
    format!(
        "{systems} systems, {accounts} accounts, newest sample {newest}, {bytes} bytes, integrity checked"
    )
}
