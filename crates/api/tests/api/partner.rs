//! Partner apps: the owner lets one in, it gets tokens for what was consented to, and is shut out again.
#![allow(clippy::unwrap_used)]
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Email;
use domain::clock::{DAY, HOUR, MINUTE, SECOND};
use ring::digest;
use serde_json::{Value, json};
use testkit::{Answer, NOON, PASSWORD, Person, TestApp, TestDb, on_both, with_app};

const CLIENT: &str = "cleverpv";
const CALLBACK: &str = "https://partner.test/back";
const VERIFIER: &str = "a-verifier-of-at-least-43-characters-as-rfc-7636-asks";

fn challenge(verifier: &str) -> String {
    BASE64.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
}

async fn partner(app: &TestApp, id: &str, redirects: &[&str]) {
    let redirects: Vec<String> = redirects.iter().map(|uri| (*uri).to_owned()).collect();
    app.store
        .register_partner(id, "clever-PV", &redirects, app.clock.now())
        .await
        .unwrap();
}

/// An owner, and the partner the operator has registered.
async fn anna(app: &TestApp) -> Person {
    partner(app, CLIENT, &[CALLBACK]).await;
    app.owner("anna", "SC000001").await
}

/// The fields that the consent screen sends, with some of them changed.
async fn consent_with(app: &TestApp, access: &str, changed: &[(&str, &str)]) -> Answer {
    let challenge = challenge(VERIFIER);
    let mut fields = vec![
        ("client_id", CLIENT),
        ("redirect_uri", CALLBACK),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("scope", "systems"),
        ("state", "a state & more"),
    ];
    fields.retain(|(name, _)| changed.iter().all(|(other, _)| other != name));
    fields.extend(changed);
    app.post("/api/auth/partner/", &fields)
        .bearer(access)
        .send()
        .await
}

fn code_in(answer: &Answer) -> String {
    let redirect = answer.json()["redirect"].as_str().unwrap().to_owned();
    let query = redirect.split_once('?').unwrap().1;
    let fields: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap();
    let code = fields.into_iter().find(|(name, _)| name == "code");
    code.unwrap().1
}

/// Consents and returns the code that the browser would carry to the partner.
async fn consent(app: &TestApp, person: &Person, scope: &str) -> String {
    let answer = consent_with(app, &person.access, &[("scope", scope)]).await;
    code_in(&answer.expect(200))
}

/// Exchanges a code, with some fields of the request changed.
async fn exchange_with(app: &TestApp, code: &str, changed: &[(&str, &str)]) -> Answer {
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", CALLBACK),
        ("client_id", CLIENT),
        ("code_verifier", VERIFIER),
    ];
    fields.retain(|(name, _)| changed.iter().all(|(other, _)| other != name));
    fields.extend(changed);
    app.post("/api/partner/token/", &fields).send().await
}

async fn exchange(app: &TestApp, code: &str) -> Answer {
    exchange_with(app, code, &[]).await
}

async fn refresh(app: &TestApp, token: &str, client: &str) -> Answer {
    let fields = [
        ("grant_type", "refresh_token"),
        ("refresh_token", token),
        ("client_id", client),
    ];
    app.post("/api/partner/token/", &fields).send().await
}

struct Tokens {
    access: String,
    refresh: String,
}

impl Tokens {
    fn of(answer: &Answer) -> Self {
        let body = answer.json();
        let token = |name: &str| body[name].as_str().unwrap().to_owned();
        Self {
            access: token("access_token"),
            refresh: token("refresh_token"),
        }
    }
}

/// The whole way: consent, code, tokens.
async fn let_in(app: &TestApp, person: &Person, scope: &str) -> Tokens {
    let code = consent(app, person, scope).await;
    Tokens::of(&exchange(app, &code).await.expect(200))
}

async fn systems(app: &TestApp, token: &str) -> Answer {
    app.get("/api/partner/v1/systems/")
        .bearer(token)
        .send()
        .await
}

async fn consents(app: &TestApp, person: &Person) -> Value {
    app.get("/api/auth/partner/")
        .bearer(&person.access)
        .send()
        .await
        .expect(200)
        .json()
}

async fn end(app: &TestApp, person: &Person, id: &str) -> Answer {
    app.call("DELETE", &format!("/api/auth/partner/{id}/"))
        .bearer(&person.access)
        .send()
        .await
}

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
            let answer = app.get(&path).send().await.expect(400);
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

with_app!(a_code_works_once, |app| {
    let anna = anna(app).await;
    let code = consent(app, &anna, "systems").await;
    exchange(app, &code).await.expect(200);
    let second = exchange(app, &code).await.expect(400);
    assert_eq!(second.json()["error"], "invalid_grant");
});

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
        let first = let_in(app, &anna, "systems").await;
        app.clock.advance(HOUR);
        systems(app, &first.access).await.expect(200);
        app.clock.advance(SECOND);
        systems(app, &first.access).await.expect(401);
        let next = Tokens::of(&refresh(app, &first.refresh, CLIENT).await.expect(200));
        systems(app, &next.access).await.expect(200);
    }
);

with_app!(a_refresh_token_rotates, |app| {
    let anna = anna(app).await;
    let first = let_in(app, &anna, "systems").await;
    let next = Tokens::of(&refresh(app, &first.refresh, CLIENT).await.expect(200));
    assert_ne!(first.refresh, next.refresh);
    let old = refresh(app, &first.refresh, CLIENT).await.expect(400);
    assert_eq!(old.json()["error"], "invalid_grant");
    refresh(app, &next.refresh, CLIENT).await.expect(200);
});

