//! Backup and restore on both engines, and moves between them.
#![allow(clippy::unwrap_used)]
use crate::telemetry_fixture::{Home, day, days, home, sample};
use db::backup::{BackedUp, BackupOptions, backup};
use db::move_database::{MoveStep, move_database};
use db::restore::restore;
use db::{DatabaseFile, Error, FileError, Recipient};
use domain::series::{Method, Resolution};
use domain::shard::ShardSet;
use domain::{Sample, Series};
use std::path::{Path, PathBuf};
use store::Store;
use telemetry::Chart;
use testkit::database::{execute, execute_sqlite, open};
use testkit::{NOON, TestDb, on_both};

/// A system with sealed days of now and of two years ago, a day in chunks, and samples in the log.
async fn some_history(db: &TestDb) -> Home {
    let home = home(db, "SC26A0001").await;
    let zone = home.access.zone();
    for first in ["2024-02-28", "2026-11-12"] {
        let samples = days(zone, day(first), 3).concat();
        let samples: Vec<Sample> = samples
            .into_iter()
            .map(|one| Sample {
                id: domain::sample::MessageId::new(u32::from(first < "2026") + 1, one.id.seq),
                ..one
            })
            .collect();
        let appended = db.telemetry.append_samples(&home.sn, &samples, NOON);
        appended.await.unwrap();
    }
    db.telemetry.seal_due(ShardSet::ALL, NOON).await.unwrap();
    let recent: Vec<_> = (0..200_u32)
        .map(|n| Sample {
            id: domain::sample::MessageId::new(9, n),
            ..sample(NOON + i64::from(n) * 30_000, n)
        })
        .collect();
    let appended = db.telemetry.append_samples(&home.sn, &recent, NOON);
    appended.await.unwrap();
    home
}

/// What its people see of it in charts.
async fn charts(store: &Store, home: &Home) -> Vec<Chart> {
    let mut charts = Vec::new();
    for first in ["2024-02-27", "2026-11-11"] {
        let days = day(first)..day(first).plus(6);
        let (site, resolution) = (home.access.site(), Resolution::Minute);
        let chart = store
            .telemetry
            .chart(site, days, resolution, Method::Mean, &Series::ALL);
        charts.push(chart.await.unwrap());
    }
    charts
}

/// A database beside this one: a file, or a new one in the same cluster. `TestDb::close` does not delete the latter.
struct Other {
    url: String,
    cluster: Option<(String, String)>,
    _folder: tempfile::TempDir,
}

impl Other {
    fn file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            url: url(&folder.path().join("other.db")),
            cluster: None,
            _folder: folder,
        }
    }

    async fn postgres(name: &str) -> Option<Self> {
        let cluster = format!("{}/postgres", std::env::var("TEST_POSTGRES_URL").ok()?);
        let name = format!("other_{}_{name}", std::process::id());
        execute(&cluster, &[format!("CREATE DATABASE {name}")]).await;
        Some(Self {
            url: cluster.replace("/postgres", &format!("/{name}")),
            cluster: Some((cluster, name)),
            _folder: tempfile::tempdir().unwrap(),
        })
    }

    async fn drop(self) {
        if let Some((cluster, name)) = self.cluster {
            execute(&cluster, &[format!("DROP DATABASE {name} WITH (FORCE)")]).await;
        }
    }
}

async fn backed_up(url: &str, folder: &Path) -> BackedUp {
    let options = BackupOptions {
        folder,
        keep: None,
        recipients: &[],
        now: NOON,
    };
    backup(url, &options).await.unwrap()
}

on_both!(a_restored_backup_has_every_row_of_the_original, |db| {
    let home = some_history(db).await;
    assert_eq!(db::check(db.url()).await.unwrap(), Vec::<String>::new());
    let folder = tempfile::tempdir().unwrap();
    let made = backed_up(db.url(), folder.path()).await;
    assert_eq!((made.contents.systems, made.contents.accounts), (1, 1));
    let is_file = db.url().starts_with("sqlite:");
    let same = match is_file {
        true => Other::file(),
        false => Other::postgres("same").await.unwrap(),
    };
    let restored = restore(&made.file, &same.url, NOON).await.unwrap();
    assert_eq!(restored.contents, made.contents);
    assert_eq!(
        sorted(TestDb::dump_of(&same.url).await),
        sorted(db.dump().await)
    );
    let again = restore(&made.file, &same.url, NOON).await;
    match again {
        Ok(again) => assert!(again.set_aside.is_some()),
        Err(error) => assert!(!is_file && matches!(error, Error::NotEmpty), "{error}"),
    }

    // Into the other engine, too: what was restored was compared with the backup, row by row.
    let other = match is_file {
        true => Other::postgres("other").await.unwrap(),
        false => Other::file(),
    };
    restore(&made.file, &other.url, NOON).await.unwrap();
    let there = open(&other.url).await.unwrap();
    assert_eq!(charts(&there, &home).await, charts(db, &home).await);
    there.db().close().await;
    same.drop().await;
    other.drop().await;
});

