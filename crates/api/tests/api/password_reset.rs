//! A forgotten password: that strangers learn nothing, and what the mailed link can do.
#![allow(clippy::unwrap_used)]
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::clock::{HOUR, MINUTE, SECOND};
use domain::{Email, Lang};
use testkit::app::PUBLIC_URL;
use testkit::{PASSWORD, TestApp, TestResponse, with_app};

const NEW: &str = "Kellerwein-7?";

async fn ask(app: &TestApp, email: &str) -> TestResponse {
    app.post("/api/auth/password_reset/", &[("email", email)])
        .send()
        .await
}

async fn set(app: &TestApp, token: &str, password: &str) -> TestResponse {
    let fields = [
        ("token", token),
        ("password", password),
        ("password2", password),
    ];
    app.post("/api/auth/password_reset/confirm/", &fields)
        .send()
        .await
}

/// How many reset links were mailed to an address.
async fn links(app: &TestApp, email: &str) -> usize {
    let mails = app.sent_mails().await;
    let mine = mails.iter().filter(|mail| mail.to == email);
    mine.filter(|mail| mail.text.contains("#token=")).count()
}

/// Requests a link and reads it from the mail.
async fn link(app: &TestApp, email: &str) -> String {
    ask(app, email).await.expect(202);
    app.mailed_token(email, "token").await
}

with_app!(an_owner_who_forgot_the_password_sets_a_new_one, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let token = link(app, &anna.email).await;
    let answer = set(app, &token, NEW).await.expect(200);
    assert_eq!(answer.json()["role"], "user");
    app.try_log_in(&anna.email, PASSWORD, false)
        .await
        .expect(401);
    app.try_log_in(&anna.email, NEW, false).await.expect(200);
});

with_app!(the_answer_tells_which_login_to_show, |app| {
    let eva = app.electrician("eva").await;
    let token = link(app, &eva.email).await;
    let answer = set(app, &token, NEW).await.expect(200);
    assert_eq!(answer.json()["role"], "electrician");
});

with_app!(known_and_unknown_addresses_get_the_same_answer, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let known = ask(app, &anna.email).await.expect(202);
    let unknown = ask(app, "nobody@example.com").await.expect(202);
    assert_eq!(known.text, unknown.text);
    assert_eq!(
        known.headers.keys().collect::<Vec<_>>(),
        unknown.headers.keys().collect::<Vec<_>>()
    );
    assert_eq!(links(app, &anna.email).await, 1);
    assert_eq!(links(app, "nobody@example.com").await, 0);
});

with_app!(an_address_that_is_none_is_told_at_its_field, |app| {
    for (email, code) in [("", "email:required"), ("anna", "email:email_invalid")] {
        assert_eq!(ask(app, email).await.expect(400).code(), code);
    }
});

with_app!(the_token_is_256_bits_in_the_fragment_of_the_link, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let token = link(app, &anna.email).await;
    assert_eq!(BASE64.decode(&token).unwrap().len(), 32);
    let mails = app.sent_mails().await;
    let mail = mails.last().unwrap();
    let link = format!("{PUBLIC_URL}/password_reset#token={token}");
    assert!(mail.text.lines().any(|line| line == link));
    assert_eq!(mail.text.matches(&token).count(), 1, "{}", mail.text);
});

with_app!(
    the_link_points_to_the_portal_whatever_host_the_request_names,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        app.post("/api/auth/password_reset/", &[("email", &anna.email)])
            .header("host", "evil.example")
            .header("x-forwarded-host", "evil.example")
            .header("forwarded", "host=evil.example;proto=http")
            .header("origin", "https://evil.example")
            .send()
            .await
            .expect(202);
        assert_eq!(links(app, &anna.email).await, 1);
        let mails = app.sent_mails().await;
        let text = &mails.last().unwrap().text;
        assert!(text.contains(&format!("{PUBLIC_URL}/password_reset#")));
        assert!(!text.contains("evil"), "{text}");
    }
);

with_app!(the_link_works_once, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let token = link(app, &anna.email).await;
    set(app, &token, NEW).await.expect(200);
    let second = set(app, &token, "Anders-123!").await.expect(400);
    assert_eq!(second.code(), "link_invalid");
    app.try_log_in(&anna.email, NEW, false).await.expect(200);
});

with_app!(of_ten_uses_of_one_link_at_once_one_counts, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let token = link(app, &anna.email).await;
    let fields = [
        ("token", token.as_str()),
        ("password", NEW),
        ("password2", NEW),
    ];
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let call = app.post("/api/auth/password_reset/confirm/", &fields);
            tokio::spawn(call.send())
        })
        .collect();
    let mut done = 0;
    for call in calls {
        done += usize::from(call.await.unwrap().status.is_success());
    }
    assert_eq!(done, 1);
});

with_app!(the_link_works_for_30_minutes, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let token = link(app, &anna.email).await;
    app.clock.advance(30 * MINUTE);
    set(app, &token, NEW).await.expect(200);
});

with_app!(the_link_has_run_out_after_30_minutes, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let token = link(app, &anna.email).await;
    app.clock.advance(30 * MINUTE + SECOND);
    assert_eq!(
        set(app, &token, NEW).await.expect(400).code(),
        "link_invalid"
    );
    app.try_log_in(&anna.email, PASSWORD, false)
        .await
        .expect(200);
});

with_app!(a_new_link_ends_the_one_before, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let first = link(app, &anna.email).await;
    let second = link(app, &anna.email).await;
    assert_ne!(first, second);
    set(app, &first, NEW).await.expect(400);
    set(app, &second, NEW).await.expect(200);
});

