//! The only way to change settings, whoever asks and for however many systems: validate, check the caller's rights, then save or
//! do a dry run.
use super::outcome::SaveFailure;
use crate::Portal;
use crate::access::PersonCaller;
use crate::error::{Error, Result};
use crate::own_account::{load_account, reauthenticate};
use axum::http::StatusCode;
use domain::Message;
use domain::grant::Right;
use domain::setting::{Field, SettingsChange, SettingsInput, TokenChange};
use store::Access;
use store::guard::ChangeBlocked;
use store::setting::{Save, SaveKind, SaveResult, SystemSettings};

/// Fields with their errors.
pub(crate) type InvalidFields = Vec<(Field, Message)>;

/// One request to save, for any number of systems.
#[derive(Clone, Copy)]
pub(crate) struct SettingsSaver<'a> {
    pub(crate) portal: &'a Portal,
    pub(crate) person: PersonCaller,
    pub(crate) kind: SaveKind<'a>,
    /// The form's input; `None` if the values were not typed in.
    pub(crate) given: Option<&'a SettingsInput>,
}

/// A validated change at one system.
pub(crate) struct PreparedChange<'a> {
    pub(crate) access: &'a Access,
    /// The version that the person had read.
    pub(crate) version: i64,
    pub(crate) settings: SystemSettings,
    pub(crate) change: SettingsChange,
}

impl SettingsSaver<'_> {
    /// Validates a change against the system's settings. Without a `version` it applies to the current one.
    pub(crate) async fn prepare<'s>(
        &self,
        access: &'s Access,
        version: Option<i64>,
        validate: impl FnOnce(&SystemSettings) -> Result<SettingsChange, InvalidFields>,
    ) -> Result<(i64, Result<PreparedChange<'s>, SaveFailure>)> {
        let settings = self
            .portal
            .store
            .settings(access, self.portal.now())
            .await?;
        let present = settings.version;
        let validated = self
            .check_names_no_price(access)
            .and_then(|()| validate(&settings).map_err(|wrong| rephrase_for_caller(access, wrong)));
        let prepared = validated.and_then(|change| self.check_permitted(access, change));
        let prepared = prepared.map(|change| PreparedChange {
            access,
            version: version.unwrap_or(present),
            settings,
            change,
        });
        Ok((present, prepared.map_err(SaveFailure::fields)))
    }

    /// Prices belong to the household. Naming one is refused before it is compared with the stored price.
    fn check_names_no_price(&self, access: &Access) -> Result<(), InvalidFields> {
        if access.may(Right::SetMoney) {
            return Ok(());
        }
        let fields = self.given.into_iter().flat_map(|given| given.fields.keys());
        let prices = fields.filter(|field| field.is_money());
        let wrong: InvalidFields = prices
            .map(|field| (*field, Message::PriceOwnersOnly))
            .collect();
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong),
        }
    }

    /// A field that the caller may not change is reported at that field.
    fn check_permitted(
        &self,
        access: &Access,
        change: SettingsChange,
    ) -> Result<SettingsChange, InvalidFields> {
        let mut wrong: InvalidFields = Vec::new();
        if !access.may(Right::SetWiring) {
            let wiring = change.fields.iter().filter(|it| it.field.is_wiring());
            wrong.extend(wiring.map(|it| (it.field, Message::ScopeTooSmall)));
        }
        if !access.may(Right::SetToken) {
            let named = |given: &SettingsInput| given.fields.contains_key(&Field::ProviderToken);
            if self.given.is_some_and(named) {
                wrong.push((Field::ProviderToken, Message::Forbidden));
            } else if change.token != TokenChange::Keep {
                // A removed token could not be restored by the person who removed it.
                wrong.push((Field::Provider, Message::TokenOwnersOnly));
            }
        }
        match wrong.is_empty() {
            true => Ok(change),
            false => Err(wrong),
        }
    }

    /// People who service a battery change its wiring as part of their work. Household members must confirm that they mean it by
    /// typing the password again.
    pub(crate) async fn reauthenticate(
        &self,
        prepared: &[PreparedChange<'_>],
        password: Option<&str>,
    ) -> Result<()> {
        let asks = |one: &PreparedChange<'_>| {
            one.change.touches_wiring() && one.access.level().is_household()
        };
        if prepared.iter().any(asks) {
            let account = load_account(self.portal, self.person).await?;
            reauthenticate(self.portal, &account, password).await?;
        }
        Ok(())
    }

    /// Returns the saved version, or the previous one if nothing changed.
    pub(crate) async fn save(&self, one: &PreparedChange<'_>) -> Result<Result<i64, SaveFailure>> {
        if one.change.is_empty() {
            return Ok(Ok(one.settings.version));
        }
        let (portal, now) = (self.portal, self.portal.now());
        let saved = portal
            .store
            .save_settings(one.access, self.save_input(one), now);
        let saved = self.save_outcome(one, saved.await?).await?;
        if saved.is_ok() {
            portal.bus.settings_saved(one.access.sn()).await;
        }
        Ok(saved)
    }

    /// What [`Self::save`] would return after `others` had been saved; changes nothing.
    pub(crate) async fn dry_run(
        &self,
        one: &PreparedChange<'_>,
        others: &[PreparedChange<'_>],
    ) -> Result<Result<i64, SaveFailure>> {
        if one.change.is_empty() {
            return Ok(Ok(one.settings.version));
        }
        let touched = others.iter().filter(|other| !other.change.is_empty());
        let touched: Vec<_> = touched.map(|other| other.access.sn()).collect();
        let (store, now) = (&self.portal.store, self.portal.now());
        let tried = store.dry_run_settings(one.access, self.save_input(one), &touched, now);
        self.save_outcome(one, tried.await?).await
    }

    fn save_input<'o>(&'o self, one: &'o PreparedChange<'_>) -> Save<'o> {
        Save {
            version: one.version,
            before: &one.settings,
            change: &one.change,
            kind: self.kind,
            nonce: self.portal.random.bytes(),
            devices_a_minute: self.portal.config.devices_a_minute,
        }
    }

    async fn save_outcome(
        &self,
        one: &PreparedChange<'_>,
        saved: SaveResult,
    ) -> Result<Result<i64, SaveFailure>> {
        let store = &self.portal.store;
        Ok(match saved {
            SaveResult::Version(version) => Ok(version),
            SaveResult::Blocked(held) => Err(SaveFailure::Guarded(held)),
            SaveResult::Conflict => {
                let now = store.settings(one.access, self.portal.now()).await?;
                let changes = store.settings_changed_since(one.access, one.version);
                let mut changes = changes.await?;
                if !one.access.may(Right::SeeMoney) {
                    changes.retain(|change| !is_money(&change.field));
                }
                Err(SaveFailure::Conflict {
                    version: now.version,
                    changes,
                })
            }
        })
    }
}

