//! The answer to a change that is blocked by the operator's brake or by the limit per minute.
use crate::error::Error;
use axum::http::StatusCode;
use domain::Message;
use store::guard::ChangeBlocked;

pub(crate) const fn blocked_message(blocked: ChangeBlocked) -> Message {
    match blocked {
        ChangeBlocked::Braked => Message::FleetBraked,
        ChangeBlocked::TooManyDevices { .. } => Message::TooManyDevices,
    }
}

impl From<ChangeBlocked> for Error {
    fn from(blocked: ChangeBlocked) -> Self {
        let message = blocked_message(blocked);
        match blocked {
            ChangeBlocked::Braked => Self::Refused(StatusCode::SERVICE_UNAVAILABLE, message),
            ChangeBlocked::TooManyDevices { wait } => Self::RateLimited {
                seconds: u64::try_from(wait / 1_000).unwrap_or(0) + 1,
                message,
            },
        }
    }
}
