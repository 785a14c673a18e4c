//! One battery and its owner, from the factory to the first login.
use domain::clock::Clock;
use domain::code::{Code, CodeKind};
use domain::{Random, Serial};
use std::net::SocketAddr;
use store::system::NewDevice;
use testkit::PASSWORD;
use testkit::battery::secret;
use testkit::database;
use testkit::http::Call;
use testkit::service_at;

pub(crate) const SN: &str = "SIM00001";

pub(crate) fn sn() -> Serial {
    SN.parse().unwrap()
}

/// Registers the battery and a code for its owner.
pub(crate) async fn prepare(url: &str) -> String {
    let store = database::open(url).await.unwrap();
    let now = Clock::system().now();
    let (sn, secret) = (sn(), secret(SN));
    let device = NewDevice {
        sn: &sn,
        phase: 1,
        secret: secret.as_bytes(),
    };
    let operator = service_at(&store, now);
    operator.import_devices(&[device]).await.unwrap();
    let code = Code::random(&Random::new(|bytes| bytes.fill(0x5a)));
    let systems = [sn];
    let issued = operator.issue_code(&code, CodeKind::Registration, &systems);
    issued.await.unwrap();
    store.db().close().await;
    code.as_str().to_owned()
}

/// The owner registers and logs in; returns the access token.
pub(crate) async fn register(portal: SocketAddr, code: &str) -> String {
    let form = [
        ("email", "anna@example.com"),
        ("password", PASSWORD),
        ("password2", PASSWORD),
        ("phone", "+49 30 901820"),
        ("country", "DE"),
        ("role", "user"),
        ("terms", "true"),
        ("sn1", code),
    ];
    let post = |path: &str| Call::new(portal, "POST".parse().unwrap(), path);
    let register = post("/api/auth/register/").form(&form);
    register.send().await.expect(201);
    let login = [("email", "anna@example.com"), ("password", PASSWORD)];
    let answer = post("/api/auth/token/").form(&login).send().await;
    answer.expect(200).json()["access"]
        .as_str()
        .unwrap()
        .to_owned()
}
