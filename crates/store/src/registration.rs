//! Registration: at once with a valid code, otherwise only after the mailed link was opened.
use crate::account::{NewAccount, Profile};
use crate::db::Tx;
use crate::key::Outcome;
use crate::mail::{Body, Desk, Mail, Outgoing};
use crate::{Error, Purpose, Result, Store, account, mail};
use domain::clock::{DAY, Millis};
use domain::key::KeyStatus;
use domain::{AccountId, Email, Key, Lang, Role, Serial, account::TERMS_VERSION};

/// How long the mailed link may be opened.
pub const CONFIRM_LIFE: Millis = DAY;

pub struct Registration<'a> {
    pub profile: &'a Profile,
    pub password_hash: &'a str,
    pub keys: &'a [Key],
}

#[derive(Debug)]
struct Pending {
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
row!(Pending {
    email,
    password_hash,
    role,
    phone,
    country,
    company,
    language,
    terms_version,
    created_at,
    expires_at,
    serials
});

impl Store {
    /// Creates the account and redeems its keys in one step. Every key must end linked or waiting, or nothing happens.
    pub async fn register(
        &self,
        new: &Registration<'_>,
        welcome: &Mail,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<(AccountId, Vec<Outcome>)> {
        let mut tx = self.begin().await?;
        let account = NewAccount {
            profile: new.profile,
            password_hash: new.password_hash,
            terms_version: TERMS_VERSION,
            terms_at: now,
        };
        let id = account::insert(&mut tx, account, now).await?;
        let outcomes = self.redeem(&mut tx, id, new.keys, desk, now).await?;
        if outcomes
            .iter()
            .any(|o| !matches!(o.status, KeyStatus::Linked | KeyStatus::Waiting))
        {
            return Err(Error::Conflict);
        }
        let outgoing = Outgoing {
            account: Some(id),
            recipient: &new.profile.email,
            body: Body::Mail(welcome.clone()),
            nonce: desk.random.bytes(),
        };
        mail::queue(&mut tx, &self.keyring, &outgoing, now).await?;
        tx.commit().await?;
        Ok((id, outcomes))
    }

    /// Keeps a registration until its link is opened, and queues the mail. For an address that has an account
    /// already, its owner is told instead; the caller cannot tell the two apart, now or at a login.
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
        let mut tx = self.begin().await?;
        // Kept for a known address, too: a login with this password then gets the same answer. Nobody gets its link.
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
        let outgoing = Outgoing {
            account: None,
            recipient: email,
            body: Body::Mail(mail.clone()),
            nonce,
        };
        mail::queue(tx, &self.keyring, &outgoing, now).await
    }

    /// The newest registration with this address that waits for its link.
    pub async fn unconfirmed(&self, email: &Email, now: Millis) -> Result<Option<Unconfirmed>> {
        let row: Option<UnconfirmedRow> = on!(self, p => sqlx::query_as(
            "SELECT password_hash, role, language FROM registrations WHERE email = $1 AND expires_at >= $2
             ORDER BY created_at DESC LIMIT 1")
            .bind(email.as_str()).bind(now).fetch_optional(p).await)?;
        let damaged = |_| Error::Damaged("registrations");
        let unconfirmed = row.map(|row| {
            Ok(Unconfirmed {
                role: row.role.parse().map_err(damaged)?,
                language: row.language.parse().map_err(damaged)?,
                password_hash: row.password_hash,
            })
        });
        unconfirmed.transpose()
    }

    /// Mails a link of its own for a registration that waits; the ones before go on to work.
    pub async fn mail_again(
        &self,
        email: &Email,
        waiting: &Unconfirmed,
        token: &[u8],
        mails: ConfirmMails<'_>,
        nonce: [u8; 12],
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
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

    /// Opens the mailed link: the account begins, and with it the waiting claims. `None`: used, run out, or never sent.
    pub async fn confirm_registration(
        &self,
        token: &[u8],
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Option<Confirmation>> {
        let mut tx = self.begin().await?;
        let hashes = self.keyring.hashes(Purpose::MailedLink, token);
        let pending: Option<Pending> = find_first!(hashes, hash => within!(&mut tx, c => sqlx::query_as(
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
        let outcomes = self.redeem(&mut tx, id, &keys, desk, now).await?;
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

/// A mailed link that was opened.
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub account: AccountId,
    pub role: Role,
    pub keys: Vec<(Serial, Outcome)>,
}

/// A registration that waits for its mailed link, as a login sees it.
#[derive(Clone, Debug)]
pub struct Unconfirmed {
    pub password_hash: String,
    pub role: Role,
    pub language: Lang,
}

#[derive(Debug)]
struct UnconfirmedRow {
    password_hash: String,
    role: String,
    language: String,
}
row!(UnconfirmedRow {
    password_hash,
    role,
    language
});

/// The two mails of which one is sent.
#[derive(Clone, Copy)]
pub struct ConfirmMails<'a> {
    pub confirm: &'a Mail,
    pub exists: &'a Mail,
}

impl Pending {
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
