//! What a partner's token gives access to, and when it stops working.
use super::{CLIENT, anna, consent, consents, end, exchange, issue_tokens, refresh, systems};
use domain::Email;
use serde_json::json;
use testkit::{NOON, PASSWORD, with_app};

with_app!(
    a_partner_that_was_let_in_sees_the_owners_systems_and_no_more,
    |app| {
        let anna = anna(app).await;
        app.owner("ben", "SC000002").await;
        let code = consent(app, &anna, "systems live").await;
        let tokens = exchange(app, &code).await.expect(200).json();
        assert_eq!(tokens["token_type"], "Bearer");
        assert_eq!(tokens["expires_in"], 3_600);
        assert_eq!(tokens["scope"], "systems live");
        let access = tokens["access_token"].as_str().unwrap();
        let seen = systems(app, access).await.expect(200).json();
        assert_eq!(seen, json!([{ "sn": "SC000001", "phase": 1 }]));
    }
);

with_app!(a_scope_that_was_not_granted_is_forbidden, |app| {
    let anna = anna(app).await;
    let tokens = issue_tokens(app, &anna, "live").await;
    let answer = systems(app, &tokens.access).await.expect(403);
    assert_eq!(answer.code(), "forbidden");
});

with_app!(a_narrower_consent_narrows_the_tokens_given_before, |app| {
    let anna = anna(app).await;
    let tokens = issue_tokens(app, &anna, "systems live").await;
    consent(app, &anna, "live").await;
    systems(app, &tokens.access).await.expect(403);
});

with_app!(shutting_a_partner_out_ends_its_access_at_once, |app| {
    let anna = anna(app).await;
    let tokens = issue_tokens(app, &anna, "systems").await;
    let waiting = consent(app, &anna, "systems").await;
    systems(app, &tokens.access).await.expect(200);
    let id = consents(app, &anna).await[0]["id"].to_string();
    end(app, &anna, &id).await.expect(204);
    systems(app, &tokens.access).await.expect(401);
    refresh(app, &tokens.refresh, CLIENT).await.expect(400);
    exchange(app, &waiting).await.expect(400);
    assert_eq!(consents(app, &anna).await, json!([]));
});

with_app!(a_partners_token_opens_none_of_the_persons_calls, |app| {
    let anna = anna(app).await;
    let tokens = issue_tokens(app, &anna, "systems live").await;
    for (method, path) in [
        ("GET", "/api/auth/account/"),
        ("PATCH", "/api/auth/account/"),
        ("DELETE", "/api/auth/account/"),
        ("GET", "/api/auth/account/export/"),
        ("GET", "/api/auth/usr_sn/"),
        ("POST", "/api/auth/usr_sn/"),
        ("GET", "/api/auth/usr_sn/claims/"),
        ("DELETE", "/api/auth/usr_sn/SC000001/"),
        ("GET", "/api/auth/partner/"),
        ("POST", "/api/auth/partner/"),
        ("DELETE", "/api/auth/partner/1/"),
        ("POST", "/api/auth/logout/"),
        ("GET", "/api/auth/data/"),
        ("GET", "/api/auth/graph/"),
        ("GET", "/api/auth/export/"),
    ] {
        let call = app.call(method, path).form(&[("password", PASSWORD)]);
        let answer = call.bearer(&tokens.access).send().await;
        assert_eq!(answer.status, 403, "{method} {path}");
    }
});

with_app!(a_partner_sees_the_live_values_it_was_let_in_for, |app| {
    let anna = anna(app).await;
    app.owner("ben", "SC000002").await;
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    battery.sample(|_| {}).await;
    let tokens = issue_tokens(app, &anna, "live").await;
    let live = |token: &str| app.get("/api/partner/v1/live/").bearer(token).send();
    let want = json!([{
        "sn": "SC000001", "online": true, "measured_at": NOON, "grid_power": -150, "PV_power": 400,
        "battery_power": -50, "SOC": 55.5, "m8": 200,
    }]);
    assert_eq!(live(&tokens.access).await.expect(200).json(), want);
    // One scope does not allow the other scope's call.
    systems(app, &tokens.access).await.expect(403);
    let tokens = issue_tokens(app, &anna, "systems").await;
    live(&tokens.access).await.expect(403);
});

with_app!(a_persons_token_opens_none_of_the_partners_calls, |app| {
    let anna = anna(app).await;
    systems(app, &anna.access).await.expect(403);
    systems(app, &format!("partner_{}", anna.access))
        .await
        .expect(401);
    app.get("/api/partner/v1/systems/").send().await.expect(401);
});

with_app!(
    a_system_given_up_disappears_for_the_partner_at_once,
    |app| {
        let anna = anna(app).await;
        let tokens = issue_tokens(app, &anna, "systems").await;
        app.call("DELETE", "/api/auth/usr_sn/SC000001/")
            .form(&[("password", PASSWORD)])
            .bearer(&anna.access)
            .send()
            .await
            .expect(204);
        let seen = systems(app, &tokens.access).await.expect(200).json();
        assert_eq!(seen, json!([]));
    }
);

with_app!(a_locked_account_shuts_its_partners_out, |app| {
    let anna = anna(app).await;
    let tokens = issue_tokens(app, &anna, "systems").await;
    let waiting = consent(app, &anna, "systems").await;
    let email: Email = anna.email.parse().unwrap();
    app.service.lock_account(&email, true).await.unwrap();
    systems(app, &tokens.access).await.expect(401);
    refresh(app, &tokens.refresh, CLIENT).await.expect(400);
    exchange(app, &waiting).await.expect(400);
});

with_app!(deletion_of_the_account_ends_the_partners_tokens, |app| {
    let anna = anna(app).await;
    let tokens = issue_tokens(app, &anna, "systems").await;
    let waiting = consent(app, &anna, "systems").await;
    app.call("DELETE", "/api/auth/account/")
        .form(&[("password", PASSWORD)])
        .bearer(&anna.access)
        .send()
        .await
        .expect(204);
    systems(app, &tokens.access).await.expect(401);
    refresh(app, &tokens.refresh, CLIENT).await.expect(400);
    exchange(app, &waiting).await.expect(400);
});
