//! Mails about grants, in the recipient's language.
use super::Grant;
use crate::mail::{self, Mail, MailBody, MailContext, OutgoingMail};
use crate::{Access, Error, Keyring, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::message::text as text_of;
use domain::{AccountId, Lang, SiteDay};

/// Where owners see their grants.
pub(crate) const OWNERS_PAGE: &str = "/settings#grants";
pub(crate) const ELECTRICIANS_PAGE: &str = "/electrician-settings#grants";
/// Where an electrician sees one system; the serial number is appended.
pub(crate) const ELECTRICIANS_SYSTEM_PAGE: &str = "/electrician-dashboard/";
/// Where a mailed code is entered; the code is appended.
pub(crate) const KEY_PAGE: &str = "/register#key=";

#[derive(Clone, Debug)]
pub(crate) struct MailRecipient {
    pub(crate) account: Option<AccountId>,
    pub(crate) email: String,
    pub(crate) language: String,
}

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    email: String,
    language: String,
}

impl MailRecipient {
    pub(crate) async fn of(tx: &mut Tx, account: AccountId) -> Result<Option<Self>> {
        let row: Option<Row> = within!(tx, c => sqlx::query_as("SELECT id, email, language FROM accounts WHERE id = $1")
            .bind(account.0).fetch_optional(c).await)?;
        Ok(row.map(|row| Self {
            account: Some(AccountId(row.id)),
            email: row.email,
            language: row.language,
        }))
    }

    /// The recipient with this address. Without an account there, the mail uses the inviter's language. The mail belongs
    /// to the inviter's account and is deleted with it.
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

/// A mail to one side of a grant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrantMail<'a> {
    pub(crate) text: &'a str,
    pub(crate) page: &'a str,
    pub(crate) grant: &'a Grant,
}

impl GrantMail<'_> {
    /// Queues it for an account; does nothing without one, or after its deletion.
    pub(crate) async fn queue_for(
        self,
        account: Option<AccountId>,
        tx: &mut Tx,
        keyring: &Keyring,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(account) = account else {
            return Ok(());
        };
        let Some(to) = MailRecipient::of(tx, account).await? else {
            return Ok(());
        };
        let draft = MailDraft::about_grant(self.text, self.page, self.grant, to.lang());
        draft.queue(tx, keyring, mail_context, &to, now).await
    }
}

/// A mail to be queued.
pub(crate) struct MailDraft<'a> {
    pub(crate) text: &'a str,
    /// The page that its link opens.
    pub(crate) page: &'a str,
    pub(crate) values: Vec<(&'a str, String)>,
}

impl<'a> MailDraft<'a> {
    /// A mail about a grant: which system and whose, the scope, the end and the holder. Texts for people without access (invited
    /// or still waiting for an answer) do not name the owner.
    pub(crate) fn about_grant(text: &'a str, page: &'a str, grant: &Grant, lang: Lang) -> Self {
        let who = grant.holder.company.clone();
        let owner = owner_name(grant);
        let system = match &owner {
            Some(name) => format!("{} ({name})", grant.sn),
            None => grant.sn.to_string(),
        };
        Self {
            text,
            page,
            values: vec![
                ("sn", grant.sn.to_string()),
                ("system", system),
                (
                    "owner",
                    owner.unwrap_or_else(|| text_of(lang, "word", "the_owner").to_owned()),
                ),
                ("scope", scope(grant, lang)),
                ("until", until(grant, lang)),
                ("who", who.unwrap_or_else(|| grant.holder.email.clone())),
            ],
        }
    }

    /// Adds the previous scope and end.
    pub(crate) fn changed_from(mut self, before: &Grant, lang: Lang) -> Self {
        self.values.push(("scope_before", scope(before, lang)));
        self.values.push(("until_before", until(before, lang)));
        self
    }

    pub(crate) async fn queue(
        self,
        tx: &mut Tx,
        keyring: &Keyring,
        mail_context: MailContext<'_>,
        to: &MailRecipient,
        now: Millis,
    ) -> Result<()> {
        let link = format!("{}{}", mail_context.public_url, self.page);
        let mail = Mail::new(self.text, to.lang(), link);
        let mail = self
            .values
            .iter()
            .fold(mail, |mail, (name, value)| mail.with(name, value));
        let recipient = to.email.parse();
        let outgoing = OutgoingMail {
            account: to.account,
            recipient: &recipient.map_err(|_| Error::Damaged("accounts.email"))?,
            body: MailBody::Mail(mail),
            nonce: mail_context.random.bytes(),
        };
        mail::queue(tx, keyring, &outgoing, now).await
    }
}

/// The name of the people who live with the system, if it is known.
fn owner_name(grant: &Grant) -> Option<String> {
    let names = [&grant.first_name, &grant.last_name];
    let known: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
    let name = known.join(" ").trim().to_owned();
    (!name.is_empty()).then_some(name)
}

pub(crate) fn scope(grant: &Grant, lang: Lang) -> String {
    text_of(lang, "scope", grant.scope.as_str()).to_owned()
}

fn until(grant: &Grant, lang: Lang) -> String {
    let last = grant.last_day().map(|day| lang.day(day));
    last.unwrap_or_else(|| text_of(lang, "word", "no_end").to_owned())
}

/// A mail to an owner, in the owner's language.
pub(crate) struct OwnerMail<'a> {
    pub(crate) text: &'a str,
    /// The page that its link opens.
    pub(crate) page: &'a str,
    pub(crate) values: Vec<(&'a str, String)>,
    /// The last day on which the mail is relevant.
    pub(crate) until: Option<SiteDay>,
}

impl Store {
    /// Mails the owner when somebody outside the household has changed something at a system. Adds `who` to the values.
    pub(crate) async fn notify_owner_of_change(
        &self,
        tx: &mut Tx,
        access: &Access,
        mail: OwnerMail<'_>,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let (Some(owner), false) = (access.owner(), access.level().is_household()) else {
            return Ok(());
        };
        self.notify_owner(tx, (owner, access.account()), mail, mail_context, now)
            .await
    }

    /// Mails the owner what `author` did. Adds `who` to the values.
    pub(crate) async fn notify_owner(
        &self,
        tx: &mut Tx,
        (owner, author): (AccountId, AccountId),
        mail: OwnerMail<'_>,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(to) = MailRecipient::of(tx, owner).await? else {
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
        let draft = MailDraft {
            text: mail.text,
            page: mail.page,
            values,
        };
        draft.queue(tx, &self.keyring, mail_context, &to, now).await
    }
}
