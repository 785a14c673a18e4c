//! Unmodified MQTT clients work with the endpoint: mosquitto's and paho.
#![allow(clippy::unwrap_used)]
use serde_json::{Value, json};
use std::io::Read as _;
use std::process::{Command, Output, Stdio};
use testkit::battery::secret;
use testkit::{NOON, TestApp, TestDb, eventually};

const SN: &str = "SC000001";

fn sample(seq: u32) -> Value {
    json!({"b": 1, "s": seq, "t": NOON, "u": 60_000 + seq, "q": 2, "uv": [230.1], "pg": 5, "pv": 0, "pb": 0, "soc": 50, "bs": 1})
}

fn topic(end: &str) -> String {
    format!("v1/d/{SN}/{end}")
}

fn mosquitto(program: &str, app: &TestApp, password: &str) -> Command {
    let mut command = Command::new(program);
    command
        .args(["-h", "127.0.0.1", "-p", &app.devices.port().to_string()])
        .args(["-i", SN, "-u", SN, "-P", password, "-V", "mqttv311"]);
    command
}

async fn run(mut command: Command, arguments: &[&str]) -> Output {
    command.args(arguments).stdin(Stdio::null());
    let run = move || command.output();
    let ran = tokio::task::spawn_blocking(run).await.unwrap();
    ran.expect("scripts/install-tools installs this client")
}

async fn start(db: &TestDb) -> TestApp {
    let app = TestApp::start(db).await;
    app.device(SN).await;
    app
}

testkit::on_both!(mosquitto_publishes, |db| {
    let app = start(db).await;
    for qos in ["0", "1"] {
        let seq = if qos == "0" { 10 } else { 11 };
        let client = mosquitto("mosquitto_pub", &app, &secret(SN));
        let body = sample(seq).to_string();
        let sent = run(client, &["-q", qos, "-t", &topic("up/tele"), "-m", &body]).await;
        assert!(sent.status.success(), "{sent:?}");
    }
    eventually("both are stored", async || db.samples(SN).await.len() == 2).await;
    let client = mosquitto("mosquitto_pub", &app, "wrong");
    let refused = run(client, &["-q", "1", "-t", &topic("up/tele"), "-m", "{}"]).await;
    assert!(!refused.status.success(), "{refused:?}");
    app.stop().await;
});

testkit::on_both!(mosquitto_listens, |db| {
    let app = start(db).await;
    let mut listening = mosquitto("mosquitto_sub", &app, &secret(SN))
        .args(["-t", &topic("down/#"), "-C", "1", "-W", "60", "-F", "%t %p"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let sn = SN.parse().unwrap();
    // A delivery before the subscription is dropped: repeat until the client has received one.
    let mut until = NOON;
    eventually("somebody listens", async || {
        until += 10_000;
        app.portal.live.watch(&sn, until);
        listening.try_wait().unwrap().is_some()
    })
    .await;
    let mut heard = String::new();
    let mut output = listening.stdout.take().unwrap();
    output.read_to_string(&mut heard).unwrap();
    assert!(
        heard.starts_with(&topic("down/watch {\"until\":")),
        "{heard}"
    );
    app.stop().await;
});

testkit::on_both!(mosquitto_may_not_listen_to_others, |db| {
    let app = start(db).await;
    let client = mosquitto("mosquitto_sub", &app, &secret(SN));
    let denied = run(client, &["-t", "#", "-C", "1", "-W", "20"]).await;
    let said = String::from_utf8_lossy(&denied.stderr).to_lowercase();
    assert!(said.contains("denied"), "{denied:?}");
    app.stop().await;
});

/// Subscribes, says hello, waits for the time, publishes samples and waits for their acknowledgements.
const PAHO: &str = r#"
import json, sys, threading
import paho.mqtt.client as mqtt
port, sn, secret, samples = int(sys.argv[1]), sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
arguments = {"client_id": sn, "protocol": mqtt.MQTTv311, "clean_session": True}
if hasattr(mqtt, "CallbackAPIVersion"):
    arguments["callback_api_version"] = mqtt.CallbackAPIVersion.VERSION1
client = mqtt.Client(**arguments)
client.username_pw_set(sn, secret)
client.will_set(f"v1/d/{sn}/up/pres", json.dumps({"on": 0, "b": 1}), qos=1)
told, ready = threading.Event(), threading.Event()
client.on_subscribe = lambda *_: ready.set()
client.on_message = lambda c, u, message: message.topic.endswith("/down/time") and told.set()
client.on_connect = lambda c, u, flags, code: code == 0 and c.subscribe(f"v1/d/{sn}/down/#", 1)
client.connect("127.0.0.1", port, keepalive=60)
client.loop_start()
assert ready.wait(30), "not subscribed"
for topic, body in samples:
    sent = client.publish(f"v1/d/{sn}/up/{topic}", json.dumps(body), qos=1)
    sent.wait_for_publish(30)
    assert sent.is_published(), body
assert told.wait(30), "not told the time"
client.disconnect()
client.loop_stop()
"#;

testkit::on_both!(paho_reports_and_listens, |db| {
    let app = start(db).await;
    let hello = json!({"v": 1, "b": 1, "s": 1, "t": NOON, "u": 60_000, "q": 2, "hw": "SC-5", "phase": 1, "cap": 5200,
        "pcmax": 2500, "pdmax": 2500, "tz": "Europe/Berlin", "fw": {"m": "1.0"}, "rep_ver": 0});
    let messages = json!([
        ["hello", hello],
        ["tele", sample(2)],
        ["tele", sample(3)],
        ["tele", sample(3)]
    ]);
    let port = app.devices.port().to_string();
    // Debian's Python, which has Debian's paho. Another Python may come first in the path.
    let python = Command::new("/usr/bin/python3");
    let arguments = ["-c", PAHO, &port, SN, &secret(SN), &messages.to_string()];
    let ran = run(python, &arguments).await;
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert_eq!(db.samples(SN).await.len(), 2);
    let live = app.portal.live.get(&SN.parse().unwrap()).unwrap();
    assert_eq!(live.facts.versions.master.as_deref(), Some("1.0"));
    app.stop().await;
});
