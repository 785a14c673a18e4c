//! The one way in which settings are changed, whoever asks and for how many systems: judged, held against what the caller
//! may, and then saved, or only tried.
use super::outcome::Failure;
use crate::Portal;
use crate::access::Person;
use crate::error::Result;
use crate::routes::account::{load, prove};
use domain::Message;
use domain::grant::Right;
use domain::setting::{Change, Field, Given, TokenChange};
use store::Access;
use store::guard::Held;
use store::setting::{Save, SaveKind, Saved, SystemSettings};

/// What is wrong with which field.
pub(crate) type Wrong = Vec<(Field, Message)>;

/// One request to save, for any number of systems.
#[derive(Clone, Copy)]
pub(crate) struct Saving<'a> {
    pub(crate) portal: &'a Portal,
    pub(crate) person: Person,
    pub(crate) kind: SaveKind<'a>,
    /// What a form says; nothing where nobody typed the values.
    pub(crate) given: Option<&'a Given>,
}

/// What is to be saved at one system.
pub(crate) struct Planned<'a> {
    pub(crate) access: &'a Access,
    /// What the person had in front of them.
    pub(crate) version: i64,
    pub(crate) settings: SystemSettings,
    pub(crate) change: Change,
}

impl Saving<'_> {
    /// Holds a wish against how the system stands. Without a `version` it is meant for how it stands now.
    pub(crate) async fn plan<'s>(
        &self,
        access: &'s Access,
        version: Option<i64>,
        judge: impl FnOnce(&SystemSettings) -> Result<Change, Wrong>,
    ) -> Result<(i64, Result<Planned<'s>, Failure>)> {
        let settings = self
            .portal
            .store
            .settings(access, self.portal.now())
            .await?;
        let present = settings.version;
        let judged = self
            .names_no_price(access)
            .and_then(|()| judge(&settings).map_err(|wrong| in_the_callers_words(access, wrong)));
        let planned = judged.and_then(|change| self.permitted(access, change));
        let planned = planned.map(|change| Planned {
            access,
            version: version.unwrap_or(present),
            settings,
            change,
        });
        Ok((present, planned.map_err(Failure::fields)))
    }

    /// Prices are the household's: naming one is refused before it is compared with the one that is set.
    fn names_no_price(&self, access: &Access) -> Result<(), Wrong> {
        if access.may(Right::SetMoney) {
            return Ok(());
        }
        let fields = self.given.into_iter().flat_map(|given| given.fields.keys());
        let prices = fields.filter(|field| field.is_money());
        let wrong: Wrong = prices
            .map(|field| (*field, Message::PriceOwnersOnly))
            .collect();
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong),
        }
    }

    /// What the caller may not change is refused at its field.
    fn permitted(&self, access: &Access, change: Change) -> Result<Change, Wrong> {
        let mut wrong: Wrong = Vec::new();
        if !access.may(Right::Wire) {
            let wiring = change.fields.iter().filter(|it| it.field.is_wiring());
            wrong.extend(wiring.map(|it| (it.field, Message::ScopeTooSmall)));
        }
        if !access.may(Right::Token) {
            let named = |given: &Given| given.fields.contains_key(&Field::ProviderToken);
            if self.given.is_some_and(named) {
                wrong.push((Field::ProviderToken, Message::Forbidden));
            } else if change.token != TokenChange::Keep {
                // A token that is gone cannot be brought back by whoever took it away.
                wrong.push((Field::Provider, Message::TokenOwnersOnly));
            }
        }
        match wrong.is_empty() {
            true => Ok(change),
            false => Err(wrong),
        }
    }

    /// Those who service a battery wire it as their work; who lives there should mean it, and types the password again.
    pub(crate) async fn prove(
        &self,
        planned: &[Planned<'_>],
        password: Option<&str>,
    ) -> Result<()> {
        let asks =
            |one: &Planned<'_>| one.change.touches_wiring() && one.access.level().is_household();
        if planned.iter().any(asks) {
            let account = load(self.portal, self.person).await?;
            prove(self.portal, &account, password).await?;
        }
        Ok(())
    }

    /// The version under which it was saved; that of before, where there was nothing to change.
    pub(crate) async fn save(&self, one: &Planned<'_>) -> Result<Result<i64, Failure>> {
        if one.change.is_empty() {
            return Ok(Ok(one.settings.version));
        }
        let (portal, now) = (self.portal, self.portal.now());
        let saved = portal.store.save_settings(one.access, self.order(one), now);
        let saved = self.told(one, saved.await?).await?;
        if saved.is_ok() {
            portal.bus.settings_saved(one.access.sn()).await;
        }
        Ok(saved)
    }

    /// What [`Self::save`] would answer after `others` had been saved; nothing is changed.
    pub(crate) async fn attempt(
        &self,
        one: &Planned<'_>,
        others: &[Planned<'_>],
    ) -> Result<Result<i64, Failure>> {
        if one.change.is_empty() {
            return Ok(Ok(one.settings.version));
        }
        let touched = others.iter().filter(|other| !other.change.is_empty());
        let touched: Vec<_> = touched.map(|other| other.access.sn()).collect();
        let (store, now) = (&self.portal.store, self.portal.now());
        let tried = store.try_settings(one.access, self.order(one), &touched, now);
        self.told(one, tried.await?).await
    }

    fn order<'o>(&'o self, one: &'o Planned<'_>) -> Save<'o> {
        Save {
            version: one.version,
            before: &one.settings,
            change: &one.change,
            kind: self.kind,
            nonce: self.portal.random.bytes(),
            devices_a_minute: self.portal.settings.devices_a_minute,
        }
    }

    async fn told(&self, one: &Planned<'_>, saved: Saved) -> Result<Result<i64, Failure>> {
        let store = &self.portal.store;
        Ok(match saved {
            Saved::Version(version) => Ok(version),
            Saved::Held(held) => Err(Failure::Held(held)),
            Saved::Conflict => {
                let now = store.settings(one.access, self.portal.now()).await?;
                let changes = store.settings_changed_since(one.access, one.version);
                let mut changes = changes.await?;
                if !one.access.may(Right::SeeMoney) {
                    changes.retain(|change| !is_money(&change.field));
                }
                Err(Failure::Conflict {
                    version: now.version,
                    changes,
                })
            }
        })
    }
}

/// Nobody is asked to fill in what is not theirs to know.
fn in_the_callers_words(access: &Access, wrong: Wrong) -> Wrong {
    let word = |it| match it {
        (Field::ProviderToken, Message::Required) if !access.may(Right::Token) => {
            (Field::Provider, Message::TokenOwnersOnly)
        }
        (Field::ImportPrice, Message::Required) if !access.may(Right::SetMoney) => {
            (Field::Provider, Message::PriceOwnersOnly)
        }
        it => it,
    };
    wrong.into_iter().map(word).collect()
}

/// Whether a field of this name says what electricity costs or earns.
pub(crate) fn is_money(field: &str) -> bool {
    field.parse().is_ok_and(Field::is_money)
}

pub(crate) const fn held_message(held: Held) -> Message {
    match held {
        Held::Braked => Message::FleetBraked,
        Held::TooManyDevices { .. } => Message::TooManyDevices,
    }
}
