//! Mails about grants, in the language of whoever gets them.
use super::Grant;
use crate::db::Tx;
use crate::mail::{self, Body, Desk, Mail, Outgoing};
use crate::{Access, Error, Keyring, Result, Store};
use domain::clock::Millis;
use domain::message::text;
use domain::{AccountId, Lang, SiteDay};

/// Where owners see who may do what.
pub(crate) const OWNERS_PAGE: &str = "/settings#grants";
pub(crate) const ELECTRICIANS_PAGE: &str = "/electrician-settings#grants";
/// Where a mailed code is entered.
pub(crate) const KEY_PAGE: &str = "/register#key=";

/// Somebody who gets a mail.
#[derive(Clone, Debug)]
pub(crate) struct Recipient {
    pub(crate) account: Option<AccountId>,
    pub(crate) email: String,
    pub(crate) language: String,
}

#[derive(Debug)]
struct Row {
    id: i64,
    email: String,
    language: String,
}
row!(Row {
    id,
    email,
    language
});

impl Recipient {
    pub(crate) async fn of(tx: &mut Tx, account: AccountId) -> Result<Option<Self>> {
        let row: Option<Row> = within!(tx, c => sqlx::query_as("SELECT id, email, language FROM accounts WHERE id = $1")
            .bind(account.0).fetch_optional(c).await)?;
        Ok(row.map(|row| Self {
            account: Some(AccountId(row.id)),
            email: row.email,
            language: row.language,
        }))
    }

    /// Whoever has this address; in the words of `inviter` while nobody does. The mail goes with whoever caused it.
    pub(crate) async fn invited(tx: &mut Tx, email: &str, inviter: AccountId) -> Result<Self> {
        let language: Option<String> = within!(&mut *tx, c => sqlx::query_scalar("SELECT language FROM accounts WHERE email = $1")
            .bind(email).fetch_optional(c).await)?;
        let language = match language {
            Some(language) => Some(language),
            None => Self::of(tx, inviter).await?.map(|inviter| inviter.language),
        };
        Ok(Self {
            account: Some(inviter),
            email: email.to_owned(),
            language: language.unwrap_or_default(),
        })
    }

    pub(crate) fn lang(&self) -> Lang {
        self.language.parse().unwrap_or_default()
    }
}

/// A mail to be written.
pub(crate) struct Letter<'a> {
    pub(crate) text: &'a str,
    /// Where its link leads.
    pub(crate) page: &'a str,
    pub(crate) values: Vec<(&'a str, String)>,
}

impl<'a> Letter<'a> {
    /// About a grant: which system, how far, until when and who.
    pub(crate) fn about(text: &'a str, page: &'a str, grant: &Grant, lang: Lang) -> Self {
        let who = grant.holder.company.clone();
        Self {
            text,
            page,
            values: vec![
                ("sn", grant.sn.to_string()),
                ("scope", scope(grant, lang)),
                ("until", until(grant, lang)),
                ("who", who.unwrap_or_else(|| grant.holder.email.clone())),
            ],
        }
    }

    pub(crate) async fn queue(
        self,
        tx: &mut Tx,
        keyring: &Keyring,
        desk: Desk<'_>,
        to: &Recipient,
        now: Millis,
    ) -> Result<()> {
        let link = format!("{}{}", desk.public_url, self.page);
        let mail = Mail::new(self.text, to.lang(), link);
        let mail = self
            .values
            .iter()
            .fold(mail, |mail, (name, value)| mail.with(name, value));
        let recipient = to.email.parse();
        let outgoing = Outgoing {
            account: to.account,
            recipient: &recipient.map_err(|_| Error::Damaged("accounts.email"))?,
            body: Body::Mail(mail),
            nonce: desk.random.bytes(),
        };
        mail::queue(tx, keyring, &outgoing, now).await
    }
}

pub(crate) fn scope(grant: &Grant, lang: Lang) -> String {
    text(lang, "scope", grant.scope.as_str()).to_owned()
}

fn until(grant: &Grant, lang: Lang) -> String {
    let last = grant.last_day().map(|day| lang.day(day));
    last.unwrap_or_else(|| text(lang, "word", "no_end").to_owned())
}

/// A mail to an owner, in whose language it is written.
pub(crate) struct OwnerMail<'a> {
    pub(crate) text: &'a str,
    /// Where its link leads.
    pub(crate) page: &'a str,
    pub(crate) values: Vec<(&'a str, String)>,
    /// The last day on which it matters.
    pub(crate) until: Option<SiteDay>,
}

impl Store {
    /// The owner hears of it when somebody else than the household did something to a system; `who` is said besides the values.
    pub(crate) async fn tell_owner(
        &self,
        tx: &mut Tx,
        access: &Access,
        mail: OwnerMail<'_>,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let (Some(owner), false) = (access.owner(), access.level().is_household()) else {
            return Ok(());
        };
        self.notify_owner(tx, (owner, access.account()), mail, desk, now)
            .await
    }

    /// Mails the owner what `author` did; `who` is said besides the values.
    pub(crate) async fn notify_owner(
        &self,
        tx: &mut Tx,
        (owner, author): (AccountId, AccountId),
        mail: OwnerMail<'_>,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(to) = Recipient::of(tx, owner).await? else {
            return Ok(());
        };
        let who: Option<String> = within!(&mut *tx, c => sqlx::query_scalar(
            "SELECT COALESCE(company, email) FROM accounts WHERE id = $1")
            .bind(author.0).fetch_optional(c).await)?;
        let mut values = mail.values;
        values.push(("who", who.unwrap_or_default()));
        if let Some(until) = mail.until {
            values.push(("until", to.lang().day(until)));
        }
        let letter = Letter {
            text: mail.text,
            page: mail.page,
            values,
        };
        letter.queue(tx, &self.keyring, desk, &to, now).await
    }
}
