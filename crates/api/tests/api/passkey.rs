//! Passkeys: made, named, removed, shown to log in and as a second factor; and everything that is refused.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE};
use domain::totp::TIME_STEP;
use serde_json::{Value, json};
use service::totp::TotpReset;
use testkit::fixtures::own_address;
use testkit::{PASSWORD, Person, SoftwarePasskey, TestApp, TestResponse, on_both, with_app};

const OPTIONS: &str = "/api/auth/account/passkey/options/";
const LOGIN: &str = "/api/auth/token/passkey/";

/// Logs in with what a device showed, without a password.
async fn enter(app: &TestApp, shown: &str) -> TestResponse {
    app.post(LOGIN, &[("passkey", shown)]).send().await
}

async fn enter_with(app: &TestApp, passkey: &SoftwarePasskey) -> TestResponse {
    let shown = app.show_passkey(passkey).await;
    enter(app, &shown).await
}

/// Logs in with the password, and what is given beside it.
async fn log_in(app: &TestApp, person: &Person, role: bool, given: (&str, &str)) -> TestResponse {
    let fields = [
        ("email", person.email.as_str()),
        ("password", PASSWORD),
        ("electrician", if role { "true" } else { "false" }),
        given,
    ];
    let call = app.post("/api/auth/token/", &fields);
    call.from(&own_address(&person.email)).send().await
}

async fn list(app: &TestApp, person: &Person) -> Vec<Value> {
    let call = app.get("/api/auth/account/").bearer(&person.access);
    let account = call.send().await.expect(200).json();
    account["passkeys"].as_array().unwrap().clone()
}

async fn begin(app: &TestApp, person: &Person, proof: &[(&str, &str)]) -> TestResponse {
    app.post(OPTIONS, proof).bearer(&person.access).send().await
}

async fn remove(
    app: &TestApp,
    person: &Person,
    id: &Value,
    proof: &[(&str, &str)],
) -> TestResponse {
    let call = app.call("DELETE", &format!("/api/auth/account/passkey/{id}/"));
    call.form(proof).bearer(&person.access).send().await
}

async fn journal(app: &TestApp, person: &Person) -> Vec<String> {
    let account = app.account_id(&person.email).await;
    let lines = app.store.journal_of(account).await.unwrap().into_iter();
    lines
        .map(|line| line.event)
        .filter(|event| event.starts_with("passkey"))
        .collect()
}

/// The subjects of the person's last mails.
async fn last_mails(app: &TestApp, person: &Person, count: usize) -> Vec<String> {
    let mails = app.sent_mails().await.into_iter();
    let own: Vec<_> = mails.filter(|mail| mail.to == person.email).collect();
    own[own.len() - count..]
        .iter()
        .map(|mail| mail.subject.clone())
        .collect()
}

with_app!(
    a_passkey_opens_the_account_without_password_and_code,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        let eva_app = app.enable_totp(&eva).await;
        let phone = app.add_passkey(&anna, "  Annas\u{202e}\nTelefon ").await;
        let listed = list(app, &anna).await;
        assert_eq!(listed[0]["name"], "Annas Telefon");
        assert_eq!(listed[0]["created_at"], app.clock.now());
        assert!(listed[0]["used_at"].is_null());
        app.clock.advance(MINUTE);
        let entered = enter_with(app, &phone).await.expect(200);
        let cookie = entered.headers["set-cookie"].to_str().unwrap();
        assert!(cookie.starts_with("suncellar_browser="), "{cookie}");
        assert_eq!(entered.json()["role"], "user");
        let access = entered.json()["access"].as_str().unwrap().to_owned();
        app.get("/api/auth/usr_sn/")
            .bearer(&access)
            .send()
            .await
            .expect(200);
        assert_eq!(list(app, &anna).await[0]["used_at"], app.clock.now());

        // An electrician with two-step login adds one with password and code, and is asked for neither when it is shown.
        let eva_phone = app
            .add_passkey_with_code(&eva, &eva_app.recovery_codes[0])
            .await;
        let entered = enter_with(app, &eva_phone).await.expect(200).json();
        assert_eq!(
            (&entered["role"], &entered["must_enrol"]),
            (&json!("electrician"), &json!(false))
        );
    }
);

