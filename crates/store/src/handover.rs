//! Handover, for example when a house is sold. The owner offers the system by mail, and the person who enters the mailed code
//! becomes the owner.
use crate::grant::{MailDraft, MailRecipient};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Error, Purpose, Result, Store, system};
use db::{FromRow, Tx};
use domain::claim::LinkedBy;
use domain::clock::Millis;
use domain::code::Code;
use domain::grant::HANDOVER_TTL;
use domain::{AccountId, Email, Serial};

/// A pending offer.
#[derive(Clone, Debug, FromRow)]
pub struct Handover {
    pub id: i64,
    pub sn: String,
    pub email: String,
    pub created_at: Millis,
    pub until: Millis,
    account_id: i64,
}

impl Handover {
    pub(crate) fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("handovers.sn"))
    }
}

impl Store {
    /// Offers a system to the reader of this address. Voids an earlier offer of the system.
    pub async fn offer_handover(
        &self,
        access: &Access,
        email: &Email,
        code: &Code,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<Handover> {
        let mut tx = self.db.begin().await?;
        let hash = self.keyring.hash(Purpose::Code, code.as_str().as_bytes());
        let offered: Handover = within!(&mut tx, c => sqlx::query_as(
            "INSERT INTO handovers (sn, account_id, email, code_hash, created_at, until) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (sn) DO UPDATE SET account_id = excluded.account_id, email = excluded.email,
                 code_hash = excluded.code_hash, created_at = excluded.created_at, until = excluded.until
             RETURNING id, sn, email, created_at, until, account_id")
            .bind(access.sn().as_str())
            .bind(access.account().0)
            .bind(email.as_str())
            .bind(hash)
            .bind(now)
            .bind(now + HANDOVER_TTL)
            .fetch_one(c).await)?;
        let line =
            NewEntry::by(access.account(), JournalEvent::HandoverOffered, now).on(access.sn());
        line.write(&mut tx).await?;
        let to = MailRecipient::invited(&mut tx, email.as_str(), access.account()).await?;
        let draft = MailDraft {
            text: "handover_offered",
            page: &format!("/register#key={}", code.as_str()),
            values: vec![
                ("sn", access.sn().to_string()),
                ("code", code.as_str().to_owned()),
            ],
        };
        draft
            .queue(&mut tx, &self.keyring, mail_context, &to, now)
            .await?;
        tx.commit().await?;
        Ok(offered)
    }

    pub async fn handovers_of(&self, owner: AccountId, now: Millis) -> Result<Vec<Handover>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT id, sn, email, created_at, until, account_id FROM handovers
             WHERE account_id = $1 AND until > $2 ORDER BY sn")
            .bind(owner.0).bind(now).fetch_all(p).await)?)
    }

    /// Withdraws an offer. `false` when the account has made no such offer.
    pub async fn withdraw_handover(&self, owner: AccountId, id: i64, now: Millis) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let sn: Option<String> = within!(&mut tx, c => sqlx::query_scalar(
            "DELETE FROM handovers WHERE id = $1 AND account_id = $2 RETURNING sn")
            .bind(id).bind(owner.0).fetch_optional(c).await)?;
        let Some(sn) = sn else { return Ok(false) };
        let sn: Serial = sn.parse().map_err(|_| Error::Damaged("handovers.sn"))?;
        let line = NewEntry::by(owner, JournalEvent::HandoverWithdrawn, now).on(&sn);
        line.write(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Completes the handover after the new owner has entered the code. The old household leaves with all of its data, and the
    /// new one begins.
    pub(crate) async fn hand_over(
        &self,
        tx: &mut Tx,
        offered: &Handover,
        next: AccountId,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let (sn, old) = (offered.serial()?, AccountId(offered.account_id));
        let to = MailRecipient::of(tx, old).await?;
        let line = NewEntry::by(old, JournalEvent::HandedOver, now).on(&sn);
        line.write(tx).await?;
        if !self.unlink_owner(tx, &sn, old, mail_context, now).await? {
            return Err(Error::Conflict);
        }
        if !system::link(tx, &sn, next, LinkedBy::Handover, now).await? {
            return Err(Error::Conflict);
        }
        // The new household reads only entries after the moment when the old one left.
        let line = NewEntry::by(next, JournalEvent::SystemLinked, now + 1).on(&sn);
        line.write(tx).await?;
        let Some(to) = to else { return Ok(()) };
        let draft = MailDraft {
            text: "handover_done",
            page: "/settings",
            values: vec![("sn", sn.to_string())],
        };
        draft.queue(tx, &self.keyring, mail_context, &to, now).await
    }
}

/// The offer behind a code, if it has not expired and its author still owns the system.
pub(crate) async fn find_by_code(
    tx: &mut Tx,
    hash: &[u8],
    now: Millis,
) -> Result<Option<Handover>> {
    Ok(within!(tx, c => sqlx::query_as(
        "SELECT h.id, h.sn, h.email, h.created_at, h.until, h.account_id FROM handovers h
         JOIN systems y ON y.sn = h.sn AND y.owner_id = h.account_id
         WHERE h.code_hash = $1 AND h.until > $2")
        .bind(hash).bind(now).fetch_optional(c).await)?)
}
