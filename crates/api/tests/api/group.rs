//! Groups: names that an account gives to some of its systems, invisible to everyone else.
#![allow(clippy::unwrap_used)]
use domain::group::MAX_GROUPS;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::{Person, TestApp, TestResponse, with_app};

const GROUPS: &str = "/api/auth/group/";

async fn create(app: &TestApp, person: &Person, name: &str, sn: &str) -> TestResponse {
    let call = app.post(GROUPS, &[("name", name), ("sn", sn)]);
    call.bearer(&person.access).send().await
}

/// Creates a group and returns its URL.
async fn made(app: &TestApp, person: &Person, name: &str, sn: &str) -> String {
    let group = create(app, person, name, sn).await.expect(201).json();
    format!("{GROUPS}{}/", group["id"])
}

async fn change(
    app: &TestApp,
    person: &Person,
    path: &str,
    fields: &[(&str, &str)],
) -> TestResponse {
    let call = app.call("PATCH", path).form(fields);
    call.bearer(&person.access).send().await
}

async fn delete(app: &TestApp, person: &Person, path: &str) -> TestResponse {
    app.call("DELETE", path).bearer(&person.access).send().await
}

async fn get(app: &TestApp, person: &Person, path: &str) -> Value {
    let call = app.get(path).bearer(&person.access);
    call.send().await.expect(200).json()
}

/// Every group as its name and systems, in the order of the answer.
async fn groups(app: &TestApp, person: &Person) -> Value {
    let groups = get(app, person, GROUPS).await;
    let each = groups.as_array().unwrap().iter();
    each.map(|group| json!([group["name"], group["systems"]]))
        .collect()
}

/// The group of each system, from the list of systems.
async fn group_names(app: &TestApp, person: &Person) -> Value {
    let systems = get(app, person, "/api/auth/usr_sn/").await;
    let each = systems.as_array().unwrap().iter();
    each.map(|system| json!([system["sn"], system["group_name"]]))
        .collect()
}

async fn journal(app: &TestApp, person: &Person) -> Vec<(String, String)> {
    let account = app.account_id(&person.email).await;
    let lines = app.store.journal_of(account).await.unwrap();
    let about_groups = lines
        .into_iter()
        .filter(|line| line.event.starts_with("group_"));
    about_groups.map(|line| (line.event, line.detail)).collect()
}

/// Anna with three systems.
async fn anna(app: &TestApp) -> Person {
    let units = [
        app.device("SC000001").await,
        app.device("SC000002").await,
        app.device("SC000003").await,
    ];
    let code = app.code(&units.each_ref()).await;
    let form = app.owner_form("anna@example.com", &code);
    app.post("/api/auth/register/", &form)
        .send()
        .await
        .expect(201);
    app.log_in("anna@example.com", false).await
}

with_app!(groups_are_listed_by_name_with_their_systems, |app| {
    let anna = anna(app).await;
    let answer = create(app, &anna, "  süden ", " SC000002,SC000001,,SC000002").await;
    let south = answer.expect(201).json();
    assert_eq!(
        south,
        json!({"id": south["id"], "name": "süden", "systems": ["SC000001", "SC000002"]})
    );
    made(app, &anna, "Norden", "SC000003").await;
    made(app, &anna, "alles andere", "").await;
    assert_eq!(
        groups(app, &anna).await,
        json!([
            ["alles andere", []],
            ["Norden", ["SC000003"]],
            ["süden", ["SC000001", "SC000002"]]
        ])
    );
    assert_eq!(get(app, &anna, GROUPS).await[2], south);
});

with_app!(a_groups_name_is_needed_and_not_endless, |app| {
    let anna = anna(app).await;
    let (longest, too_long) = ("x".repeat(60), "x".repeat(61));
    for (name, code) in [
        ("", "name:required"),
        (" \t", "name:required"),
        (too_long.as_str(), "name:too_long"),
    ] {
        let answer = create(app, &anna, name, "SC000001").await.expect(400);
        assert_eq!(answer.code(), code, "{name:?}");
    }
    let call = app.post(GROUPS, &[]).bearer(&anna.access);
    assert_eq!(call.send().await.expect(400).code(), "name:required");
    assert_eq!(groups(app, &anna).await, json!([]));
    made(app, &anna, &longest, "").await;
});

with_app!(an_account_has_so_many_groups_and_no_more, |app| {
    let anna = anna(app).await;
    let account = app.account_id(&anna.email).await;
    for number in 1..=MAX_GROUPS {
        let name = number.to_string().parse().unwrap();
        let made = app.service.create_group(account, &name, &[]).await;
        assert!(made.unwrap().is_some(), "{number}");
    }
    let refused = create(app, &anna, "one more", "SC000001").await.expect(400);
    assert_eq!(refused.code(), "name:too_many_groups");
    assert_eq!(groups(app, &anna).await.as_array().unwrap().len(), 200);
});

