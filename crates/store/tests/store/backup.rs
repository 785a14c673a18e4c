//! A backup made as the operations page describes, and what a restore brings back.
#![allow(clippy::unwrap_used)]
use crate::telemetry_fixture::{home, sample};
use db::backup::{backup, restore};
use db::{DatabaseFile, Error, FileError};
use std::path::Path;
use std::process::Command;
use testkit::database::open;
use testkit::{NOON, TestDb, on_both};

on_both!(a_restored_backup_has_every_row_of_the_original, |db| {
    let home = home(db, "SC26A0001").await;
    let samples: Vec<_> = (0..200_u32)
        .map(|n| sample(NOON + i64::from(n) * 30_000, n))
        .collect();
    db.telemetry
        .append_samples(&home.sn, &samples, NOON)
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let restored = if db.url().starts_with("sqlite:") {
        let copy = folder.path().join("backup.db");
        let file = DatabaseFile::of(db.url()).unwrap().unwrap();
        let contents = backup(&file, &copy).await.unwrap();
        assert_eq!((contents.systems, contents.accounts), (1, 1));
        TestDb::dump_of(&format!("sqlite:{}", copy.display())).await
    } else {
        let file = folder.path().join("backup.dump");
        let copy = format!("{}_restored", db.url());
        let name = copy.rsplit('/').next().unwrap();
        run(Command::new("pg_dump")
            .args(["-Fc", db.url(), "-f"])
            .arg(&file));
        db.execute(&format!("CREATE DATABASE {name}")).await;
        run(Command::new("pg_restore").args(["-d", &copy]).arg(&file));
        let rows = TestDb::dump_of(&copy).await;
        db.execute(&format!("DROP DATABASE {name} WITH (FORCE)"))
            .await;
        rows
    };
    let original = db.dump().await;
    assert_eq!(db.samples(home.sn.as_str()).await.len(), 200);
    assert_eq!(sorted(restored), sorted(original));
});

fn url(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

async fn refused(file: &Path) -> FileError {
    match open(&url(file)).await {
        Err(Error::File(refused)) => refused,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_file_without_a_portal_is_refused_and_a_missing_one_is_a_first_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("suncellar.db");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(refused(&file).await, FileError::Empty(_)));
    assert_eq!(file.metadata().unwrap().len(), 0, "nothing was made of it");
    // A database, but not of a portal.
    std::fs::remove_file(&file).unwrap();
    testkit::database::execute_sqlite(&url(&file), "CREATE TABLE t (x)").await;
    assert!(matches!(refused(&file).await, FileError::Empty(_)));
    std::fs::write(&file, [0x55; 4096]).unwrap();
    let damaged = refused(&file).await;
    assert!(matches!(damaged, FileError::Damaged { .. }), "{damaged}");
    assert!(damaged.to_string().contains("suncellar.db is damaged"));
    std::fs::remove_file(&file).unwrap();
    let first = open(&url(&file)).await.unwrap();
    first.db().close().await;
}

#[tokio::test]
async fn a_restore_takes_sound_backups_only_and_an_interrupted_one_stops_the_start() {
    let db = TestDb::sqlite().await;
    let database = DatabaseFile::of(db.url()).unwrap().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    backup(&database, &file("good.db")).await.unwrap();
    db.db().close().await;
    let database = DatabaseFile::of(&url(&file("suncellar.db")))
        .unwrap()
        .unwrap();
    let refusal = async |name: &str| match restore(&file(name), &database, NOON).await {
        Err(Error::File(refused)) => refused,
        other => panic!("{name}: {other:?}"),
    };

    let whole = std::fs::read(file("good.db")).unwrap();
    std::fs::write(file("half.db"), &whole[..whole.len() / 2]).unwrap();
    std::fs::write(file("empty.db"), "").unwrap();
    std::fs::copy(file("good.db"), file("newer.db")).unwrap();
    let newer = "UPDATE _sqlx_migrations SET version = 9999 WHERE version = 1";
    testkit::database::execute_sqlite(&url(&file("newer.db")), newer).await;
    assert!(matches!(
        refusal("half.db").await,
        FileError::Damaged { .. }
    ));
    assert!(matches!(refusal("empty.db").await, FileError::Foreign(_)));
    assert!(matches!(refusal("newer.db").await, FileError::Newer(_)));
    assert!(matches!(refusal("none.db").await, FileError::Io { .. }));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 5, "four backups and the lock: {left:?}");

    let first = restore(&file("good.db"), &database, NOON).await.unwrap();
    assert_eq!(first.set_aside, None);
    // The power failed after the old file was set aside and before the new one was in place.
    std::fs::rename(database.path(), file("suncellar.db.restoring")).unwrap();
    let stopped = refused(database.path()).await;
    assert!(matches!(stopped, FileError::RestoreInterrupted(_)));
    restore(&file("good.db"), &database, NOON).await.unwrap();
    let again = open(&url(database.path())).await.unwrap();
    again.db().close().await;
}

fn run(command: &mut Command) {
    let output = command.output().expect("PostgreSQL's own tools");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn sorted(mut tables: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    tables.iter_mut().for_each(|(_, rows)| rows.sort());
    tables
}
