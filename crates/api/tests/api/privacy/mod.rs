//! A person's stored data can be exported completely, and is deleted with the account. Both are checked against the database
//! itself: a new table or column fails here until someone decides about it.
#![allow(clippy::unwrap_used)]
mod life;
mod tables;

use life::{TOKEN, delete, live, set_stage};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tables::{Numbers, Row, RowOwnership, SECRET, TABLES, TableRule, dump, numbers};
use testkit::{PASSWORD, Person, TestApp, on_both, with_app};

/// SQLite stores booleans as 1 and 0.
fn same(one: &Value, other: &Value) -> bool {
    let number = |value: &Value| value.as_bool().map(i64::from).or(value.as_i64());
    one == other || number(one).is_some() && number(one) == number(other)
}

async fn export(app: &TestApp, person: &Person) -> Value {
    app.get("/api/auth/account/export/?format=json")
        .bearer(&person.access)
        .send()
        .await
        .expect(200)
        .json()
}

on_both!(every_table_has_been_thought_about, |db| {
    let tables: BTreeSet<String> = dump(db).await.into_keys().collect();
    let known: BTreeSet<String> = TABLES.iter().map(|table| table.name.to_owned()).collect();
    assert_eq!(
        tables, known,
        "say how a new table's rows belong to a person, and export and erase them"
    );
});

