//! By what a demo is known again: everybody knows the passwords of its accounts, so it never becomes a real portal.
use super::devices::DemoDevices;
use std::path::Path;
use store::{Store, shared_option};

/// The option that a demo leaves in its database.
const MARK: &str = "demo";

/// Everybody knows the passwords of what follows, wherever the database is taken.
pub(super) async fn mark_database(store: &Store) -> anyhow::Result<()> {
    let mut tx = store.db().begin().await?;
    shared_option::set_if_missing(&mut tx, MARK, "true").await?;
    tx.commit().await?;
    Ok(())
}

/// Whether a demo has filled this database.
pub(crate) async fn is_demo_database(store: &Store) -> store::Result<bool> {
    Ok(store.shared_options().await?.contains_key(MARK))
}

/// Whether a demo has been here.
pub(crate) fn is_demo_folder(data_dir: &Path) -> bool {
    DemoDevices::path(data_dir).exists()
}
