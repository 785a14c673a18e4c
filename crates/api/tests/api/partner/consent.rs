//! The consent screen, and what the owner sees of a consent later.
use super::{
    CALLBACK, CLIENT, VERIFIER, anna, consent, consent_with, consents, end, issue_tokens, partner,
    refresh, systems,
};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use serde_json::json;
use testkit::{NOON, with_app};

with_app!(the_consent_screen_shows_who_asks, |app| {
    partner(app, CLIENT, &[CALLBACK]).await;
    let path = format!("/api/partner/client/?client_id={CLIENT}&redirect_uri={CALLBACK}");
    let answer = app.get(&path).send().await.expect(200).json();
    assert_eq!(answer, json!({ "name": "clever-PV" }));
});

with_app!(
    an_app_or_return_address_that_is_not_registered_is_refused,
    |app| {
        let anna = anna(app).await;
        partner(app, "other", &["https://other.test/back"]).await;
        for (client, redirect) in [
            ("nobody", CALLBACK),
            ("", ""),
            (CLIENT, ""),
            (CLIENT, "https://evil.example/back"),
            (CLIENT, "https://other.test/back"),
            (CLIENT, "https://partner.test/back/"),
            (CLIENT, "https://partner.test/back?x=1"),
            (CLIENT, "https://PARTNER.test/back"),
            (CLIENT, "http://partner.test/back"),
        ] {
            let query =
                serde_urlencoded::to_string([("client_id", client), ("redirect_uri", redirect)]);
            let path = format!("/api/partner/client/?{}", query.unwrap());
            let answer = app.get(&path).send().await.expect(404);
            assert_eq!(answer.code(), "client_unknown", "{client} {redirect}");
            let changed = [("client_id", client), ("redirect_uri", redirect)];
            let answer = consent_with(app, &anna.access, &changed).await.expect(400);
            assert_eq!(answer.code(), "client_unknown", "{client} {redirect}");
        }
        assert_eq!(consents(app, &anna).await, json!([]));
    }
);

with_app!(
    the_browser_is_sent_back_with_the_code_and_the_state,
    |app| {
        let anna = anna(app).await;
        let answer = consent_with(app, &anna.access, &[]).await.expect(200);
        let redirect = answer.json()["redirect"].as_str().unwrap().to_owned();
        let (address, query) = redirect.split_once('?').unwrap();
        assert_eq!(address, CALLBACK);
        let fields: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap();
        assert_eq!(fields.len(), 2);
        assert_eq!(fields[1], ("state".into(), "a state & more".into()));
        assert_eq!(BASE64.decode(&fields[0].1).unwrap().len(), 32);
    }
);

with_app!(a_return_address_with_a_query_keeps_it, |app| {
    let anna = anna(app).await;
    let uri = "https://partner.test/back?tenant=7";
    partner(app, CLIENT, &[uri]).await;
    let answer = consent_with(app, &anna.access, &[("redirect_uri", uri)]).await;
    let redirect = answer.expect(200).json()["redirect"].clone();
    let redirect = redirect.as_str().unwrap();
    assert!(redirect.starts_with(&format!("{uri}&code=")), "{redirect}");
});

with_app!(consent_needs_a_challenge_by_s256_and_a_known_scope, |app| {
    let anna = anna(app).await;
    for wrong in [
        ("code_challenge_method", "plain"),
        ("code_challenge_method", ""),
        ("code_challenge", ""),
        ("code_challenge", VERIFIER),
        ("scope", ""),
        ("scope", "settings"),
        ("scope", "systems settings"),
    ] {
        let answer = consent_with(app, &anna.access, &[wrong]).await;
        answer.expect(400);
    }
    assert_eq!(consents(app, &anna).await, json!([]));
});

with_app!(a_parameter_that_comes_twice_is_refused, |app| {
    let anna = anna(app).await;
    let path = format!(
        "/api/partner/client/?client_id={CLIENT}&redirect_uri={CALLBACK}&redirect_uri=https://evil.example"
    );
    let answer = app.get(&path).send().await.expect(400);
    assert_eq!(answer.code(), "invalid_form");
    let body = format!(
        "client_id={CLIENT}&redirect_uri={CALLBACK}&redirect_uri=https://evil.example&scope=systems"
    );
    let call = app.call("POST", "/api/auth/partner/").raw(&body);
    let answer = call.bearer(&anna.access).send().await.expect(400);
    assert_eq!(answer.code(), "invalid_form");
});

