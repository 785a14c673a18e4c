//! Invitations by owners: by mail, for one address, validated field by field.
use super::{ask, change, end, get, invite, list, post, seen, subjects, systems, wait_until};
use domain::clock::MINUTE;
use serde_json::{Value, json};
use testkit::{PASSWORD, Person, with_app};

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
        // No access yet.
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
        // An invitation can be accepted only once.
        post(app, &eva, &path, &[]).await.expect(404);
        assert_eq!(
            subjects(app, &eva).await.last().unwrap(),
            "Einladung: Zugang zu einem Speicher"
        );
        assert_eq!(
            subjects(app, &anna).await.last().unwrap(),
            "Ihr Elektriker hat die Einladung angenommen"
        );
        // The last day counts completely. Then the access ends, also for the old token.
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
        // An owner with the same address is not an electrician.
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

with_app!(
    what_waits_for_somebodys_decision_can_be_asked_alone,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let (eva, max) = (app.electrician("eva").await, app.electrician("max").await);
        app.grant(&anna, &eva, "SC000001", "monitor").await;
        invite(app, &ben, "SC000002", &eva.email, "service")
            .await
            .expect(201);
        ask(app, &max, "SC000001").await.expect(202);
        let pending = async |person: &Person| {
            let grants = get(app, person, "/api/auth/grant/?pending=true").await;
            let grants = grants.expect(200).json();
            let serials = |side: &str| {
                let side = grants[side].as_array().unwrap().iter();
                let serial = |grant: &Value| grant["sn"].as_str().unwrap().to_owned();
                side.map(serial).collect::<Vec<String>>()
            };
            (serials("given"), serials("held"))
        };
        let sn = |sn: &str| vec![sn.to_owned()];
        assert_eq!(pending(&anna).await, (sn("SC000001"), vec![]));
        assert_eq!(pending(&ben).await, (vec![], vec![]));
        assert_eq!(pending(&eva).await, (vec![], sn("SC000002")));
        assert_eq!(pending(&max).await, (vec![], vec![]));
    }
);

with_app!(
    who_only_typed_an_address_neither_reads_nor_deletes_invitations_to_it,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        invite(app, &anna, "SC000001", "ben@example.com", "look")
            .await
            .expect(201);
        let code = app.mailed_token("ben@example.com", "key").await;
        // A person with another code registers with Ben's address; nothing is mailed first.
        let mallory = app.owner("ben", "SC000002").await;
        let invitations = async || {
            let export = get(app, &mallory, "/api/auth/account/export/?format=json").await;
            export.expect(200).json()["grants"]
                .as_array()
                .unwrap()
                .len()
        };
        assert_eq!(invitations().await, 0);
        let delete = app.call("DELETE", "/api/auth/account/");
        let delete = delete.form(&[("password", PASSWORD)]);
        delete.bearer(&mallory.access).send().await.expect(204);
        assert_eq!(list(app, &anna, "given").await.len(), 1);
        // Ben himself enters the mailed code, and that proves the address.
        let form = app.owner_form("ben@example.com", &code);
        let call = app.post("/api/auth/register/", &form).from("10.9.9.9");
        call.send().await.expect(201);
        let ben = app.log_in("ben@example.com", false).await;
        invite(app, &anna, "SC000001", &ben.email, "owner")
            .await
            .expect(201);
        let export = get(app, &ben, "/api/auth/account/export/?format=json").await;
        let grants = export.expect(200).json()["grants"].clone();
        let states: Vec<&Value> = grants
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["state"])
            .collect();
        assert_eq!(states, ["active", "invited"]);
        let delete = app.call("DELETE", "/api/auth/account/");
        let delete = delete.form(&[("password", PASSWORD)]);
        delete.bearer(&ben.access).send().await.expect(204);
        assert!(list(app, &anna, "given").await.is_empty());
    }
);

with_app!(
    many_invitations_to_one_address_are_listed_and_ten_an_hour_mailed,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let eva = app.electrician("eva").await;
        for _ in 0..6 {
            for (owner, sn) in [(&anna, "SC000001"), (&ben, "SC000002")] {
                let invited = invite(app, owner, sn, &eva.email, "monitor").await;
                invited.expect(201);
            }
        }
        let told = subjects(app, &eva).await;
        let invited = "Einladung: Zugang zu einem Speicher";
        assert_eq!(told.iter().filter(|it| *it == invited).count(), 10);
        assert_eq!(list(app, &eva, "held").await.len(), 2);
    }
);