with_app!(a_refresh_token_runs_out_after_90_days, |app| {
    let anna = anna(app).await;
    let tokens = let_in(app, &anna, "systems").await;
    app.clock.advance(90 * DAY + SECOND);
    refresh(app, &tokens.refresh, CLIENT).await.expect(400);
});

with_app!(a_refresh_token_is_good_for_its_own_partner_only, |app| {
    let anna = anna(app).await;
    partner(app, "other", &["https://other.test/back"]).await;
    let tokens = let_in(app, &anna, "systems").await;
    refresh(app, &tokens.refresh, "other").await.expect(400);
    refresh(app, &tokens.refresh, CLIENT).await.expect(200);
});

with_app!(each_kind_of_token_is_refused_as_the_other, |app| {
    let anna = anna(app).await;
    let tokens = let_in(app, &anna, "systems").await;
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

with_app!(a_scope_that_was_not_granted_is_forbidden, |app| {
    let anna = anna(app).await;
    let tokens = let_in(app, &anna, "live").await;
    let answer = systems(app, &tokens.access).await.expect(403);
    assert_eq!(answer.code(), "forbidden");
});

with_app!(a_narrower_consent_narrows_the_tokens_given_before, |app| {
    let anna = anna(app).await;
    let tokens = let_in(app, &anna, "systems live").await;
    consent(app, &anna, "live").await;
    systems(app, &tokens.access).await.expect(403);
});

with_app!(the_owner_sees_whom_they_let_in_and_since_when, |app| {
    let anna = anna(app).await;
    let ben = app.owner("ben", "SC000002").await;
    let_in(app, &anna, "live systems").await;
    let mut list = consents(app, &anna).await;
    assert!(list[0]["id"].take().is_i64());
    assert_eq!(
        list,
        json!([{ "id": null, "name": "clever-PV", "scopes": ["systems", "live"], "since": NOON }])
    );
    assert_eq!(consents(app, &ben).await, json!([]));
    // What exactly she agreed to, and when, is hers to take away.
    let export = app.get("/api/auth/account/export/").bearer(&anna.access);
    let export = export.send().await.expect(200).json();
    let kept = &export["partner_consents"][0];
    assert_eq!(
        (&kept["version"], &kept["created_at"]),
        (&json!(domain::partner::CONSENT_VERSION), &json!(NOON))
    );
});

with_app!(shutting_a_partner_out_ends_its_access_at_once, |app| {
    let anna = anna(app).await;
    let tokens = let_in(app, &anna, "systems").await;
    let waiting = consent(app, &anna, "systems").await;
    systems(app, &tokens.access).await.expect(200);
    let id = consents(app, &anna).await[0]["id"].to_string();
    end(app, &anna, &id).await.expect(204);
    systems(app, &tokens.access).await.expect(401);
    refresh(app, &tokens.refresh, CLIENT).await.expect(400);
    exchange(app, &waiting).await.expect(400);
    assert_eq!(consents(app, &anna).await, json!([]));
});

with_app!(
    somebody_elses_consent_and_a_missing_one_get_the_same_answer,
    |app| {
        let anna = anna(app).await;
        let ben = app.owner("ben", "SC000002").await;
        let tokens = let_in(app, &anna, "systems").await;
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

with_app!(a_partners_token_opens_none_of_the_persons_calls, |app| {
    let anna = anna(app).await;
    let tokens = let_in(app, &anna, "systems live").await;
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
    let tokens = let_in(app, &anna, "live").await;
    let live = |token: &str| app.get("/api/partner/v1/live/").bearer(token).send();
    let want = json!([{
        "sn": "SC000001", "online": true, "measured_at": NOON, "grid_power": -150, "PV_power": 400,
        "battery_power": -50, "SOC": 55.5, "m8": 200,
    }]);
    assert_eq!(live(&tokens.access).await.expect(200).json(), want);
    // One scope opens not the other's call.
    systems(app, &tokens.access).await.expect(403);
    let tokens = let_in(app, &anna, "systems").await;
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

with_app!(
    a_system_given_up_disappears_for_the_partner_at_once,
    |app| {
        let anna = anna(app).await;
        let tokens = let_in(app, &anna, "systems").await;
        app.call("DELETE", "/api/auth/usr_sn/SC000001/")
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
    let tokens = let_in(app, &anna, "systems").await;
    let waiting = consent(app, &anna, "systems").await;
    let email: Email = anna.email.parse().unwrap();
    let now = app.clock.now();
    app.store.lock_account(&email, true, now).await.unwrap();
    systems(app, &tokens.access).await.expect(401);
    refresh(app, &tokens.refresh, CLIENT).await.expect(400);
    exchange(app, &waiting).await.expect(400);
});

with_app!(deletion_of_the_account_ends_the_partners_tokens, |app| {
    let anna = anna(app).await;
    let tokens = let_in(app, &anna, "systems").await;
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

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

async fn dump(db: &TestDb) -> String {
    format!("{:?}", db.dump().await)
}

on_both!(codes_and_tokens_are_kept_only_as_hashes, |db| {
    let app = TestApp::start(db).await;
    let anna = anna(&app).await;
    let tokens = let_in(&app, &anna, "systems").await;
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
