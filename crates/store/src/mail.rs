//! The outbox: mails are queued in the transaction that causes them and sent by a job.
use crate::{Keyring, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::clock::{DAY, MINUTE, Millis};
use domain::{AccountId, Email, Lang};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The content of a mail: the name of its text in the catalogues, its link, and the values to fill in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    pub text: String,
    pub language: String,
    pub link: String,
    #[serde(default)]
    pub values: BTreeMap<String, String>,
    /// A list under the text.
    #[serde(default)]
    pub lines: Vec<String>,
}

impl Mail {
    pub fn new(text: &str, language: Lang, link: String) -> Self {
        Self {
            text: text.into(),
            language: language.code().into(),
            link,
            values: BTreeMap::new(),
            lines: Vec::new(),
        }
    }

    /// Fills in a value. Some values are chosen by people, who must not be able to add lines to our text.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.values.insert(name.to_owned(), plain(value));
        self
    }

    /// Fills in a text of the operator, who may write several paragraphs.
    #[must_use]
    pub fn with_paragraphs(mut self, name: &str, text: &str) -> Self {
        self.values.insert(name.to_owned(), text.to_owned());
        self
    }

    /// Adds a line to the list.
    #[must_use]
    pub fn line(mut self, line: &str) -> Self {
        self.lines.push(plain(line));
        self
    }
}

fn plain(value: &str) -> String {
    let plain = value.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.collect()
}

/// What the outbox stores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailBody {
    Mail(Mail),
    /// A request to reset the password of this address. Whether an account has the address is checked only when the mail is sent,
    /// so a request is the same work for every address. The token is appended to `page`.
    Reset {
        page: String,
    },
}

/// A due mail, leased to the caller.
#[derive(Debug)]
pub struct DueMail {
    pub id: i64,
    pub recipient: String,
    pub body: MailBody,
    pub tries: i64,
}

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    recipient: String,
    body: Vec<u8>,
    tries: i64,
}

/// A mail that could not be sent for this long is given up; its link has expired anyway.
pub const GIVE_UP_AFTER: Millis = 2 * DAY;
const MAIL_LEASE: Millis = MINUTE;

/// A mail to be queued.
pub struct OutgoingMail<'a> {
    /// The account that it belongs to, whichever address it goes to. It is deleted with the account.
    pub account: Option<AccountId>,
    pub recipient: &'a Email,
    pub body: MailBody,
    pub nonce: [u8; 12],
}

/// Queues a mail in the transaction that causes it, to be sent at `due_at` or later.
pub async fn queue(
    tx: &mut Tx,
    keyring: &Keyring,
    outgoing: &OutgoingMail<'_>,
    due_at: Millis,
) -> Result<()> {
    let clear = serde_json::to_vec(&outgoing.body).expect("a mail is plain text");
    execute!(tx, sqlx::query(
        "INSERT INTO mails (account_id, recipient, body, due_at, tries, created_at) VALUES ($1, $2, $3, $4, 0, $4)")
        .bind(outgoing.account.map(|account| account.0))
        .bind(outgoing.recipient.as_str())
        .bind(keyring.encrypt(Purpose::MailBody, outgoing.nonce, &clear))
        .bind(due_at))?;
    Ok(())
}

impl Store {
    /// Leases the next due mail: for a minute, and longer after each attempt. A mail that is not finished by then is due again.
    pub async fn lease_mail(&self, now: Millis) -> Result<Option<DueMail>> {
        let permit = self.db.write_permit().await?;
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "UPDATE mails SET due_at = $1 + $2 * (1 + tries * tries), tries = tries + 1
             WHERE id = (SELECT id FROM mails WHERE due_at <= $1 ORDER BY due_at, id LIMIT 1) AND due_at <= $1
             RETURNING id, recipient, body, tries")
            .bind(now).bind(MAIL_LEASE).fetch_optional(p).await)?;
        drop(permit);
        let Some(row) = row else { return Ok(None) };
        // A body that cannot be decrypted was encrypted with another secret: it can never be sent.
        let Some(body) = self
            .keyring
            .decrypt(Purpose::MailBody, &row.body)
            .and_then(|b| serde_json::from_slice(&b).ok())
        else {
            tracing::error!(
                mail = row.id,
                "mail_dropped: it was encrypted with another secret"
            );
            self.finish_mail(row.id).await?;
            return Ok(None);
        };
        Ok(Some(DueMail {
            id: row.id,
            recipient: row.recipient,
            body,
            tries: row.tries,
        }))
    }

    /// How many mails are queued, and when the oldest of them was queued.
    pub async fn mail_queue(&self) -> Result<(i64, Option<Millis>)> {
        Ok(
            on!(self, p => sqlx::query_as("SELECT COUNT(*), MIN(created_at) FROM mails")
            .fetch_one(p).await)?,
        )
    }

    /// Removes a mail that was sent or given up.
    pub async fn finish_mail(&self, id: i64) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM mails WHERE id = $1").bind(id))?;
        Ok(())
    }

    pub async fn purge_mails(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM mails WHERE created_at < $1")
            .bind(now - GIVE_UP_AFTER))?;
        Ok(())
    }
}
