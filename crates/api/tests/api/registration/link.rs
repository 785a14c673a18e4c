//! Without a code, the account begins with the mailed link, and the system with its main switch.
use super::{confirm, electrician, register, with};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::clock::{DAY, MINUTE, SECOND};
use serde_json::json;
use testkit::{PASSWORD, TestApp, TestDb, on_both, with_app};

async fn rows(db: &TestDb, table: &str) -> usize {
    let dump = db.dump().await;
    dump.iter().find(|(name, _)| name == table).unwrap().1.len()
}

with_app!(
    a_bare_serial_number_needs_the_mailed_link_before_there_is_an_account,
    |app| {
        app.device("SC000001").await;
        let form = app.owner_form("anna@example.com", "SC000001");
        let answer = register(app, &form).await.expect(202).json();
        assert_eq!(answer["confirm"], true);
        assert_eq!(answer["keys"][0]["status"], "waiting");
        let early = app.try_log_in("anna@example.com", PASSWORD, false).await;
        assert_eq!(early.expect(403).code(), "email_unconfirmed");
        let token = app.mailed_token("anna@example.com", "confirm").await;
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
        let token = app.mailed_token("eva@example.com", "confirm").await;
        let confirmed = confirm(app, &token).await.expect(200).json();
        assert_eq!(confirmed["role"], "electrician");
        assert_eq!(confirmed["keys"], json!([]));
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

with_app!(the_link_works_once, |app| {
    register(app, &electrician(app, "eva@example.com"))
        .await
        .expect(202);
    let token = app.mailed_token("eva@example.com", "confirm").await;
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
    let token = app.mailed_token("eva@example.com", "confirm").await;
    app.clock.advance(DAY);
    confirm(app, &token).await.expect(200);
});

with_app!(the_link_has_run_out_after_24_hours, |app| {
    register(app, &electrician(app, "eva@example.com"))
        .await
        .expect(202);
    let token = app.mailed_token("eva@example.com", "confirm").await;
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
        let token = app.mailed_token("eva@example.com", "confirm").await;
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
        let early = app.mailed_token("eva@example.com", "confirm").await;
        let second = with(first, "company", "Somebody Else");
        register(&app, &second).await.expect(202);
        let late = app.mailed_token("eva@example.com", "confirm").await;
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
        let token = app.mailed_token("paul@example.com", "confirm").await;
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
        let token = app.mailed_token("paul@example.com", "confirm").await;
        confirm(app, &token).await.expect(200);
        let now = app.clock.now();
        let sn = "SC000001".parse().unwrap();
        assert_eq!(
            app.store.report_switch_cycle(&sn, now, now).await.unwrap(),
            None
        );
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
        let token = app.mailed_token("anna@example.com", "confirm").await;
        confirm(app, &token).await.expect(200);
        let late_report = app.store.report_switch_cycle(&sn, turned, app.clock.now());
        assert_eq!(late_report.await.unwrap(), None);
        app.try_log_in("anna@example.com", PASSWORD, false)
            .await
            .expect(403);
    }
);

with_app!(
    the_right_password_before_the_address_is_confirmed_says_so_and_mails_the_link_again,
    |app| {
        app.device("SC000001").await;
        let form = app.owner_form("anna@example.com", "SC000001");
        register(app, &form).await.expect(202);
        let log_in = async |password: &str, electrician: bool, resend: &str| {
            let role = electrician.to_string();
            let fields = [
                ("email", "anna@example.com"),
                ("password", password),
                ("electrician", &role),
                ("resend", resend),
            ];
            let answer = app.post("/api/auth/token/", &fields).send().await;
            (answer.status.as_u16(), answer.code())
        };
        let mails = async || app.sent_mails().await.len();
        let unconfirmed = (403, "email_unconfirmed".to_owned());
        let invalid = (401, "invalid_credentials".to_owned());
        assert_eq!(log_in(PASSWORD, false, "false").await, unconfirmed);
        assert_eq!(log_in("Wrong-word-1!", false, "true").await, invalid);
        assert_eq!(log_in(PASSWORD, true, "true").await, invalid);
        assert_eq!(mails().await, 1);
        let first = app.mailed_token("anna@example.com", "confirm").await;
        let resent = (403, "confirm_resent".to_owned());
        assert_eq!(log_in(PASSWORD, false, "true").await, resent);
        assert_eq!(mails().await, 2);
        let second = app.mailed_token("anna@example.com", "confirm").await;
        assert_ne!(first, second);
        // Either link works, but only one of them, and once.
        confirm(app, &first).await.expect(200);
        confirm(app, &second).await.expect(400);
        assert_eq!(log_in(PASSWORD, false, "false").await.1, "no_systems");
    }
);

with_app!(
    whoever_registers_a_known_address_learns_nothing_from_a_login,
    |app| {
        app.owner("anna", "SC000001").await;
        app.device("SC000002").await;
        let mut answers = Vec::new();
        for email in ["anna@example.com", "nobody@example.com"] {
            let form = app.owner_form(email, "SC000002");
            let form = with(
                with(form, "password", "Mallory-1!x"),
                "password2",
                "Mallory-1!x",
            );
            register(app, &form).await.expect(202);
            for resend in ["false", "true"] {
                let login = [
                    ("email", email),
                    ("password", "Mallory-1!x"),
                    ("resend", resend),
                ];
                let answer = app.post("/api/auth/token/", &login).send().await;
                answers.push(answer.expect(403).text);
            }
        }
        assert_eq!(answers[..2], answers[2..]);
        let mails = app.sent_mails().await;
        let to_anna: Vec<_> = mails
            .iter()
            .filter(|l| l.to == "anna@example.com")
            .collect();
        // One welcome, and two notices that the account exists; never a link that would replace it.
        assert_eq!(to_anna.len(), 3);
        assert!(to_anna.iter().all(|mail| !mail.text.contains("#confirm=")));
        app.log_in("anna@example.com", false).await;
    }
);

with_app!(
    before_the_first_login_a_new_account_sees_how_its_claims_fare,
    |app| {
        app.device("SC000001").await;
        let form = app.owner_form("anna@example.com", "SC000001");
        register(app, &form).await.expect(202);
        let token = app.mailed_token("anna@example.com", "confirm").await;
        let confirmed = confirm(app, &token).await.expect(200).json();
        let watch = confirmed["watch"].as_str().unwrap();
        let claims = async |watch: &str| {
            let call = app.post("/api/auth/register/claims/", &[("watch", watch)]);
            call.send().await
        };
        let waiting = claims(watch).await.expect(200).json();
        assert_eq!(waiting[0]["status"], "waiting");
        app.battery("SC000001").perform_pattern().await;
        assert_eq!(claims(watch).await.expect(200).text, "[]");
        // The token opens nothing else, and no other token opens this call.
        let anna = app.log_in("anna@example.com", false).await;
        let systems = app.get("/api/auth/usr_sn/").bearer(watch);
        systems.send().await.expect(401);
        claims(&anna.access).await.expect(400);
        claims("").await.expect(400);
        app.clock.advance(31 * MINUTE);
        claims(watch).await.expect(400);
    }
);
