//! How often somebody may try, and that nobody is locked out by somebody else's attempts.
#![allow(clippy::unwrap_used)]
use domain::clock::MINUTE;
use testkit::{PASSWORD, with_app};

with_app!(
    a_thousand_wrong_logins_do_not_keep_the_owners_known_browser_out,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let right = [("email", anna.email.as_str()), ("password", PASSWORD)];
        let first = app
            .post("/api/auth/token/", &right)
            .from("203.0.113.1")
            .send()
            .await
            .expect(200);
        let cookie = first.headers["set-cookie"]
            .to_str()
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .to_owned();

        let mut refused = 0;
        for n in 0..1_000 {
            let wrong = [("email", anna.email.as_str()), ("password", "Falsch-123!")];
            // From many addresses, so that the limit per address does not stop them first.
            let from = format!("198.51.{}.{}", n / 250, n % 250);
            let answer = app
                .post("/api/auth/token/", &wrong)
                .from(&from)
                .send()
                .await;
            match answer.status.as_u16() {
                401 => {}
                429 => refused += 1,
                other => panic!("{other}"),
            }
        }
        assert!(
            refused > 900,
            "only {refused} of 1,000 guesses were refused"
        );
        let stranger = app
            .post("/api/auth/token/", &right)
            .from("198.51.100.7")
            .send()
            .await
            .expect(429);
        assert!(
            stranger.headers["retry-after"]
                .to_str()
                .unwrap()
                .parse::<u64>()
                .unwrap()
                > 0
        );
        app.post("/api/auth/token/", &right)
            .from("203.0.113.1")
            .header("cookie", &cookie)
            .send()
            .await
            .expect(200);
    }
);

with_app!(
    the_cookie_of_a_known_browser_holds_no_personal_value_and_is_of_no_use_to_others,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let right = [("email", anna.email.as_str()), ("password", PASSWORD)];
        let answer = app
            .post("/api/auth/token/", &right)
            .send()
            .await
            .expect(200);
        let cookie = answer.headers["set-cookie"].to_str().unwrap();
        for attribute in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/api/auth/"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        assert!(!cookie.contains("anna"));
        let cookie = cookie.split(';').next().unwrap();
        // Somebody who holds Anna's cookie is still a stranger to Ben's account.
        let wrong = [("email", ben.email.as_str()), ("password", "Falsch-123!")];
        let mut last = 0;
        for n in 0..12 {
            let call = app
                .post("/api/auth/token/", &wrong)
                .from(&format!("198.51.100.{n}"));
            last = call.header("cookie", cookie).send().await.status.as_u16();
        }
        assert_eq!(last, 429);
    }
);

with_app!(one_address_may_not_try_many_accounts, |app| {
    let mut statuses = Vec::new();
    for n in 0..40 {
        let fields = [
            ("email", format!("p{n}@example.com")),
            ("password", "Falsch-123!".to_owned()),
        ];
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        statuses.push(
            app.post("/api/auth/token/", &fields)
                .from("203.0.113.5")
                .send()
                .await
                .status
                .as_u16(),
        );
    }
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 30);
    app.clock.advance(MINUTE);
    let fields = [("email", "p1@example.com"), ("password", "Falsch-123!")];
    app.post("/api/auth/token/", &fields)
        .from("203.0.113.5")
        .send()
        .await
        .expect(401);
});
