//! Commissioning of a system: step by step, finished only when every check passes. The protocol stays with the system.
#![allow(clippy::unwrap_used)]
use serde_json::{Value, json};
use std::process::Command;
use testkit::{Person, TestApp, TestResponse, on_both, with_app};

/// An electrician who has used an installer code on systems without an owner.
pub(crate) async fn installer(app: &TestApp, name: &str, sns: &[&str]) -> Person {
    let mut serials = Vec::new();
    for sn in sns {
        serials.push(app.device(sn).await);
    }
    let code = app
        .installer_code(&serials.iter().collect::<Vec<_>>())
        .await;
    let person = app.electrician(name).await;
    app.post("/api/auth/grant/code/", &[("code", &code)])
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    person
}

async fn open(app: &TestApp, person: &Person, sn: &str) -> Value {
    app.get(&format!("/api/auth/commissioning/?sn={sn}"))
        .bearer(&person.access)
        .send()
        .await
        .expect(200)
        .json()["commissioning"]
        .clone()
}

/// How far the electrician's first system was brought into service, in the list of systems.
async fn status(app: &TestApp, person: &Person) -> Value {
    let systems = app.get("/api/auth/usr_sn/").bearer(&person.access);
    let systems = systems.send().await.expect(200).json();
    systems[0]["commissioning"].clone()
}

pub(crate) fn step<'a>(entry: &'a Value, name: &str) -> &'a Value {
    let steps = entry["steps"].as_array().unwrap();
    steps.iter().find(|step| step["step"] == name).unwrap()
}

async fn read(app: &TestApp, person: &Person, path: &str) -> TestResponse {
    let call = app.get(&format!("/api/auth/commissioning/protocol/{path}"));
    call.bearer(&person.access).send().await
}

async fn protocols(app: &TestApp, person: &Person, sn: &str) -> Vec<Value> {
    let list = read(app, person, &format!("?sn={sn}")).await.expect(200);
    list.json().as_array().unwrap().clone()
}

/// The text that a PDF reader extracts from a file.
pub(crate) fn text_of(pdf: &[u8]) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), pdf).unwrap();
    let read = Command::new("pdftotext")
        .args(["-layout", file.path().to_str().unwrap(), "-"])
        .output()
        .expect("pdftotext, which scripts/install-tools installs");
    String::from_utf8(read.stdout).unwrap()
}