/// Every row of these tables that belongs to the account is in its export.
fn assert_exported<'t>(
    tables: impl Iterator<Item = &'t TableRule>,
    dump: &BTreeMap<String, Vec<Row>>,
    numbers: &Numbers,
    export: &Value,
) {
    for table in tables {
        let rows: Vec<&Row> = dump[table.name]
            .iter()
            .filter(|row| table.ownership.holds(row, numbers))
            .collect();
        assert!(
            matches!(table.ownership, RowOwnership::Nobody(_)) || !rows.is_empty(),
            "this life leaves nothing in {}",
            table.name
        );
        for row in rows {
            let left_out = |name: &str| table.left_out.iter().any(|(column, _)| *column == name);
            let kept: Row = row
                .iter()
                .filter(|(name, _)| !left_out(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let exported = export[table.name].as_array().into_iter().flatten();
            let found = exported.clone().any(|entry| {
                kept.iter()
                    .all(|(name, value)| entry.get(name).is_some_and(|other| same(other, value)))
            });
            assert!(
                found || kept.is_empty(),
                "{} keeps {kept:?}, the export has only {exported:?}",
                table.name
            );
        }
    }
}

on_both!(the_export_holds_everything_kept_about_the_person, |db| {
    let app = TestApp::start(db).await;
    let stage = set_stage(&app).await;
    app.owner("ben", "SC000009").await;
    let life = live(&app, db, &stage).await;
    let numbers = numbers(&app, db, "anna.second@example.com").await;
    let export = export(&app, &life.person).await;
    app.store.telemetry.fold(app.clock.now()).await.unwrap();
    let tables = TABLES.iter().filter(|table| {
        !matches!(
            table.ownership,
            RowOwnership::Work | RowOwnership::Company(_)
        )
    });
    assert_exported(tables, &dump(db).await, &numbers, &export);
    app.stop().await;
});

on_both!(an_electricians_work_is_exported_and_deleted, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", "SC000001").await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "service").await;
    let template = [("name", "Evas Winter"), ("reserve_soc", "30")];
    app.post("/api/auth/settings/template/", &template)
        .bearer(&eva.access)
        .send()
        .await
        .expect(201);
    let change = [("version", "0"), ("reserve_soc", "35")];
    app.post("/api/auth/settings/batch/?sn=SC000001", &change)
        .bearer(&eva.access)
        .send()
        .await
        .expect(200);
    app.invite_colleague(&eva, "neu@example.com", "office")
        .await;
    // What she has commissioned waits for its customer.
    let code = app.installer_code(&[&app.device("SC000007").await]).await;
    let enter = app.post("/api/auth/grant/code/", &[("code", &code)]);
    enter.bearer(&eva.access).send().await.expect(200);
    let protocol = app.commission(&eva, &app.battery("SC000007")).await;
    let issue = format!("/api/auth/commissioning/protocol/{protocol}/customer_code/");
    let issue = app.call("POST", &issue).bearer(&eva.access);
    issue.send().await.expect(201);
    let card = "/api/auth/system/SC000001/customer/";
    let note = app.post(card, &[("note", "Hund im Garten")]);
    note.bearer(&eva.access).send().await.expect(200);
    let photo = app.call("POST", &format!("{card}photo/"));
    let photo = photo.jpeg(&testkit::photo::photo()).bearer(&eva.access);
    photo.send().await.expect(201);
    let tables = || {
        TABLES.iter().filter(|table| {
            matches!(
                table.ownership,
                RowOwnership::Work | RowOwnership::Company(_)
            )
        })
    };
    let numbers = numbers(&app, db, &eva.email).await;
    assert_exported(
        tables(),
        &dump(db).await,
        &numbers,
        &export(&app, &eva).await,
    );
    delete(&app, &eva).await;
    let left = dump(db).await;
    for table in tables() {
        assert_eq!(left[table.name], [], "{}", table.name);
    }
    // The settings stay.
    let kept = left["settings"].iter().find(|row| row["sn"] == "SC000001");
    assert_eq!(kept.unwrap()["version"], 1);
    app.stop().await;
});

on_both!(no_other_table_names_the_person, |db| {
    let app = TestApp::start(db).await;
    let stage = set_stage(&app).await;
    let life = live(&app, db, &stage).await;
    let numbers = numbers(&app, db, "anna.second@example.com").await;
    for (name, rows) in dump(db).await {
        let table = TABLES.iter().find(|table| table.name == name).unwrap();
        for row in rows {
            let text = Value::Object(row.clone()).to_string();
            let named = life.personal.iter().any(|value| text.contains(value));
            // Mails about her address to her own mailbox are the only rows without an account id.
            let own_mail = name == "mails" && row["recipient"] == "anna.second@example.com";
            // A second registration of her address waits for a link that is never sent; it is deleted after a day.
            let taken = name == "registrations" && row["email"] == "anna.second@example.com";
            let expected = match table.ownership {
                RowOwnership::Nobody(why) => why,
                _ => "only rows of the account name the person",
            };
            assert!(
                !named || own_mail || taken || table.ownership.holds(&row, &numbers),
                "{name} ({expected}): {text}"
            );
        }
    }
    app.stop().await;
});

on_both!(the_export_holds_nobody_elses_data_and_no_secret, |db| {
    let app = TestApp::start(db).await;
    let stage = set_stage(&app).await;
    let ben = app.owner("ben", "SC000009").await;
    let life = live(&app, db, &stage).await;
    let export = export(&app, &life.person).await.to_string();
    for foreign in [ben.email.as_str(), "SC000009", TOKEN] {
        assert!(!export.contains(foreign), "{foreign}");
    }
    let dump = dump(db).await;
    let columns = TABLES.iter().flat_map(|table| {
        let secret = table.left_out.iter().filter(|(_, why)| *why == SECRET);
        secret.map(|(column, _)| (table.name, *column))
    });
    for (table, column) in columns {
        for row in dump[table].iter().filter(|row| !row[column].is_null()) {
            let secret = row[column].as_str().unwrap().trim_start_matches("\\x");
            assert!(!export.contains(secret), "{table}.{column}");
        }
    }
    app.stop().await;
});

on_both!(the_csv_holds_the_same_as_the_json, |db| {
    let app = TestApp::start(db).await;
    let stage = set_stage(&app).await;
    let life = live(&app, db, &stage).await;
    let json = export(&app, &life.person).await;
    let answer = app
        .get("/api/auth/account/export/?format=csv")
        .bearer(&life.person.access)
        .send()
        .await
        .expect(200);
    assert_eq!(answer.headers["content-type"], "text/csv; charset=utf-8");
    let mut want = BTreeSet::new();
    for (table, rows) in json.as_object().unwrap() {
        for (number, row) in rows.as_array().unwrap().iter().enumerate() {
            for (field, value) in row.as_object().unwrap() {
                let text = match value {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let text = text.replace('\'', "");
                want.insert([table.clone(), (number + 1).to_string(), field.clone(), text]);
            }
        }
    }
    let mut reader = csv::Reader::from_reader(answer.text.as_bytes());
    let got: BTreeSet<[String; 4]> = reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            // Apostrophes keep a spreadsheet from evaluating formulas.
            [0, 1, 2, 3].map(|n| record[n].replace('\'', ""))
        })
        .collect();
    assert_eq!(got, want);
    app.stop().await;
});

