//! The second factor: set up, required at login, used once, lost and reset.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE};
use domain::totp::TIME_STEP;
use testkit::{Authenticator, PASSWORD, Person, TestApp, TestResponse, on_both, with_app};

const TOTP: &str = "/api/auth/account/totp/";
const CONFIRM: &str = "/api/auth/account/totp/confirm/";
const RECOVERY: &str = "/api/auth/account/totp/recovery/";

async fn log_in(app: &TestApp, person: &Person, password: &str, totp: &str) -> TestResponse {
    let fields = [
        ("email", person.email.as_str()),
        ("password", password),
        ("totp", totp),
    ];
    let call = app.post("/api/auth/token/", &fields);
    call.from(&testkit::fixtures::own_address(&person.email))
        .send()
        .await
}

async fn confirm(app: &TestApp, person: &Person, totp: &str) -> TestResponse {
    let call = app.post(CONFIRM, &[("totp", totp)]);
    call.bearer(&person.access).send().await
}

async fn account(app: &TestApp, person: &Person) -> serde_json::Value {
    let call = app.get("/api/auth/account/").bearer(&person.access);
    call.send().await.expect(200).json()
}

async fn subjects(app: &TestApp, person: &Person) -> Vec<String> {
    let mails = app.sent_mails().await.into_iter();
    let own = mails.filter(|mail| mail.to == person.email);
    own.map(|mail| mail.subject).collect()
}

fn wrong(phone: &Authenticator, now: i64) -> String {
    let near = [-1, 0, 1].map(|n| phone.code(now + n * TIME_STEP));
    let tries = ["000000", "111111", "222222", "333333"];
    let free = tries
        .into_iter()
        .find(|code| !near.iter().any(|n| n == code));
    free.unwrap().to_owned()
}

with_app!(it_counts_only_after_its_first_code, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.begin_totp(&anna).await;
    log_in(app, &anna, PASSWORD, "").await.expect(200);
    let code = wrong(&phone, app.clock.now());
    let answer = confirm(app, &anna, &code).await.expect(400);
    assert_eq!(answer.code(), "totp:totp_wrong");
    assert!(account(app, &anna).await["totp"]["since"].is_null());

    let answer = confirm(app, &anna, &phone.code(app.clock.now())).await;
    let codes = answer.expect(200).json();
    assert_eq!(codes["recovery_codes"].as_array().unwrap().len(), 10);
    let totp = account(app, &anna).await["totp"].clone();
    assert_eq!(totp["since"], app.clock.now());
    assert_eq!(totp["recovery_codes"], 10);
    assert_eq!(totp["required"], false);
    let answer = log_in(app, &anna, PASSWORD, "").await.expect(401);
    assert_eq!(answer.code(), "totp_required");
});

with_app!(setting_it_up_takes_the_password_and_half_an_hour, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (password, code) in [
        ("", "password:required"),
        ("Falsch-123!", "password:password_wrong"),
    ] {
        let call = app.post(TOTP, &[("password", password)]);
        let answer = call.bearer(&anna.access).send().await.expect(400);
        assert_eq!(answer.code(), code);
    }
    let answer = confirm(app, &anna, "123456").await.expect(409);
    assert_eq!(answer.code(), "totp_not_begun");
    let early = app.begin_totp(&anna).await;
    let phone = app.begin_totp(&anna).await;
    // The secret that was shown first is void.
    confirm(app, &anna, &early.code(app.clock.now()))
        .await
        .expect(400);
    app.clock.advance(30 * MINUTE + 1);
    let anna = app.log_in(&anna.email, false).await;
    let late = confirm(app, &anna, &phone.code(app.clock.now())).await;
    assert_eq!(late.expect(409).code(), "totp_not_begun");
    app.enable_totp(&anna).await;
    let call = app.post(TOTP, &[("password", PASSWORD)]);
    let again = call.bearer(&anna.access).send().await.expect(409);
    assert_eq!(again.code(), "totp_enabled");
});

with_app!(what_is_shown_is_the_same_as_text_link_and_picture, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let call = app.post(TOTP, &[("password", PASSWORD)]);
    let shown = call.bearer(&anna.access).send().await.expect(201).json();
    let secret = shown["secret"].as_str().unwrap();
    assert_eq!(secret.len(), 32);
    let uri =
        format!("otpauth://totp/Suncellar:anna%40example.com?secret={secret}&issuer=Suncellar");
    assert_eq!(shown["uri"], uri);
    let size = shown["qr"]["size"].as_u64().unwrap();
    assert!((21..60).contains(&size));
    // The three finder patterns of a QR code begin at its corners.
    let path = shown["qr"]["path"].as_str().unwrap();
    for corner in [(0, 0), (size - 1, 0), (0, size - 1)] {
        assert!(path.contains(&format!("M{},{}h1", corner.0, corner.1)));
    }
});