with_app!(an_unopened_box_becomes_a_protocol, |app| {
    let eva = installer(app, "eva", &["SC000001"]).await;
    let battery = app.battery("SC000001");
    assert_eq!(open(app, &eva, "SC000001").await, Value::Null);
    assert_eq!(status(app, &eva).await, Value::Null);
    let id = app.begin_commissioning(&eva, "SC000001").await;
    assert_eq!(status(app, &eva).await, "in_progress");
    let units = app.step(&eva, id, &[("step", "units")]).await;
    let missing = step(&units, "units");
    assert_eq!(
        (&missing["state"], &missing["reason"], &missing["at"]),
        (&json!("failed"), &json!("not_reporting"), &Value::Null)
    );
    // The server refuses and lists everything that is open.
    let refused = app.finish(&eva, id).await.expect(409).json();
    assert_eq!(refused["code"], "steps_open");
    assert_eq!(refused["open"].as_array().unwrap().len(), 9);

    app.bring_online(&battery).await;
    app.test_meter(&eva, &battery, true).await;
    for name in ["units", "meter", "limits", "ups", "firmware"] {
        let entry = app.step(&eva, id, &[("step", name)]).await;
        assert_eq!(step(&entry, name)["state"], "passed", "{entry}");
        assert_eq!(step(&entry, name)["company"], "Elektro Sonnenberg");
    }
    for phase in 1..=3 {
        let entry = app.test_phase(&eva, &battery, id, phase).await;
        assert_eq!(entry["phases"][phase - 1]["rise"], 2_000, "{entry}");
    }
    let limit = [("step", "export_limit"), ("limit", "7000")];
    app.step(&eva, id, &limit).await;
    let customer = [
        ("step", "customer"),
        ("first_name", "Łukasz"),
        ("last_name", "Čačić"),
        ("place", "Rue Zoé 7, 10115 Berlin"),
    ];
    app.step(&eva, id, &customer).await;
    let refused = app.finish(&eva, id).await.expect(409).json();
    let left = refused["open"].as_array().unwrap();
    assert_eq!(left.len(), 1, "{refused}");
    assert_eq!(left[0]["reason"], "not_instructed");
    let last = [
        ("step", "instruction"),
        ("instructed", "true"),
        ("note", "Zähler im Keller, Straße ž €"),
    ];
    let entry = app.step(&eva, id, &last).await;
    assert_eq!(entry["complete"], true);
    let finished = app.finish(&eva, id).await.expect(201).json();
    assert_eq!(finished["number"], "SC000001-1");
    assert_eq!(open(app, &eva, "SC000001").await, Value::Null);
    assert_eq!(status(app, &eva).await, "finished");

    let page = read(app, &eva, &format!("{id}/")).await.expect(200).json();
    assert_eq!(page["sheet"]["title"], "Inbetriebnahmeprotokoll");
    let file = read(app, &eva, &format!("{id}/pdf/")).await.expect(200);
    assert_eq!(file.headers["content-type"], "application/pdf");
    assert_eq!(
        file.headers["content-disposition"],
        "attachment; filename=\"suncellar-SC000001-1.pdf\""
    );
    assert_eq!(file.headers["cache-control"], "no-store");
    let text = text_of(&file.bytes);
    for wanted in [
        "Łukasz Čačić",
        "Rue Zoé 7, 10115 Berlin",
        "SC000001",
        "Protokoll Nr. SC000001-1",
        "Elektro Sonnenberg",
        "ADL400",
        "4.200",
        "7.000",
        "Zähler im Keller, Straße ž €",
        "Unterschrift Kunde",
        "Seite 1 von",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
    }
    let again = read(app, &eva, &format!("{id}/pdf/")).await.expect(200);
    assert_eq!(
        again.bytes, file.bytes,
        "the same protocol is the same file"
    );
    let french = app.get(&format!("/api/auth/commissioning/protocol/{id}/pdf/"));
    let french = french.header("accept-language", "fr").bearer(&eva.access);
    let french = text_of(&french.send().await.expect(200).bytes);
    assert!(
        french.contains("Procès-verbal de mise en service"),
        "{french}"
    );
});

with_app!(each_wrong_wiring_is_told_and_can_be_put_right, |app| {
    let eva = installer(app, "eva", &["SC000001"]).await;
    let battery = app.battery("SC000001");
    let id = app.begin_commissioning(&eva, "SC000001").await;
    app.bring_online(&battery).await;
    let table = [
        ([120, 1_960, 60], 2, None),
        ([-1_880, -40, 60], 1, Some("verkehrt herum")),
        ([120, -40, 2_060], 1, Some("auf L3")),
        ([150, -40, 60], 1, Some("300 W")),
    ];
    for (loaded, phase, want) in table {
        app.set_meter_powers(&battery, [120, -40, 60]).await;
        app.measure(&eva, id, phase, "off").await;
        app.set_meter_powers(&battery, loaded).await;
        let entry = app.measure(&eva, id, phase, "on").await;
        let said = entry["phases"][phase - 1]["text"].as_str();
        match want {
            None => assert_eq!(said, None),
            Some(want) => assert!(said.unwrap().contains(want), "{said:?}"),
        }
    }
    // A repeated sample proves nothing about the load.
    app.set_meter_powers(&battery, [120, -40, 60]).await;
    app.measure(&eva, id, 1, "off").await;
    let entry = app.measure(&eva, id, 1, "on").await;
    assert_eq!(step(&entry, "phases")["reason"], "no_new_reading");
    let entry = app.test_phase(&eva, &battery, id, 1).await;
    assert_eq!(step(&entry, "phases")["reason"], "phase_untested");
    assert_eq!(step(&entry, "phases")["state"], "open");
});

