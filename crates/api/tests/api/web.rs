//! What every answer contains, and what no request may do to the server.
#![allow(clippy::unwrap_used)]
use domain::clock::DAY;
use domain::connections::Connections;
use proptest::prelude::*;
use std::sync::Arc;
use std::time::Duration;
use testkit::{TestApp, TestDb, on_both, with_app};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;

with_app!(every_answer_is_protected_by_its_headers, |app| {
    for path in [
        "/",
        "/login",
        "/api/auth/usr_sn/",
        "/api/nothing",
        "/config.json",
        "/healthz",
    ] {
        let call = app.get(path).header("origin", "https://evil.example");
        let answer = call.send().await;
        let header = |name: &str| answer.headers[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        assert!(!policy.contains("unsafe"), "{policy}");
        for rule in [
            "object-src 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
            "script-src 'self'",
            "connect-src 'self';",
        ] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(header("strict-transport-security").contains("max-age="));
        assert!(!answer.headers.contains_key("access-control-allow-origin"));
        if path.starts_with("/api/") {
            assert_eq!(header("cache-control"), "no-store", "{path}");
        }
    }
});

with_app!(every_answer_says_when_it_is_on_the_portals_clock, |app| {
    for (path, passes, date) in [
        ("/healthz", 0, "Sun, 15 Nov 2026 11:00:00 GMT"),
        ("/api/auth/data/", 90 * DAY, "Sat, 13 Feb 2027 11:00:00 GMT"),
    ] {
        app.clock.advance(passes);
        let answer = app.get(path).send().await;
        assert_eq!(answer.headers["date"], date);
        assert_eq!(answer.headers.get_all("date").iter().count(), 1);
    }
});

with_app!(unknown_calls_get_json_and_not_the_web_app, |app| {
    assert_eq!(
        app.get("/api/nothing").send().await.expect(404).code(),
        "not_found"
    );
    assert_eq!(
        app.call("PUT", "/api/auth/token/")
            .send()
            .await
            .expect(405)
            .code(),
        "method_not_allowed"
    );
    assert_eq!(
        app.post("/login", &[]).send().await.expect(405).code(),
        "method_not_allowed"
    );
});

with_app!(a_body_over_one_mebibyte_is_refused, |app| {
    let big = "a".repeat(1024 * 1024 + 1);
    let answer = app
        .call("POST", "/api/auth/token/")
        .raw(&format!("email={big}"))
        .send()
        .await
        .expect(413);
    assert_eq!(answer.code(), "too_large");
});

with_app!(of_a_guest_less_is_read_than_of_a_person, |app| {
    let long = format!("email={}", "a".repeat(17 * 1024));
    for path in [
        "/api/auth/token/",
        "/api/auth/register/",
        "/api/auth/password_reset/",
    ] {
        let answer = app.call("POST", path).raw(&long).send().await;
        assert_eq!(answer.expect(413).code(), "too_large", "{path}");
    }
    let anna = app.owner("anna", "SC000001").await;
    // A form of a logged-in person may name thousands of systems.
    let many = format!("name=Keller&sn={}", "SC000001,".repeat(4_000));
    let call = app.call("POST", "/api/auth/group/").raw(&many);
    call.bearer(&anna.access).send().await.expect(201);
});

with_app!(a_body_that_is_no_form_is_refused_and_is_no_attempt, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (kind, body) in [
        ("application/json", "{\"email\":\"anna@example.com\"}"),
        ("text/plain", "email=anna@example.com&password=x"),
        ("multipart/form-data; boundary=x", "--x--"),
    ] {
        for _ in 0..11 {
            let call = app.call("POST", "/api/auth/token/").raw(body);
            let answer = call.header("content-type", kind).send().await;
            assert_eq!(answer.expect(400).code(), "invalid_form", "{kind}");
        }
    }
    let form = "email=anna@example.com&password=Sonnenschein-1!";
    let call = app.call("POST", "/api/auth/token/").raw(form);
    let kind = "application/x-www-form-urlencoded;charset=UTF-8";
    call.header("content-type", kind).send().await.expect(200);
    // Without a body its type does not matter.
    let call = app.call("POST", "/api/auth/logout/").raw("");
    let call = call.header("content-type", "application/json");
    call.bearer(&anna.access).send().await.expect(204);
});

with_app!(a_path_that_cannot_be_read_is_that_of_nothing, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for path in [
        "/api/auth/system/%FF/",
        "/api/auth/system/%00/",
        "/api/auth/command/%FF/",
        "/api/auth/commissioning/protocol/%C3%28/",
    ] {
        let answer = app.get(path).bearer(&anna.access).send().await;
        assert_eq!(answer.expect(404).code(), "not_found", "{path}");
    }
});

