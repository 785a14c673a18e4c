//! What is kept about a person can be taken away whole, and is gone when the account is.
//! Both are held against the database itself: a table or column that is new fails here until it is thought about.
#![allow(clippy::unwrap_used)]
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::EventCode;
use domain::clock::MINUTE;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use testkit::{PASSWORD, Person, TestApp, TestDb, on_both, with_app};

type Row = Map<String, Value>;

/// How rows of a table belong to a person.
enum Tie {
    /// By this column, which holds the account's number.
    Account(&'static str),
    /// Through a consent of the account.
    Consent,
    /// Through a system that the account owns.
    System,
    /// No row is about a person who has an account, because …
    Nobody(&'static str),
}

struct Table {
    name: &'static str,
    tie: Tie,
    /// Columns that the export leaves out, each with the reason.
    left_out: &'static [(&'static str, &'static str)],
}

const NUMBER: &str = "a number of ours that says nothing";
const SECRET: &str = "a secret, or the hash of one";
const ROTATION: &str = "bookkeeping of the refresh token; used_at tells the same";

const MESSAGE: &str = "which message of the battery it was";
const SAMPLES: &str = "in the file of samples that the export points to";

const TABLES: &[Table] = &[
    Table {
        name: "accounts",
        tie: Tie::Account("id"),
        left_out: &[("id", NUMBER), ("password_hash", SECRET)],
    },
    Table {
        name: "boots",
        tie: Tie::System,
        left_out: &[("sn", MESSAGE), ("boot", MESSAGE), ("started_at", MESSAGE)],
    },
    Table {
        name: "claims",
        tie: Tie::Account("account_id"),
        left_out: &[("account_id", NUMBER)],
    },
    Table {
        name: "code_systems",
        tie: Tie::Nobody("the operator's: which systems a code covers"),
        left_out: &[],
    },
    Table {
        name: "codes",
        tie: Tie::Nobody("the operator's: hashes of codes, not who used them"),
        left_out: &[],
    },
    Table {
        name: "commands",
        tie: Tie::System,
        left_out: &[("id", NUMBER), ("account_id", NUMBER), ("key", NUMBER)],
    },
    Table {
        name: "device_secrets",
        tie: Tie::Nobody("the battery's own"),
        left_out: &[],
    },
    Table {
        name: "events",
        tie: Tie::System,
        left_out: &[("boot", MESSAGE), ("seq", MESSAGE)],
    },
    Table {
        name: "fleet_brake",
        tie: Tie::Nobody("the operator's"),
        left_out: &[],
    },
    Table {
        name: "group_systems",
        tie: Tie::Account("account_id"),
        left_out: &[("account_id", NUMBER), ("group_id", NUMBER)],
    },
    Table {
        name: "groups",
        tie: Tie::Account("account_id"),
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("folded", "the name in lower case"),
        ],
    },
    Table {
        name: "hidden_samples",
        tie: Tie::System,
        left_out: &[("boot", MESSAGE), ("seq", MESSAGE)],
    },
    Table {
        name: "journal",
        tie: Tie::Account("account_id"),
        left_out: &[("id", NUMBER), ("account_id", NUMBER)],
    },
    Table {
        name: "mail_links",
        tie: Tie::Account("account_id"),
        left_out: &[("account_id", NUMBER), ("token_hash", SECRET)],
    },
    Table {
        name: "mails",
        tie: Tie::Account("account_id"),
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("body", "sealed, and on its way to the person"),
            ("recipient", "the account's address, or that of a mail_link"),
            ("due_at", "gone as soon as the mail is sent"),
            ("tries", "gone as soon as the mail is sent"),
            ("created_at", "gone as soon as the mail is sent"),
        ],
    },
    Table {
        name: "partner_codes",
        tie: Tie::Consent,
        left_out: &[
            ("hash", SECRET),
            ("challenge", SECRET),
            ("consent_id", NUMBER),
            ("redirect_uri", "the partner's, registered by the operator"),
            ("expires_at", "five minutes after the consent"),
        ],
    },
    Table {
        name: "partner_consents",
        tie: Tie::Account("account_id"),
        left_out: &[("id", NUMBER), ("account_id", NUMBER)],
    },
    Table {
        name: "partner_redirects",
        tie: Tie::Nobody("the operator's"),
        left_out: &[],
    },
    Table {
        name: "partner_tokens",
        tie: Tie::Consent,
        left_out: &[
            ("hash", SECRET),
            ("consent_id", NUMBER),
            ("kind", "stands for the consent, which is exported"),
            ("expires_at", "stands for the consent, which is exported"),
        ],
    },
    Table {
        name: "partners",
        tie: Tie::Nobody("the operator's"),
        left_out: &[],
    },
    Table {
        name: "presence",
        tie: Tie::System,
        left_out: &[("boot", MESSAGE), ("seq", MESSAGE)],
    },
    Table {
        name: "rejects",
        tie: Tie::Nobody("what could not be read tells nothing about a person"),
        left_out: &[],
    },
    Table {
        name: "registrations",
        tie: Tie::Nobody("it ends when the account begins"),
        left_out: &[],
    },
    Table {
        name: "samples",
        tie: Tie::System,
        left_out: &[
            ("ts", SAMPLES),
            ("boot", MESSAGE),
            ("seq", MESSAGE),
            ("body", SAMPLES),
        ],
    },
    Table {
        name: "sealed_days",
        tie: Tie::Nobody("samples of days that are over, exported as those"),
        left_out: &[],
    },
    Table {
        name: "sealed_messages",
        tie: Tie::Nobody("which messages of a battery were counted"),
        left_out: &[],
    },
    Table {
        name: "sealed_months",
        tie: Tie::Nobody("totals of days that are over, exported as daily_totals"),
        left_out: &[],
    },
    Table {
        name: "sealing",
        tie: Tie::Nobody("counts changes, and says what is gone"),
        left_out: &[],
    },
    Table {
        name: "sessions",
        tie: Tie::Account("account_id"),
        left_out: &[
            ("id", SECRET),
            ("account_id", NUMBER),
            ("generation", ROTATION),
            ("rotated_at", ROTATION),
        ],
    },
    Table {
        name: "settings",
        tie: Tie::System,
        left_out: &[
            ("changed_by", NUMBER),
            ("boot", MESSAGE),
            ("seq", MESSAGE),
            ("provider_token", SECRET),
        ],
    },
    Table {
        name: "systems",
        tie: Tie::Account("owner_id"),
        left_out: &[("owner_id", NUMBER)],
    },
    Table {
        name: "tariffs",
        tie: Tie::Account("account_id"),
        left_out: &[("account_id", NUMBER)],
    },
];

