//! Companies of electricians and their members.
mod invitation;

pub use invitation::{
    CompanyInvitation, NewCompanyInvitation, count_invitations, insert_invitation, use_invitation,
    withdraw_invitation,
};

use crate::second_factor::has_second_factor;
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::company::CompanyRight;
use domain::{AccountId, CompanyId, CompanyRole, Membership};

/// The author of an action as others see it: the name of account `$person`, if there is one, and that of company `$company`. NULL
/// without a company.
macro_rules! author {
    ($person:literal, $company:literal) => {
        concat!(
            "CASE WHEN ",
            $person,
            ".name IS NULL OR ",
            $person,
            ".name = ",
            $company,
            ".name THEN ",
            $company,
            ".name
                 ELSE ",
            $person,
            ".name || ' (' || ",
            $company,
            ".name || ')' END"
        )
    };
}
pub(crate) use author;

/// `SELECT …` of an account and all members of its company.
macro_rules! colleagues {
    ($account:literal) => {
        concat!(
            "SELECT o.id FROM accounts o WHERE o.id = ",
            $account,
            " OR o.company_id = (SELECT h.company_id FROM accounts h WHERE h.id = ",
            $account,
            ")"
        )
    };
}
pub(crate) use colleagues;

#[derive(Clone, Debug)]
pub struct Member {
    pub account: AccountId,
    pub email: String,
    pub name: Option<String>,
    pub role: CompanyRole,
    pub second_factor: bool,
    pub created_at: Millis,
}

#[derive(Debug, FromRow)]
struct MemberRow {
    id: i64,
    email: String,
    name: Option<String>,
    company_role: Option<String>,
    second_factor: bool,
    created_at: Millis,
}

macro_rules! select_members {
    ($which:literal) => {
        concat!(
            "SELECT a.id, a.email, a.name, a.company_role, a.created_at, ",
            has_second_factor!(),
            " AS second_factor
             FROM accounts a ",
            $which
        )
    };
}

/// The role of an electrician; `None` for other accounts.
pub(crate) fn parse_role(text: Option<&str>) -> Result<Option<CompanyRole>> {
    let role = text.map(str::parse).transpose();
    role.map_err(|_| Error::Damaged("accounts.company_role"))
}

impl MemberRow {
    fn member(self) -> Result<Member> {
        let role = parse_role(self.company_role.as_deref())?;
        Ok(Member {
            account: AccountId(self.id),
            email: self.email,
            name: self.name,
            role: role.ok_or(Error::Damaged("accounts.company_role"))?,
            second_factor: self.second_factor,
            created_at: self.created_at,
        })
    }
}

pub async fn insert(tx: &mut Tx, name: &str, now: Millis) -> Result<CompanyId> {
    let id: i64 = within!(tx, c => sqlx::query_scalar("INSERT INTO companies (name, created_at) VALUES ($1, $2) RETURNING id")
        .bind(name).bind(now).fetch_one(c).await)?;
    Ok(CompanyId(id))
}

/// Sets the name of the account's company.
pub async fn rename(tx: &mut Tx, account: AccountId, name: &str) -> Result<()> {
    let renamed = execute!(
        tx,
        sqlx::query(
            "UPDATE companies SET name = $2
             WHERE id = (SELECT company_id FROM accounts WHERE id = $1 AND company_role = 'owner')"
        )
        .bind(account.0)
        .bind(name)
    )?;
    match renamed {
        0 => Err(Error::Conflict),
        _ => Ok(()),
    }
}

/// The account's membership, with the company locked until the transaction ends: of two changes of its members, the second sees
/// the first. `None` without a company. Lock order: the company before the account's row.
pub async fn lock_membership(tx: &mut Tx, account: AccountId) -> Result<Option<Membership>> {
    execute!(
        &mut *tx,
        sqlx::query("UPDATE companies SET name = name WHERE id = (SELECT company_id FROM accounts WHERE id = $1)")
            .bind(account.0)
    )?;
    membership(tx, account).await
}

