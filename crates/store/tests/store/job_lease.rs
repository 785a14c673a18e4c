//! Processes on one PostgreSQL share the shards: each is held once, and the shards of a process that dies are taken over.
#![allow(clippy::unwrap_used)]
use domain::shard::{Shard, ShardSet};
use std::time::Duration;
use store::Store;
use store::job_lease::ShardLeases;
use testkit::{TestDb, eventually};

const LONG: Duration = Duration::from_secs(600);

async fn renew(store: &Store, worker: i64, duration: Duration) -> ShardLeases {
    store.renew_job_leases(worker, duration).await.unwrap()
}

async fn is_held(store: &Store, held: &ShardLeases, shard: Shard) -> bool {
    let mut tx = store.db().begin().await.unwrap();
    let lease = held.lease(shard).unwrap();
    lease.is_held(&mut tx).await.unwrap()
}

#[tokio::test]
async fn the_only_process_on_sqlite_holds_every_shard() {
    let test = TestDb::sqlite().await;
    let held = renew(&test.store(), 1, LONG).await;
    assert_eq!(held.shards(), ShardSet::ALL);
    assert!(is_held(&test.store(), &held, Shard::FIRST).await);
}

#[tokio::test]
async fn every_shard_is_held_once_and_a_new_process_gets_its_part() {
    let Some(test) = TestDb::postgres().await else {
        return;
    };
    let store = &test.store();
    let alone = renew(store, 1, LONG).await;
    assert_eq!(alone.shards(), ShardSet::ALL);
    assert!(renew(store, 2, LONG).await.shards().is_empty());
    // Each gives up what is more than its part, and then the other takes it.
    let one = renew(store, 1, LONG).await;
    let two = renew(store, 2, LONG).await;
    assert_eq!((one.shards().len(), two.shards().len()), (16, 16));
    let both: ShardSet = Shard::each()
        .filter(|shard| one.shards().contains(*shard) != two.shards().contains(*shard))
        .collect();
    assert_eq!(both, ShardSet::ALL);
    // Kept from renewal to renewal.
    assert_eq!(renew(store, 1, LONG).await.shards(), one.shards());

    store.release_job_leases(1).await.unwrap();
    let two = renew(store, 2, LONG).await;
    assert_eq!(two.shards(), ShardSet::ALL);
}

#[tokio::test]
async fn who_comes_back_after_its_lease_was_over_writes_nothing() {
    let Some(test) = TestDb::postgres().await else {
        return;
    };
    let store = &test.store();
    let former = renew(store, 1, Duration::from_millis(1)).await;
    let mut present = ShardLeases::default();
    eventually("the other takes over", async || {
        present = renew(store, 2, LONG).await;
        present.shards() == ShardSet::ALL
    })
    .await;
    assert!(!is_held(store, &former, Shard::FIRST).await);
    assert!(is_held(store, &present, Shard::FIRST).await);
}

#[tokio::test]
async fn while_a_result_is_written_nobody_takes_the_shard() {
    let Some(test) = TestDb::postgres().await else {
        return;
    };
    let store = &test.store();
    let former = renew(store, 1, Duration::from_millis(1)).await;
    let mut tx = store.db().begin().await.unwrap();
    let lease = former.lease(Shard::FIRST).unwrap();
    assert!(lease.is_held(&mut tx).await.unwrap());
    let mut present = ShardLeases::default();
    eventually("the other takes the rest", async || {
        present = renew(store, 2, LONG).await;
        present.shards().len() == 31
    })
    .await;
    assert!(present.lease(Shard::FIRST).is_none());
    drop(tx);
    eventually("it is free", async || {
        renew(store, 2, LONG).await.shards() == ShardSet::ALL
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_come_back_together_share_the_shards_without_a_deadlock() {
    let Some(test) = TestDb::postgres().await else {
        return;
    };
    let store = &test.store();
    let all = || {
        let one = |worker| renew(store, worker, LONG);
        async move { tokio::join!(one(1), one(2), one(3), one(4)) }
    };
    all().await;
    for _ in 0..20 {
        // As after a minute without the database.
        for table in ["job_workers", "job_leases"] {
            test.execute(&format!("UPDATE {table} SET expires_at = 0"))
                .await;
        }
        all().await;
    }
}