with_app!(
    what_changes_after_its_step_has_to_be_looked_at_again,
    |app| {
        let eva = installer(app, "eva", &["SC000001"]).await;
        let battery = app.battery("SC000001");
        let id = app.complete_checks(&eva, &battery).await;
        // The limit is lowered, but the battery has not applied it yet.
        let lower = [("version", "0"), ("charge_limit", "3000")];
        app.post("/api/auth/settings/?sn=SC000001", &lower)
            .bearer(&eva.access)
            .send()
            .await
            .expect(200);
        let refused = app.finish(&eva, id).await.expect(409).json();
        assert_eq!(refused["open"][0]["reason"], "settings_pending");
        let settings = app.get("/api/auth/settings/?sn=SC000001");
        let settings = settings.bearer(&eva.access).send().await.json();
        let mut desired = settings["desired"].as_object().unwrap().clone();
        desired.retain(|_, value| !value.is_null());
        let applied = domain::Settings::from_json(&desired).unwrap();
        battery.applied(1, applied).await;
        let refused = app.finish(&eva, id).await.expect(409).json();
        let open = refused["open"].as_array().unwrap();
        assert_eq!(open.len(), 1, "{refused}");
        assert_eq!(
            (&open[0]["step"], &open[0]["reason"]),
            (&json!("limits"), &json!("changed_since"))
        );
        app.step(&eva, id, &[("step", "limits")]).await;
        // The battery goes offline: a missing battery cannot be signed for.
        battery.goes_offline().await;
        let refused = app.finish(&eva, id).await.expect(409).json();
        assert_eq!(refused["open"][0]["reason"], "not_reporting");
        app.set_meter_powers(&battery, [1, 2, 3]).await;
        app.finish(&eva, id).await.expect(201);
    }
);

with_app!(
    the_notice_is_acknowledged_for_the_limit_that_a_unit_came_with,
    |app| {
        let eva = installer(app, "eva", &["SC000001"]).await;
        let battery = app.battery("SC000001");
        let id = app.begin_commissioning(&eva, "SC000001").await;
        app.bring_online(&battery).await;
        let mut factory = domain::Settings::initial(domain::setting::Ratings {
            charge: Some(4_600),
            discharge: Some(5_000),
        });
        let limit = domain::setting::Field::ChargeLimit;
        factory.set(limit, domain::setting::Value::Whole(4_600));
        battery.applied(0, factory.clone()).await;
        let limits = [("step", "limits"), ("notified", "true")];
        let entry = app.step(&eva, id, &limits).await;
        assert_eq!(step(&entry, "limits")["reason"], "notice_missing");
        // The charge limit stays as it is.
        let notice = [("version", "0"), ("acknowledge_14a", "true")];
        app.post("/api/auth/settings/?sn=SC000001", &notice)
            .bearer(&eva.access)
            .send()
            .await
            .expect(200);
        battery.applied(1, factory).await;
        let entry = app.step(&eva, id, &limits).await;
        assert_eq!(step(&entry, "limits")["state"], "passed", "{entry}");
        let journal = app.get("/api/auth/journal/?sn=SC000001");
        let journal = journal.bearer(&eva.access).send().await.expect(200).text;
        assert!(journal.contains("notice_acknowledged"));
        assert!(!journal.contains("setting_changed"));
    }
);

with_app!(a_failed_meter_test_does_not_pass, |app| {
    let eva = installer(app, "eva", &["SC000001"]).await;
    let battery = app.battery("SC000001");
    let id = app.begin_commissioning(&eva, "SC000001").await;
    app.bring_online(&battery).await;
    let entry = app.step(&eva, id, &[("step", "meter")]).await;
    assert_eq!(step(&entry, "meter")["reason"], "meter_untested");
    app.test_meter(&eva, &battery, false).await;
    let entry = app.step(&eva, id, &[("step", "meter")]).await;
    assert_eq!(step(&entry, "meter")["reason"], "meter_failed");
    app.clock.advance(1_000);
    app.test_meter(&eva, &battery, true).await;
    let entry = app.step(&eva, id, &[("step", "meter")]).await;
    assert_eq!(step(&entry, "meter")["state"], "passed");
});

