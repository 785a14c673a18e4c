//! From the code to tokens, and from one token to the next.
use super::{
    CALLBACK, CLIENT, IssuedTokens, VERIFIER, anna, challenge, consent, exchange, exchange_with,
    issue_tokens, partner, refresh, systems,
};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::clock::{DAY, HOUR, MINUTE, SECOND};
use serde_json::json;
use testkit::{TestApp, TestDb, on_both, with_app};

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

async fn dump(db: &TestDb) -> String {
    format!("{:?}", db.dump().await)
}

with_app!(a_wrong_verifier_gets_nothing_and_uses_the_code_up, |app| {
    let anna = anna(app).await;
    let code = consent(app, &anna, "systems").await;
    let hash = challenge(VERIFIER);
    let wrong = exchange_with(app, &code, &[("code_verifier", &hash)]).await;
    assert_eq!(
        wrong.expect(400).json(),
        json!({ "error": "invalid_grant" })
    );
    exchange(app, &code).await.expect(400);
});

with_app!(no_verifier_gets_nothing, |app| {
    let anna = anna(app).await;
    let code = consent(app, &anna, "systems").await;
    let answer = exchange_with(app, &code, &[("code_verifier", "")]).await;
    assert_eq!(answer.expect(400).json()["error"], "invalid_grant");
});

with_app!(
    a_code_works_once_and_one_that_comes_again_ends_what_it_gave,
    |app| {
        let anna = anna(app).await;
        let code = consent(app, &anna, "systems").await;
        let tokens = IssuedTokens::of(&exchange(app, &code).await.expect(200));
        systems(app, &tokens.access).await.expect(200);
        let second = exchange(app, &code).await.expect(400);
        assert_eq!(second.json()["error"], "invalid_grant");
        systems(app, &tokens.access).await.expect(401);
        refresh(app, &tokens.refresh, CLIENT).await.expect(400);
    }
);

with_app!(of_ten_exchanges_of_one_code_at_once_one_counts, |app| {
    let anna = anna(app).await;
    let code = consent(app, &anna, "systems").await;
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", CALLBACK),
        ("client_id", CLIENT),
        ("code_verifier", VERIFIER),
    ];
    let calls: Vec<_> = (0..10)
        .map(|_| tokio::spawn(app.post("/api/partner/token/", &fields).send()))
        .collect();
    let mut done = 0;
    for call in calls {
        done += usize::from(call.await.unwrap().status.is_success());
    }
    assert_eq!(done, 1);
});

with_app!(a_code_is_good_for_its_own_return_address_only, |app| {
    let anna = anna(app).await;
    let other = "https://partner.test/other";
    partner(app, CLIENT, &[CALLBACK, other]).await;
    let code = consent(app, &anna, "systems").await;
    let answer = exchange_with(app, &code, &[("redirect_uri", other)]).await;
    assert_eq!(answer.expect(400).json()["error"], "invalid_grant");
});

with_app!(a_code_is_good_for_its_own_partner_only, |app| {
    let anna = anna(app).await;
    partner(app, "other", &[CALLBACK]).await;
    let code = consent(app, &anna, "systems").await;
    let answer = exchange_with(app, &code, &[("client_id", "other")]).await;
    assert_eq!(answer.expect(400).json()["error"], "invalid_grant");
});

with_app!(a_code_works_for_five_minutes, |app| {
    let anna = anna(app).await;
    let code = consent(app, &anna, "systems").await;
    app.clock.advance(5 * MINUTE);
    exchange(app, &code).await.expect(200);
});

with_app!(a_code_has_run_out_after_five_minutes, |app| {
    let anna = anna(app).await;
    let code = consent(app, &anna, "systems").await;
    app.clock.advance(5 * MINUTE + SECOND);
    let answer = exchange(app, &code).await.expect(400);
    assert_eq!(answer.json()["error"], "invalid_grant");
});

with_app!(other_ways_to_a_token_are_not_supported, |app| {
    for grant in ["password", "client_credentials", "implicit", ""] {
        let fields = [("grant_type", grant), ("username", "anna@example.com")];
        let answer = app.post("/api/partner/token/", &fields).send().await;
        let body = answer.expect(400).json();
        assert_eq!(
            body,
            json!({ "error": "unsupported_grant_type" }),
            "{grant}"
        );
    }
});

