//! Redeeming keys that a person typed. A code links a system at once; a bare serial number begins a waiting claim. There are
//! three kinds of codes: from the box, from an owner who hands the system over, and from an owner who invites a household member.
//! The code from the box has priority: for 30 days it displaces an owner who claimed the system by the main switch.
use crate::grant::{self, MailDraft, MailRecipient, MemberInvitation};
use crate::handover::{self, Handover};
use crate::journal::{Actor, JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Error, Result, Store, claim, system};
use db::{FromRow, Tx};
use domain::claim::LinkedBy;
use domain::clock::Millis;
use domain::code::{Code, CodeKind};
use domain::key::KeyStatus;
use domain::{AccountId, Email, Key, Serial};

/// Result of one key, and the systems that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOutcome {
    pub status: KeyStatus,
    pub systems: Vec<Serial>,
}

impl KeyOutcome {
    fn of(status: KeyStatus) -> Self {
        Self {
            status,
            systems: Vec::new(),
        }
    }
}

/// The person who enters a key.
#[derive(Clone, Copy)]
struct Redeemer<'a> {
    account: Option<AccountId>,
    email: &'a str,
    now: Millis,
}

/// What a key would open, and its result.
struct KeyEvaluation {
    outcome: KeyOutcome,
    target: KeyTarget,
}

enum KeyTarget {
    Nothing,
    /// A code from the box, with the systems as they were read.
    Systems(Vec<OwnershipRow>),
    Handover(Handover),
    Household(MemberInvitation),
}

impl KeyEvaluation {
    fn of(status: KeyStatus) -> Self {
        Self {
            outcome: KeyOutcome::of(status),
            target: KeyTarget::Nothing,
        }
    }
}

#[derive(Debug, FromRow)]
struct OwnershipRow {
    sn: String,
    owner_id: Option<i64>,
    linked_by: Option<String>,
    linked_at: Option<Millis>,
    retired_at: Option<Millis>,
}

impl OwnershipRow {
    fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))
    }

    /// The owner, if it is another account.
    fn foreign_owner(&self, account: Option<AccountId>) -> Option<AccountId> {
        let owner = self.owner_id.map(AccountId);
        owner.filter(|owner| Some(*owner) != account)
    }

    /// Whether a person with the code displaces its owner.
    fn yields_to_code(&self, now: Millis) -> Result<bool> {
        system::yields_to_code(self.linked_by.as_deref(), self.linked_at, now)
    }
}

