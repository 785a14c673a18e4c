//! Firmware: who signs it, what is published and to whom it is offered, and the updates that people have started.

mod job;
mod key;
mod progress;
mod release;
mod rollout;
mod running;

pub(crate) use job::leave;
pub use job::{JobPart, NewJob, Started, UpdateJob};
pub(crate) use progress::{confirmed, reported};
pub use release::{NewRelease, Notes, Release, ReleaseState, Releases, installed};
pub(crate) use running::Running;
