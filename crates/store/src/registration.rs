//! Registration: at once with a valid code, otherwise only after the mailed link was opened.
use crate::account::{NewAccount, Profile};
use crate::key::KeyOutcome;
use crate::mail::{Mail, MailBody, MailContext, OutgoingMail};
use crate::{Error, Purpose, Result, Store, account, mail};
use db::{FromRow, Tx};
use domain::clock::{DAY, Millis};
use domain::key::KeyStatus;
use domain::{AccountId, Email, Key, Lang, Role, Serial, account::TERMS_VERSION};

/// How long the mailed link works.
pub const CONFIRM_LIFE: Millis = DAY;

pub struct Registration<'a> {
    pub profile: &'a Profile,
    pub password_hash: &'a str,
    pub keys: &'a [Key],
}

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

impl Store {
    /// Creates the account and redeems its keys in one transaction. Every key must end up linked or waiting; otherwise nothing is
    /// stored.
    pub async fn register(
        &self,
        new: &Registration<'_>,
        welcome: &Mail,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<(AccountId, Vec<KeyOutcome>)> {
        let mut tx = self.db.begin().await?;
        let account = NewAccount {
            profile: new.profile,
            password_hash: new.password_hash,
            terms_version: TERMS_VERSION,
            terms_at: now,
        };
        let id = account::insert(&mut tx, account, now).await?;
        let outcomes = self
            .redeem(&mut tx, id, new.keys, mail_context, now)
            .await?;
        if outcomes
            .iter()
            .any(|o| !matches!(o.status, KeyStatus::Linked | KeyStatus::Waiting))
        {
            return Err(Error::Conflict);
        }
        let outgoing = OutgoingMail {
            account: Some(id),
            recipient: &new.profile.email,
            body: MailBody::Mail(welcome.clone()),
            nonce: mail_context.random.bytes(),
        };
        mail::queue(&mut tx, &self.keyring, &outgoing, now).await?;
        tx.commit().await?;
        Ok((id, outcomes))
    }

    /// Stores a registration until its link is opened, and queues the mail. If the address already has an account, its owner gets
    /// a mail instead. The caller cannot tell the two cases apart, neither now nor at a login.
    pub async fn register_by_mail(
        &self,
        new: &Registration<'_>,
        token: &[u8],
        mails: ConfirmMails<'_>,
        nonce: [u8; 12],
        now: Millis,
    ) -> Result<()> {
        let profile = new.profile;
        let serials: Vec<&str> = new
            .keys
            .iter()
            .filter_map(|key| match key {
                Key::Serial(sn) => Some(sn.as_str()),
                Key::Code(_) => None,
            })
            .collect();
        let mut tx = self.db.begin().await?;
        // Also stored for an address with an account, so a login with this password gets the same answer. Its link is not mailed.
        execute!(&mut tx, sqlx::query(
            "INSERT INTO registrations (token_hash, email, password_hash, role, phone, country, company, language,
                terms_version, created_at, expires_at, serials)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)")
            .bind(self.keyring.hash(Purpose::MailedLink, token))
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
        self.queue_confirmation(&mut tx, &profile.email, mails, nonce, now)
            .await?;
        tx.commit().await
    }

    async fn queue_confirmation(
        &self,
        tx: &mut Tx,
        email: &Email,
        mails: ConfirmMails<'_>,
        nonce: [u8; 12],
        now: Millis,
    ) -> Result<()> {
        let mail = match account::exists(tx, email).await? {
            true => mails.exists,
            false => mails.confirm,
        };
        let outgoing = OutgoingMail {
            account: None,
            recipient: email,
            body: MailBody::Mail(mail.clone()),
            nonce,
        };
        mail::queue(tx, &self.keyring, &outgoing, now).await
    }

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

    /// Mails another link for a waiting registration; the earlier ones still work.
    pub async fn resend_confirmation(
        &self,
        email: &Email,
        waiting: &PendingRegistration,
        token: &[u8],
        mails: ConfirmMails<'_>,
        nonce: [u8; 12],
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(&mut tx, sqlx::query(
            "INSERT INTO registrations (token_hash, email, password_hash, role, phone, country, company, language,
                terms_version, created_at, expires_at, serials)
             SELECT $3, email, password_hash, role, phone, country, company, language, terms_version, created_at, $4, serials
             FROM registrations WHERE email = $1 AND password_hash = $2 ORDER BY created_at DESC LIMIT 1")
            .bind(email.as_str())
            .bind(&waiting.password_hash)
            .bind(self.keyring.hash(Purpose::MailedLink, token))
            .bind(now + CONFIRM_LIFE))?;
        self.queue_confirmation(&mut tx, email, mails, nonce, now)
            .await?;
        tx.commit().await
    }

    /// Opens the mailed link: creates the account and its waiting claims. `None`: used, expired, or never sent.
    pub async fn confirm_registration(
        &self,
        token: &[u8],
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<Option<Confirmation>> {
        let mut tx = self.db.begin().await?;
        let hashes = self.keyring.hashes(Purpose::MailedLink, token);
        let pending: Option<RegistrationRow> = find_first!(hashes, hash => within!(&mut tx, c => sqlx::query_as(
            "DELETE FROM registrations WHERE token_hash = $1 RETURNING *").bind(hash).fetch_optional(c).await)?);
        let Some(pending) = pending.filter(|p| now <= p.expires_at) else {
            return Ok(None);
        };
        let profile = pending.profile()?;
        if account::exists(&mut tx, &profile.email).await? {
            return Ok(None);
        }
        let account = NewAccount {
            profile: &profile,
            password_hash: &pending.password_hash,
            terms_version: &pending.terms_version,
            terms_at: pending.created_at,
        };
        let id = account::insert(&mut tx, account, now).await?;
        let serials = pending.serials()?;
        let keys: Vec<Key> = serials.iter().cloned().map(Key::Serial).collect();
        let outcomes = self.redeem(&mut tx, id, &keys, mail_context, now).await?;
        tx.commit().await?;
        Ok(Some(Confirmation {
            account: id,
            role: profile.role,
            keys: serials.into_iter().zip(outcomes).collect(),
        }))
    }

    pub async fn purge_registrations(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM registrations WHERE expires_at < $1").bind(now))?;
        Ok(())
    }
}

/// An opened link.
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub account: AccountId,
    pub role: Role,
    pub keys: Vec<(Serial, KeyOutcome)>,
}

/// A registration that waits for its link, as a login sees it.
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

/// The two possible mails; one of them is sent.
#[derive(Clone, Copy)]
pub struct ConfirmMails<'a> {
    pub confirm: &'a Mail,
    pub exists: &'a Mail,
}

impl RegistrationRow {
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
