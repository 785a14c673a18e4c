//! Becoming a customer: what the form says, the code that opens at once, and the mailed link for everybody else.
#![allow(clippy::unwrap_used)]
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::clock::{DAY, HOUR, MINUTE, SECOND};
use domain::code::{Code, CodeKind};
use domain::{Lang, Message};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::{Answer, NOON, PASSWORD, TestApp, TestDb, on_both, with_app};

type Fields<'a> = Vec<(&'a str, &'a str)>;

/// Changes a form's field, or adds it.
fn with<'a>(mut form: Fields<'a>, name: &'a str, value: &'a str) -> Fields<'a> {
    form.retain(|(field, _)| *field != name);
    form.push((name, value));
    form
}

fn electrician<'a>(app: &TestApp, email: &'a str) -> Fields<'a> {
    let form = with(app.owner_form(email, ""), "role", "electrician");
    with(form, "company", "Elektro Sonnenberg")
}

async fn register(app: &TestApp, form: &[(&str, &str)]) -> Answer {
    app.post("/api/auth/register/", form).send().await
}

async fn confirm(app: &TestApp, token: &str) -> Answer {
    app.post("/api/auth/register/confirm/", &[("token", token)])
        .send()
        .await
}

/// The codes of every wrong field.
fn codes(answer: &Answer) -> BTreeMap<String, Vec<String>> {
    serde_json::from_value(answer.json()["codes"].clone()).unwrap()
}

fn wrong(field: &str, code: &str) -> BTreeMap<String, Vec<String>> {
    [(field.to_owned(), vec![code.to_owned()])].into()
}

async fn rows(db: &TestDb, table: &str) -> usize {
    let dump = db.dump().await;
    dump.iter().find(|(name, _)| name == table).unwrap().1.len()
}

with_app!(
    a_registration_code_makes_the_account_at_once_and_links_every_unit_of_the_site,
    |app| {
        let units = [
            app.device("SC000001").await,
            app.device("SC000002").await,
            app.device("SC000003").await,
        ];
        let code = app.code(&units.each_ref()).await;
        let form = app.owner_form("anna@example.com", &code);
        let answer = register(app, &form).await.expect(201).json();
        assert_eq!(answer["confirm"], false);
        assert_eq!(answer["keys"][0]["key"], code);
        assert_eq!(answer["keys"][0]["status"], "linked");
        assert_eq!(
            answer["keys"][0]["sns"],
            json!(["SC000001", "SC000002", "SC000003"])
        );
        let anna = app.log_in("anna@example.com", false).await;
        let systems = app
            .get("/api/auth/usr_sn/")
            .bearer(&anna.access)
            .send()
            .await
            .expect(200)
            .json();
        assert_eq!(systems.as_array().unwrap().len(), 3);
    }
);

with_app!(
    an_account_made_by_a_code_is_welcomed_by_mail_in_its_language,
    |app| {
        let sn = app.device("SC000001").await;
        let code = app.code(&[&sn]).await;
        app.post(
            "/api/auth/register/",
            &app.owner_form("anna@example.com", &code),
        )
        .header("accept-language", "fr-FR,fr;q=0.9")
        .send()
        .await
        .expect(201);
        let letters = app.letters().await;
        assert_eq!(letters.len(), 1);
        assert_eq!(letters[0].to, "anna@example.com");
        assert_eq!(
            letters[0].subject,
            domain::message::text(Lang::Fr, "mail", "welcome_subject")
        );
    }
);

with_app!(
    a_bare_serial_number_needs_the_mailed_link_before_there_is_an_account,
    |app| {
        app.device("SC000001").await;
        let form = app.owner_form("anna@example.com", "SC000001");
        let answer = register(app, &form).await.expect(202).json();
        assert_eq!(answer["confirm"], true);
        assert_eq!(answer["keys"][0]["status"], "waiting");
        app.try_log_in("anna@example.com", PASSWORD, false)
            .await
            .expect(401);
        let token = app.mailed("anna@example.com", "confirm").await;
        let confirmed = confirm(app, &token).await.expect(200).json();
        assert_eq!(confirmed["role"], "user");
        assert_eq!(confirmed["keys"][0]["status"], "waiting");
        let login = app.try_log_in("anna@example.com", PASSWORD, false).await;
        assert_eq!(login.expect(403).code(), "no_systems");
    }
);

