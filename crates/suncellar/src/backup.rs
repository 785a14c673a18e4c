//! Backup, restore and move of the database.
use crate::config::Config;
use crate::opening::make_data_dir;
use anyhow::{Context as _, ensure};
use clap::Args;
use db::DatabaseContents;
use db::backup::BackupOptions;
use db::move_database::MoveStep;
use db::{DatabaseFile, Recipient};
use domain::Clock;
use domain::site_time::utc_text;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a long step of a move says how far it is.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// Folder for the backup; it is made if it does not exist
    folder: PathBuf,
    /// Delete older backups in the folder, so that it has this many
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Encrypt it for the recipients in this file, one age1… in each line: `age-keygen` makes a key and prints its recipient
    #[arg(long, value_name = "FILE")]
    recipients: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The backup; - reads it from the standard input
    file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Move {
    /// The new, empty database: sqlite:PATH or postgres://…
    #[arg(env = "SUNCELLAR_MOVE_TO", hide_env_values = true, value_name = "URL")]
    target: String,
}

pub(crate) async fn backup(config: &Config, backup: &Backup) -> anyhow::Result<()> {
    let recipients = backup.recipients.as_deref().map(Recipient::read_file);
    let recipients = recipients.transpose()?.unwrap_or_default();
    let options = BackupOptions {
        folder: &backup.folder,
        keep: backup.keep,
        recipients: &recipients,
        now: Clock::system().now(),
    };
    let done = db::backup::backup(&config.database, &options)
        .await
        .context("no backup was written")?;
    println!(
        "backed up to {}: {}, {} bytes, read back",
        done.file.display(),
        described(&done.contents),
        done.bytes
    );
    for file in done.deleted {
        println!("deleted {}", file.display());
    }
    Ok(())
}

pub(crate) async fn restore(config: &Config, restore: &Restore) -> anyhow::Result<()> {
    make_data_dir(config)?;
    let now = Clock::system().now();
    let restored = db::restore::restore(&restore.file, &config.database, now)
        .await
        .context("nothing was restored")?;
    println!(
        "restored {}: {}, compared with the backup",
        name(&config.database)?,
        described(&restored.contents)
    );
    if let Some(old) = restored.set_aside {
        println!("what was there before is {}", old.display());
    }
    for table in restored.left_out {
        println!("the table {table} is none of Suncellar's and was left out");
    }
    if restored.is_of_older_schema {
        println!("it is of an older release: run `suncellar migrate` before the start");
    }
    Ok(())
}

pub(crate) async fn move_database(config: &Config, target: &Move) -> anyhow::Result<()> {
    let target = target.target.as_str();
    let known = ["sqlite:", "postgres:", "postgresql:"];
    ensure!(
        known.iter().any(|engine| target.starts_with(engine)),
        "the new database must begin with sqlite: or postgres:"
    );
    let mut told = Instant::now();
    let mut tell = |step| match step {
        MoveStep::Copied { of: 0, .. } | MoveStep::Compared { rows: 0, .. } => {}
        MoveStep::Copied { table, rows, of } => {
            if rows == of || told.elapsed() >= PROGRESS_INTERVAL {
                told = Instant::now();
                println!("{table}: {rows} of {of} rows copied");
            }
        }
        MoveStep::Compared { table, rows } => println!("{table}: {rows} rows are the same"),
    };
    db::move_database::move_database(&config.database, target, &mut tell)
        .await
        .context("the move is not complete")?;
    println!(
        "moved to {}: set `database` in the configuration to it and start the server; the old database is unchanged",
        name(target)?
    );
    Ok(())
}

/// The database without a password.
pub(crate) fn name(url: &str) -> anyhow::Result<String> {
    let file = DatabaseFile::of(url)?;
    let shown = |path: &Path| path.display().to_string();
    Ok(file.map_or_else(
        || "the PostgreSQL database".to_owned(),
        |file| shown(file.path()),
    ))
}

fn described(contents: &DatabaseContents) -> String {
    let DatabaseContents {
        systems,
        accounts,
        newest_sample,
    } = contents;
    let newest = newest_sample.map_or_else(|| "none".to_owned(), utc_text);
    format!("{systems} systems, {accounts} accounts, newest sample {newest}")
}
