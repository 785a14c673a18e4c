//! HTTP/2, as browsers speak it with a portal that has a certificate.
use domain::connections::Connections;
use std::net::SocketAddr;
use testkit::http::{Call, Http2Client};
use testkit::tls::protocol;
use testkit::{TestApp, TestCertificate, with_app};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The portal of an app on a listener with TLS.
struct SecurePortal {
    address: SocketAddr,
    certificate: TestCertificate,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl SecurePortal {
    async fn start(app: &TestApp) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let certificate = TestCertificate::new();
        let stop = CancellationToken::new();
        let serving = tokio::spawn(api::serve(
            listener,
            Connections::default(),
            api::portal(app.portal.clone()),
            Some(certificate.acceptor(&["h2", "http/1.1"])),
            stop.clone(),
        ));
        Self {
            address,
            certificate,
            stop,
            serving,
        }
    }

    async fn client(&self) -> Http2Client {
        let stream = self.certificate.connect(self.address, &["h2", "http/1.1"]);
        let stream = stream.await.unwrap();
        assert_eq!(protocol(&stream), Some("h2"));
        Http2Client::on(stream).await
    }

    fn get(&self, path: &str) -> Call {
        Call::new(self.address, "GET".parse().unwrap(), path)
    }

    async fn stop(self) {
        self.stop.cancel();
        self.serving.await.unwrap();
    }
}

with_app!(pages_come_by_http_2_and_to_older_clients_by_http_1, |app| {
    let portal = SecurePortal::start(app).await;
    let client = portal.client().await;
    let page = client.send(portal.get("/")).await.expect(200);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    let [config, missing] = [portal.get("/config.json"), portal.get("/api/nothing")];
    let (config, missing) = tokio::join!(client.send(config), client.send(missing));
    assert!(config.expect(200).json()["version"].is_string());
    assert_eq!(missing.expect(404).code(), "not_found");
    for offered in [&["http/1.1"][..], &[]] {
        let stream = portal.certificate.connect(portal.address, offered).await;
        let stream = stream.unwrap();
        assert_ne!(protocol(&stream), Some("h2"));
        let answer = portal.get("/").open_on(stream).await;
        assert_eq!(answer.status, 200, "{offered:?}");
    }
    drop(client);
    portal.stop().await;
});

with_app!(a_request_by_http_2_names_one_host, |app| {
    let portal = SecurePortal::start(app).await;
    let client = portal.client().await;
    for (host, status) in [("test", 200), ("other", 400)] {
        let call = portal.get("/healthz").header("host", host);
        client.send(call).await.expect(status);
    }
    drop(client);
    portal.stop().await;
});

with_app!(
    events_come_by_http_2_beside_pages_and_end_when_the_server_stops,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let battery = app.battery("SC000001");
        battery.hello(|_| {}).await;
        let portal = SecurePortal::start(app).await;
        let client = portal.client().await;
        let stream = portal.get("/api/auth/stream/").bearer(&anna.access);
        let mut stream = client.open(stream).await;
        assert_eq!(stream.status, 200);
        assert!(stream.event().await.is_some());
        battery
            .sample(|sample| sample.grid_power = Some(1_234))
            .await;
        assert!(stream.event().await.unwrap().contains("1234"));
        let data = portal.get("/api/auth/data/").bearer(&anna.access);
        client.send(data).await.expect(200);
        portal.stop.cancel();
        while stream.event().await.is_some() {}
        portal.serving.await.unwrap();
    }
);
