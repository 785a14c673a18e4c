//! Accounts: created by registration, changed by their owner, locked by the operator, erased on request.
use crate::{Error, Result, Store, company};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::{
    AccountId, CompanyId, CompanyRole, Country, Email, Lang, Membership, Phone, Role, Serial,
    without_links,
};

/// A person's own data as given at registration.
#[derive(Clone, Debug)]
pub struct Profile {
    pub email: Email,
    pub role: Role,
    pub phone: Phone,
    pub country: Country,
    /// The company that an electrician founds.
    pub company: Option<String>,
    pub language: Lang,
}

#[derive(Clone, Debug, FromRow)]
pub struct Account {
    pub id: i64,
    pub email: String,
    pub password_hash: String,
    pub role: String,
    pub phone: String,
    /// The owner's postal address, if they have entered one.
    pub address: Option<String>,
    pub country: String,
    /// A company member's own name, if entered.
    pub name: Option<String>,
    pub company_id: Option<i64>,
    pub company_role: Option<String>,
    /// The company's name.
    pub company: Option<String>,
    pub language: String,
    pub terms_version: String,
    pub terms_at: Millis,
    pub created_at: Millis,
    /// When a mailed link or code proved access to the mailbox. `None` if the address was only typed.
    pub email_confirmed_at: Option<Millis>,
    pub locked_at: Option<Millis>,
    pub alarm_mail: String,
    /// When the last mail about alarms was sent.
    pub alarm_told_at: Option<Millis>,
}

impl Account {
    pub fn id(&self) -> AccountId {
        AccountId(self.id)
    }

    pub fn role(&self) -> Result<Role> {
        self.role
            .parse()
            .map_err(|_| Error::Damaged("accounts.role"))
    }

    /// The membership in a company. All electricians have one, and no other accounts.
    pub fn membership(&self) -> Result<Option<Membership>> {
        let Some(company) = self.company_id.map(CompanyId) else {
            return Ok(None);
        };
        let role = company::parse_role(self.company_role.as_deref())?;
        Ok(role.map(|role| Membership { company, role }))
    }

    pub fn country(&self) -> Result<Country> {
        self.country
            .parse()
            .map_err(|_| Error::Damaged("accounts.country"))
    }

    pub fn lang(&self) -> Lang {
        self.language.parse().unwrap_or_default()
    }
}

/// `SELECT …` of an [`Account`] `a` with the given condition.
macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT a.*, c.name AS company FROM accounts a LEFT JOIN companies c ON c.id = a.company_id ",
            $condition
        )
    };
}
pub(crate) use select;

/// Fields that can be changed without authenticating again; the company's name only by its owners. `None` leaves a field
/// unchanged.
#[derive(Clone, Debug, Default)]
pub struct ProfileChange {
    pub phone: Option<Phone>,
    /// An owner's postal address. An empty text removes it.
    pub address: Option<String>,
    pub country: Option<Country>,
    /// A company member's own name, which others see next to the company's name.
    pub name: Option<String>,
    pub company: Option<String>,
    pub language: Option<Lang>,
}

pub struct NewAccount<'a> {
    pub profile: &'a Profile,
    pub password_hash: &'a str,
    pub terms_version: &'a str,
    pub terms_at: Millis,
    /// The registration's link was mailed to the address.
    pub email_confirmed: bool,
    /// The membership of an electrician who was invited to a company. Without it, an electrician founds one.
    pub joins: Option<Membership>,
    pub name: Option<&'a str>,
}

/// Inserts the account, and an electrician's company. Deletes all other pending registrations for the same address.
pub async fn insert(tx: &mut Tx, new: NewAccount<'_>, now: Millis) -> Result<AccountId> {
    let profile = new.profile;
    let founded = match (new.joins, profile.company.as_deref()) {
        (Some(membership), _) => Some(membership),
        (None, Some(name)) => Some(Membership {
            company: company::insert(tx, name, now).await?,
            role: CompanyRole::Owner,
        }),
        (None, None) => None,
    };
    let id: i64 = within!(tx, c => sqlx::query_scalar(
        "INSERT INTO accounts (email, password_hash, role, phone, country, company_id, language, terms_version, terms_at, created_at,
            email_confirmed_at, company_role, name)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id")
        .bind(profile.email.as_str())
        .bind(new.password_hash)
        .bind(profile.role.as_str())
        .bind(profile.phone.as_str())
        .bind(profile.country.code())
        .bind(founded.map(|it| it.company.0))
        .bind(profile.language.code())
        .bind(new.terms_version)
        .bind(new.terms_at)
        .bind(now)
        .bind(new.email_confirmed.then_some(now))
        .bind(founded.map(|it| it.role.as_str()))
        .bind(new.name)
        .fetch_one(c).await)?;
    execute!(
        tx,
        sqlx::query("DELETE FROM registrations WHERE email = $1").bind(profile.email.as_str())
    )?;
    Ok(AccountId(id))
}

