//! Connections to PostgreSQL: how many there are, and for how long one waits.
#![allow(clippy::unwrap_used)]
use db::{Db, Error, Pool};
use testkit::TestDb;

#[tokio::test]
async fn there_are_never_more_than_the_operator_allows() {
    let Some(test) = TestDb::postgres().await else {
        return;
    };
    let db = Db::open_with_connections(test.url(), 2).await.unwrap();
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let db = db.clone();
        asking.spawn(async move {
            let _tx = db.begin().await.unwrap();
            let Pool::Postgres(pool) = db.pool() else {
                unreachable!()
            };
            pool.size()
        });
    }
    let open = asking.join_all().await;
    assert_eq!(open.into_iter().max(), Some(2));
    db.close().await;
}

#[tokio::test]
async fn a_statement_does_not_wait_for_a_lock_for_ever() {
    let Some(test) = TestDb::postgres().await else {
        return;
    };
    let store = test.store();
    let Pool::Postgres(pool) = store.db().pool() else {
        unreachable!()
    };
    let mut holder = pool.begin().await.unwrap();
    let lock = "LOCK TABLE shared_options IN ACCESS EXCLUSIVE MODE";
    sqlx::query(lock).execute(&mut *holder).await.unwrap();
    let refused = store.shared_options().await.unwrap_err();
    let Error::Sqlx(sqlx::Error::Database(cause)) = refused else {
        panic!("{refused}");
    };
    assert_eq!(cause.code().unwrap(), "55P03"); // lock_not_available
    holder.rollback().await.unwrap();
    store.shared_options().await.unwrap();
}