with_app!(the_login_takes_the_code_of_now_once, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.enable_totp(&anna).await;
    // The code that set it up is used already.
    let code = phone.code(app.clock.now());
    let answer = log_in(app, &anna, PASSWORD, &code).await.expect(400);
    assert_eq!(answer.code(), "totp:totp_wrong");
    app.clock.advance(5 * TIME_STEP);
    let now = app.clock.now();
    for far in [-2, 2] {
        let code = phone.code(now + far * TIME_STEP);
        log_in(app, &anna, PASSWORD, &code).await.expect(400);
    }
    log_in(app, &anna, PASSWORD, &phone.code(now))
        .await
        .expect(200);
    log_in(app, &anna, PASSWORD, &phone.code(now))
        .await
        .expect(400);
    // A code older than a used one does not work either.
    log_in(app, &anna, PASSWORD, &phone.code(now - TIME_STEP))
        .await
        .expect(400);
    let spaced = phone.code(now + TIME_STEP);
    let spaced = format!(" {} {} ", &spaced[..3], &spaced[3..]);
    log_in(app, &anna, PASSWORD, &spaced).await.expect(200);
});

on_both!(of_many_with_the_same_code_one_comes_in, |db| {
    // Two processes on one database.
    let (app, other) = (TestApp::start(db).await, TestApp::start(db).await);
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.enable_totp(&anna).await;
    let code = phone.code(app.clock.now() + TIME_STEP);
    let tries: Vec<_> = (0..3)
        .flat_map(|_| [&app, &other])
        .map(|app| {
            let fields = [
                ("email", anna.email.as_str()),
                ("password", PASSWORD),
                ("totp", &code),
            ];
            tokio::spawn(app.post("/api/auth/token/", &fields).send())
        })
        .collect();
    let mut entered = 0;
    for one in tries {
        match one.await.unwrap().status.as_u16() {
            200 => entered += 1,
            status => assert_eq!(status, 400),
        }
    }
    assert_eq!(entered, 1);
    app.stop().await;
    other.stop().await;
});

with_app!(whoever_does_not_know_the_password_learns_nothing, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    let phone = app.enable_totp(&anna).await;
    let code = phone.code(app.clock.now() + TIME_STEP);
    let mut answers = Vec::new();
    for (person, totp) in [
        (&anna, ""),
        (&anna, code.as_str()),
        (&anna, "no code"),
        (&ben, ""),
        (&ben, "123456"),
    ] {
        answers.push(
            log_in(app, person, "Falsch-123!", totp)
                .await
                .expect(401)
                .text,
        );
    }
    answers.dedup();
    assert_eq!(answers.len(), 1);
    // The failed attempts do not use up the code either.
    log_in(app, &anna, PASSWORD, &code).await.expect(200);
    // An account without a second factor ignores a given code.
    log_in(app, &ben, PASSWORD, "123456").await.expect(200);
});

with_app!(ten_tries_an_hour_and_the_known_browser_has_its_own, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let known = log_in(app, &anna, PASSWORD, "").await.expect(200);
    let cookie = known.headers["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let anna = app.log_in(&anna.email, false).await;
    let phone = app.enable_totp(&anna).await;
    let guess = wrong(&phone, app.clock.now());
    for n in 0..10 {
        // Stays below the limit of the login itself.
        app.clock.advance(10_000);
        let answer = log_in(app, &anna, PASSWORD, &guess).await.expect(400);
        assert!(!answer.headers.contains_key("set-cookie"), "try {n}");
    }
    app.clock.advance(10_000);
    let code = phone.code(app.clock.now());
    let held = log_in(app, &anna, PASSWORD, &code).await.expect(429);
    assert_eq!(held.code(), "too_many_attempts");
    // With a wrong password, the answer does not reveal this.
    log_in(app, &anna, "Falsch-123!", &code).await.expect(401);
    let fields = [
        ("email", anna.email.as_str()),
        ("password", PASSWORD),
        ("totp", &code),
    ];
    let call = app.post("/api/auth/token/", &fields);
    call.header("cookie", &cookie).send().await.expect(200);
    app.clock.advance(HOUR);
    log_in(app, &anna, PASSWORD, &phone.code(app.clock.now()))
        .await
        .expect(200);
});