/// Locks the account's row until the transaction ends, on both engines. Of two concurrent requests, the second sees the changes
/// of the first. A conflict if the account was deleted meanwhile. Lock order: this row before rows of systems.
pub async fn lock_account_row(tx: &mut Tx, account: AccountId) -> Result<()> {
    let found = execute!(
        tx,
        sqlx::query("UPDATE accounts SET language = language WHERE id = $1").bind(account.0)
    )?;
    match found {
        0 => Err(Error::Conflict),
        _ => Ok(()),
    }
}

pub async fn exists(tx: &mut Tx, email: &Email) -> Result<bool> {
    let found: Option<i64> = within!(tx, c => sqlx::query_scalar("SELECT id FROM accounts WHERE email = $1")
        .bind(email.as_str()).fetch_optional(c).await)?;
    Ok(found.is_some())
}

/// The address and the language for mails to an account.
#[derive(Clone, Debug, FromRow)]
pub struct Contact {
    pub email: String,
    pub language: String,
}

pub async fn contact(tx: &mut Tx, account: AccountId) -> Result<Option<Contact>> {
    Ok(
        within!(tx, c => sqlx::query_as("SELECT email, language FROM accounts WHERE id = $1")
        .bind(account.0).fetch_optional(c).await)?,
    )
}

/// The language of the account with this address.
pub async fn language_at(tx: &mut Tx, email: &str) -> Result<Option<String>> {
    Ok(
        within!(tx, c => sqlx::query_scalar("SELECT language FROM accounts WHERE email = $1")
        .bind(email).fetch_optional(c).await)?,
    )
}

/// What others see of an account in a mail: an electrician's name and company, or the address.
pub async fn display_name(tx: &mut Tx, account: AccountId) -> Result<Option<String>> {
    let found: Option<(Option<String>, String)> = within!(tx, c => sqlx::query_as(concat!(
        "SELECT ", company::author!("a", "c"), ", a.email FROM accounts a LEFT JOIN companies c ON c.id = a.company_id WHERE a.id = $1"))
        .bind(account.0).fetch_optional(c).await)?;
    Ok(found.map(|(author, email)| author.map_or(email, |name| without_links(&name))))
}

/// The account as this transaction sees it.
pub async fn find(tx: &mut Tx, id: AccountId) -> Result<Option<Account>> {
    Ok(within!(tx, c => sqlx::query_as(select!("WHERE a.id = $1"))
        .bind(id.0).fetch_optional(c).await)?)
}

pub async fn update_profile(tx: &mut Tx, account: AccountId, change: &ProfileChange) -> Result<()> {
    // Lock order: the company before the account.
    if let Some(name) = &change.company {
        company::rename(tx, account, name).await?;
    }
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE accounts SET phone = COALESCE($2, phone), country = COALESCE($3, country),
                name = COALESCE($4, name), language = COALESCE($5, language), address = NULLIF(COALESCE($6, address), '')
             WHERE id = $1"
        )
        .bind(account.0)
        .bind(change.phone.as_ref().map(Phone::as_str))
        .bind(change.country.map(Country::code))
        .bind(change.name.as_deref())
        .bind(change.language.map(Lang::code))
        .bind(change.address.as_deref())
    )?;
    Ok(())
}

pub async fn set_password_hash(tx: &mut Tx, account: AccountId, hash: &str) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE accounts SET password_hash = $2 WHERE id = $1")
            .bind(account.0)
            .bind(hash)
    )?;
    Ok(())
}

