//! The caller's own account, and the check that the person is still present.
use crate::caller::PersonCaller;
use crate::error::{Error, Result};
use crate::{Lane, Portal};
use domain::Message;
use store::account::Account;

pub(crate) async fn load_account(portal: &Portal, person: PersonCaller) -> Result<Account> {
    portal
        .store
        .account(person.account)
        .await?
        .ok_or(Error::token_invalid())
}

/// Checks the repeated password, as proof that the person is still present.
pub(crate) async fn reauthenticate(
    portal: &Portal,
    account: &Account,
    password: Option<&str>,
) -> Result<()> {
    let password = password
        .filter(|text| !text.is_empty())
        .ok_or(Error::field("password", Message::Required))?;
    portal.limits.password(account.id()).await?;
    if portal
        .passwords
        .verify(password, Some(account.password_hash.clone()), Lane::Known)
        .await?
    {
        Ok(())
    } else {
        Err(Error::field("password", Message::PasswordWrong))
    }
}
