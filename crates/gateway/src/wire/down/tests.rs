#![allow(clippy::unwrap_used)]
use super::*;
use bus::SignedUpdate;
use domain::Settings;
use domain::command::CommandState;
use domain::firmware::SignedText;
use serde_json::json;

fn assert_sent(message: &Down<'_>, topic: &str, json: &str) {
    let sn = "SC000001".parse().unwrap();
    let own = format!("v1/d/SC000001/down/{topic}");
    assert_eq!(message.topic().of_device(&sn), own);
    assert_eq!(String::from_utf8(message.to_json()).unwrap(), json);
}

fn assert_delivered(delivery: &Delivery, topic: &str, json: &str) {
    assert_sent(&Down::from(delivery), topic, json);
}

#[test]
fn time_and_watch_are_one_number_each() {
    assert_sent(&Down::Time { now: 7 }, "time", r#"{"now":7}"#);
    assert_delivered(&Delivery::Watch { until: 8 }, "watch", r#"{"until":8}"#);
}

#[test]
fn settings_are_the_whole_document_with_its_version() {
    let document =
        json!({"reserve_soc": 20, "charge_start": "22:00", "import_price": 29.5, "ups": true});
    let order = SettingsOrder {
        version: 12,
        settings: Settings::from_json(document.as_object().unwrap()).unwrap(),
    };
    assert_delivered(
        &Delivery::Settings(order),
        "des",
        r#"{"state":{"charge_start":"22:00","import_price":29.5,"reserve_soc":20,"ups":true},"ver":12}"#,
    );
}

#[test]
fn a_command_has_its_id_and_when_it_expires() {
    let entry = CommandEntry {
        id: "0123456789abcdef01234567".parse().unwrap(),
        sn: "SC000001".parse().unwrap(),
        command: "charge_to".to_owned(),
        args: json!({"soc": 80}),
        state: CommandState::Queued,
        created_at: 1_000,
        expires_at: 61_000,
        sent_at: None,
        ended_at: None,
        code: None,
        data: None,
    };
    assert_delivered(
        &Delivery::Command(entry),
        "cmd",
        r#"{"args":{"soc":80},"cmd":"charge_to","exp":61000,"id":"0123456789abcdef01234567"}"#,
    );
}

#[test]
fn a_plan_has_its_steps_and_when_it_expires() {
    let order = PlanOrder {
        version: 5_000,
        expires_at: 9_000,
        segments: vec![
            (5_000, 6_000, ChargePlanMode::SelfUse, 0),
            (6_000, 8_000, ChargePlanMode::Charge, 1_500),
        ],
    };
    assert_delivered(
        &Delivery::Plan(order),
        "plan",
        concat!(
            r#"{"exp":9000,"steps":[{"from":5000,"mode":"self","power":0,"until":6000},"#,
            r#"{"from":6000,"mode":"charge","power":1500,"until":8000}],"ver":5000}"#,
        ),
    );
}

#[test]
fn an_assignment_is_sent_as_the_text_that_was_signed() {
    let text = r#"{"exp":1, "sn":"SC000001"}"#;
    let signature = "5a".repeat(64);
    let update = SignedUpdate {
        assignment: SignedText::new(text.to_owned(), &signature).unwrap(),
        updates_url: "https://updates.example".to_owned(),
    };
    let json = format!(
        r#"{{"assignment":"{{\"exp\":1, \"sn\":\"SC000001\"}}","sig":"{signature}","url":"https://updates.example"}}"#
    );
    assert_delivered(&Delivery::Update(update), "fw", &json);
}
