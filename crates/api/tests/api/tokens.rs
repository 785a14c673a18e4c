//! Forged, foreign and stale tokens.
#![allow(clippy::unwrap_used)]
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use proptest::prelude::*;
use ring::hmac;
use serde_json::{Value, json};
use std::sync::LazyLock;
use store::{Keyring, Purpose};
use testkit::{TestApp, TestDb, with_app};

/// Keys for tests that need no database otherwise.
static KEYRING: LazyLock<Keyring> = LazyLock::new(|| {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let db = TestDb::sqlite().await;
        let keyring = db.keyring().clone();
        db.close().await;
        keyring
    })
});

/// Signs any header and claims with any key, as an attacker would.
fn forge(header: &Value, claims: &Value, key: &[u8]) -> String {
    let head = BASE64.encode(header.to_string());
    let body = BASE64.encode(claims.to_string());
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    let tag = BASE64.encode(hmac::sign(&key, format!("{head}.{body}").as_bytes()));
    format!("{head}.{body}.{tag}")
}

fn claims_of(token: &str) -> Value {
    let body = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&BASE64.decode(body).unwrap()).unwrap()
}

async fn status(app: &TestApp, token: &str) -> u16 {
    app.get("/api/auth/usr_sn/")
        .bearer(token)
        .send()
        .await
        .status
        .as_u16()
}

with_app!(only_our_own_access_tokens_are_believed, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let key = app.store.keyring().key(Purpose::AccessToken);
    let header = json!({ "alg": "HS256", "typ": "JWT" });
    let good = claims_of(&anna.access);
    let change = |field: &str, value: Value| {
        let mut claims = good.clone();
        claims[field] = value;
        claims
    };
    assert_eq!(
        status(app, &forge(&header, &good, &key)).await,
        200,
        "the forger's tool itself works"
    );
    let in_small_letters = app
        .get("/api/auth/usr_sn/")
        .header("authorization", &format!("bearer {}", anna.access));
    in_small_letters.send().await.expect(200);

    let exp = good["exp"].as_i64().unwrap();
    for (why, token) in [
        (
            "no algorithm",
            forge(&json!({ "alg": "none", "typ": "JWT" }), &good, &key),
        ),
        (
            "no signature",
            format!(
                "{}.",
                forge(&header, &good, &key).rsplit_once('.').unwrap().0
            ),
        ),
        (
            "another algorithm",
            forge(&json!({ "alg": "HS512", "typ": "JWT" }), &good, &key),
        ),
        (
            "a public key algorithm",
            forge(&json!({ "alg": "RS256", "typ": "JWT" }), &good, &key),
        ),
        ("another key", forge(&header, &good, &[9; 32])),
        (
            "another audience",
            forge(&header, &change("aud", json!("updates")), &key),
        ),
        (
            "another issuer",
            forge(&header, &change("iss", json!("somebody")), &key),
        ),
        (
            "another type",
            forge(&header, &change("typ", json!("refresh")), &key),
        ),
        (
            "expired",
            forge(&header, &change("exp", json!(exp - 3600)), &key),
        ),
        (
            "an unknown session",
            forge(&header, &change("sid", json!(BASE64.encode([9; 16]))), &key),
        ),
        ("the refresh token", anna.refresh.clone()),
        ("nothing", String::new()),
    ] {
        assert_eq!(status(app, &token).await, 401, "{why}");
    }
});

with_app!(an_access_token_is_refused_as_a_refresh_token, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let fields = [("refresh", anna.access.as_str())];
    let answer = app
        .post("/api/auth/token/refresh/", &fields)
        .send()
        .await
        .expect(401);
    assert_eq!(answer.code(), "refresh_invalid");
});

proptest! {
    #[test]
    fn no_flipped_bit_of_a_refresh_token_is_accepted(byte in 0..56_usize, bit in 0..8_u8) {
        let tokens = api::Tokens::new(KEYRING.clone());
        let token = tokens.refresh(&[5; 16], 3);
        prop_assert_eq!(tokens.read_refresh(&token), Some(([5; 16], 3)));
        let mut bytes = BASE64.decode(&token).unwrap();
        bytes[byte] ^= 1 << bit;
        prop_assert_eq!(tokens.read_refresh(&BASE64.encode(bytes)), None);
    }

    #[test]
    fn no_text_panics_the_token_readers(text in "\\PC{0,200}") {
        let tokens = api::Tokens::new(KEYRING.clone());
        prop_assert_eq!(tokens.read_access(&text, 0), None);
        prop_assert_eq!(tokens.read_refresh(&text), None);
    }
}
