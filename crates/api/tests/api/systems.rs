//! Connecting systems to an account, waiting for the main switch, and giving up a system.
#![allow(clippy::unwrap_used)]
use domain::clock::{HOUR, MINUTE, SECOND};
use domain::{Lang, Message, Serial};
use serde_json::{Value, json};
use testkit::{PASSWORD, TestApp, TestResponse, with_app};

async fn add(app: &TestApp, access: &str, keys: &str) -> TestResponse {
    app.post("/api/auth/usr_sn/", &[("keys", keys)])
        .bearer(access)
        .send()
        .await
}

/// Adds one key and returns its status.
async fn status(app: &TestApp, access: &str, key: &str) -> String {
    let answer = add(app, access, key).await.expect(200).json();
    answer["keys"][0]["status"].as_str().unwrap().to_owned()
}

async fn claims(app: &TestApp, access: &str) -> Value {
    app.get("/api/auth/usr_sn/claims/")
        .bearer(access)
        .send()
        .await
        .expect(200)
        .json()
}

async fn serials(app: &TestApp, access: &str) -> Vec<String> {
    let systems = app
        .get("/api/auth/usr_sn/")
        .bearer(access)
        .send()
        .await
        .expect(200)
        .json();
    let systems = systems.as_array().unwrap().clone();
    systems
        .iter()
        .map(|system| system["sn"].as_str().unwrap().to_owned())
        .collect()
}

async fn unlink(app: &TestApp, access: &str, sn: &str) -> TestResponse {
    app.call("DELETE", &format!("/api/auth/usr_sn/{sn}/"))
        .form(&[("password", PASSWORD)])
        .bearer(access)
        .send()
        .await
}

/// The battery reports that its main switch was turned just now.
async fn turn_switch(app: &TestApp, sn: &str) {
    let sn: Serial = sn.parse().unwrap();
    let now = app.clock.now();
    app.store.report_switch_cycle(&sn, now, now).await.unwrap();
}

/// Logs in again, because the old token may have expired.
async fn again(app: &TestApp, email: &str) -> String {
    let answer = app.try_log_in(email, PASSWORD, false).await;
    answer.json()["access"].as_str().unwrap().to_owned()
}

with_app!(a_code_links_every_unit_it_covers_at_once, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let (second, third) = (app.device("SC000002").await, app.device("SC000003").await);
    let code = app.code(&[&second, &third]).await;
    let answer = add(app, &anna.access, &code).await.expect(200).json();
    assert_eq!(answer["keys"][0]["status"], "linked");
    assert_eq!(answer["keys"][0]["sns"], json!(["SC000002", "SC000003"]));
    assert_eq!(
        serials(app, &anna.access).await,
        ["SC000001", "SC000002", "SC000003"]
    );
});

with_app!(a_code_works_once_also_for_its_own_user, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let sn = app.device("SC000002").await;
    let code = app.code(&[&sn]).await;
    assert_eq!(status(app, &anna.access, &code).await, "linked");
    assert_eq!(status(app, &anna.access, &code).await, "unknown");
});

with_app!(a_code_may_be_typed_in_lower_case_and_with_spaces, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let sn = app.device("SC000002").await;
    let code = app.code(&[&sn]).await.to_lowercase().replace('-', " ");
    assert_eq!(status(app, &anna.access, &code).await, "linked");
});

with_app!(each_key_is_answered_for_itself, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.owner("ben", "SC000009").await;
    app.device("SC000002").await;
    let answer = add(app, &anna.access, "SC000002, SC999999,sc1")
        .await
        .expect(200)
        .json();
    let of = |n: usize, field: &str| answer["keys"][n][field].as_str().unwrap().to_owned();
    assert_eq!(of(0, "status"), "waiting");
    assert_eq!(of(1, "status"), "waiting");
    assert_eq!(of(2, "status"), "wrong_format");
    assert_eq!(of(2, "key"), "sc1");
    assert_eq!(status(app, &anna.access, "SC000009").await, "used");
    assert_eq!(status(app, &anna.access, "SC000001").await, "linked");
});

