//! What tests and people see of a running battery.
use crate::wire::FirmwareVersions;
use domain::Serial;
use domain::sample::MessageId;
use std::sync::{Arc, Mutex};

/// The ids of the samples that were acknowledged.
pub(crate) type AcknowledgedIds = Arc<Mutex<Vec<MessageId>>>;

/// An order of the portal that a battery executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutedOrder {
    /// Applied settings, by version.
    Settings(i64),
    /// An executed command, by id.
    Command(String),
}

pub(crate) type ExecutedOrders = Arc<Mutex<Vec<ExecutedOrder>>>;

/// A battery's state as seen by a person in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceState {
    pub serial: Serial,
    pub powered: bool,
    pub switched_on: bool,
    /// It reports a fault.
    pub faulty: bool,
    /// The running versions.
    pub firmware: FirmwareVersions,
}

pub(crate) type SharedDeviceState = Arc<Mutex<DeviceState>>;