with_app!(a_link_that_was_never_sent_is_refused, |app| {
    let drawn = BASE64.encode([7_u8; 32]);
    for token in ["", "rubbish!", drawn.as_str()] {
        let answer = set(app, token, NEW).await.expect(400);
        assert_eq!(answer.code(), "link_invalid", "{token:?}");
    }
});

with_app!(a_link_of_another_kind_sets_no_password, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.call("PATCH", "/api/auth/account/")
        .form(&[("email", "new@example.com"), ("password", PASSWORD)])
        .bearer(&anna.access)
        .send()
        .await
        .expect(200);
    let token = app.mailed_token("new@example.com", "email").await;
    set(app, &token, NEW).await.expect(400);
});

with_app!(
    a_weak_password_is_told_at_its_field_and_leaves_the_link_unused,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let token = link(app, &anna.email).await;
        for (password, code) in [
            ("", "password:required"),
            ("sonnenschein", "password:password_weak"),
            ("Password1!", "password:password_common"),
        ] {
            assert_eq!(set(app, &token, password).await.expect(400).code(), code);
        }
        let differ = [
            ("token", token.as_str()),
            ("password", NEW),
            ("password2", "x"),
        ];
        let answer = app
            .post("/api/auth/password_reset/confirm/", &differ)
            .send()
            .await
            .expect(400);
        assert_eq!(answer.code(), "password2:passwords_differ");
        set(app, &token, NEW).await.expect(200);
    }
);

with_app!(a_new_password_ends_every_session, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let second = app.log_in(&anna.email, false).await;
    let token = link(app, &anna.email).await;
    set(app, &token, NEW).await.expect(200);
    for person in [&anna, &second] {
        app.get("/api/auth/account/")
            .bearer(&person.access)
            .send()
            .await
            .expect(401);
        app.post("/api/auth/token/refresh/", &[("refresh", &person.refresh)])
            .send()
            .await
            .expect(401);
    }
});

with_app!(
    a_change_of_address_that_was_under_way_ends_with_the_new_password,
    |app| {
        // Someone who knew the old password had begun to take over the account.
        let anna = app.owner("anna", "SC000001").await;
        app.call("PATCH", "/api/auth/account/")
            .form(&[("email", "thief@example.com"), ("password", PASSWORD)])
            .bearer(&anna.access)
            .send()
            .await
            .expect(200);
        let thief = app.mailed_token("thief@example.com", "email").await;
        let token = link(app, &anna.email).await;
        set(app, &token, NEW).await.expect(200);
        app.post("/api/auth/account/email/confirm/", &[("token", &thief)])
            .send()
            .await
            .expect(400);
    }
);

with_app!(the_owner_is_told_that_the_password_was_changed, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let token = link(app, &anna.email).await;
    set(app, &token, NEW).await.expect(200);
    let mails = app.sent_mails().await;
    let last = mails.last().unwrap();
    assert_eq!(last.to, anna.email);
    assert_eq!(
        last.subject,
        domain::message::text(Lang::De, "mail", "password_changed_subject")
    );
});

with_app!(a_locked_account_gets_no_link_and_the_same_answer, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    let email: Email = anna.email.parse().unwrap();
    app.service.lock_account(&email, true).await.unwrap();
    let locked = ask(app, &anna.email).await.expect(202);
    let open = ask(app, &ben.email).await.expect(202);
    assert_eq!(locked.text, open.text);
    assert_eq!(links(app, &ben.email).await, 1);
    assert_eq!(links(app, &anna.email).await, 0);
});

with_app!(
    a_mailbox_gets_at_most_three_links_an_hour_and_nobody_is_told,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let mut texts = Vec::new();
        for n in 1..=5 {
            texts.push(ask(app, &anna.email).await.expect(202).text);
            assert_eq!(links(app, &anna.email).await, n.min(3));
        }
        texts.dedup();
        assert_eq!(texts.len(), 1);
        link(app, &ben.email).await;
        assert_eq!(links(app, &anna.email).await, 3);
        app.clock.advance(HOUR);
        ask(app, &anna.email).await.expect(202);
        assert_eq!(links(app, &anna.email).await, 4);
    }
);

with_app!(
    one_address_may_ask_twenty_times_an_hour_whether_known_or_not,
    |app| {
        for n in 0..20 {
            ask(app, &format!("p{n}@example.com")).await.expect(202);
        }
        let slow = ask(app, "p20@example.com").await.expect(429);
        assert!(slow.headers.contains_key("retry-after"));
    }
);

with_app!(after_the_reset_this_browser_is_a_known_one, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let token = link(app, &anna.email).await;
    let answer = set(app, &token, NEW).await.expect(200);
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    // Strangers have used up their attempts at this account.
    for n in 0..12 {
        let wrong = [("email", anna.email.as_str()), ("password", "Falsch-1!")];
        let call = app.post("/api/auth/token/", &wrong);
        call.from(&format!("10.3.3.{n}")).send().await;
    }
    let right = [("email", anna.email.as_str()), ("password", NEW)];
    let stranger = app.post("/api/auth/token/", &right).from("10.4.4.4");
    stranger.clone().send().await.expect(429);
    stranger.header("cookie", cookie).send().await.expect(200);
});

with_app!(a_field_that_comes_twice_is_refused, |app| {
    let body = "email=anna%40example.com&email=eva%40example.com";
    let call = app.call("POST", "/api/auth/password_reset/").raw(body);
    assert_eq!(call.send().await.expect(400).code(), "invalid_form");
});

with_app!(without_the_database_sending_failed_for_any_address, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.store.db().close().await;
    let known = ask(app, &anna.email).await.expect(503);
    assert_eq!(known.code(), "mail_failed");
    let unknown = ask(app, "nobody@example.com").await.expect(503);
    assert_eq!(known.text, unknown.text);
});