with_app!(
    an_electrician_registers_with_a_company_and_without_a_key,
    |app| {
        register(app, &electrician(app, "eva@example.com"))
            .await
            .expect(202);
        let token = app.mailed("eva@example.com", "confirm").await;
        let confirmed = confirm(app, &token).await.expect(200).json();
        assert_eq!(confirmed, json!({ "role": "electrician", "keys": [] }));
        let eva = app.log_in("eva@example.com", true).await;
        let account = app
            .get("/api/auth/account/")
            .bearer(&eva.access)
            .send()
            .await
            .expect(200)
            .json();
        assert_eq!(account["company"], "Elektro Sonnenberg");
    }
);

with_app!(every_wrong_field_of_an_owner_gets_its_own_code, |app| {
    let ben = app.owner("ben", "SC000009").await;
    app.device("SC000001").await;
    let long = format!("aB3-{}", "x".repeat(1_100));
    let installer = Code::random(&app.portal.random);
    let systems = ["SC000001".parse().unwrap()];
    let issued = app
        .store
        .issue_code(&installer, CodeKind::Installer, &systems, app.clock.now());
    issued.await.unwrap();
    for (n, (field, value, code)) in [
        ("email", "", "required"),
        ("email", "anna", "email_invalid"),
        ("password", "sonnenschein", "password_weak"),
        ("password", "Password1!", "password_common"),
        ("password", &long, "too_long"),
        ("phone", "", "required"),
        ("phone", "12", "phone_invalid"),
        ("country", "", "country_unknown"),
        ("country", "US", "country_unknown"),
        ("role", "", "role_unknown"),
        ("role", "operator", "role_unknown"),
        ("role", "admin", "role_unknown"),
        ("role", "partner", "role_unknown"),
        ("role", "User", "role_unknown"),
        ("terms", "", "terms_required"),
        ("terms", "false", "terms_required"),
        ("sn1", "", "key_required"),
        ("sn1", "SC01", "serial_format"),
        ("sn1", "sc000001", "serial_uppercase"),
        ("sn1", "SC999999", "serial_unknown"),
        ("sn1", "SC000009", "serial_used"),
        ("sn1", "ABCDE-FGHJK", "code_unknown"),
        ("sn1", "ABCDE-FGHJK-MNPQR-STVWX", "code_unknown"),
        ("sn1", installer.as_str(), "code_unknown"),
        ("sn2", "SC000001", "key_repeated"),
        ("sn3", "SC999999", "serial_unknown"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut form = with(app.owner_form("anna@example.com", "SC000001"), field, value);
        if field == "password" {
            form = with(form, "password2", value);
        }
        let call = app.post("/api/auth/register/", &form);
        let answer = call.from(&format!("10.1.1.{n}")).send().await.expect(400);
        assert_eq!(codes(&answer), wrong(field, code), "{field} = {value:?}");
    }
    let form = with(
        app.owner_form("anna@example.com", "SC000001"),
        "password2",
        "Anders-123!",
    );
    let answer = register(app, &form).await.expect(400);
    assert_eq!(codes(&answer), wrong("password2", "passwords_differ"));
    assert!(
        app.letters()
            .await
            .iter()
            .all(|letter| letter.to == ben.email)
    );
});

with_app!(
    every_wrong_field_of_an_electrician_gets_its_own_code,
    |app| {
        let long = "x".repeat(201);
        for (value, code) in [("", "required"), ("   ", "required"), (&long, "too_long")] {
            let form = with(electrician(app, "eva@example.com"), "company", value);
            let answer = register(app, &form).await.expect(400);
            assert_eq!(codes(&answer), wrong("company", code), "{value:?}");
        }
    }
);

with_app!(all_wrong_fields_are_told_at_once, |app| {
    let form = [
        ("email", "anna"),
        ("password", "short"),
        ("password2", "other"),
        ("phone", "12"),
        ("country", "DE"),
        ("role", "user"),
        ("sn1", "sc000001"),
        ("sn2", "SC 1"),
        ("sn3", "ABCDE-"),
    ];
    let answer = register(app, &form).await.expect(400);
    let names: Vec<String> = codes(&answer).into_keys().collect();
    assert_eq!(
        names,
        [
            "email",
            "password",
            "password2",
            "phone",
            "sn1",
            "sn2",
            "sn3",
            "terms"
        ]
    );
});

with_app!(an_empty_form_names_everything_that_is_missing, |app| {
    let answer = register(app, &[]).await.expect(400);
    let names: Vec<String> = codes(&answer).into_keys().collect();
    assert_eq!(
        names,
        ["country", "email", "password", "phone", "role", "terms"]
    );
});

with_app!(the_texts_come_in_the_callers_language, |app| {
    for lang in Lang::ALL {
        let call = app.post(
            "/api/auth/register/",
            &with(app.owner_form("anna@example.com", "SC000001"), "terms", ""),
        );
        let answer = call
            .header("accept-language", lang.code())
            .send()
            .await
            .expect(400);
        assert_eq!(
            answer.json()["terms"],
            json!([Message::TermsRequired.text(lang)])
        );
    }
});

with_app!(a_registration_code_works_once, |app| {
    let sn = app.device("SC000001").await;
    let code = app.code(&[&sn]).await;
    register(app, &app.owner_form("anna@example.com", &code))
        .await
        .expect(201);
    let second = register(app, &app.owner_form("ben@example.com", &code))
        .await
        .expect(400);
    assert_eq!(codes(&second), wrong("sn1", "code_unknown"));
});

with_app!(of_ten_people_with_one_code_at_once_one_gets_in, |app| {
    let sn = app.device("SC000001").await;
    let code = app.code(&[&sn]).await;
    let calls: Vec<_> = (0..10)
        .map(|n| {
            let email = format!("p{n}@example.com");
            let call = app.post("/api/auth/register/", &app.owner_form(&email, &code));
            tokio::spawn(call.from(&format!("10.1.1.{n}")).send())
        })
        .collect();
    let mut statuses = Vec::new();
    for call in calls {
        statuses.push(call.await.unwrap().status.as_u16());
    }
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201, "{statuses:?}");
    assert_eq!(statuses[1..], [400; 9]);
});

