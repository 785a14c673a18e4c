//! Access to somebody else's system: invited, asked for, opened by a code; changed, renewed and ended.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{Answer, Person, TestApp, with_app};

async fn get(app: &TestApp, person: &Person, path: &str) -> Answer {
    app.get(path).bearer(&person.access).send().await
}

async fn post(app: &TestApp, person: &Person, path: &str, fields: &[(&str, &str)]) -> Answer {
    app.post(path, fields).bearer(&person.access).send().await
}

async fn change(app: &TestApp, person: &Person, id: i64, fields: &[(&str, &str)]) -> Answer {
    let call = app.call("PATCH", &format!("/api/auth/grant/{id}/"));
    call.form(fields).bearer(&person.access).send().await
}

async fn end(app: &TestApp, person: &Person, id: i64) -> Answer {
    let call = app.call("DELETE", &format!("/api/auth/grant/{id}/"));
    call.bearer(&person.access).send().await
}

async fn list(app: &TestApp, person: &Person, side: &str) -> Vec<Value> {
    let grants = get(app, person, "/api/auth/grant/").await.expect(200);
    grants.json()[side].as_array().unwrap().clone()
}

async fn invite(app: &TestApp, owner: &Person, sn: &str, email: &str, scope: &str) -> Answer {
    let fields = [("sn", sn), ("email", email), ("scope", scope)];
    post(app, owner, "/api/auth/grant/", &fields).await
}

async fn ask(app: &TestApp, person: &Person, sn: &str) -> Answer {
    post(app, person, "/api/auth/grant/request/", &[("sn", sn)]).await
}

/// Serial numbers with the caller's access to each.
async fn systems(app: &TestApp, person: &Person) -> Vec<(String, String)> {
    let systems = get(app, person, "/api/auth/usr_sn/").await.expect(200);
    let text = |system: &Value, name: &str| system[name].as_str().unwrap().to_owned();
    let systems = systems.json().as_array().unwrap().clone();
    systems
        .iter()
        .map(|system| (text(system, "sn"), text(system, "access")))
        .collect()
}

/// Subjects of the mails to somebody so far.
async fn subjects(app: &TestApp, to: &Person) -> Vec<String> {
    let letters = app.letters().await.into_iter();
    let own = letters.filter(|letter| letter.to == to.email);
    own.map(|letter| letter.subject).collect()
}

fn wait_until(app: &TestApp, at: i64) {
    app.clock.advance(at - app.clock.now());
}

fn seen(sn: &str, access: &str) -> Vec<(String, String)> {
    vec![(sn.to_owned(), access.to_owned())]
}

with_app!(
    an_invitation_works_when_it_is_accepted_and_until_its_end,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        let invited = invite(app, &anna, "SC000001", &eva.email, "monitor").await;
        let invited = invited.expect(201).json()["grants"][0].clone();
        assert_eq!(invited["state"], "invited");
        assert_eq!(invited["until_day"], "2027-02-13", "90 days");
        assert_eq!(
            (&invited["company"], &invited["phone"]),
            (&Value::Null, &Value::Null)
        );
        // Nothing is open yet.
        assert!(systems(app, &eva).await.is_empty());
        get(app, &eva, "/api/auth/graph/?sn=SC000001")
            .await
            .expect(404);
        let held = list(app, &eva, "held").await;
        assert_eq!(
            (&held[0]["state"], &held[0]["sn"]),
            (&json!("invited"), &json!("SC000001"))
        );
        let path = format!("/api/auth/grant/{}/accept/", invited["id"]);
        let accepted = post(app, &eva, &path, &[]).await.expect(200).json();
        assert_eq!(accepted["state"], "active");
        assert_eq!(accepted["since"], app.clock.now());
        assert_eq!(systems(app, &eva).await, seen("SC000001", "monitor"));
        let given = list(app, &anna, "given").await;
        assert_eq!(given[0]["company"], "Elektro Sonnenberg");
        assert_eq!(given[0]["phone"], "+4930901820");
        // Accepted is accepted once.
        post(app, &eva, &path, &[]).await.expect(404);
        assert_eq!(
            subjects(app, &eva).await.last().unwrap(),
            "Einladung: Zugang zu einem Speicher"
        );
        assert_eq!(
            subjects(app, &anna).await.last().unwrap(),
            "Ihr Elektriker hat die Einladung angenommen"
        );
        // The last day is whole, and then it is over, with the old token too.
        let until = accepted["until"].as_i64().unwrap();
        wait_until(app, until - MINUTE);
        let eva = app.log_in(&eva.email, true).await;
        assert_eq!(systems(app, &eva).await, seen("SC000001", "monitor"));
        wait_until(app, until);
        assert!(systems(app, &eva).await.is_empty());
        get(app, &eva, "/api/auth/graph/?sn=SC000001")
            .await
            .expect(404);
    }
);

