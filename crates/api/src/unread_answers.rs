//! Bounds the memory of answers that their callers do not read. Most answers are built whole: a fleet's list, a journal as a file, a
//! photo. A client that requests many of them and reads slowly would otherwise fill the memory.
use crate::answer_guard::attach_guard;
use crate::error::{Error, Result};
use axum::body::HttpBody as _;
use axum::response::Response;
use domain::{AccountId, Message};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Smaller answers are bounded by the number of connections.
const MIN_COUNTED_BYTES: usize = 64 * 1024;
/// All that one account may leave unread, whatever its number of logins: nine times the longest list of a fleet of 5,000.
const MAX_BYTES_PER_ACCOUNT: usize = 64 * 1024 * 1024;

/// It cannot be predicted when an answer will be read. This is a reasonable time to retry.
const RETRY_AFTER_SECONDS: u64 = 10;

/// How many bytes each account has not taken yet.
#[derive(Clone, Debug)]
pub(crate) struct UnreadAnswers {
    min_counted: usize,
    max_per_account: usize,
    bytes: Arc<Mutex<HashMap<AccountId, usize>>>,
}

impl Default for UnreadAnswers {
    fn default() -> Self {
        Self::new(MIN_COUNTED_BYTES, MAX_BYTES_PER_ACCOUNT)
    }
}

impl UnreadAnswers {
    fn new(min_counted: usize, max_per_account: usize) -> Self {
        Self {
            min_counted,
            max_per_account,
            bytes: Arc::default(),
        }
    }

    /// The answer, counted until it was sent or given up; or a refusal, if the account has not taken enough of those before. One
    /// answer alone may be of any size. What is made while it is read, such as streams and exports, has slots of its own.
    pub(crate) fn count(&self, account: AccountId, answer: Response) -> Result<Response> {
        let size = answer.body().size_hint().exact();
        let size = size.and_then(|size| usize::try_from(size).ok());
        let Some(size) = size.filter(|size| *size >= self.min_counted) else {
            return Ok(answer);
        };
        let mut unread = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let before = unread.get(&account).copied().unwrap_or_default();
        if before > 0 && before + size > self.max_per_account {
            return Err(Error::RateLimited {
                seconds: RETRY_AFTER_SECONDS,
                message: Message::TooManyDownloads,
            });
        }
        unread.insert(account, before + size);
        drop(unread);
        let counted = Counted {
            answers: self.clone(),
            account,
            size,
        };
        Ok(attach_guard(answer, counted))
    }
}

/// One answer among those that an account has not taken; dropping it takes it off.
struct Counted {
    answers: UnreadAnswers,
    account: AccountId,
    size: usize,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let unread = &self.answers.bytes;
        let mut unread = unread.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = unread.get_mut(&self.account) {
            *bytes -= self.size;
            if *bytes == 0 {
                unread.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    #[test]
    fn an_account_leaves_only_so_much_unread() {
        let answers = UnreadAnswers::new(10, 100);
        let answer = |size: usize| Response::new(Body::from(vec![0; size]));
        let (anna, ben) = (AccountId(1), AccountId(2));
        let first = answers.count(anna, answer(60)).unwrap();
        assert_eq!(first.body().size_hint().exact(), Some(60));
        let refused = answers.count(anna, answer(60));
        assert!(matches!(refused, Err(Error::RateLimited { .. })));
        let second = answers.count(anna, answer(40)).unwrap();
        answers.count(anna, answer(10)).unwrap_err();
        // Small answers, and other people's, are not concerned.
        answers.count(anna, answer(9)).unwrap();
        answers.count(ben, answer(1_000)).unwrap();
        drop(first);
        drop(answers.count(anna, answer(60)).unwrap());
        drop(second);
        assert!(answers.bytes.lock().unwrap().is_empty());
    }
}
