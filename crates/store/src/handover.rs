//! A house is sold: the owner offers the system to somebody by mail, and whoever enters the mailed code is the next owner.
use crate::db::Tx;
use crate::grant::{Letter, Recipient};
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Access, Error, Purpose, Result, Store, system};
use domain::claim::LinkedBy;
use domain::clock::Millis;
use domain::code::Code;
use domain::grant::HANDOVER_LIFE;
use domain::{AccountId, Email, Serial};

/// An offer that nobody has taken yet.
#[derive(Clone, Debug)]
pub struct Handover {
    pub id: i64,
    pub sn: String,
    pub email: String,
    pub created_at: Millis,
    pub until: Millis,
    account_id: i64,
}
row!(Handover {
    id,
    sn,
    email,
    created_at,
    until,
    account_id
});

impl Handover {
    pub(crate) fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("handovers.sn"))
    }
}

impl Store {
    /// Offers a system to whoever reads mail at this address; an earlier offer of it is void.
    pub async fn offer_handover(
        &self,
        access: &Access,
        email: &Email,
        code: &Code,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Handover> {
        let mut tx = self.begin().await?;
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
            .bind(now + HANDOVER_LIFE)
            .fetch_one(c).await)?;
        let line = Entry::by(access.account(), Event::HandoverOffered, now).on(access.sn());
        line.write(&mut tx).await?;
        let to = Recipient::invited(&mut tx, email.as_str(), access.account()).await?;
        let letter = Letter {
            text: "handover_offered",
            page: &format!("/register#key={}", code.as_str()),
            values: vec![
                ("sn", access.sn().to_string()),
                ("code", code.as_str().to_owned()),
            ],
        };
        letter.queue(&mut tx, &self.keyring, desk, &to, now).await?;
        tx.commit().await?;
        Ok(offered)
    }

    pub async fn handovers_of(&self, owner: AccountId, now: Millis) -> Result<Vec<Handover>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT id, sn, email, created_at, until, account_id FROM handovers
             WHERE account_id = $1 AND until > $2 ORDER BY sn")
            .bind(owner.0).bind(now).fetch_all(p).await)?)
    }

    /// Takes an offer back; `false` when the account has made no such one.
    pub async fn withdraw_handover(&self, owner: AccountId, id: i64, now: Millis) -> Result<bool> {
        let mut tx = self.begin().await?;
        let sn: Option<String> = within!(&mut tx, c => sqlx::query_scalar(
            "DELETE FROM handovers WHERE id = $1 AND account_id = $2 RETURNING sn")
            .bind(id).bind(owner.0).fetch_optional(c).await)?;
        let Some(sn) = sn else { return Ok(false) };
        let sn: Serial = sn.parse().map_err(|_| Error::Damaged("handovers.sn"))?;
        let line = Entry::by(owner, Event::HandoverWithdrawn, now).on(&sn);
        line.write(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The new owner has entered the code: the old household leaves with everything that was theirs, the new one begins.
    pub(crate) async fn hand_over(
        &self,
        tx: &mut Tx,
        offered: &Handover,
        next: AccountId,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let (sn, old) = (offered.serial()?, AccountId(offered.account_id));
        let to = Recipient::of(tx, old).await?;
        let line = Entry::by(old, Event::HandedOver, now).on(&sn);
        line.write(tx).await?;
        if !self.part(tx, &sn, old, desk, now).await? {
            return Err(Error::Conflict);
        }
        if !system::link(tx, &sn, next, LinkedBy::Handover, now).await? {
            return Err(Error::Conflict);
        }
        // What the new household reads begins after the moment in which the old one left.
        let line = Entry::by(next, Event::SystemLinked, now + 1).on(&sn);
        line.write(tx).await?;
        let Some(to) = to else { return Ok(()) };
        let letter = Letter {
            text: "handover_done",
            page: "/settings",
            values: vec![("sn", sn.to_string())],
        };
        letter.queue(tx, &self.keyring, desk, &to, now).await
    }
}

/// The offer behind a code, if it still stands and the system is still the one's who made it.
pub(crate) async fn offered_by_code(
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