/// The account's membership; `None` without a company.
pub async fn membership(tx: &mut Tx, account: AccountId) -> Result<Option<Membership>> {
    let found: Option<(Option<i64>, Option<String>)> = within!(tx, c => sqlx::query_as(
        "SELECT company_id, company_role FROM accounts WHERE id = $1")
        .bind(account.0).fetch_optional(c).await)?;
    let Some((Some(company), role)) = found else {
        return Ok(None);
    };
    let role = parse_role(role.as_deref())?;
    Ok(role.map(|role| Membership {
        company: CompanyId(company),
        role,
    }))
}

/// In the order in which they joined.
pub async fn members(tx: &mut Tx, company: CompanyId) -> Result<Vec<Member>> {
    let rows: Vec<MemberRow> = within!(tx, c => sqlx::query_as(select_members!("WHERE a.company_id = $1 ORDER BY a.id"))
        .bind(company.0).fetch_all(c).await)?;
    rows.into_iter().map(MemberRow::member).collect()
}

/// The members whose role has this right.
pub async fn members_who_may(
    tx: &mut Tx,
    company: CompanyId,
    right: CompanyRight,
) -> Result<Vec<AccountId>> {
    let members = members(tx, company).await?.into_iter();
    let able = members.filter(|member| member.role.may(right));
    Ok(able.map(|member| member.account).collect())
}

/// Sets a membership. Rights of the former one end.
pub async fn set_membership(
    tx: &mut Tx,
    account: AccountId,
    membership: Membership,
    now: Millis,
) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("UPDATE accounts SET company_id = $2, company_role = $3 WHERE id = $1")
            .bind(account.0)
            .bind(membership.company.0)
            .bind(membership.role.as_str())
    )?;
    end_powers(tx, account, now).await
}

/// Ends what an account started and could not start in another company: commands that batteries have not received, and
/// invitations.
pub async fn end_powers(tx: &mut Tx, account: AccountId, now: Millis) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("UPDATE commands SET state = 'expired', ended_at = $2 WHERE account_id = $1 AND state = 'queued'")
            .bind(account.0)
            .bind(now)
    )?;
    execute!(
        tx,
        sqlx::query("DELETE FROM company_invitations WHERE invited_by = $1").bind(account.0)
    )?;
    Ok(())
}

/// Deletes an account's data about the systems of the company that it leaves: places in groups, and setting batches.
pub async fn forget_systems(tx: &mut Tx, account: AccountId) -> Result<()> {
    for delete in [
        "DELETE FROM group_systems WHERE account_id = $1",
        "DELETE FROM setting_batch_systems WHERE batch_id IN (SELECT id FROM setting_batches WHERE account_id = $1)",
        "DELETE FROM alarm_news WHERE account_id = $1",
    ] {
        execute!(&mut *tx, sqlx::query(delete).bind(account.0))?;
    }
    Ok(())
}

/// Deletes a company without members, with its grants.
pub async fn delete(tx: &mut Tx, company: CompanyId) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM companies WHERE id = $1").bind(company.0)
    )?;
    Ok(())
}

/// Locks the company's row until the transaction ends. A conflict if the company was deleted meanwhile.
pub async fn lock(tx: &mut Tx, company: CompanyId) -> Result<()> {
    let found = execute!(
        tx,
        sqlx::query("UPDATE companies SET name = name WHERE id = $1").bind(company.0)
    )?;
    match found {
        0 => Err(Error::Conflict),
        _ => Ok(()),
    }
}

impl Store {
    /// All members, in the order in which they joined.
    pub async fn company_members(&self, company: CompanyId) -> Result<Vec<Member>> {
        let rows: Vec<MemberRow> = on!(self, p => sqlx::query_as(select_members!("WHERE a.company_id = $1 ORDER BY a.id"))
            .bind(company.0).fetch_all(p).await)?;
        rows.into_iter().map(MemberRow::member).collect()
    }
}
