//! Changing, renewing, giving up and revoking a grant.
use super::{ask, change, end, get, invite, list, post, seen, subjects, systems, wait_until};
use domain::clock::{DAY, MINUTE};
use serde_json::json;
use std::time::Duration;
use testkit::{Person, TestApp, TestResponse, with_app};

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
    // Seven days before the end both sides are notified once.
    let until = changed["until"].as_i64().unwrap();
    wait_until(app, until - 7 * DAY - MINUTE);
    app.send_grant_mails().await;
    let soon = "Der Zugang Ihres Elektrikers endet bald".to_owned();
    assert!(!subjects(app, &anna).await.contains(&soon));
    wait_until(app, until - 7 * DAY);
    app.send_grant_mails().await;
    app.send_grant_mails().await;
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
    let mails = app.sent_mails().await;
    assert!(mails.iter().any(|mail| mail.text.contains("13.02.2027")));
    // It ends automatically, and can be renewed for a while.
    wait_until(app, until);
    app.send_grant_mails().await;
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
    app.send_grant_mails().await;
    let anna = app.log_in(&anna.email, false).await;
    assert!(list(app, &anna, "given").await.is_empty());
});

/// The newest mail to a person.
async fn newest_mail(app: &TestApp, to: &Person) -> (String, String) {
    let mut mails = app.sent_mails().await.into_iter();
    let newest = mails.rfind(|mail| mail.to == to.email).unwrap();
    (newest.subject, newest.text)
}

with_app!(
    an_electrician_with_access_reads_whose_it_is_and_what_changed,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        ask(app, &eva, "SC000001").await.expect(202);
        app.send_grant_mails().await;
        let id = list(app, &anna, "given").await[0]["id"].as_i64().unwrap();
        change(app, &anna, id, &[("scope", "monitor")])
            .await
            .expect(200);
        let (_, text) = newest_mail(app, &eva).await;
        assert!(text.contains("der Besitzer gibt Ihnen Zugang zu SC000001: Ansehen"));
        assert!(text.contains("/electrician-dashboard/SC000001"));

        let named = app.call("PATCH", "/api/auth/system/SC000001/");
        let named = named.form(&[("first_name", "Anna"), ("last_name", "Berg")]);
        named.bearer(&anna.access).send().await.expect(204);
        // The owner raises the scope of their own accord, and lowers it again.
        for (scope, words) in [
            ("service", ["Bisher: Ansehen, bis", "Jetzt: Service, bis"]),
            (
                "configure",
                ["Bisher: Service, bis", "Jetzt: Einstellen, bis"],
            ),
        ] {
            change(app, &anna, id, &[("scope", scope)])
                .await
                .expect(200);
            let (subject, text) = newest_mail(app, &eva).await;
            assert_eq!(subject, "Ihr Zugang zu einem Speicher hat sich geändert");
            assert!(text.contains("Anna Berg hat Ihren Zugang zu SC000001 geändert"));
            assert!(words.iter().all(|words| text.contains(words)), "{text}");
            assert!(text.contains("/electrician-dashboard/SC000001"));
        }
        // A change to the same values sends no mail.
        let mails = subjects(app, &eva).await.len();
        change(app, &anna, id, &[]).await.expect(200);
        assert_eq!(subjects(app, &eva).await.len(), mails);
        // A request for more also names the previous scope.
        ask(app, &eva, "SC000001").await.expect(202);
        let given = list(app, &anna, "given").await;
        let asked = given.iter().find(|grant| grant["state"] == "asked");
        let asked = asked.unwrap()["id"].as_i64().unwrap();
        change(app, &anna, asked, &[("scope", "service")])
            .await
            .expect(200);
        let (_, text) = newest_mail(app, &eva).await;
        assert!(text.contains("Bisher: Einstellen, bis"), "{text}");
        end(app, &anna, asked).await.expect(204);
        let (_, text) = newest_mail(app, &eva).await;
        assert!(text.contains("Ihr Zugang zu SC000001 (Anna Berg) ist beendet"));
        assert!(text.contains("/electrician-settings#grants"));
    }
);

