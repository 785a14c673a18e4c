//! Mails that use cases queue, in the recipient's language.
use crate::transaction::Transaction;
use crate::{Error, Result, Service};
use db::Tx;
use domain::attempts::AttemptLimit;
use domain::clock::HOUR;
use domain::{AccountId, Email, Lang, SiteDay};
use store::Access;
use store::account;
use store::limited_attempts::take_attempt;
use store::mail::{Mail, MailBody};

/// Mails of one kind that somebody causes in somebody else's mailbox: more than an electrician starts updates at one household.
const CAUSED_MAILS: AttemptLimit = AttemptLimit {
    attempts: 12,
    span: HOUR,
};

/// Mails about invitations to one address, whoever invites.
const INVITED_MAILS: AttemptLimit = AttemptLimit {
    attempts: 10,
    span: HOUR,
};

#[derive(Clone, Debug)]
pub(crate) struct MailRecipient {
    /// The account that the mail belongs to, and with which it is deleted.
    pub(crate) account: Option<AccountId>,
    pub(crate) email: String,
    pub(crate) language: String,
}

impl MailRecipient {
    /// `None` after the account's deletion.
    pub(crate) async fn of(tx: &mut Tx, account: AccountId) -> Result<Option<Self>> {
        let contact = account::contact(tx, account).await?;
        Ok(contact.map(|contact| Self {
            account: Some(account),
            email: contact.email,
            language: contact.language,
        }))
    }

    /// The recipient with this address. Without an account there, the mail uses the inviter's language. The mail belongs
    /// to the inviter's account and is deleted with it.
    pub(crate) async fn invited(tx: &mut Tx, email: &str, inviter: AccountId) -> Result<Self> {
        let language = match account::language_at(tx, email).await? {
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

/// A mail to be queued.
pub(crate) struct MailDraft<'a> {
    /// The name of its text in the catalogues.
    pub(crate) text: &'a str,
    /// The page that its link opens.
    pub(crate) page: &'a str,
    pub(crate) values: Vec<(&'a str, String)>,
}

impl MailDraft<'_> {
    pub(crate) fn into_mail(self, service: &Service, lang: Lang) -> Mail {
        let mail = Mail::new(self.text, lang, service.link(self.page));
        let values = self.values.iter();
        values.fold(mail, |mail, (name, value)| mail.with(name, value))
    }
}

/// A mail to an owner.
pub(crate) struct OwnerMail<'a> {
    pub(crate) text: &'a str,
    /// The page that its link opens.
    pub(crate) page: &'a str,
    pub(crate) values: Vec<(&'a str, String)>,
    /// The last day on which the mail is relevant.
    pub(crate) until: Option<SiteDay>,
}

impl Transaction<'_> {
    /// Queues a mail in the recipient's language.
    pub(crate) async fn mail(&mut self, to: &MailRecipient, draft: MailDraft<'_>) -> Result<()> {
        let email = to.email.parse();
        let email: Email = email.map_err(|_| Error::Damaged("accounts.email"))?;
        let mail = draft.into_mail(self.service, to.lang());
        self.queue_mail(to.account, &email, MailBody::Mail(mail))
            .await
    }

    /// Mails somebody what another person has done, at most so many times an hour: who may change something may do so again and
    /// again, and the mailbox is not theirs. What happens beyond that is in the journal alone.
    pub(crate) async fn mail_caused_by(
        &mut self,
        author: AccountId,
        to: &MailRecipient,
        draft: MailDraft<'_>,
    ) -> Result<()> {
        let name = format!("{author} {} {}", draft.text, to.email);
        let (keyring, now) = (self.service.store.keyring(), self.now);
        let kind = "caused_mails";
        match take_attempt(self, keyring, kind, CAUSED_MAILS, &name, now).await? {
            true => self.mail(to, draft).await,
            false => Ok(()),
        }
    }

    /// Whether one more invitation to this address is mailed. For those that an account with it finds in a list in any case: many
    /// owners may invite the same electrician.
    pub(crate) async fn may_mail_invitation(&mut self, email: &str) -> Result<bool> {
        let (keyring, now) = (self.service.store.keyring(), self.now);
        take_attempt(self, keyring, "invited_mails", INVITED_MAILS, email, now).await
    }

    /// Mails an account; does nothing after its deletion.
    pub(crate) async fn mail_account(
        &mut self,
        account: AccountId,
        draft: MailDraft<'_>,
    ) -> Result<()> {
        match MailRecipient::of(self, account).await? {
            Some(to) => self.mail(&to, draft).await,
            None => Ok(()),
        }
    }

    /// Notifies the owner by mail that a person outside the household has changed something at a system. Adds `who` to the
    /// values.
    pub(crate) async fn mail_owner_of_change(
        &mut self,
        access: &Access,
        mail: OwnerMail<'_>,
    ) -> Result<()> {
        match access.owner() {
            Some(owner) if !access.level().is_household() => {
                self.mail_owner(owner, access.account(), mail).await
            }
            _ => Ok(()),
        }
    }

    /// Notifies the owner by mail of what `author` did. Adds `who` to the values.
    pub(crate) async fn mail_owner(
        &mut self,
        owner: AccountId,
        author: AccountId,
        mail: OwnerMail<'_>,
    ) -> Result<()> {
        let Some(to) = MailRecipient::of(self, owner).await? else {
            return Ok(());
        };
        let who = account::display_name(self, author).await?;
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
        self.mail_caused_by(author, &to, draft).await
    }
}
