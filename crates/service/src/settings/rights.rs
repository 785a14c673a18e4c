//! Who may set what. Prices and the provider's token belong to the household, the wiring to people who may work on it.
use super::InvalidFields;
use domain::Message;
use domain::grant::Right;
use domain::setting::{Field, SettingsChange, SettingsInput, TokenChange, reset as reset_fields};
use store::Access;
use store::setting::SystemSettings;

/// Validates values from a form.
pub(super) fn change_by_form(
    access: &Access,
    input: &SettingsInput,
    before: &SystemSettings,
) -> Result<SettingsChange, InvalidFields> {
    check_names_no_price(access, input)?;
    let change = validate(access, input, before)?;
    check_permitted(access, change, Some(input))
}

/// Back to the initial values, except what the caller may not set.
pub(super) fn reset(
    access: &Access,
    wiring: bool,
    before: &SystemSettings,
) -> Result<SettingsChange, InvalidFields> {
    let meant = |field: Field| {
        (wiring || !field.is_wiring()) && (access.may(Right::SetMoney) || !field.is_money())
    };
    let change = reset_fields(before.current_state(), meant);
    check_permitted(access, change, None)
}

/// Validates the values that were there before a batch.
pub(super) fn undo(
    access: &Access,
    input: &SettingsInput,
    before: &SystemSettings,
) -> Result<SettingsChange, InvalidFields> {
    let change = validate(access, input, before)?;
    check_permitted(access, change, None)
}

fn validate(
    access: &Access,
    input: &SettingsInput,
    before: &SystemSettings,
) -> Result<SettingsChange, InvalidFields> {
    let validated = input.validate(before.current_state());
    validated.map_err(|wrong| rephrase_for_caller(access, wrong))
}

/// A form with a price is refused before the price is compared with the stored one.
fn check_names_no_price(access: &Access, input: &SettingsInput) -> Result<(), InvalidFields> {
    if access.may(Right::SetMoney) {
        return Ok(());
    }
    let prices = input.fields.keys().filter(|field| field.is_money());
    let wrong: InvalidFields = prices
        .map(|field| (*field, Message::PriceOwnersOnly))
        .collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong),
    }
}

/// A field that the caller may not change is reported at that field. `typed` is the form's input.
fn check_permitted(
    access: &Access,
    change: SettingsChange,
    typed: Option<&SettingsInput>,
) -> Result<SettingsChange, InvalidFields> {
    let mut wrong: InvalidFields = Vec::new();
    if !access.may(Right::SetWiring) {
        let wiring = change.fields.iter().filter(|it| it.field.is_wiring());
        wrong.extend(wiring.map(|it| (it.field, access.refusal(Right::SetWiring))));
    }
    if !access.may(Right::SetToken) {
        let names_token = |input: &SettingsInput| input.fields.contains_key(&Field::ProviderToken);
        if typed.is_some_and(names_token) {
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

/// Does not ask callers to fill in fields that they may not see.
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
