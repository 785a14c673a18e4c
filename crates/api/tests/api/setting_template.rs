//! Templates of settings: owned by an electrician, validated like settings, and deleted with the account.
#![allow(clippy::unwrap_used)]
use serde_json::{Value, json};
use testkit::{Person, TestApp, TestResponse, with_app};

const TEMPLATES: &str = "/api/auth/settings/template/";

async fn call(
    app: &TestApp,
    person: &Person,
    method: &str,
    path: &str,
    fields: &[(&str, &str)],
) -> TestResponse {
    let call = app.call(method, path).form(fields);
    call.bearer(&person.access).send().await
}

async fn create(app: &TestApp, person: &Person, fields: &[(&str, &str)]) -> TestResponse {
    call(app, person, "POST", TEMPLATES, fields).await
}

async fn list(app: &TestApp, person: &Person) -> Value {
    let answer = app.get(TEMPLATES).bearer(&person.access).send().await;
    answer.expect(200).json()
}

with_app!(a_template_is_kept_renamed_and_deleted, |app| {
    let eva = app.electrician("eva").await;
    let fields = [
        ("name", " Winter "),
        ("reserve_soc", "30"),
        ("charge_power", "2000"),
    ];
    let made = create(app, &eva, &fields).await.expect(201).json();
    assert_eq!(made["name"], "Winter");
    assert_eq!(
        made["fields"],
        json!({"charge_power": 2000, "reserve_soc": 30})
    );
    let path = format!("{TEMPLATES}{}/", made["id"]);
    let renamed = call(app, &eva, "PATCH", &path, &[("name", "Frost")]).await;
    assert_eq!(renamed.expect(200).json()["fields"], made["fields"]);
    let other = call(app, &eva, "PATCH", &path, &[("charge_start", "22:00")]).await;
    assert_eq!(
        other.expect(200).json()["fields"],
        json!({"charge_start": "22:00"})
    );
    assert_eq!(list(app, &eva).await[0]["name"], "Frost");
    call(app, &eva, "DELETE", &path, &[]).await.expect(204);
    call(app, &eva, "DELETE", &path, &[]).await.expect(404);
    assert_eq!(list(app, &eva).await, json!([]));
});

with_app!(a_template_is_held_to_the_rules_of_settings, |app| {
    let eva = app.electrician("eva").await;
    for (fields, field, code) in [
        (
            &[("name", ""), ("reserve_soc", "30")][..],
            "name",
            "required",
        ),
        (
            &[("name", "a"), ("reserve_soc", "101")],
            "reserve_soc",
            "soc_range",
        ),
        (
            &[
                ("name", "a"),
                ("provider_token", "a-token-that-is-long-enough"),
            ],
            "provider_token",
            "forbidden",
        ),
        (
            &[
                ("name", "a"),
                ("charge_start", "22:00"),
                ("charge_end", "22:00"),
            ],
            "charge_end",
            "window_empty",
        ),
    ] {
        let refused = create(app, &eva, fields).await.expect(400).json();
        assert_eq!(refused["codes"][field][0], code, "{fields:?}");
    }
    let empty = create(app, &eva, &[("name", "a")]).await.expect(400);
    assert_eq!(empty.code(), "nothing_to_change");
    let fields = [("name", "Winter"), ("reserve_soc", "30")];
    create(app, &eva, &fields).await.expect(201);
    let again = [("name", "WINTER"), ("reserve_soc", "40")];
    let taken = create(app, &eva, &again).await.expect(400).json();
    assert_eq!(taken["codes"]["name"][0], "template_taken");
    for number in 1..50 {
        let name = number.to_string();
        let fields = [("name", name.as_str()), ("reserve_soc", "30")];
        create(app, &eva, &fields).await.expect(201);
    }
    let full = create(app, &eva, &[("name", "one more"), ("reserve_soc", "30")]).await;
    assert_eq!(
        full.expect(400).json()["codes"]["name"][0],
        "too_many_templates"
    );
});

with_app!(nobody_else_sees_a_template_and_no_owner_has_any, |app| {
    let eva = app.electrician("eva").await;
    let max = app.electrician("max").await;
    let anna = app.owner("anna", "SC000001").await;
    let fields = [("name", "Winter"), ("reserve_soc", "30")];
    let made = create(app, &eva, &fields).await.expect(201).json();
    let path = format!("{TEMPLATES}{}/", made["id"]);
    assert_eq!(list(app, &max).await, json!([]));
    // Another account can use the same name.
    create(app, &max, &fields).await.expect(201);
    for method in ["PATCH", "DELETE"] {
        let foreign = call(app, &max, method, &path, &[("name", "x")])
            .await
            .expect(404);
        let missing = format!("{TEMPLATES}999999/");
        let missing = call(app, &max, method, &missing, &[("name", "x")])
            .await
            .expect(404);
        assert_eq!(foreign.text, missing.text);
        call(app, &anna, method, &path, &[("name", "x")])
            .await
            .expect(403);
    }
    create(app, &anna, &fields).await.expect(403);
    assert_eq!(list(app, &eva).await[0]["name"], "Winter");
});
