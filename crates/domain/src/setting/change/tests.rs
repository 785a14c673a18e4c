use super::*;
use proptest::prelude::*;

const RATED: Ratings = Ratings {
    charge: Some(4_600),
    discharge: Some(5_000),
};

/// A system as it leaves the factory, asked for these changes.
fn judge(fields: &[(&str, &str)]) -> Result<Change, Vec<(Field, Message)>> {
    judge_at(&Settings::fresh(RATED), false, false, fields)
}

fn judge_at(
    settings: &Settings,
    has_token: bool,
    acknowledged: bool,
    fields: &[(&str, &str)],
) -> Result<Change, Vec<(Field, Message)>> {
    let standing = Standing {
        settings,
        ratings: RATED,
        has_token,
        acknowledged,
    };
    given(fields).judge(standing)
}

fn given(fields: &[(&str, &str)]) -> Given {
    let (notice, fields): (Vec<_>, Vec<_>) = fields
        .iter()
        .partition(|(name, _)| *name == "acknowledge_14a");
    Given {
        fields: fields
            .iter()
            .map(|(name, text)| (name.parse().unwrap(), (*text).to_owned()))
            .collect(),
        acknowledges: !notice.is_empty(),
    }
}

fn with(fields: &[(&str, &str)]) -> Settings {
    let settings = Settings::fresh(RATED);
    judge(fields).unwrap().applied_to(&settings)
}

const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";

#[test]
fn only_what_is_another_value_changes() {
    let change = judge(&[("reserve_soc", "10"), ("charge_start", "22:00")]).unwrap();
    let fields: Vec<_> = change.fields.iter().map(|changed| changed.field).collect();
    assert_eq!(fields, [Field::ChargeStart]);
    assert!(!change.touches_wiring());
    assert!(judge(&[("reserve_soc", "10")]).unwrap().is_empty());
    assert!(judge(&[("meter_address", "1")]).unwrap().is_empty());
    assert!(judge(&[("meter_address", "2")]).unwrap().touches_wiring());
}

#[test]
fn the_notice_can_be_acknowledged_for_a_limit_that_was_there_before() {
    let mut factory = Settings::fresh(RATED);
    factory.set(Field::ChargeLimit, Value::Whole(NOTICE_ABOVE + 400));
    let standing = Standing {
        settings: &factory,
        ratings: RATED,
        has_token: false,
        acknowledged: false,
    };
    let given = |acknowledges| Given {
        acknowledges,
        ..Given::default()
    };
    let change = given(true).judge(standing).unwrap();
    assert_eq!((change.fields.len(), change.acknowledged), (0, Some(true)));
    assert!(!change.is_empty());
    assert!(given(false).judge(standing).unwrap().is_empty());
}