with_app!(
    somebody_without_an_account_is_invited_and_registers_later,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        invite(app, &anna, "SC000001", "Eva@Example.com", "service")
            .await
            .expect(201);
        let eva = app.electrician("eva").await;
        let held = list(app, &eva, "held").await;
        let path = format!("/api/auth/grant/{}/accept/", held[0]["id"]);
        post(app, &eva, &path, &[]).await.expect(200);
        assert_eq!(systems(app, &eva).await, seen("SC000001", "service"));
    }
);

with_app!(
    an_invitation_is_for_its_address_and_for_electricians,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let (eva, max) = (app.electrician("eva").await, app.electrician("max").await);
        let invited = invite(app, &anna, "SC000001", &eva.email, "service").await;
        let id = invited.expect(201).json()["grants"][0]["id"]
            .as_i64()
            .unwrap();
        let path = format!("/api/auth/grant/{id}/accept/");
        post(app, &max, &path, &[]).await.expect(404);
        assert!(list(app, &max, "held").await.is_empty());
        end(app, &max, id).await.expect(404);
        end(app, &ben, id).await.expect(404);
        change(app, &ben, id, &[("scope", "monitor")])
            .await
            .expect(404);
        // An owner of the same address is no electrician.
        let invited = invite(app, &anna, "SC000001", &ben.email, "service").await;
        let id = invited.expect(201).json()["grants"][0]["id"]
            .as_i64()
            .unwrap();
        post(app, &ben, &format!("/api/auth/grant/{id}/accept/"), &[])
            .await
            .expect(403);
        assert!(list(app, &ben, "held").await.is_empty());
        assert_eq!(list(app, &ben, "given").await, Vec::<Value>::new());
    }
);

with_app!(an_invitation_is_checked_field_by_field, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (fields, want) in [
        (
            vec![("sn", "SC000001"), ("email", ""), ("scope", "monitor")],
            "email:required",
        ),
        (
            vec![("sn", "SC000001"), ("email", "x"), ("scope", "monitor")],
            "email:email_invalid",
        ),
        (
            vec![
                ("sn", "SC000001"),
                ("email", anna.email.as_str()),
                ("scope", "monitor"),
            ],
            "email:email_own",
        ),
        (
            vec![
                ("sn", "SC000001"),
                ("email", "e@example.com"),
                ("scope", "root"),
            ],
            "scope:choice_unknown",
        ),
        (
            vec![("sn", "SC000001"), ("email", "e@example.com")],
            "scope:required",
        ),
        (
            vec![("email", "e@example.com"), ("scope", "monitor")],
            "sn:required",
        ),
        (
            vec![
                ("sn", "SC000001"),
                ("email", "e@example.com"),
                ("scope", "monitor"),
                ("until", "2026-11-14"),
            ],
            "until:date_past",
        ),
        (
            vec![
                ("sn", "SC000001"),
                ("email", "e@example.com"),
                ("scope", "monitor"),
                ("until", "2028-01-01"),
            ],
            "until:date_too_late",
        ),
        (
            vec![
                ("sn", "SC000001"),
                ("email", "e@example.com"),
                ("scope", "monitor"),
                ("until", "soon"),
            ],
            "until:date_invalid",
        ),
    ] {
        let refused = post(app, &anna, "/api/auth/grant/", &fields)
            .await
            .expect(400);
        assert_eq!(refused.code(), want);
    }
    invite(app, &anna, "SC000009", "e@example.com", "monitor")
        .await
        .expect(404);
    assert!(list(app, &anna, "given").await.is_empty());
});