with_app!(
    who_is_only_invited_or_has_only_asked_does_not_read_whose_it_is,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let named = app.call("PATCH", "/api/auth/system/SC000001/");
        let named = named.form(&[("first_name", "Anna"), ("last_name", "Berg")]);
        named.bearer(&anna.access).send().await.expect(204);
        let (eva, tom) = (app.electrician("eva").await, app.electrician("tom").await);
        invite(app, &anna, "SC000001", &eva.email, "monitor")
            .await
            .expect(201);
        ask(app, &tom, "SC000001").await.expect(202);
        app.send_grant_mails().await;
        let id = list(app, &anna, "given").await;
        let asked = id.iter().find(|grant| grant["state"] == "asked").unwrap();
        end(app, &anna, asked["id"].as_i64().unwrap())
            .await
            .expect(204);
        let mails = app.sent_mails().await;
        let told = |person: &Person| {
            let mut own = mails.iter().filter(|mail| mail.to == person.email);
            own.any(|mail| mail.text.contains("Berg") || mail.subject.contains("Berg"))
        };
        assert!(!told(&eva) && !told(&tom));
        let invited = newest_mail(app, &eva).await;
        assert!(
            invited
                .1
                .contains("der Besitzer möchte Ihnen Zugang zu SC000001 geben")
        );
        assert!(invited.1.contains("/electrician-settings#grants"));
    }
);

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
    let told = "Jemand hat den Zugang zu Ihrem Speicher abgegeben";
    assert_eq!(subjects(app, &anna).await.last().unwrap(), told);
    // An invitation is declined in the same way.
    let invited = invite(app, &anna, "SC000001", &eva.email, "monitor").await;
    let id = invited.expect(201).json()["grants"][0]["id"]
        .as_i64()
        .unwrap();
    end(app, &eva, id).await.expect(204);
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
    // With the same token as before.
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
    // Her command that the battery has not received yet is void.
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
    nobody_gets_access_or_more_of_it_without_the_password,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let (eva, tom) = (app.electrician("eva").await, app.electrician("tom").await);
        // As from a phone that lies around unlocked.
        let patch = async |id: i64, fields: &[(&str, &str)]| {
            let call = app.call("PATCH", &format!("/api/auth/grant/{id}/"));
            call.form(fields).bearer(&anna.access).send().await
        };
        let refused = |answer: TestResponse, code: &str| {
            assert_eq!(answer.expect(400).code(), code);
        };
        let mut invitation = vec![
            ("sn", "SC000001"),
            ("email", eva.email.as_str()),
            ("scope", "monitor"),
        ];
        let path = "/api/auth/grant/";
        refused(
            post(app, &anna, path, &invitation).await,
            "password:required",
        );
        invitation.push(("password", "Mittagssonne-7!"));
        refused(
            post(app, &anna, path, &invitation).await,
            "password:password_wrong",
        );
        assert!(list(app, &anna, "given").await.is_empty());

        let id = app.grant(&anna, &eva, "SC000001", "configure").await;
        refused(
            patch(id, &[("scope", "service")]).await,
            "password:required",
        );
        refused(
            patch(id, &[("until", "2027-02-14")]).await,
            "password:required",
        );
        ask(app, &tom, "SC000001").await.expect(202);
        let given = list(app, &anna, "given").await;
        let asked = given
            .iter()
            .find(|grant| grant["state"] == "asked")
            .unwrap();
        let asked = asked["id"].as_i64().unwrap();
        refused(patch(asked, &[]).await, "password:required");
        // Less, and an end, need none.
        patch(id, &[("scope", "monitor"), ("until", "2026-12-01")])
            .await
            .expect(200);
        end(app, &anna, id).await.expect(204);
        assert!(systems(app, &eva).await.is_empty() && systems(app, &tom).await.is_empty());
    }
);
