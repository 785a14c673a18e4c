use super::*;
use proptest::prelude::*;

const RATED: Ratings = Ratings {
    charge: Some(4_600),
    discharge: Some(5_000),
};

/// Validates these changes for a system with factory settings.
fn validate(fields: &[(&str, &str)]) -> Result<SettingsChange, Vec<(Field, Message)>> {
    validate_at(&Settings::initial(RATED), false, false, fields)
}

fn validate_at(
    settings: &Settings,
    has_token: bool,
    acknowledged: bool,
    fields: &[(&str, &str)],
) -> Result<SettingsChange, Vec<(Field, Message)>> {
    let current = CurrentSettings {
        settings,
        ratings: RATED,
        has_token,
        acknowledged,
    };
    input(fields).validate(current)
}

fn input(fields: &[(&str, &str)]) -> SettingsInput {
    let (notice, fields): (Vec<_>, Vec<_>) = fields
        .iter()
        .partition(|(name, _)| *name == "acknowledge_14a");
    SettingsInput {
        fields: fields
            .iter()
            .map(|(name, text)| (name.parse().unwrap(), (*text).to_owned()))
            .collect(),
        acknowledges: !notice.is_empty(),
    }
}

fn with(fields: &[(&str, &str)]) -> Settings {
    let settings = Settings::initial(RATED);
    validate(fields).unwrap().applied_to(&settings)
}

const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";

#[test]
fn only_what_is_another_value_changes() {
    let change = validate(&[("reserve_soc", "10"), ("charge_start", "22:00")]).unwrap();
    let fields: Vec<_> = change.fields.iter().map(|changed| changed.field).collect();
    assert_eq!(fields, [Field::ChargeStart]);
    assert!(!change.touches_wiring());
    assert!(validate(&[("reserve_soc", "10")]).unwrap().is_empty());
    assert!(validate(&[("meter_address", "1")]).unwrap().is_empty());
    assert!(
        validate(&[("meter_address", "2")])
            .unwrap()
            .touches_wiring()
    );
}

#[test]
fn the_notice_can_be_acknowledged_for_a_limit_that_was_there_before() {
    let mut factory = Settings::initial(RATED);
    factory.set(Field::ChargeLimit, Value::Whole(NOTICE_THRESHOLD_W + 400));
    let current = CurrentSettings {
        settings: &factory,
        ratings: RATED,
        has_token: false,
        acknowledged: false,
    };
    let input = |acknowledges| SettingsInput {
        acknowledges,
        ..SettingsInput::default()
    };
    let change = input(true).validate(current).unwrap();
    assert_eq!((change.fields.len(), change.acknowledged), (0, Some(true)));
    assert!(!change.is_empty());
    assert!(input(false).validate(current).unwrap().is_empty());
}

#[test]
fn everything_that_is_wrong_is_told_at_once_and_each_field_once() {
    let wrong = validate(&[
        ("reserve_soc", ""),
        ("charge_end", "25:00"),
        ("meter_address", "0"),
    ]);
    assert_eq!(
        wrong.unwrap_err(),
        [
            (Field::ReserveSoc, Message::Required),
            (Field::ChargeEnd, Message::TimeInvalid),
            (Field::MeterAddress, Message::AddressRange),
        ]
    );
}

#[test]
fn a_window_may_pass_midnight_but_needs_a_minute() {
    assert!(validate(&[("charge_start", "22:00"), ("charge_end", "06:00")]).is_ok());
    let empty = validate(&[("discharge_start", "08:00"), ("discharge_end", "08:00")]);
    assert_eq!(
        empty.unwrap_err(),
        [(Field::DischargeEnd, Message::WindowEmpty)]
    );
}

#[test]
fn charging_above_4200_watts_needs_the_notice_acknowledged() {
    let refused = validate(&[("charge_limit", "4201")]);
    assert_eq!(
        refused.unwrap_err(),
        [(Field::ChargeLimit, Message::Acknowledge14a)]
    );
    let taken = validate(&[("charge_limit", "4201"), ("acknowledge_14a", "true")]).unwrap();
    assert_eq!(taken.acknowledged, Some(true));
    assert_eq!(
        validate(&[("charge_limit", "4200")]).unwrap().acknowledged,
        None
    );
    let above = with(&[("charge_limit", "4500"), ("acknowledge_14a", "true")]);
    // It is required once while the limit stays above the threshold.
    let more = validate_at(&above, false, true, &[("charge_limit", "4600")]).unwrap();
    assert_eq!(more.acknowledged, None);
    let back = validate_at(&above, false, true, &[("charge_limit", "4000")]).unwrap();
    assert_eq!(back.acknowledged, Some(false));
    // A limit that the electrician set on the unit itself does not block other changes.
    assert!(validate_at(&above, false, false, &[("reserve_soc", "20")]).is_ok());
}

