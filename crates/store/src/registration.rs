//! Registrations that wait for their mailed link to be opened.
use crate::account::Profile;
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::account::TERMS_VERSION;
use domain::clock::{DAY, Millis};
use domain::{Email, Lang, Role, Serial};

/// How long the mailed link is valid.
pub const CONFIRM_LIFE: Millis = DAY;

#[derive(Debug, FromRow)]
struct RegistrationRow {
    email: String,
    password_hash: String,
    role: String,
    phone: String,
    country: String,
    company: Option<String>,
    language: String,
    terms_version: String,
    created_at: Millis,
    expires_at: Millis,
    serials: String,
}

/// A registration to be stored until its link is opened.
pub struct NewRegistration<'a> {
    pub profile: &'a Profile,
    pub password_hash: &'a str,
    pub serials: &'a [&'a Serial],
    pub token_hash: &'a [u8],
}

/// A stored registration whose link was opened.
#[derive(Clone, Debug)]
pub struct OpenedRegistration {
    pub profile: Profile,
    pub password_hash: String,
    pub terms_version: String,
    pub created_at: Millis,
    pub serials: Vec<Serial>,
}

pub async fn insert(tx: &mut Tx, new: NewRegistration<'_>, now: Millis) -> Result<()> {
    let profile = new.profile;
    let serials: Vec<&str> = new.serials.iter().map(|sn| sn.as_str()).collect();
    execute!(tx, sqlx::query(
        "INSERT INTO registrations (token_hash, email, password_hash, role, phone, country, company, language,
            terms_version, created_at, expires_at, serials)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)")
        .bind(new.token_hash)
        .bind(profile.email.as_str())
        .bind(new.password_hash)
        .bind(profile.role.as_str())
        .bind(profile.phone.as_str())
        .bind(profile.country.code())
        .bind(profile.company.as_deref())
        .bind(profile.language.code())
        .bind(TERMS_VERSION)
        .bind(now)
        .bind(now + CONFIRM_LIFE)
        .bind(serials.join(",")))?;
    Ok(())
}

/// Stores another copy of the newest registration with this address and password, with a new link.
pub async fn insert_copy(
    tx: &mut Tx,
    email: &Email,
    password_hash: &str,
    token_hash: &[u8],
    now: Millis,
) -> Result<()> {
    execute!(tx, sqlx::query(
        "INSERT INTO registrations (token_hash, email, password_hash, role, phone, country, company, language,
            terms_version, created_at, expires_at, serials)
         SELECT $3, email, password_hash, role, phone, country, company, language, terms_version, created_at, $4, serials
         FROM registrations WHERE email = $1 AND password_hash = $2 ORDER BY created_at DESC LIMIT 1")
        .bind(email.as_str())
        .bind(password_hash)
        .bind(token_hash)
        .bind(now + CONFIRM_LIFE))?;
    Ok(())
}

/// Deletes a registration to use it. `None` if its link was used, has expired, or was never sent.
pub async fn open(
    tx: &mut Tx,
    token_hashes: Vec<Vec<u8>>,
    now: Millis,
) -> Result<Option<OpenedRegistration>> {
    let row: Option<RegistrationRow> = find_first!(token_hashes, hash => within!(&mut *tx, c => sqlx::query_as(
        "DELETE FROM registrations WHERE token_hash = $1 RETURNING *").bind(hash).fetch_optional(c).await)?);
    let row = row.filter(|row| now <= row.expires_at);
    row.map(RegistrationRow::opened).transpose()
}

impl Store {
    /// The newest registration with this address that waits for its link.
    pub async fn pending_registration(
        &self,
        email: &Email,
        now: Millis,
    ) -> Result<Option<PendingRegistration>> {
        let row: Option<PendingRow> = on!(self, p => sqlx::query_as(
            "SELECT password_hash, role, language FROM registrations WHERE email = $1 AND expires_at >= $2
             ORDER BY created_at DESC LIMIT 1")
            .bind(email.as_str()).bind(now).fetch_optional(p).await)?;
        let damaged = |_| Error::Damaged("registrations");
        let unconfirmed = row.map(|row| {
            Ok(PendingRegistration {
                role: row.role.parse().map_err(damaged)?,
                language: row.language.parse().map_err(damaged)?,
                password_hash: row.password_hash,
            })
        });
        unconfirmed.transpose()
    }

    pub async fn purge_registrations(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM registrations WHERE expires_at < $1").bind(now))?;
        Ok(())
    }
}

/// A registration that waits for its link, for a login.
#[derive(Clone, Debug)]
pub struct PendingRegistration {
    pub password_hash: String,
    pub role: Role,
    pub language: Lang,
}

#[derive(Debug, FromRow)]
struct PendingRow {
    password_hash: String,
    role: String,
    language: String,
}

impl RegistrationRow {
    fn opened(self) -> Result<OpenedRegistration> {
        Ok(OpenedRegistration {
            profile: self.profile()?,
            serials: self.serials()?,
            password_hash: self.password_hash,
            terms_version: self.terms_version,
            created_at: self.created_at,
        })
    }

    fn profile(&self) -> Result<Profile> {
        let damaged = |_| Error::Damaged("registrations");
        let country = self.country.parse().map_err(damaged)?;
        Ok(Profile {
            email: self.email.parse().map_err(damaged)?,
            role: self.role.parse().map_err(damaged)?,
            phone: domain::Phone::parse(&self.phone, country).map_err(damaged)?,
            country,
            company: self.company.clone(),
            language: self.language.parse().map_err(damaged)?,
        })
    }

    fn serials(&self) -> Result<Vec<Serial>> {
        let texts = self.serials.split(',').filter(|text| !text.is_empty());
        texts
            .map(|text| {
                text.parse()
                    .map_err(|_| Error::Damaged("registrations.serials"))
            })
            .collect()
    }
}
