//! A household of several units: asked for, invited to, answered, reminded of and mailed as one.
use super::{change, get, invite, list, post, subjects, systems, wait_until};
use domain::clock::{DAY, MINUTE};
use serde_json::{Value, json};
use testkit::{PASSWORD, Person, TestApp, with_app};

const REQUEST: &str = "/api/auth/grant/request/";
const PHONE: &str = "+49 30 901820";

/// An owner with these systems.
async fn owner_of(app: &TestApp, name: &str, serials: &[&str]) -> Person {
    let owner = app.owner(name, serials[0]).await;
    for sn in &serials[1..] {
        let code = app.code(&[&app.device(sn).await]).await;
        let added = post(app, &owner, "/api/auth/usr_sn/", &[("keys", &code)]).await;
        assert_eq!(added.expect(200).json()["keys"][0]["status"], "linked");
    }
    app.log_in(&owner.email, false).await
}

/// The texts of the mails to a person with this subject.
async fn mails_to(app: &TestApp, to: &Person, subject: &str) -> Vec<String> {
    let sent = app.sent_mails().await.into_iter();
    let own = sent.filter(|mail| mail.to == to.email && mail.subject == subject);
    own.map(|mail| mail.text).collect()
}

fn ids(grants: &[Value]) -> Vec<i64> {
    grants
        .iter()
        .map(|grant| grant["id"].as_i64().unwrap())
        .collect()
}

with_app!(
    a_message_with_a_request_reaches_the_owner_as_plain_text,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        let typed = "Wir haben Ihre <b>Anlage</b> &\n montiert. Siehe evil.example/login";
        let shown = "Wir haben Ihre <b>Anlage</b> & montiert. Siehe evil. example/login";
        let ask = async |message: &str| {
            post(
                app,
                &eva,
                REQUEST,
                &[("sn", "SC000001"), ("message", message)],
            )
            .await
        };
        for (message, code) in [
            ("https://evil.example", "message:name_has_address"),
            ("x@evil.example", "message:name_has_address"),
            (&"a".repeat(301), "message:too_long"),
        ] {
            assert_eq!(ask(message).await.expect(400).code(), code);
        }
        ask(typed).await.expect(202);
        app.send_grant_mails().await;
        let mails = mails_to(app, &anna, "Ein Elektriker bittet um Zugang").await;
        assert_eq!(mails.len(), 1);
        assert!(mails[0].contains(&format!("„{shown}“")), "{}", mails[0]);
        let given = list(app, &anna, "given").await;
        assert_eq!(given[0]["message"], shown);
        assert_eq!(list(app, &eva, "held").await[0]["message"], shown);
        // With the answer it has done its work.
        change(app, &anna, ids(&given)[0], &[]).await.expect(200);
        assert_eq!(list(app, &anna, "given").await[0]["message"], Value::Null);
        assert_eq!(list(app, &eva, "held").await[0]["message"], Value::Null);
    }
);

with_app!(
    requests_for_a_household_are_one_mail_and_one_answer,
    |app| {
        let anna = owner_of(app, "anna", &["SC000001", "SC000002"]).await;
        let ben = app.owner("ben", "SC000003").await;
        let eva = app.electrician("eva").await;
        let all = "SC000001, SC000002,SC000003,SC000009,SC000001";
        let asked = post(app, &eva, REQUEST, &[("sn", all), ("message", "Hallo")]).await;
        let asked = asked.expect(202).json();
        assert_eq!(asked["sn"], "SC000001,SC000002,SC000003,SC000009");
        // The answer does not reveal which of them belong together, or exist.
        let held = list(app, &eva, "held").await;
        assert_eq!(held.len(), 4);
        assert!(held.iter().all(|grant| grant["household"].is_null()));
        app.send_grant_mails().await;
        for (owner, names) in [(&anna, "SC000001, SC000002"), (&ben, "SC000003")] {
            let mails = mails_to(app, owner, "Ein Elektriker bittet um Zugang").await;
            assert_eq!(mails.len(), 1);
            assert!(mails[0].contains(names), "{}", mails[0]);
        }
        let given = ids(&list(app, &anna, "given").await);
        let terms = [("household", "true"), ("until", "2026-12-01")];
        change(app, &anna, given[0], &terms).await.expect(200);
        assert_eq!(
            systems(app, &eva).await,
            [
                ("SC000001".to_owned(), "service".to_owned()),
                ("SC000002".to_owned(), "service".to_owned())
            ]
        );
        let mails = mails_to(app, &eva, "Sie haben Zugang zu einem Speicher").await;
        assert_eq!(mails.len(), 1);
        assert!(mails[0].contains("SC000001, SC000002"));
        assert!(mails[0].contains("/electrician-dashboard"));
        // Both know now that these are of one owner.
        let listed = get(app, &eva, "/api/auth/usr_sn/").await.expect(200).json();
        assert_eq!(listed[0]["household"], listed[1]["household"]);
        let own = get(app, &anna, "/api/auth/usr_sn/")
            .await
            .expect(200)
            .json();
        assert!(own[0]["household"].is_null());
    }
);