on_both!(
    a_moved_database_answers_like_the_old_one_and_comes_back,
    |db| {
        let home = some_history(db).await;
        let (rows, seen) = (db.dump().await, charts(db, &home).await);
        db.db().close().await;
        let is_file = db.url().starts_with("sqlite:");
        let (there, back) = match is_file {
            true => (Other::postgres("there").await.unwrap(), Other::file()),
            false => (Other::file(), Other::postgres("back").await.unwrap()),
        };
        let mut told = Vec::new();
        move_database(db.url(), &there.url, &mut |step| told.push(step))
            .await
            .unwrap();
        let compared = |table: &str, rows: u64| MoveStep::Compared {
            table: table.into(),
            rows,
        };
        assert!(told.contains(&compared("sealed_days", 6)), "{told:?}");

        let moved = open(&there.url).await.unwrap();
        assert_eq!(charts(&moved, &home).await, seen);
        let in_use = move_database(&there.url, &back.url, &mut |_| {}).await;
        if is_file {
            assert!(matches!(in_use, Err(Error::InUse(_))), "{in_use:?}");
        }
        moved.db().close().await;
        if is_file {
            move_database(&there.url, &back.url, &mut |_| {})
                .await
                .unwrap();
        }
        let again = move_database(&there.url, &back.url, &mut |_| {}).await;
        again.unwrap_err();
        assert_eq!(sorted(TestDb::dump_of(&back.url).await), sorted(rows));
        // New rows get numbers of their own.
        execute_on(&back.url, "INSERT INTO groups (account_id, name, folded, created_at) SELECT id, 'a', 'a', 0 FROM accounts").await;
        execute_on(&there.url, "INSERT INTO mails (recipient, body, due_at, tries, created_at) SELECT email, '', 0, 0, 0 FROM accounts").await;
        there.drop().await;
        back.drop().await;
    }
);

async fn execute_on(url: &str, sql: &str) {
    match url.starts_with("sqlite:") {
        true => execute_sqlite(url, sql).await,
        false => execute(url, &[sql.to_owned()]).await,
    }
}

on_both!(an_interrupted_move_goes_on_where_it_stopped, |db| {
    some_history(db).await;
    db.db().close().await;
    let target = match db.url().starts_with("sqlite:") {
        true => Other::postgres("interrupted").await.unwrap(),
        false => Other::file(),
    };
    let stop = tokio::sync::Notify::new();
    let mut stop_at_systems = |step| {
        if matches!(step, MoveStep::Copied { table, .. } if table == "systems") {
            stop.notify_one();
        }
    };
    tokio::select! {
        biased;
        () = stop.notified() => {}
        done = move_database(db.url(), &target.url, &mut stop_at_systems) => panic!("{done:?}"),
    }
    let half = match &target.cluster {
        Some(_) => {
            let started = open(&target.url).await;
            assert!(matches!(started, Err(Error::Unfinished)), "{started:?}");
            target.url.clone()
        }
        None => format!("{}.moving", target.url),
    };
    // What was copied is not copied again: the comparison at the end notices that somebody changed it.
    execute_on(&half, "UPDATE accounts SET phone = '1'").await;
    let changed = move_database(db.url(), &target.url, &mut |_| {}).await;
    assert!(
        matches!(&changed, Err(Error::Differs(table)) if table == "accounts"),
        "{changed:?}"
    );
    execute_on(&half, "UPDATE accounts SET phone = '+4930901820'").await;
    move_database(db.url(), &target.url, &mut |_| {})
        .await
        .unwrap();
    open(&target.url).await.unwrap().db().close().await;
    target.drop().await;
});

#[tokio::test]
async fn a_backup_of_an_older_release_is_restored_and_then_migrated() {
    const FIXTURE: &[u8] = include_bytes!("../data/before-the-sample-log.db.zst");
    let Some(target) = Other::postgres("older").await else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("old.db");
    std::fs::write(&file, zstd::decode_all(FIXTURE).unwrap()).unwrap();
    let made = backed_up(&url(&file), folder.path()).await;
    let restored = restore(&made.file, &target.url, NOON).await.unwrap();
    assert!(restored.is_of_older_schema);
    let db = db::Db::open(&target.url).await.unwrap();
    db.migrate().await.unwrap();
    db.close().await;
    target.drop().await;
}

