//! The portal's answers when something that it depends on is unavailable.
#![allow(clippy::unwrap_used)]
use std::collections::BTreeSet;
use testkit::{TestApp, eventually, on_both};

on_both!(
    without_its_database_the_portal_says_so_in_five_languages,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", "SC000001").await;
        app.store.db().close().await;
        let mut texts = BTreeSet::new();
        for lang in ["de", "en", "pl", "fr", "hr"] {
            for path in ["data/", "graph/", "energy_chart/", "usr_sn/", "stream/"] {
                let call = app.get(&format!("/api/auth/{path}")).bearer(&anna.access);
                let answer = call
                    .header("accept-language", lang)
                    .send()
                    .await
                    .expect(503);
                assert_eq!(answer.code(), "unavailable");
                texts.insert(answer.json()["detail"].to_string());
            }
        }
        assert_eq!(texts.len(), 5);
        app.stop().await;
    }
);

on_both!(a_database_that_was_away_is_found_again, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", "SC000001").await;
    if db.make_unreachable().await {
        let call = app.get("/api/auth/data/").bearer(&anna.access);
        let answer = call.send().await.expect(503);
        assert_eq!(answer.code(), "unavailable");
        app.get("/readyz").send().await.expect(503);
        db.make_reachable().await;
        let call = app.get("/api/auth/data/").bearer(&anna.access);
        call.send().await.expect(200);
        // It must also receive messages from the other processes again.
        eventually("it is ready", async || {
            app.get("/readyz").send().await.status == 200
        })
        .await;
    }
    app.stop().await;
});
