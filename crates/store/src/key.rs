//! Redeeming what a person typed: a code links at once, a bare serial number begins a waiting claim. Codes are of three
//! kinds: from the box, from an owner who hands the system over, and from one who invites somebody into the household. The
//! code from the box always wins: for 30 days it takes the place of an owner who came by the main switch.
use crate::db::Tx;
use crate::grant::{self, Letter, Member, Recipient};
use crate::handover::{self, Handover};
use crate::journal::{Actor, Entry, Event};
use crate::mail::Desk;
use crate::{Error, Result, Store, claim, system};
use domain::claim::LinkedBy;
use domain::clock::Millis;
use domain::code::{Code, CodeKind};
use domain::key::KeyStatus;
use domain::{AccountId, Email, Key, Serial};

/// How one key ended and which systems it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub status: KeyStatus,
    pub systems: Vec<Serial>,
}

impl Outcome {
    fn of(status: KeyStatus) -> Self {
        Self {
            status,
            systems: Vec::new(),
        }
    }
}

/// Who types a key.
#[derive(Clone, Copy)]
struct Typist<'a> {
    account: Option<AccountId>,
    email: &'a str,
    now: Millis,
}

/// What a key would open, as well as how it would end.
struct Judged {
    outcome: Outcome,
    opens: Opens,
}

enum Opens {
    Nothing,
    /// The code from the box, with the systems as it found them.
    Systems(Vec<Owned>),
    Handover(Handover),
    Household(Member),
}

impl Judged {
    fn of(status: KeyStatus) -> Self {
        Self {
            outcome: Outcome::of(status),
            opens: Opens::Nothing,
        }
    }
}

#[derive(Debug)]
struct Owned {
    sn: String,
    owner_id: Option<i64>,
    linked_by: Option<String>,
    linked_at: Option<Millis>,
    retired_at: Option<Millis>,
}
row!(Owned {
    sn,
    owner_id,
    linked_by,
    linked_at,
    retired_at
});

impl Owned {
    fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))
    }

    /// Somebody else who owns it.
    fn other_than(&self, account: Option<AccountId>) -> Option<AccountId> {
        let owner = self.owner_id.map(AccountId);
        owner.filter(|owner| Some(*owner) != account)
    }

    /// Whether its owner gives way to whoever has the code.
    fn gives_way(&self, now: Millis) -> Result<bool> {
        system::gives_way(self.linked_by.as_deref(), self.linked_at, now)
    }
}