with_app!(spaces_around_a_serial_number_do_not_matter, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for path in [
        "/api/auth/system/SC000001%20/",
        "/api/auth/settings/?sn=SC000001%20",
        "/api/auth/journal/?sn=%20SC000001",
        "/api/auth/graph/?sn=SC000001%20",
        "/api/auth/forecast/?sn=SC000001%20",
        "/api/auth/plan/?sn=SC000001%20",
        "/api/auth/export/?sn=SC000001%20&from=2026-11-14&to=2026-11-15",
        "/api/v1/has_update?sn=SC000001%20",
    ] {
        app.get(path).bearer(&anna.access).send().await.expect(200);
    }
});

/// What the server answers to these bytes, read to the end of the connection.
async fn answer_to(app: &TestApp, request: &str) -> String {
    let mut client = TcpStream::connect(app.address).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // Who is refused may find the connection reset after the answer.
    let _ = client.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

with_app!(a_request_that_is_not_http_is_told_so_at_once, |app| {
    let head = "POST /api/auth/token/ HTTP/1.1\r\nHost: test\r\nConnection: close\r\n";
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    for (request, code) in [
        (
            "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(),
            "invalid_request",
        ),
        (
            "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n".to_owned(),
            "invalid_request",
        ),
        (
            format!("{chunked}zz\r\nemail=a\r\n0\r\n\r\n"),
            "invalid_form",
        ),
        (
            format!("{chunked}ffffffffffffffffff\r\nemail=a\r\n"),
            "invalid_form",
        ),
    ] {
        let answer = answer_to(app, &request).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{request}: {answer}");
        assert!(answer.contains(code), "{request}: {answer}");
    }
    let old = answer_to(app, "GET /healthz HTTP/1.0\r\n\r\n").await;
    assert!(old.starts_with("HTTP/1.0 200"), "{old}");
});

with_app!(a_parameter_that_comes_twice_is_refused, |app| {
    let call = app
        .call("POST", "/api/auth/token/")
        .raw("email=a@example.com&email=b@example.com&password=x");
    assert_eq!(call.send().await.expect(400).code(), "invalid_form");
    let path = "/api/partner/client/?client_id=a&client_id=b&redirect_uri=c";
    assert_eq!(
        app.get(path).send().await.expect(400).code(),
        "invalid_form"
    );
});

with_app!(
    texts_follow_the_callers_language_with_german_as_fallback,
    |app| {
        let ask = |language: &'static str| {
            app.post("/api/auth/token/", &[])
                .header("accept-language", language)
                .send()
        };
        let mut texts = std::collections::BTreeSet::new();
        for language in ["de", "en", "pl", "fr", "hr"] {
            texts.insert(
                ask(language).await.expect(401).json()["detail"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            );
        }
        assert_eq!(texts.len(), 5);
        assert_eq!(ask("ja").await.text, ask("de").await.text);
    }
);

with_app!(figures_are_for_the_machine_itself, |app| {
    app.get("/metrics").send().await.expect(200);
    for forwarded_for in ["203.0.113.9", "unknown", "127.0.0.1"] {
        let through_a_proxy = app.get("/metrics").from(forwarded_for);
        through_a_proxy.send().await.expect(404);
    }
});

on_both!(behind_a_proxy_that_says_nothing_figures_are_nowhere, |db| {
    let app = TestApp::start_with(db, |settings| settings.shows_metrics = false).await;
    app.get("/metrics").send().await.expect(404);
    app.stop().await;
});

with_app!(the_browser_learns_where_the_updates_are, |app| {
    let config = app.get("/config.json").send().await.expect(200).json();
    assert_eq!(config["updates"], format!("http://{}", app.updates));
    assert_eq!(config["demo"], false);
});

with_app!(whoever_finds_a_vulnerability_learns_whom_to_tell, |app| {
    let answer = app
        .get("/.well-known/security.txt")
        .send()
        .await
        .expect(200);
    assert_eq!(answer.headers["content-type"], "text/plain; charset=utf-8");
    let text = "Contact: mailto:security@portal.test\n\
        Expires: 2027-11-15T00:00:00Z\n\
        Preferred-Languages: en, de\n\
        Canonical: https://portal.test/.well-known/security.txt\n";
    assert_eq!(answer.text, text);
    app.clock.advance(90 * DAY);
    let later = app.get("/.well-known/security.txt").send().await;
    assert!(later.text.contains("Expires: 2028-02-13T00:00:00Z\n"));
});

#[tokio::test]
async fn without_a_contact_there_is_no_security_txt() {
    let db = TestDb::sqlite().await;
    let app = TestApp::start_with(&db, |settings| settings.security_contact = None).await;
    let call = app.get("/.well-known/security.txt");
    assert_eq!(call.send().await.expect(404).code(), "not_found");
    app.stop().await;
}

with_app!(the_api_describes_itself, |app| {
    let served = app.get("/api/openapi.json").send().await.expect(200);
    assert_eq!(served.json(), serde_json::to_value(api::openapi()).unwrap());
});

#[tokio::test]
async fn a_database_that_is_gone_is_told_in_plain_words() {
    let db = TestDb::sqlite().await;
    let app = TestApp::start(&db).await;
    app.get("/readyz").send().await.expect(200);
    db.store().db().close().await;
    assert_eq!(
        app.get("/readyz").send().await.expect(503).code(),
        "unavailable"
    );
    let answer = app
        .try_log_in("anna@example.com", "x", false)
        .await
        .expect(503);
    assert_eq!(answer.code(), "unavailable");
    for word in ["sqlite", "SQL", "pool", "crates/"] {
        assert!(!answer.text.contains(word), "{}", answer.text);
    }
    app.stop().await;
}

/// A client that sends half a request and then stops is disconnected. Time is tokio's, so the test does not wait.
#[tokio::test(start_paused = true)]
async fn a_client_that_never_finishes_its_headers_is_let_go() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    tokio::spawn(api::serve(
        listener,
        Connections::default(),
        axum::Router::new(),
        None,
        stop.clone(),
    ));
    let mut slow = TcpStream::connect(address).await.unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n")
        .await
        .unwrap();
    let mut rest = Vec::new();
    let closed = tokio::time::timeout(Duration::from_secs(60), slow.read_to_end(&mut rest)).await;
    closed
        .expect("the connection is closed within a minute")
        .unwrap();
    stop.cancel();
}

