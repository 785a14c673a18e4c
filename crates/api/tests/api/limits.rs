//! Rate limits, and that no one is locked out by other people's attempts.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE};
use testkit::{PASSWORD, TestApp, TestDb, on_both, with_app};

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
            // From many addresses, so the limit per address does not apply first.
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
        // With Anna's cookie, a person is still a stranger to Ben's account.
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

#[tokio::test]
async fn a_client_without_our_proxy_stays_one_whatever_it_says() {
    let db = TestDb::sqlite().await;
    let others = vec!["192.0.2.0/24".parse().unwrap()];
    let app = TestApp::start_with(&db, |settings| settings.trusted_proxies = others).await;
    let mut wrong = 0;
    for n in 0..40 {
        let email = format!("p{n}@example.com");
        let fields = [("email", email.as_str()), ("password", "Falsch-123!")];
        let call = app.post("/api/auth/token/", &fields);
        let call = call
            .from(&format!("203.0.113.{n}"))
            .header("forwarded", &format!("for=203.0.113.{n}"))
            .header("x-real-ip", &format!("203.0.113.{n}"));
        wrong += u32::from(call.send().await.status == 401);
    }
    assert_eq!(wrong, 30);
    app.stop().await;
}

with_app!(one_line_may_not_try_many_accounts, |app| {
    let one_address = |_: u32| "203.0.113.5".to_owned();
    let one_network = |n: u32| format!("2001:db8:1:2::{n:x}");
    let mapped = |n: u32| match n % 2 {
        0 => "203.0.113.6".to_owned(),
        _ => "::ffff:203.0.113.6".to_owned(),
    };
    let lines: [(&str, &dyn Fn(u32) -> String); 3] = [
        ("one address", &one_address),
        ("one IPv6 line", &one_network),
        ("an address in two forms", &mapped),
    ];
    for (line, from) in lines {
        let mut wrong = 0;
        for n in 0..40 {
            let email = format!("p{n}@example.com");
            let fields = [("email", email.as_str()), ("password", "Falsch-123!")];
            let call = app.post("/api/auth/token/", &fields).from(&from(n));
            wrong += u32::from(call.send().await.status == 401);
        }
        assert_eq!(wrong, 30, "{line}");
        app.clock.advance(MINUTE);
    }
    let fields = [("email", "p1@example.com"), ("password", "Falsch-123!")];
    app.post("/api/auth/token/", &fields)
        .from("203.0.113.5")
        .send()
        .await
        .expect(401);
});

with_app!(many_lines_of_one_subscriber_are_sixteen, |app| {
    let code = |n: usize| format!("7Q4ZC-0R9TN-XW2MH-{n:05}");
    let codes: Vec<String> = (20_000..20_003).map(code).collect();
    let mut form = app.owner_form("anna@example.com", &codes[0]);
    form.extend([("sn2", codes[1].as_str()), ("sn3", codes[2].as_str())]);
    let guess = async |from: &str| {
        let call = app.post("/api/auth/register/", &form).from(from);
        call.send().await.status
    };
    // Three codes each: 159 of the 160 that all lines of a /48 may try in an hour.
    for n in 0..53 {
        assert_eq!(guess(&format!("2001:db8:1:{n:x}::1")).await, 400);
    }
    assert_eq!(guess("2001:db8:1:99::1").await, 429);
    assert_eq!(guess("2001:db8:2::1").await, 400);
});

with_app!(
    what_is_typed_as_an_address_is_remembered_only_so_far,
    |app| {
        let mut statuses = Vec::new();
        for n in 0..11 {
            let long = format!("{}{n}", "a".repeat(10_000));
            let fields = [("email", long.as_str()), ("password", "Falsch-123!")];
            let call = app.post("/api/auth/token/", &fields);
            statuses.push(
                call.from(&format!("198.51.100.{n}"))
                    .send()
                    .await
                    .status
                    .as_u16(),
            );
        }
        // They differ only after the truncated length, so they share one allowance.
        assert_eq!(statuses, [vec![401; 10], vec![429]].concat());
    }
);

/// Guessing at several portals in turn gives no more attempts than at one.
#[tokio::test]
async fn portals_on_one_database_share_the_tries() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let portals = [TestApp::start(&db).await, TestApp::start(&db).await];
    let anna = portals[0].owner("anna", "SC000001").await;
    let wrong = [("email", anna.email.as_str()), ("password", "Falsch-123!")];
    // Her own login was the first of ten.
    for n in 0..10 {
        let from = format!("198.51.100.{n}");
        let guess = portals[n % 2].post("/api/auth/token/", &wrong).from(&from);
        guess.send().await.expect(if n < 9 { 401 } else { 429 });
    }
    // Right codes are given back, at whatever portal they were entered.
    for n in 0..12 {
        let sn = portals[0].device(&format!("SC0001{n:02}")).await;
        let code = portals[0].code(&[&sn]).await;
        let entered = portals[n % 2].post("/api/auth/usr_sn/", &[("keys", &code)]);
        entered.bearer(&anna.access).send().await.expect(200);
    }
    for portal in &portals {
        portal.clock.advance(MINUTE);
    }
    let right = [("email", anna.email.as_str()), ("password", PASSWORD)];
    let login = portals[1].post("/api/auth/token/", &right);
    login.from("198.51.100.1").send().await.expect(200);
    for portal in portals {
        portal.stop().await;
    }
}

on_both!(
    a_clock_that_was_ahead_at_once_or_later_shuts_nobody_out,
    |db| {
        let limited = |settings: &mut api::PortalConfig| settings.devices_a_minute = 1;
        let app = TestApp::start_with(db, limited).await;
        let anna = app.owner("anna", "SC000001").await;
        let other = app.device("SC000002").await;
        let code = app.code(&[&other]).await;
        let add = app.post("/api/auth/usr_sn/", &[("keys", &code)]);
        add.bearer(&anna.access).send().await.expect(200);
        let log_in = async |password: &str| app.try_log_in(&anna.email, password, false).await;
        app.clock.advance(DAY);
        for _ in 0..10 {
            log_in("Falsch-123!").await.expect(401);
        }
        log_in(PASSWORD).await.expect(429);
        app.clock.advance(-DAY);
        log_in(PASSWORD).await.expect(200);
        // The same for how many devices may be changed in a minute.
        let save = async |sn: &str| {
            let person = app.log_in(&anna.email, false).await;
            let fields = [("version", "0"), ("reserve_soc", "30")];
            let call = app.post(&format!("/api/auth/settings/?sn={sn}"), &fields);
            call.bearer(&person.access).send().await
        };
        app.clock.advance(DAY);
        save("SC000001").await.expect(200);
        app.clock.advance(-DAY);
        save("SC000002").await.expect(200);
        app.stop().await;
    }
);
