//! Prices that owners enter: from a day on, or by the time of day.
use crate::transaction::{Notification, Transaction};
use crate::{Result, Service};
use domain::journal::{JournalEvent, TariffPrices};
use domain::setting::{Field, Value};
use domain::source::TimeOfUse;
use domain::tariff::{TariffStart, tariff_on};
use domain::{Price, SiteDay, Tariff};
use store::guard::{self, ChangeBlocked};
use store::journal::NewEntry;
use store::{Access, setting, source, tariff};

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
            let event = JournalEvent::TariffSet {
                from: tariff.from,
                to: Some(TariffPrices::from(&tariff)),
                was: replaced.map(TariffPrices::from),
            };
            let entry = NewEntry::by(access.account(), event, t.now);
            t.journal(entry.on(sn)).await?;
            t.notify(Notification::SettingsSaved(sn.clone()));
        }
        t.commit().await?;
        Ok(Ok(()))
    }

    /// Applies prices that have become valid: batteries that use the fixed price get them as settings. Batteries that already
    /// have them are left alone. What the operator's brake blocks is applied by a later call.
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
        let mut t = self.begin_at(systems).await?;
        for access in systems {
            let Some(owner) = access.owner() else {
                continue;
            };
            source::set_time_of_use(&mut t, owner, access.sn(), tariff).await?;
            let steps = tariff.steps().len();
            let event = JournalEvent::TimeOfUseSet { steps };
            let entry = NewEntry::by(access.account(), event, t.now);
            t.journal(entry.on(access.sn())).await?;
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

/// New prices apply: a battery that uses the fixed price gets it as a new version of its settings. Returns whether that is the
/// case.
async fn update_fixed_price(
    t: &mut Transaction<'_>,
    access: &Access,
    tariff: &Tariff,
    devices_a_minute: usize,
) -> Result<Result<bool, ChangeBlocked>> {
    let (sn, now) = (access.sn(), t.now);
    let Some(before) = setting::desired(t, sn).await? else {
        return Ok(Ok(false));
    };
    let mut after = before.clone();
    after.set_prices(tariff);
    let field = Field::ImportPrice;
    let (from, to) = (before.get(field), after.get(field));
    if before.get(Field::Provider) != Some(Value::Choice("fixed")) || from == to {
        return Ok(Ok(false));
    }
    if let Err(blocked) = guard::admit(t, access, devices_a_minute, now).await? {
        return Ok(Err(blocked));
    }
    let by = access.account();
    let version = setting::overwrite_desired(t, sn, &after, Some(by), now).await?;
    let written = |value: Option<Value>| value.unwrap_or(Value::Unknown).json(field);
    let event = JournalEvent::SettingChanged {
        version,
        field: Some(field),
        from: written(from),
        to: written(to),
    };
    t.journal(NewEntry::by(by, event, now).on(sn)).await?;
    Ok(Ok(true))
}
