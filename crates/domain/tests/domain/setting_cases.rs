//! The rules of the settings are held, in browser and server, to one table of cases: `cases/settings.json`.
#![allow(clippy::unwrap_used)]
use domain::setting::{Field, Given, Ratings, Settings, Standing};
use serde_json::{Map, Value, json};

fn table() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/settings.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn given(case: &Value) -> Given {
    let fields = case["given"].as_object().unwrap().iter();
    let fields = fields.map(|(name, text)| -> (Field, String) {
        (name.parse().unwrap(), text.as_str().unwrap().to_owned())
    });
    Given {
        fields: fields.collect(),
        acknowledges: false,
    }
}

/// What is wrong with a case, as clients hear it.
fn codes(case: &Value, ratings: Ratings) -> Value {
    let none = Map::new();
    let special = case["desired"].as_object().unwrap_or(&none);
    let settings = Settings::from_json(special).unwrap();
    let standing = Standing {
        settings: &settings.or(&Settings::fresh(ratings)),
        ratings,
        has_token: case["has_token"] == true,
        acknowledged: false,
    };
    let wrong = given(case).judge(standing).err().unwrap_or_default();
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