#[tokio::test]
async fn a_folder_keeps_the_newest_backups_and_what_a_kill_left_goes() {
    let db = TestDb::sqlite().await;
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("notes.txt");
    std::fs::write(&foreign, "mine").unwrap();
    std::fs::write(
        folder
            .path()
            .join("suncellar-2026-01-01T000000Z.backup.partial"),
        "half",
    )
    .unwrap();
    let mut made: Vec<PathBuf> = Vec::new();
    for hours in 0..4 {
        let options = BackupOptions {
            folder: folder.path(),
            keep: Some(2),
            recipients: &[],
            now: NOON + hours * 3_600_000,
        };
        let done = backup(db.url(), &options).await.unwrap();
        assert_eq!(done.deleted.len(), usize::from(hours > 1));
        made.push(done.file);
    }
    let mut left: Vec<PathBuf> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    left.sort();
    assert_eq!(left, [foreign, made[2].clone(), made[3].clone()]);
    db.close().await;
}

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
    db.execute("INSERT INTO shared_options VALUES ('homepage-url', 'https://example.com')")
        .await;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let good = backed_up(db.url(), &file("backups")).await.file;
    std::fs::write(
        file("to"),
        "# us\nage1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj\n",
    )
    .unwrap();
    let recipients = Recipient::read_file(&file("to")).unwrap();
    let options = BackupOptions {
        folder: &file("backups"),
        keep: None,
        recipients: &recipients,
        now: NOON,
    };
    let encrypted = backup(db.url(), &options).await.unwrap().file;
    db.db().close().await;
    // As a release before this one wrote them, and as a restore sets them aside.
    let sqlite = DatabaseFile::of(db.url()).unwrap().unwrap();
    std::fs::copy(sqlite.path(), file("file.db")).unwrap();
    execute_sqlite(
        db.url(),
        "UPDATE _sqlx_migrations SET version = 9999 WHERE version = 1",
    )
    .await;
    let newer = backed_up(db.url(), &file("newer")).await.file;
    std::fs::copy(sqlite.path(), file("newer.db")).unwrap();

    let database = DatabaseFile::of(&url(&file("suncellar.db")))
        .unwrap()
        .unwrap();
    let refusal = async |path: &Path| match restore(path, &url(database.path()), NOON).await {
        Err(Error::File(refused)) => refused,
        other => panic!("{path:?}: {other:?}"),
    };
    let whole = std::fs::read(&good).unwrap();
    let broken = |name: &str, bytes: &[u8]| {
        std::fs::write(file(name), bytes).unwrap();
        file(name)
    };
    for cut in [whole.len() / 2, whole.len() - 1] {
        let half = broken("half", &whole[..cut]);
        assert!(matches!(
            refusal(&half).await,
            FileError::DamagedBackup { .. }
        ));
    }
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    let changed = broken("changed", &changed);
    assert!(matches!(
        refusal(&changed).await,
        FileError::DamagedBackup { .. }
    ));
    let half = std::fs::read(file("file.db")).unwrap();
    let half = broken("half.db", &half[..half.len() / 2]);
    assert!(matches!(refusal(&half).await, FileError::Damaged { .. }));
    assert!(matches!(
        refusal(&broken("empty", b"")).await,
        FileError::Foreign(_)
    ));
    for newer in [&newer, &file("newer.db")] {
        assert!(matches!(refusal(newer).await, FileError::Newer(_)));
    }
    assert!(matches!(refusal(&encrypted).await, FileError::Encrypted(_)));
    assert!(matches!(refusal(&file("none")).await, FileError::Io { .. }));
    let left = std::fs::read_dir(folder.path()).unwrap();
    let left = left.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .file_name()
            .to_string_lossy()
            .starts_with("suncellar.db")
    });
    assert_eq!(left.count(), 1, "the lock");

    for sound in [&good, &file("file.db")] {
        restore(sound, &url(database.path()), NOON).await.unwrap();
    }
    // The power failed after the old file was set aside and before the new one was in place.
    std::fs::rename(database.path(), file("suncellar.db.restoring")).unwrap();
    let stopped = refused(database.path()).await;
    assert!(matches!(stopped, FileError::RestoreInterrupted(_)));
    restore(&good, &url(database.path()), NOON).await.unwrap();
    let again = open(&url(database.path())).await.unwrap();
    again.db().close().await;
}

fn sorted(mut tables: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    tables.iter_mut().for_each(|(_, rows)| rows.sort());
    tables
}
