//! A person's own account: profile, password and e-mail address.
#![allow(clippy::unwrap_used)]
use domain::Lang;
use domain::clock::{DAY, MINUTE, SECOND};
use domain::message::text;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::app::PUBLIC_URL;
use testkit::{NOON, PASSWORD, Person, TestApp, TestResponse, with_app};

const NEW: &str = "Kellerwein-7?";

async fn show(app: &TestApp, person: &Person) -> Value {
    app.get("/api/auth/account/")
        .bearer(&person.access)
        .send()
        .await
        .expect(200)
        .json()
}

async fn change(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> TestResponse {
    app.call("PATCH", "/api/auth/account/")
        .form(fields)
        .bearer(&person.access)
        .send()
        .await
}

async fn confirm(app: &TestApp, token: &str) -> TestResponse {
    app.post("/api/auth/account/email/confirm/", &[("token", token)])
        .send()
        .await
}

async fn status(app: &TestApp, person: &Person) -> u16 {
    let call = app.get("/api/auth/account/").bearer(&person.access);
    call.send().await.status.as_u16()
}

/// The mails to a recipient with the subject of this text.
async fn mails_to(app: &TestApp, to: &str, name: &str) -> Vec<String> {
    let subject = text(Lang::De, "mail", &format!("{name}_subject"));
    let mails = app.sent_mails().await;
    let mine = mails
        .into_iter()
        .filter(|mail| mail.to == to && mail.subject == subject);
    mine.map(|mail| mail.text).collect()
}

with_app!(a_person_sees_the_own_account_and_no_secret_of_it, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let account = show(app, &anna).await;
    let want = json!({
        "email": "anna@example.com", "role": "user", "phone": "+4930901820", "country": "DE", "company": null, "company_role": null, "name": null, "address": null,
        "language": "de", "created_at": NOON, "terms_version": domain::account::TERMS_VERSION, "sessions": 1,
        "email_pending": false, "totp": { "since": null, "recovery_codes": 0, "required": false }, "passkeys": [],
    });
    assert_eq!(account, want);
});

with_app!(a_person_changes_the_profile, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let fields = [
        ("phone", "512 345 678"),
        ("country", "PL"),
        ("language", "pl"),
    ];
    let changed = change(app, &anna, &fields).await.expect(200).json();
    assert_eq!(changed["phone"], "+48512345678");
    assert_eq!(changed["country"], "PL");
    assert_eq!(changed["language"], "pl");
    assert_eq!(show(app, &anna).await, changed);
});

with_app!(what_is_not_given_stays_as_it_is, |app| {
    let eva = app.electrician("eva").await;
    let mut before = show(app, &eva).await;
    let after = change(app, &eva, &[("language", "hr")])
        .await
        .expect(200)
        .json();
    before["language"] = json!("hr");
    assert_eq!(after, before);
});

with_app!(
    an_electrician_changes_the_company_and_an_owner_has_none,
    |app| {
        let eva = app.electrician("eva").await;
        let anna = app.owner("anna", "SC000001").await;
        let fields = [("company", " Solar Ost ")];
        let changed = change(app, &eva, &fields).await.expect(200).json();
        assert_eq!(changed["company"], "Solar Ost");
        let changed = change(app, &anna, &fields).await.expect(200).json();
        assert_eq!(changed["company"], Value::Null);
    }
);

with_app!(
    wrong_fields_are_told_all_at_once_and_change_nothing,
    |app| {
        let eva = app.electrician("eva").await;
        let before = show(app, &eva).await;
        let fields = [
            ("phone", "12"),
            ("country", "US"),
            ("company", " "),
            ("language", "ja"),
            ("email", "eva"),
            ("new_password", "short"),
            ("new_password2", "other"),
        ];
        let answer = change(app, &eva, &fields).await.expect(400).json();
        let want = json!({
            "phone": ["phone_invalid"], "country": ["country_unknown"], "company": ["required"],
            "language": ["language_unknown"], "email": ["email_invalid"], "new_password": ["password_weak"],
            "new_password2": ["passwords_differ"],
        });
        assert_eq!(answer["codes"], want);
        assert_eq!(show(app, &eva).await, before);
    }
);

