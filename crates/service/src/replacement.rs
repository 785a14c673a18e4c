//! Exchange of a unit, mostly under warranty: the new serial number replaces the old one, and the site keeps its history.
use crate::mail::OwnerMail;
use crate::transaction::{Notification, Transaction};
use crate::{Error, Result, Service, page};
use domain::clock::{DAY, Millis};
use domain::code::{Code, CodeKind};
use domain::grant::AccessLevel;
use domain::journal::JournalEvent;
use domain::{AccountId, Key, Serial};
use store::journal::NewEntry;
use store::replacement::{self, Unit};
use store::{Access, code, unit};

/// A system that its owner added longer ago does not count as new, so that its history is not lost by mistake.
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
    /// It belongs to another account, or was itself replaced.
    Used,
    /// It is the unit that is to be replaced.
    Same,
    /// The code is for more than one unit.
    Several,
    /// It has a history of its own.
    InUse,
    /// A serial number alone is no proof of possession here.
    NeedsCode,
    /// The old unit is being updated.
    Updating,
}

/// What a key proves.
enum Proof {
    /// The caller has this unit.
    Has(Unit),
    /// The caller has this unit and takes it from this owner.
    Displaces(Unit, AccountId),
    /// The main switch has to prove possession.
    Claim(Serial),
    None(ReplacementRefusal),
}

impl Service {
    /// The unit that `key` names, with its model if the key proves possession; or why it cannot replace the present one. Changes
    /// nothing.
    pub async fn check_replacement(
        &self,
        access: &Access,
        key: &Key,
    ) -> Result<std::result::Result<(Serial, Option<String>), ReplacementRefusal>> {
        let mut t = self.begin().await?;
        let old = t.current_unit(access).await?;
        let new = match t.verify_possession(access, key).await? {
            Proof::Has(new) => new,
            Proof::Displaces(new, _) => without_owner(new),
            Proof::None(why) => return Ok(Err(why)),
            Proof::Claim(sn) => return Ok(Ok((sn, None))),
        };
        Ok(match t.replacement_refusal(&old, &new).await? {
            Some(why) => Err(why),
            None => Ok((new.sn, new.hardware)),
        })
    }

    /// Replaces a unit by the one that `key` proves. All or nothing: history, prices, names, groups, grants, alarms, protocols
    /// and journal move to the new serial number, and the old unit is left without an owner.
    pub async fn replace_unit(&self, access: &Access, key: &Key) -> Result<Replacement> {
        let new = match self.find_new_unit(access, key).await? {
            Ok(new) => new,
            Err(answer) => return Ok(answer),
        };
        let units = [access.sn().clone(), new];
        self.store.telemetry.read_ahead(&units).await?;
        let mut t = self.begin_at(&[access]).await?;
        let now = t.now;
        // No gateway stores anything from here to the commit.
        unit::block_reports(&mut t).await?;
        let old = t.current_unit(access).await?;
        let new = match t.verify_possession(access, key).await? {
            Proof::Has(new) => new,
            // Here too, the code from the box displaces an owner who was linked by the main switch.
            Proof::Displaces(new, owner) => {
                t.evict(&new.sn, owner).await?;
                let freed = replacement::find_unit(&mut t, &new.sn).await?;
                freed.ok_or(Error::Conflict)?
            }
            Proof::None(why) => return Ok(Replacement::Refused(why)),
            // The new unit had an owner a moment ago.
            Proof::Claim(_) => return Err(Error::Conflict),
        };
        if let Some(why) = t.replacement_refusal(&old, &new).await? {
            return Ok(Replacement::Refused(why));
        }
        if let Key::Code(code) = key {
            t.mark_code_used(code).await?;
        }
        replacement::move_measurements(&mut t, &self.store.telemetry, &old, &new, now).await?;
        replacement::move_household(&mut t, &old, &new, now).await?;
        // The rest of the household's data is erased from the old unit, as if the household had left.
        t.end_household(&old.sn).await?;
        let (old, new) = (old.sn, new.sn);
        let event = JournalEvent::UnitReplaced {
            old: Some(old.clone()),
            new: Some(new.clone()),
        };
        let entry = NewEntry::by(access.account(), event, now).on(&new);
        t.journal(entry).await?;
        let mail = OwnerMail {
            text: "unit_replaced",
            page: page::OWNERS_GRANTS,
            values: vec![("old", old.to_string()), ("sn", new.to_string())],
            until: None,
        };
        t.mail_owner_of_change(access, mail).await?;
        t.notify(Notification::UnitReplaced {
            old,
            new: new.clone(),
        });
        t.commit().await?;
        Ok(Replacement::Done(new))
    }

