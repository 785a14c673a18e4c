//! Logging in with a passkey instead of a password, and everything that is refused.
use super::{LOGIN, begin, enter, enter_with, journal, list};
use domain::clock::{DAY, MINUTE};
use serde_json::{Value, json};
use testkit::{PASSWORD, SoftwarePasskey, TestApp, on_both, with_app};

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
        // Another person's identifier, and another person's key under her id.
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
