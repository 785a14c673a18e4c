//! Requests by electricians, and installer codes for systems without an owner.
use super::{ask, change, end, get, list, post, seen, subjects, systems};
use domain::clock::DAY;
use serde_json::{Value, json};
use testkit::with_app;

with_app!(
    asking_answers_the_same_whether_the_system_exists_or_not,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        let real = ask(app, &eva, "SC000001").await.expect(202).json();
        let missing = ask(app, &eva, "SC999999").await.expect(202).json();
        assert_eq!(real["text"], missing["text"]);
        let held = list(app, &eva, "held").await;
        let without = |entry: &Value| {
            let mut entry = entry.clone();
            entry
                .as_object_mut()
                .unwrap()
                .retain(|name, _| name != "id" && name != "sn");
            entry
        };
        assert_eq!(held.len(), 2);
        assert_eq!(without(&held[0]), without(&held[1]));
        assert!(systems(app, &eva).await.is_empty());
        // The owner is notified once, and decides.
        app.send_grant_mails().await;
        app.send_grant_mails().await;
        let told = subjects(app, &anna).await;
        assert_eq!(
            told.iter()
                .filter(|it| *it == "Ein Elektriker bittet um Zugang")
                .count(),
            1
        );
        let given = list(app, &anna, "given").await;
        assert_eq!(
            (&given[0]["state"], &given[0]["email"]),
            (&json!("asked"), &json!(eva.email))
        );
        let id = given[0]["id"].as_i64().unwrap();
        let approved = change(
            app,
            &anna,
            id,
            &[("scope", "configure"), ("until", "2026-12-01")],
        )
        .await;
        let approved = approved.expect(200).json();
        assert_eq!(
            (&approved["state"], &approved["until_day"]),
            (&json!("active"), &json!("2026-12-01"))
        );
        assert_eq!(systems(app, &eva).await, seen("SC000001", "configure"));
        assert_eq!(
            subjects(app, &eva).await.last().unwrap(),
            "Sie haben Zugang zu einem Speicher"
        );
        // The other request expires.
        app.clock.advance(14 * DAY);
        let eva = app.log_in(&eva.email, true).await;
        let held = list(app, &eva, "held").await;
        assert_eq!(held.len(), 1);
    }
);

with_app!(
    a_refused_request_looks_like_one_that_nobody_has_read,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        ask(app, &eva, "SC000001").await.expect(202);
        ask(app, &eva, "SC999999").await.expect(202);
        let id = list(app, &anna, "given").await[0]["id"].as_i64().unwrap();
        end(app, &anna, id).await.expect(204);
        assert!(list(app, &anna, "given").await.is_empty());
        let held = list(app, &eva, "held").await;
        assert_eq!(
            (&held[0]["state"], &held[1]["state"]),
            (&json!("asked"), &json!("asked"))
        );
        // Asking again does not notify her again.
        ask(app, &eva, "SC000001").await.expect(202);
        app.send_grant_mails().await;
        assert!(list(app, &anna, "given").await.is_empty());
        assert!(
            !subjects(app, &anna)
                .await
                .contains(&"Ein Elektriker bittet um Zugang".to_owned())
        );
        change(app, &anna, id, &[]).await.expect(404);
        // The electrician may withdraw a request, and sees no difference there either.
        for entry in held {
            end(app, &eva, entry["id"].as_i64().unwrap())
                .await
                .expect(204);
        }
        assert!(list(app, &eva, "held").await.is_empty());
    }
);

with_app!(
    a_request_that_was_withdrawn_and_is_made_again_reaches_the_owner_once,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        let told = async || {
            app.send_grant_mails().await;
            let subject = "Ein Elektriker bittet um Zugang";
            let told = subjects(app, &anna).await;
            told.iter().filter(|it| *it == subject).count()
        };
        let withdraw = async || {
            let held = list(app, &eva, "held").await;
            let id = held[0]["id"].as_i64().unwrap();
            end(app, &eva, id).await.expect(204);
            assert!(list(app, &eva, "held").await.is_empty());
            end(app, &eva, id).await.expect(404);
        };
        for _ in 0..3 {
            ask(app, &eva, "SC000001").await.expect(202);
            assert_eq!(told().await, 1);
            withdraw().await;
            assert!(list(app, &anna, "given").await.is_empty());
        }
        // A refusal holds as well.
        ask(app, &eva, "SC000001").await.expect(202);
        let id = list(app, &anna, "given").await[0]["id"].as_i64().unwrap();
        end(app, &anna, id).await.expect(204);
        withdraw().await;
        ask(app, &eva, "SC000001").await.expect(202);
        assert!(list(app, &anna, "given").await.is_empty());
        assert_eq!(told().await, 1);
        let journal = get(app, &anna, "/api/auth/journal/").await.expect(200);
        let lines = journal.json()["lines"].as_array().unwrap().clone();
        let asked = lines.iter().filter(|it| it["event"] == "grant_asked");
        assert_eq!(asked.count(), 1);
        // When the request would have expired, it is a new one.
        app.clock.advance(14 * DAY);
        let eva = app.log_in(&eva.email, true).await;
        ask(app, &eva, "SC000001").await.expect(202);
        assert_eq!(told().await, 2);
    }
);

