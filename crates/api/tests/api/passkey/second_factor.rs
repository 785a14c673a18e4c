//! A passkey beside the password, in place of the code.
use super::{begin, list, log_in, remove};
use domain::totp::TIME_STEP;
use testkit::{PASSWORD, TestApp, on_both, with_app};

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