with_app!(
    an_access_token_lives_an_hour_and_a_refresh_token_gives_the_next,
    |app| {
        let anna = anna(app).await;
        let first = issue_tokens(app, &anna, "systems").await;
        app.clock.advance(HOUR);
        systems(app, &first.access).await.expect(200);
        app.clock.advance(SECOND);
        systems(app, &first.access).await.expect(401);
        let next = IssuedTokens::of(&refresh(app, &first.refresh, CLIENT).await.expect(200));
        systems(app, &next.access).await.expect(200);
    }
);

with_app!(a_refresh_token_rotates, |app| {
    let anna = anna(app).await;
    let first = issue_tokens(app, &anna, "systems").await;
    let next = IssuedTokens::of(&refresh(app, &first.refresh, CLIENT).await.expect(200));
    assert_ne!(first.refresh, next.refresh);
    refresh(app, &next.refresh, CLIENT).await.expect(200);
});

with_app!(
    a_refresh_token_that_comes_again_ends_what_came_of_it,
    |app| {
        let anna = anna(app).await;
        let other = issue_tokens(app, &anna, "systems").await;
        let first = issue_tokens(app, &anna, "systems").await;
        let stolen = IssuedTokens::of(&refresh(app, &first.refresh, CLIENT).await.expect(200));
        systems(app, &stolen.access).await.expect(200);
        let old = refresh(app, &first.refresh, CLIENT).await.expect(400);
        assert_eq!(old.json()["error"], "invalid_grant");
        systems(app, &stolen.access).await.expect(401);
        refresh(app, &stolen.refresh, CLIENT).await.expect(400);
        // Tokens from another code are not affected, and the owner can read what happened.
        systems(app, &other.access).await.expect(200);
        refresh(app, &other.refresh, CLIENT).await.expect(200);
        let email = anna.email.parse().unwrap();
        let account = app.store.account_by_email(&email);
        let account = account.await.unwrap().unwrap().id();
        let journal = app.store.journal_of(account).await.unwrap();
        let reused = journal
            .iter()
            .filter(|line| line.event == "partner_token_reused");
        assert_eq!(reused.count(), 1);
    }
);

with_app!(a_refresh_token_runs_out_after_90_days, |app| {
    let anna = anna(app).await;
    let tokens = issue_tokens(app, &anna, "systems").await;
    app.clock.advance(90 * DAY + SECOND);
    refresh(app, &tokens.refresh, CLIENT).await.expect(400);
});

with_app!(a_refresh_token_is_good_for_its_own_partner_only, |app| {
    let anna = anna(app).await;
    partner(app, "other", &["https://other.test/back"]).await;
    let tokens = issue_tokens(app, &anna, "systems").await;
    refresh(app, &tokens.refresh, "other").await.expect(400);
    refresh(app, &tokens.refresh, CLIENT).await.expect(200);
});

with_app!(each_kind_of_token_is_refused_as_the_other, |app| {
    let anna = anna(app).await;
    let tokens = issue_tokens(app, &anna, "systems").await;
    systems(app, &tokens.refresh).await.expect(401);
    systems(app, &format!("partner_{}", tokens.refresh))
        .await
        .expect(401);
    let bare = tokens.access.strip_prefix("partner_").unwrap();
    refresh(app, bare, CLIENT).await.expect(400);
    let code = consent(app, &anna, "systems").await;
    systems(app, &format!("partner_{code}")).await.expect(401);
    refresh(app, &code, CLIENT).await.expect(400);
});

on_both!(codes_and_tokens_are_kept_only_as_hashes, |db| {
    let app = TestApp::start(db).await;
    let anna = anna(&app).await;
    let tokens = issue_tokens(&app, &anna, "systems").await;
    let code = consent(&app, &anna, "systems").await;
    let kept = dump(db).await;
    let access = tokens.access.trim_start_matches("partner_");
    for secret in [access, &tokens.refresh, &code] {
        let raw: String = BASE64
            .decode(secret)
            .unwrap()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        for form in [secret.to_owned(), hex(secret), raw] {
            assert!(!kept.contains(&form), "{form}");
        }
    }
    app.stop().await;
});

with_app!(what_is_no_request_is_refused_as_oauth_says, |app| {
    for body in [
        "grant_type=refresh_token&grant_type=refresh_token",
        "a=1&a=2",
    ] {
        let answer = app.call("POST", "/api/partner/token/").raw(body).send();
        let refused = answer.await.expect(400).json();
        assert_eq!(refused, json!({ "error": "invalid_request" }), "{body}");
    }
    let document = app.call("POST", "/api/partner/token/").raw("{}");
    let document = document.header("content-type", "application/json");
    let refused = document.send().await.expect(400).json();
    assert_eq!(refused, json!({ "error": "invalid_request" }));
});
