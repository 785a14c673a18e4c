//! The known state of a site during commissioning, and how the API shows it.

mod entry;
mod progress;
mod statement;

pub(crate) use entry::{CommissioningEntry, StepEntry};
pub(crate) use progress::CommissioningProgress;
pub(crate) use statement::DoStep;

use crate::parameter::SerialNumber;
use serde::Deserialize;
use utoipa::IntoParams;

/// Selects the system of a call.
#[derive(Deserialize, IntoParams)]
pub(crate) struct CommissioningQuery {
    /// The serial number of the system.
    #[serde(default)]
    #[param(value_type = SerialNumber, required = true)]
    sn: String,
}

impl CommissioningQuery {
    pub(crate) fn sn(&self) -> &str {
        self.sn.trim()
    }
}
