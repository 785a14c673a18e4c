//! Settings that need confirmation or are never shown: wiring, charging above 4.2 kW, a provider's token.
use super::{SN, TOKEN, codes, connect, read, save};
use domain::clock::MINUTE;
use serde_json::{Value, json};
use testkit::{NOON, PASSWORD, TestApp, TestDb, on_both, with_app};

async fn sealed_tokens(db: &TestDb) -> Vec<String> {
    let tables = db.dump().await.into_iter();
    let rows = tables
        .filter(|(name, _)| name == "settings")
        .flat_map(|(_, rows)| rows);
    rows.filter(|row| {
        let row: Value = serde_json::from_str(row).unwrap();
        !row["provider_token"].is_null()
    })
    .collect()
}

with_app!(wiring_asks_an_owner_for_the_password_again, |app| {
    let anna = app.owner("anna", SN).await;
    let change = ("meter_address", "7");
    let answer = save(app, &anna, &[("version", "0"), change])
        .await
        .expect(400);
    assert_eq!(answer.code(), "password:required");
    let wrong = [("version", "0"), change, ("password", "Wrong-Password-1!")];
    assert_eq!(
        save(app, &anna, &wrong).await.expect(400).code(),
        "password:password_wrong"
    );
    assert_eq!(read(app, &anna, SN).await["version"], 0);
    // An unchanged value needs no password.
    let same = [
        ("version", "0"),
        ("meter_address", "1"),
        ("reserve_soc", "20"),
    ];
    save(app, &anna, &same).await.expect(200);
    let right = [("version", "1"), change, ("password", PASSWORD)];
    save(app, &anna, &right).await.expect(200);
    // Guessing the password is limited as at login.
    let guess = [
        ("version", "2"),
        ("meter_address", "8"),
        ("password", "Wrong-Password-1!"),
    ];
    let mut answer = save(app, &anna, &guess).await;
    for _ in 0..10 {
        answer = save(app, &anna, &guess).await;
    }
    assert_eq!(answer.expect(429).code(), "too_many_attempts");
});

with_app!(
    charging_above_4200_watts_is_acknowledged_and_that_is_kept,
    |app| {
        let anna = app.owner("anna", SN).await;
        app.battery(SN).hello(|_| {}).await;
        let raise = [
            ("version", "0"),
            ("charge_limit", "4500"),
            ("password", PASSWORD),
        ];
        let answer = save(app, &anna, &raise).await.expect(400);
        assert_eq!(codes(&answer), json!({"charge_limit": ["acknowledge_14a"]}));
        assert!(answer.text.contains("§14a EnWG"));
        app.clock.advance(MINUTE);
        let mut acknowledged = raise.to_vec();
        acknowledged.push(("acknowledge_14a", "true"));
        save(app, &anna, &acknowledged).await.expect(200);
        assert_eq!(read(app, &anna, SN).await["acknowledged_at"], NOON + MINUTE);
        // Going back below the limit withdraws the acknowledgement.
        let lower = [
            ("version", "1"),
            ("charge_limit", "4200"),
            ("password", PASSWORD),
        ];
        save(app, &anna, &lower).await.expect(200);
        assert_eq!(read(app, &anna, SN).await["acknowledged_at"], Value::Null);
    }
);

on_both!(
    a_providers_token_is_sealed_and_only_its_end_is_seen_again,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", SN).await;
        let mut battery = connect(&app, 0).await;
        for (token, code) in [("", "required"), ("too-short", "token_too_short")] {
            let fields = [
                ("version", "0"),
                ("provider", "tibber"),
                ("provider_token", token),
            ];
            let answer = save(&app, &anna, &fields).await.expect(400);
            assert_eq!(codes(&answer), json!({"provider_token": [code]}));
        }
        let fields = [
            ("version", "0"),
            ("provider", "tibber"),
            ("provider_token", TOKEN),
        ];
        let saved = save(&app, &anna, &fields).await.expect(200);
        let seen = read(&app, &anna, SN).await;
        assert_eq!(seen["desired"]["provider_token"], "…ebAE");
        let told = battery.next_message_on("des").await;
        let call = app.get("/api/auth/journal/").bearer(&anna.access);
        let journal = call.send().await.expect(200);
        let dump = format!("{:?}", db.dump().await);
        for text in [
            saved.text,
            seen.to_string(),
            told.to_string(),
            journal.text,
            dump,
        ] {
            assert!(
                !text.contains(TOKEN) && !text.contains(&TOKEN[..20]),
                "{text}"
            );
        }
        // Another provider does not get the token.
        let none = save(&app, &anna, &[("version", "1"), ("provider", "awattar")]).await;
        none.expect(200);
        assert_eq!(
            read(&app, &anna, SN).await["desired"]["provider_token"],
            Value::Null
        );
        assert!(sealed_tokens(db).await.is_empty());
        app.stop().await;
    }
);
