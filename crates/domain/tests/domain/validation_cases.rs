//! Browser and server test their validation rules against the same table: `cases/validation.json`.
#![allow(clippy::unwrap_used)]
use domain::code::Code;
use domain::{Country, Email, GroupName, Key, Message, Password, Phone, Price, Serial};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

fn sections() -> Map<String, Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/validation.json");
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Runs every case of a section and reports all differences at once.
fn check_section(section: &str, validate: impl Fn(&str, &Value) -> Option<Message>) {
    let sections = sections();
    let cases = sections[section].as_array().unwrap();
    assert!(cases.len() > 5, "{section} is nearly empty");
    let differ: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let value = case["value"].as_str().unwrap();
            let got = validate(value, case).map(Message::code);
            let want = case["code"].as_str();
            (got != want).then(|| format!("{value:?}: {got:?} instead of {want:?}"))
        })
        .collect();
    assert!(differ.is_empty(), "{section}:\n{}", differ.join("\n"));
}

#[test]
fn passwords_are_judged_as_the_table_says() {
    check_section("password", |value, _| Password::parse(value).err());
}

#[test]
fn serial_numbers_are_judged_as_the_table_says() {
    check_section("serial", |value, _| value.parse::<Serial>().err());
}

#[test]
fn registration_codes_are_judged_as_the_table_says() {
    check_section("registration_code", |value, _| value.parse::<Code>().err());
}

#[test]
fn keys_are_judged_as_the_table_says() {
    check_section("key", |value, _| value.parse::<Key>().err());
}

#[test]
fn phone_numbers_are_judged_as_the_table_says() {
    check_section("phone", |value, case| {
        let country: Country = case["country"].as_str().unwrap().parse().unwrap();
        Phone::parse(value, country).err()
    });
}

#[test]
fn every_country_of_the_list_has_a_right_phone_number_in_the_table() {
    let sections = sections();
    let cases = sections["phone"].as_array().unwrap();
    let of = |country: &Country| {
        let mine = cases
            .iter()
            .filter(|case| case["country"] == country.code());
        mine.map(|case| case["code"].is_null()).collect::<Vec<_>>()
    };
    let thin: Vec<_> = Country::ALL
        .iter()
        .filter(|country| !of(country).contains(&true))
        .collect();
    assert!(thin.is_empty(), "{thin:?}");
}

#[test]
fn e_mail_addresses_are_judged_as_the_table_says() {
    check_section("email", |value, _| value.parse::<Email>().err());
}

#[test]
fn names_of_groups_are_judged_as_the_table_says() {
    check_section("group_name", |value, _| value.parse::<GroupName>().err());
}

#[test]
fn prices_are_judged_as_the_table_says() {
    check_section("price", |value, _| value.parse::<Price>().err());
}

#[test]
fn every_section_of_the_table_is_held() {
    let names: BTreeSet<String> = sections().keys().cloned().collect();
    let held = BTreeSet::from(
        [
            "email",
            "group_name",
            "key",
            "password",
            "phone",
            "price",
            "registration_code",
            "serial",
        ]
        .map(String::from),
    );
    assert_eq!(names, held, "a new section needs a test here");
}