/// Sets a new address, which its mailed link has confirmed.
pub async fn set_email(tx: &mut Tx, account: AccountId, email: &Email, now: Millis) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE accounts SET email = $2, email_confirmed_at = $3 WHERE id = $1")
            .bind(account.0)
            .bind(email.as_str())
            .bind(now)
    )?;
    Ok(())
}

/// Marks the account's address as confirmed, because a mailed link or code was used.
pub async fn confirm_email(tx: &mut Tx, account: AccountId, now: Millis) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "UPDATE accounts SET email_confirmed_at = $2 WHERE id = $1 AND email_confirmed_at IS NULL"
        )
        .bind(account.0)
        .bind(now)
    )?;
    Ok(())
}

/// Locks the account with this address since `locked_at`, or unlocks it. `None` if there is no such account.
pub async fn set_locked(
    tx: &mut Tx,
    email: &Email,
    locked_at: Option<Millis>,
) -> Result<Option<AccountId>> {
    let id: Option<i64> = within!(tx, c => sqlx::query_scalar(
        "UPDATE accounts SET locked_at = $2 WHERE email = $1 RETURNING id")
        .bind(email.as_str()).bind(locked_at).fetch_optional(c).await)?;
    Ok(id.map(AccountId))
}

impl Store {
    pub async fn account_by_email(&self, email: &Email) -> Result<Option<Account>> {
        Ok(on!(self, p => sqlx::query_as(select!("WHERE a.email = $1"))
            .bind(email.as_str()).fetch_optional(p).await)?)
    }

    pub async fn account(&self, id: AccountId) -> Result<Option<Account>> {
        Ok(on!(self, p => sqlx::query_as(select!("WHERE a.id = $1"))
            .bind(id.0).fetch_optional(p).await)?)
    }
}

/// Deletes what waits for an address or was sent to it, whichever account caused it. Only for a confirmed address: other people's
/// invitations to it do not concern a person who only typed it.
pub async fn erase_address(tx: &mut Tx, email: &str) -> Result<()> {
    for delete in [
        "DELETE FROM registrations WHERE email = $1",
        "DELETE FROM mails WHERE recipient = $1",
        "DELETE FROM grants WHERE email = $1",
        "DELETE FROM handovers WHERE email = $1",
        "DELETE FROM company_invitations WHERE email = $1",
    ] {
        execute!(&mut *tx, sqlx::query(delete).bind(email))?;
    }
    Ok(())
}

/// Deletes the account. The delete cascades to sessions, the second factor, links, mails to other addresses, claims, consents,
/// grants, groups, tariffs, batches and templates. Journal entries keep account_id = NULL.
pub async fn delete(tx: &mut Tx, account: AccountId) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM accounts WHERE id = $1").bind(account.0)
    )?;
    Ok(())
}

/// Erases the measurements of the account's batteries, because they show when people were at home. The batteries' technical
/// records are kept.
pub async fn erase_measurements(tx: &mut Tx, account: AccountId, now: Millis) -> Result<()> {
    let systems: Vec<String> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT sn FROM systems WHERE owner_id = $1 ORDER BY sn").bind(account.0).fetch_all(c).await)?;
    let systems = systems.iter().map(|sn| sn.parse());
    let systems: Vec<Serial> = systems
        .collect::<Result<_, _>>()
        .map_err(|_| Error::Damaged("systems.sn"))?;
    telemetry::erase_all(tx, &systems, now).await?;
    for delete in [
        "DELETE FROM hidden_samples WHERE sn IN (SELECT sn FROM systems WHERE owner_id = $1)",
        "DELETE FROM events WHERE sn IN (SELECT sn FROM systems WHERE owner_id = $1)",
        "DELETE FROM rejects WHERE sn IN (SELECT sn FROM systems WHERE owner_id = $1)",
        "DELETE FROM journal WHERE sn IN (SELECT sn FROM systems WHERE owner_id = $1)
             AND account_id IS NULL AND actor = 'battery'",
        // The entry that a setting was changed is kept. Its value is erased, because it shows how people lived. This includes
        // values that others set in their home.
        "UPDATE journal SET detail = 'null' WHERE event IN ('setting_changed', 'command_sent')
             AND (account_id = $1 OR sn IN (SELECT sn FROM systems WHERE owner_id = $1))",
    ] {
        execute!(&mut *tx, sqlx::query(delete).bind(account.0))?;
    }
    Ok(())
}