impl Store {
    /// What each key would do for a person with this address and without an account. Changes nothing.
    pub async fn evaluate_keys(
        &self,
        keys: &[Key],
        email: &Email,
        now: Millis,
    ) -> Result<Vec<KeyOutcome>> {
        let mut tx = self.db.begin().await?;
        let redeemer = Redeemer {
            account: None,
            email: email.as_str(),
            now,
        };
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            outcomes.push(self.evaluate(&mut tx, key, redeemer).await?.outcome);
        }
        Ok(outcomes)
    }

    /// Redeems each key separately: a failure does not stop the others.
    pub async fn redeem_keys(
        &self,
        account: AccountId,
        keys: &[Key],
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<Vec<KeyOutcome>> {
        let mut tx = self.db.begin().await?;
        let outcomes = self
            .redeem(&mut tx, account, keys, mail_context, now)
            .await?;
        tx.commit().await?;
        Ok(outcomes)
    }

    pub(crate) async fn redeem(
        &self,
        tx: &mut Tx,
        account: AccountId,
        keys: &[Key],
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<Vec<KeyOutcome>> {
        let email: String = within!(&mut *tx, c => sqlx::query_scalar("SELECT email FROM accounts WHERE id = $1")
            .bind(account.0).fetch_one(c).await)?;
        let redeemer = Redeemer {
            account: Some(account),
            email: &email,
            now,
        };
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            let KeyEvaluation { outcome, target } = self.evaluate(tx, key, redeemer).await?;
            match (outcome.status, target, key) {
                (KeyStatus::Linked, KeyTarget::Systems(covered), Key::Code(code)) => {
                    self.use_code(tx, code, &covered, account, mail_context, now)
                        .await?
                }
                (KeyStatus::Linked, KeyTarget::Handover(offered), _) => {
                    self.hand_over(tx, &offered, account, mail_context, now)
                        .await?
                }
                (KeyStatus::Linked, KeyTarget::Household(member), _) => {
                    grant::join_household(tx, &self.keyring, mail_context, &member, account, now)
                        .await?
                }
                (KeyStatus::Waiting, _, Key::Serial(sn)) => {
                    claim::begin(tx, account, sn, now).await?
                }
                _ => {}
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    async fn evaluate(
        &self,
        tx: &mut Tx,
        key: &Key,
        redeemer: Redeemer<'_>,
    ) -> Result<KeyEvaluation> {
        match key {
            Key::Serial(sn) => Ok(KeyEvaluation {
                outcome: evaluate_serial(tx, sn, redeemer.account).await?,
                target: KeyTarget::Nothing,
            }),
            Key::Code(code) => self.evaluate_code(tx, code, redeemer).await,
        }
    }

    async fn evaluate_code(
        &self,
        tx: &mut Tx,
        code: &Code,
        redeemer: Redeemer<'_>,
    ) -> Result<KeyEvaluation> {
        let hash = self.code_hash(tx, code).await?;
        let covered: Vec<OwnershipRow> = within!(&mut *tx, c => sqlx::query_as(
            "SELECT s.sn, s.owner_id, s.linked_by, s.linked_at, s.retired_at FROM codes c
             JOIN code_systems cs ON cs.code_hash = c.hash JOIN systems s ON s.sn = cs.sn
             WHERE c.hash = $1 AND c.kind = $2 AND c.used_at IS NULL ORDER BY s.sn")
            .bind(&hash).bind(CodeKind::Registration.as_str()).fetch_all(c).await)?;
        if covered.is_empty() {
            return evaluate_mailed_code(tx, &hash, redeemer).await;
        }
        let mut status = KeyStatus::Linked;
        for system in &covered {
            let foreign = system.foreign_owner(redeemer.account).is_some();
            if foreign && !system.yields_to_code(redeemer.now)? {
                status = KeyStatus::Used;
            }
        }
        let systems = covered
            .iter()
            .map(OwnershipRow::serial)
            .collect::<Result<_>>()?;
        Ok(KeyEvaluation {
            outcome: KeyOutcome { status, systems },
            target: KeyTarget::Systems(covered),
        })
    }

    async fn use_code(
        &self,
        tx: &mut Tx,
        code: &Code,
        covered: &[OwnershipRow],
        account: AccountId,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let hash = self.code_hash(tx, code).await?;
        let used = execute!(
            tx,
            sqlx::query("UPDATE codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL")
                .bind(hash)
                .bind(now)
        )?;
        if used != 1 {
            return Err(Error::Conflict);
        }
        for system in covered {
            let sn = system.serial()?;
            match system.foreign_owner(Some(account)) {
                Some(owner) => {
                    self.displace(tx, &sn, owner, account, mail_context, now)
                        .await?
                }
                None if system.owner_id.is_some() => system::confirm_by_code(tx, &sn).await?,
                None => {
                    if system::link(tx, &sn, account, LinkedBy::Code, now).await? {
                        let line = NewEntry::by(account, JournalEvent::SystemLinked, now).on(&sn);
                        line.write(tx).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A person with the code displaces an owner who claimed the system by the main switch. The old household leaves with all of
    /// its data, the new one begins, and both get a mail.
    async fn displace(
        &self,
        tx: &mut Tx,
        sn: &Serial,
        owner: AccountId,
        next: AccountId,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        self.evict(tx, sn, owner, mail_context, now).await?;
        if !system::link(tx, sn, next, LinkedBy::Code, now).await? {
            return Err(Error::Conflict);
        }
        // The new household reads only entries after the moment when the old one left.
        let line = NewEntry::by(next, JournalEvent::SystemTakenOver, now + 1).on(sn);
        line.write(tx).await?;
        self.mail_account(tx, next, "system_taken_over", sn, mail_context, now)
            .await
    }

    /// Unlinks an owner who claimed the system by the main switch, because somebody has the code.
    pub(crate) async fn evict(
        &self,
        tx: &mut Tx,
        sn: &Serial,
        owner: AccountId,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let line = NewEntry::by(owner, JournalEvent::SystemDisplaced, now).on(sn);
        line.with_actor(Actor::Portal).write(tx).await?;
        if !self.unlink_owner(tx, sn, owner, mail_context, now).await? {
            return Err(Error::Conflict);
        }
        self.mail_account(tx, owner, "system_displaced", sn, mail_context, now)
            .await
    }

    async fn mail_account(
        &self,
        tx: &mut Tx,
        account: AccountId,
        text: &str,
        sn: &Serial,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(to) = MailRecipient::of(tx, account).await? else {
            return Ok(());
        };
        let draft = MailDraft {
            text,
            page: "/settings",
            values: vec![("sn", sn.to_string())],
        };
        draft.queue(tx, &self.keyring, mail_context, &to, now).await
    }
}

/// Evaluates a code that an owner sent by mail.
async fn evaluate_mailed_code(
    tx: &mut Tx,
    hash: &[u8],
    redeemer: Redeemer<'_>,
) -> Result<KeyEvaluation> {
    let linked = |systems| KeyOutcome {
        status: KeyStatus::Linked,
        systems,
    };
    if let Some(offered) = handover::find_by_code(tx, hash, redeemer.now).await? {
        return Ok(KeyEvaluation {
            outcome: linked(vec![offered.serial()?]),
            target: KeyTarget::Handover(offered),
        });
    }
    let member = grant::find_member_invitation(tx, hash, redeemer.email, redeemer.now).await?;
    Ok(match member {
        Some(member) => KeyEvaluation {
            outcome: linked(member.systems()),
            target: KeyTarget::Household(member),
        },
        None => KeyEvaluation::of(KeyStatus::Unknown),
    })
}

async fn evaluate_serial(
    tx: &mut Tx,
    sn: &Serial,
    account: Option<AccountId>,
) -> Result<KeyOutcome> {
    let found: Option<OwnershipRow> = within!(tx, c => sqlx::query_as(
        "SELECT sn, owner_id, linked_by, linked_at, retired_at FROM systems WHERE sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let status = match found {
        // Whoever carries an exchanged unit away does not become its owner.
        Some(system) if system.retired_at.is_some() => KeyStatus::Used,
        Some(system) if system.foreign_owner(account).is_some() => KeyStatus::Used,
        Some(system) if system.owner_id.is_some() => KeyStatus::Linked,
        // Unowned and unknown systems give the same result, to hide which serial numbers exist and which need a code.
        Some(_) | None => KeyStatus::Waiting,
    };
    Ok(KeyOutcome {
        status,
        systems: vec![sn.clone()],
    })
}