with_app!(a_revoked_grant_refuses_the_next_request, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    let id = app.grant(&anna, &eva, "SC000001", "service").await;
    get(app, &eva, "/api/auth/settings/?sn=SC000001")
        .await
        .expect(200);
    let fields = [("name", "Kunden"), ("sn", "SC000001")];
    post(app, &eva, "/api/auth/group/", &fields)
        .await
        .expect(201);
    let queued = [
        ("sn", "SC000001"),
        ("command", "auto"),
        ("key", "a-key-of-eva"),
    ];
    let queued = post(app, &eva, "/api/auth/command/", &queued)
        .await
        .expect(201)
        .json();
    let command = format!("/api/auth/command/{}/", queued["id"].as_str().unwrap());
    get(app, &eva, &command).await.expect(200);
    end(app, &anna, id).await.expect(204);
    // The same token as before.
    for path in [
        "/api/auth/settings/?sn=SC000001",
        "/api/auth/graph/?sn=SC000001",
        "/api/auth/energy_chart/?sn=SC000001",
        "/api/auth/export/?sn=SC000001",
        "/api/auth/journal/?sn=SC000001",
        &command,
    ] {
        get(app, &eva, path).await.expect(404);
    }
    let updates = testkit::http::Call::new(
        app.updates,
        "GET".parse().unwrap(),
        "/api/v1/has_update?sn=SC000001",
    );
    updates.bearer(&eva.access).send().await.expect(404);
    assert!(systems(app, &eva).await.is_empty());
    assert!(list(app, &eva, "held").await.is_empty());
    let groups = get(app, &eva, "/api/auth/group/").await.expect(200).json();
    assert_eq!(groups[0]["systems"], json!([]));
    // What she had ordered and the battery has not got is void.
    let shown = get(app, &anna, &command).await.expect(200).json();
    assert_eq!(shown["state"], "expired");
    assert_eq!(
        subjects(app, &eva).await.last().unwrap(),
        "Ihr Zugang zu einem Speicher ist beendet"
    );
    end(app, &anna, id).await.expect(404);
});

with_app!(
    an_open_stream_ends_within_5_seconds_of_the_revocation,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        let id = app.grant(&anna, &eva, "SC000001", "service").await;
        let mut flow = app
            .get("/api/auth/stream/")
            .bearer(&eva.access)
            .open()
            .await;
        assert!(flow.event().await.unwrap().contains("SC000001"));
        end(app, &anna, id).await.expect(204);
        let over = async { while flow.event().await.is_some() {} };
        tokio::time::timeout(Duration::from_secs(5), over)
            .await
            .expect("the end of the stream");
    }
);

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
        // The owner hears of it once, and decides.
        app.tell_of_grants().await;
        app.tell_of_grants().await;
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
        // The other one lapses.
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
        // Asking again does not reach her again.
        ask(app, &eva, "SC000001").await.expect(202);
        app.tell_of_grants().await;
        assert!(list(app, &anna, "given").await.is_empty());
        assert!(
            !subjects(app, &anna)
                .await
                .contains(&"Ein Elektriker bittet um Zugang".to_owned())
        );
        change(app, &anna, id, &[]).await.expect(404);
        // Whoever asked may take it back, and nobody sees a difference there either.
        for entry in held {
            end(app, &eva, entry["id"].as_i64().unwrap())
                .await
                .expect(204);
        }
        assert!(list(app, &eva, "held").await.is_empty());
    }
);

