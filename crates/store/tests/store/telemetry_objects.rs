//! Samples of old months in the sample store: read as before, written again when something changes, erased when they must be.
#![allow(clippy::unwrap_used)]
use crate::telemetry_fixture::{Home, count, day, days, home};
use domain::clock::{DAY, HOUR, Millis};
use domain::sample::MessageId;
use domain::series::{Method, Resolution};
use domain::shard::ShardSet;
use domain::{Random, Sample, Series, SiteDay};
use sqlx::{Connection as _, Executor as _, PgConnection};
use std::path::{Path, PathBuf};
use store::{Error, SampleStore, Store};
use tempfile::TempDir;
use testkit::{NOON, S3Server, TestDb, on_both};

const SN: &str = "SC000001";

/// Five days of July, and five of August: the last month stays in the database.
fn first() -> SiteDay {
    day("2026-07-27")
}

fn random() -> Random {
    Random::new(|bytes| bytes.fill(7))
}

fn numbered(number: u8) -> Random {
    Random::new(move |bytes| bytes.fill(number))
}

struct Stage {
    folder: TempDir,
    home: Home,
    history: Vec<Vec<Sample>>,
}

impl Stage {
    async fn set(db: &TestDb) -> Self {
        let folder = TempDir::new().unwrap();
        use_folder(db, folder.path());
        let home = home(db, SN).await;
        let history = days(home.access.zone(), first(), 10);
        let written = history.clone().into_iter();
        let written = db
            .telemetry
            .write_history(&home.sn, home.access.zone(), written, NOON);
        written.await.unwrap();
        Self {
            folder,
            home,
            history,
        }
    }

    fn objects(&self) -> Vec<PathBuf> {
        files(self.folder.path())
    }

    async fn assert_all_is_read(&self, store: &Store) {
        for (place, expected) in self.history.iter().enumerate() {
            let day = first().plus(i32::try_from(place).unwrap());
            let samples = store.telemetry.day_samples(self.home.access.site(), day);
            assert_eq!(samples.await.unwrap(), *expected, "{day}");
        }
    }

    async fn minutes(&self, store: &Store) -> store::Result<telemetry::Chart> {
        let range = first()..first().plus(10);
        let series = [Series::GridPower, Series::House];
        let site = self.home.access.site();
        let chart = store
            .telemetry
            .chart(site, range, Resolution::Minute, Method::Max, &series);
        chart.await
    }
}

