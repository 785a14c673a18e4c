//! Charge plans: turned on and off, stored with the outcome of the blocks that have ended, and steered by a charge target.
use crate::mail::{MailDraft, MailRecipient};
use crate::settings::{SaveFailure, SettingsRequest};
use crate::transaction::{Notification, Transaction};
use crate::{Result, Service, page};
use domain::setting::{Field, SettingsInput, Value as SettingValue};
use serde_json::{Value, json};
use store::journal::{JournalEvent, NewEntry};
use store::planning::{self, ChargePlanMode, ChargeTarget, NewPlan};
use store::{Access, setting};

const DYNAMIC_TARIFF_PLAN: &str = "plan";
const DYNAMIC_TARIFF_OFF: &str = "off";

/// The result of a block that has ended, with times of the site's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockOutcome {
    pub mode: ChargePlanMode,
    pub from: String,
    pub to: String,
    /// Price of an imported kWh, in hundredths of a cent.
    pub price: i64,
    /// Wh that went into the battery, as far as measured.
    pub charged: Option<i64>,
    /// Wh that were imported.
    pub imported: Option<i64>,
    /// State of charge at its end, in %.
    pub soc: Option<i64>,
    /// Expected saving, in hundredths of a cent.
    pub expected: Option<i64>,
}

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

    /// Sets the state of charge that the owner wants at a time; `None` withdraws it.
    pub async fn set_charge_target(
        &self,
        access: &Access,
        charge_target: Option<ChargeTarget>,
    ) -> Result<()> {
        let mut t = self.begin().await?;
        planning::set_charge_target(&mut t, access.sn(), charge_target).await?;
        let (event, detail) = match charge_target {
            Some(charge_target) => {
                let clock = access.zone().clock_text(charge_target.by);
                let at = clock.get(11..16).unwrap_or_default();
                (
                    JournalEvent::ChargeTargetSet,
                    json!({ "soc": charge_target.soc, "at": at }),
                )
            }
            None => (JournalEvent::ChargeTargetDropped, Value::Null),
        };
        let entry = NewEntry::by(access.account(), event, t.now).on(access.sn());
        t.journal(entry.with(detail)).await?;
        t.commit().await
    }

    /// Stores a plan, and the outcome of a block that has ended. `false` when another process was faster, or the household has
    /// left meanwhile.
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
        if settings.get(tariff) != Some(SettingValue::Choice(DYNAMIC_TARIFF_PLAN)) {
            return Ok(());
        }
        // The battery gets the setting as if a person had saved it.
        settings.set(tariff, SettingValue::Choice(DYNAMIC_TARIFF_OFF));
        setting::overwrite_desired(&mut t, sn, &settings, None, now).await?;
        planning::clear_plan(&mut t, sn).await?;
        journal_outcome(&mut t, access, ended).await?;
        let currency = planning::currency(&mut t, access).await?;
        let entry = NewEntry::without_account(JournalEvent::PlanTurnedOff, now).on(sn);
        let detail = json!({ "lost": -saved, "currency": currency.code() });
        t.journal(entry.with(detail)).await?;
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
    let currency = planning::currency(t, access).await?;
    let detail = json!({
        "mode": outcome.mode.as_str(), "from": outcome.from, "to": outcome.to, "price": outcome.price, "charged": outcome.charged,
        "imported": outcome.imported, "soc": outcome.soc, "expected": outcome.expected, "currency": currency.code(),
    });
    let entry = NewEntry::without_account(JournalEvent::PlanDone, t.now).on(access.sn());
    t.journal(entry.with(detail)).await
}