with_app!(
    a_new_password_ends_every_other_session_and_keeps_this_one,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let other = app.log_in(&anna.email, false).await;
        let fields = [
            ("password", PASSWORD),
            ("new_password", NEW),
            ("new_password2", NEW),
        ];
        let changed = change(app, &anna, &fields).await.expect(200).json();
        assert_eq!(changed["sessions"], 1);
        assert_eq!(status(app, &anna).await, 200);
        assert_eq!(status(app, &other).await, 401);
        app.post("/api/auth/token/refresh/", &[("refresh", &other.refresh)])
            .send()
            .await
            .expect(401);
        app.post("/api/auth/token/refresh/", &[("refresh", &anna.refresh)])
            .send()
            .await
            .expect(200);
    }
);

with_app!(after_a_change_only_the_new_password_opens, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let fields = [
        ("password", PASSWORD),
        ("new_password", NEW),
        ("new_password2", NEW),
    ];
    change(app, &anna, &fields).await.expect(200);
    app.try_log_in(&anna.email, PASSWORD, false)
        .await
        .expect(401);
    app.try_log_in(&anna.email, NEW, false).await.expect(200);
});

with_app!(a_long_password_is_taken_whole, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let long = format!("Aa1-{}", "x".repeat(500));
    let fields = [
        ("password", PASSWORD),
        ("new_password", &long),
        ("new_password2", &long),
    ];
    change(app, &anna, &fields).await.expect(200);
    let cut = &long[..long.len() - 1];
    app.try_log_in(&anna.email, cut, false).await.expect(401);
    app.try_log_in(&anna.email, &long, false).await.expect(200);
});

with_app!(a_changed_password_is_told_by_mail, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let fields = [
        ("password", PASSWORD),
        ("new_password", NEW),
        ("new_password2", NEW),
    ];
    change(app, &anna, &fields).await.expect(200);
    assert_eq!(
        mails_to(app, &anna.email, "password_changed").await.len(),
        1
    );
});

with_app!(
    password_address_and_deletion_ask_for_the_password_again,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let new_password: &[_] = &[("new_password", NEW), ("new_password2", NEW)];
        let new_address: &[_] = &[("email", "new@example.com")];
        for (method, fields) in [
            ("PATCH", new_password),
            ("PATCH", new_address),
            ("DELETE", &[]),
        ] {
            for (password, code) in [
                ("", "password:required"),
                ("Falsch-123!", "password:password_wrong"),
            ] {
                let fields = [fields, &[("password", password)]].concat();
                let call = app.call(method, "/api/auth/account/").form(&fields);
                let answer = call.bearer(&anna.access).send().await.expect(400);
                assert_eq!(answer.code(), code, "{method} {fields:?}");
            }
            let call = app.call(method, "/api/auth/account/").form(fields);
            let answer = call.bearer(&anna.access).send().await.expect(400);
            assert_eq!(answer.code(), "password:required", "{method} {fields:?}");
        }
        app.log_in(&anna.email, false).await;
        assert!(
            mails_to(app, "new@example.com", "email_change")
                .await
                .is_empty()
        );
    }
);

with_app!(a_wrong_password_leaves_the_rest_of_the_form_undone, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let fields = [
        ("language", "fr"),
        ("email", "new@example.com"),
        ("password", "Falsch-123!"),
    ];
    change(app, &anna, &fields).await.expect(400);
    assert_eq!(show(app, &anna).await["language"], "de");
});