with_app!(
    a_code_and_a_serial_number_together_link_the_one_and_wait_for_the_other,
    |app| {
        let sn = app.device("SC000001").await;
        app.device("SC000002").await;
        let code = app.code(&[&sn]).await;
        let form = with(app.owner_form("anna@example.com", &code), "sn2", "SC000002");
        let answer = register(app, &form).await.expect(201).json();
        assert_eq!(answer["keys"][0]["status"], "linked");
        assert_eq!(answer["keys"][1]["status"], "waiting");
    }
);

with_app!(
    one_bad_key_beside_a_good_code_makes_no_account_and_leaves_the_code_unused,
    |app| {
        let sn = app.device("SC000001").await;
        let code = app.code(&[&sn]).await;
        let form = app.owner_form("anna@example.com", &code);
        let answer = register(app, &with(form.clone(), "sn2", "SC999999"))
            .await
            .expect(400);
        assert_eq!(codes(&answer), wrong("sn2", "serial_unknown"));
        register(app, &form).await.expect(201);
    }
);

with_app!(
    that_an_address_is_taken_is_told_only_to_somebody_with_a_valid_code,
    |app| {
        app.owner("anna", "SC000001").await;
        let sn = app.device("SC000002").await;
        let code = app.code(&[&sn]).await;
        let answer = register(app, &app.owner_form("anna@example.com", &code))
            .await
            .expect(400);
        assert_eq!(codes(&answer), wrong("email", "email_taken"));
        // The code was not used up by it.
        register(app, &app.owner_form("ben@example.com", &code))
            .await
            .expect(201);
    }
);

with_app!(
    somebody_with_a_wrong_code_does_not_learn_that_an_address_is_taken,
    |app| {
        app.owner("anna", "SC000001").await;
        let guess = "ABCDE-FGHJK-MNPQR-STVWX";
        let known = register(app, &app.owner_form("anna@example.com", guess)).await;
        let unknown = register(app, &app.owner_form("nobody@example.com", guess)).await;
        assert_eq!(known.status, unknown.status);
        assert_eq!(known.text, unknown.text);
    }
);