with_app!(how_a_key_ended_is_told_in_the_callers_language, |app| {
    // Two people, because each may try ten keys an hour.
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000009").await;
    for (person, key, message) in [
        (&anna, "SC999999", Message::KeyWaiting),
        (&ben, "7Q4ZC-0R9TN-XW2MH-5BVKD", Message::CodeUnknown),
    ] {
        for lang in Lang::ALL {
            let call = app
                .post("/api/auth/usr_sn/", &[("keys", key)])
                .bearer(&person.access)
                .header("accept-language", lang.code())
                .from(&format!("10.7.7.{}", lang as u8));
            let answer = call.send().await.expect(200).json();
            assert_eq!(answer["keys"][0]["text"], message.text(lang));
        }
    }
});

with_app!(
    a_code_for_somebody_elses_system_tells_nothing_about_it,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        app.owner("ben", "SC000009").await;
        let code = app.code(&[&"SC000009".parse().unwrap()]).await;
        let answer = add(app, &anna.access, &code).await.expect(200).json();
        assert_eq!(answer["keys"][0]["status"], "used");
        assert_eq!(answer["keys"][0]["sns"], json!([]));
        assert_eq!(serials(app, &anna.access).await, ["SC000001"]);
    }
);

with_app!(no_key_and_more_than_three_keys_are_refused, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (keys, code) in [
        ("", "keys:key_required"),
        (" , ", "keys:key_required"),
        ("SC000001,SC000002,SC000003,SC000004", "keys:too_many_keys"),
    ] {
        let answer = add(app, &anna.access, keys).await.expect(400);
        assert_eq!(answer.code(), code, "{keys:?}");
    }
});

with_app!(
    a_serial_number_waits_30_minutes_and_links_when_the_switch_is_turned,
    |app| {
        let anna = app.unlinked("anna", "SC000001").await;
        let claim = claims(app, &anna.access).await;
        let want = json!([{
            "sn": "SC000001", "status": "waiting", "expires_at": app.clock.now() + 30 * MINUTE,
        }]);
        assert_eq!(claim, want);
        app.clock.advance(30 * MINUTE);
        turn_switch(app, "SC000001").await;
        let access = again(app, &anna.email).await;
        assert_eq!(serials(app, &access).await, ["SC000001"]);
        assert_eq!(claims(app, &access).await, json!([]));
    }
);

with_app!(
    a_claim_lapses_after_30_minutes_and_the_switch_comes_too_late,
    |app| {
        let anna = app.unlinked("anna", "SC000001").await;
        app.clock.advance(30 * MINUTE + SECOND);
        let access = again(app, &anna.email).await;
        assert_eq!(claims(app, &access).await[0]["status"], "lapsed");
        turn_switch(app, "SC000001").await;
        assert!(serials(app, &access).await.is_empty());
    }
);

with_app!(a_lapsed_claim_is_renewed_by_adding_the_key_again, |app| {
    let anna = app.unlinked("anna", "SC000001").await;
    app.clock.advance(HOUR);
    let access = again(app, &anna.email).await;
    assert_eq!(status(app, &access, "SC000001").await, "waiting");
    assert_eq!(claims(app, &access).await[0]["status"], "waiting");
    turn_switch(app, "SC000001").await;
    assert_eq!(serials(app, &access).await, ["SC000001"]);
});

with_app!(a_switch_turned_before_the_claim_proves_nothing, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let sn = app.device("SC000002").await;
    let turned = app.clock.now();
    app.clock.advance(MINUTE);
    assert_eq!(status(app, &anna.access, "SC000002").await, "waiting");
    let late_report = app.store.report_switch_cycle(&sn, turned, app.clock.now());
    assert_eq!(late_report.await.unwrap(), None);
    assert_eq!(serials(app, &anna.access).await, ["SC000001"]);
    assert_eq!(claims(app, &anna.access).await[0]["status"], "waiting");
});

with_app!(
    a_report_that_was_held_up_counts_from_when_the_switch_was_turned,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let sn = app.device("SC000002").await;
        add(app, &anna.access, "SC000002").await.expect(200);
        app.clock.advance(10 * MINUTE);
        let turned = app.clock.now();
        app.clock.advance(HOUR);
        let report = app.store.report_switch_cycle(&sn, turned, app.clock.now());
        assert!(report.await.unwrap().is_some());
    }
);

