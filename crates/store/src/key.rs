//! Redeeming what a person typed: a code links at once, a bare serial number begins a waiting claim. Codes are of three
//! kinds: from the box, from an owner who hands the system over, and from one who invites somebody into the household.
use crate::db::Tx;
use crate::grant::{self, Member};
use crate::handover::{self, Handover};
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Error, Purpose, Result, Store, claim, system};
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
    /// The code from the box.
    Systems,
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
    retired_at: Option<Millis>,
}
row!(Owned {
    sn,
    owner_id,
    retired_at
});

impl Owned {
    fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))
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
                (KeyStatus::Linked, Opens::Systems, Key::Code(code)) => {
                    self.use_code(tx, code, account, &outcome.systems, now)
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
        let hash = self.keyring.hash(Purpose::Code, code.as_str().as_bytes());
        let covered: Vec<Owned> = within!(&mut *tx, c => sqlx::query_as(
            "SELECT s.sn, s.owner_id, s.retired_at FROM codes c JOIN code_systems cs ON cs.code_hash = c.hash
             JOIN systems s ON s.sn = cs.sn
             WHERE c.hash = $1 AND c.kind = $2 AND c.used_at IS NULL ORDER BY s.sn")
            .bind(&hash).bind(CodeKind::Registration.as_str()).fetch_all(c).await)?;
        if covered.is_empty() {
            return judge_mailed(tx, &hash, typist).await;
        }
        let foreign = |system: &Owned| {
            system
                .owner_id
                .is_some_and(|owner| Some(AccountId(owner)) != typist.account)
        };
        let status = if covered.iter().any(foreign) {
            KeyStatus::Used
        } else {
            KeyStatus::Linked
        };
        let systems = covered.iter().map(Owned::serial).collect::<Result<_>>()?;
        Ok(Judged {
            outcome: Outcome { status, systems },
            opens: Opens::Systems,
        })
    }

    async fn use_code(
        &self,
        tx: &mut Tx,
        code: &Code,
        account: AccountId,
        systems: &[Serial],
        now: Millis,
    ) -> Result<()> {
        let hash = self.keyring.hash(Purpose::Code, code.as_str().as_bytes());
        let used = execute!(
            tx,
            sqlx::query("UPDATE codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL")
                .bind(hash)
                .bind(now)
        )?;
        if used != 1 {
            return Err(Error::Conflict);
        }
        for sn in systems {
            if system::link(tx, sn, account, now).await? {
                Entry::by(account, Event::SystemLinked, now)
                    .on(sn)
                    .write(tx)
                    .await?;
            }
        }
        Ok(())
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
        "SELECT sn, owner_id, retired_at FROM systems WHERE sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let status = match found {
        None => KeyStatus::Unknown,
        // Whoever carries an exchanged unit away is not its next owner.
        Some(Owned {
            retired_at: Some(_),
            ..
        }) => KeyStatus::Used,
        Some(Owned { owner_id: None, .. }) => KeyStatus::Waiting,
        Some(Owned {
            owner_id: Some(owner),
            ..
        }) if Some(AccountId(owner)) == account => KeyStatus::Linked,
        Some(_) => KeyStatus::Used,
    };
    Ok(Outcome {
        status,
        systems: vec![sn.clone()],
    })
}