with_app!(
    without_a_code_a_taken_address_gets_the_same_answer_and_its_owner_a_mail,
    |app| {
        app.owner("anna", "SC000001").await;
        app.device("SC000002").await;
        let known = register(app, &app.owner_form("anna@example.com", "SC000002"))
            .await
            .expect(202);
        let unknown = register(app, &app.owner_form("nobody@example.com", "SC000002"))
            .await
            .expect(202);
        assert_eq!(known.text, unknown.text);
        let letters = app.letters().await;
        let last = letters
            .iter()
            .rev()
            .find(|letter| letter.to == "anna@example.com")
            .unwrap();
        assert_eq!(
            last.subject,
            domain::message::text(Lang::De, "mail", "exists_subject")
        );
        assert!(!last.text.contains("#confirm="), "{}", last.text);
    }
);

with_app!(upper_and_lower_case_are_one_mailbox, |app| {
    app.owner("anna", "SC000001").await;
    let sn = app.device("SC000002").await;
    let code = app.code(&[&sn]).await;
    let answer = register(app, &app.owner_form(" ANNA@Example.com ", &code))
        .await
        .expect(400);
    assert_eq!(codes(&answer), wrong("email", "email_taken"));
});

with_app!(
    a_mailbox_gets_at_most_three_mails_an_hour_and_nobody_is_told,
    |app| {
        app.device("SC000001").await;
        let form = app.owner_form("anna@example.com", "SC000001");
        let mut texts = Vec::new();
        for n in 0..5 {
            let call = app.post("/api/auth/register/", &form);
            let answer = call.from(&format!("10.1.1.{n}")).send().await.expect(202);
            texts.push(answer.text);
        }
        texts.dedup();
        assert_eq!(texts.len(), 1);
        assert_eq!(app.letters().await.len(), 3);
    }
);

with_app!(the_link_works_once, |app| {
    register(app, &electrician(app, "eva@example.com"))
        .await
        .expect(202);
    let token = app.mailed("eva@example.com", "confirm").await;
    confirm(app, &token).await.expect(200);
    assert_eq!(
        confirm(app, &token).await.expect(400).code(),
        "link_invalid"
    );
});

with_app!(the_link_can_be_opened_for_24_hours, |app| {
    register(app, &electrician(app, "eva@example.com"))
        .await
        .expect(202);
    let token = app.mailed("eva@example.com", "confirm").await;
    app.clock.advance(DAY);
    confirm(app, &token).await.expect(200);
});

with_app!(the_link_has_run_out_after_24_hours, |app| {
    register(app, &electrician(app, "eva@example.com"))
        .await
        .expect(202);
    let token = app.mailed("eva@example.com", "confirm").await;
    app.clock.advance(DAY + SECOND);
    assert_eq!(
        confirm(app, &token).await.expect(400).code(),
        "link_invalid"
    );
    app.try_log_in("eva@example.com", PASSWORD, true)
        .await
        .expect(401);
});

with_app!(a_link_that_was_never_sent_is_refused, |app| {
    let drawn = BASE64.encode([7_u8; 32]);
    for token in ["", "rubbish!", drawn.as_str()] {
        let answer = confirm(app, token).await.expect(400);
        assert_eq!(answer.code(), "link_invalid", "{token:?}");
    }
});

on_both!(
    the_token_of_the_link_is_256_bits_and_kept_only_as_a_hash,
    |db| {
        let app = TestApp::start(db).await;
        register(&app, &electrician(&app, "eva@example.com"))
            .await
            .expect(202);
        let before = format!("{:?}", db.dump().await);
        let token = app.mailed("eva@example.com", "confirm").await;
        let bytes = BASE64.decode(&token).unwrap();
        assert_eq!(bytes.len(), 32);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(before.contains("eva@example.com"));
        assert!(!before.contains(&token) && !before.contains(&hex));
        app.stop().await;
    }
);

on_both!(
    of_two_registrations_of_one_address_the_first_link_opened_wins_and_the_other_is_gone,
    |db| {
        let app = TestApp::start(db).await;
        let first = electrician(&app, "eva@example.com");
        register(&app, &first).await.expect(202);
        let early = app.mailed("eva@example.com", "confirm").await;
        let second = with(first, "company", "Somebody Else");
        register(&app, &second).await.expect(202);
        let late = app.mailed("eva@example.com", "confirm").await;
        confirm(&app, &early).await.expect(200);
        assert_eq!(
            confirm(&app, &late).await.expect(400).code(),
            "link_invalid"
        );
        assert_eq!(rows(db, "registrations").await, 0);
        app.stop().await;
    }
);

