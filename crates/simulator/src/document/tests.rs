use super::*;
use domain::setting::{Field, Ratings, Settings as Document};
use proptest::prelude::*;

fn applied(document: &Value) -> (BatterySettings, RefusedFields) {
    let (rating, firmware) = (Rating::of_kwh(10), FirmwareVersions::newest());
    let mut settings = BatterySettings::default();
    let spec = UnitSpec {
        rating: &rating,
        firmware: &firmware,
    };
    let refused = apply(&mut settings, document, spec);
    (settings, refused)
}

#[test]
fn a_battery_knows_every_field_that_the_portal_tells_it() {
    let rating = Rating::of_kwh(10);
    let written = write(&BatterySettings::default(), &rating);
    let told = Field::all().filter(|field| field.is_sent_to_battery());
    for field in told {
        assert!(written.get(field.name()).is_some(), "{}", field.name());
    }
    let ratings = Ratings {
        charge: Some(i64::from(rating.charge)),
        discharge: Some(i64::from(rating.discharge)),
    };
    let fresh = Document::initial(ratings).only(|field| field.is_sent_to_battery());
    let document = Value::Object(fresh.json());
    let (settings, refused) = applied(&document);
    assert_eq!(refused, []);
    let back = write(&settings, &rating);
    assert_eq!(Document::from_json(back.as_object().unwrap()), Ok(fresh));
}

#[test]
fn it_refuses_what_it_is_not_built_for_and_keeps_what_it_had() {
    let (settings, refused) = applied(&json!({
        "charge_limit": 9_000, "reserve_soc": 30, "meter_type": "shelly3em", "meter_address": 300,
    }));
    assert_eq!(
        refused,
        [
            ("charge_limit", "above_rated"),
            ("meter_type", "needs_tcp"),
            ("meter_address", "refused"),
        ]
    );
    let before = BatterySettings::default();
    assert_eq!(settings.charge_limit, before.charge_limit);
    assert_eq!(settings.meter_type, before.meter_type);
    assert_eq!(settings.reserve_soc, 30);
    let over_tcp = json!({"meter_type": "shelly3em", "p_control_via": "tcp"});
    assert_eq!(applied(&over_tcp).1, []);
}

#[test]
fn old_firmware_does_not_know_new_meters_and_a_small_unit_has_no_ups() {
    let mut settings = BatterySettings::default();
    let (old, rating) = (
        FirmwareVersions::of("2.3.9", "1.0.0", "1.0.0"),
        Rating::of_kwh(5),
    );
    let spec = UnitSpec {
        rating: &rating,
        firmware: &old,
    };
    let refused = apply(
        &mut settings,
        &json!({"meter_type": "umg604", "ups": true}),
        spec,
    );
    assert_eq!(
        refused,
        [("ups", "not_supported"), ("meter_type", "unknown_meter")]
    );
}

proptest! {
    #[test]
    fn whatever_comes_it_stays_within_what_it_is_built_for(
        values in prop::collection::vec((0..24_usize, prop_oneof![
            any::<i64>().prop_map(Value::from), any::<bool>().prop_map(Value::from), Just(Value::Null),
            any::<f64>().prop_map(Value::from), "\\PC{0,8}".prop_map(Value::from), "[0-9]{2}:[0-9]{2}".prop_map(Value::from),
        ]), 0..12)
    ) {
        let fields = values.into_iter().map(|(place, value)| (Field::all().nth(place).unwrap().name().to_owned(), value));
        let (settings, _) = applied(&Value::Object(fields.collect()));
        let rating = Rating::of_kwh(10);
        let written = write(&settings, &rating);
        let read = Document::from_json(written.as_object().unwrap());
        prop_assert!(settings.reserve_soc <= 100 && settings.meter_address >= 1);
        prop_assert!(settings.charge_window.start <= 1440 && settings.discharge_window.end <= 1440);
        // The portal would accept everything but prices, which a battery only compares.
        let usual_price = (0..=50_000).contains(&settings.charge_price);
        prop_assert!(read.is_ok() || !usual_price || settings.import_price.is_some());
    }
}