impl Store {
    /// What each key would do for a person with this address who has no account yet; changes nothing.
    pub async fn judge_keys(
        &self,
        keys: &[Key],
        email: &Email,
        now: Millis,
    ) -> Result<Vec<Outcome>> {
        let mut tx = self.begin().await?;
        let typist = Typist {
            account: None,
            email: email.as_str(),
            now,
        };
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            outcomes.push(self.judge(&mut tx, key, typist).await?.outcome);
        }
        Ok(outcomes)
    }

    /// Redeems each key for itself: one that fails does not stop the others.
    pub async fn redeem_keys(
        &self,
        account: AccountId,
        keys: &[Key],
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Vec<Outcome>> {
        let mut tx = self.begin().await?;
        let outcomes = self.redeem(&mut tx, account, keys, desk, now).await?;
        tx.commit().await?;
        Ok(outcomes)
    }

    pub(crate) async fn redeem(
        &self,
        tx: &mut Tx,
        account: AccountId,
        keys: &[Key],
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Vec<Outcome>> {
        let email: String = within!(&mut *tx, c => sqlx::query_scalar("SELECT email FROM accounts WHERE id = $1")
            .bind(account.0).fetch_one(c).await)?;
        let typist = Typist {
            account: Some(account),
            email: &email,
            now,
        };
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            let Judged { outcome, opens } = self.judge(tx, key, typist).await?;
            match (outcome.status, opens, key) {
                (KeyStatus::Linked, Opens::Systems(covered), Key::Code(code)) => {
                    self.use_code(tx, code, &covered, account, desk, now)
                        .await?
                }
                (KeyStatus::Linked, Opens::Handover(offered), _) => {
                    self.hand_over(tx, &offered, account, desk, now).await?
                }
                (KeyStatus::Linked, Opens::Household(member), _) => {
                    grant::join(tx, &self.keyring, desk, &member, account, now).await?
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

    async fn judge(&self, tx: &mut Tx, key: &Key, typist: Typist<'_>) -> Result<Judged> {
        match key {
            Key::Serial(sn) => Ok(Judged {
                outcome: judge_serial(tx, sn, typist.account).await?,
                opens: Opens::Nothing,
            }),
            Key::Code(code) => self.judge_code(tx, code, typist).await,
        }
    }

    async fn judge_code(&self, tx: &mut Tx, code: &Code, typist: Typist<'_>) -> Result<Judged> {
        let hash = self.code_hash(tx, code).await?;
        let covered: Vec<Owned> = within!(&mut *tx, c => sqlx::query_as(
            "SELECT s.sn, s.owner_id, s.linked_by, s.linked_at, s.retired_at FROM codes c
             JOIN code_systems cs ON cs.code_hash = c.hash JOIN systems s ON s.sn = cs.sn
             WHERE c.hash = $1 AND c.kind = $2 AND c.used_at IS NULL ORDER BY s.sn")
            .bind(&hash).bind(CodeKind::Registration.as_str()).fetch_all(c).await)?;
        if covered.is_empty() {
            return judge_mailed(tx, &hash, typist).await;
        }
        let mut status = KeyStatus::Linked;
        for system in &covered {
            let foreign = system.other_than(typist.account).is_some();
            if foreign && !system.gives_way(typist.now)? {
                status = KeyStatus::Used;
            }
        }
        let systems = covered.iter().map(Owned::serial).collect::<Result<_>>()?;
        Ok(Judged {
            outcome: Outcome { status, systems },
            opens: Opens::Systems(covered),
        })
    }

    async fn use_code(
        &self,
        tx: &mut Tx,
        code: &Code,
        covered: &[Owned],
        account: AccountId,
        desk: Desk<'_>,
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
            match system.other_than(Some(account)) {
                Some(owner) => self.displace(tx, &sn, owner, account, desk, now).await?,
                None if system.owner_id.is_some() => system::prove_by_code(tx, &sn).await?,
                None => {
                    if system::link(tx, &sn, account, LinkedBy::Code, now).await? {
                        let line = Entry::by(account, Event::SystemLinked, now).on(&sn);
                        line.write(tx).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whoever has the code takes the place of an owner who came by switch: that household leaves with everything that was
    /// theirs, the next one begins, and both get a mail.
    async fn displace(
        &self,
        tx: &mut Tx,
        sn: &Serial,
        owner: AccountId,
        next: AccountId,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        self.evict(tx, sn, owner, desk, now).await?;
        if !system::link(tx, sn, next, LinkedBy::Code, now).await? {
            return Err(Error::Conflict);
        }
        // What the new household reads begins after the moment in which the old one left.
        let line = Entry::by(next, Event::SystemTakenOver, now + 1).on(sn);
        line.write(tx).await?;
        self.write_to(tx, next, "system_taken_over", sn, desk, now)
            .await
    }

    /// An owner who came by switch leaves, because somebody has the code.
    pub(crate) async fn evict(
        &self,
        tx: &mut Tx,
        sn: &Serial,
        owner: AccountId,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let line = Entry::by(owner, Event::SystemDisplaced, now).on(sn);
        line.through(Actor::Portal).write(tx).await?;
        if !self.part(tx, sn, owner, desk, now).await? {
            return Err(Error::Conflict);
        }
        self.write_to(tx, owner, "system_displaced", sn, desk, now)
            .await
    }

    async fn write_to(
        &self,
        tx: &mut Tx,
        account: AccountId,
        text: &str,
        sn: &Serial,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(to) = Recipient::of(tx, account).await? else {
            return Ok(());
        };
        let letter = Letter {
            text,
            page: "/settings",
            values: vec![("sn", sn.to_string())],
        };
        letter.queue(tx, &self.keyring, desk, &to, now).await
    }
}

/// A code that an owner has sent by mail.
async fn judge_mailed(tx: &mut Tx, hash: &[u8], typist: Typist<'_>) -> Result<Judged> {
    let linked = |systems| Outcome {
        status: KeyStatus::Linked,
        systems,
    };
    if let Some(offered) = handover::offered_by_code(tx, hash, typist.now).await? {
        return Ok(Judged {
            outcome: linked(vec![offered.serial()?]),
            opens: Opens::Handover(offered),
        });
    }
    let member = grant::invited_by_code(tx, hash, typist.email, typist.now).await?;
    Ok(match member {
        Some(member) => Judged {
            outcome: linked(member.systems()),
            opens: Opens::Household(member),
        },
        None => Judged::of(KeyStatus::Unknown),
    })
}

async fn judge_serial(tx: &mut Tx, sn: &Serial, account: Option<AccountId>) -> Result<Outcome> {
    let found: Option<Owned> = within!(tx, c => sqlx::query_as(
        "SELECT sn, owner_id, linked_by, linked_at, retired_at FROM systems WHERE sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let status = match found {
        // Whoever carries an exchanged unit away is not its next owner.
        Some(system) if system.retired_at.is_some() => KeyStatus::Used,
        Some(system) if system.other_than(account).is_some() => KeyStatus::Used,
        Some(system) if system.owner_id.is_some() => KeyStatus::Linked,
        // Nobody learns which numbers exist, nor which of them only a code links.
        Some(_) | None => KeyStatus::Waiting,
    };
    Ok(Outcome {
        status,
        systems: vec![sn.clone()],
    })
}
