//! A database that was written by the last release with a row per sample.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::clock::MINUTE;
use std::collections::BTreeMap;

const FIXTURE: &[u8] = include_bytes!("../data/before-the-sample-log.db.zst");

type StoredIds = BTreeMap<String, Vec<(i64, i64, i64)>>;

async fn old_rows(url: &str) -> StoredIds {
    let pool = sqlx::SqlitePool::connect(url).await.unwrap();
    let sql = "SELECT sn, ts, boot, seq FROM samples ORDER BY sn, ts, boot, seq";
    let rows: Vec<(String, i64, i64, i64)> = sqlx::query_as(sql).fetch_all(&pool).await.unwrap();
    pool.close().await;
    let mut found = StoredIds::new();
    for (sn, at, boot, seq) in rows {
        found.entry(sn).or_default().push((at, boot, seq));
    }
    found
}

#[tokio::test]
async fn samples_of_the_last_release_are_all_there_after_the_first_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("suncellar.db");
    std::fs::write(&file, zstd::decode_all(FIXTURE).unwrap()).unwrap();
    let url = format!("sqlite:{}", file.display());
    let before = old_rows(&url).await;
    assert_eq!(before.values().map(Vec::len).sum::<usize>(), 179);

    let store = testkit::database::open(&url).await.unwrap();
    for (sn, samples) in &before {
        assert_eq!(testkit::database::samples(&url, sn).await, *samples);
    }
    assert!(old_rows(&url).await.is_empty());

    // A repeat of such a sample is recognised.
    let (sn, samples) = before.first_key_value().unwrap();
    let sn: Serial = sn.parse().unwrap();
    let stored = store.telemetry.unsealed_samples(&sn).await.unwrap();
    let now = samples[0].0 + MINUTE;
    let again = store.telemetry.append_samples(&sn, &stored, now).await;
    assert_eq!(again.unwrap(), 0);
    store.db().close().await;

    // A second start finds nothing to do.
    let store = testkit::database::open(&url).await.unwrap();
    let after = store.telemetry.unsealed_samples(&sn).await.unwrap();
    assert_eq!(after, stored);
    store.db().close().await;
}
