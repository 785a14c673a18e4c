//! Refused: a false identity, a foreign topic, a client that does not speak MQTT. The endpoint keeps serving.
#![allow(clippy::unwrap_used)]
use bytes::Bytes;
use domain::connections::Connections;
use gateway::Gateway;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use rmqtt_codec::types::{Publish, QoS};
use rmqtt_codec::v3::ConnectAckReason::{BadUserNameOrPassword, IdentifierRejected, NotAuthorized};
use rmqtt_codec::v3::{Connect, ConnectAckReason, Packet};
use std::num::NonZeroU16;
use testkit::battery::{self, MqttLogin};
use testkit::{MqttBattery, NOON, TestApp, on_both};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

async fn refused(app: &TestApp, login: MqttLogin) -> Option<ConnectAckReason> {
    match MqttBattery::log_in(app.devices, login).await {
        Ok(battery) => panic!("{} was let in", battery.sn),
        Err(code) => code,
    }
}

/// The endpoint works: a battery connects and its sample is stored.
async fn still_serves(app: &TestApp, sn: &str) {
    let mut battery = MqttBattery::connect(app.devices, sn).await;
    battery.measure(NOON).await;
}

on_both!(only_the_battery_itself_comes_in, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    app.device("SC000002").await;
    let own = || MqttLogin::of("SC000001");
    let password = |text: &str| Some(Bytes::copy_from_slice(text.as_bytes()));
    for (wrong, code) in [
        (
            MqttLogin {
                password: password("wrong"),
                ..own()
            },
            BadUserNameOrPassword,
        ),
        (
            MqttLogin {
                password: None,
                ..own()
            },
            BadUserNameOrPassword,
        ),
        // Device A as B: with B's serial number, with A's secret, with A's user name on B's connection.
        (
            MqttLogin {
                password: password(&battery::secret("SC000002")),
                ..own()
            },
            BadUserNameOrPassword,
        ),
        (
            MqttLogin {
                user: Some("SC000002".into()),
                ..own()
            },
            BadUserNameOrPassword,
        ),
        (
            MqttLogin {
                client: "SC000002".into(),
                ..own()
            },
            BadUserNameOrPassword,
        ),
        (
            MqttLogin {
                user: None,
                ..own()
            },
            BadUserNameOrPassword,
        ),
        (MqttLogin::of("SC999999"), BadUserNameOrPassword),
        (MqttLogin::of("sc000001"), IdentifierRejected),
        (
            MqttLogin {
                client: "mosquitto|pub".into(),
                ..own()
            },
            IdentifierRejected,
        ),
        (
            MqttLogin {
                client: String::new(),
                ..own()
            },
            IdentifierRejected,
        ),
        (
            MqttLogin {
                will: Some(("v1/d/SC000002/up/pres".into(), "{}".into())),
                ..own()
            },
            NotAuthorized,
        ),
    ] {
        assert_eq!(refused(&app, wrong.clone()).await, Some(code), "{wrong:?}");
    }
    still_serves(&app, "SC000001").await;
    app.stop().await;
});

on_both!(another_version_of_mqtt_is_told_so, |db| {
    let app = TestApp::start(db).await;
    for (version, name) in [(3, "MQIsdp"), (5, "MQTT")] {
        let mut connect = vec![0, name.len() as u8];
        connect.extend_from_slice(name.as_bytes());
        connect.extend_from_slice(&[version, 2, 0, 60, 0, 8]);
        connect.extend_from_slice(b"SC000001");
        let mut stream = TcpStream::connect(app.devices).await.unwrap();
        let length = connect.len() as u8;
        stream.write_all(&[0x10, length]).await.unwrap();
        stream.write_all(&connect).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert_eq!(answer, [0x20, 2, 0, 1], "MQTT {version}");
    }
    app.stop().await;
});

on_both!(a_topic_that_is_not_its_own_ends_the_connection, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    app.device("SC000002").await;
    for topic in [
        "v1/d/SC000002/up/tele",
        "v1/d/SC000001/down/cmd",
        "v1/d/SC000001/../SC000002/up/tele",
        "$SYS/x",
        "up/tele",
        // Control characters, even below its own topic: MQTT forbids U+0000, and PostgreSQL would refuse it.
        "v1/d/SC000001/up/\0",
        "v1/d/SC000001/up/te\u{7f}le",
    ] {
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        let sample = battery.sample(NOON);
        battery.publish_to(topic, sample.to_string()).await;
        assert_eq!(battery.next().await, None, "{topic:?}");
    }
    assert_eq!(db.samples("SC000001").await, []);
    assert_eq!(db.samples("SC000002").await, []);
    still_serves(&app, "SC000001").await;
    app.stop().await;
});

on_both!(nobody_listens_to_somebody_else, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    app.device("SC000002").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let granted = battery
        .subscribe(&[
            "#",
            "v1/d/+/down/#",
            "v1/d/SC000002/down/#",
            "v1/d/SC000001/down/+",
            "v1/d/SC000001/#",
        ])
        .await;
    assert_eq!(granted, [false, false, false, true, false]);
    app.stop().await;
});