with_app!(
    a_serial_number_that_found_an_owner_meanwhile_is_told_when_the_link_is_opened,
    |app| {
        let sn = app.device("SC000001").await;
        register(app, &app.owner_form("paul@example.com", "SC000001"))
            .await
            .expect(202);
        let code = app.code(&[&sn]).await;
        register(app, &app.owner_form("anna@example.com", &code))
            .await
            .expect(201);
        let token = app.mailed("paul@example.com", "confirm").await;
        let confirmed = confirm(app, &token).await.expect(200).json();
        assert_eq!(confirmed["keys"][0]["status"], "used");
    }
);

with_app!(
    two_people_who_wait_for_the_same_switch_are_both_told_that_it_is_contested,
    |app| {
        let anna = app.unlinked("anna", "SC000001").await;
        register(app, &app.owner_form("paul@example.com", "SC000001"))
            .await
            .expect(202);
        let token = app.mailed("paul@example.com", "confirm").await;
        confirm(app, &token).await.expect(200);
        let now = app.clock.now();
        let sn = "SC000001".parse().unwrap();
        assert_eq!(app.store.switch_cycled(&sn, now, now).await.unwrap(), None);
        let login = app.try_log_in("paul@example.com", PASSWORD, false).await;
        let paul = login.expect(403).json()["access"].clone();
        for access in [anna.access.as_str(), paul.as_str().unwrap()] {
            let claims = app
                .get("/api/auth/usr_sn/claims/")
                .bearer(access)
                .send()
                .await
                .expect(200)
                .json();
            assert_eq!(claims[0]["status"], "contested");
        }
    }
);

with_app!(
    a_switch_turned_before_the_link_was_opened_proves_nothing,
    |app| {
        let sn = app.device("SC000001").await;
        register(app, &app.owner_form("anna@example.com", "SC000001"))
            .await
            .expect(202);
        let turned = app.clock.now();
        app.clock.advance(MINUTE);
        let token = app.mailed("anna@example.com", "confirm").await;
        confirm(app, &token).await.expect(200);
        let late_report = app.store.switch_cycled(&sn, turned, app.clock.now());
        assert_eq!(late_report.await.unwrap(), None);
        app.try_log_in("anna@example.com", PASSWORD, false)
            .await
            .expect(403);
    }
);

with_app!(ten_keys_an_hour_may_be_tried_from_one_address, |app| {
    let guess = |n: usize| format!("SC99990{n}");
    for n in 0..10 {
        let answer = register(app, &app.owner_form("anna@example.com", &guess(n))).await;
        answer.expect(400);
    }
    app.device("SC000001").await;
    let form = app.owner_form("anna@example.com", "SC000001");
    let slow = register(app, &form).await.expect(429);
    assert_eq!(slow.code(), "too_many_attempts");
    let wait: i64 = slow.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=3_601).contains(&wait), "{wait}");
    // Nothing comes back before the hour is over, also not one by one.
    app.clock.advance(HOUR - SECOND);
    register(app, &form).await.expect(429);
    app.clock.advance(SECOND);
    register(app, &form).await.expect(202);
});

with_app!(every_key_of_a_form_counts_as_a_try, |app| {
    for _ in 0..3 {
        let form = app.owner_form("anna@example.com", "SC999991");
        let form = with(with(form, "sn2", "SC999992"), "sn3", "SC999993");
        register(app, &form).await.expect(400);
    }
    let form = app.owner_form("anna@example.com", "SC999994");
    register(app, &with(form.clone(), "sn2", "SC999995"))
        .await
        .expect(429);
    register(app, &form).await.expect(400);
    register(app, &form).await.expect(429);
});

with_app!(one_address_out_of_tries_does_not_hold_up_another, |app| {
    for _ in 0..11 {
        register(app, &app.owner_form("anna@example.com", "SC999999")).await;
    }
    app.device("SC000001").await;
    let call = app.post(
        "/api/auth/register/",
        &app.owner_form("anna@example.com", "SC000001"),
    );
    call.from("10.9.9.9").send().await.expect(202);
});

