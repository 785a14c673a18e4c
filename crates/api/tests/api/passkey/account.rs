//! Passkeys of an account: made, named, removed, and what else changes with them.
use super::{begin, enter_with, journal, last_mails, list, remove};
use domain::clock::MINUTE;
use serde_json::json;
use service::totp::TotpReset;
use testkit::{PASSWORD, SoftwarePasskey, with_app};

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
        // The same device again, and with another account.
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
