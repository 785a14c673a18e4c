//! Timing reveals nothing: compares medians over many requests, so it runs in `make soak` on a quiet machine.
#![allow(clippy::unwrap_used)]
use domain::clock::HOUR;
use std::time::{Duration, Instant};
use testkit::{TestApp, TestDb};

const ROUNDS: usize = 200;

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}

/// Interleaved and in alternating order, so a slow second of the machine affects both sides equally.
async fn ratio(app: &TestApp, one: impl AsyncFn(&TestApp), other: impl AsyncFn(&TestApp)) -> f64 {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            first.push(time(app, &one).await);
            second.push(time(app, &other).await);
        } else {
            second.push(time(app, &other).await);
            first.push(time(app, &one).await);
        }
    }
    median(first) / median(second)
}

async fn time(app: &TestApp, call: &impl AsyncFn(&TestApp)) -> Duration {
    let start = Instant::now();
    call(app).await;
    start.elapsed()
}

async fn log_in(app: &TestApp, email: &str) {
    // Restores the full allowance of attempts for every call.
    app.clock.advance(HOUR);
    app.try_log_in(email, "Falsch-123!", false)
        .await
        .expect(401);
}

async fn reset(app: &TestApp, email: &str) {
    app.clock.advance(HOUR);
    app.post("/api/auth/password_reset/", &[("email", email)])
        .send()
        .await
        .expect(202);
}

/// One call of each kind: reading, writing, charts and file downloads.
const CALLS: [(&str, &str); 6] = [
    ("DELETE", "/api/auth/usr_sn/{sn}/"),
    ("GET", "/api/auth/system/{sn}/"),
    ("PATCH", "/api/auth/system/{sn}/"),
    ("GET", "/api/auth/settings/?sn={sn}"),
    ("GET", "/api/auth/graph/?sn={sn}"),
    ("GET", "/api/auth/export/?sn={sn}"),
];

async fn name(app: &TestApp, access: &str, (method, path): (&str, &str), sn: &str) {
    app.call(method, &path.replace("{sn}", sn))
        .form(&[("place", "Bonn")])
        .bearer(access)
        .send()
        .await
        .expect(404);
}

mod soak {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "soak"]
    async fn login_and_reset_take_the_same_time_for_known_and_unknown_addresses() {
        let db = TestDb::sqlite().await;
        let app = TestApp::start(&db).await;
        app.owner("anna", "SC000001").await;
        for (what, ratio) in [
            (
                "login",
                ratio(
                    &app,
                    async |a| log_in(a, "anna@example.com").await,
                    async |a| log_in(a, "x@example.com").await,
                )
                .await,
            ),
            (
                "reset",
                ratio(
                    &app,
                    async |a| reset(a, "anna@example.com").await,
                    async |a| reset(a, "x@example.com").await,
                )
                .await,
            ),
        ] {
            println!("{what}: known / unknown = {ratio:.3}");
            assert!((0.9..1.1).contains(&ratio), "{what}: {ratio:.3}");
        }
        app.stop().await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "soak"]
    async fn foreign_and_missing_serial_numbers_take_the_same_time() {
        let db = TestDb::sqlite().await;
        let app = TestApp::start(&db).await;
        let anna = app.owner("anna", "SC000001").await;
        app.owner("ben", "SC000002").await;
        for call in CALLS {
            let ratio = ratio(
                &app,
                async |a| name(a, &anna.access, call, "SC000002").await,
                async |a| name(a, &anna.access, call, "SC999999").await,
            )
            .await;
            println!("{call:?}: foreign / missing = {ratio:.3}");
            assert!((0.9..1.1).contains(&ratio), "{call:?}: {ratio:.3}");
        }
        app.stop().await;
    }
}