fn use_folder(store: &Store, folder: &Path) {
    let url = format!("file://{}", folder.display()).parse().unwrap();
    let opened = SampleStore::open(&url, std::iter::empty()).unwrap();
    store.telemetry.use_sample_store(opened);
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

async fn move_months(store: &Store, random: &Random, now: Millis) -> usize {
    let moved = store
        .telemetry
        .move_to_sample_store(ShardSet::ALL, random, now);
    moved.await.unwrap()
}

async fn delete_unused(store: &Store, now: Millis) -> usize {
    store.telemetry.delete_unused_objects(now).await.unwrap()
}

on_both!(a_month_is_moved_when_it_is_old_and_read_as_before, |db| {
    let stage = Stage::set(db).await;
    let before = stage.minutes(db).await.unwrap();
    let end_of_july = stage.home.access.zone().start_of(day("2026-08-01"));
    assert_eq!(move_months(db, &random(), end_of_july + 34 * DAY).await, 0);
    assert_eq!(move_months(db, &random(), end_of_july + 36 * DAY).await, 1);
    assert_eq!(
        move_months(db, &random(), NOON).await,
        0,
        "the last month stays"
    );
    let objects = stage.objects();
    assert_eq!(objects.len(), 1);
    assert!(
        !objects[0].display().to_string().contains(SN),
        "{objects:?}"
    );
    stage.assert_all_is_read(db).await;
    assert_eq!(stage.minutes(db).await.unwrap(), before);
    let last = db.telemetry.latest_sample(&stage.home.sn, NOON).await;
    assert_eq!(last.unwrap(), stage.history[9].last().copied());
    assert_eq!(delete_unused(db, NOON + 2 * DAY).await, 0);
    assert_eq!(stage.objects(), objects);
});

on_both!(
    a_late_sample_of_a_moved_month_writes_its_object_again,
    |db| {
        let mut stage = Stage::set(db).await;
        move_months(db, &numbered(1), NOON).await;
        let before = stage.objects();
        let late = Sample {
            id: MessageId::new(9, 9),
            at: stage.history[2][7].at + 1_000,
            ..stage.history[2][7]
        };
        let samples = [late];
        let stored = db.telemetry.append_samples(&stage.home.sn, &samples, NOON);
        assert_eq!(stored.await.unwrap(), 1);
        stage.history[2].insert(8, late);
        stage.assert_all_is_read(db).await;
        assert_eq!(move_months(db, &numbered(2), NOON).await, 0, "not sealed");
        db.telemetry.seal_due(ShardSet::ALL, NOON).await.unwrap();
        stage.assert_all_is_read(db).await;
        assert_eq!(move_months(db, &numbered(2), NOON).await, 1);
        stage.assert_all_is_read(db).await;
        assert_eq!(delete_unused(db, NOON).await, 0, "somebody may be reading");
        assert_eq!(delete_unused(db, NOON + HOUR).await, 1);
        assert_eq!(stage.objects().len(), 1);
        assert_ne!(stage.objects(), before);
        stage.assert_all_is_read(db).await;
    }
);

on_both!(
    what_a_former_household_measured_is_erased_from_objects,
    |db| {
        let stage = Stage::set(db).await;
        move_months(db, &numbered(1), NOON).await;
        let old = std::fs::read(&stage.objects()[0]).unwrap();
        let zone = stage.home.access.zone().clone();
        let moved_out = zone.start_of(first().plus(3));
        db.execute(&format!("UPDATE systems SET history_from = {moved_out}"))
            .await;
        let erased = db.telemetry.erase_former_households(ShardSet::ALL).await;
        assert_eq!(erased.unwrap(), 1);
        db.telemetry.seal_due(ShardSet::ALL, NOON).await.unwrap();
        assert_eq!(move_months(db, &numbered(2), NOON).await, 1);
        assert_eq!(delete_unused(db, NOON + HOUR).await, 1);
        let objects = stage.objects();
        assert_eq!(objects.len(), 1);
        let new = std::fs::read(&objects[0]).unwrap();
        assert!(
            new.len() < old.len() / 2 + 100,
            "{} of {}",
            new.len(),
            old.len()
        );
        let kept = db
            .telemetry
            .day_samples(stage.home.access.site(), first().plus(4));
        assert_eq!(kept.await.unwrap(), stage.history[4]);
    }
);

on_both!(erased_systems_and_deleted_months_leave_no_objects, |db| {
    let stage = Stage::set(db).await;
    move_months(db, &numbered(1), NOON).await;
    let mut tx = db.db().begin().await.unwrap();
    telemetry::erase_all(&mut tx, std::slice::from_ref(&stage.home.sn), NOON)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(delete_unused(db, NOON).await, 1);
    assert_eq!(stage.objects(), Vec::<PathBuf>::new());
    assert_eq!(count(db, "sample_objects").await, 0);

    let written = days(stage.home.access.zone(), first(), 10).into_iter();
    let written =
        db.telemetry
            .write_history(&stage.home.sn, stage.home.access.zone(), written, NOON);
    written.await.unwrap();
    assert_eq!(move_months(db, &numbered(2), NOON).await, 1);
    let august = stage.home.access.zone().start_of(day("2026-08-02"));
    db.telemetry.delete_old_months(august).await.unwrap();
    assert_eq!(delete_unused(db, NOON).await, 1);
    assert_eq!(stage.objects(), Vec::<PathBuf>::new());
    stage.minutes(db).await.unwrap();
});

on_both!(
    a_store_that_does_not_answer_fails_what_needs_it_only,
    |db| {
        let stage = Stage::set(db).await;
        move_months(db, &random(), NOON).await;
        // No server listens there.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", free.local_addr().unwrap());
        drop(free);
        let variables = [
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "eu-central-1"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let away = db.open_again().await;
        let url = "s3://samples/a".parse().unwrap();
        let opened = SampleStore::open(&url, variables.into_iter()).unwrap();
        away.telemetry.use_sample_store(opened);
        for store in [&away, &db.open_again().await] {
            let failed = stage.minutes(store).await;
            assert!(matches!(failed, Err(Error::SampleStore(_))), "{failed:?}");
            let last = store.telemetry.latest_sample(&stage.home.sn, NOON).await;
            assert_eq!(last.unwrap(), stage.history[9].last().copied());
            let range = first()..first().plus(10);
            let site = stage.home.access.site();
            let quarters = store.telemetry.chart(
                site,
                range.clone(),
                Resolution::Quarter,
                Method::Mean,
                &Series::ALL,
            );
            quarters.await.unwrap();
            let totals = store.telemetry.daily_totals(site, range).await.unwrap();
            assert!(totals.iter().all(|day| day.energy[0].is_some()));
        }
        stage.assert_all_is_read(db).await;
    }
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_whose_process_dies_before_the_commit_is_deleted_and_repeated() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let stage = Stage::set(&db).await;
    // The commit waits for this.
    let mut other = PgConnection::connect(db.url()).await.unwrap();
    let lock = "BEGIN; SELECT * FROM sealing FOR UPDATE";
    other.execute(lock).await.unwrap();
    let dying = {
        let store = db.store();
        tokio::spawn(async move { move_months(&store, &numbered(1), NOON).await })
    };
    while stage.objects().is_empty() {
        tokio::task::yield_now().await;
    }
    dying.abort();
    assert!(dying.await.unwrap_err().is_cancelled());
    other.execute("ROLLBACK").await.unwrap();
    stage.assert_all_is_read(&db).await;

    assert_eq!(move_months(&db, &numbered(2), NOON).await, 1);
    assert_eq!(delete_unused(&db, NOON + DAY - 1).await, 0);
    assert_eq!(delete_unused(&db, NOON + DAY).await, 1);
    assert_eq!(stage.objects().len(), 1);
    stage.assert_all_is_read(&db).await;
    db.close().await;
}

on_both!(an_s3_compatible_service_does_what_a_folder_does, |db| {
    const BUCKET: &str = "samples";
    let server = S3Server::start(BUCKET);
    let url = format!("s3://{BUCKET}/portal").parse().unwrap();
    let opened = SampleStore::open(&url, server.variables()).unwrap();
    db.telemetry.use_sample_store(opened);
    // Its folder is not used: the first store stays.
    let mut stage = Stage::set(db).await;
    assert_eq!(move_months(db, &numbered(1), NOON).await, 1);
    let before = server.objects(BUCKET);
    assert_eq!(before.len(), 1);
    assert!(
        before[0].starts_with("portal/") && !before[0].contains(SN),
        "{before:?}"
    );
    stage.assert_all_is_read(db).await;
    stage.minutes(db).await.unwrap();

    let late = Sample {
        id: MessageId::new(9, 9),
        at: stage.history[2][7].at + 1_000,
        ..stage.history[2][7]
    };
    let samples = [late];
    let stored = db.telemetry.append_samples(&stage.home.sn, &samples, NOON);
    assert_eq!(stored.await.unwrap(), 1);
    stage.history[2].insert(8, late);
    db.telemetry.seal_due(ShardSet::ALL, NOON).await.unwrap();
    assert_eq!(move_months(db, &numbered(2), NOON).await, 1);
    assert_eq!(server.objects(BUCKET).len(), 2);
    assert_eq!(delete_unused(db, NOON + HOUR).await, 1);
    let after = server.objects(BUCKET);
    assert_eq!(after.len(), 1);
    assert_ne!(after, before);
    stage.assert_all_is_read(db).await;
});
