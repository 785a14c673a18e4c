//! Exchange of a unit, mostly under warranty: the new serial number replaces the old one, and the site goes on.

mod transfer;

use crate::grant::{OWNERS_PAGE, OwnerMail};
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Error, Result, Store, claim, system, unit};
use db::{FromRow, Tx};
use domain::clock::{DAY, Millis};
use domain::code::{Code, CodeKind};
use domain::grant::{AccessLevel, Right};
use domain::{AccountId, Key, Serial, Zone};
use serde_json::json;

/// A system that its owner added longer ago does not count as new: its history must not be lost by a slip.
const MAX_AGE_OF_NEW_SYSTEM: Millis = 14 * DAY;

/// The result of a request to replace a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Replaced by this unit.
    Done(Serial),
    /// The owner's claim of the new unit waits for its main switch.
    Waiting(Serial),
    Refused(ReplacementRefusal),
}

/// Why the unit that a key names cannot replace another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacementRefusal {
    CodeUnknown,
    /// It belongs to somebody else, or was itself replaced.
    Used,
    /// It is the unit that is to be replaced.
    Same,
    /// The code is for more than one unit.
    Several,
    /// It has a history of its own.
    InUse,
    /// A serial number alone proves nothing here.
    NeedsCode,
    /// The old unit is being updated.
    Updating,
}

#[derive(Debug, FromRow)]
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

impl Row {
    fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))
    }

    fn zone(&self) -> Result<Zone> {
        let zone = self.time_zone.parse();
        zone.map_err(|_| Error::Damaged("systems.time_zone"))
    }
}

/// `SELECT …` of systems; the argument is the rest of the statement.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT s.sn, s.phase, s.owner_id, s.linked_at, s.linked_by, s.first_name, s.last_name, s.history_from, s.time_zone, s.unit,
                s.retired_at FROM systems s ",
            $which
        )
    };
}

/// What a key proves.
enum Proof {
    /// The caller has this unit.
    Has(Row),
    /// The caller has this unit and takes it from this owner.
    Displaces(Row, AccountId),
    /// The main switch has to prove it.
    Claim(Serial),
    None(ReplacementRefusal),
}

impl Store {
    /// Which unit `key` names, and its model if the key proves possession; or why it cannot replace the present one. Changes
    /// nothing.
    pub async fn check_replacement(
        &self,
        access: &Access,
        key: &Key,
        now: Millis,
    ) -> Result<std::result::Result<(Serial, Option<String>), ReplacementRefusal>> {
        let mut tx = self.db.begin().await?;
        let old = load_current(&mut tx, access).await?;
        let new = match self.verify_possession(&mut tx, access, key, now).await? {
            Proof::Has(new) => new,
            // It has no owner by the time it replaces the old unit.
            Proof::Displaces(new, _) => Row {
                owner_id: None,
                linked_at: None,
                ..new
            },
            Proof::None(why) => return Ok(Err(why)),
            Proof::Claim(sn) => return Ok(Ok((sn, None))),
        };
        if let Some(why) = refusal(&mut tx, &old, &new, now).await? {
            return Ok(Err(why));
        }
        let hardware: Option<String> = within!(&mut tx, c => sqlx::query_scalar("SELECT hardware FROM systems WHERE sn = $1")
            .bind(&new.sn).fetch_one(c).await)?;
        Ok(Ok((new.serial()?, hardware)))
    }

