//! Proof that an account may touch a system. Only this file can make one, so an unscoped query cannot be written.
use crate::{Result, Store};
use domain::{AccountId, Serial};

/// What an account may do with a system, as the list of systems names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Owner,
}

impl Level {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
        }
    }
}

/// An account's right to one system, read from the database for this one request.
#[derive(Clone, Debug)]
pub struct Access {
    account: AccountId,
    sn: Serial,
}

impl Access {
    pub fn account(&self) -> AccountId {
        self.account
    }

    pub fn sn(&self) -> &Serial {
        &self.sn
    }
}

impl Store {
    /// `None` both for somebody else's serial number and for one that does not exist: one query, one answer.
    pub async fn access(&self, account: AccountId, sn: &Serial) -> Result<Option<Access>> {
        let owned: Option<i64> = on!(self, p => sqlx::query_scalar(
            "SELECT owner_id FROM systems WHERE sn = $1 AND owner_id = $2")
            .bind(sn.as_str()).bind(account.0).fetch_optional(p).await)?;
        Ok(owned.map(|_| Access {
            account,
            sn: sn.clone(),
        }))
    }
}