with_app!(tries_to_ask_are_counted, |app| {
    let eva = app.electrician("eva").await;
    for n in 0..10 {
        ask(app, &eva, &format!("SC10000{n}")).await.expect(202);
    }
    let refused = ask(app, &eva, "SC200000").await.expect(429);
    assert_eq!(refused.code(), "too_many_attempts");
    let code = [("code", "7K3QF-9TWXA-B2C4D-E5G6H")];
    post(app, &eva, "/api/auth/grant/code/", &code)
        .await
        .expect(429);
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
    let set = [
        ("version", "0"),
        ("charge_limit", "2000"),
        ("import_price", "31.90"),
    ];
    post(app, &eva, "/api/auth/settings/?sn=SC000001", &set)
        .await
        .expect(200);
    // It works once.
    let again = post(app, &eva, "/api/auth/grant/code/", &fields)
        .await
        .expect(400);
    assert_eq!(again.code(), "code:installer_code_unknown");
    // An owner claims one of them: the installer stays, and the owner is asked.
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
    app.tell_of_grants().await;
    assert_eq!(
        subjects(app, &anna).await.last().unwrap(),
        "Bitte bestätigen Sie Ihren Installateur"
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
    // Nor does it make an owner.
    let keys = [("keys", code.as_str())];
    let result = post(app, &anna, "/api/auth/usr_sn/", &keys)
        .await
        .expect(200)
        .json();
    assert_eq!(result["keys"][0]["status"], "unknown");
});

with_app!(a_grant_is_changed_reminded_of_ended_and_renewed, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    let id = app.grant(&anna, &eva, "SC000001", "monitor").await;
    let changed = change(app, &anna, id, &[("scope", "service")])
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&changed["scope"], &changed["until_day"]),
        (&json!("service"), &json!("2027-02-13"))
    );
    assert_eq!(systems(app, &eva).await, seen("SC000001", "service"));
    change(app, &anna, id, &[("scope", "look")])
        .await
        .expect(400);
    change(app, &anna, id, &[("until", "yesterday")])
        .await
        .expect(400);
    // Seven days before the end both hear of it, once.
    let until = changed["until"].as_i64().unwrap();
    wait_until(app, until - 7 * DAY - MINUTE);
    app.tell_of_grants().await;
    let soon = "Der Zugang Ihres Elektrikers endet bald".to_owned();
    assert!(!subjects(app, &anna).await.contains(&soon));
    wait_until(app, until - 7 * DAY);
    app.tell_of_grants().await;
    app.tell_of_grants().await;
    assert_eq!(
        subjects(app, &anna)
            .await
            .iter()
            .filter(|it| **it == soon)
            .count(),
        1
    );
    assert_eq!(
        subjects(app, &eva).await.last().unwrap(),
        "Ihr Zugang zu einem Speicher endet bald"
    );
    let letters = app.letters().await;
    assert!(
        letters
            .iter()
            .any(|letter| letter.text.contains("13.02.2027"))
    );
    // It ends by itself, and can be renewed for a while.
    wait_until(app, until);
    app.tell_of_grants().await;
    assert_eq!(
        subjects(app, &eva).await.last().unwrap(),
        "Ihr Zugang zu einem Speicher ist beendet"
    );
    let anna = app.log_in(&anna.email, false).await;
    assert_eq!(list(app, &anna, "given").await[0]["state"], "ended");
    let renewed = change(app, &anna, id, &[]).await.expect(200).json();
    assert_eq!(
        (&renewed["state"], &renewed["scope"]),
        (&json!("active"), &json!("service"))
    );
    let eva = app.log_in(&eva.email, true).await;
    assert_eq!(systems(app, &eva).await, seen("SC000001", "service"));
    wait_until(app, renewed["until"].as_i64().unwrap() + 30 * DAY);
    app.tell_of_grants().await;
    let anna = app.log_in(&anna.email, false).await;
    assert!(list(app, &anna, "given").await.is_empty());
});

with_app!(a_person_holds_one_grant_of_a_system, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "monitor").await;
    ask(app, &eva, "SC000001").await.expect(202);
    let asked = list(app, &anna, "given").await[0].clone();
    assert_eq!(asked["state"], "asked");
    change(app, &anna, asked["id"].as_i64().unwrap(), &[])
        .await
        .expect(200);
    assert_eq!(systems(app, &eva).await, seen("SC000001", "service"));
    assert_eq!(list(app, &anna, "given").await.len(), 1);
    app.grant(&anna, &eva, "SC000001", "configure").await;
    assert_eq!(systems(app, &eva).await, seen("SC000001", "configure"));
    assert_eq!(list(app, &anna, "given").await.len(), 1);
});

with_app!(whoever_holds_a_grant_can_give_it_up, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    let id = app.grant(&anna, &eva, "SC000001", "service").await;
    end(app, &eva, id).await.expect(204);
    assert!(systems(app, &eva).await.is_empty());
    assert!(list(app, &anna, "given").await.is_empty());
    let told = "Jemand hat den Zugang zu Ihrem Speicher aufgegeben";
    assert_eq!(subjects(app, &anna).await.last().unwrap(), told);
    // An invitation is declined the same way.
    let invited = invite(app, &anna, "SC000001", &eva.email, "monitor").await;
    let id = invited.expect(201).json()["grants"][0]["id"]
        .as_i64()
        .unwrap();
    end(app, &eva, id).await.expect(204);
    assert!(list(app, &anna, "given").await.is_empty());
});

