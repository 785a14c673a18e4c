//! Logging in, staying logged in, logging out.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, SECOND};
use testkit::{PASSWORD, Person, TestApp, on_both, with_app};

/// A call that reads the session together with its systems, possibly both from the cache.
async fn sees_data(app: &TestApp, access: &str) -> u16 {
    let call = app.get("/api/auth/data/").bearer(access);
    call.send().await.status.as_u16()
}

async fn sees_systems(app: &TestApp, access: &str) -> u16 {
    app.get("/api/auth/usr_sn/")
        .bearer(access)
        .send()
        .await
        .status
        .as_u16()
}

async fn refresh(app: &TestApp, token: &str) -> testkit::TestResponse {
    app.post("/api/auth/token/refresh/", &[("refresh", token)])
        .send()
        .await
}

with_app!(an_owner_logs_in_and_sees_the_own_system, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let systems = app
        .get("/api/auth/usr_sn/")
        .bearer(&anna.access)
        .send()
        .await
        .expect(200)
        .json();
    assert_eq!(systems[0]["sn"], "SC000001");
    assert_eq!(systems[0]["access"], "owner");
});

with_app!(
    wrong_password_unknown_address_and_wrong_role_get_the_same_answer,
    |app| {
        app.owner("anna", "SC000001").await;
        let wrong = app
            .try_log_in("anna@example.com", "Falsch-123!", false)
            .await
            .expect(401);
        let unknown = app
            .try_log_in("nobody@example.com", PASSWORD, false)
            .await
            .expect(401);
        let role = app
            .try_log_in("anna@example.com", PASSWORD, true)
            .await
            .expect(401);
        let malformed = app
            .try_log_in("not an address", PASSWORD, false)
            .await
            .expect(401);
        assert_eq!(wrong.code(), "invalid_credentials");
        for other in [unknown, role, malformed] {
            assert_eq!(other.text, wrong.text);
        }
    }
);

with_app!(
    an_owner_without_systems_gets_the_key_page_and_nothing_else,
    |app| {
        let paul = app.unlinked("paul", "SC000002").await;
        let answer = app
            .try_log_in(&paul.email, PASSWORD, false)
            .await
            .expect(403);
        assert_eq!(answer.code(), "no_systems");
        assert_eq!(sees_systems(app, &paul.access).await, 200);
        app.call("PATCH", "/api/auth/account/")
            .form(&[("language", "fr")])
            .bearer(&paul.access)
            .send()
            .await
            .expect(403);
        app.get("/api/auth/partner/")
            .bearer(&paul.access)
            .send()
            .await
            .expect(403);
        app.clock.advance(31 * MINUTE);
        assert_eq!(
            sees_systems(app, &paul.access).await,
            401,
            "the limited token ends with the claim"
        );
    }
);

with_app!(
    an_access_token_lives_15_minutes_and_a_refresh_token_gives_the_next,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        app.clock.advance(15 * MINUTE - SECOND);
        assert_eq!(sees_systems(app, &anna.access).await, 200);
        app.clock.advance(SECOND);
        assert_eq!(sees_systems(app, &anna.access).await, 401);
        let next = refresh(app, &anna.refresh).await.expect(200).json();
        assert_eq!(
            sees_systems(app, next["access"].as_str().unwrap()).await,
            200
        );
    }
);

with_app!(ten_refreshes_at_once_answer_the_same_successor, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let calls = (0..10).map(|_| {
        app.post("/api/auth/token/refresh/", &[("refresh", &anna.refresh)])
            .send()
    });
    let tasks: Vec<_> = calls.map(tokio::spawn).collect();
    let mut successors = Vec::new();
    for task in tasks {
        successors.push(task.await.unwrap().expect(200).json()["refresh"].clone());
    }
    successors.dedup();
    assert_eq!(successors.len(), 1);
    refresh(app, successors[0].as_str().unwrap())
        .await
        .expect(200);
});

with_app!(
    a_refresh_token_whose_successor_was_used_ends_the_session_with_a_journal_line,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let next = refresh(app, &anna.refresh).await.expect(200).json();
        let successor = next["refresh"].as_str().unwrap();
        refresh(app, successor).await.expect(200);
        assert_eq!(
            refresh(app, &anna.refresh).await.expect(401).code(),
            "refresh_invalid"
        );
        refresh(app, successor).await.expect(401);
        assert_eq!(
            sees_systems(app, next["access"].as_str().unwrap()).await,
            401
        );
        let journal = app
            .store
            .journal_of(app.account_id(&anna.email).await)
            .await
            .unwrap();
        assert!(journal.iter().any(|line| line.event == "session_reused"));
    }
);