with_app!(an_account_has_no_second_group_of_a_name, |app| {
    let anna = anna(app).await;
    let ben = app.owner("ben", "SC000009").await;
    let path = made(app, &anna, "Ärger im Keller", "SC000001").await;
    for name in ["Ärger im Keller", " ärger IM keller ", "ÄRGER IM KELLER"] {
        let answer = create(app, &anna, name, "SC000002").await.expect(400);
        assert_eq!(answer.code(), "name:group_taken", "{name}");
    }
    assert_eq!(
        groups(app, &anna).await,
        json!([["Ärger im Keller", ["SC000001"]]])
    );
    // Another account may use the same name, and the group itself may change its case.
    made(app, &ben, "Ärger im Keller", "").await;
    let other = made(app, &anna, "Dach", "").await;
    let taken = [("name", "ärger im keller")];
    let answer = change(app, &anna, &other, &taken).await.expect(400);
    assert_eq!(answer.code(), "name:group_taken");
    change(app, &anna, &path, &taken).await.expect(200);
    assert_eq!(
        groups(app, &anna).await,
        json!([["Dach", []], ["ärger im keller", ["SC000001"]]])
    );
});

with_app!(
    of_two_groups_made_at_once_with_one_name_one_is_made,
    |app| {
        let anna = anna(app).await;
        let (one, other) = tokio::join!(
            create(app, &anna, "Keller", ""),
            create(app, &anna, "keller", "")
        );
        let mut answers = [one.status.as_u16(), other.status.as_u16()];
        answers.sort_unstable();
        assert_eq!(answers, [201, 400]);
    }
);

with_app!(a_system_that_joins_a_group_leaves_the_other, |app| {
    let anna = anna(app).await;
    let cellar = made(app, &anna, "Keller", "SC000001,SC000002").await;
    assert_eq!(
        group_names(app, &anna).await,
        json!([
            ["SC000001", "Keller"],
            ["SC000002", "Keller"],
            ["SC000003", null]
        ])
    );
    let roof = made(app, &anna, "Dach", "SC000002,SC000003").await;
    assert_eq!(
        groups(app, &anna).await,
        json!([["Dach", ["SC000002", "SC000003"]], ["Keller", ["SC000001"]]])
    );
    let back = change(app, &anna, &cellar, &[("sn", "SC000003,SC000001")]).await;
    assert_eq!(
        back.expect(200).json()["systems"],
        json!(["SC000001", "SC000003"])
    );
    assert_eq!(
        group_names(app, &anna).await,
        json!([
            ["SC000001", "Keller"],
            ["SC000002", "Dach"],
            ["SC000003", "Keller"]
        ])
    );
    delete(app, &anna, &roof).await.expect(204);
    assert_eq!(
        group_names(app, &anna).await,
        json!([
            ["SC000001", "Keller"],
            ["SC000002", null],
            ["SC000003", "Keller"]
        ])
    );
});

with_app!(only_what_is_given_changes, |app| {
    let anna = anna(app).await;
    let path = made(app, &anna, "Keller", "SC000001").await;
    let answer = change(app, &anna, &path, &[("name", " Dach ")]).await;
    let renamed = answer.expect(200).json();
    assert_eq!(
        (&renamed["name"], &renamed["systems"]),
        (&json!("Dach"), &json!(["SC000001"]))
    );
    change(app, &anna, &path, &[("sn", "")]).await.expect(200);
    assert_eq!(groups(app, &anna).await, json!([["Dach", []]]));
    let nothing = change(app, &anna, &path, &[]).await.expect(200);
    assert_eq!(nothing.json()["name"], "Dach");
    let empty = [("name", ""), ("sn", "SC000001")];
    let answer = change(app, &anna, &path, &empty).await.expect(400);
    assert_eq!(answer.code(), "name:required");
    assert_eq!(groups(app, &anna).await, json!([["Dach", []]]));
});

