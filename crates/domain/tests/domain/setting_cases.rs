//! Browser and server test the rules of settings against the same table: `cases/settings.json`.
#![allow(clippy::unwrap_used)]
use domain::setting::{CurrentSettings, Field, Ratings, Settings, SettingsInput};
use serde_json::{Map, Value, json};

fn table() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/settings.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn input(case: &Value) -> SettingsInput {
    let fields = case["given"].as_object().unwrap().iter();
    let fields = fields.map(|(name, text)| -> (Field, String) {
        (name.parse().unwrap(), text.as_str().unwrap().to_owned())
    });
    SettingsInput {
        fields: fields.collect(),
        acknowledges: false,
    }
}

/// The error codes of a case, as clients get them.
fn codes(case: &Value, ratings: Ratings) -> Value {
    let none = Map::new();
    let special = case["desired"].as_object().unwrap_or(&none);
    let settings = Settings::from_json(special).unwrap();
    let current = CurrentSettings {
        settings: &settings.or(&Settings::initial(ratings)),
        ratings,
        has_token: case["has_token"] == true,
        acknowledged: false,
    };
    let wrong = input(case).validate(current).err().unwrap_or_default();
    let codes = wrong.into_iter();
    let codes = codes.map(|(field, message)| (field.name().to_owned(), json!(message.code())));
    Value::Object(codes.collect())
}

#[test]
fn settings_are_judged_as_the_table_says() {
    let table = table();
    let ratings = Ratings {
        charge: table["ratings"]["charge"].as_i64(),
        discharge: table["ratings"]["discharge"].as_i64(),
    };
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 50, "the table is nearly empty");
    let differ = cases.iter().filter_map(|case| {
        let (got, want) = (codes(case, ratings), &case["codes"]);
        (got != *want).then(|| format!("{}: {got} instead of {want}", case["about"]))
    });
    let differ: Vec<String> = differ.collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