with_app!(requests_are_counted_but_use_up_no_tries_of_codes, |app| {
    let eva = app.electrician("eva").await;
    for n in 0..30 {
        ask(app, &eva, &format!("SC1000{n:02}")).await.expect(202);
    }
    let refused = ask(app, &eva, "SC200000").await.expect(429);
    assert_eq!(refused.code(), "too_many_attempts");
    let code = [("code", "7K3QF-9TWXA-B2C4D-E5G6H")];
    for _ in 0..10 {
        let wrong = post(app, &eva, "/api/auth/grant/code/", &code).await;
        wrong.expect(400);
    }
    post(app, &eva, "/api/auth/grant/code/", &code)
        .await
        .expect(429);
});

with_app!(a_days_codes_leave_the_customer_all_tries, |app| {
    let eva = app.electrician("eva").await;
    for n in 0..12 {
        let sn = app.device(&format!("SC0000{n:02}")).await;
        let code = app.installer_code(&[&sn]).await;
        let form = [("code", code.as_str())];
        let opened = post(app, &eva, "/api/auth/grant/code/", &form).await;
        opened.expect(200);
    }
    // At the same address.
    let sn = app.device("SC000020").await;
    let code = app.code(&[&sn]).await;
    let form = app.owner_form("anna@example.com", &code);
    let registered = app.post("/api/auth/register/", &form).send().await;
    registered.expect(201);
});

with_app!(an_installer_code_opens_a_system_that_nobody_owns, |app| {
    let units = [app.device("SC000001").await, app.device("SC000002").await];
    let code = app.installer_code(&units.each_ref()).await;
    let eva = app.electrician("eva").await;
    let fields = [("code", code.to_lowercase())];
    let fields = fields
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let opened = post(app, &eva, "/api/auth/grant/code/", &fields)
        .await
        .expect(200)
        .json();
    assert_eq!(opened["grants"][1]["sn"], "SC000002");
    assert_eq!(opened["grants"][0]["until_day"], "2026-12-15", "30 days");
    assert_eq!(systems(app, &eva).await.len(), 2);
    let set = [("version", "0"), ("charge_limit", "2000")];
    post(app, &eva, "/api/auth/settings/?sn=SC000001", &set)
        .await
        .expect(200);
    // The code works once.
    let again = post(app, &eva, "/api/auth/grant/code/", &fields)
        .await
        .expect(400);
    assert_eq!(again.code(), "code:installer_code_unknown");
    // An owner claims one of them: the installer keeps access, and the owner is asked.
    let anna_code = app.code(&[&units[0]]).await;
    let form = app.owner_form("anna@example.com", &anna_code);
    app.post("/api/auth/register/", &form)
        .from("10.1.1.1")
        .send()
        .await
        .expect(201);
    let anna = app.log_in("anna@example.com", false).await;
    assert_eq!(systems(app, &eva).await.len(), 2);
    let given = list(app, &anna, "given").await;
    assert_eq!(given.len(), 1);
    assert_eq!(given[0]["state"], "unconfirmed");
    app.send_grant_mails().await;
    assert_eq!(
        subjects(app, &anna).await.last().unwrap(),
        "Bitte bestätigen Sie Ihren Elektriker"
    );
    let installer = get(app, &anna, "/api/auth/usr_sn/").await.json()[0]["installer"].clone();
    assert_eq!(
        (&installer["company"], &installer["state"]),
        (&json!("Elektro Sonnenberg"), &json!("unconfirmed"))
    );
    let id = given[0]["id"].as_i64().unwrap();
    let confirmed = change(app, &anna, id, &[]).await.expect(200).json();
    assert_eq!(
        (&confirmed["state"], &confirmed["until_day"]),
        (&json!("active"), &json!("2026-12-15"))
    );
    end(app, &anna, id).await.expect(204);
    assert_eq!(systems(app, &eva).await, seen("SC000002", "service"));
});

with_app!(an_installer_code_does_not_open_what_somebody_owns, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let code = app.installer_code(&[&"SC000001".parse().unwrap()]).await;
    let registration = app.code(&[&app.device("SC000002").await]).await;
    let eva = app.electrician("eva").await;
    for (code, want) in [
        (code.as_str(), "code:installer_code_owned"),
        (registration.as_str(), "code:installer_code_unknown"),
        ("nonsense", "code:installer_code_unknown"),
        ("", "code:required"),
    ] {
        let refused = post(app, &eva, "/api/auth/grant/code/", &[("code", code)])
            .await
            .expect(400);
        assert_eq!(refused.code(), want);
    }
    // It does not make anyone an owner either.
    let keys = [("keys", code.as_str())];
    let result = post(app, &anna, "/api/auth/usr_sn/", &keys)
        .await
        .expect(200)
        .json();
    assert_eq!(result["keys"][0]["status"], "unknown");
});