with_app!(
    the_password_cannot_be_guessed_with_a_borrowed_session,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let mut statuses = BTreeSet::new();
        for n in 0..12 {
            let guess = format!("Falsch-{n}!");
            let call = app.call("DELETE", "/api/auth/account/");
            let answer = call
                .form(&[("password", &guess)])
                .bearer(&anna.access)
                .from(&format!("10.5.5.{n}"))
                .send()
                .await;
            statuses.insert(answer.status.as_u16());
        }
        assert_eq!(statuses, BTreeSet::from([400, 429]));
        app.call("DELETE", "/api/auth/account/")
            .form(&[("password", PASSWORD)])
            .bearer(&anna.access)
            .send()
            .await
            .expect(429);
        app.clock.advance(MINUTE);
        app.call("DELETE", "/api/auth/account/")
            .form(&[("password", PASSWORD)])
            .bearer(&anna.access)
            .send()
            .await
            .expect(204);
    }
);

const NEW_ADDRESS: [(&str, &str); 2] = [("email", "New@Example.com"), ("password", PASSWORD)];

with_app!(a_new_address_counts_only_after_its_link_was_opened, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let answer = change(app, &anna, &NEW_ADDRESS).await.expect(200).json();
    assert_eq!(answer["email_pending"], true);
    assert_eq!(answer["email"], "anna@example.com");
    app.log_in("anna@example.com", false).await;
    let token = app.mailed_token("new@example.com", "email").await;
    let confirmed = confirm(app, &token).await.expect(200).json();
    assert_eq!(confirmed["email"], "new@example.com");
    app.log_in("new@example.com", false).await;
    app.try_log_in("anna@example.com", PASSWORD, false)
        .await
        .expect(401);
    assert_eq!(show(app, &anna).await["email"], "new@example.com");
});

with_app!(
    the_link_for_a_new_address_goes_to_that_address_only,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        change(app, &anna, &NEW_ADDRESS).await.expect(200);
        let token = app.mailed_token("new@example.com", "email").await;
        let mails = app.sent_mails().await;
        let with_token: Vec<_> = mails
            .iter()
            .filter(|mail| mail.text.contains(&token))
            .collect();
        assert_eq!(with_token.len(), 1);
        let link = format!("{PUBLIC_URL}/settings#email={token}");
        assert!(with_token[0].text.lines().any(|line| line == link));
    }
);

with_app!(the_old_address_is_told_of_the_change, |app| {
    let anna = app.owner("anna", "SC000001").await;
    change(app, &anna, &NEW_ADDRESS).await.expect(200);
    assert!(mails_to(app, &anna.email, "email_changed").await.is_empty());
    let token = app.mailed_token("new@example.com", "email").await;
    confirm(app, &token).await.expect(200);
    let told = mails_to(app, &anna.email, "email_changed").await;
    assert_eq!(told.len(), 1);
    assert!(!told[0].contains("new@example.com"), "{}", told[0]);
});

with_app!(the_link_for_a_new_address_works_once, |app| {
    let anna = app.owner("anna", "SC000001").await;
    change(app, &anna, &NEW_ADDRESS).await.expect(200);
    let token = app.mailed_token("new@example.com", "email").await;
    confirm(app, &token).await.expect(200);
    assert_eq!(
        confirm(app, &token).await.expect(400).code(),
        "link_invalid"
    );
});

with_app!(the_link_for_a_new_address_runs_out_after_24_hours, |app| {
    let anna = app.owner("anna", "SC000001").await;
    change(app, &anna, &NEW_ADDRESS).await.expect(200);
    let token = app.mailed_token("new@example.com", "email").await;
    app.clock.advance(DAY + SECOND);
    assert_eq!(
        confirm(app, &token).await.expect(400).code(),
        "link_invalid"
    );
    app.log_in("anna@example.com", false).await;
});

with_app!(a_second_change_ends_the_link_of_the_first, |app| {
    let anna = app.owner("anna", "SC000001").await;
    change(app, &anna, &NEW_ADDRESS).await.expect(200);
    let first = app.mailed_token("new@example.com", "email").await;
    let other = [("email", "other@example.com"), ("password", PASSWORD)];
    change(app, &anna, &other).await.expect(200);
    let second = app.mailed_token("other@example.com", "email").await;
    confirm(app, &first).await.expect(400);
    confirm(app, &second).await.expect(200);
});