/// The same for a body that never ends.
#[tokio::test]
async fn a_client_that_never_finishes_its_body_is_let_go() {
    let db = TestDb::sqlite().await;
    let app = TestApp::start(&db).await;
    tokio::time::pause();
    let mut slow = TcpStream::connect(app.address).await.unwrap();
    let head = "POST /api/auth/token/ HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\nemail=";
    slow.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    let answered =
        tokio::time::timeout(Duration::from_secs(60), slow.read_exact(&mut status)).await;
    answered.expect("an answer within a minute").unwrap();
    assert_eq!(&status, b"HTTP/1.1 408");
    let mut rest = Vec::new();
    while !String::from_utf8_lossy(&rest).contains("too_slow") {
        assert_ne!(slow.read_buf(&mut rest).await.unwrap(), 0, "{rest:?}");
    }
    tokio::time::resume();
    drop(slow);
    app.stop().await;
}

#[tokio::test]
async fn a_request_under_way_is_answered_before_the_server_stops() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let (begun, stopping) = (Arc::new(Notify::new()), stop.clone());
    let tell = Arc::clone(&begun);
    let answer = async move || {
        tell.notify_one();
        stopping.cancelled().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        "done"
    };
    let router = axum::Router::new().route("/", axum::routing::get(answer));
    let serving = tokio::spawn(api::serve(
        listener,
        Connections::default(),
        router,
        None,
        stop.clone(),
    ));
    let mut client = TcpStream::connect(address).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n";
    client.write_all(request).await.unwrap();
    begun.notified().await;
    stop.cancel();
    let mut text = String::new();
    client.read_to_string(&mut text).await.unwrap();
    assert!(text.ends_with("done"), "{text}");
    serving.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

/// A client that opens endless connections leaves room for the other listeners and for the database.
#[tokio::test]
async fn a_listener_takes_so_many_connections_and_goes_on_when_some_end() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = tokio_util::sync::CancellationToken::new();
    let router = axum::Router::new().route("/", axum::routing::get(async || "served"));
    let two = Connections::new(2, 2);
    tokio::spawn(api::serve(listener, two, router, None, stop.clone()));
    let ask = async |client: &mut TcpStream| {
        let request = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n";
        // A connection that was closed at once may already refuse the write.
        let _ = client.write_all(request).await;
        let mut answer = [0; 1];
        client.read(&mut answer).await.unwrap_or(0) == 1
    };
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut client = TcpStream::connect(address).await.unwrap();
        assert!(ask(&mut client).await);
        open.push(client);
    }
    let mut third = TcpStream::connect(address).await.unwrap();
    assert!(!ask(&mut third).await, "there is no room for it");
    open.pop();
    testkit::eventually("there is room again", async || {
        let mut client = TcpStream::connect(address).await.unwrap();
        ask(&mut client).await
    })
    .await;
    stop.cancel();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever is sent as a login, the answer is a refusal that reveals nothing internal.
    #[test]
    fn no_body_makes_the_server_fail_or_talk(body in "[ -~äö€\\n\\r\\t%&=+]{0,200}") {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let db = TestDb::sqlite().await;
            let app = TestApp::start(&db).await;
            for path in ["/api/auth/token/", "/api/auth/register/", "/api/auth/password_reset/confirm/"] {
                let answer = app.call("POST", path).raw(&body).send().await;
                assert!(answer.status.is_client_error(), "{path} {} {}", answer.status, answer.text);
                for word in ["sqlx", "SELECT", "panicked", "src/"] {
                    assert!(!answer.text.contains(word), "{}", answer.text);
                }
            }
            app.stop().await;
        });
    }
}
