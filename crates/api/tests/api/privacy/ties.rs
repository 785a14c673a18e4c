//! Every table of the database: how its rows belong to a person, and which columns the export leaves out, each with the reason.
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use testkit::{TestApp, TestDb};

pub(crate) type Row = Map<String, Value>;

/// How rows of a table belong to a person.
pub(crate) enum Tie {
    /// By this column, which holds the account's number.
    Account(&'static str),
    /// Through a consent of the account.
    Consent,
    /// Through a system that the account owns.
    System,
    /// By `area`, where it is the serial number of such a system; bidding zones are everybody's.
    Area,
    /// Through an update of such a system.
    Update,
    /// Through a commissioning of such a system.
    Commissioning,
    /// By the account's number, its address, or a system that it owns.
    Grant,
    /// By the account's number, or a system that it owns.
    Line,
    /// By the account's number or a batch of the account, which only electricians have.
    Work,
    /// No row is about a person who has an account, because …
    Nobody(&'static str),
}

pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) tie: Tie,
    /// Columns that the export leaves out, each with the reason.
    pub(crate) left_out: &'static [(&'static str, &'static str)],
}

const NUMBER: &str = "a number of ours that says nothing";
pub(crate) const SECRET: &str = "a secret, or the hash of one";
const ROTATION: &str = "bookkeeping of the refresh token; used_at tells the same";

const BEGUN: &str = "follows from the commands and events, which are exported";
const MESSAGE: &str = "which message of the battery it was";
const SAMPLES: &str = "in the file of samples that the export points to";

pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "accounts",
        tie: Tie::Account("id"),
        left_out: &[("id", NUMBER), ("password_hash", SECRET)],
    },
    Table {
        name: "alarm_news",
        tie: Tie::Account("account_id"),
        left_out: &[("account_id", NUMBER), ("alarm_id", NUMBER)],
    },
    Table {
        name: "alarm_signs",
        tie: Tie::System,
        left_out: &[],
    },
    Table {
        name: "alarms",
        tie: Tie::System,
        left_out: &[
            ("id", NUMBER),
            ("acknowledged_by", "in the journal, which is exported"),
        ],
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
        name: "commissioning_steps",
        tie: Tie::Commissioning,
        left_out: &[("commissioning_id", NUMBER), ("account_id", NUMBER)],
    },
    Table {
        name: "commissioning_units",
        tie: Tie::System,
        left_out: &[("commissioning_id", NUMBER)],
    },
    Table {
        name: "commissionings",
        tie: Tie::System,
        left_out: &[("id", NUMBER), ("account_id", NUMBER)],
    },
    Table {
        name: "device_secrets",
        tie: Tie::Nobody("the battery's own"),
        left_out: &[],
    },
    Table {
        name: "effects",
        tie: Tie::System,
        left_out: &[
            ("sn", BEGUN),
            ("kind", BEGUN),
            ("at", BEGUN),
            ("args", BEGUN),
            ("account_id", NUMBER),
        ],
    },
    Table {
        name: "events",
        tie: Tie::System,
        left_out: &[("boot", MESSAGE), ("seq", MESSAGE)],
    },
    Table {
        name: "firmware_images",
        tie: Tie::Nobody("the maker's"),
        left_out: &[],
    },
    Table {
        name: "firmware_job_parts",
        tie: Tie::Update,
        left_out: &[
            ("job_id", NUMBER),
            ("place", NUMBER),
            ("release_id", NUMBER),
        ],
    },
    Table {
        name: "firmware_jobs",
        tie: Tie::System,
        left_out: &[("id", NUMBER), ("account_id", NUMBER), ("number", NUMBER)],
    },
    Table {
        name: "firmware_keys",
        tie: Tie::Nobody("the maker's and the portal's"),
        left_out: &[],
    },
    Table {
        name: "firmware_releases",
        tie: Tie::Nobody("the maker's"),
        left_out: &[],
    },
    Table {
        name: "fleet_brake",
        tie: Tie::Nobody("the operator's"),
        left_out: &[],
    },
    Table {
        name: "forecasts",
        tie: Tie::System,
        left_out: &[("body", "packed; what it said is in the charts")],
    },
    Table {
        name: "gateways",
        tie: Tie::Nobody("whether a gateway runs"),
        left_out: &[],
    },
    Table {
        name: "grants",
        tie: Tie::Grant,
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("code_hash", SECRET),
            ("told_at", "when a mail about it was written"),
            ("reminded_at", "when a mail about it was written"),
        ],
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
        name: "handovers",
        tie: Tie::Grant,
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("code_hash", SECRET),
        ],
    },
    Table {
        name: "hidden_samples",
        tie: Tie::System,
        left_out: &[("boot", MESSAGE), ("seq", MESSAGE)],
    },
    Table {
        name: "journal",
        tie: Tie::Line,
        left_out: &[("id", NUMBER), ("account_id", NUMBER)],
    },
    Table {
        name: "link_pulse",
        tie: Tie::Nobody("whether batteries can connect"),
        left_out: &[],
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
            ("used_at", "within five minutes of the consent"),
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
            ("used_at", "stands for the consent, which is exported"),
            ("family", SECRET),
        ],
    },
    Table {
        name: "partners",
        tie: Tie::Nobody("the operator's"),
        left_out: &[],
    },
    Table {
        name: "plan_days",
        tie: Tie::System,
        left_out: &[],
    },
    Table {
        name: "planning",
        tie: Tie::System,
        left_out: &[],
    },
    Table {
        name: "presence",
        tie: Tie::System,
        left_out: &[("boot", MESSAGE), ("seq", MESSAGE), ("gateway", NUMBER)],
    },
    Table {
        name: "prices",
        tie: Tie::Area,
        left_out: &[],
    },
    Table {
        name: "rejects",
        tie: Tie::Nobody("what could not be read tells nothing about a person"),
        left_out: &[],
    },
    Table {
        name: "recovery_codes",
        tie: Tie::Account("account_id"),
        left_out: &[("account_id", NUMBER), ("hash", SECRET)],
    },
    Table {
        name: "registrations",
        tie: Tie::Nobody("it ends when the account begins, or after a day"),
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
        name: "secret_keys",
        tie: Tie::Nobody("the operator's"),
        left_out: &[],
    },
    Table {
        name: "server_clock",
        tie: Tie::Nobody("whether the server's clock is right"),
        left_out: &[],
    },
    Table {
        name: "sessions",
        tie: Tie::Account("account_id"),
        left_out: &[
            ("id", SECRET),
            ("account_id", NUMBER),
            ("generation", ROTATION),
        ],
    },
    Table {
        name: "setting_batch_systems",
        tie: Tie::Work,
        left_out: &[("batch_id", NUMBER)],
    },
    Table {
        name: "setting_batches",
        tie: Tie::Work,
        left_out: &[("id", NUMBER), ("account_id", NUMBER)],
    },
    Table {
        name: "setting_templates",
        tie: Tie::Work,
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("folded", "the name in lower case"),
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
        name: "source_states",
        tie: Tie::Area,
        left_out: &[],
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
    Table {
        name: "time_of_use",
        tie: Tie::Account("account_id"),
        left_out: &[("account_id", NUMBER)],
    },
    Table {
        name: "totp",
        tie: Tie::Account("account_id"),
        left_out: &[
            ("account_id", NUMBER),
            ("secret", SECRET),
            ("used_step", "keeps a code from working twice"),
        ],
    },
    Table {
        name: "units",
        tie: Tie::Nobody("which serial number took the place of which"),
        left_out: &[],
    },
    Table {
        name: "weather_forecasts",
        tie: Tie::System,
        left_out: &[],
    },
];