with_app!(
    what_the_browser_is_asked_keeps_a_passkey_on_the_device,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        app.add_passkey(&anna, "Telefon").await;
        let options = app.begin_passkey(&anna).await;
        assert_eq!(
            options["rp"],
            json!({"id": "portal.test", "name": "Suncellar"})
        );
        assert_eq!(options["user"]["name"], anna.email);
        assert_eq!(
            options["authenticatorSelection"],
            json!({"residentKey": "required", "requireResidentKey": true, "userVerification": "required"})
        );
        assert_eq!(options["attestation"], "none");
        assert_eq!(options["excludeCredentials"].as_array().unwrap().len(), 1);
        let algorithms = options["pubKeyCredParams"].as_array().unwrap().iter();
        let algorithms: Vec<_> = algorithms.map(|one| one["alg"].as_i64().unwrap()).collect();
        assert_eq!(algorithms, [-7, -8, -257]);
        // Devices know the account by the same random name, which says nothing about it.
        let again = app.begin_passkey(&anna).await;
        assert_eq!(again["user"]["id"], options["user"]["id"]);
        let ben = app.owner("ben", "SC000002").await;
        assert_ne!(
            app.begin_passkey(&ben).await["user"]["id"],
            options["user"]["id"]
        );
        let shown = app.ask_for_passkey().await;
        assert_eq!(
            (&shown["rpId"], &shown["userVerification"]),
            (&json!("portal.test"), &json!("required"))
        );
        assert_ne!(shown["challenge"], app.ask_for_passkey().await["challenge"]);
    }
);

with_app!(
    adding_and_removing_take_the_password_and_are_told_by_mail,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        for (password, code) in [
            ("", "password:required"),
            ("Falsch-123!", "password:password_wrong"),
        ] {
            let answer = begin(app, &anna, &[("password", password)])
                .await
                .expect(400);
            assert_eq!(answer.code(), code);
        }
        let phone = app.add_passkey(&anna, "Telefon").await;
        let id = list(app, &anna).await[0]["id"].clone();
        remove(app, &anna, &id, &[("password", "Falsch-123!")])
            .await
            .expect(400);
        enter_with(app, &phone).await.expect(200);

        let renamed = |name: &'static str| {
            let call = app.call("PATCH", &format!("/api/auth/account/passkey/{id}/"));
            call.form(&[("name", name)]).bearer(&anna.access).send()
        };
        renamed("Laptop").await.expect(204);
        assert_eq!(renamed(" \n ").await.expect(400).code(), "name:required");
        assert_eq!(list(app, &anna).await[0]["name"], "Laptop");

        remove(app, &anna, &id, &[("password", PASSWORD)])
            .await
            .expect(204);
        assert!(list(app, &anna).await.is_empty());
        assert_eq!(
            enter_with(app, &phone).await.expect(401).code(),
            "passkey_refused"
        );
        remove(app, &anna, &id, &[("password", PASSWORD)])
            .await
            .expect(404);
        assert_eq!(
            journal(app, &anna).await,
            ["passkey_added", "passkey_renamed", "passkey_removed"]
        );
        let told = last_mails(app, &anna, 2).await;
        assert_eq!(
            told,
            [
                "Sie haben einen neuen Passkey",
                "Ein Passkey wurde entfernt"
            ]
        );
    }
);

with_app!(a_passkey_proves_who_wants_another_one_or_one_less, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    let phone = app.add_passkey(&anna, "Telefon").await;
    let foreign = app.add_passkey(&ben, "Telefon").await;
    let shown = app.show_passkey(&foreign).await;
    let answer = begin(app, &anna, &[("passkey", &shown)]).await.expect(400);
    assert_eq!(answer.code(), "passkey_refused");

    let shown = app.show_passkey(&phone).await;
    let options = begin(app, &anna, &[("passkey", &shown)])
        .await
        .expect(200)
        .json();
    let laptop = SoftwarePasskey::for_options(&options);
    let made = laptop.made(&options);
    app.send_passkey(&anna, "Laptop", &made).await.expect(201);
    let id = list(app, &anna).await[0]["id"].clone();
    // What opened one door opens no other.
    remove(app, &anna, &id, &[("passkey", &shown)])
        .await
        .expect(400);
    let shown = app.show_passkey(&laptop).await;
    remove(app, &anna, &id, &[("passkey", &shown)])
        .await
        .expect(204);
    enter_with(app, &phone).await.expect(401);
});

