//! The form: all wrong fields are reported at once, in the caller's language, and unknown fields are ignored.
use super::{Fields, codes, electrician, register, with, wrong};
use domain::clock::HOUR;
use domain::code::{Code, CodeKind};
use domain::{Lang, Message};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use testkit::{NOON, with_app};

/// Field names that an attacker might try, and random ones.
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

with_app!(every_wrong_field_of_an_owner_gets_its_own_code, |app| {
    let ben = app.owner("ben", "SC000009").await;
    app.device("SC000001").await;
    let long = format!("aB3-{}", "x".repeat(1_100));
    let installer = Code::random(&app.portal.random);
    let systems = ["SC000001".parse().unwrap()];
    let issued = app
        .service
        .issue_code(&installer, CodeKind::Installer, &systems);
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
        ("sn1", "SC000009", "serial_used"),
        ("sn1", "ABCDE-FGHJK", "code_unknown"),
        ("sn1", "ABCDE-FGHJK-MNPQR-STVWX", "code_unknown"),
        ("sn1", installer.as_str(), "code_unknown"),
        ("sn2", "SC000001", "key_repeated"),
        ("sn3", "W8FTV ZDBF7 J1ZHR QBKS5", "code_unknown"),
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
        app.sent_mails()
            .await
            .iter()
            .all(|mail| mail.to == ben.email)
    );
});

with_app!(
    every_wrong_field_of_an_electrician_gets_its_own_code,
    |app| {
        let long = "x".repeat(201);
        for (value, code) in [
            ("", "required"),
            ("   ", "required"),
            (&long, "too_long"),
            ("Blitz https://evil.example", "name_has_address"),
        ] {
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

with_app!(consent_to_the_terms_is_kept_with_version_and_time, |app| {
    let sn = app.device("SC000001").await;
    let code = app.code(&[&sn]).await;
    let by_code = app.owner_form("anna@example.com", &code);
    app.post("/api/auth/register/", &by_code)
        .send()
        .await
        .expect(201);
    // By mail, consent counts from the moment the box was ticked, not from opening the link.
    app.device("SC000002").await;
    let by_mail = app.owner_form("ben@example.com", "SC000002");
    let call = app.post("/api/auth/register/", &by_mail);
    call.from("10.2.2.2").send().await.expect(202);
    let token = app.mailed_token("ben@example.com", "confirm").await;
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