async fn dump(db: &TestDb) -> BTreeMap<String, Vec<Row>> {
    let read = |text: &String| serde_json::from_str(text).unwrap();
    let tables = db.dump().await.into_iter();
    tables
        .map(|(name, rows)| (name, rows.iter().map(read).collect()))
        .collect()
}

/// Numbers that rows of an account carry.
struct Numbers {
    account: Value,
    consents: Vec<Value>,
    systems: Vec<Value>,
}

impl Tie {
    fn holds(&self, row: &Row, numbers: &Numbers) -> bool {
        match self {
            Self::Account(column) => row[*column] == numbers.account,
            Self::Consent => numbers.consents.contains(&row["consent_id"]),
            Self::System => numbers.systems.contains(&row["sn"]),
            Self::Nobody(_) => false,
        }
    }
}

async fn numbers(app: &TestApp, db: &TestDb, email: &str) -> Numbers {
    let account = json!(app.account_id(email).await.0);
    let dump = dump(db).await;
    let of = |table: &str, column: &str, name: &str| -> Vec<Value> {
        let rows = dump[table].iter().filter(|row| row[column] == account);
        rows.map(|row| row[name].clone()).collect()
    };
    Numbers {
        consents: of("partner_consents", "account_id", "id"),
        systems: of("systems", "owner_id", "sn"),
        account,
    }
}

const TOKEN: &str = "5K4MVS-OjfWhK_4yrjOlFe1F6kJXPVf7eQYggo8ebAE";
const CALLBACK: &str = "https://partner.test/back";

/// What exists before anybody comes: systems with codes, and a partner.
struct Stage {
    code: String,
}

async fn set_stage(app: &TestApp) -> Stage {
    let units = [app.device("SC000001").await, app.device("SC000002").await];
    let code = app.code(&units.each_ref()).await;
    app.device("SC000003").await;
    app.device("SC000004").await;
    app.store
        .register_partner(
            "cleverpv",
            "clever-PV",
            &[CALLBACK.to_owned()],
            app.clock.now(),
        )
        .await
        .unwrap();
    Stage { code }
}

/// Somebody who has done everything that leaves a trace; the mails are still in the outbox.
struct Life {
    person: Person,
    /// Values by which the person could be found again.
    personal: Vec<String>,
    partner_token: String,
    partner_refresh: String,
}