pub(crate) async fn dump(db: &TestDb) -> BTreeMap<String, Vec<Row>> {
    let read = |text: &String| serde_json::from_str(text).unwrap();
    let tables = db.dump().await.into_iter();
    tables
        .map(|(name, rows)| (name, rows.iter().map(read).collect()))
        .collect()
}

/// Numbers that rows of an account carry.
pub(crate) struct Numbers {
    pub(crate) account: Value,
    pub(crate) email: Value,
    pub(crate) consents: Vec<Value>,
    pub(crate) systems: Vec<Value>,
    pub(crate) updates: Vec<Value>,
    pub(crate) batches: Vec<Value>,
    pub(crate) commissionings: Vec<Value>,
}

impl Tie {
    pub(crate) fn holds(&self, row: &Row, numbers: &Numbers) -> bool {
        match self {
            Self::Account(column) => row[*column] == numbers.account,
            Self::Consent => numbers.consents.contains(&row["consent_id"]),
            Self::System => numbers.systems.contains(&row["sn"]),
            Self::Area => numbers.systems.contains(&row["area"]),
            Self::Update => numbers.updates.contains(&row["job_id"]),
            Self::Commissioning => numbers.commissionings.contains(&row["commissioning_id"]),
            Self::Grant => {
                row["account_id"] == numbers.account
                    || row["email"] == numbers.email
                    || numbers.systems.contains(&row["sn"])
            }
            Self::Line => {
                row["account_id"] == numbers.account || numbers.systems.contains(&row["sn"])
            }
            Self::Work => {
                let of = |column: &str, found: &dyn Fn(&Value) -> bool| {
                    row.get(column).is_some_and(found)
                };
                of("account_id", &|id| *id == numbers.account)
                    || of("batch_id", &|id| numbers.batches.contains(id))
            }
            Self::Nobody(_) => false,
        }
    }
}

pub(crate) async fn numbers(app: &TestApp, db: &TestDb, email: &str) -> Numbers {
    let account = json!(app.account_id(email).await.0);
    let dump = dump(db).await;
    let of = |table: &str, column: &str, name: &str| -> Vec<Value> {
        let rows = dump[table].iter().filter(|row| row[column] == account);
        rows.map(|row| row[name].clone()).collect()
    };
    let systems = of("systems", "owner_id", "sn");
    let of_systems = |table: &str| -> Vec<Value> {
        let rows = dump[table].iter();
        let rows = rows.filter(|row| systems.contains(&row["sn"]));
        rows.map(|row| row["id"].clone()).collect()
    };
    Numbers {
        consents: of("partner_consents", "account_id", "id"),
        batches: of("setting_batches", "account_id", "id"),
        updates: of_systems("firmware_jobs"),
        commissionings: of_systems("commissionings"),
        systems,
        account,
        email: json!(email),
    }
}