    /// The unit that the key proves and that can replace the present one, or what the request ends in without an exchange. Apart
    /// from the exchange, which checks it again: a wrong key must not stop the gateways.
    async fn find_new_unit(
        &self,
        access: &Access,
        key: &Key,
    ) -> Result<std::result::Result<Serial, Replacement>> {
        let mut t = self.begin_at(&[access]).await?;
        let old = t.current_unit(access).await?;
        let new = match t.verify_possession(access, key).await? {
            Proof::Has(new) => new,
            Proof::Displaces(new, _) => without_owner(new),
            Proof::None(why) => return Ok(Err(Replacement::Refused(why))),
            Proof::Claim(sn) => {
                t.begin_claim(access.account(), &sn).await?;
                t.commit().await?;
                return Ok(Err(Replacement::Waiting(sn)));
            }
        };
        Ok(match t.replacement_refusal(&old, &new).await? {
            Some(why) => Err(Replacement::Refused(why)),
            None => Ok(new.sn),
        })
    }
}

/// A unit that is taken from its owner, as it is by the time it replaces the old one.
fn without_owner(mut new: Unit) -> Unit {
    (new.owner, new.linked_at) = (None, None);
    new
}

impl Transaction<'_> {
    /// The present unit, if it still belongs to the same household.
    async fn current_unit(&mut self, access: &Access) -> Result<Unit> {
        let found = replacement::find_unit(self, access.sn()).await?;
        let theirs = found.filter(|unit| unit.owner == access.owner());
        theirs.ok_or(Error::Conflict)
    }

    /// Whether the caller possesses the new unit: by its code, or because they own it or have a grant for it. An electrician can
    /// also prove it by an installer code, an owner by the main switch.
    async fn verify_possession(&mut self, access: &Access, key: &Key) -> Result<Proof> {
        let now = self.now;
        let sn = match key {
            Key::Code(code) => return self.verify_code(access, code).await,
            Key::Serial(sn) if sn == access.sn() => {
                return Ok(Proof::None(ReplacementRefusal::Same));
            }
            Key::Serial(sn) => sn,
        };
        let new = replacement::find_unit(self, sn).await?;
        if access.level() == AccessLevel::Service {
            // Only a person who possesses the unit learns whether it exists.
            let account = access.account();
            let held = replacement::has_replace_grant(self, account, sn, now).await?;
            return Ok(match new {
                Some(new) if held => Proof::Has(new),
                _ => Proof::None(ReplacementRefusal::NeedsCode),
            });
        }
        Ok(match new {
            Some(new) if new.owner == Some(access.account()) => Proof::Has(new),
            Some(new) if new.owner.is_some() || new.is_retired => {
                Proof::None(ReplacementRefusal::Used)
            }
            // Must not reveal whether the unit exists.
            Some(_) | None => Proof::Claim(sn.clone()),
        })
    }

    async fn verify_code(&mut self, access: &Access, code: &Code) -> Result<Proof> {
        let now = self.now;
        let hash = self.service.store.code_hash(self, code).await?;
        let accepted = match access.level() == AccessLevel::Service {
            true => [CodeKind::Registration, CodeKind::Installer],
            false => [CodeKind::Registration; 2],
        };
        let mut covered = replacement::units_of_code(self, &hash, accepted).await?;
        let new = match (covered.pop(), covered.is_empty()) {
            (None, _) => return Ok(Proof::None(ReplacementRefusal::CodeUnknown)),
            (Some(_), false) => return Ok(Proof::None(ReplacementRefusal::Several)),
            (Some(new), true) => new,
        };
        let foreign = new.owner.filter(|owner| Some(*owner) != access.owner());
        let from_box = code::kind(self, &hash).await? == Some(CodeKind::Registration);
        Ok(match foreign {
            Some(owner) if from_box && new.yields_to_code(now) => Proof::Displaces(new, owner),
            _ => Proof::Has(new),
        })
    }

    /// Why `new` cannot replace `old`.
    async fn replacement_refusal(
        &mut self,
        old: &Unit,
        new: &Unit,
    ) -> Result<Option<ReplacementRefusal>> {
        if new.sn == old.sn {
            return Ok(Some(ReplacementRefusal::Same));
        }
        if new.owner.is_some() && new.owner != old.owner {
            return Ok(Some(ReplacementRefusal::Used));
        }
        let age = new.linked_at.map(|linked| self.now - linked);
        if new.is_replacement() || age.is_some_and(|age| age > MAX_AGE_OF_NEW_SYSTEM) {
            return Ok(Some(ReplacementRefusal::InUse));
        }
        let updating = replacement::is_updating(self, &old.sn).await?;
        Ok(updating.then_some(ReplacementRefusal::Updating))
    }
}
