//! A unit is exchanged, mostly under warranty: the new serial number takes the place of the old one, and the site goes on.

mod follow;

use crate::db::Tx;
use crate::grant::{OWNERS_PAGE, OwnerMail};
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Access, Error, Result, Store, claim, system, unit};
use domain::clock::{DAY, Millis};
use domain::code::{Code, CodeKind};
use domain::grant::{Level, Right};
use domain::{AccountId, Key, Serial, Zone};
use serde_json::json;

/// A system that its owner added longer ago is one of its own: nobody should lose its history by a slip.
const YOUNG: Millis = 14 * DAY;

/// How a wish to replace a unit ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// This one stands there now.
    Done(Serial),
    /// The owner's claim of the new unit waits for its main switch.
    Waiting(Serial),
    Refused(Unfit),
}

/// Why a key does not name a unit that can take the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    CodeUnknown,
    /// Somebody else's, or one that was itself replaced.
    Used,
    /// The unit that is to be replaced.
    Same,
    /// The code is for more than one.
    Several,
    /// It has a history of its own.
    InUse,
    /// A serial number alone proves nothing here.
    NeedsCode,
    /// The old one is being updated.
    Updating,
}

#[derive(Debug)]
struct Row {
    sn: String,
    phase: i64,
    owner_id: Option<i64>,
    linked_at: Option<Millis>,
    linked_by: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    history_from: Millis,
    time_zone: String,
    unit: i64,
    retired_at: Option<Millis>,
}
row!(Row {
    sn,
    phase,
    owner_id,
    linked_at,
    linked_by,
    first_name,
    last_name,
    history_from,
    time_zone,
    unit,
    retired_at
});

impl Row {
    fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))
    }

    fn zone(&self) -> Result<Zone> {
        let zone = self.time_zone.parse();
        zone.map_err(|_| Error::Damaged("systems.time_zone"))
    }
}

/// Rows of systems; what follows says which.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT s.sn, s.phase, s.owner_id, s.linked_at, s.linked_by, s.first_name, s.last_name, s.history_from, s.time_zone, s.unit,
                s.retired_at FROM systems s ",
            $which
        )
    };
}

/// What a key stands for.
enum Proof {
    /// The caller has this unit.
    Has(Row),
    /// And takes it from this owner.
    Displaces(Row, AccountId),
    /// Its main switch will tell.
    Claim(Serial),
    None(Unfit),
}

impl Store {
    /// Which unit `key` names, with its model if the key proves the unit, or why it cannot take the place of the other one.
    /// Nothing is changed.
    pub async fn try_replacement(
        &self,
        access: &Access,
        key: &Key,
        now: Millis,
    ) -> Result<std::result::Result<(Serial, Option<String>), Unfit>> {
        let mut tx = self.begin().await?;
        let old = present(&mut tx, access).await?;
        let new = match self.prove(&mut tx, access, key, now).await? {
            Proof::Has(new) => new,
            // Nobody's by the time that it takes the place.
            Proof::Displaces(new, _) => Row {
                owner_id: None,
                linked_at: None,
                ..new
            },
            Proof::None(why) => return Ok(Err(why)),
            Proof::Claim(sn) => return Ok(Ok((sn, None))),
        };
        if let Some(why) = unfit(&mut tx, &old, &new, now).await? {
            return Ok(Err(why));
        }
        let hardware: Option<String> = within!(&mut tx, c => sqlx::query_scalar("SELECT hardware FROM systems WHERE sn = $1")
            .bind(&new.sn).fetch_one(c).await)?;
        Ok(Ok((new.serial()?, hardware)))
    }

