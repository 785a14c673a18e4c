//! The operator shuts a device out, or gives it a new secret, while it is connected.
#![allow(clippy::unwrap_used)]
use rmqtt_codec::v3::ConnectAckReason::{BadUserNameOrPassword, NotAuthorized};
use testkit::battery::MqttLogin;
use testkit::{MqttBattery, NOON, TestApp, eventually, on_both};

on_both!(
    a_blocked_battery_is_disconnected_and_refused_until_it_is_unblocked,
    |db| {
        let app = TestApp::start(db).await;
        let sn = app.device("SC000001").await;
        app.device("SC000002").await;
        let login = || MqttLogin::with_will("SC000001", 1);
        let mut battery = MqttBattery::log_in(app.devices, login()).await.unwrap();
        battery.say_hello(NOON).await;
        let mut other = MqttBattery::connect(app.devices, "SC000002").await;

        app.service.block_device(&sn, true).await.unwrap();
        battery.wait_until_closed().await;
        eventually("its owner sees it as offline", async || {
            !app.portal.live.get(&sn).unwrap().online
        })
        .await;
        let refused = MqttBattery::log_in(app.devices, login()).await;
        assert_eq!(refused.err(), Some(Some(NotAuthorized)));
        other.measure(NOON).await;

        app.service.block_device(&sn, false).await.unwrap();
        let mut again = MqttBattery::log_in(app.devices, login()).await.unwrap();
        again.seq = battery.seq;
        again.say_hello(NOON).await;
        assert!(app.portal.live.get(&sn).unwrap().online);
        app.stop().await;
    }
);

on_both!(a_battery_changes_its_secret_without_being_shut_out, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let new = app.service.rotate_device_secret(&sn, false).await.unwrap();
    let with_new = MqttLogin {
        password: Some(new.unwrap().into()),
        ..MqttLogin::of("SC000001")
    };
    battery.measure(NOON).await;
    let mut second = MqttBattery::log_in(app.devices, with_new).await.unwrap();
    second.seq = battery.seq;
    second.measure(NOON).await;
    let old = MqttBattery::log_in(app.devices, MqttLogin::of("SC000001")).await;
    assert_eq!(old.err(), Some(Some(BadUserNameOrPassword)));
    second.measure(NOON).await;

    app.service.rotate_device_secret(&sn, true).await.unwrap();
    second.wait_until_closed().await;
    app.stop().await;
});
