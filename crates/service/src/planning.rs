//! Charge plans: turned on and off, stored with the outcome of finished blocks, and controlled by a charge target.
use crate::mail::{MailDraft, MailRecipient};
use crate::settings::{SaveFailure, SettingsRequest};
use crate::transaction::{Notification, Transaction};
use crate::{Result, Service, page};
use domain::journal::{BlockOutcome, JournalEvent};
use domain::setting::{Field, SettingsInput, Value};
use store::guard::{self, ChangeBlocked};
use store::journal::NewEntry;
use store::planning::{self, ChargeTarget, NewPlan};
use store::{Access, setting};

const DYNAMIC_TARIFF_PLAN: &str = "plan";
const DYNAMIC_TARIFF_OFF: &str = "off";

impl Service {
    /// Saved like any other setting: with a version, a journal entry and delivery to the battery.
    pub async fn set_planning(
        &self,
        access: &Access,
        on: bool,
    ) -> Result<Result<i64, SaveFailure>> {
        let choice = match on {
            true => DYNAMIC_TARIFF_PLAN,
            false => DYNAMIC_TARIFF_OFF,
        };
        let mut input = SettingsInput::default();
        input.fields.insert(Field::DynamicTariff, choice.to_owned());
        let request = SettingsRequest::Form(&input);
        match self.prepare_settings(access, None, request).await? {
            Ok(prepared) => self.save_settings(&prepared).await,
            Err(failure) => Ok(Err(failure)),
        }
    }

    /// Sets the owner's charge target; `None` removes it.
    pub async fn set_charge_target(
        &self,
        access: &Access,
        charge_target: Option<ChargeTarget>,
    ) -> Result<Result<(), ChangeBlocked>> {
        let mut t = self.begin().await?;
        let now = t.now;
        let admitted = guard::admit(&mut t, access, self.config.devices_a_minute, now).await?;
        if let Err(blocked) = admitted {
            return Ok(Err(blocked));
        }
        planning::set_charge_target(&mut t, access.sn(), charge_target).await?;
        let event = match charge_target {
            Some(ChargeTarget { soc, by }) => {
                let clock = access.zone().clock_text(by);
                let at = clock.get(11..16).unwrap_or_default().to_owned();
                JournalEvent::ChargeTargetSet { soc, at }
            }
            None => JournalEvent::ChargeTargetDropped,
        };
        let entry = NewEntry::by(access.account(), event, now).on(access.sn());
        t.journal(entry).await?;
        t.commit().await?;
        Ok(Ok(()))
    }

    /// Stores a plan, and the outcome of a finished block. `false` if another process was faster, or the household has left
    /// meanwhile.
    pub async fn save_plan(
        &self,
        access: &Access,
        new: &NewPlan<'_>,
        ended: Option<BlockOutcome>,
    ) -> Result<bool> {
        let mut t = self.begin().await?;
        if !planning::save_plan(&mut t, access.sn(), new).await? {
            return Ok(false);
        }
        journal_outcome(&mut t, access, ended).await?;
        t.notify(Notification::PlanChanged(access.sn().clone()));
        t.commit().await?;
        Ok(true)
    }

    /// The settings no longer ask for a plan.
    pub async fn end_plan(&self, access: &Access, ended: Option<BlockOutcome>) -> Result<()> {
        let mut t = self.begin().await?;
        if planning::clear_plan(&mut t, access.sn()).await? {
            journal_outcome(&mut t, access, ended).await?;
        }
        t.notify(Notification::PlanChanged(access.sn().clone()));
        t.commit().await
    }

    /// Planning has lost money: turns it off and notifies the owner. `saved` is negative, in cents.
    pub async fn turn_plan_off(
        &self,
        access: &Access,
        saved: i64,
        ended: Option<BlockOutcome>,
    ) -> Result<()> {
        let mut t = self.begin().await?;
        let (sn, now) = (access.sn(), t.now);
        let mut settings = setting::desired_or_reported(&mut t, sn).await?;
        let tariff = Field::DynamicTariff;
        if settings.get(tariff) != Some(Value::Choice(DYNAMIC_TARIFF_PLAN)) {
            return Ok(());
        }
        // The battery gets the setting as if a person had saved it.
        settings.set(tariff, Value::Choice(DYNAMIC_TARIFF_OFF));
        setting::overwrite_desired(&mut t, sn, &settings, None, now).await?;
        planning::clear_plan(&mut t, sn).await?;
        journal_outcome(&mut t, access, ended).await?;
        let currency = planning::currency(&mut t, access).await?;
        let event = JournalEvent::PlanTurnedOff {
            lost: Some(-saved),
            currency: Some(currency),
        };
        let entry = NewEntry::without_account(event, now).on(sn);
        t.journal(entry).await?;
        if let Some(owner) = MailRecipient::of(&mut t, access.account()).await? {
            let draft = MailDraft {
                text: "plan_turned_off",
                page: page::PLAN,
                values: vec![
                    ("sn", sn.to_string()),
                    ("lost", currency.amount(-saved, owner.lang())),
                ],
            };
            t.mail(&owner, draft).await?;
        }
        t.notify(Notification::SettingsSaved(sn.clone()));
        t.commit().await
    }
}

async fn journal_outcome(
    t: &mut Transaction<'_>,
    access: &Access,
    ended: Option<BlockOutcome>,
) -> Result<()> {
    let Some(outcome) = ended else { return Ok(()) };
    let event = JournalEvent::PlanDone(BlockOutcome {
        currency: Some(planning::currency(t, access).await?),
        ..outcome
    });
    let entry = NewEntry::without_account(event, t.now).on(access.sn());
    t.journal(entry).await
}
