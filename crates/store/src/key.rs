//! Redeeming what a person typed: a code links at once, a bare serial number begins a waiting claim.
use crate::db::Tx;
use crate::journal::{Entry, Event};
use crate::{Error, Purpose, Result, Store, claim, system};
use domain::clock::Millis;
use domain::code::{Code, CodeKind};
use domain::key::KeyStatus;
use domain::{AccountId, Key, Serial};

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

#[derive(Debug)]
struct Owned {
    sn: String,
    owner_id: Option<i64>,
}
row!(Owned { sn, owner_id });

impl Owned {
    fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))
    }
}

impl Store {
    /// What each key would do for a person who has no account yet; changes nothing.
    pub async fn judge_keys(&self, keys: &[Key]) -> Result<Vec<Outcome>> {
        let mut tx = self.begin().await?;
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            outcomes.push(self.judge(&mut tx, key, None).await?);
        }
        Ok(outcomes)
    }

    /// Redeems each key for itself: one that fails does not stop the others.
    pub async fn redeem_keys(
        &self,
        account: AccountId,
        keys: &[Key],
        now: Millis,
    ) -> Result<Vec<Outcome>> {
        let mut tx = self.begin().await?;
        let outcomes = self.redeem(&mut tx, account, keys, now).await?;
        tx.commit().await?;
        Ok(outcomes)
    }

    pub(crate) async fn redeem(
        &self,
        tx: &mut Tx,
        account: AccountId,
        keys: &[Key],
        now: Millis,
    ) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            let outcome = self.judge(tx, key, Some(account)).await?;
            match (outcome.status, key) {
                (KeyStatus::Linked, Key::Code(code)) => {
                    self.use_code(tx, code, account, &outcome.systems, now)
                        .await?
                }
                (KeyStatus::Waiting, Key::Serial(sn)) => claim::begin(tx, account, sn, now).await?,
                _ => {}
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    async fn judge(&self, tx: &mut Tx, key: &Key, account: Option<AccountId>) -> Result<Outcome> {
        match key {
            Key::Serial(sn) => judge_serial(tx, sn, account).await,
            Key::Code(code) => self.judge_code(tx, code, account).await,
        }
    }

    async fn judge_code(
        &self,
        tx: &mut Tx,
        code: &Code,
        account: Option<AccountId>,
    ) -> Result<Outcome> {
        let hash = self.keyring.hash(Purpose::Code, code.as_str().as_bytes());
        let covered: Vec<Owned> = within!(tx, c => sqlx::query_as(
            "SELECT s.sn, s.owner_id FROM codes c JOIN code_systems cs ON cs.code_hash = c.hash
             JOIN systems s ON s.sn = cs.sn
             WHERE c.hash = $1 AND c.kind = $2 AND c.used_at IS NULL ORDER BY s.sn")
            .bind(hash).bind(CodeKind::Registration.as_str()).fetch_all(c).await)?;
        if covered.is_empty() {
            return Ok(Outcome::of(KeyStatus::Unknown));
        }
        let foreign = |system: &Owned| {
            system
                .owner_id
                .is_some_and(|owner| Some(AccountId(owner)) != account)
        };
        let status = if covered.iter().any(foreign) {
            KeyStatus::Used
        } else {
            KeyStatus::Linked
        };
        let systems = covered.iter().map(Owned::serial).collect::<Result<_>>()?;
        Ok(Outcome { status, systems })
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

async fn judge_serial(tx: &mut Tx, sn: &Serial, account: Option<AccountId>) -> Result<Outcome> {
    let found: Option<Owned> = within!(tx, c => sqlx::query_as("SELECT sn, owner_id FROM systems WHERE sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let status = match found {
        None => KeyStatus::Unknown,
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