/// Does not ask callers to fill in fields that they may not know.
fn rephrase_for_caller(access: &Access, wrong: InvalidFields) -> InvalidFields {
    let word = |it| match it {
        (Field::ProviderToken, Message::Required) if !access.may(Right::SetToken) => {
            (Field::Provider, Message::TokenOwnersOnly)
        }
        (Field::ImportPrice, Message::Required) if !access.may(Right::SetMoney) => {
            (Field::Provider, Message::PriceOwnersOnly)
        }
        it => it,
    };
    wrong.into_iter().map(word).collect()
}

/// Whether the field of this name holds what electricity costs or earns.
pub(crate) fn is_money(field: &str) -> bool {
    field.parse().is_ok_and(Field::is_money)
}

pub(super) const fn guard_message(held: ChangeBlocked) -> Message {
    match held {
        ChangeBlocked::Braked => Message::FleetBraked,
        ChangeBlocked::TooManyDevices { .. } => Message::TooManyDevices,
    }
}

impl From<ChangeBlocked> for Error {
    fn from(held: ChangeBlocked) -> Self {
        let message = guard_message(held);
        match held {
            ChangeBlocked::Braked => Self::Refused(StatusCode::SERVICE_UNAVAILABLE, message),
            ChangeBlocked::TooManyDevices { wait } => Self::RateLimited {
                seconds: u64::try_from(wait / 1_000).unwrap_or(0) + 1,
                message,
            },
        }
    }
}