with_app!(
    a_household_is_answered_together_only_with_the_password_and_the_same_scope,
    |app| {
        let anna = owner_of(app, "anna", &["SC000001", "SC000002"]).await;
        let eva = app.electrician("eva").await;
        for (sn, scope) in [("SC000001", "monitor"), ("SC000002", "service")] {
            let fields = [("sn", sn), ("scope", scope)];
            post(app, &eva, REQUEST, &fields).await.expect(202);
        }
        let given = ids(&list(app, &anna, "given").await);
        let path = format!("/api/auth/grant/{}/", given[0]);
        let call = app.call("PATCH", &path).form(&[("household", "true")]);
        let refused = call.bearer(&anna.access).send().await.expect(400);
        assert_eq!(refused.code(), "password:required");
        change(app, &anna, given[0], &[("household", "true")])
            .await
            .expect(200);
        // Service was another question.
        assert_eq!(systems(app, &eva).await.len(), 1);
    }
);

with_app!(two_who_are_invited_are_not_one_person, |app| {
    let anna = owner_of(app, "anna", &["SC000001", "SC000002"]).await;
    for (sn, email) in [("SC000001", "e@example.com"), ("SC000002", "m@example.com")] {
        invite(app, &anna, sn, email, "monitor").await.expect(201);
    }
    let first = ids(&list(app, &anna, "given").await)[0];
    let terms = [("household", "true"), ("scope", "service")];
    change(app, &anna, first, &terms).await.expect(200);
    let given = list(app, &anna, "given").await;
    assert_eq!(
        (&given[0]["scope"], &given[1]["scope"]),
        (&json!("service"), &json!("monitor"))
    );
});

with_app!(invitations_of_one_owner_are_accepted_together, |app| {
    let anna = owner_of(app, "anna", &["SC000001", "SC000002"]).await;
    let ben = app.owner("ben", "SC000003").await;
    let eva = app.electrician("eva").await;
    for (owner, sn) in [(&anna, "SC000001,SC000002"), (&ben, "SC000003")] {
        invite(app, owner, sn, &eva.email, "service")
            .await
            .expect(201);
    }
    let held = list(app, &eva, "held").await;
    assert_eq!(held[0]["household"], held[1]["household"]);
    assert_ne!(held[0]["household"], held[2]["household"]);
    let accept = format!("/api/auth/grant/{}/accept/?household=true", ids(&held)[0]);
    post(app, &eva, &accept, &[]).await.expect(200);
    assert_eq!(systems(app, &eva).await.len(), 2);
    let subject = "Ihr Elektriker hat die Einladung angenommen";
    let mails = mails_to(app, &anna, subject).await;
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("SC000001, SC000002"));
    assert!(mails_to(app, &ben, subject).await.is_empty());
    assert_eq!(list(app, &eva, "held").await[2]["state"], "invited");
});

