//! A rotation of the keys while people are logged in, links are in mailboxes and batteries are connected.
#![allow(clippy::unwrap_used)]
use domain::clock::HOUR;
use store::secret_keys::ACTIVATION_DELAY;
use testkit::random::seeded;
use testkit::{Answer, Battery, TestApp, with_app};

async fn refresh(app: &TestApp, token: &str) -> Answer {
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
    let link = app.mailed(&ben.email, "token").await;
    let mut connected = Battery::connect(app.devices, "SC000001").await;

    let random = seeded(9);
    let rotated = app.store.rotate_keys(HOUR, &random, app.clock.now());
    assert_eq!(rotated.await.unwrap().unwrap().version, 2);
    app.clock.advance(ACTIVATION_DELAY);
    // What every process does every few seconds.
    app.store.read_keys(app.clock.now()).await.unwrap();
    assert_eq!(app.store.keyring().version(), 2);

    let systems = app.get("/api/auth/usr_sn/").bearer(&anna.access).send();
    systems.await.expect(200);
    let renewed = refresh(app, &anna.refresh).await.expect(200).json();
    connected.measure(app.clock.now()).await;
    let mut reconnected = Battery::connect(app.devices, "SC000002").await;
    reconnected.measure(app.clock.now()).await;
    let password = "Mittagssonne-7!";
    let fields = [
        ("token", link.as_str()),
        ("password", password),
        ("password2", password),
    ];
    let reset = app.post("/api/auth/password_reset/confirm/", &fields);
    reset.send().await.expect(200);

    // When the old version is no longer accepted, who was there meanwhile stays.
    app.clock.advance(HOUR);
    app.store.read_keys(app.clock.now()).await.unwrap();
    assert_eq!(
        refresh(app, &idle.refresh).await.expect(401).code(),
        "refresh_invalid"
    );
    refresh(app, renewed["refresh"].as_str().unwrap())
        .await
        .expect(200);
});
