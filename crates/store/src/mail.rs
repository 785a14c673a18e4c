//! The outbox: mails are queued in the transaction that causes them and sent by a job.
use crate::db::Tx;
use crate::{Keyring, Purpose, Result, Store};
use domain::clock::{DAY, MINUTE, Millis};
use domain::{AccountId, Email, Lang, Random};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a mail says: the name of its text in the catalogues, the link it carries, and what is filled in.
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

    /// Fills a value in. People choose some of them, who must not write lines of ours.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.values.insert(name.to_owned(), plain(value));
        self
    }

    /// Adds a line to its list.
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

/// What it takes to write mails whose recipients only the database knows: what their links begin with, and chance.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    pub public_url: &'a str,
    pub random: &'a Random,
}

/// What waits in the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    Mail(Mail),
    /// Somebody asked to reset the password of whoever has this address. Whether that is anybody shows only when it
    /// is sent, so that asking is the same work for every address. The token is appended to `page`.
    Reset {
        page: String,
    },
}

/// A mail whose time has come, leased to the one who asked.
#[derive(Debug)]
pub struct DueMail {
    pub id: i64,
    pub recipient: String,
    pub body: Body,
    pub tries: i64,
}

#[derive(Debug)]
struct Row {
    id: i64,
    recipient: String,
    body: Vec<u8>,
    tries: i64,
}
row!(Row {
    id,
    recipient,
    body,
    tries
});

/// A mail that could not be sent for this long is given up; its link has run out anyway.
pub const GIVE_UP_AFTER: Millis = 2 * DAY;
const LEASE: Millis = MINUTE;

/// A mail to be queued.
pub struct Outgoing<'a> {
    /// Whose mail it is, whatever address it goes to; it disappears with the account.
    pub account: Option<AccountId>,
    pub recipient: &'a Email,
    pub body: Body,
    pub nonce: [u8; 12],
}

pub(crate) async fn queue(
    tx: &mut Tx,
    keyring: &Keyring,
    outgoing: &Outgoing<'_>,
    now: Millis,
) -> Result<()> {
    let clear = serde_json::to_vec(&outgoing.body).expect("a mail is plain text");
    execute!(tx, sqlx::query(
        "INSERT INTO mails (account_id, recipient, body, due_at, tries, created_at) VALUES ($1, $2, $3, $4, 0, $4)")
        .bind(outgoing.account.map(|account| account.0))
        .bind(outgoing.recipient.as_str())
        .bind(keyring.seal(Purpose::MailBody, outgoing.nonce, &clear))
        .bind(now))?;
    Ok(())
}

impl Store {
    /// Queues a mail that goes with no other change.
    pub async fn queue_mail(&self, outgoing: &Outgoing<'_>, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        queue(&mut tx, &self.keyring, outgoing, now).await?;
        tx.commit().await
    }

    /// Leases the next due mail: nobody else gets it for a minute, after which it is due again, later each time.
    pub async fn lease_mail(&self, now: Millis) -> Result<Option<DueMail>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "UPDATE mails SET due_at = $1 + $2 * (1 + tries * tries), tries = tries + 1
             WHERE id = (SELECT id FROM mails WHERE due_at <= $1 ORDER BY due_at, id LIMIT 1) AND due_at <= $1
             RETURNING id, recipient, body, tries")
            .bind(now).bind(LEASE).fetch_optional(p).await)?;
        let Some(row) = row else { return Ok(None) };
        // A body that does not open was sealed with another secret: nobody can ever send it.
        let Some(body) = self
            .keyring
            .open(Purpose::MailBody, &row.body)
            .and_then(|b| serde_json::from_slice(&b).ok())
        else {
            tracing::error!(
                mail = row.id,
                "mail dropped: it was sealed with another secret"
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

    /// How many mails wait to be sent, and when the oldest of them was queued.
    pub async fn mail_queue(&self) -> Result<(i64, Option<Millis>)> {
        Ok(
            on!(self, p => sqlx::query_as("SELECT COUNT(*), MIN(created_at) FROM mails")
            .fetch_one(p).await)?,
        )
    }

    /// The mail is sent, or given up.
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
