//! Key rotation while people are logged in, links are in mailboxes and batteries are connected.
#![allow(clippy::unwrap_used)]
use domain::clock::{HOUR, MINUTE};
use domain::totp::TIME_STEP;
use store::secret_keys::ACTIVATION_DELAY;
use testkit::random::seeded;
use testkit::{MqttBattery, PASSWORD, TestApp, TestResponse, on_both, with_app};

async fn refresh(app: &TestApp, token: &str) -> TestResponse {
    let fields = [("refresh", token)];
    app.post("/api/auth/token/refresh/", &fields).send().await
}

with_app!(people_links_and_batteries_live_through_a_rotation, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let idle = app.log_in(&anna.email, false).await;
    let ben = app.owner("ben", "SC000002").await;
    let fields = [("email", ben.email.as_str())];
    let asked = app.post("/api/auth/password_reset/", &fields).send();
    asked.await.expect(202);
    let link = app.mailed_token(&ben.email, "token").await;
    let mut connected = MqttBattery::connect(app.devices, "SC000001").await;

    let rotated = app.service.rotate_keys(HOUR);
    assert_eq!(rotated.await.unwrap().unwrap().version, 2);
    app.clock.advance(ACTIVATION_DELAY);
    // Every process does this every few seconds.
    app.store.reload_keys(app.clock.now()).await.unwrap();
    assert_eq!(app.store.keyring().version(), 2);

    let systems = app.get("/api/auth/usr_sn/").bearer(&anna.access).send();
    systems.await.expect(200);
    let renewed = refresh(app, &anna.refresh).await.expect(200).json();
    connected.measure(app.clock.now()).await;
    let mut reconnected = MqttBattery::connect(app.devices, "SC000002").await;
    reconnected.measure(app.clock.now()).await;
    let password = "Mittagssonne-7!";
    let fields = [
        ("token", link.as_str()),
        ("password", password),
        ("password2", password),
    ];
    let reset = app.post("/api/auth/password_reset/confirm/", &fields);
    reset.send().await.expect(200);

    // When the old key version is no longer accepted, sessions used in the meantime stay valid.
    app.clock.advance(HOUR);
    app.store.reload_keys(app.clock.now()).await.unwrap();
    assert_eq!(
        refresh(app, &idle.refresh).await.expect(401).code(),
        "refresh_invalid"
    );
    refresh(app, renewed["refresh"].as_str().unwrap())
        .await
        .expect(200);
});

on_both!(
    second_factors_and_provider_tokens_are_sealed_again_with_the_new_key,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", "SC000001").await;
        let settings = "/api/auth/settings/?sn=SC000001";
        let fields = [
            ("version", "0"),
            ("provider", "tibber"),
            (
                "provider_token",
                "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE",
            ),
        ];
        let saved = app.post(settings, &fields).bearer(&anna.access).send();
        saved.await.expect(200);
        let phone = app.enable_totp(&anna).await;

        let random = seeded(9);
        let rotated = app.service.rotate_keys(HOUR);
        assert_eq!(rotated.await.unwrap().unwrap().version, 2);
        app.clock.advance(ACTIVATION_DELAY + MINUTE + TIME_STEP);
        let now = app.clock.now();
        app.store.reload_keys(now).await.unwrap();
        app.store.reencrypt_all(&random, now).await.unwrap();
        db.execute("DELETE FROM secret_keys WHERE version = 1")
            .await;
        app.store.reload_keys(now).await.unwrap();

        let code = phone.code(now);
        let fields = [
            ("email", anna.email.as_str()),
            ("password", PASSWORD),
            ("totp", code.as_str()),
        ];
        let tokens = app.post("/api/auth/token/", &fields).send().await;
        let tokens = tokens.expect(200).json();
        let access = tokens["access"].as_str().unwrap();
        let shown = app.get(settings).bearer(access).send().await;
        let shown = shown.expect(200).json();
        assert_eq!(shown["desired"]["provider_token"], "…ebAE");
        app.stop().await;
    }
);
