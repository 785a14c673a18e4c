//! Firmware: signing keys, published releases and their rollouts, and the updates that people have started.

mod job;
mod key;
mod progress;
mod release;
mod rollout;
mod update_cache;

pub(crate) use job::erase_for_former_owner;
pub use job::{JobPart, NewJob, UpdateJob, UpdateStart};
pub(crate) use progress::{confirm_versions, record_progress};
pub use release::{NewRelease, Release, ReleaseNotes, ReleaseState, Releases, installed_version};
pub(crate) use update_cache::UpdateCache;
