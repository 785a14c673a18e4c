//! Each request has an id, which its answer names.
#![allow(clippy::unwrap_used)]
use std::collections::BTreeSet;
use testkit::{TestApp, TestDb};

async fn id_of(app: &TestApp, path: &str, given: Option<&str>) -> String {
    let call = app.get(path);
    let call = match given {
        Some(id) => call.header("x-request-id", id),
        None => call,
    };
    let answer = call.send().await;
    answer.headers["x-request-id"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn each_answer_names_its_request_and_a_trusted_proxy_may_choose_the_name() {
    let db = TestDb::sqlite().await;
    let app = TestApp::start(&db).await;
    let mut ids = BTreeSet::new();
    for path in ["/", "/healthz", "/api/auth/usr_sn/", "/api/nothing"] {
        let id = id_of(&app, path, None).await;
        assert_eq!(id.len(), 16, "{id}");
        ids.insert(id);
        assert_eq!(id_of(&app, path, Some("proxy-7.1")).await, "proxy-7.1");
    }
    assert_eq!(ids.len(), 4, "each has its own: {ids:?}");
    for wrong in ["a b", "\"", "", &"a".repeat(65)] {
        let id = id_of(&app, "/healthz", Some(wrong)).await;
        assert_eq!(id.len(), 16, "{wrong:?} became {id}");
    }
    app.stop().await;

    let app = TestApp::start_with(&db, |settings| settings.trusted_proxies.clear()).await;
    let id = id_of(&app, "/healthz", Some("proxy-7.1")).await;
    assert_ne!(id, "proxy-7.1", "anybody could choose it");
    app.stop().await;
    db.close().await;
}