with_app!(names_and_groups_stay_with_those_who_may_see_them, |app| {
    let (anna, ben) = (
        app.owner("anna", "SC000001").await,
        app.owner("ben", "SC000002").await,
    );
    let (eva, max) = (app.electrician("eva").await, app.electrician("max").await);
    for (owner, sn, last) in [
        (&anna, "SC000001", "Annaberg"),
        (&ben, "SC000002", "Benrath"),
    ] {
        let call = app.call("PATCH", &format!("/api/auth/system/{sn}/"));
        let place = format!("{last} am See");
        let names = [
            ("first_name", "Alex"),
            ("last_name", last),
            ("place", &place),
        ];
        call.form(&names)
            .bearer(&owner.access)
            .send()
            .await
            .expect(204);
        let group = [("name", format!("Dachboden {last}")), ("sn", sn.to_owned())];
        let group = group
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        post(app, owner, "/api/auth/group/", &group)
            .await
            .expect(201);
    }
    app.grant(&anna, &eva, "SC000001", "monitor").await;
    app.grant(&ben, &max, "SC000002", "configure").await;
    let group = [("name", "Evas Kunden"), ("sn", "SC000001")];
    post(app, &eva, "/api/auth/group/", &group)
        .await
        .expect(201);
    ask(app, &eva, "SC000002").await.expect(202);
    for (who, own, foreign) in [
        (&anna, "Annaberg", ["Benrath", "Evas Kunden", "SC000002"]),
        (&ben, "Benrath", ["Annaberg", "Evas Kunden", "SC000001"]),
        (&max, "Benrath", ["Annaberg", "Evas Kunden", "SC000001"]),
        (
            &eva,
            "Annaberg",
            ["Benrath", "Dachboden", "max@example.com"],
        ),
    ] {
        for path in [
            "/api/auth/usr_sn/",
            "/api/auth/group/",
            "/api/auth/grant/",
            "/api/auth/data/",
            "/api/auth/journal/",
            "/api/auth/journal/?format=csv",
            "/api/auth/alarm/",
            "/api/auth/account/",
            "/api/auth/account/export/",
            "/api/auth/account/export/?format=csv",
        ] {
            let answer = get(app, who, path).await.expect(200).text;
            for name in foreign {
                // The serial number that she typed herself is hers to read.
                assert!(
                    !answer.contains(name),
                    "{} reads {name} in {path}: {answer}",
                    who.email
                );
            }
            if path == "/api/auth/usr_sn/" {
                assert!(answer.contains(own), "{path}: {answer}");
            }
        }
    }
    // Nor does a mail carry the name of a group.
    for letter in app.letters().await {
        for name in ["Dachboden", "Evas Kunden"] {
            assert!(!letter.text.contains(name), "{}: {name}", letter.to);
        }
    }
    // With monitor she reads the name, and does not write it.
    let call = app.call("PATCH", "/api/auth/system/SC000001/");
    let names = [("first_name", "Eva"), ("last_name", "Elektra")];
    let refused = call
        .form(&names)
        .bearer(&eva.access)
        .send()
        .await
        .expect(403);
    assert_eq!(refused.code(), "scope_too_small");
    let call = app.call("PATCH", "/api/auth/system/SC000002/");
    call.form(&names)
        .bearer(&max.access)
        .send()
        .await
        .expect(204);
    let systems = get(app, &ben, "/api/auth/usr_sn/").await.json();
    assert_eq!(systems[0]["last_name"], "Elektra");
});