#[test]
fn everything_that_is_wrong_is_told_at_once_and_each_field_once() {
    let wrong = judge(&[
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
    assert!(judge(&[("charge_start", "22:00"), ("charge_end", "06:00")]).is_ok());
    let empty = judge(&[("discharge_start", "08:00"), ("discharge_end", "08:00")]);
    assert_eq!(
        empty.unwrap_err(),
        [(Field::DischargeEnd, Message::WindowEmpty)]
    );
}

#[test]
fn charging_above_4200_watts_needs_the_notice_acknowledged() {
    let refused = judge(&[("charge_limit", "4201")]);
    assert_eq!(
        refused.unwrap_err(),
        [(Field::ChargeLimit, Message::Acknowledge14a)]
    );
    let taken = judge(&[("charge_limit", "4201"), ("acknowledge_14a", "true")]).unwrap();
    assert_eq!(taken.acknowledged, Some(true));
    assert_eq!(
        judge(&[("charge_limit", "4200")]).unwrap().acknowledged,
        None
    );
    let above = with(&[("charge_limit", "4500"), ("acknowledge_14a", "true")]);
    // It is asked for once while it stays above.
    let more = judge_at(&above, false, true, &[("charge_limit", "4600")]).unwrap();
    assert_eq!(more.acknowledged, None);
    let back = judge_at(&above, false, true, &[("charge_limit", "4000")]).unwrap();
    assert_eq!(back.acknowledged, Some(false));
    // A limit that the electrician set on the unit itself does not hold up other changes.
    assert!(judge_at(&above, false, false, &[("reserve_soc", "20")]).is_ok());
}

#[test]
fn a_token_is_needed_long_enough_and_kept_for_its_provider_only() {
    let at_token = |message| vec![(Field::ProviderToken, message)];
    let wrong = |fields: &[(&str, &str)]| judge(fields).unwrap_err();
    assert_eq!(
        wrong(&[("provider", "tibber")]),
        at_token(Message::Required)
    );
    assert_eq!(
        wrong(&[("provider", "tibber"), ("provider_token", "short")]),
        at_token(Message::TokenTooShort)
    );
    let taken = judge(&[("provider", "tibber"), ("provider_token", TOKEN)]).unwrap();
    assert_eq!(taken.token, TokenChange::Set(TOKEN.into()));
    let tibber = with(&[("provider", "tibber"), ("provider_token", TOKEN)]);
    let kept = judge_at(
        &tibber,
        true,
        false,
        &[("reserve_soc", "20"), ("provider_token", "")],
    );
    assert_eq!(kept.unwrap().token, TokenChange::Keep);
    let other = judge_at(&tibber, true, false, &[("provider", "entsoe")]);
    assert_eq!(other.unwrap_err(), at_token(Message::Required));
    let none = judge_at(&tibber, true, false, &[("provider", "awattar")]);
    assert_eq!(none.unwrap().token, TokenChange::Erase);
}

#[test]
fn going_by_prices_needs_to_know_them() {
    assert_eq!(
        judge(&[("dynamic_tariff", "price")]).unwrap_err(),
        [(Field::Provider, Message::ProviderRequired)]
    );
    assert_eq!(
        judge(&[("provider", "fixed")]).unwrap_err(),
        [(Field::ImportPrice, Message::Required)]
    );
    let known = [
        ("provider", "fixed"),
        ("import_price", "28,5"),
        ("dynamic_tariff", "price"),
    ];
    assert!(judge(&known).is_ok());
    // A price that is known stays when a form comes without it.
    let priced = with(&known);
    let empty = judge_at(&priced, false, false, &[("import_price", "")]);
    assert!(empty.unwrap().is_empty());
}

#[test]
fn an_address_above_247_is_taken_with_a_warning() {
    let change = judge(&[("meter_address", "248")]).unwrap();
    assert_eq!(
        change.warnings,
        [(Field::MeterAddress, Message::AddressReserved)]
    );
    assert!(
        judge(&[("meter_address", "247")])
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
    let standing = Standing {
        settings: &settings,
        ratings: RATED,
        has_token: true,
        acknowledged: true,
    };
    let plain = reset(standing, |field| !field.is_wiring());
    assert_eq!(plain.token, TokenChange::Erase);
    assert_eq!((plain.fields.len(), plain.acknowledged), (1, None));
    let all = reset(standing, |_| true);
    assert!(all.touches_wiring());
    assert_eq!(all.acknowledged, Some(false));
    assert_eq!(all.applied_to(&settings), Settings::fresh(RATED));
}

proptest! {
    #[test]
    fn no_sequence_of_forms_leaves_the_ranges(
        forms in prop::collection::vec(prop::collection::vec((0..24_usize, "\\PC{0,8}|-?[0-9]{1,6}([.,][0-9]{1,3})?|[0-2][0-9]:[0-5][0-9]|true|false|fixed|price|tcp"), 1..6), 1..20),
        acknowledges in any::<bool>(),
    ) {
        let mut settings = Settings::fresh(RATED);
        let (mut has_token, mut acknowledged) = (false, false);
        for form in forms {
            let fields = form.into_iter().map(|(place, text)| (Field::all().nth(place).unwrap(), text));
            let given = Given { fields: fields.collect(), acknowledges };
            let standing = Standing { settings: &settings, ratings: RATED, has_token, acknowledged };
            let Ok(change) = given.judge(standing) else { continue };
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
            prop_assert!(acknowledged || matches!(limit, Some(Value::Whole(limit)) if limit <= NOTICE_ABOVE));
        }
    }
}
