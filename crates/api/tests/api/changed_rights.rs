//! Rights are read before the transaction that uses them begins. Whoever has lost them in between changes nothing.
#![allow(clippy::unwrap_used)]
use domain::clock::MINUTE;
use domain::grant::GrantScope;
use domain::session::SessionKind;
use domain::site::SiteChange;
use service::grant::{GrantTerms, Invitation};
use store::{Access, end_user::EndUser};
use testkit::{PASSWORD, Person, TestApp, with_app};

const SN: &str = "SC000001";

/// The person's access to the system as a call would have read it now.
async fn read_access(app: &TestApp, person: &Person, session: u8) -> Access {
    let (account, now) = (app.account_id(&person.email).await, app.clock.now());
    let session = [session; 16];
    let kind = SessionKind::Short;
    let store = &app.store;
    store
        .start_session(session, account, kind, now)
        .await
        .unwrap();
    let entered = store.authenticate_session(&session, now).await.unwrap();
    entered.unwrap().1[0].clone()
}

/// Every change at a system that one may make with an access.
async fn nothing_is_changed(app: &TestApp, access: &Access) {
    let service = &app.service;
    let names = EndUser {
        first_name: "Eva".into(),
        last_name: "Berg".into(),
    };
    let key = "SC000009".parse().unwrap();
    let (email, note, text) = (
        "eva@example.com".parse().unwrap(),
        "Hund".parse().unwrap(),
        "Da".parse().unwrap(),
    );
    let invitation = Invitation {
        email: &email,
        scope: GrantScope::Service,
        last_day: None,
        shares_contact: false,
    };
    let terms = GrantTerms::default();
    let refused = [
        service.name_end_user(access, &names).await.is_err(),
        service
            .change_site(access, &SiteChange::default())
            .await
            .is_err(),
        service.replace_unit(access, &key).await.is_err(),
        service.begin_commissioning(&[access]).await.is_err(),
        service.acknowledge_alarm(access, 1).await.is_err(),
        service.comment_on_alarm(access, 1, &text).await.is_err(),
        service.cancel_update(access).await.is_err(),
        service
            .save_customer_note(access, &note, None)
            .await
            .is_err(),
        service.add_customer_photo(access, b"").await.is_err(),
        service.invite(&[access], invitation).await.is_err(),
        service.approve_grants(&[(access, 1)], terms).await.is_err(),
        service.withdraw_grant(access, 1).await.is_err(),
        service.offer_handover(access, &email).await.is_err(),
        service.unlink(access).await.is_err(),
    ];
    assert_eq!(refused, [true; 14]);
}

with_app!(who_lost_the_right_a_moment_before_changes_nothing, |app| {
    let anna = app.owner("anna", SN).await;
    let boss = app.electrician("boss").await;
    let grant = app.grant(&anna, &boss, SN, "service").await;
    let tech = app.colleague(&boss, "tina", "technician").await;
    let path = format!("/api/auth/grant/{grant}/");

    // A smaller role.
    let access = read_access(app, &tech, 1).await;
    app.service.acknowledge_alarm(&access, 1).await.unwrap();
    let id = app.account_id(&tech.email).await;
    let less = app.call("PATCH", &format!("/api/auth/company/member/{id}/"));
    let less = less.form(&[("role", "office"), ("password", PASSWORD)]);
    less.bearer(&boss.access).send().await.expect(204);
    nothing_is_changed(app, &access).await;

    // A smaller scope.
    let access = read_access(app, &boss, 2).await;
    let less = app.call("PATCH", &path).form(&[("scope", "monitor")]);
    less.bearer(&anna.access).send().await.expect(200);
    nothing_is_changed(app, &access).await;

    // No access any more.
    let access = read_access(app, &boss, 3).await;
    let ended = app.call("DELETE", &path).bearer(&anna.access);
    ended.send().await.expect(204);
    nothing_is_changed(app, &access).await;

    // No owner any more.
    let access = read_access(app, &anna, 4).await;
    app.clock.advance(MINUTE);
    app.service.unlink(&access).await.unwrap();
    nothing_is_changed(app, &access).await;
});
