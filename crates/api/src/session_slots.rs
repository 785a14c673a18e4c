//! Limits the answers that a session keeps open at the same time.
use crate::error::{Error, Result};
use domain::Message;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use store::session::SessionId;

/// Concurrent streams per session, such as browser windows.
const MAX_STREAMS_PER_SESSION: usize = 6;
/// Concurrent exports per session. Each one reads as fast as its client accepts data.
const MAX_EXPORTS_PER_SESSION: usize = 2;

/// A slot is freed when a window is closed or a download ends, which cannot be predicted. This is a reasonable time to retry.
const RETRY_AFTER_SECONDS: u64 = 10;

/// How many open-ended answers (streams or exports) each session has open.
#[derive(Clone, Debug)]
pub(crate) struct SessionSlots {
    max_per_session: usize,
    refusal: Message,
    open: Arc<Mutex<HashMap<SessionId, usize>>>,
}

impl SessionSlots {
    pub(crate) fn for_streams() -> Self {
        Self::new(MAX_STREAMS_PER_SESSION, Message::TooManyStreams)
    }

    pub(crate) fn for_exports() -> Self {
        Self::new(MAX_EXPORTS_PER_SESSION, Message::TooManyExports)
    }

    fn new(max_per_session: usize, refusal: Message) -> Self {
        Self {
            max_per_session,
            refusal,
            open: Arc::default(),
        }
    }

    pub(crate) fn acquire(&self, session: SessionId) -> Result<SessionSlot> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(session).or_default();
        if *count >= self.max_per_session {
            return Err(Error::RateLimited {
                seconds: RETRY_AFTER_SECONDS,
                message: self.refusal,
            });
        }
        *count += 1;
        drop(open);
        Ok(SessionSlot {
            slots: self.clone(),
            session,
        })
    }
}

/// The slot of an open answer; dropping it frees the slot.
pub(crate) struct SessionSlot {
    slots: SessionSlots,
    pub(crate) session: SessionId,
}

impl Drop for SessionSlot {
    fn drop(&mut self) {
        let slots = &self.slots.open;
        let mut open = slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.session) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.session);
            }
        }
    }
}