with_app!(
    a_client_that_keeps_only_the_access_token_of_an_answer_stays_logged_in,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        for _ in 0..3 {
            app.clock.advance(16 * MINUTE);
            let next = refresh(app, &anna.refresh).await.expect(200).json();
            let access = next["access"].as_str().unwrap();
            assert_eq!(sees_systems(app, access).await, 200);
        }
    }
);

with_app!(
    logout_works_with_an_expired_access_token_by_the_refresh_token,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let other = app.log_in(&anna.email, false).await;
        app.clock.advance(16 * MINUTE);
        let log_out = |fields: &[(&str, &str)]| {
            let call = app.post("/api/auth/logout/", fields);
            call.bearer(&anna.access).send()
        };
        log_out(&[]).await.expect(401);
        log_out(&[("refresh", "rubbish")]).await.expect(401);
        let last = [("refresh", anna.refresh.as_str())];
        log_out(&last).await.expect(204);
        refresh(app, &anna.refresh).await.expect(401);
        // Logging out twice succeeds as well.
        log_out(&last).await.expect(204);
        refresh(app, &other.refresh).await.expect(200);
        let all = [("refresh", other.refresh.as_str()), ("all", "1")];
        log_out(&all).await.expect(204);
        refresh(app, &other.refresh).await.expect(401);
    }
);

with_app!(
    a_short_session_ends_after_12_hours_and_a_long_one_after_30_idle_days,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let stay = [
            ("email", anna.email.as_str()),
            ("password", PASSWORD),
            ("stayLoggedIn", "true"),
        ];
        let long = app
            .post("/api/auth/token/", &stay)
            .send()
            .await
            .expect(200)
            .json();
        app.clock.advance(12 * HOUR + SECOND);
        refresh(app, &anna.refresh).await.expect(401);
        let mut token = long["refresh"].as_str().unwrap().to_owned();
        for _ in 0..3 {
            app.clock.advance(29 * DAY);
            token = refresh(app, &token).await.expect(200).json()["refresh"]
                .as_str()
                .unwrap()
                .to_owned();
        }
        app.clock.advance(29 * DAY);
        refresh(app, &token).await.expect(401);
    }
);

with_app!(
    logout_ends_this_session_on_the_server_and_all_ends_every_one,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let Person { access: second, .. } = app.log_in(&anna.email, false).await;
        let third = app.log_in(&anna.email, false).await;
        app.post("/api/auth/logout/", &[])
            .bearer(&anna.access)
            .send()
            .await
            .expect(204);
        assert_eq!(sees_systems(app, &anna.access).await, 401);
        refresh(app, &anna.refresh).await.expect(401);
        assert_eq!(sees_systems(app, &second).await, 200);
        app.post("/api/auth/logout/", &[("all", "1")])
            .bearer(&second)
            .send()
            .await
            .expect(204);
        assert_eq!(sees_systems(app, &third.access).await, 401);
    }
);

with_app!(a_locked_account_is_out_at_once_and_cannot_log_in, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let email = anna.email.parse().unwrap();
    assert_eq!(sees_data(app, &anna.access).await, 200);
    assert!(app.service.lock_account(&email, true).await.unwrap());
    assert_eq!(sees_data(app, &anna.access).await, 401);
    assert_eq!(sees_systems(app, &anna.access).await, 401);
    assert_eq!(
        app.try_log_in(&anna.email, PASSWORD, false)
            .await
            .expect(401)
            .code(),
        "invalid_credentials"
    );
    assert!(app.service.lock_account(&email, false).await.unwrap());
    app.log_in(&anna.email, false).await;
});

with_app!(a_session_that_ends_is_out_at_once, |app| {
    let anna = app.owner("anna", "SC000001").await;
    assert_eq!(sees_data(app, &anna.access).await, 200);
    let logout = app.post("/api/auth/logout/", &[]).bearer(&anna.access);
    logout.send().await.expect(204);
    assert_eq!(sees_data(app, &anna.access).await, 401);
});

on_both!(
    what_an_operator_locks_from_another_process_is_out_within_a_second,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", "SC000001").await;
        assert_eq!(sees_data(&app, &anna.access).await, 200);
        let operator = testkit::database::open(db.url()).await.unwrap();
        let email = anna.email.parse().unwrap();
        let service = testkit::service_at(&operator, app.clock.now());
        assert!(service.lock_account(&email, true).await.unwrap());
        operator.db().close().await;
        app.clock.advance(SECOND);
        assert_eq!(sees_data(&app, &anna.access).await, 401);
        app.stop().await;
    }
);