with_app!(the_export_is_a_file_to_keep, |app| {
    let anna = app.owner("anna", "SC000001").await;
    for (query, name) in [
        ("", "suncellar.json"),
        ("?format=json", "suncellar.json"),
        ("?format=csv", "suncellar.csv"),
    ] {
        let call = app.get(&format!("/api/auth/account/export/{query}"));
        let answer = call.bearer(&anna.access).send().await.expect(200);
        let disposition = answer.headers["content-disposition"].to_str().unwrap();
        assert_eq!(disposition, format!("attachment; filename=\"{name}\""));
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
    for path in ["/api/auth/account/export/", "/api/auth/journal/"] {
        let call = app.get(&format!("{path}?format=xml")).bearer(&anna.access);
        assert_eq!(
            call.send().await.expect(400).code(),
            "format:choice_unknown"
        );
    }
});

with_app!(the_csv_never_starts_a_formula, |app| {
    let eva = app.electrician("eva").await;
    app.call("PATCH", "/api/auth/account/")
        .form(&[("company", "=HYPERLINK(\"evil\")")])
        .bearer(&eva.access)
        .send()
        .await
        .expect(200);
    let answer = app
        .get("/api/auth/account/export/?format=csv")
        .bearer(&eva.access)
        .send()
        .await
        .expect(200);
    let mut reader = csv::Reader::from_reader(answer.text.as_bytes());
    let cells: Vec<String> = reader
        .records()
        .flat_map(|record| {
            let record = record.unwrap();
            record.iter().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    assert!(cells.iter().any(|cell| cell.contains("HYPERLINK")));
    let formula = |cell: &&String| cell.starts_with(['=', '+', '-', '@']);
    assert_eq!(cells.iter().find(formula), None);
});

on_both!(
    deletion_leaves_only_used_codes_and_journal_lines_without_a_name,
    |db| {
        let app = TestApp::start(db).await;
        let stage = set_stage(&app).await;
        app.owner("ben", "SC000009").await;
        app.sent_mails().await;
        let before = dump(db).await;
        let life = live(&app, db, &stage).await;
        delete(&app, &life.person).await;
        // What the battery reports about itself and its own bookkeeping are not personal; the roof and the time zone belong to
        // the house.
        db.execute(
            "UPDATE systems SET master_version = NULL, gateway_version = NULL, hardware = NULL, capacity = NULL,
                charge_max = NULL, discharge_max = NULL, history_from = 0, planes = '',
                time_zone = 'Europe/Berlin', zone_said = FALSE, update_needs_off = TRUE",
        )
        .await;
        // What the log still holds goes with the next minutes.
        app.store.telemetry.fold(app.clock.now()).await.unwrap();
        // The weather around the house is no longer requested, from the next quarter-hour on.
        app.store.update_needed_polls().await.unwrap();
        for (table, rows) in dump(db).await {
            for row in rows.iter().filter(|row| !before[&table].contains(row)) {
                match table.as_str() {
                    "journal" => assert_eq!(row["account_id"], Value::Null),
                    // Effects on the battery continue, without the person who started them.
                    "effects" => assert_eq!(row["account_id"], Value::Null),
                    "codes" => assert!(row["used_at"].is_i64()),
                    "boots" | "presence" | "sealing" | "firmware_job_parts" | "link_pulse"
                    | "gateways" | "message_ranges" | "sample_log_writers" => {}
                    // A hash of who tried, until its hour is over.
                    "limited_attempts" | "passkey_challenges" => {}
                    // A protocol is about the installation, and no longer names anyone.
                    "commissioning_units" => assert!(row["finished_at"].is_i64()),
                    "commissionings" => {
                        assert!(row["finished_at"].is_i64());
                        assert_eq!(row["customer"], Value::Null);
                        assert_eq!(row["company"], Value::Null);
                    }
                    "commissioning_steps" => {
                        assert_eq!(row["account_id"], Value::Null);
                        assert_eq!(row["company"], Value::Null);
                    }
                    "firmware_jobs" => {
                        assert_eq!(row["account_id"], Value::Null);
                        assert_eq!(row["state"], "cancelled");
                    }
                    // The wiring of the house stays, with the initial values of a system.
                    "settings" => {
                        assert_eq!(row["provider_token"], Value::Null);
                        assert_eq!(row["changed_by"], Value::Null);
                    }
                    other => panic!("{other} still has {row:?}"),
                }
            }
        }
        app.stop().await;
    }
);

on_both!(deletion_leaves_no_personal_value_anywhere, |db| {
    let app = TestApp::start(db).await;
    let stage = set_stage(&app).await;
    let life = live(&app, db, &stage).await;
    let secrets: Vec<String> = {
        let dump = dump(db).await;
        let hashes = [
            ("accounts", "password_hash"),
            ("sessions", "id"),
            ("mail_links", "token_hash"),
            ("partner_tokens", "hash"),
            ("partner_codes", "hash"),
            ("passkeys", "credential_id"),
            ("passkeys", "public_key"),
        ];
        let of = |(table, column): (&str, &str)| -> Vec<String> {
            let rows = dump[table].iter();
            rows.map(|row| row[column].as_str().unwrap().to_owned())
                .collect()
        };
        hashes.into_iter().flat_map(of).collect()
    };
    assert!(secrets.len() >= 7, "{secrets:?}");
    delete(&app, &life.person).await;
    let left = serde_json::to_string(&dump(db).await).unwrap();
    for value in life.personal.iter().chain(&secrets) {
        let quoted = serde_json::to_string(value).unwrap();
        assert!(!left.contains(quoted.trim_matches('"')), "{value} is left");
    }
    app.stop().await;
});

on_both!(deletion_leaves_no_value_of_an_electrician_either, |db| {
    let app = TestApp::start(db).await;
    let mut before = dump(db).await;
    let eva = app.electrician("eva").await;
    delete(&app, &eva).await;
    let mut after = dump(db).await;
    // The device link's heartbeat is not personal, and starts at any time. Attempts are hashes, until their hour is over.
    for dump in [&mut before, &mut after] {
        dump.remove("link_pulse").unwrap();
        dump.remove("gateways").unwrap();
        dump.remove("limited_attempts").unwrap();
    }
    for line in after.get_mut("journal").unwrap().drain(..) {
        assert_eq!(line["account_id"], Value::Null);
    }
    assert_eq!(after, before);
    app.stop().await;
});

on_both!(an_electricians_grants_are_exported_and_deleted, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", "SC000001").await;
    app.device("SC000002").await;
    let code = app.installer_code(&[&"SC000002".parse().unwrap()]).await;
    app.sent_mails().await;
    let before = dump(db).await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, "SC000001", "monitor").await;
    // Eva is invited to more, requests existing and unknown systems, and has a code.
    let invite = [
        ("sn", "SC000001"),
        ("email", eva.email.as_str()),
        ("scope", "service"),
        ("password", PASSWORD),
    ];
    app.post("/api/auth/grant/", &invite)
        .bearer(&anna.access)
        .send()
        .await
        .expect(201);
    for sn in ["SC000001", "SC999999"] {
        app.post("/api/auth/grant/request/", &[("sn", sn)])
            .bearer(&eva.access)
            .send()
            .await
            .expect(202);
    }
    app.post("/api/auth/grant/code/", &[("code", &code)])
        .bearer(&eva.access)
        .send()
        .await
        .expect(200);
    let exported = export(&app, &eva).await;
    let grants = exported["grants"].as_array().unwrap();
    let states: Vec<&str> = grants
        .iter()
        .map(|g| g["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["active", "invited", "asked", "asked", "active"]);
    assert!(!exported.to_string().contains(&anna.email));
    delete(&app, &eva).await;
    app.sent_mails().await;
    let left = dump(db).await;
    let text = serde_json::to_string(&left).unwrap();
    assert!(!text.contains("eva@") && !text.contains("Elektro Sonnenberg"));
    for (table, rows) in left {
        for row in rows.iter().filter(|row| !before[&table].contains(row)) {
            match table.as_str() {
                // Anna's actions stay hers; Eva's become anonymous.
                "journal" => {
                    let annas = row["event"] == "grant_invited";
                    assert_eq!(row["account_id"].is_i64(), annas, "{row:?}");
                }
                "codes" => assert!(row["used_at"].is_i64()),
                "link_pulse" | "gateways" | "limited_attempts" => {}
                other => panic!("{other} still has {row:?}"),
            }
        }
    }
    app.stop().await;
});

on_both!(the_journal_keeps_its_lines_after_deletion, |db| {
    let app = TestApp::start(db).await;
    let stage = set_stage(&app).await;
    let life = live(&app, db, &stage).await;
    // The battery's entries about the household's days are deleted with its measurements.
    let events = |dump: &BTreeMap<String, Vec<Row>>| -> Vec<Value> {
        let lines = dump["journal"].iter();
        let mut lines: Vec<&Row> = lines.filter(|line| line["actor"] != "battery").collect();
        // The row order of a database may change after updates.
        lines.sort_by_key(|line| line["id"].as_i64());
        lines.iter().map(|line| line["event"].clone()).collect()
    };
    let before = events(&dump(db).await);
    assert!(before.len() > 5);
    delete(&app, &life.person).await;
    assert_eq!(events(&dump(db).await), before);
    app.stop().await;
});

on_both!(
    everything_that_opened_the_account_is_shut_after_deletion,
    |db| {
        let app = TestApp::start(db).await;
        let stage = set_stage(&app).await;
        let life = live(&app, db, &stage).await;
        let link = app.mailed_token("anna.third@example.com", "email").await;
        let email = [("email", life.person.email.as_str())];
        app.post("/api/auth/password_reset/", &email)
            .send()
            .await
            .expect(202);
        let reset = app.mailed_token(&life.person.email, "token").await;
        delete(&app, &life.person).await;
        app.get("/api/auth/account/")
            .bearer(&life.person.access)
            .send()
            .await
            .expect(401);
        let refresh = [("refresh", life.person.refresh.as_str())];
        app.post("/api/auth/token/refresh/", &refresh)
            .send()
            .await
            .expect(401);
        app.post("/api/auth/account/email/confirm/", &[("token", &link)])
            .send()
            .await
            .expect(400);
        let set = [
            ("token", reset.as_str()),
            ("password", "Kellerwein-7?"),
            ("password2", "Kellerwein-7?"),
        ];
        app.post("/api/auth/password_reset/confirm/", &set)
            .send()
            .await
            .expect(400);
        app.get("/api/partner/v1/systems/")
            .bearer(&life.partner_token)
            .send()
            .await
            .expect(401);
        let refresh = [
            ("grant_type", "refresh_token"),
            ("refresh_token", life.partner_refresh.as_str()),
            ("client_id", "cleverpv"),
        ];
        app.post("/api/partner/token/", &refresh)
            .send()
            .await
            .expect(400);
        app.try_log_in(&life.person.email, PASSWORD, false)
            .await
            .expect(401);
        app.stop().await;
    }
);

with_app!(the_address_and_the_systems_are_free_after_deletion, |app| {
    let anna = app.owner("anna", "SC000001").await;
    delete(app, &anna).await;
    let code = app.code(&[&"SC000001".parse().unwrap()]).await;
    app.post("/api/auth/register/", &app.owner_form(&anna.email, &code))
        .send()
        .await
        .expect(201);
});

with_app!(deletion_of_one_account_leaves_the_others_alone, |app| {
    let anna = app.owner("anna", "SC000001").await;
    let ben = app.owner("ben", "SC000002").await;
    let before = export(app, &ben).await;
    delete(app, &anna).await;
    assert_eq!(export(app, &ben).await, before);
});

with_app!(
    an_owner_without_systems_exports_and_deletes_from_the_key_page,
    |app| {
        let paul = app.unlinked("paul", "SC000001").await;
        let export = export(app, &paul).await;
        assert_eq!(export["claims"][0]["sn"], "SC000001");
        delete(app, &paul).await;
        app.try_log_in(&paul.email, PASSWORD, false)
            .await
            .expect(401);
    }
);