with_app!(two_accounts_waiting_for_one_switch_both_stay_out, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    app.device("SC000003").await;
    add(app, &anna.access, "SC000003").await.expect(200);
    add(app, &ben.access, "SC000003").await.expect(200);
    turn_switch(app, "SC000003").await;
    for access in [&anna.access, &ben.access] {
        assert_eq!(claims(app, access).await[0]["status"], "contested");
        assert_eq!(serials(app, access).await.len(), 1);
    }
});

with_app!(the_printed_code_settles_a_contested_claim, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    let sn = app.device("SC000003").await;
    add(app, &anna.access, "SC000003").await.expect(200);
    add(app, &ben.access, "SC000003").await.expect(200);
    turn_switch(app, "SC000003").await;
    let code = app.code(&[&sn]).await;
    assert_eq!(status(app, &ben.access, &code).await, "linked");
    assert_eq!(claims(app, &ben.access).await, json!([]));
    assert_eq!(status(app, &anna.access, "SC000003").await, "used");
});

with_app!(
    whoever_waits_for_a_system_learns_that_somebody_else_got_it,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let sn = app.device("SC000003").await;
        add(app, &anna.access, "SC000003").await.expect(200);
        let code = app.code(&[&sn]).await;
        assert_eq!(status(app, &ben.access, &code).await, "linked");
        assert_eq!(claims(app, &anna.access).await[0]["status"], "contested");
    }
);

with_app!(a_rival_whose_claim_has_lapsed_is_none, |app| {
    let ben = app.unlinked("ben", "SC000003").await;
    app.clock.advance(31 * MINUTE);
    let anna = app.owner("anna", "SC000001").await;
    add(app, &anna.access, "SC000003").await.expect(200);
    turn_switch(app, "SC000003").await;
    assert_eq!(serials(app, &anna.access).await, ["SC000001", "SC000003"]);
    let ben = again(app, &ben.email).await;
    assert_eq!(claims(app, &ben).await[0]["status"], "lapsed");
});

with_app!(a_switch_that_nobody_waits_for_links_nobody, |app| {
    let anna = app.owner("anna", "SC000001").await;
    app.device("SC000002").await;
    turn_switch(app, "SC000001").await;
    turn_switch(app, "SC000002").await;
    assert_eq!(serials(app, &anna.access).await, ["SC000001"]);
});

with_app!(a_system_given_up_is_free_for_the_next_owner, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    unlink(app, &anna.access, "SC000001").await.expect(204);
    assert!(serials(app, &anna.access).await.is_empty());
    assert_eq!(status(app, &ben.access, "SC000001").await, "waiting");
    turn_switch(app, "SC000001").await;
    assert_eq!(serials(app, &ben.access).await, ["SC000001", "SC000002"]);
    let login = app.try_log_in(&anna.email, PASSWORD, false).await;
    assert_eq!(login.expect(403).code(), "no_systems");
});

with_app!(linking_and_giving_up_stand_in_the_journal, |app| {
    let anna = app.owner("anna", "SC000001").await;
    unlink(app, &anna.access, "SC000001").await.expect(204);
    let account = app.account_id(&anna.email).await;
    let journal = app.store.journal_of(account).await.unwrap();
    let lines: Vec<_> = journal
        .iter()
        .map(|line| (line.event.as_str(), line.sn.as_deref()))
        .collect();
    assert_eq!(
        lines,
        [
            ("registered", None),
            ("system_linked", Some("SC000001")),
            ("system_unlinked", Some("SC000001"))
        ]
    );
});

with_app!(
    somebody_elses_serial_number_and_a_missing_one_get_the_same_answer,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let foreign = unlink(app, &anna.access, "SC000002").await.expect(404);
        assert_eq!(foreign.code(), "not_found");
        for sn in ["SC999999", "sc000002", "rubbish", "-1", "SC000002%20x"] {
            let missing = unlink(app, &anna.access, sn).await.expect(404);
            assert_eq!(missing.text, foreign.text, "{sn}");
        }
        assert_eq!(serials(app, &ben.access).await, ["SC000002"]);
    }
);

with_app!(one_account_may_try_ten_keys_an_hour_from_wherever, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let attempt = |n: usize| {
        app.post("/api/auth/usr_sn/", &[("keys", "SC999999")])
            .bearer(&anna.access)
            .from(&format!("10.2.2.{n}"))
            .send()
    };
    for n in 0..10 {
        attempt(n).await.expect(200);
    }
    let slow = attempt(10).await.expect(429);
    assert_eq!(slow.code(), "too_many_attempts");
    assert!(slow.headers.contains_key("retry-after"));
});

