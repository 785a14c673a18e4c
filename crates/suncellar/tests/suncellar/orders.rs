//! kill -9 between a save and the battery's report: no order is lost, and none is executed twice.
#![allow(clippy::unwrap_used)]
use crate::server::Server;
use crate::server::home::{self, SN, sn};
use domain::clock::Clock;
use serde_json::Value;
use simulator::model::InitialState;
use simulator::{Device, ExecutedOrder, Fleet, FleetContext, Seed};
use std::net::SocketAddr;
use std::time::Duration;
use tempfile::TempDir;
use testkit::battery::secret;
use testkit::http::Call;
use testkit::{TestDb, eventually};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

const KILLS: usize = 6;

/// A proxy with a fixed address for the battery; it forwards to the running server, if there is one.
async fn forward(to: watch::Receiver<Option<SocketAddr>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut battery, _)) = listener.accept().await {
            let mut to = to.clone();
            tokio::spawn(async move {
                let Some(server) = *to.borrow_and_update() else {
                    return;
                };
                let Ok(mut server) = TcpStream::connect(server).await else {
                    return;
                };
                tokio::select! {
                    _ = tokio::io::copy_bidirectional(&mut battery, &mut server) => {}
                    _ = to.changed() => {}
                }
            });
        }
    });
    address
}

fn call(server: &Server, method: &str, path: &str) -> Call {
    Call::new(server.portal, method.parse().unwrap(), path)
}

async fn get(server: &Server, access: &str, path: &str) -> Value {
    call(server, "GET", path)
        .bearer(access)
        .send()
        .await
        .expect(200)
        .json()
}

async fn survives_kills(url: &str) {
    let folder = TempDir::new().unwrap();
    let code = home::prepare(url).await;
    let mut server = Server::serve(url, folder.path());
    let access = home::register(server.portal, &code).await;
    let (reach, reached) = watch::channel(Some(server.devices));
    let gateway = forward(reached).await;
    let mut context = FleetContext::new(gateway, Duration::from_millis(200), Clock::system());
    context.record_executed_orders = true;
    let start = InitialState {
        at: Clock::system().now(),
        boot: 1,
        charge: 500,
        readings: [0; 5],
    };
    let device = Device::random(sn(), secret(SN).into_bytes(), 1, Seed::of(&sn(), 1), &start);
    let fleet = Fleet::start(context, vec![device]);
    let settings = format!("/api/auth/settings/?sn={SN}");
    eventually("the battery is there", async || {
        !get(&server, &access, &settings).await["reported_at"].is_null()
    })
    .await;
    let mut ids = Vec::new();
    for kill in 0..KILLS {
        // Every second time the battery is unreachable before the kill; otherwise its report races with the kill.
        if kill % 2 == 0 {
            reach.send(None).unwrap();
        }
        let fields = [
            ("version", kill.to_string()),
            ("reserve_soc", (20 + kill).to_string()),
        ];
        let fields = fields
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        let saved = call(&server, "POST", &settings)
            .form(&fields)
            .bearer(&access)
            .send()
            .await;
        saved.expect(200);
        let key = format!("key-number-{kill}");
        let command = [("sn", SN), ("command", "auto"), ("key", key.as_str())];
        let given = call(&server, "POST", "/api/auth/command/")
            .form(&command)
            .bearer(&access);
        let id = given.clone().send().await.expect(201).json()["id"]
            .as_str()
            .unwrap()
            .to_owned();
        server.kill();
        server = Server::serve(url, folder.path());
        reach.send(Some(server.devices)).unwrap();
        // The browser did not see the answer and repeats the request.
        let again = call(&server, "POST", "/api/auth/command/")
            .form(&command)
            .bearer(&access);
        assert_eq!(again.send().await.expect(200).json()["id"], id.as_str());
        eventually(
            "what was saved is reported, what was commanded is done",
            async || {
                let seen = get(&server, &access, &settings).await;
                let done = get(&server, &access, &format!("/api/auth/command/{id}/")).await;
                seen["state"] == "applied" && done["state"] == "done"
            },
        )
        .await;
        let seen = get(&server, &access, &settings).await;
        assert_eq!(seen["reported"]["reserve_soc"], 20 + kill);
        ids.push(id);
    }
    let expected = ids.into_iter().zip(1..);
    let expected: Vec<ExecutedOrder> = expected
        .flat_map(|(id, version)| [ExecutedOrder::Settings(version), ExecutedOrder::Command(id)])
        .collect();
    assert_eq!(fleet.executed_orders(&sn()), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_save_and_a_command_survive_kills_and_happen_once_on_sqlite() {
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite:{}", folder.path().join("suncellar.db").display());
    survives_kills(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_save_and_a_command_survive_kills_and_happen_once_on_postgres() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    survives_kills(db.url()).await;
    db.close().await;
}
