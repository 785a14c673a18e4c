//! Prices that owners enter: from a day on, or by the time of day.
use crate::settings::update_fixed_price;
use crate::transaction::{Notification, Transaction};
use crate::{Result, Service};
use domain::source::TimeOfUse;
use domain::tariff::{TariffStart, tariff_on};
use domain::{Price, SiteDay, Tariff};
use serde_json::{Value, json};
use store::guard::ChangeBlocked;
use store::journal::{JournalEvent, NewEntry};
use store::{Access, source, tariff};

/// Prices as a person enters them.
#[derive(Clone, Copy, Debug)]
pub struct NewTariff {
    pub since: TariffStart,
    pub import_price: Price,
    pub feed_in_price: Price,
}

impl NewTariff {
    fn begin(self, known: &[Tariff], today: SiteDay) -> Tariff {
        Tariff {
            from: self.since.first_day(known, today),
            import_price: self.import_price,
            feed_in_price: self.feed_in_price,
        }
    }
}

impl Service {
    /// Enters prices for systems, all or none. A tariff that begins on the same day is replaced. Batteries that use the fixed
    /// price get it as a setting, so the limit of devices per account and minute applies.
    pub async fn set_tariff(
        &self,
        systems: &[&Access],
        new: NewTariff,
    ) -> Result<Result<(), ChangeBlocked>> {
        let mut t = self.begin().await?;
        let limit = self.config.devices_a_minute;
        for access in systems {
            let (sn, today) = (access.sn(), access.zone().day_of(t.now));
            let known = tariff::list(&mut t, access).await?;
            let tariff = new.begin(&known, today);
            tariff::write(&mut t, access, &tariff).await?;
            if let Some(current) = current(&mut t, access).await?
                && let Err(blocked) = update_fixed_price(&mut t, access, &current, limit).await?
            {
                return Ok(Err(blocked));
            }
            let replaced = known.iter().find(|other| other.from == tariff.from);
            let entry = NewEntry::by(access.account(), JournalEvent::TariffSet, t.now).on(sn);
            t.journal(entry.with(detail(&tariff, replaced))).await?;
            t.notify(Notification::SettingsSaved(sn.clone()));
        }
        t.commit().await?;
        Ok(Ok(()))
    }

    /// Applies prices whose day has come: batteries that use the fixed price get them as settings. Batteries that already have
    /// them are left alone. What the operator's brake blocks is applied by a later call.
    pub async fn apply_due_tariffs(&self) -> Result<()> {
        for (owner, sn) in self.store.systems_with_due_tariffs(self.now()).await? {
            let Some(access) = self.store.access(owner, &sn).await? else {
                continue;
            };
            let mut t = self.begin().await?;
            let Some(current) = current(&mut t, &access).await? else {
                continue;
            };
            // The owner ordered this on an earlier day, and it is one system at a time: no limit per minute.
            if let Ok(true) = update_fixed_price(&mut t, &access, &current, usize::MAX).await? {
                t.notify(Notification::SettingsSaved(sn));
                t.commit().await?;
            }
        }
        Ok(())
    }

    /// Enters prices by the time of day, in place of the earlier ones.
    pub async fn set_time_of_use(&self, systems: &[&Access], tariff: &TimeOfUse) -> Result<()> {
        let mut t = self.begin().await?;
        for access in systems {
            let Some(owner) = access.owner() else {
                continue;
            };
            source::set_time_of_use(&mut t, owner, access.sn(), tariff).await?;
            let entry = NewEntry::by(access.account(), JournalEvent::TimeOfUseSet, t.now);
            let detail = json!({ "steps": tariff.steps().len() });
            t.journal(entry.on(access.sn()).with(detail)).await?;
        }
        t.commit().await
    }
}

/// Sets prices that are valid from now on, and for the past too if they are the first.
pub(crate) async fn set_current(
    t: &mut Transaction<'_>,
    access: &Access,
    import_price: Price,
    feed_in_price: Price,
) -> Result<()> {
    let known = tariff::list(t, access).await?;
    let new = NewTariff {
        since: TariffStart::Unspecified,
        import_price,
        feed_in_price,
    };
    let tariff = new.begin(&known, access.zone().day_of(t.now));
    tariff::write(t, access, &tariff).await
}

/// The tariff of today.
async fn current(t: &mut Transaction<'_>, access: &Access) -> Result<Option<Tariff>> {
    let today = access.zone().day_of(t.now);
    Ok(tariff_on(&tariff::list(t, access).await?, today).copied())
}

/// The new prices, and those that they replaced.
fn detail(tariff: &Tariff, replaced: Option<&Tariff>) -> Value {
    let prices = |tariff: &Tariff| {
        json!({
            "import_price": tariff.import_price.to_string(),
            "feed_in_price": tariff.feed_in_price.to_string(),
        })
    };
    json!({
        "from": tariff.from.map(|day| day.to_string()),
        "to": prices(tariff),
        "was": replaced.map(prices),
    })
}