    /// Replaces a unit by the one that `key` proves. All or nothing: history, prices, names, groups, grants, alarms, protocols
    /// and journal move to the new serial number, and the old unit has no owner any more.
    pub async fn replace_unit(
        &self,
        access: &Access,
        key: &Key,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<Replacement> {
        let mut tx = self.db.begin().await?;
        unit::block_reports(&mut tx).await?;
        let old = load_current(&mut tx, access).await?;
        let new = match self.verify_possession(&mut tx, access, key, now).await? {
            Proof::Has(new) => new,
            // Here too, the code from the box displaces an owner who was linked by the main switch.
            Proof::Displaces(new, owner) => {
                self.evict(&mut tx, &new.serial()?, owner, mail_context, now)
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
        if let Some(why) = refusal(&mut tx, &old, &new, now).await? {
            return Ok(Replacement::Refused(why));
        }
        if let Key::Code(code) = key {
            self.mark_code_used(&mut tx, code, now).await?;
        }
        let (old_sn, new_sn) = (old.serial()?, new.serial()?);
        transfer::move_measurements(&mut tx, &old, &new, now).await?;
        transfer::move_household(&mut tx, &old, &new, now).await?;
        // The rest of the household's data is erased from the old unit, as if the household had left.
        self.end_household(&mut tx, &old_sn, mail_context, now)
            .await?;
        let detail = json!({ "old": old_sn.as_str(), "new": new_sn.as_str() });
        let line = NewEntry::by(access.account(), JournalEvent::UnitReplaced, now).on(&new_sn);
        line.with(detail).write(&mut tx).await?;
        let mail = OwnerMail {
            text: "unit_replaced",
            page: OWNERS_PAGE,
            values: vec![("old", old_sn.to_string()), ("sn", new_sn.to_string())],
            until: None,
        };
        self.notify_owner_of_change(&mut tx, access, mail, mail_context, now)
            .await?;
        tx.commit().await?;
        Ok(Replacement::Done(new_sn))
    }

    /// Whether the caller has the new unit: by its code, or because they already own it or have a grant for it. An electrician
    /// can also prove it by an installer code, an owner by the main switch.
    async fn verify_possession(
        &self,
        tx: &mut Tx,
        access: &Access,
        key: &Key,
        now: Millis,
    ) -> Result<Proof> {
        let electrician = access.level() == AccessLevel::Service;
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
                    (None, _) => return Ok(Proof::None(ReplacementRefusal::CodeUnknown)),
                    (Some(_), false) => return Ok(Proof::None(ReplacementRefusal::Several)),
                    (Some(new), true) => new,
                };
                let foreign = new.owner_id.map(AccountId);
                let foreign = foreign.filter(|owner| Some(*owner) != access.owner());
                return Ok(match foreign {
                    Some(owner) if self.displaces_owner(tx, &hash, &new, now).await? => {
                        Proof::Displaces(new, owner)
                    }
                    _ => Proof::Has(new),
                });
            }
            Key::Serial(sn) if sn == access.sn() => {
                return Ok(Proof::None(ReplacementRefusal::Same));
            }
            Key::Serial(sn) => sn,
        };
        let new = find(tx, sn).await?;
        if electrician {
            // Only somebody who has the unit learns whether it exists.
            let held = has_replace_grant(tx, access.account(), sn, now).await?;
            return Ok(match new {
                Some(new) if held => Proof::Has(new),
                _ => Proof::None(ReplacementRefusal::NeedsCode),
            });
        }
        let me = access.account().0;
        Ok(match new {
            Some(new) if new.owner_id == Some(me) => Proof::Has(new),
            Some(new) if new.owner_id.is_some() || new.retired_at.is_some() => {
                Proof::None(ReplacementRefusal::Used)
            }
            // Must not reveal whether the unit exists.
            Some(_) | None => Proof::Claim(sn.clone()),
        })
    }

    /// Whether this code takes the unit from its owner.
    async fn displaces_owner(
        &self,
        tx: &mut Tx,
        hash: &[u8],
        new: &Row,
        now: Millis,
    ) -> Result<bool> {
        let kind: String = within!(tx, c => sqlx::query_scalar("SELECT kind FROM codes WHERE hash = $1")
            .bind(hash).fetch_one(c).await)?;
        let yields = system::yields_to_code(new.linked_by.as_deref(), new.linked_at, now)?;
        Ok(yields && kind == CodeKind::Registration.as_str())
    }

    async fn mark_code_used(&self, tx: &mut Tx, code: &Code, now: Millis) -> Result<()> {
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

/// The present unit, if it still belongs to the same household.
async fn load_current(tx: &mut Tx, access: &Access) -> Result<Row> {
    let found = find(tx, access.sn()).await?;
    let theirs = found.filter(|row| row.owner_id == access.owner().map(|owner| owner.0));
    theirs.ok_or(Error::Conflict)
}

async fn find(tx: &mut Tx, sn: &Serial) -> Result<Option<Row>> {
    Ok(
        within!(tx, c => sqlx::query_as(select!("WHERE s.sn = $1")).bind(sn.as_str()).fetch_optional(c).await)?,
    )
}

/// Whether a grant lets the account use this unit as a replacement.
async fn has_replace_grant(
    tx: &mut Tx,
    account: AccountId,
    sn: &Serial,
    now: Millis,
) -> Result<bool> {
    let scopes: Vec<String> = within!(tx, c => sqlx::query_scalar(
        "SELECT scope FROM grants WHERE sn = $1 AND account_id = $2 AND state IN ('active', 'unconfirmed')
             AND (until IS NULL OR until > $3)")
        .bind(sn.as_str()).bind(account.0).bind(now).fetch_all(c).await)?;
    let may = |scope: &String| {
        let scope = scope.parse::<domain::grant::GrantScope>();
        scope.is_ok_and(|scope| scope.level().may(Right::Replace))
    };
    Ok(scopes.iter().any(may))
}

/// Why `new` cannot replace `old`.
async fn refusal(
    tx: &mut Tx,
    old: &Row,
    new: &Row,
    now: Millis,
) -> Result<Option<ReplacementRefusal>> {
    if new.sn == old.sn {
        return Ok(Some(ReplacementRefusal::Same));
    }
    if new.owner_id.is_some() && new.owner_id != old.owner_id {
        return Ok(Some(ReplacementRefusal::Used));
    }
    let grown = new
        .linked_at
        .is_some_and(|linked| now - linked > MAX_AGE_OF_NEW_SYSTEM);
    if new.unit != 0 || grown {
        return Ok(Some(ReplacementRefusal::InUse));
    }
    let updating: Option<i64> = within!(tx, c => sqlx::query_scalar(
        "SELECT number FROM firmware_jobs WHERE sn = $1 AND state IN ('waiting', 'running', 'interrupted')")
        .bind(&old.sn).fetch_optional(c).await)?;
    Ok(updating.map(|_| ReplacementRefusal::Updating))
}