with_app!(
    two_step_login_cannot_be_got_around_by_a_new_passkey,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let phone = app.enable_totp(&anna).await;
        let missing = begin(app, &anna, &[("password", PASSWORD)])
            .await
            .expect(400);
        assert_eq!(missing.code(), "totp:required");
        let wrong = [("password", PASSWORD), ("totp", "12")];
        assert_eq!(
            begin(app, &anna, &wrong).await.expect(400).code(),
            "totp:totp_wrong"
        );
        let code = phone.code(app.clock.now() + TIME_STEP);
        let both = [("password", PASSWORD), ("totp", code.as_str())];
        begin(app, &anna, &both).await.expect(200);
        // The code is used up.
        begin(app, &anna, &both).await.expect(400);
    }
);

with_app!(a_passkey_is_a_second_factor_in_place_of_the_code, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let laptop = app.add_passkey(&anna, "Laptop").await;
    // Alone it is a way in beside the password.
    log_in(app, &anna, false, ("totp", "")).await.expect(200);
    let phone = app.enable_totp(&anna).await;
    let asked = log_in(app, &anna, false, ("totp", "")).await.expect(401);
    assert_eq!(asked.code(), "totp_required");
    assert_eq!(asked.json()["passkey"], true);
    let shown = app.show_passkey(&laptop).await;
    log_in(app, &anna, false, ("passkey", &shown))
        .await
        .expect(200);
    let again = log_in(app, &anna, false, ("passkey", &shown))
        .await
        .expect(400);
    assert_eq!(again.code(), "passkey_refused");
    let code = phone.code(app.clock.now() + TIME_STEP);
    log_in(app, &anna, false, ("totp", &code)).await.expect(200);

    let ben = app.owner("ben", "SC000002").await;
    let foreign = app.add_passkey(&ben, "Laptop").await;
    let shown = app.show_passkey(&foreign).await;
    let refused = log_in(app, &anna, false, ("passkey", &shown))
        .await
        .expect(400);
    assert_eq!(refused.code(), "passkey_refused");
    // Without it, nothing says that there could be one.
    app.enable_totp(&ben).await;
    let id = list(app, &ben).await[0]["id"].clone();
    let shown = app.show_passkey(&foreign).await;
    remove(app, &ben, &id, &[("passkey", &shown)])
        .await
        .expect(204);
    let asked = log_in(app, &ben, false, ("totp", "")).await.expect(401);
    assert_eq!(asked.json()["passkey"], false);
});

on_both!(
    electricians_who_need_a_second_factor_may_choose_a_passkey,
    |db| {
        let app =
            TestApp::start_with(db, |settings| settings.require_totp_of_electricians = true).await;
        let eva = app.electrician("eva").await;
        let fleet = || app.get("/api/auth/usr_sn/").bearer(&eva.access).send();
        assert_eq!(fleet().await.expect(403).code(), "totp_enrolment_required");
        let laptop = app.add_passkey(&eva, "Laptop").await;
        fleet().await.expect(200);

        // From now on the password alone opens nothing.
        let asked = log_in(&app, &eva, true, ("totp", "")).await.expect(401);
        assert_eq!(asked.code(), "passkey_required");
        log_in(&app, &eva, true, ("totp", "123456"))
            .await
            .expect(401);
        let shown = app.show_passkey(&laptop).await;
        let entered = log_in(&app, &eva, true, ("passkey", &shown))
            .await
            .expect(200);
        assert_eq!(entered.json()["must_enrol"], false);
        let refused = begin(&app, &eva, &[("password", PASSWORD)])
            .await
            .expect(409);
        assert_eq!(refused.code(), "passkey_required");

        // It cannot be removed while it is the only one.
        let id = list(&app, &eva).await[0]["id"].clone();
        let shown = app.show_passkey(&laptop).await;
        let kept = remove(&app, &eva, &id, &[("passkey", &shown)])
            .await
            .expect(409);
        assert_eq!(kept.code(), "totp_is_duty");
        app.enable_totp(&eva).await;
        let shown = app.show_passkey(&laptop).await;
        remove(&app, &eva, &id, &[("passkey", &shown)])
            .await
            .expect(204);
        fleet().await.expect(200);
        app.stop().await;
    }
);