with_app!(
    somebody_elses_system_and_a_missing_one_change_nothing,
    |app| {
        let anna = anna(app).await;
        let ben = app.owner("ben", "SC000009").await;
        made(app, &ben, "Bens Keller", "SC000009").await;
        let path = made(app, &anna, "Keller", "SC000001").await;
        let mut answers = BTreeSet::new();
        for sn in ["SC000009", "SC999999", "sc000001", "rubbish", "-1"] {
            let sn = format!("SC000002,{sn}");
            let refused = create(app, &anna, "Dach", &sn).await.expect(404);
            answers.insert(refused.text);
            let fields = [("name", "Dach"), ("sn", sn.as_str())];
            let refused = change(app, &anna, &path, &fields).await.expect(404);
            answers.insert(refused.text);
        }
        assert_eq!(answers.len(), 1);
        assert_eq!(groups(app, &anna).await, json!([["Keller", ["SC000001"]]]));
        assert_eq!(
            group_names(app, &ben).await,
            json!([["SC000009", "Bens Keller"]])
        );
    }
);

with_app!(somebody_elses_group_is_a_missing_group, |app| {
    let anna = anna(app).await;
    let ben = app.owner("ben", "SC000009").await;
    let foreign = made(app, &ben, "Bens Keller", "SC000009").await;
    assert_eq!(groups(app, &anna).await, json!([]));
    let mut answers = BTreeSet::new();
    let missing = ["999999", "x", "-1", "99999999999999999999"].map(|id| format!("{GROUPS}{id}/"));
    for path in missing.iter().chain([&foreign]) {
        let fields = [("name", "Annas Keller"), ("sn", "SC000001")];
        let refused = change(app, &anna, path, &fields).await.expect(404);
        answers.insert(refused.text);
        answers.insert(delete(app, &anna, path).await.expect(404).text);
    }
    assert_eq!(answers.len(), 1);
    assert_eq!(
        groups(app, &ben).await,
        json!([["Bens Keller", ["SC000009"]]])
    );
});

with_app!(a_system_given_up_is_in_no_group_any_more, |app| {
    let anna = anna(app).await;
    made(app, &anna, "Keller", "SC000001,SC000002").await;
    let call = app.call("DELETE", "/api/auth/usr_sn/SC000002/");
    let call = call.form(&[("password", testkit::PASSWORD)]);
    call.bearer(&anna.access).send().await.expect(204);
    assert_eq!(groups(app, &anna).await, json!([["Keller", ["SC000001"]]]));
    // It appears neither for the next owner nor when the system returns.
    let code = app.code(&[&"SC000002".parse().unwrap()]).await;
    let call = app.post("/api/auth/usr_sn/", &[("keys", &code)]);
    call.bearer(&anna.access).send().await.expect(200);
    assert_eq!(
        group_names(app, &anna).await,
        json!([
            ["SC000001", "Keller"],
            ["SC000002", null],
            ["SC000003", null]
        ])
    );
    assert_eq!(groups(app, &anna).await, json!([["Keller", ["SC000001"]]]));
});

with_app!(every_change_of_a_group_stands_in_the_journal, |app| {
    let anna = anna(app).await;
    let path = made(app, &anna, "Annas Keller", "SC000001").await;
    let id = path.trim_start_matches(GROUPS).trim_end_matches('/');
    create(app, &anna, "annas keller", "").await.expect(400);
    create(app, &anna, "Dach", "SC999999").await.expect(404);
    change(app, &anna, &path, &[("name", "Annas Dach")])
        .await
        .expect(200);
    change(app, &anna, &path, &[]).await.expect(200);
    let both = [("name", "Dach"), ("sn", "SC000002")];
    change(app, &anna, &path, &both).await.expect(200);
    delete(app, &anna, &path).await.expect(204);
    delete(app, &anna, &path).await.expect(404);
    // Without the names, which are personal.
    let line = |event: &str, detail: String| (event.to_owned(), detail);
    assert_eq!(
        journal(app, &anna).await,
        [
            line("group_created", format!(r#"{{"group":{id}}}"#)),
            line(
                "group_changed",
                format!(r#"{{"fields":["name"],"group":{id}}}"#)
            ),
            line(
                "group_changed",
                format!(r#"{{"fields":["name","sn"],"group":{id}}}"#)
            ),
            line("group_deleted", format!(r#"{{"group":{id}}}"#)),
        ]
    );
});

with_app!(an_electrician_has_groups_of_the_own_and_no_others, |app| {
    let anna = anna(app).await;
    let eva = app.electrician("eva").await;
    let path = made(app, &anna, "Keller", "SC000001").await;
    assert_eq!(groups(app, &eva).await, json!([]));
    create(app, &eva, "Kunden", "SC000001").await.expect(404);
    delete(app, &eva, &path).await.expect(404);
    made(app, &eva, "Keller", "").await;
    assert_eq!(groups(app, &eva).await, json!([["Keller", []]]));
    assert_eq!(groups(app, &anna).await, json!([["Keller", ["SC000001"]]]));
});
