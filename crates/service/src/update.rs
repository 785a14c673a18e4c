//! Updates: started and cancelled by people, and expired if they wait too long.
use crate::mail::OwnerMail;
use crate::transaction::{Notification, Transaction};
use crate::{Error, Result, Service, page};
use domain::Serial;
use domain::clock::DAY;
use domain::firmware::{JobId, MAX_UPDATE_WAIT, Version};
use domain::journal::{JournalEvent, PartUpdate};
use store::Access;
use store::firmware::{Release, installed_version, update};
use store::guard::{self, ChangeBlocked};
use store::journal::{Actor, NewEntry};

/// Result of starting an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateStart {
    /// It waits for its battery, or an update was open already.
    Open,
    NothingOffered,
    Blocked(ChangeBlocked),
}

/// The update that a system is offered now.
struct Offer {
    /// Each release with the version that it replaces. Never empty.
    parts: Vec<(Release, Version)>,
    /// Whether the battery updates only with its main switch off.
    needs_off: bool,
}

impl Service {
    /// Starts the offered update. Idempotent: a repeated request finds the open update.
    pub async fn start_update(&self, access: &Access) -> Result<UpdateStart> {
        self.start_updates(&[access]).await
    }

    /// Starts the updates of systems of one household, all or none, with one mail. Those that have an open update stay as they
    /// are.
    pub async fn start_updates(&self, systems: &[&Access]) -> Result<UpdateStart> {
        let mut offers = Vec::with_capacity(systems.len());
        for access in systems {
            let newest = self.store.newest_update(access.sn()).await?;
            if newest.is_some_and(|job| job.state.is_open()) {
                continue;
            }
            match self.offer(access.sn()).await? {
                Some(offer) => offers.push((*access, offer)),
                None => return Ok(UpdateStart::NothingOffered),
            }
        }
        offers.sort_by(|(one, _), (other, _)| one.sn().cmp(other.sn()));
        let mut t = self.begin().await?;
        let now = t.now;
        let mut started = Vec::with_capacity(offers.len());
        for (access, offer) in offers {
            let sn = access.sn();
            let admitted = guard::admit(&mut t, access, self.config.devices_a_minute, now).await?;
            if let Err(blocked) = admitted {
                return Ok(UpdateStart::Blocked(blocked));
            }
            // Another account may have started one meanwhile.
            if update::has_open(&mut t, sn).await? {
                continue;
            }
            let id = JobId::random(&self.random);
            match update::insert(&mut t, access, &id, &offer.parts, now).await {
                // Another account started one at the same moment.
                Err(Error::Taken(_)) if systems.len() == 1 => return Ok(UpdateStart::Open),
                Err(Error::Taken(_)) => return Err(Error::Conflict),
                inserted => inserted?,
            }
            let parts = offer.parts.iter().map(|(release, from)| PartUpdate {
                part: Some(release.part),
                from: Some(*from),
                to: Some(release.version),
            });
            let parts = parts.collect();
            let event = JournalEvent::UpdateStarted { parts };
            let entry = NewEntry::by(access.account(), event, now).on(sn);
            t.journal(entry).await?;
            t.notify(Notification::UpdateChanged(sn.clone()));
            started.push((access, offer));
        }
        mail_owner(&mut t, &started).await?;
        t.commit().await?;
        Ok(UpdateStart::Open)
    }

    /// `None` if there is no offer that the system can install.
    async fn offer(&self, sn: &Serial) -> Result<Option<Offer>> {
        let Some(bus) = &self.bus else {
            return Ok(None);
        };
        let live = &bus.live;
        live.hold(std::slice::from_ref(sn)).await?;
        let Some(snapshot) = live.get(sn) else {
            return Ok(None);
        };
        let from = |release: &Release| installed_version(&snapshot.facts.versions, release.part);
        let offered = live.offered(sn).into_iter();
        let parts = offered.filter_map(|release| from(&release).map(|from| (release, from)));
        let parts: Vec<_> = parts.collect();
        Ok((!parts.is_empty()).then_some(Offer {
            parts,
            needs_off: snapshot.facts.update_needs_off,
        }))
    }

    /// Cancels an update that the battery has not begun. `false` when the battery works on it.
    pub async fn cancel_update(&self, access: &Access) -> Result<bool> {
        let mut t = self.begin_at(&[access]).await?;
        let (sn, now) = (access.sn(), t.now);
        if !update::cancel_waiting(&mut t, sn, now).await? {
            return Ok(!update::has_open(&mut t, sn).await?);
        }
        t.journal(NewEntry::by(access.account(), JournalEvent::UpdateCancelled, now).on(sn))
            .await?;
        t.notify(Notification::UpdateChanged(sn.clone()));
        t.commit().await?;
        Ok(true)
    }

    /// Expires updates whose battery has waited for too long. Returns their systems.
    pub async fn expire_updates(&self) -> Result<Vec<Serial>> {
        let mut expired = Vec::new();
        for (id, sn) in self.store.overdue_updates(self.now()).await? {
            let mut t = self.begin().await?;
            let now = t.now;
            if update::expire(&mut t, &id, now).await? {
                let entry = NewEntry::without_account(JournalEvent::UpdateExpired, now).on(&sn);
                t.journal(entry.with_actor(Actor::Portal)).await?;
                t.notify(Notification::UpdateChanged(sn.clone()));
                t.commit().await?;
                expired.push(sn);
            }
        }
        Ok(expired)
    }

    /// Interrupts running updates whose battery has not reported for too long. Returns their systems.
    pub async fn interrupt_stalled_updates(&self) -> Result<Vec<Serial>> {
        let mut interrupted = Vec::new();
        for (id, sn) in self.store.stalled_updates(self.now()).await? {
            let mut t = self.begin().await?;
            let now = t.now;
            if update::interrupt(&mut t, &id, now).await? {
                let entry = NewEntry::without_account(JournalEvent::UpdateInterrupted, now);
                t.journal(entry.on(&sn).with_actor(Actor::Portal)).await?;
                t.notify(Notification::UpdateChanged(sn.clone()));
                t.commit().await?;
                interrupted.push(sn);
            }
        }
        Ok(interrupted)
    }
}

/// Mails an owner who did not start the updates what to do at the main switch, and until when.
async fn mail_owner(t: &mut Transaction<'_>, started: &[(&Access, Offer)]) -> Result<()> {
    let Some((first, offer)) = started.first() else {
        return Ok(());
    };
    let any_needs_off = started.iter().any(|(_, offer)| offer.needs_off);
    let text = match (any_needs_off, started.len(), offer.parts.len()) {
        (false, 1, _) => "update_by_installer",
        (true, 1, 0..=1) => "update_needs_switch",
        (true, 1, _) => "update_needs_switch_parts",
        (false, _, _) => "updates_by_installer",
        (true, _, _) => "updates_need_switch",
    };
    let serials: Vec<&str> = started
        .iter()
        .map(|(access, _)| access.sn().as_str())
        .collect();
    let page = match started {
        [_] => page::update(first.sn()),
        _ => page::UPDATES.to_owned(),
    };
    let mail = OwnerMail {
        text,
        page: &page,
        values: vec![("sn", serials.join(", "))],
        // The last full day.
        until: Some(first.zone().day_of(t.now + MAX_UPDATE_WAIT - DAY)),
    };
    t.mail_owner_of_change(first, mail).await
}