with_app!(
    whatever_is_wrong_with_a_shown_passkey_the_answer_is_the_same,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let bens = app.add_passkey(&ben, "Telefon").await;
        let mut answers = Vec::new();
        // Each of them works before it is changed.
        for change in [
            |one: &mut SoftwarePasskey| one.origin = "https://portal.test.evil".into(),
            |one: &mut SoftwarePasskey| one.origin = "http://portal.test".into(),
            |one: &mut SoftwarePasskey| one.relying_party = "evil.test".into(),
            |one: &mut SoftwarePasskey| one.flags = 0b001,
            |one: &mut SoftwarePasskey| one.flags = 0b100,
            |one: &mut SoftwarePasskey| one.user_handle = Value::Null,
            |one: &mut SoftwarePasskey| one.user_handle = json!("AAAAAAAAAAAAAAAAAAAAAA"),
            |one: &mut SoftwarePasskey| one.credential_id = vec![7; 32],
        ] {
            let mut passkey = app.add_passkey(&anna, "Telefon").await;
            enter_with(app, &passkey).await.expect(200);
            change(&mut passkey);
            answers.push(enter_with(app, &passkey).await.expect(401).text);
            app.clock.advance(MINUTE);
        }
        // Somebody else's name, and somebody else's key under her id.
        let mut passkey = app.add_passkey(&anna, "Telefon").await;
        let own = passkey.user_handle.clone();
        passkey.user_handle = bens.user_handle.clone();
        answers.push(enter_with(app, &passkey).await.expect(401).text);
        passkey.user_handle = own;
        let mut stolen = SoftwarePasskey::for_options(&app.begin_passkey(&anna).await);
        stolen.credential_id = passkey.credential_id.clone();
        answers.push(enter_with(app, &stolen).await.expect(401).text);
        for nonsense in ["", "{}", "[]", r#"{"rawId":"a+/=","response":{}}"#] {
            answers.push(enter(app, nonsense).await.expect(401).text);
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        enter_with(app, &passkey).await.expect(200);
    }
);

with_app!(a_challenge_is_ours_works_once_and_for_five_minutes, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.add_passkey(&anna, "Telefon").await;
    let shown = app.show_passkey(&phone).await;
    enter(app, &shown).await.expect(200);
    enter(app, &shown).await.expect(401);

    let asked = app.ask_for_passkey().await;
    app.clock.advance(5 * MINUTE);
    enter(app, &phone.shown(&asked)).await.expect(200);
    let asked = app.ask_for_passkey().await;
    app.clock.advance(5 * MINUTE + 1);
    enter(app, &phone.shown(&asked)).await.expect(401);

    let mut bent = app.ask_for_passkey().await;
    let text = bent["challenge"].as_str().unwrap();
    let other = if text.starts_with('A') { "B" } else { "A" };
    bent["challenge"] = json!(format!("{other}{}", &text[1..]));
    enter(app, &phone.shown(&bent)).await.expect(401);
    // One for making a passkey shows none, and the other way round.
    let making = app
        .begin_passkey(&app.log_in(&anna.email, false).await)
        .await;
    enter(app, &phone.shown(&making)).await.expect(401);
    let anna = app.log_in(&anna.email, false).await;
    let made = SoftwarePasskey::for_options(&making).made(&app.ask_for_passkey().await);
    app.send_passkey(&anna, "Laptop", &made).await.expect(400);
});

with_app!(
    a_new_passkey_is_made_once_in_the_session_that_asked,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let elsewhere = app.log_in(&anna.email, false).await;
        let ben = app.owner("ben", "SC000002").await;
        let options = app.begin_passkey(&anna).await;
        let phone = SoftwarePasskey::for_options(&options);
        let made = phone.made(&options);
        for other in [&elsewhere, &ben] {
            let refused = app.send_passkey(other, "Telefon", &made).await.expect(400);
            assert_eq!(refused.code(), "passkey_refused");
        }
        let nameless = app.send_passkey(&anna, "", &made).await.expect(400);
        assert_eq!(nameless.code(), "name:required");
        app.send_passkey(&anna, "Telefon", &made).await.expect(201);
        app.send_passkey(&anna, "Telefon", &made).await.expect(400);
        // The same device again, and with somebody else.
        for person in [&anna, &ben] {
            let again = phone.made(&app.begin_passkey(person).await);
            let known = app
                .send_passkey(person, "Telefon", &again)
                .await
                .expect(409);
            assert_eq!(known.code(), "passkey_exists");
        }
        for change in [
            |one: &mut SoftwarePasskey| one.origin = "https://evil.test".into(),
            |one: &mut SoftwarePasskey| one.relying_party = "evil.test".into(),
            |one: &mut SoftwarePasskey| one.flags = 0b001,
            |one: &mut SoftwarePasskey| one.flags = 0b100,
        ] {
            let options = app.begin_passkey(&anna).await;
            let mut phone = SoftwarePasskey::for_options(&options);
            change(&mut phone);
            let made = phone.made(&options);
            app.send_passkey(&anna, "Falsch", &made).await.expect(400);
            app.clock.advance(MINUTE);
        }
        let late = app.begin_passkey(&anna).await;
        app.clock.advance(5 * MINUTE + 1);
        let made = SoftwarePasskey::for_options(&late).made(&late);
        app.send_passkey(&anna, "Spät", &made).await.expect(400);
        assert_eq!(list(app, &anna).await.len(), 1);
    }
);