with_app!(
    another_electrician_goes_on_and_a_finished_one_is_never_written_into,
    |app| {
        let eva = installer(app, "eva", &["SC000001"]).await;
        let max = app.electrician("max").await;
        let code = app.installer_code(&[&"SC000001".parse().unwrap()]).await;
        app.post("/api/auth/grant/code/", &[("code", &code)])
            .bearer(&max.access)
            .send()
            .await
            .expect(200);
        let battery = app.battery("SC000001");
        let id = app.complete_checks(&eva, &battery).await;
        // Starting twice returns the same commissioning, also from another device.
        let begun = app.post("/api/auth/commissioning/", &[("sn", "SC000001")]);
        let begun = begun.bearer(&max.access).send().await.expect(200).json();
        assert_eq!(begun["id"], id);
        assert_eq!(open(app, &max, "SC000001").await["complete"], true);
        app.finish(&max, id).await.expect(201);
        let before = read(app, &eva, &format!("{id}/")).await.expect(200).text;
        for path in ["step", "phase", "finish"] {
            let fields = [("step", "ups"), ("phase", "1"), ("load", "on")];
            app.post(&format!("/api/auth/commissioning/{id}/{path}/"), &fields)
                .bearer(&eva.access)
                .send()
                .await
                .expect(404);
        }
        let drop = app.call("DELETE", &format!("/api/auth/commissioning/{id}/"));
        drop.bearer(&eva.access).send().await.expect(404);
        // Commissioned again after a replacement: the older protocol stays unchanged.
        app.clock.advance(1_000);
        let second = app.commission(&eva, &battery).await;
        let numbers: Vec<Value> = protocols(app, &eva, "SC000001")
            .await
            .iter()
            .map(|protocol| protocol["number"].clone())
            .collect();
        assert_eq!(numbers, ["SC000001-2", "SC000001-1"]);
        assert_ne!(second, id);
        let after = read(app, &eva, &format!("{id}/")).await.expect(200).text;
        assert_eq!(after, before);
    }
);

with_app!(one_that_is_given_up_leaves_nothing_but_a_line, |app| {
    let eva = installer(app, "eva", &["SC000001"]).await;
    let id = app.begin_commissioning(&eva, "SC000001").await;
    let drop = app.call("DELETE", &format!("/api/auth/commissioning/{id}/"));
    drop.bearer(&eva.access).send().await.expect(204);
    assert_eq!(open(app, &eva, "SC000001").await, Value::Null);
    let journal = app.get("/api/auth/journal/?sn=SC000001");
    let journal = journal.bearer(&eva.access).send().await.expect(200).text;
    assert!(journal.contains("commissioning_dropped") && journal.contains("abgebrochen"));
});

/// What the journal says of the steps of a commissioning, oldest first.
async fn recorded_steps(app: &TestApp, person: &Person) -> Vec<Value> {
    let journal = app.get("/api/auth/journal/?sn=SC000001");
    let journal = journal.bearer(&person.access).send().await.expect(200);
    let page = journal.json();
    let entries = page["lines"].as_array().unwrap().iter().rev();
    let recorded = entries.filter(|entry| entry["event"] == "commissioning_step_recorded");
    recorded.map(|entry| entry["text"].clone()).collect()
}

on_both!(each_step_that_is_written_down_has_its_line, |db| {
    let app = TestApp::start(db).await;
    let eva = installer(&app, "eva", &["SC000001"]).await;
    let battery = app.battery("SC000001");
    let id = app.begin_commissioning(&eva, "SC000001").await;
    // It fails, so nothing is written down.
    app.step(&eva, id, &[("step", "units")]).await;
    assert!(recorded_steps(&app, &eva).await.is_empty());

    app.bring_online(&battery).await;
    app.step(&eva, id, &[("step", "units")]).await;
    app.measure(&eva, id, 1, "off").await;
    let remark = [("step", "instruction"), ("note", "Zähler im Keller")];
    app.step(&eva, id, &remark).await;
    // The remark is known, and the check fails again.
    app.step(&eva, id, &remark).await;
    let said = |step: &str| format!("Ein Schritt einer Inbetriebnahme wurde festgehalten: {step}.");
    let steps = [
        "Geräte und Außenleiter",
        "Vorzeichen- und Phasentest",
        "Einweisung und Übergabe",
    ];
    assert_eq!(recorded_steps(&app, &eva).await, steps.map(said));

    // Without its line no step is written down.
    db.execute("ALTER TABLE journal RENAME TO journal_away")
        .await;
    let path = format!("/api/auth/commissioning/{id}/step/");
    let customer = [
        ("step", "customer"),
        ("first_name", "Łukasz"),
        ("last_name", "Čačić"),
        ("place", "Rue Zoé 7, 10115 Berlin"),
    ];
    let failed = app.post(&path, &customer).bearer(&eva.access);
    failed.send().await.expect(503);
    db.execute("ALTER TABLE journal_away RENAME TO journal")
        .await;
    let entry = open(&app, &eva, "SC000001").await;
    assert_eq!(step(&entry, "customer")["at"], Value::Null, "{entry}");
    app.step(&eva, id, &customer).await;
    let entry = open(&app, &eva, "SC000001").await;
    assert_eq!(step(&entry, "customer")["state"], "passed", "{entry}");
    app.stop().await;
});