    /// Puts the unit that `key` proves in the place of another. All of it or nothing: history, prices, names, groups, grants,
    /// alarms, protocols and journal are the new serial number's, and the old one is nobody's.
    pub async fn replace_unit(
        &self,
        access: &Access,
        key: &Key,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Replacement> {
        let mut tx = self.begin().await?;
        unit::hold_reports(&mut tx).await?;
        let old = present(&mut tx, access).await?;
        let new = match self.prove(&mut tx, access, key, now).await? {
            Proof::Has(new) => new,
            // The code from the box wins against whoever came by switch here, too.
            Proof::Displaces(new, owner) => {
                self.evict(&mut tx, &new.serial()?, owner, desk, now)
                    .await?;
                let freed = find(&mut tx, &new.serial()?).await?;
                freed.ok_or(Error::Conflict)?
            }
            Proof::None(why) => return Ok(Replacement::Refused(why)),
            Proof::Claim(sn) => {
                claim::begin(&mut tx, access.account(), &sn, now).await?;
                tx.commit().await?;
                return Ok(Replacement::Waiting(sn));
            }
        };
        if let Some(why) = unfit(&mut tx, &old, &new, now).await? {
            return Ok(Replacement::Refused(why));
        }
        if let Key::Code(code) = key {
            self.spend(&mut tx, code, now).await?;
        }
        let (old_sn, new_sn) = (old.serial()?, new.serial()?);
        follow::measured(&mut tx, &old, &new, now).await?;
        follow::people(&mut tx, &old, &new, now).await?;
        // What is left of the household goes from the old unit as if it had left the house.
        self.leave(&mut tx, &old_sn, desk, now).await?;
        let detail = json!({ "old": old_sn.as_str(), "new": new_sn.as_str() });
        let line = Entry::by(access.account(), Event::UnitReplaced, now).on(&new_sn);
        line.with(detail).write(&mut tx).await?;
        let mail = OwnerMail {
            text: "unit_replaced",
            page: OWNERS_PAGE,
            values: vec![("old", old_sn.to_string()), ("sn", new_sn.to_string())],
            until: None,
        };
        self.tell_owner(&mut tx, access, mail, desk, now).await?;
        tx.commit().await?;
        Ok(Replacement::Done(new_sn))
    }

    /// Whether the caller has the new unit: by its code, or because it is theirs already. An installer code is an
    /// electrician's proof, the main switch an owner's.
    async fn prove(&self, tx: &mut Tx, access: &Access, key: &Key, now: Millis) -> Result<Proof> {
        let electrician = access.level() == Level::Service;
        let sn = match key {
            Key::Code(code) => {
                let hash = self.code_hash(tx, code).await?;
                let installer = match electrician {
                    true => CodeKind::Installer,
                    false => CodeKind::Registration,
                };
                let mut covered: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(select!(
                    "JOIN code_systems cs ON cs.sn = s.sn JOIN codes c ON c.hash = cs.code_hash
                     WHERE c.hash = $1 AND c.kind IN ($2, $3) AND c.used_at IS NULL ORDER BY s.sn"))
                    .bind(&hash).bind(CodeKind::Registration.as_str()).bind(installer.as_str())
                    .fetch_all(c).await)?;
                let new = match (covered.pop(), covered.is_empty()) {
                    (None, _) => return Ok(Proof::None(Unfit::CodeUnknown)),
                    (Some(_), false) => return Ok(Proof::None(Unfit::Several)),
                    (Some(new), true) => new,
                };
                let foreign = new.owner_id.map(AccountId);
                let foreign = foreign.filter(|owner| Some(*owner) != access.owner());
                return Ok(match foreign {
                    Some(owner) if self.wins(tx, &hash, &new, now).await? => {
                        Proof::Displaces(new, owner)
                    }
                    _ => Proof::Has(new),
                });
            }
            Key::Serial(sn) if sn == access.sn() => return Ok(Proof::None(Unfit::Same)),
            Key::Serial(sn) => sn,
        };
        let new = find(tx, sn).await?;
        if electrician {
            // Whether there is such a unit is only told to somebody who has it.
            let held = holds(tx, access.account(), sn, now).await?;
            return Ok(match new {
                Some(new) if held => Proof::Has(new),
                _ => Proof::None(Unfit::NeedsCode),
            });
        }
        let me = access.account().0;
        Ok(match new {
            Some(new) if new.owner_id == Some(me) => Proof::Has(new),
            Some(new) if new.owner_id.is_some() || new.retired_at.is_some() => {
                Proof::None(Unfit::Used)
            }
            // Nobody learns whether there is such a unit.
            Some(_) | None => Proof::Claim(sn.clone()),
        })
    }

    /// Whether this code takes the unit from its owner.
    async fn wins(&self, tx: &mut Tx, hash: &[u8], new: &Row, now: Millis) -> Result<bool> {
        let kind: String = within!(tx, c => sqlx::query_scalar("SELECT kind FROM codes WHERE hash = $1")
            .bind(hash).fetch_one(c).await)?;
        let gives_way = system::gives_way(new.linked_by.as_deref(), new.linked_at, now)?;
        Ok(gives_way && kind == CodeKind::Registration.as_str())
    }

    async fn spend(&self, tx: &mut Tx, code: &Code, now: Millis) -> Result<()> {
        let hash = self.code_hash(tx, code).await?;
        let spent = execute!(
            tx,
            sqlx::query("UPDATE codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL")
                .bind(hash)
                .bind(now)
        )?;
        (spent == 1).then_some(()).ok_or(Error::Conflict)
    }
}

/// The unit that stands there, if it is still the same household's.
async fn present(tx: &mut Tx, access: &Access) -> Result<Row> {
    let found = find(tx, access.sn()).await?;
    let theirs = found.filter(|row| row.owner_id == access.owner().map(|owner| owner.0));
    theirs.ok_or(Error::Conflict)
}

async fn find(tx: &mut Tx, sn: &Serial) -> Result<Option<Row>> {
    Ok(
        within!(tx, c => sqlx::query_as(select!("WHERE s.sn = $1")).bind(sn.as_str()).fetch_optional(c).await)?,
    )
}

/// Whether the account may put this unit somewhere, by a grant.
async fn holds(tx: &mut Tx, account: AccountId, sn: &Serial, now: Millis) -> Result<bool> {
    let scopes: Vec<String> = within!(tx, c => sqlx::query_scalar(
        "SELECT scope FROM grants WHERE sn = $1 AND account_id = $2 AND state IN ('active', 'unconfirmed')
             AND (until IS NULL OR until > $3)")
        .bind(sn.as_str()).bind(account.0).bind(now).fetch_all(c).await)?;
    let may = |scope: &String| {
        let scope = scope.parse::<domain::grant::Scope>();
        scope.is_ok_and(|scope| scope.level().may(Right::Replace))
    };
    Ok(scopes.iter().any(may))
}

/// Why this unit cannot take the place of that one.
async fn unfit(tx: &mut Tx, old: &Row, new: &Row, now: Millis) -> Result<Option<Unfit>> {
    if new.sn == old.sn {
        return Ok(Some(Unfit::Same));
    }
    if new.owner_id.is_some() && new.owner_id != old.owner_id {
        return Ok(Some(Unfit::Used));
    }
    let grown = new.linked_at.is_some_and(|linked| now - linked > YOUNG);
    if new.unit != 0 || grown {
        return Ok(Some(Unfit::InUse));
    }
    let updating: Option<i64> = within!(tx, c => sqlx::query_scalar(
        "SELECT number FROM firmware_jobs WHERE sn = $1 AND state IN ('waiting', 'running', 'interrupted')")
        .bind(&old.sn).fetch_optional(c).await)?;
    Ok(updating.map(|_| Unfit::Updating))
}
