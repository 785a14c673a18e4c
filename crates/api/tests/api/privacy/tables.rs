//! Every table of the database: how its rows belong to a person, and which columns the export omits, with reasons.
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use testkit::{TestApp, TestDb};

pub(crate) type Row = Map<String, Value>;

/// How rows of a table belong to a person.
pub(crate) enum RowOwnership {
    /// By this column, which holds the account's id.
    Account(&'static str),
    /// Through a consent of the account.
    Consent,
    /// Through a system that the account owns.
    System,
    /// By `area`, if it is the serial number of such a system; bidding zones are shared by everyone.
    Area,
    /// Through an update of such a system.
    Update,
    /// Through a commissioning of such a system.
    Commissioning,
    /// By the account's id, its address, or a system that it owns.
    Grant,
    /// By the account's id, or a system that it owns.
    Line,
    /// By the account's id or a batch of the account, which only electricians have.
    Work,
    /// Through the company of an electrician, whose id is in this column.
    Company(&'static str),
    /// No row is about a person who has an account, because …
    Nobody(&'static str),
}

pub(crate) struct TableRule {
    pub(crate) name: &'static str,
    pub(crate) ownership: RowOwnership,
    /// Columns that the export omits, each with the reason.
    pub(crate) left_out: &'static [(&'static str, &'static str)],
}

const NUMBER: &str = "a number of ours that says nothing";
pub(crate) const SECRET: &str = "a secret, or the hash of one";
const KEY: &str = "of use only to the device that has the other half of the key";
const ROTATION: &str = "bookkeeping of the refresh token; used_at tells the same";

const BEGUN: &str = "follows from the commands and events, which are exported";
const PHASE: &str = "when the battery last named another phase, to limit how often that counts";
const MESSAGE: &str = "which message of the battery it was";
const MODEL: &str = "computed from the samples, which are exported";
const SAMPLES: &str = "in the file of samples that the export points to";

pub(crate) const TABLES: &[TableRule] = &[
    TableRule {
        name: "accounts",
        ownership: RowOwnership::Account("id"),
        left_out: &[
            ("id", NUMBER),
            ("password_hash", SECRET),
            ("company_id", NUMBER),
            ("passkey_user", KEY),
        ],
    },
    TableRule {
        name: "acme_challenges",
        ownership: RowOwnership::Nobody("the portal's"),
        left_out: &[],
    },
    TableRule {
        name: "acme_schedule",
        ownership: RowOwnership::Nobody("the portal's"),
        left_out: &[],
    },
    TableRule {
        name: "acme_secrets",
        ownership: RowOwnership::Nobody("the portal's"),
        left_out: &[],
    },
    TableRule {
        name: "alarm_comments",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("id", NUMBER), ("account_id", NUMBER), ("alarm_id", NUMBER)],
    },
    TableRule {
        name: "alarm_news",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("account_id", NUMBER), ("alarm_id", NUMBER)],
    },
    TableRule {
        name: "alarm_signs",
        ownership: RowOwnership::System,
        left_out: &[],
    },
    TableRule {
        name: "alarms",
        ownership: RowOwnership::System,
        left_out: &[
            ("id", NUMBER),
            ("acknowledged_by", "in the journal, which is exported"),
            ("dismissed_by", "in the journal, which is exported"),
        ],
    },
    TableRule {
        name: "boots",
        ownership: RowOwnership::System,
        left_out: &[("sn", MESSAGE), ("boot", MESSAGE), ("started_at", MESSAGE)],
    },
    TableRule {
        name: "cell_weather",
        ownership: RowOwnership::Nobody("the weather of some seventy square kilometres"),
        left_out: &[],
    },
    TableRule {
        name: "claims",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("account_id", NUMBER)],
    },
    TableRule {
        name: "code_systems",
        ownership: RowOwnership::Nobody("the operator's: which systems a code covers"),
        left_out: &[],
    },
    TableRule {
        name: "codes",
        ownership: RowOwnership::Nobody("the operator's: hashes of codes, not who used them"),
        left_out: &[],
    },
    TableRule {
        name: "commands",
        ownership: RowOwnership::System,
        left_out: &[("id", NUMBER), ("account_id", NUMBER), ("key", NUMBER)],
    },
    TableRule {
        name: "commissioning_steps",
        ownership: RowOwnership::Commissioning,
        left_out: &[("commissioning_id", NUMBER), ("account_id", NUMBER)],
    },
    TableRule {
        name: "commissioning_units",
        ownership: RowOwnership::System,
        left_out: &[("commissioning_id", NUMBER)],
    },
    TableRule {
        name: "commissionings",
        ownership: RowOwnership::System,
        left_out: &[("id", NUMBER), ("account_id", NUMBER)],
    },
    TableRule {
        name: "companies",
        ownership: RowOwnership::Company("id"),
        left_out: &[("id", NUMBER)],
    },
    TableRule {
        name: "company_invitations",
        ownership: RowOwnership::Company("company_id"),
        left_out: &[
            ("id", NUMBER),
            ("company_id", NUMBER),
            ("invited_by", NUMBER),
            ("token_hash", SECRET),
        ],
    },
    TableRule {
        name: "customer_codes",
        ownership: RowOwnership::Company("company_id"),
        left_out: &[
            ("commissioning_id", NUMBER),
            ("company_id", NUMBER),
            ("hash", SECRET),
        ],
    },
    TableRule {
        name: "customer_notes",
        ownership: RowOwnership::Company("company_id"),
        left_out: &[("company_id", NUMBER), ("changed_by", NUMBER)],
    },
    TableRule {
        name: "customer_photos",
        ownership: RowOwnership::Company("company_id"),
        left_out: &[
            ("id", NUMBER),
            ("company_id", NUMBER),
            ("jpeg", "a file of its own, which the export points to"),
        ],
    },
    TableRule {
        name: "device_access",
        ownership: RowOwnership::Nobody("the operator's: whether a device may connect"),
        left_out: &[],
    },
    TableRule {
        name: "device_secrets",
        ownership: RowOwnership::Nobody("the battery's own"),
        left_out: &[],
    },
    TableRule {
        name: "effects",
        ownership: RowOwnership::System,
        left_out: &[
            ("sn", BEGUN),
            ("kind", BEGUN),
            ("at", BEGUN),
            ("args", BEGUN),
            ("account_id", NUMBER),
        ],
    },
    TableRule {
        name: "events",
        ownership: RowOwnership::System,
        left_out: &[("boot", MESSAGE), ("seq", MESSAGE)],
    },
    TableRule {
        name: "firmware_images",
        ownership: RowOwnership::Nobody("the maker's"),
        left_out: &[],
    },
    TableRule {
        name: "firmware_job_parts",
        ownership: RowOwnership::Update,
        left_out: &[
            ("job_id", NUMBER),
            ("place", NUMBER),
            ("release_id", NUMBER),
        ],
    },
    TableRule {
        name: "firmware_jobs",
        ownership: RowOwnership::System,
        left_out: &[("id", NUMBER), ("account_id", NUMBER), ("number", NUMBER)],
    },
    TableRule {
        name: "firmware_keys",
        ownership: RowOwnership::Nobody("the maker's and the portal's"),
        left_out: &[],
    },
    TableRule {
        name: "firmware_releases",
        ownership: RowOwnership::Nobody("the maker's"),
        left_out: &[],
    },
    TableRule {
        name: "fleet_brake",
        ownership: RowOwnership::Nobody("the operator's"),
        left_out: &[],
    },
    TableRule {
        name: "forecast_models",
        ownership: RowOwnership::System,
        left_out: &[
            ("sn", MODEL),
            ("trained_at", MODEL),
            ("history_from", MODEL),
            ("usual_pv", MODEL),
            ("measured", MODEL),
            ("knows_site", MODEL),
            ("body", MODEL),
        ],
    },
    TableRule {
        name: "forecasts",
        ownership: RowOwnership::System,
        left_out: &[("body", "packed; what it said is in the charts")],
    },
    TableRule {
        name: "gateways",
        ownership: RowOwnership::Nobody("whether a gateway runs"),
        left_out: &[],
    },
    TableRule {
        name: "grants",
        ownership: RowOwnership::Grant,
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("company_id", NUMBER),
            ("code_hash", SECRET),
            ("told_at", "when a mail about it was written"),
            ("reminded_at", "when a mail about it was written"),
        ],
    },
    TableRule {
        name: "group_systems",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("account_id", NUMBER), ("group_id", NUMBER)],
    },
    TableRule {
        name: "groups",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("folded", "the name in lower case"),
        ],
    },
    TableRule {
        name: "handovers",
        ownership: RowOwnership::Grant,
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("code_hash", SECRET),
        ],
    },
    TableRule {
        name: "hidden_samples",
        ownership: RowOwnership::System,
        left_out: &[("boot", MESSAGE), ("seq", MESSAGE)],
    },
    TableRule {
        name: "journal",
        ownership: RowOwnership::Line,
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("company_id", NUMBER),
        ],
    },
    TableRule {
        name: "job_leases",
        ownership: RowOwnership::Nobody("which process does which jobs"),
        left_out: &[],
    },
    TableRule {
        name: "job_workers",
        ownership: RowOwnership::Nobody("processes that do jobs"),
        left_out: &[],
    },
    TableRule {
        name: "limited_attempts",
        ownership: RowOwnership::Nobody(
            "a keyed hash of who tried, for an hour: deleting it with the account would give back the tries",
        ),
        left_out: &[],
    },
    TableRule {
        name: "link_pulse",
        ownership: RowOwnership::Nobody("whether batteries can connect"),
        left_out: &[],
    },
    TableRule {
        name: "mail_links",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("account_id", NUMBER), ("token_hash", SECRET)],
    },
    TableRule {
        name: "mails",
        ownership: RowOwnership::Account("account_id"),
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
    TableRule {
        name: "message_ranges",
        ownership: RowOwnership::Nobody("which messages of a battery were counted"),
        left_out: &[],
    },
    TableRule {
        name: "partner_codes",
        ownership: RowOwnership::Consent,
        left_out: &[
            ("hash", SECRET),
            ("challenge", SECRET),
            ("consent_id", NUMBER),
            ("redirect_uri", "the partner's, registered by the operator"),
            ("expires_at", "five minutes after the consent"),
            ("used_at", "within five minutes of the consent"),
        ],
    },
    TableRule {
        name: "partner_consents",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("id", NUMBER), ("account_id", NUMBER)],
    },
    TableRule {
        name: "partner_redirects",
        ownership: RowOwnership::Nobody("the operator's"),
        left_out: &[],
    },
    TableRule {
        name: "partner_tokens",
        ownership: RowOwnership::Consent,
        left_out: &[
            ("hash", SECRET),
            ("consent_id", NUMBER),
            ("kind", "stands for the consent, which is exported"),
            ("expires_at", "stands for the consent, which is exported"),
            ("used_at", "stands for the consent, which is exported"),
            ("family", SECRET),
        ],
    },
    TableRule {
        name: "partners",
        ownership: RowOwnership::Nobody("the operator's"),
        left_out: &[],
    },
    TableRule {
        name: "passkey_challenges",
        ownership: RowOwnership::Nobody("random numbers of the last minutes, not whose"),
        left_out: &[],
    },
    TableRule {
        name: "passkeys",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("credential_id", KEY),
            ("public_key", KEY),
            ("sign_count", "keeps out a copy of the passkey"),
        ],
    },
    TableRule {
        name: "plan_days",
        ownership: RowOwnership::System,
        left_out: &[],
    },
    TableRule {
        name: "planning",
        ownership: RowOwnership::System,
        left_out: &[],
    },
    TableRule {
        name: "presence",
        ownership: RowOwnership::System,
        left_out: &[
            ("boot", MESSAGE),
            ("seq", MESSAGE),
            ("gateway", NUMBER),
            ("hello_at", MESSAGE),
        ],
    },
    TableRule {
        name: "prices",
        ownership: RowOwnership::Area,
        left_out: &[],
    },
    TableRule {
        name: "rejects",
        ownership: RowOwnership::Nobody("what could not be read tells nothing about a person"),
        left_out: &[],
    },
    TableRule {
        name: "recovery_codes",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("account_id", NUMBER), ("hash", SECRET)],
    },
    TableRule {
        name: "registrations",
        ownership: RowOwnership::Nobody("it ends when the account begins, or after a day"),
        left_out: &[],
    },
    TableRule {
        name: "sample_chunks",
        ownership: RowOwnership::System,
        left_out: &[
            ("sn", SAMPLES),
            ("starts_at", SAMPLES),
            ("boot", MESSAGE),
            ("seq", MESSAGE),
            ("ends_at", SAMPLES),
            ("samples", NUMBER),
            ("body", SAMPLES),
        ],
    },
    TableRule {
        name: "sample_log",
        ownership: RowOwnership::Nobody("samples of the last minutes, exported as those"),
        left_out: &[],
    },
    TableRule {
        name: "sample_log_settled",
        ownership: RowOwnership::Nobody("which samples no longer count in the log"),
        left_out: &[],
    },
    TableRule {
        name: "sample_log_writers",
        ownership: RowOwnership::Nobody("the server's processes"),
        left_out: &[],
    },
    TableRule {
        name: "sample_objects",
        ownership: RowOwnership::Nobody("where samples of old months are, exported as those"),
        left_out: &[],
    },
    TableRule {
        name: "sample_retention",
        ownership: RowOwnership::Nobody("how long all systems' samples are kept"),
        left_out: &[],
    },
    TableRule {
        name: "samples",
        ownership: RowOwnership::Nobody("empty since samples are in chunks"),
        left_out: &[],
    },
    TableRule {
        name: "schema_compatibility",
        ownership: RowOwnership::Nobody("which programs work with the schema"),
        left_out: &[],
    },
    TableRule {
        name: "sealed_days",
        ownership: RowOwnership::Nobody("samples of days that are over, exported as those"),
        left_out: &[],
    },
    TableRule {
        name: "sealed_months",
        ownership: RowOwnership::Nobody("totals of days that are over, exported as daily_totals"),
        left_out: &[],
    },
    TableRule {
        name: "sealing",
        ownership: RowOwnership::Nobody("counts changes, and says what is gone"),
        left_out: &[],
    },
    TableRule {
        name: "secret_keys",
        ownership: RowOwnership::Nobody("the operator's"),
        left_out: &[],
    },
    TableRule {
        name: "server_clock",
        ownership: RowOwnership::Nobody("whether the server's clock is right"),
        left_out: &[],
    },
    TableRule {
        name: "sessions",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[
            ("id", SECRET),
            ("account_id", NUMBER),
            ("generation", ROTATION),
        ],
    },
    TableRule {
        name: "setting_batch_systems",
        ownership: RowOwnership::Work,
        left_out: &[("batch_id", NUMBER)],
    },
    TableRule {
        name: "setting_batches",
        ownership: RowOwnership::Work,
        left_out: &[("id", NUMBER), ("account_id", NUMBER)],
    },
    TableRule {
        name: "setting_templates",
        ownership: RowOwnership::Work,
        left_out: &[
            ("id", NUMBER),
            ("account_id", NUMBER),
            ("folded", "the name in lower case"),
        ],
    },
    TableRule {
        name: "settings",
        ownership: RowOwnership::System,
        left_out: &[
            ("changed_by", NUMBER),
            ("boot", MESSAGE),
            ("seq", MESSAGE),
            ("provider_token", SECRET),
        ],
    },
    TableRule {
        name: "shared_options",
        ownership: RowOwnership::Nobody("the operator's configuration"),
        left_out: &[],
    },
    TableRule {
        name: "source_states",
        ownership: RowOwnership::Area,
        left_out: &[],
    },
    TableRule {
        name: "systems",
        ownership: RowOwnership::Account("owner_id"),
        left_out: &[
            ("erased_to", "what a former household measured is gone"),
            ("measured", SAMPLES),
            ("owner_id", NUMBER),
            ("phase_changed_at", PHASE),
            ("phase_ignored_at", PHASE),
            ("plan_due_at", "when the portal checks the plan next"),
            ("site_id", NUMBER),
        ],
    },
    TableRule {
        name: "tariffs",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("account_id", NUMBER)],
    },
    TableRule {
        name: "throttled_devices",
        ownership: RowOwnership::Nobody("the operator's: which devices send too much"),
        left_out: &[],
    },
    TableRule {
        name: "time_of_use",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[("account_id", NUMBER)],
    },
    TableRule {
        name: "totp",
        ownership: RowOwnership::Account("account_id"),
        left_out: &[
            ("account_id", NUMBER),
            ("secret", SECRET),
            ("used_step", "keeps a code from working twice"),
        ],
    },
    TableRule {
        name: "units",
        ownership: RowOwnership::Nobody("which serial number took the place of which"),
        left_out: &[],
    },
    TableRule {
        name: "weather_forecasts",
        ownership: RowOwnership::System,
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

/// Ids and other values that mark the rows of an account.
pub(crate) struct Numbers {
    pub(crate) account: Value,
    pub(crate) email: Value,
    pub(crate) company: Value,
    pub(crate) consents: Vec<Value>,
    pub(crate) systems: Vec<Value>,
    pub(crate) updates: Vec<Value>,
    pub(crate) batches: Vec<Value>,
    pub(crate) commissionings: Vec<Value>,
}

impl RowOwnership {
    pub(crate) fn holds(&self, row: &Row, numbers: &Numbers) -> bool {
        match self {
            Self::Account(column) => row[*column] == numbers.account,
            Self::Company(column) => row[*column] == numbers.company,
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
    let companies = of("accounts", "id", "company_id");
    Numbers {
        company: companies.into_iter().next().unwrap_or_default(),
        consents: of("partner_consents", "account_id", "id"),
        batches: of("setting_batches", "account_id", "id"),
        updates: of_systems("firmware_jobs"),
        commissionings: of_systems("commissionings"),
        systems,
        account,
        email: json!(email),
    }
}