with_app!(a_field_that_comes_twice_is_refused, |app| {
    app.device("SC000001").await;
    let form = app.owner_form("anna@example.com", "SC000001");
    for twice in [
        ("role", "electrician"),
        ("email", "eva@example.com"),
        ("sn1", "SC000001"),
        ("unknown", "1"),
    ] {
        let mut form = form.clone();
        form.push(twice);
        if twice.0 == "unknown" {
            form.push(twice);
        }
        let answer = register(app, &form).await.expect(400);
        assert_eq!(answer.code(), "invalid_form", "{twice:?}");
    }
});

/// Names that somebody might try, and any others.
fn extra_fields() -> impl proptest::strategy::Strategy<Value = Vec<(String, String)>> {
    let tempting = proptest::sample::select(vec![
        "id",
        "owner",
        "owner_id",
        "account_id",
        "account",
        "is_admin",
        "admin",
        "roles",
        "Role",
        "role[]",
        "role ",
        "locked_at",
        "created_at",
        "terms_version",
        "password_hash",
        "confirm",
        "confirmed",
        "linked_at",
        "access",
        "status",
    ]);
    let name = proptest::prop_oneof![tempting.prop_map(str::to_owned), "[a-z_]{6,14}"];
    let value = proptest::prop_oneof![
        proptest::sample::select(vec!["electrician", "operator", "1", "true", "0", "-1"])
            .prop_map(str::to_owned),
        "[ -~]{0,20}",
    ];
    proptest::collection::btree_map(name, value, 1..8).prop_map(|map| map.into_iter().collect())
}

with_app!(consent_to_the_terms_is_kept_with_version_and_time, |app| {
    let sn = app.device("SC000001").await;
    let code = app.code(&[&sn]).await;
    let by_code = app.owner_form("anna@example.com", &code);
    app.post("/api/auth/register/", &by_code)
        .send()
        .await
        .expect(201);
    // By mail it counts from the moment in which the box was ticked, not from the link.
    app.device("SC000002").await;
    let by_mail = app.owner_form("ben@example.com", "SC000002");
    let call = app.post("/api/auth/register/", &by_mail);
    call.from("10.2.2.2").send().await.expect(202);
    let token = app.mailed("ben@example.com", "confirm").await;
    app.clock.advance(HOUR);
    app.post("/api/auth/register/confirm/", &[("token", &token)])
        .send()
        .await
        .expect(200);
    for email in ["anna@example.com", "ben@example.com"] {
        let account = app.store.account_by_email(&email.parse().unwrap()).await;
        let account = account.unwrap().unwrap();
        assert_eq!(
            (account.terms_version.as_str(), account.terms_at),
            (domain::account::TERMS_VERSION, NOON)
        );
    }
});

with_app!(
    fields_that_nobody_asked_for_change_nothing_about_an_account,
    |app| {
        let plain = app.owner("plain", "SC100000").await;
        let profile = |mut account: Value| {
            account["email"].take();
            account
        };
        let show = async |access: &str| {
            let answer = app.get("/api/auth/account/").bearer(access).send().await;
            profile(answer.expect(200).json())
        };
        let want = show(&plain.access).await;
        let real = [
            "email",
            "password",
            "password2",
            "phone",
            "country",
            "role",
            "terms",
            "company",
        ];
        let mut runner = TestRunner::deterministic();
        for n in 1..=12 {
            let mut extra = extra_fields().new_tree(&mut runner).unwrap().current();
            extra.retain(|(name, _)| !real.contains(&name.as_str()));
            let sn = app.device(&format!("SC20000{n}")).await;
            let code = app.code(&[&sn]).await;
            let email = format!("person{n}@example.com");
            let mut form = app.owner_form(&email, &code);
            form.extend(extra.iter().map(|(n, v)| (n.as_str(), v.as_str())));
            let call = app.post("/api/auth/register/", &form);
            call.from(&format!("10.1.1.{n}")).send().await.expect(201);
            let person = app.log_in(&email, false).await;
            assert_eq!(
                show(&person.access).await,
                want,
                "registered with {extra:?}"
            );

            let fields: Fields<'_> = extra
                .iter()
                .map(|(n, v)| (n.as_str(), v.as_str()))
                .chain([("role", "electrician")])
                .collect();
            app.call("PATCH", "/api/auth/account/")
                .form(&fields)
                .bearer(&person.access)
                .send()
                .await
                .expect(200);
            assert_eq!(show(&person.access).await, want, "changed with {extra:?}");
        }
    }
);
