//! Events as they are stored, read and described.
use super::*;
use crate::message::event_text;
use crate::{Command, Lang};

/// Every event as it is stored: its name and the text of its values.
const STORED: &[(&str, &str)] = &[
    ("commissioning_started", "null"),
    ("commissioning_dropped", "null"),
    ("commissioning_finished", r#"{"protocol":7}"#),
    ("commissioning_step_recorded", r#"{"step":"meter"}"#),
    (
        "tariff_set",
        r#"{"from":"2026-11-15","to":{"feed_in_price":"7.94","import_price":"31.90"},"was":null}"#,
    ),
    ("time_of_use_set", r#"{"steps":3}"#),
    (
        "setting_changed",
        r#"{"field":"charge_price","from":1.5,"to":28.53,"version":2}"#,
    ),
    ("settings_reset", r#"{"version":2}"#),
    ("notice_acknowledged", r#"{"version":2}"#),
    ("settings_reported", r#"{"version":2}"#),
    (
        "setting_refused",
        r#"{"code":"above_rated","field":"charge_limit","version":2}"#,
    ),
    ("plan_wished", r#"{"at":"07:00","soc":80}"#),
    ("plan_wish_dropped", "null"),
    ("plan_turned_off", r#"{"currency":"EUR","lost":123}"#),
    ("template_created", r#"{"template":3}"#),
    ("template_changed", r#"{"fields":["name"],"template":3}"#),
    ("template_deleted", r#"{"template":3}"#),
    (
        "command_sent",
        r#"{"args":{"power":null,"soc":80},"command":"charge_to"}"#,
    ),
    ("command_done", r#"{"code":"ok","command":"auto"}"#),
    ("command_failed", r#"{"code":"busy","command":"auto"}"#),
    ("command_expired", r#"{"command":"restart"}"#),
    (
        "update_started",
        r#"{"parts":[{"from":"1.14","part":"gateway","to":"1.15"},{"from":"2.6","part":"master","to":"2.7"}]}"#,
    ),
    ("update_cancelled", "null"),
    (
        "update_done",
        r#"{"from":"1.14","part":"gateway","to":"1.15"}"#,
    ),
    (
        "update_failed",
        r#"{"code":null,"part":"slave","version":"3.2"}"#,
    ),
    ("update_interrupted", "null"),
    ("update_expired", "null"),
    (
        "battery",
        r#"{"args":{"limit":4200},"code":"grid_limit","on":true}"#,
    ),
    (
        "plan_done",
        r#"{"charged":2310,"currency":"EUR","expected":1690,"from":"02:00","imported":null,"mode":"charge","price":2400,"soc":71,"to":"04:00"}"#,
    ),
    ("weather_warned", r#"{"false_alarms":0,"hits":0}"#),
    ("weather_came", r#"{"false_alarms":1,"hits":3}"#),
    ("weather_withdrawn", r#"{"false_alarms":2,"hits":3}"#),
    ("alarm_acknowledged", r#"{"alarm":"meter_error"}"#),
    ("alarm_commented", r#"{"alarm":"meter_error"}"#),
    ("alarm_dismissed", r#"{"alarm":"meter_error"}"#),
    ("system_linked", "null"),
    ("system_unlinked", "null"),
    ("system_displaced", "null"),
    ("system_taken_over", "null"),
    ("claim_started", "null"),
    ("claim_contested", "null"),
    (
        "partner_consented",
        r#"{"partner":"sunny","scopes":"live history"}"#,
    ),
    ("partner_ended", r#"{"partner":"sunny"}"#),
    ("partner_token_reused", r#"{"partner":"sunny"}"#),
    ("grant_invited", r#"{"scope":"look","until":null}"#),
    ("grant_asked", r#"{"scope":"monitor"}"#),
    ("grant_given", r#"{"scope":"service","until":"2027-02-13"}"#),
    (
        "grant_accepted",
        r#"{"scope":"configure","until":"2027-02-13"}"#,
    ),
    ("grant_coded", r#"{"scope":"service","until":"2026-12-15"}"#),
    (
        "grant_refused",
        r#"{"scope":"monitor","until":"2027-02-13"}"#,
    ),
    ("grant_declined", r#"{"scope":"owner","until":null}"#),
    ("grant_ended", r#"{"scope":"monitor","until":"2027-02-13"}"#),
    ("handover_offered", "null"),
    ("handover_withdrawn", "null"),
    ("handed_over", "null"),
    ("customer_code_issued", "null"),
    ("customer_code_withdrawn", "null"),
    ("company_member_invited", r#"{"role":"office"}"#),
    ("company_invitation_withdrawn", "null"),
    ("company_member_joined", r#"{"role":"technician"}"#),
    ("company_role_changed", r#"{"role":"owner"}"#),
    ("company_member_removed", "null"),
    ("unit_replaced", r#"{"new":"SC000002","old":"SC000001"}"#),
    ("registered", "null"),
    ("end_user_named", r#"{"from":"–","to":"Anna Beispiel"}"#),
    ("site_changed", r#"{"changed":["place","planes"]}"#),
    ("password_changed", "null"),
    ("email_changed", "null"),
    ("profile_changed", r#"{"fields":["phone","language"]}"#),
    ("totp_enabled", "null"),
    ("totp_disabled", "null"),
    ("recovery_code_used", r#"{"left":9}"#),
    ("recovery_codes_renewed", "null"),
    ("passkey_added", "null"),
    ("passkey_renamed", "null"),
    ("passkey_removed", "null"),
    ("passkey_counter_went_back", "null"),
    ("session_reused", "null"),
    ("group_created", r#"{"group":4}"#),
    ("group_changed", r#"{"fields":["name","sn"],"group":4}"#),
    ("group_deleted", r#"{"group":4}"#),
    ("totp_reset", "null"),
    ("account_locked", "null"),
    ("account_unlocked", "null"),
    ("device_blocked", "null"),
    ("device_unblocked", "null"),
    ("device_secret_rotated", r#"{"drop_old":true}"#),
    ("boot_counter_restarted", "null"),
    ("devices_imported", r#"{"systems":["SC000001","SC000002"]}"#),
    (
        "code_issued",
        r#"{"kind":"installer","systems":["SC000001"]}"#,
    ),
    (
        "partner_registered",
        r#"{"partner":"sunny","redirects":["https://sunny.example/back"]}"#,
    ),
    ("secret_changed", "null"),
    ("keys_rotated", r#"{"grace_days":30,"version":2}"#),
    ("option_set", r#"{"forgotten":false,"name":"public-url"}"#),
    ("release_key_trusted", r#"{"key":"a1b2","was":null}"#),
    (
        "owners_advised",
        r#"{"fixed_in":"2.7","from":null,"hardware":null,"owners":2,"part":"master","units":3}"#,
    ),
    ("fleet_braked", r#"{"reason":"smoke"}"#),
    ("fleet_released", "null"),
    (
        "firmware_published",
        r#"{"hardware":"SC-5","part":"gateway","release":1,"version":"1.15"}"#,
    ),
    (
        "firmware_moved",
        r#"{"reason":null,"release":1,"state":"paused"}"#,
    ),
    (
        "firmware_moved",
        r#"{"percent":10,"reason":"all well","release":1}"#,
    ),
];

fn parse(name: &str, detail: &Value) -> JournalEvent {
    JournalEvent::parse(name, detail).unwrap_or_else(|| panic!("unknown: {name}"))
}

#[test]
fn access_with_the_owners_contact_says_so() {
    let given = |detail| read("grant_given", detail).describe(Lang::En);
    let plain = given(r#"{"scope":"service","until":"2027-02-13"}"#);
    let more = given(r#"{"contact":true,"scope":"service","until":"2027-02-13"}"#);
    assert!(!plain.contains("address"), "{plain}");
    let with = plain.replace(", until", ", with phone number and address, until");
    assert_eq!(more, with);
}

fn read(name: &str, text: &str) -> JournalEvent {
    parse(name, &serde_json::from_str(text).unwrap())
}

#[test]
fn the_stored_names_are_those_of_today() {
    let mut names: Vec<&str> = STORED.iter().map(|(name, _)| *name).collect();
    names.dedup();
    let all = JournalEventName::ALL.iter().map(|name| name.as_str());
    assert_eq!(all.collect::<Vec<_>>(), names);
    assert_eq!(JournalEvent::parse("disco_started", &Value::Null), None);
}

#[test]
fn every_event_is_stored_and_read_without_a_change() {
    for &(name, text) in STORED {
        let event = read(name, text);
        assert_eq!(
            (event.name(), event.detail().to_string().as_str()),
            (name, text)
        );
        assert_eq!(parse(event.name(), &event.detail()), event);
    }
}

#[test]
fn every_event_has_its_sentence_in_every_language() {
    for &(name, text) in STORED {
        for lang in Lang::ALL {
            let said = read(name, text).describe(lang);
            assert!(!said.is_empty() && !said.contains("{{"), "{name}: {said}");
        }
    }
}

#[test]
fn an_entry_is_read_whatever_its_values_have_become() {
    let odd = json!({
        "field": "disco_mode", "code": 7, "version": "two", "from": [1], "to": {"import_price": 31.9}, "scope": "king",
        "until": "soon", "part": "lid", "parts": [{"part": "lid"}, 5], "alarm": "bored", "old": "?", "currency": "XXX",
        "hits": null, "args": [], "fields": {}, "price": "dear", "mode": 1, "steps": -1, "new_field": true,
    });
    for name in JournalEventName::ALL {
        for detail in [
            json!(null),
            json!({}),
            json!([]),
            json!("erased"),
            odd.clone(),
        ] {
            let event = parse(name.as_str(), &detail);
            assert_eq!(JournalEventName::from(&event), *name);
            let said = event.describe(Lang::De);
            assert!(!said.is_empty() && !said.contains("{{"), "{name:?}: {said}");
        }
    }
    // One value that is no longer known does not hide the others.
    let refused = json!({"version": 2, "field": "charge_limit", "code": "bad_mood"});
    let field = Some(Field::ChargeLimit);
    let want = JournalEvent::SettingRefused {
        version: 2,
        field,
        code: None,
    };
    assert_eq!(parse("setting_refused", &refused), want);
}

#[test]
fn an_entry_about_money_can_be_told_without_it() {
    let plain = "Eine Einstellung wurde geändert.";
    for &(name, text) in STORED {
        let event = read(name, text);
        let about_money = ["tariff_set", "setting_changed"].contains(&name);
        assert_eq!(event.is_about_money(), about_money, "{name}");
        let told = event.without_detail();
        assert_eq!(told.name(), name);
        assert_eq!(told.describe(Lang::De) == plain, about_money, "{name}");
    }
    let limit = r#"{"field":"charge_limit","from":1,"to":2}"#;
    assert!(!read("setting_changed", limit).is_about_money());
}

#[test]
fn a_changed_setting_is_a_sentence_with_its_values() {
    let said = |detail: Value, lang| parse("setting_changed", &detail).describe(lang);
    let limit = json!({"version": 2, "field": "charge_limit", "from": 2500, "to": 4600});
    assert_eq!(
        said(limit.clone(), Lang::De),
        "Die Einstellung „Höchste Ladeleistung“ wurde von 2.500\u{a0}W auf 4.600\u{a0}W geändert."
    );
    assert_eq!(
        said(limit, Lang::En),
        "The setting “Highest charging power” was changed from 2,500\u{a0}W to 4,600\u{a0}W."
    );
    let price = json!({"field": "charge_price", "from": 1.5, "to": 28.53});
    assert!(said(price, Lang::Fr).contains("de 1,5\u{a0}ct/kWh à 28,53\u{a0}ct/kWh"));
    let meter = json!({"field": "meter_type", "from": "none", "to": "sdm630"});
    assert!(said(meter, Lang::Pl).contains("z brak na SDM630"));
    let token = json!({"field": "provider_token", "from": null, "to": true});
    assert!(said(token, Lang::De).contains("hinterlegt"));
}

#[test]
fn a_battery_says_why_it_acted_with_the_number_that_it_named() {
    let said = |detail: Value| parse("battery", &detail).describe(Lang::De);
    let limited = json!({"code": "grid_limit", "on": true, "args": {"limit": 4200}});
    assert!(said(limited).ends_with("(4.200\u{a0}W)"));
    let reserve = json!({"code": "reserve_held", "on": true, "args": {"soc": 30}});
    assert!(said(reserve).ends_with("(30\u{a0}%)"));
    let over = json!({"code": "na_u_low", "on": false, "args": null});
    assert_eq!(said(over), event_text(EventCode::NaULow, false, Lang::De));
}

#[test]
fn every_command_has_its_words_in_every_language() {
    for command in Command::NAMES {
        for lang in Lang::ALL {
            let text = crate::message::text(lang, "command", command);
            assert!(!text.is_empty(), "{command}");
        }
    }
}
