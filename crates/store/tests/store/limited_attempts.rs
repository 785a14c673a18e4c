//! Attempts that several processes count together.
#![allow(clippy::unwrap_used)]
use domain::attempts::AttemptLimit;
use domain::clock::{HOUR, MINUTE};
use testkit::{NOON, on_both};

const TEN_AN_HOUR: AttemptLimit = AttemptLimit {
    attempts: 10,
    span: HOUR,
};

on_both!(at_once_there_are_never_more_than_the_limit, |db| {
    let mut asking = tokio::task::JoinSet::new();
    for n in 0..40 {
        let store = db.store();
        asking.spawn(async move {
            // In either order: two that wait for each other would be a deadlock.
            let mut names = ["198.51.100.0/24".to_owned(), "account 7".to_owned()];
            names.rotate_left(n % 2);
            let taken = store.take_attempts("keys", TEN_AN_HOUR, &names, 1, NOON);
            taken.await.unwrap().is_ok()
        });
    }
    let taken = asking.join_all().await;
    assert_eq!(taken.into_iter().filter(|taken| *taken).count(), 10);
});

on_both!(each_name_and_each_limit_has_its_own_tries, |db| {
    let store = db.store();
    let take = async |kind: &str, name: &str, tries, now| {
        let names = [name.to_owned()];
        let taken = store.take_attempts(kind, TEN_AN_HOUR, &names, tries, now);
        taken.await.unwrap()
    };
    assert_eq!(take("keys", "anna", 10, NOON).await, Ok(()));
    assert_eq!(
        take("keys", "anna", 1, NOON + MINUTE).await,
        Err(59 * MINUTE)
    );
    assert_eq!(take("keys", "ben", 1, NOON + MINUTE).await, Ok(()));
    assert_eq!(take("totp", "anna", 1, NOON + MINUTE).await, Ok(()));
    let anna = ["anna".to_owned()];
    store.give_back_attempts("keys", &anna, 2).await.unwrap();
    assert_eq!(take("keys", "anna", 2, NOON + MINUTE).await, Ok(()));
    // A refusal takes nothing, and clearing removes nothing that still counts.
    take("keys", "anna", 1, NOON + 30 * MINUTE)
        .await
        .unwrap_err();
    store.purge_attempts(NOON + HOUR).await.unwrap();
    assert_eq!(take("keys", "anna", 8, NOON + HOUR).await, Ok(()));
    take("keys", "anna", 1, NOON + HOUR).await.unwrap_err();
});