with_app!(
    a_taken_address_gets_no_mail_and_the_caller_the_same_answer,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let taken = [("email", ben.email.as_str()), ("password", PASSWORD)];
        let answer = change(app, &anna, &taken).await.expect(200);
        let free = change(app, &anna, &NEW_ADDRESS).await.expect(200);
        assert_eq!(answer.text, free.text);
        assert!(mails_to(app, &ben.email, "email_change").await.is_empty());
    }
);

with_app!(
    an_address_that_was_taken_while_the_link_was_on_its_way_stays_with_its_account,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let form = [("email", "ben@example.com"), ("password", PASSWORD)];
        change(app, &anna, &form).await.expect(200);
        let token = app.mailed_token("ben@example.com", "email").await;
        let ben = app.owner("ben", "SC000002").await;
        assert_eq!(
            confirm(app, &token).await.expect(400).code(),
            "link_invalid"
        );
        assert_eq!(show(app, &anna).await["email"], "anna@example.com");
        assert_eq!(show(app, &ben).await["email"], "ben@example.com");
    }
);

with_app!(the_own_address_again_is_no_change, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let answer = change(app, &anna, &[("email", "ANNA@example.com")]).await;
    assert_eq!(answer.expect(200).json()["email_pending"], false);
});

with_app!(
    a_reset_link_in_the_old_mailbox_ends_with_the_change,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        app.post("/api/auth/password_reset/", &[("email", &anna.email)])
            .send()
            .await
            .expect(202);
        let reset = app.mailed_token(&anna.email, "token").await;
        change(app, &anna, &NEW_ADDRESS).await.expect(200);
        let token = app.mailed_token("new@example.com", "email").await;
        confirm(app, &token).await.expect(200);
        let fields = [
            ("token", reset.as_str()),
            ("password", NEW),
            ("password2", NEW),
        ];
        let answer = app
            .post("/api/auth/password_reset/confirm/", &fields)
            .send()
            .await
            .expect(400);
        assert_eq!(answer.code(), "link_invalid");
    }
);

with_app!(
    every_change_of_the_account_stands_in_the_journal_without_values,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let phone = [("phone", "+4915112345678"), ("language", "en")];
        change(app, &anna, &phone).await.expect(200);
        let password = [
            ("password", PASSWORD),
            ("new_password", NEW),
            ("new_password2", NEW),
        ];
        change(app, &anna, &password).await.expect(200);
        let address = [("email", "new@example.com"), ("password", NEW)];
        change(app, &anna, &address).await.expect(200);
        let token = app.mailed_token("new@example.com", "email").await;
        confirm(app, &token).await.expect(200);
        let account = app.account_id("new@example.com").await;
        let journal = app.store.journal_of(account).await.unwrap();
        let events: Vec<_> = journal
            .iter()
            .skip(2)
            .map(|line| line.event.as_str())
            .collect();
        assert_eq!(
            events,
            ["profile_changed", "password_changed", "email_changed"]
        );
        let all = format!("{journal:?}");
        for value in ["15112345678", "example.com", NEW] {
            assert!(!all.contains(value), "{value} in {all}");
        }
    }
);

with_app!(a_locked_account_stays_shut_under_a_new_address_too, |app| {
    let anna = app.owner("anna", "SC000001").await;
    change(app, &anna, &NEW_ADDRESS).await.expect(200);
    let email = anna.email.parse().unwrap();
    app.service.lock_account(&email, true).await.unwrap();
    assert_eq!(status(app, &anna).await, 401);
    let token = app.mailed_token("new@example.com", "email").await;
    confirm(app, &token).await;
    for email in ["anna@example.com", "new@example.com"] {
        app.try_log_in(email, PASSWORD, false).await.expect(401);
    }
});
