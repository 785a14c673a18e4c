//! Changes of a site: place, coordinates, time zone and planes.
use crate::mail::OwnerMail;
use crate::transaction::Notification;
use crate::{Error, Result, Service, page};
use domain::journal::JournalEvent;
use domain::site::SiteChange;
use store::journal::NewEntry;
use store::{Access, site};

/// The result of a change of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteChangeResult {
    Done,
    /// Nothing was changed: the system already has days in its present time zone.
    ZoneFixed,
}

impl Service {
    /// Applies the change with a journal entry, or changes nothing. The owner gets a mail if an electrician made the change.
    pub async fn change_site(
        &self,
        access: &Access,
        change: &SiteChange,
    ) -> Result<SiteChangeResult> {
        let mut t = self.begin_at(&[access]).await?;
        let sn = access.sn();
        let before = site::lock(&mut t, access).await?.ok_or(Error::Conflict)?;
        let after = before.with(change);
        if after.zone != before.zone {
            if !site::change_zone(&mut t, sn, &after).await? {
                return Ok(SiteChangeResult::ZoneFixed);
            }
            t.notify(Notification::ZoneChanged(sn.clone()));
        }
        let changed = before.difference(&after);
        if changed.is_empty() {
            return Ok(SiteChangeResult::Done);
        }
        site::update(&mut t, sn, &after).await?;
        // Records which parts changed, but not their values: places are personal data.
        let changed = changed.into_iter().map(str::to_owned).collect();
        let event = JournalEvent::SiteChanged { changed };
        let entry = NewEntry::by(access.account(), event, t.now);
        t.journal(entry.on(sn)).await?;
        let mail = OwnerMail {
            text: "site_changed",
            page: page::OWNERS_GRANTS,
            values: vec![("sn", sn.to_string())],
            until: None,
        };
        t.mail_owner_of_change(access, mail).await?;
        t.commit().await?;
        Ok(SiteChangeResult::Done)
    }
}
