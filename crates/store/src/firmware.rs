//! Firmware: signing keys, published releases and their rollouts, and the updates that people have started.

mod affected;
pub mod key;
mod progress;
pub mod release;
pub mod rollout;
pub mod update;
mod update_cache;
mod update_job;

pub use affected::{AffectedUnit, UnitOwner};
pub(crate) use progress::{confirm_versions, record_progress};
pub use release::{NewRelease, Release, ReleaseNotes, ReleaseState, Releases, installed_version};
pub use update::erase_for_former_owner;
pub(crate) use update_cache::UpdateCache;
pub use update_job::{JobPart, UpdateJob};
