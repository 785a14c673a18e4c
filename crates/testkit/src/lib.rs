//! For tests only: a fresh database per test on both engines, a clock that stands still, seeded chance.

pub mod database;
mod dump;
pub mod random;

pub use database::TestDb;

/// A Sunday in November 2026, noon in Germany; tests move the clock from here.
pub const NOON: i64 = 1_794_740_400_000;

/// Writes one test that runs on every engine: `on_both!(name, |store| { … })`.
#[macro_export]
macro_rules! on_both {
    ($name:ident, |$db:ident| $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            async fn check($db: &$crate::TestDb) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let db = $crate::TestDb::sqlite().await;
                check(&db).await;
                db.close().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let Some(db) = $crate::TestDb::postgres().await else { return };
                check(&db).await;
                db.close().await;
            }
        }
    };
}