with_app!(
    a_counter_that_goes_back_is_refused_and_told_in_the_journal,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let mut key = app.add_passkey(&anna, "Schlüssel").await;
        // A device that counts from some use on.
        for (count, status) in [
            (0, 200),
            (0, 200),
            (5, 200),
            (6, 200),
            (6, 401),
            (3, 401),
            (0, 401),
            (7, 200),
        ] {
            key.sign_count = count;
            enter_with(app, &key).await.expect(status);
        }
        let told = journal(app, &anna).await;
        assert_eq!(told[1..], ["passkey_counter_went_back"; 3]);
    }
);

on_both!(of_many_at_once_with_the_same_answer_one_comes_in, |db| {
    // Two processes on one database.
    let (app, other) = (TestApp::start(db).await, TestApp::start(db).await);
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.add_passkey(&anna, "Telefon").await;
    // A challenge of the one is answered to the other.
    enter(&other, &app.show_passkey(&phone).await)
        .await
        .expect(200);
    let shown = app.show_passkey(&phone).await;
    let tries: Vec<_> = (0..3)
        .flat_map(|_| [&app, &other])
        .map(|app| tokio::spawn(app.post(LOGIN, &[("passkey", &shown)]).send()))
        .collect();
    let mut entered = 0;
    for one in tries {
        match one.await.unwrap().status.as_u16() {
            200 => entered += 1,
            status => assert_eq!(status, 401),
        }
    }
    assert_eq!(entered, 1);
    app.stop().await;
    other.stop().await;
});

with_app!(tries_are_limited_like_those_of_logins, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.add_passkey(&anna, "Telefon").await;
    let entered = enter_with(app, &phone).await.expect(200);
    let cookie = entered.headers["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    app.clock.advance(MINUTE);
    let mut wrong = SoftwarePasskey::for_options(&app.begin_passkey(&anna).await);
    wrong.credential_id = phone.credential_id.clone();
    let from = async |passkey: &SoftwarePasskey, address: &str, cookie: &str| {
        let shown = app.show_passkey(passkey).await;
        let call = app.post(LOGIN, &[("passkey", &shown)]).from(address);
        call.header("cookie", cookie).send().await
    };
    for n in 0..10 {
        from(&wrong, &format!("10.7.0.{n}"), "").await.expect(401);
    }
    let held = from(&phone, "10.7.1.1", "").await.expect(429);
    assert_eq!(held.code(), "too_many_attempts");
    // Her own browser is let in, and so is her password.
    from(&phone, "10.7.1.2", &cookie).await.expect(200);
    app.try_log_in(&anna.email, PASSWORD, false)
        .await
        .expect(200);
    // From one address a stranger cannot try many.
    for n in 0..30 {
        wrong.credential_id = vec![n; 32];
        from(&wrong, "10.7.2.1", "").await.expect(401);
    }
    wrong.credential_id = vec![99; 32];
    from(&wrong, "10.7.2.1", "").await.expect(429);
});

with_app!(an_account_has_twenty_passkeys_at_most, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for n in 0..20 {
        app.add_passkey(&anna, &format!("Gerät {n}")).await;
        app.clock.advance(10_000);
    }
    let options = app.begin_passkey(&anna).await;
    let made = SoftwarePasskey::for_options(&options).made(&options);
    let full = app.send_passkey(&anna, "Gerät 21", &made).await.expect(400);
    assert_eq!(full.code(), "name:too_many_passkeys");
});