on_both!(what_the_endpoint_does_not_offer_ends_the_connection, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    let exactly_once = Publish {
        dup: false,
        retain: false,
        qos: QoS::ExactlyOnce,
        topic: "v1/d/SC000001/up/tele".into(),
        packet_id: Some(NonZeroU16::MIN),
        payload: Bytes::new(),
        properties: None,
    };
    for packet in [
        Packet::Publish(Box::new(exactly_once)),
        Packet::PublishRelease {
            packet_id: NonZeroU16::MIN,
        },
        Packet::from(Connect {
            client_id: "SC000001".into(),
            clean_session: true,
            ..Connect::default()
        }),
    ] {
        let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
        battery.send(packet).await;
        assert_eq!(battery.next().await, None);
    }
    app.stop().await;
});

on_both!(a_megabyte_is_refused, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    battery.publish("tele", vec![b'x'; 1_000_000]).await;
    assert_eq!(battery.next().await, None);
    still_serves(&app, "SC000001").await;
    // Before the login, a packet may not even announce more than a kilobyte.
    let mut stranger = TcpStream::connect(app.devices).await.unwrap();
    stranger.write_all(&[0x10, 0xff, 0xff, 0x03]).await.unwrap();
    assert_eq!(stranger.read(&mut [0; 16]).await.unwrap_or(0), 0);
    app.stop().await;
});

on_both!(random_bytes_do_no_harm, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    let bytes = proptest::collection::vec(proptest::num::u8::ANY, 1..600);
    let mut runner = TestRunner::deterministic();
    let mut noise = || bytes.new_tree(&mut runner).unwrap().current();
    for round in 0..150 {
        // Before and after a login.
        let mut stream = TcpStream::connect(app.devices).await.unwrap();
        if round % 2 == 0 {
            let login = login_bytes("SC000001");
            stream.write_all(&login).await.unwrap();
            stream.read_exact(&mut [0; 4]).await.unwrap();
        }
        let _ = stream.write_all(&noise()).await;
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    still_serves(&app, "SC000001").await;
    app.stop().await;
});

on_both!(random_payloads_are_rejects, |db| {
    let app = TestApp::start(db).await;
    let sn = app.device("SC000001").await;
    let mut battery = MqttBattery::connect(app.devices, "SC000001").await;
    let bytes = proptest::collection::vec(proptest::num::u8::ANY, 0..400);
    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        for topic in ["hello", "tele", "hist", "ev", "pres"] {
            let payload = bytes.new_tree(&mut runner).unwrap().current();
            battery.report(topic, payload).await;
        }
    }
    assert_eq!(db.rejects(&sn).await.unwrap().len(), 100);
    assert_eq!(db.samples("SC000001").await, []);
    app.stop().await;
});

on_both!(a_slow_client_holds_nobody_up, |db| {
    let app = TestApp::start(db).await;
    app.device("SC000001").await;
    app.device("SC000002").await;
    // One client never finishes its login, and one stops in the middle of a message.
    let mut stranger = TcpStream::connect(app.devices).await.unwrap();
    stranger
        .write_all(&login_bytes("SC000002")[..10])
        .await
        .unwrap();
    let mut slow = TcpStream::connect(app.devices).await.unwrap();
    slow.write_all(&login_bytes("SC000002")).await.unwrap();
    slow.read_exact(&mut [0; 4]).await.unwrap();
    slow.write_all(&[0x32, 0xff, 0xff, 0x03, 0, 9])
        .await
        .unwrap();
    still_serves(&app, "SC000001").await;
    app.stop().await;
});

on_both!(
    silent_connections_end_at_the_limit_and_batteries_come_in_again,
    |db| {
        let app = TestApp::start(db).await;
        app.device("SC000001").await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let gateway = Gateway {
            store: db.store(),
            bus: app.bus.clone(),
            clock: app.clock.clone(),
            tls: None,
            connections: Connections::new(2, 2),
            quota: None,
        };
        let stop = CancellationToken::new();
        let serving = tokio::spawn(gateway::serve(listener, gateway, stop.clone()));
        let silent = [
            TcpStream::connect(address).await.unwrap(),
            TcpStream::connect(address).await.unwrap(),
        ];
        let mut third = TcpStream::connect(address).await.unwrap();
        assert_eq!(
            third.read(&mut [0; 1]).await.unwrap_or(0),
            0,
            "closed at once"
        );
        drop(silent);
        testkit::eventually("there is room again", async || {
            let mut client = TcpStream::connect(address).await.unwrap();
            let _ = client.write_all(&login_bytes("SC000001")).await;
            client.read(&mut [0; 4]).await.unwrap_or(0) == 4
        })
        .await;
        stop.cancel();
        serving.await.unwrap();
        app.stop().await;
    }
);

fn login_bytes(sn: &str) -> Vec<u8> {
    use tokio_util::codec::Encoder as _;
    let connect = Connect {
        client_id: sn.into(),
        username: Some(sn.into()),
        password: Some(Bytes::from(battery::secret(sn))),
        clean_session: true,
        keep_alive: 60,
        ..Connect::default()
    };
    let mut bytes = bytes::BytesMut::new();
    let mut codec = rmqtt_codec::v3::Codec::new(0);
    codec.encode(connect.into(), &mut bytes).unwrap();
    bytes.to_vec()
}