with_app!(
    electricians_and_owners_without_systems_let_no_partner_in,
    |app| {
        anna(app).await;
        let eva = app.electrician("eva").await;
        let paul = app.unlinked("paul", "SC000003").await;
        for access in [&eva.access, &paul.access] {
            consent_with(app, access, &[]).await.expect(403);
        }
    }
);

with_app!(the_owner_sees_whom_they_let_in_and_since_when, |app| {
    let anna = anna(app).await;
    let ben = app.owner("ben", "SC000002").await;
    issue_tokens(app, &anna, "live systems").await;
    let mut list = consents(app, &anna).await;
    assert!(list[0]["id"].take().is_i64());
    assert_eq!(
        list,
        json!([{ "id": null, "name": "clever-PV", "scopes": ["systems", "live"], "since": NOON }])
    );
    assert_eq!(consents(app, &ben).await, json!([]));
    // Her export contains what exactly she agreed to, and when.
    let export = app.get("/api/auth/account/export/").bearer(&anna.access);
    let export = export.send().await.expect(200).json();
    let kept = &export["partner_consents"][0];
    assert_eq!(
        (&kept["version"], &kept["created_at"]),
        (&json!(domain::partner::CONSENT_VERSION), &json!(NOON))
    );
});

with_app!(
    somebody_elses_consent_and_a_missing_one_get_the_same_answer,
    |app| {
        let anna = anna(app).await;
        let ben = app.owner("ben", "SC000002").await;
        let tokens = issue_tokens(app, &anna, "systems").await;
        let id = consents(app, &anna).await[0]["id"].to_string();
        let foreign = end(app, &ben, &id).await.expect(404);
        for missing in ["999999", "rubbish", "-1", "99999999999999999999"] {
            let answer = end(app, &ben, missing).await.expect(404);
            assert_eq!(answer.text, foreign.text, "{missing}");
        }
        systems(app, &tokens.access).await.expect(200);
    }
);

with_app!(consent_and_its_end_stand_in_the_journal, |app| {
    let anna = anna(app).await;
    consent(app, &anna, "systems").await;
    let id = consents(app, &anna).await[0]["id"].to_string();
    end(app, &anna, &id).await.expect(204);
    let account = app.account_id(&anna.email).await;
    let journal = app.store.journal_of(account).await.unwrap();
    let last: Vec<_> = journal
        .iter()
        .rev()
        .take(2)
        .map(|line| line.event.as_str())
        .collect();
    assert_eq!(last, ["partner_ended", "partner_consented"]);
});

with_app!(the_owner_gets_a_mail_about_whom_they_let_in, |app| {
    let anna = anna(app).await;
    consent(app, &anna, "systems").await;
    let mails = app.sent_mails().await;
    let told = mails
        .iter()
        .find(|mail| mail.to == anna.email && mail.text.contains("clever-PV"));
    assert!(told.is_some(), "{mails:?}");
});

with_app!(
    a_reset_password_and_leaving_everywhere_end_partners_too,
    |app| {
        let anna = anna(app).await;
        let tokens = issue_tokens(app, &anna, "systems").await;
        let everywhere = app.post("/api/auth/logout/", &[("all", "1")]);
        everywhere.bearer(&anna.access).send().await.expect(204);
        systems(app, &tokens.access).await.expect(401);

        let anna = app.log_in(&anna.email, false).await;
        let tokens = issue_tokens(app, &anna, "systems").await;
        let asked = app.post("/api/auth/password_reset/", &[("email", &anna.email)]);
        asked.send().await.expect(202);
        let token = app.mailed_token(&anna.email, "token").await;
        let password = "Mittagssonne-7!";
        let fields = [
            ("token", token.as_str()),
            ("password", password),
            ("password2", password),
        ];
        let reset = app.post("/api/auth/password_reset/confirm/", &fields);
        reset.send().await.expect(200);
        systems(app, &tokens.access).await.expect(401);
        refresh(app, &tokens.refresh, CLIENT).await.expect(400);
    }
);