#[test]
fn a_token_is_needed_long_enough_and_kept_for_its_provider_only() {
    let at_token = |message| vec![(Field::ProviderToken, message)];
    let wrong = |fields: &[(&str, &str)]| validate(fields).unwrap_err();
    assert_eq!(
        wrong(&[("provider", "tibber")]),
        at_token(Message::Required)
    );
    assert_eq!(
        wrong(&[("provider", "tibber"), ("provider_token", "short")]),
        at_token(Message::TokenTooShort)
    );
    let taken = validate(&[("provider", "tibber"), ("provider_token", TOKEN)]).unwrap();
    assert_eq!(taken.token, TokenChange::Set(TOKEN.into()));
    let tibber = with(&[("provider", "tibber"), ("provider_token", TOKEN)]);
    let kept = validate_at(
        &tibber,
        true,
        false,
        &[("reserve_soc", "20"), ("provider_token", "")],
    );
    assert_eq!(kept.unwrap().token, TokenChange::Keep);
    let other = validate_at(&tibber, true, false, &[("provider", "entsoe")]);
    assert_eq!(other.unwrap_err(), at_token(Message::Required));
    let none = validate_at(&tibber, true, false, &[("provider", "awattar")]);
    assert_eq!(none.unwrap().token, TokenChange::Erase);
}

#[test]
fn going_by_prices_needs_to_know_them() {
    assert_eq!(
        validate(&[("dynamic_tariff", "price")]).unwrap_err(),
        [(Field::Provider, Message::ProviderRequired)]
    );
    assert_eq!(
        validate(&[("provider", "fixed")]).unwrap_err(),
        [(Field::ImportPrice, Message::Required)]
    );
    let known = [
        ("provider", "fixed"),
        ("import_price", "28,5"),
        ("dynamic_tariff", "price"),
    ];
    assert!(validate(&known).is_ok());
    // A known price stays when a form comes without it.
    let priced = with(&known);
    let empty = validate_at(&priced, false, false, &[("import_price", "")]);
    assert!(empty.unwrap().is_empty());
}

#[test]
fn an_address_above_247_is_taken_with_a_warning() {
    let change = validate(&[("meter_address", "248")]).unwrap();
    assert_eq!(
        change.warnings,
        [(Field::MeterAddress, Message::AddressReserved)]
    );
    assert!(
        validate(&[("meter_address", "247")])
            .unwrap()
            .warnings
            .is_empty()
    );
}

#[test]
fn a_reset_leaves_the_wiring_alone_unless_it_is_meant() {
    let settings = with(&[
        ("reserve_soc", "50"),
        ("meter_address", "9"),
        ("ups", "on"),
        ("charge_limit", "4500"),
        ("acknowledge_14a", "true"),
    ]);
    let current = CurrentSettings {
        settings: &settings,
        ratings: RATED,
        has_token: true,
        acknowledged: true,
    };
    let plain = reset(current, |field| !field.is_wiring());
    assert_eq!(plain.token, TokenChange::Erase);
    assert_eq!((plain.fields.len(), plain.acknowledged), (1, None));
    let all = reset(current, |_| true);
    assert!(all.touches_wiring());
    assert_eq!(all.acknowledged, Some(false));
    assert_eq!(all.applied_to(&settings), Settings::initial(RATED));
}

proptest! {
    #[test]
    fn no_sequence_of_forms_leaves_the_ranges(
        forms in prop::collection::vec(prop::collection::vec((0..24_usize, "\\PC{0,8}|-?[0-9]{1,6}([.,][0-9]{1,3})?|[0-2][0-9]:[0-5][0-9]|true|false|fixed|price|tcp"), 1..6), 1..20),
        acknowledges in any::<bool>(),
    ) {
        let mut settings = Settings::initial(RATED);
        let (mut has_token, mut acknowledged) = (false, false);
        for form in forms {
            let fields = form.into_iter().map(|(place, text)| (Field::all().nth(place).unwrap(), text));
            let input = SettingsInput { fields: fields.collect(), acknowledges };
            let current = CurrentSettings { settings: &settings, ratings: RATED, has_token, acknowledged };
            let Ok(change) = input.validate(current) else { continue };
            settings = change.applied_to(&settings);
            has_token = match change.token {
                TokenChange::Keep => has_token,
                TokenChange::Set(_) => true,
                TokenChange::Erase => false,
            };
            acknowledged = change.acknowledged.unwrap_or(acknowledged);
            for (field, value) in settings.iter() {
                prop_assert_eq!(field.parse(&value.text(field), RATED), Ok(value));
            }
            let limit = settings.get(Field::ChargeLimit);
            prop_assert!(acknowledged || matches!(limit, Some(Value::Whole(limit)) if limit <= NOTICE_THRESHOLD_W));
        }
    }
}