with_app!(somebody_elses_passkey_is_a_missing_one, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    let phone = app.add_passkey(&anna, "Telefon").await;
    let id = list(app, &anna).await[0]["id"].clone();
    let proof = [("password", PASSWORD)];
    let foreign = remove(app, &ben, &id, &proof).await.expect(404);
    let missing = remove(app, &ben, &json!(999), &proof).await.expect(404);
    assert_eq!(foreign.text, missing.text);
    let call = app.call("PATCH", &format!("/api/auth/account/passkey/{id}/"));
    let call = call.form(&[("name", "Bens")]).bearer(&ben.access);
    call.send().await.expect(404);
    assert_eq!(list(app, &anna).await[0]["name"], "Telefon");
    enter_with(app, &phone).await.expect(200);
});

with_app!(
    a_new_password_and_address_leave_it_and_a_lock_stops_it,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let phone = app.add_passkey(&anna, "Telefon").await;
        let reset = [("email", anna.email.as_str())];
        app.post("/api/auth/password_reset/", &reset)
            .send()
            .await
            .expect(202);
        let token = app.mailed_token(&anna.email, "token").await;
        let new = "Ganz-neu-2026!";
        let fields = [
            ("token", token.as_str()),
            ("password", new),
            ("password2", new),
        ];
        app.post("/api/auth/password_reset/confirm/", &fields)
            .send()
            .await
            .expect(200);
        let entered = enter_with(app, &phone).await.expect(200).json();
        let access = entered["access"].as_str().unwrap();
        let change = [("email", "anna.new@example.com"), ("password", new)];
        let call = app.call("PATCH", "/api/auth/account/").form(&change);
        call.bearer(access).send().await.expect(200);
        let token = app.mailed_token("anna.new@example.com", "email").await;
        let confirm = [("token", token.as_str())];
        app.post("/api/auth/account/email/confirm/", &confirm)
            .send()
            .await
            .expect(200);
        enter_with(app, &phone).await.expect(200);

        let email = "anna.new@example.com".parse().unwrap();
        app.service.lock_account(&email, true).await.unwrap();
        assert_eq!(
            enter_with(app, &phone).await.expect(401).code(),
            "passkey_refused"
        );
    }
);

with_app!(an_owner_without_systems_comes_to_the_key_page, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.add_passkey(&anna, "Telefon").await;
    let call = app.call("DELETE", "/api/auth/usr_sn/SC000001/");
    let call = call.form(&[("password", PASSWORD)]).bearer(&anna.access);
    call.send().await.expect(204);
    let answer = enter_with(app, &phone).await.expect(403);
    assert_eq!(answer.code(), "no_systems");
    let access = answer.json()["access"].as_str().unwrap().to_owned();
    app.get("/api/auth/usr_sn/claims/")
        .bearer(&access)
        .send()
        .await
        .expect(200);
});

with_app!(a_passkey_login_lasts_as_long_as_was_asked, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.add_passkey(&anna, "Telefon").await;
    for (stay, status) in [("false", 401), ("true", 200)] {
        let shown = app.show_passkey(&phone).await;
        let fields = [("passkey", shown.as_str()), ("stayLoggedIn", stay)];
        let entered = app.post(LOGIN, &fields).send().await.expect(200).json();
        app.clock.advance(DAY);
        let refresh = [("refresh", entered["refresh"].as_str().unwrap())];
        let call = app.post("/api/auth/token/refresh/", &refresh);
        call.send().await.expect(status);
    }
});

with_app!(the_operator_takes_lost_passkeys_off_an_account, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.add_passkey(&anna, "Telefon").await;
    let email = anna.email.parse().unwrap();
    let reset = app.service.reset_totp(&email).await.unwrap();
    assert_eq!(reset, TotpReset::Done);
    enter_with(app, &phone).await.expect(401);
    app.try_log_in(&anna.email, PASSWORD, false)
        .await
        .expect(200);
    let again = app.service.reset_totp(&email).await.unwrap();
    assert_eq!(again, TotpReset::Nothing);
});

on_both!(at_an_ip_address_there_are_no_passkeys, |db| {
    let app = TestApp::start_with(db, |settings| {
        settings.public_url = "https://192.0.2.7".into();
    })
    .await;
    let anna = app.owner("anna", "SC000001").await;
    let asked = app.post("/api/auth/passkey/options/", &[]).send().await;
    assert_eq!(asked.expect(409).code(), "passkeys_unavailable");
    let begun = begin(&app, &anna, &[("password", PASSWORD)]).await;
    assert_eq!(begun.expect(409).code(), "passkeys_unavailable");
    app.stop().await;
});