with_app!(a_recovery_code_works_once_and_is_told_by_mail, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.enable_totp(&anna).await;
    let code = phone.recovery_codes[3].to_lowercase().replace('-', " ");
    log_in(app, &anna, PASSWORD, &code).await.expect(200);
    let again = log_in(app, &anna, PASSWORD, &code).await.expect(400);
    assert_eq!(again.code(), "totp:totp_wrong");
    assert_eq!(account(app, &anna).await["totp"]["recovery_codes"], 9);
    let mails = app.sent_mails().await;
    let told = mails.iter().rev().find(|mail| mail.to == anna.email);
    let told = told.unwrap();
    assert_eq!(told.subject, "Ein Wiederherstellungscode wurde benutzt");
    assert!(told.text.contains("Es bleiben 9."), "{}", told.text);

    // Another person's recovery code does not work.
    let ben = app.owner("ben", "SC000002").await;
    app.enable_totp(&ben).await;
    log_in(app, &ben, PASSWORD, &phone.recovery_codes[4])
        .await
        .expect(400);
});

with_app!(new_recovery_codes_void_the_old_ones, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.enable_totp(&anna).await;
    let code = phone.code(app.clock.now() + TIME_STEP);
    for (password, totp, refused) in [
        ("Falsch-123!", code.as_str(), "password:password_wrong"),
        (PASSWORD, "", "totp:required"),
        (PASSWORD, "12", "totp:totp_wrong"),
    ] {
        let call = app.post(RECOVERY, &[("password", password), ("totp", totp)]);
        let answer = call.bearer(&anna.access).send().await.expect(400);
        assert_eq!(answer.code(), refused);
    }
    let call = app.post(RECOVERY, &[("password", PASSWORD), ("totp", &code)]);
    let new = call.bearer(&anna.access).send().await.expect(200).json();
    log_in(app, &anna, PASSWORD, &phone.recovery_codes[0])
        .await
        .expect(400);
    let new = new["recovery_codes"][0].as_str().unwrap();
    log_in(app, &anna, PASSWORD, new).await.expect(200);
});

with_app!(switching_it_off_takes_password_and_code, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let off = async |password: &str, totp: &str| {
        let call = app
            .call("DELETE", TOTP)
            .form(&[("password", password), ("totp", totp)]);
        call.bearer(&anna.access).send().await
    };
    assert_eq!(
        off(PASSWORD, "123456").await.expect(409).code(),
        "totp_disabled"
    );
    let phone = app.enable_totp(&anna).await;
    let code = phone.code(app.clock.now() + TIME_STEP);
    off("Falsch-123!", &code).await.expect(400);
    off(PASSWORD, &wrong(&phone, app.clock.now()))
        .await
        .expect(400);
    off(PASSWORD, &code).await.expect(204);
    log_in(app, &anna, PASSWORD, "").await.expect(200);
    assert!(account(app, &anna).await["totp"]["since"].is_null());
    let told = subjects(app, &anna).await;
    let told: Vec<_> = told.iter().map(String::as_str).collect();
    assert!(
        told.ends_with(&[
            "Anmeldung in zwei Schritten ist eingeschaltet",
            "Anmeldung in zwei Schritten ist ausgeschaltet"
        ]),
        "{told:?}"
    );
});

with_app!(setting_it_up_ends_other_sessions, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let elsewhere = app.log_in(&anna.email, false).await;
    app.enable_totp(&anna).await;
    account(app, &anna).await;
    let call = app.get("/api/auth/account/").bearer(&elsewhere.access);
    call.send().await.expect(401);
    let refresh = [("refresh", elsewhere.refresh.as_str())];
    app.post("/api/auth/token/refresh/", &refresh)
        .send()
        .await
        .expect(401);
    let refresh = [("refresh", anna.refresh.as_str())];
    app.post("/api/auth/token/refresh/", &refresh)
        .send()
        .await
        .expect(200);
});

with_app!(a_reset_password_leaves_it_on, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.enable_totp(&anna).await;
    app.post("/api/auth/password_reset/", &[("email", &anna.email)])
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
    let answer = log_in(app, &anna, new, "").await.expect(401);
    assert_eq!(answer.code(), "totp_required");
    let code = phone.code(app.clock.now() + TIME_STEP);
    log_in(app, &anna, new, &code).await.expect(200);
});

with_app!(an_owner_without_systems_is_asked_too, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.enable_totp(&anna).await;
    let call = app.call("DELETE", "/api/auth/usr_sn/SC000001/");
    let call = call.form(&[("password", PASSWORD)]);
    call.bearer(&anna.access).send().await.expect(204);
    log_in(app, &anna, PASSWORD, "").await.expect(401);
    let code = phone.code(app.clock.now() + TIME_STEP);
    let answer = log_in(app, &anna, PASSWORD, &code).await.expect(403);
    assert_eq!(answer.code(), "no_systems");
});