with_app!(one_address_may_try_ten_keys_an_hour_for_whomever, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    for access in [&anna.access, &ben.access] {
        for _ in 0..5 {
            add(app, access, "SC999999").await.expect(200);
        }
    }
    add(app, &ben.access, "SC999999").await.expect(429);
});

with_app!(a_refused_try_links_nothing, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for _ in 0..3 {
        let keys = "SC999991,SC999992,SC999993";
        add(app, &anna.access, keys).await.expect(200);
    }
    let sn = app.device("SC000002").await;
    let code = app.code(&[&sn]).await;
    add(app, &anna.access, &format!("{code},SC999999"))
        .await
        .expect(429);
    assert_eq!(serials(app, &anna.access).await, ["SC000001"]);
});

with_app!(an_electrician_cannot_connect_systems_as_an_owner, |app| {
    let eva = app.electrician("eva").await;
    let sn = app.device("SC000001").await;
    let code = app.code(&[&sn]).await;
    add(app, &eva.access, &code).await.expect(403);
    assert!(serials(app, &eva.access).await.is_empty());
});

with_app!(an_owner_sees_only_the_own_systems_and_claims, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    app.device("SC000003").await;
    add(app, &ben.access, "SC000003").await.expect(200);
    assert_eq!(serials(app, &anna.access).await, ["SC000001"]);
    assert_eq!(claims(app, &anna.access).await, json!([]));
});

with_app!(a_system_is_listed_with_these_fields_and_no_others, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let call = app.get("/api/auth/usr_sn/").bearer(&anna.access);
    let want = json!([{
        "sn": "SC000001", "phase": 1, "master_version": null, "gateway_version": null, "slave_version": null,
        "first_name": null, "last_name": null, "group_name": null, "access": "owner", "installer": null, "time_zone": "Europe/Berlin", "place": null, "kwp": null,
        "hardware": null, "capacity": null, "charge_max": null, "discharge_max": null, "isActive": false,
        "household": null, "commissioning": null,
    }]);
    assert_eq!(call.send().await.expect(200).json(), want);
});

with_app!(the_owner_says_who_lives_with_a_system, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let name = async |first_name: &str, last_name: &str| {
        app.call("PATCH", "/api/auth/system/SC000001/")
            .form(&[("first_name", first_name), ("last_name", last_name)])
            .bearer(&anna.access)
            .send()
            .await
    };
    let wrong = name(" ", &"x".repeat(201)).await.expect(400).json();
    assert_eq!(
        wrong["codes"],
        json!({"first_name": ["required"], "last_name": ["too_long"]})
    );
    // A valid name that would break carelessly assembled output.
    let last_name = r#"O'Berg-Łęcka "auf der" \ 🔋"#;
    name(" Anna ", last_name).await.expect(204);
    let systems = app.get("/api/auth/usr_sn/").bearer(&anna.access);
    let systems = systems.send().await.expect(200).json();
    assert_eq!(
        (&systems[0]["first_name"], &systems[0]["last_name"]),
        (&json!("Anna"), &json!(last_name))
    );
    let journal = app.get("/api/auth/journal/").bearer(&anna.access);
    let journal = journal.send().await.expect(200).json();
    assert_eq!(journal["lines"][0]["event"], "end_user_named");
});

with_app!(a_system_is_given_up_only_with_the_password, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let give_up = async |fields: &[(&str, &str)]| {
        let call = app.call("DELETE", "/api/auth/usr_sn/SC000001/");
        call.form(fields).bearer(&anna.access).send().await
    };
    for (fields, code) in [
        (&[][..], "password:required"),
        (
            &[("password", "Mittagssonne-7!")][..],
            "password:password_wrong",
        ),
    ] {
        assert_eq!(give_up(fields).await.expect(400).code(), code);
    }
    let mine = app.get("/api/auth/usr_sn/").bearer(&anna.access).send();
    assert_eq!(mine.await.expect(200).json()[0]["sn"], "SC000001");
    give_up(&[("password", PASSWORD)]).await.expect(204);
});