async fn live(app: &TestApp, db: &TestDb, stage: &Stage) -> Life {
    let phone = ("phone", "+49 151 23456789");
    let mut form = app.owner_form("anna.first@example.com", &stage.code);
    form.retain(|(name, _)| *name != "phone");
    form.extend([phone, ("sn2", "SC000003")]);
    // A registration by mail that was never confirmed, before the one that counts.
    let mut early = form.clone();
    early.retain(|(name, _)| *name != "sn1");
    early.push(("sn1", "SC000004"));
    let call = app.post("/api/auth/register/", &early);
    call.from("10.6.6.1").send().await.expect(202);
    let call = app.post("/api/auth/register/", &form);
    call.from("10.6.6.2").send().await.expect(201);

    // The address changes once, and a second change is under way.
    let first = app.log_in("anna.first@example.com", false).await;
    change_address(app, &first, "anna.second@example.com").await;
    let token = app.mailed("anna.second@example.com", "email").await;
    app.clock.advance(MINUTE);
    app.post("/api/auth/account/email/confirm/", &[("token", &token)])
        .send()
        .await
        .expect(200);
    let person = app.log_in("anna.second@example.com", false).await;
    change_address(app, &person, "anna.third@example.com").await;

    // The registration of a stranger under her address ends in a mail to her.
    let taken = app.owner_form("anna.second@example.com", "SC000004");
    let call = app.post("/api/auth/register/", &taken);
    call.from("10.6.6.3").send().await.expect(202);

    // Names come with the screens that ask for them.
    db.execute(
        "UPDATE systems SET first_name = 'Annegret', last_name = 'Sonnleitner', master_version = '4.1'
         WHERE sn = 'SC000001'",
    )
    .await;
    // Her battery reports, and keeps what it could not place in time.
    let battery = app.battery("SC000001");
    battery.hello(|_| {}).await;
    battery.sample(|_| {}).await;
    battery
        .event(Some(app.clock.now()), EventCode::MeterLost, true, None)
        .await;
    battery.lost(r#"{"s":9,"soc":55}"#).await;
    // She sets it, and tells it what to do.
    let set = [
        ("version", "0"),
        ("charge_start", "23:07"),
        ("provider", "tibber"),
        ("provider_token", TOKEN),
    ];
    app.post("/api/auth/settings/?sn=SC000001", &set)
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    let command = [
        ("sn", "SC000001"),
        ("command", "calibrate"),
        ("key", "a-key-of-hers"),
    ];
    app.post("/api/auth/command/", &command)
        .bearer(&person.access)
        .send()
        .await
        .expect(201);
    // A claim, an ended session, a refreshed one, and a partner.
    app.post("/api/auth/logout/", &[])
        .bearer(&first.access)
        .send()
        .await
        .expect(204);
    app.post("/api/auth/token/refresh/", &[("refresh", &person.refresh)])
        .send()
        .await
        .expect(200);
    // What she calls her systems names her, too.
    let group = [("name", "Annegrets Keller"), ("sn", "SC000001")];
    app.post("/api/auth/group/", &group)
        .bearer(&person.access)
        .send()
        .await
        .expect(201);
    let prices = [
        ("sn", "SC000001"),
        ("import_price", "31.90"),
        ("feed_in_price", "7.94"),
    ];
    app.post("/api/auth/tariff/", &prices)
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
    let (partner_token, partner_refresh) = let_partner_in(app, &person).await;
    consent(app, &person).await;
    Life {
        personal: [
            "anna",
            "+4915123456789",
            "15123456789",
            "Annegret",
            "Sonnleitner",
            "23:07",
        ]
        .map(str::to_owned)
        .to_vec(),
        person,
        partner_token,
        partner_refresh,
    }
}

async fn change_address(app: &TestApp, person: &Person, email: &str) {
    app.call("PATCH", "/api/auth/account/")
        .form(&[("email", email), ("password", PASSWORD)])
        .bearer(&person.access)
        .send()
        .await
        .expect(200);
}

const VERIFIER: &str = "a-verifier-of-at-least-43-characters-as-rfc-7636-asks";

/// Consents and returns the code.
async fn consent(app: &TestApp, person: &Person) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, VERIFIER.as_bytes());
    let fields = [
        ("client_id", "cleverpv"),
        ("redirect_uri", CALLBACK),
        ("code_challenge", &BASE64.encode(digest)),
        ("code_challenge_method", "S256"),
        ("scope", "systems live"),
        ("state", "s"),
    ];
    let answer = app
        .post("/api/auth/partner/", &fields)
        .bearer(&person.access)
        .send()
        .await
        .expect(200)
        .json();
    let redirect = answer["redirect"].as_str().unwrap();
    let code = redirect.split_once("code=").unwrap().1;
    code.split('&').next().unwrap().to_owned()
}