with_app!(the_units_of_a_site_are_commissioned_together, |app| {
    let eva = installer(app, "eva", &["SC000001", "SC000002"]).await;
    let max = installer(app, "max", &["SC000003"]).await;
    let both = app.post("/api/auth/commissioning/", &[("sn", "SC000002,SC000001")]);
    let both = both.bearer(&eva.access).send().await.expect(201).json();
    assert_eq!(both["units"], json!(["SC000001", "SC000002"]));
    let alone = app.post("/api/auth/commissioning/", &[("sn", "SC000002")]);
    let alone = alone.bearer(&eva.access).send().await.expect(409);
    assert_eq!(alone.code(), "units_busy");
    // Both units are on phase 1, which the wiring does not allow.
    for sn in ["SC000001", "SC000002"] {
        app.bring_online(&app.battery(sn)).await;
    }
    let id = both["id"].as_i64().unwrap();
    let entry = app.step(&eva, id, &[("step", "units")]).await;
    let units = step(&entry, "units");
    assert_eq!(
        (&units["reason"], &units["sn"]),
        (&json!("phase_twice"), &json!("SC000002"))
    );
    // Another owner's unit cannot be part of this site.
    let mixed = app.post("/api/auth/commissioning/", &[("sn", "SC000003,SC000001")]);
    mixed.bearer(&max.access).send().await.expect(404);
});

with_app!(what_is_typed_wrong_is_told_at_its_field, |app| {
    let eva = installer(app, "eva", &["SC000001"]).await;
    let id = app.begin_commissioning(&eva, "SC000001").await;
    let path = format!("/api/auth/commissioning/{id}/step/");
    let long = "x".repeat(1_001);
    let table = [
        (vec![("step", "")], "step", "required"),
        (vec![("step", "phases")], "step", "choice_unknown"),
        (
            vec![("step", "export_limit"), ("limit", "viel")],
            "limit",
            "number_invalid",
        ),
        (
            vec![("step", "customer"), ("first_name", "A")],
            "place",
            "required",
        ),
        (
            vec![("step", "instruction"), ("note", &long)],
            "note",
            "too_long",
        ),
    ];
    for (fields, field, code) in table {
        let answer = app.post(&path, &fields).bearer(&eva.access).send().await;
        assert_eq!(answer.expect(400).json()["codes"][field][0], code);
    }
    let phase = format!("/api/auth/commissioning/{id}/phase/");
    let wrong = app.post(&phase, &[("phase", "4"), ("load", "on")]);
    wrong.bearer(&eva.access).send().await.expect(400);
    let none = app.post("/api/auth/commissioning/", &[("sn", "")]);
    none.bearer(&eva.access).send().await.expect(400);
});

with_app!(two_tenants_see_nothing_of_each_other, |app| {
    let eva = installer(app, "eva", &["SC000001"]).await;
    let max = installer(app, "max", &["SC000002"]).await;
    let ben = app.owner("ben", "SC000003").await;
    let battery = app.battery("SC000001");
    let protocol = app.commission(&eva, &battery).await;
    let id = app.begin_commissioning(&eva, "SC000001").await;
    let missing = i64::MAX;
    let mut answers = std::collections::BTreeSet::new();
    for person in [&max, &ben] {
        for path in [
            "?sn=SC000001".to_owned(),
            "?sn=SC999999".to_owned(),
            format!("{protocol}/"),
            format!("{protocol}/pdf/"),
            format!("{missing}/"),
            // A commissioning in progress is not a protocol yet.
            format!("{id}/"),
        ] {
            answers.insert(read(app, person, &path).await.expect(404).text);
        }
    }
    for (method, path) in [
        ("GET", "?sn=SC000001".to_owned()),
        ("POST", format!("{id}/step/")),
        ("POST", format!("{id}/phase/")),
        ("POST", format!("{id}/finish/")),
        ("DELETE", format!("{id}/")),
        ("DELETE", format!("{missing}/")),
    ] {
        let call = app.call(method, &format!("/api/auth/commissioning/{path}"));
        let call = call.form(&[("step", "ups"), ("phase", "1"), ("load", "on")]);
        answers.insert(call.bearer(&max.access).send().await.expect(404).text);
    }
    assert_eq!(answers.len(), 1);
    read(app, &eva, &format!("{id}/")).await.expect(404);
});

