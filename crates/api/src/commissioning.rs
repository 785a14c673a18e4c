//! What is known of a site while it is brought into service, and how that is told.

mod entry;
mod work;

pub(crate) use entry::{CommissioningEntry, StepEntry};
pub(crate) use work::Work;