async fn let_partner_in(app: &TestApp, person: &Person) -> (String, String) {
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", &consent(app, person).await),
        ("redirect_uri", CALLBACK),
        ("client_id", "cleverpv"),
        ("code_verifier", VERIFIER),
    ];
    let call = app.post("/api/partner/token/", &fields);
    let tokens = call.send().await.expect(200).json();
    let token = |name: &str| tokens[name].as_str().unwrap().to_owned();
    (token("access_token"), token("refresh_token"))
}

/// SQLite keeps yes and no as 1 and 0.
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

async fn delete(app: &TestApp, person: &Person) {
    app.call("DELETE", "/api/auth/account/")
        .form(&[("password", PASSWORD)])
        .bearer(&person.access)
        .send()
        .await
        .expect(204);
}

on_both!(every_table_has_been_thought_about, |db| {
    let tables: BTreeSet<String> = dump(db).await.into_keys().collect();
    let known: BTreeSet<String> = TABLES.iter().map(|table| table.name.to_owned()).collect();
    assert_eq!(
        tables, known,
        "say how a new table's rows belong to a person, and export and erase them"
    );
});

on_both!(the_export_holds_everything_kept_about_the_person, |db| {
    let app = TestApp::start(db).await;
    let stage = set_stage(&app).await;
    app.owner("ben", "SC000009").await;
    let life = live(&app, db, &stage).await;
    let numbers = numbers(&app, db, "anna.second@example.com").await;
    let export = export(&app, &life.person).await;
    let dump = dump(db).await;
    for table in TABLES {
        let rows: Vec<&Row> = dump[table.name]
            .iter()
            .filter(|row| table.tie.holds(row, &numbers))
            .collect();
        assert!(
            matches!(table.tie, Tie::Nobody(_)) || !rows.is_empty(),
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
            // A mail about her address to her own mailbox is the one row that carries no number.
            let own_mail = name == "mails" && row["recipient"] == "anna.second@example.com";
            let expected = match table.tie {
                Tie::Nobody(why) => why,
                _ => "only rows of the account name the person",
            };
            assert!(
                !named || own_mail || table.tie.holds(&row, &numbers),
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
                want.insert([table.clone(), (number + 1).to_string(), field.clone(), text]);
            }
        }
    }
    let mut reader = csv::Reader::from_reader(answer.text.as_bytes());
    let got: BTreeSet<[String; 4]> = reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            // The apostrophe keeps a spreadsheet from calculating.
            [0, 1, 2, 3].map(|n| record[n].trim_start_matches('\'').to_owned())
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
});

with_app!(the_csv_never_starts_a_formula, |app| {
    let eva = app.electrician("eva").await;
    app.call("PATCH", "/api/auth/account/")
        .form(&[("company", "=HYPERLINK(\"https://evil.example\")")])
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
        app.letters().await;
        let before = dump(db).await;
        let life = live(&app, db, &stage).await;
        delete(&app, &life.person).await;
        // What the battery says about itself, and its own bookkeeping, are nobody's.
        db.execute(
            "UPDATE systems SET master_version = NULL, gateway_version = NULL, hardware = NULL, capacity = NULL,
                charge_max = NULL, discharge_max = NULL, history_from = 0",
        )
        .await;
        for (table, rows) in dump(db).await {
            for row in rows.iter().filter(|row| !before[&table].contains(row)) {
                match table.as_str() {
                    "journal" => assert_eq!(row["account_id"], Value::Null),
                    "codes" => assert!(row["used_at"].is_i64()),
                    "boots" | "presence" | "sealing" => {}
                    // The wiring of the house stays, with what a system begins with.
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
    let before = dump(db).await;
    let eva = app.electrician("eva").await;
    delete(&app, &eva).await;
    let mut after = dump(db).await;
    for line in after.get_mut("journal").unwrap().drain(..) {
        assert_eq!(line["account_id"], Value::Null);
    }
    assert_eq!(after, before);
    app.stop().await;
});

on_both!(the_journal_keeps_its_lines_after_deletion, |db| {
    let app = TestApp::start(db).await;
    let stage = set_stage(&app).await;
    let life = live(&app, db, &stage).await;
    // What the battery said about the household's days goes with what it measured.
    let events = |dump: &BTreeMap<String, Vec<Row>>| -> Vec<Value> {
        let lines = dump["journal"]
            .iter()
            .filter(|line| line["event"] != "battery");
        lines.map(|line| line["event"].clone()).collect()
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
        let link = app.mailed("anna.third@example.com", "email").await;
        let email = [("email", life.person.email.as_str())];
        app.post("/api/auth/password_reset/", &email)
            .send()
            .await
            .expect(202);
        let reset = app.mailed(&life.person.email, "token").await;
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