with_app!(
    an_electrician_reads_own_actions_and_the_owner_reads_all,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let (eva, max) = (app.electrician("eva").await, app.electrician("max").await);
        let id = app.grant(&anna, &eva, "SC000001", "service").await;
        app.grant(&anna, &max, "SC000001", "service").await;
        for (who, version, soc) in [(&anna, "0", "11"), (&eva, "1", "12"), (&max, "2", "13")] {
            let set = [("version", version), ("reserve_soc", soc)];
            post(app, who, "/api/auth/settings/?sn=SC000001", &set)
                .await
                .expect(200);
        }
        let changed = async |who: &Person| -> Vec<Value> {
            let journal = get(app, who, "/api/auth/journal/?sn=SC000001&kind=settings").await;
            let lines = journal.expect(200).json()["lines"]
                .as_array()
                .unwrap()
                .clone();
            lines.iter().map(|line| line["to"].clone()).collect()
        };
        assert_eq!(changed(&anna).await, [13, 12, 11]);
        assert_eq!(changed(&eva).await, [12]);
        assert_eq!(changed(&max).await, [13]);
        let all = get(app, &anna, "/api/auth/journal/?sn=SC000001")
            .await
            .json();
        let who: Vec<&str> = all["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line["who"].as_str().unwrap())
            .collect();
        assert!(who.contains(&"Elektro Sonnenberg"), "{who:?}");
        // After the end not even one's own work there can be read.
        end(app, &anna, id).await.expect(204);
        let all = get(app, &eva, "/api/auth/journal/").await.expect(200).text;
        assert!(!all.contains("SC000001"), "{all}");
        // Every step has its line at the owner's.
        let access = get(app, &anna, "/api/auth/journal/?kind=access")
            .await
            .expect(200)
            .json();
        let events: Vec<&str> = access["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| line["event"].as_str().unwrap())
            .collect();
        for event in ["grant_invited", "grant_accepted", "grant_ended"] {
            assert!(events.contains(&event), "{events:?}");
        }
    }
);

with_app!(the_providers_token_is_never_an_electricians, |app| {
    const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "service").await;
    let set = [
        ("version", "0"),
        ("provider", "tibber"),
        ("provider_token", TOKEN),
    ];
    post(app, &anna, "/api/auth/settings/?sn=SC000001", &set)
        .await
        .expect(200);
    let path = "/api/auth/settings/?sn=SC000001";
    assert_eq!(
        get(app, &anna, path).await.json()["desired"]["provider_token"],
        "…ebAE"
    );
    let seen = get(app, &eva, path).await.expect(200);
    assert_eq!(seen.json()["desired"]["provider_token"], Value::Null);
    assert!(!seen.text.contains("ebAE"));
    for token in ["another-token-of-her-own-choice", ""] {
        let set = [("version", "1"), ("provider_token", token)];
        let refused = post(app, &eva, path, &set).await.expect(400).json();
        assert_eq!(
            refused["codes"]["SC000001"]["provider_token"][0],
            "forbidden"
        );
    }
    assert_eq!(
        get(app, &anna, path).await.json()["desired"]["provider_token"],
        "…ebAE"
    );
});

with_app!(
    wiring_is_for_service_and_prices_stay_the_households,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let (eva, max) = (app.electrician("eva").await, app.electrician("max").await);
        app.grant(&anna, &eva, "SC000001", "configure").await;
        app.grant(&anna, &max, "SC000001", "service").await;
        let path = "/api/auth/settings/?sn=SC000001";
        let wiring = [("version", "0"), ("meter_type", "sdm630")];
        let refused = post(app, &eva, path, &wiring).await.expect(400).json();
        assert_eq!(
            refused["codes"]["SC000001"]["meter_type"][0],
            "scope_too_small"
        );
        // An owner types the password again, an electrician is at work.
        post(app, &anna, path, &wiring).await.expect(400);
        post(app, &max, path, &wiring).await.expect(200);
        let prices = [
            ("version", "1"),
            ("import_price", "33.10"),
            ("feed_in_price", "8"),
        ];
        post(app, &eva, path, &prices).await.expect(200);
        let tariffs = get(app, &anna, "/api/auth/tariff/")
            .await
            .expect(200)
            .json();
        assert_eq!(tariffs[0]["tariffs"].as_array().unwrap().len(), 1);
        get(app, &eva, "/api/auth/tariff/").await.expect(403);
        let export = get(app, &eva, "/api/auth/account/export/")
            .await
            .expect(200)
            .json();
        assert_eq!(export["tariffs"], json!([]));
    }
);

with_app!(restarting_is_for_those_who_service, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "service").await;
    let command = [
        ("sn", "SC000001"),
        ("command", "restart"),
        ("key", "a-key-to-restart"),
    ];
    post(app, &anna, "/api/auth/command/", &command)
        .await
        .expect(403);
    post(app, &eva, "/api/auth/command/", &command)
        .await
        .expect(201);
});

with_app!(the_installers_contact_is_the_widest_grants, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let (eva, max) = (app.electrician("eva").await, app.electrician("max").await);
    let installer = async |who: &Person| {
        get(app, who, "/api/auth/usr_sn/").await.expect(200).json()[0]["installer"].clone()
    };
    assert_eq!(installer(&anna).await, Value::Null);
    app.grant(&anna, &eva, "SC000001", "service").await;
    app.grant(&anna, &max, "SC000001", "monitor").await;
    let shown = installer(&anna).await;
    assert_eq!(
        (&shown["email"], &shown["scope"]),
        (&json!(eva.email), &json!("service"))
    );
    assert_eq!(shown["phone"], "+4930901820");
    assert_eq!(installer(&eva).await, Value::Null);
});