with_app!(
    the_operator_resets_it_for_somebody_who_lost_everything,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        app.enable_totp(&anna).await;
        let email = anna.email.parse().unwrap();
        let reset = app.service.reset_totp(&email).await;
        assert_eq!(reset.unwrap(), service::totp::TotpReset::Done);
        let call = app.get("/api/auth/account/").bearer(&anna.access);
        call.send().await.expect(401);
        log_in(app, &anna, PASSWORD, "").await.expect(200);
        let told = subjects(app, &anna).await;
        assert_eq!(
            told.last().unwrap(),
            "Die Anmeldung in zwei Schritten ist zurückgesetzt"
        );
        let lines = app
            .store
            .journal_of(app.account_id(&anna.email).await)
            .await
            .unwrap();
        let line = lines
            .iter()
            .find(|line| line.event == "totp_reset")
            .unwrap();
        assert_eq!(line.actor, "operator");
        let again = app.service.reset_totp(&email).await;
        assert_eq!(again.unwrap(), service::totp::TotpReset::Nothing);
        let nobody = "nobody@example.com".parse().unwrap();
        let nobody = app.service.reset_totp(&nobody).await;
        assert_eq!(nobody.unwrap(), service::totp::TotpReset::NoAccount);
    }
);

on_both!(electricians_who_need_it_do_nothing_else_before, |db| {
    let app =
        TestApp::start_with(db, |settings| settings.require_totp_of_electricians = true).await;
    // For owners it is optional.
    let anna = app.owner("anna", "SC000001").await;
    let systems = app.get("/api/auth/usr_sn/").bearer(&anna.access);
    systems.send().await.expect(200);

    let eva = app.electrician("eva").await;
    let entered = app.try_log_in(&eva.email, PASSWORD, true).await.expect(200);
    assert_eq!(entered.json()["must_enrol"], true);
    assert_eq!(account(&app, &eva).await["totp"]["required"], true);
    let held = |path: &'static str| app.get(path).bearer(&eva.access).send();
    for path in [
        "/api/auth/usr_sn/",
        "/api/auth/data/",
        "/api/auth/grant/",
        "/api/auth/group/",
    ] {
        assert_eq!(
            held(path).await.expect(403).code(),
            "totp_enrolment_required",
            "{path}"
        );
    }
    let updates = testkit::http::Call::new(
        app.updates,
        "GET".parse().unwrap(),
        "/api/v1/has_update?sn=SC000001",
    );
    let updates = updates.bearer(&eva.access).send().await.expect(403);
    assert_eq!(updates.code(), "totp_enrolment_required");
    // Calls that are not for electricians stay forbidden.
    assert_eq!(
        held("/api/auth/partner/").await.expect(403).code(),
        "forbidden"
    );
    held("/api/auth/account/export/").await.expect(200);

    let phone = app.enable_totp(&eva).await;
    held("/api/auth/usr_sn/").await.expect(200);
    let code = phone.code(app.clock.now() + TIME_STEP);
    let call = app
        .call("DELETE", TOTP)
        .form(&[("password", PASSWORD), ("totp", &code)]);
    let kept = call.bearer(&eva.access).send().await.expect(409);
    assert_eq!(kept.code(), "totp_is_duty");
    let refresh = [("refresh", eva.refresh.as_str())];
    let next = app
        .post("/api/auth/token/refresh/", &refresh)
        .send()
        .await
        .expect(200);
    assert_eq!(next.json()["must_enrol"], false);
    app.stop().await;
});

on_both!(neither_secret_nor_recovery_codes_are_kept_in_clear, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", "SC000001").await;
    let call = app.post(TOTP, &[("password", PASSWORD)]);
    let shown = call.bearer(&anna.access).send().await.expect(201).json();
    let secret = shown["secret"].as_str().unwrap();
    let phone = app.enable_totp(&anna).await;
    let kept = format!("{:?}", db.dump().await);
    let plain = phone
        .recovery_codes
        .iter()
        .map(|code| code.replace('-', ""));
    for clear in [secret.to_owned()]
        .into_iter()
        .chain(plain)
        .chain(phone.recovery_codes.clone())
    {
        let hex: String = clear.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert!(
            !kept.contains(&clear) && !kept.to_lowercase().contains(&hex),
            "{clear}"
        );
    }
    app.stop().await;
});

with_app!(after_a_clock_that_was_ahead_codes_count_again, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let phone = app.enable_totp(&anna).await;
    app.clock.advance(365 * DAY);
    let code = phone.code(app.clock.now());
    log_in(app, &anna, PASSWORD, &code).await.expect(200);
    app.clock.advance(MINUTE - 365 * DAY);
    let code = phone.code(app.clock.now());
    log_in(app, &anna, PASSWORD, &code).await.expect(200);
    log_in(app, &anna, PASSWORD, &code).await.expect(400);
});