with_app!(what_ends_soon_waits_until_it_is_asked_for_again, |app| {
    let anna = owner_of(app, "anna", &["SC000001", "SC000002"]).await;
    let eva = app.electrician("eva").await;
    let first = app.grant(&anna, &eva, "SC000001", "configure").await;
    app.grant(&anna, &eva, "SC000002", "configure").await;
    let until = list(app, &eva, "held").await[0]["until"].as_i64().unwrap();
    let waiting = async |eva: &Person| {
        let pending = get(app, eva, "/api/auth/grant/?pending=true").await;
        let pending = pending.expect(200).json();
        let held = pending["held"].as_array().unwrap().iter();
        held.map(|it| it["sn"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    wait_until(app, until - 14 * DAY - MINUTE);
    let eva = app.log_in(&eva.email, true).await;
    assert!(waiting(&eva).await.is_empty());
    wait_until(app, until - 14 * DAY);
    assert_eq!(waiting(&eva).await, ["SC000001", "SC000002"]);
    let fields = [("sn", "SC000001"), ("scope", "configure")];
    post(app, &eva, REQUEST, &fields).await.expect(202);
    assert_eq!(waiting(&eva).await, ["SC000002"]);
    // Renewed, it lasts longer, and nothing else has changed.
    let anna = app.log_in(&anna.email, false).await;
    let given = list(app, &anna, "given").await;
    assert_ne!(ids(&given)[0], first);
    change(app, &anna, ids(&given)[0], &[]).await.expect(200);
    assert_eq!(waiting(&eva).await, ["SC000002"]);
    let changed = "Ihr Zugang zu einem Speicher hat sich geändert".to_owned();
    assert_eq!(subjects(app, &eva).await.last(), Some(&changed));
    // What has ended waits, too.
    wait_until(app, until);
    app.send_grant_mails().await;
    let eva = app.log_in(&eva.email, true).await;
    assert_eq!(waiting(&eva).await, ["SC000002"]);
});

with_app!(a_household_is_told_once_that_access_ends, |app| {
    let anna = owner_of(app, "anna", &["SC000001", "SC000002"]).await;
    let eva = app.electrician("eva").await;
    for sn in ["SC000001", "SC000002"] {
        app.grant(&anna, &eva, sn, "monitor").await;
    }
    let until = list(app, &eva, "held").await[0]["until"].as_i64().unwrap();
    for (at, to, subject) in [
        (
            until - 7 * DAY,
            &anna,
            "Der Zugang Ihres Elektrikers endet bald",
        ),
        (
            until - 7 * DAY,
            &eva,
            "Ihr Zugang zu einem Speicher endet bald",
        ),
        (until, &eva, "Ihr Zugang zu einem Speicher ist beendet"),
    ] {
        wait_until(app, at);
        app.send_grant_mails().await;
        let mails = mails_to(app, to, subject).await;
        assert_eq!(mails.len(), 1, "{subject}");
        assert!(mails[0].contains("SC000001, SC000002"), "{}", mails[0]);
    }
});

with_app!(renewals_are_no_guesses_and_a_list_has_an_end, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "monitor").await;
    let foreign: Vec<String> = (0..30).map(|n| format!("SC1000{n:02}")).collect();
    let one_more = format!("{},SC200000", foreign.join(","));
    let refused = post(app, &eva, REQUEST, &[("sn", &one_more)]).await;
    assert_eq!(refused.expect(400).code(), "sn:too_many_systems");
    let with_own = format!("{},SC000001", foreign.join(","));
    post(app, &eva, REQUEST, &[("sn", &with_own)])
        .await
        .expect(202);
    post(app, &eva, REQUEST, &[("sn", "SC200000")])
        .await
        .expect(429);
    post(app, &eva, REQUEST, &[("sn", "SC000001")])
        .await
        .expect(202);
    let wrong = post(app, &eva, REQUEST, &[("sn", "SC000001,sc")]).await;
    assert_eq!(wrong.expect(400).code(), "sn:serial_format");
    let empty = post(app, &eva, REQUEST, &[("sn", " , ")]).await;
    assert_eq!(empty.expect(400).code(), "sn:required");
});

with_app!(
    the_owners_phone_number_and_address_are_read_only_with_the_owners_consent,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.member(&anna, "ben", "SC000001", "owner").await;
        let eva = app.electrician("eva").await;
        let id = app.grant(&anna, &eva, "SC000001", "service").await;
        let profile = app.call("PATCH", "/api/auth/account/");
        let profile = profile.form(&[("address", "Am Hang 3, 12345 Musterstadt")]);
        profile.bearer(&anna.access).send().await.expect(200);
        let contact = async || {
            let held = &list(app, &eva, "held").await[0];
            (held["phone"].clone(), held["address"].clone())
        };
        let nothing = (Value::Null, Value::Null);
        assert_eq!(contact().await, nothing);
        // A member of the household cannot decide about the owner's contact.
        change(app, &ben, id, &[("contact", "true")])
            .await
            .expect(403);
        let fields = [
            ("sn", "SC000001"),
            ("email", eva.email.as_str()),
            ("scope", "service"),
            ("contact", "true"),
            ("password", PASSWORD),
        ];
        post(app, &ben, "/api/auth/grant/", &fields)
            .await
            .expect(403);
        // What was read cannot be taken back.
        let path = format!("/api/auth/grant/{id}/");
        let call = app.call("PATCH", &path).form(&[("contact", "true")]);
        let refused = call.bearer(&anna.access).send().await.expect(400);
        assert_eq!(refused.code(), "password:required");
        let shared = change(app, &anna, id, &[("contact", "true")])
            .await
            .expect(200)
            .json();
        assert_eq!(shared["shares_contact"], true);
        let phone = json!(PHONE.replace(' ', ""));
        let both = (phone, json!("Am Hang 3, 12345 Musterstadt"));
        assert_eq!(contact().await, both);
        // It stays with a renewal, and goes when the owner says so.
        post(app, &eva, REQUEST, &[("sn", "SC000001")])
            .await
            .expect(202);
        let asked = ids(&list(app, &anna, "given").await)[0];
        change(app, &anna, asked, &[]).await.expect(200);
        assert_eq!(contact().await, both);
        change(app, &anna, asked, &[("contact", "false")])
            .await
            .expect(200);
        assert_eq!(contact().await, nothing);
    }
);

with_app!(
    a_member_opens_no_contact_by_answering_for_all_systems,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.member(&anna, "ben", "SC000001", "owner").await;
        let code = app.code(&[&app.device("SC000002").await]).await;
        let added = post(app, &ben, "/api/auth/usr_sn/", &[("keys", &code)]).await;
        added.expect(200);
        let ben = app.log_in(&ben.email, false).await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, "SC000001", "service").await;
        let own = app.grant(&ben, &eva, "SC000002", "service").await;
        let shared = async || {
            let held = list(app, &eva, "held").await;
            held.iter()
                .map(|it| !it["phone"].is_null())
                .collect::<Vec<_>>()
        };
        let both = [("contact", "true"), ("household", "true")];
        let refused = change(app, &ben, own, &both).await.expect(403);
        assert_eq!(refused.code(), "scope_too_small");
        assert_eq!(shared().await, [false, false]);
        change(app, &ben, own, &both[..1]).await.expect(200);
        assert_eq!(shared().await, [false, true]);
    }
);
