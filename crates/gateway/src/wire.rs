//! The device link as batteries speak it. Only the files below know its topics and its JSON.

mod down;
mod topic;
mod up;

pub(crate) use down::Down;
pub(crate) use topic::{DownTopic, DownTopics, UpTopic, has_control_character};
pub(crate) use up::{
    EventMessage, EventTime, HelloMessage, LastWill, RejectReason, SampleMessage, Up,
};