with_app!(
    the_owner_reads_it_and_the_next_one_reads_it_without_the_names,
    |app| {
        let eva = installer(app, "eva", &["SC000001"]).await;
        let battery = app.battery("SC000001");
        let id = app.commission(&eva, &battery).await;
        let code = app.code(&[&battery.sn]).await;
        let form = app.owner_form("anna@example.com", &code);
        let register = app.post("/api/auth/register/", &form);
        register.from("10.1.2.3").send().await.expect(201);
        let anna = app.log_in("anna@example.com", false).await;
        assert_eq!(protocols(app, &anna, "SC000001").await.len(), 1);
        let file = read(app, &anna, &format!("{id}/pdf/")).await.expect(200);
        assert!(text_of(&file.bytes).contains("Łukasz Čačić"));
        // Still in progress when the house is sold: it was for her.
        app.grant(&anna, &eva, "SC000001", "service").await;
        app.begin_commissioning(&eva, "SC000001").await;
        let sale = [
            ("sn", "SC000001"),
            ("email", "ben@example.com"),
            ("password", testkit::PASSWORD),
        ];
        let sale = app.post("/api/auth/grant/handover/", &sale);
        sale.bearer(&anna.access).send().await.expect(201);
        let code = app.mailed_token("ben@example.com", "key").await;
        let form = app.owner_form("ben@example.com", &code);
        let register = app.post("/api/auth/register/", &form);
        register.from("10.1.2.4").send().await.expect(201);
        let ben = app.log_in("ben@example.com", false).await;
        read(app, &anna, &format!("{id}/")).await.expect(404);
        read(app, &eva, &format!("{id}/")).await.expect(404);
        let page = read(app, &ben, &format!("{id}/")).await.expect(200).text;
        let file = read(app, &ben, &format!("{id}/pdf/")).await.expect(200);
        let text = text_of(&file.bytes);
        for personal in ["Łukasz", "Čačić", "Zoé"] {
            assert!(
                !page.contains(personal) && !text.contains(personal),
                "{personal}"
            );
        }
        assert!(
            text.contains("SC000001") && text.contains("ADL400"),
            "{text}"
        );
        app.grant(&ben, &eva, "SC000001", "service").await;
        assert_eq!(open(app, &eva, "SC000001").await, Value::Null);
    }
);

with_app!(a_company_that_leaves_is_named_no_more, |app| {
    let eva = installer(app, "eva", &["SC000001"]).await;
    let anna = app.owner("anna", "SC000002").await;
    app.grant(&anna, &eva, "SC000002", "service").await;
    let id = app.commission(&eva, &app.battery("SC000002")).await;
    let export = app.get("/api/auth/account/export/").bearer(&eva.access);
    let export = export.send().await.expect(200).json();
    assert_eq!(export["commissionings"][0]["sn"], "SC000002");
    assert_eq!(
        export["commissionings"][0]["customer"],
        Value::Null,
        "hers, not the electrician's"
    );
    assert_eq!(export["commissioning_steps"].as_array().unwrap().len(), 9);
    let named = export["journal"].as_array().unwrap().iter();
    let named = named.filter(|line| line["event"] == "end_user_named");
    assert!(named.into_iter().all(|line| line["detail"] == "null"));
    let gone = app.call("DELETE", "/api/auth/account/");
    let gone = gone.form(&[("password", testkit::PASSWORD)]);
    gone.bearer(&eva.access).send().await.expect(204);
    let page = read(app, &anna, &format!("{id}/")).await.expect(200).text;
    assert!(!page.contains("Elektro Sonnenberg"), "{page}");
    assert!(page.contains("nicht mehr bei Suncellar"));
});
