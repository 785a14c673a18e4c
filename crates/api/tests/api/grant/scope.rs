//! What each scope lets an electrician see and do, and what no scope allows.
use super::{ask, end, get, post};
use serde_json::{Value, json};
use testkit::{Person, with_app};

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
                // She may read the serial number that she typed herself.
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
    // Mails do not contain the group's name either.
    for mail in app.sent_mails().await {
        for name in ["Dachboden", "Evas Kunden"] {
            assert!(!mail.text.contains(name), "{}: {name}", mail.to);
        }
    }
    // With monitor she can read the name but not change it.
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
        // After the end, not even her own actions there can be read.
        end(app, &anna, id).await.expect(204);
        let all = get(app, &eva, "/api/auth/journal/").await.expect(200).text;
        assert!(!all.contains("SC000001"), "{all}");
        // The owner's journal has an entry for every step.
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

with_app!(wiring_is_for_service, |app| {
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
    // An owner must repeat the password; for an electrician it is part of the work.
    post(app, &anna, path, &wiring).await.expect(400);
    post(app, &max, path, &wiring).await.expect(200);
});

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
