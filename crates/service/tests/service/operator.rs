//! What the operator changes: each change has its entry in the journal, or does not happen.
use domain::clock::DAY;
use domain::code::{Code, CodeKind};
use domain::firmware::{PublicKey, SecretKey};
use domain::{Country, Lang, Phone, Role, Serial};
use serde_json::{Value, json};
use service::Service;
use service::registration::Registration;
use service::release::KeyTrust;
use store::account::Profile;
use store::setting::TemplateChange;
use store::system::NewDevice;
use store::{Result, Secret};
use testkit::random::seeded;
use testkit::{NOON, TestDb, on_both, service_at};

const OTHER_SECRET: &str = "kq3v9x7w2z8p4m6n1b5c0d-hjtry-another";

fn serial(sn: &str) -> Serial {
    sn.parse().unwrap()
}

async fn import(service: &Service, sn: &str) -> Result<()> {
    let serial = serial(sn);
    let device = NewDevice {
        sn: &serial,
        phase: 1,
        secret: sn.as_bytes(),
    };
    service.import_devices(&[device]).await
}

/// Every change of the operator, and of templates, with its result.
async fn change_everything(
    service: &Service,
    eva: domain::AccountId,
) -> Vec<(&'static str, Result<()>)> {
    let (sn, code) = (serial("SC000001"), Code::random(&seeded(1)));
    let systems = std::slice::from_ref(&sn);
    let key = SecretKey::new([9; 32]).public();
    let secret = Secret::parse(OTHER_SECRET).unwrap();
    let email = "eva@example.com".parse().unwrap();
    let redirects = ["https://sunny.example/back".to_owned()];
    let fields = domain::setting::Settings::default();
    let renamed = TemplateChange {
        name: Some("Sommer".parse().unwrap()),
        fields: None,
    };
    let name = "Winter".parse().unwrap();
    vec![
        ("devices_imported", import(service, "SC000002").await),
        (
            "code_issued",
            service
                .issue_code(&code, CodeKind::Installer, systems)
                .await,
        ),
        (
            "boot_counter_restarted",
            service.restart_boot_counter(&sn).await.map(drop),
        ),
        (
            "device_blocked",
            service.block_device(&sn, true).await.map(drop),
        ),
        (
            "device_secret_rotated",
            service.rotate_device_secret(&sn, false).await.map(drop),
        ),
        (
            "release_key_trusted",
            service.trust_release_key(&key, false).await.map(drop),
        ),
        (
            "partner_registered",
            service.register_partner("sunny", "Sunny", &redirects).await,
        ),
        (
            "option_set",
            service
                .set_shared_option("public-url", Some("https://a.example"))
                .await,
        ),
        (
            "option_set",
            service
                .agree_on_option("nats", "nats://a.example")
                .await
                .map(drop),
        ),
        (
            "keys_rotated",
            service.rotate_keys(30 * DAY).await.map(drop),
        ),
        ("secret_changed", service.change_secret(&secret).await),
        (
            "fleet_braked",
            service.put_brake_on("smoke").await.map(drop),
        ),
        (
            "account_locked",
            service.lock_account(&email, true).await.map(drop),
        ),
        (
            "template_created",
            service.create_template(eva, &name, &fields).await.map(drop),
        ),
        (
            "template_changed",
            service.change_template(eva, 1, &renamed).await.map(drop),
        ),
        (
            "template_deleted",
            service.delete_template(eva, 1).await.map(drop),
        ),
    ]
}

async fn electrician(service: &Service) -> domain::AccountId {
    let profile = Profile {
        email: "eva@example.com".parse().unwrap(),
        role: Role::Electrician,
        phone: Phone::parse("+49 30 901820", Country::Germany).unwrap(),
        country: Country::Germany,
        company: Some("Elektro Sonnenberg".to_owned()),
        language: Lang::De,
    };
    let new = Registration {
        profile: &profile,
        password_hash: "no hash",
        keys: &[],
    };
    service.register(&new).await.unwrap().0
}

/// The journal's entries, by name.
async fn journal(db: &TestDb) -> Vec<(String, Value)> {
    let dump = db.dump().await;
    let (_, rows) = dump.iter().find(|(name, _)| name == "journal").unwrap();
    let rows = rows
        .iter()
        .map(|row| serde_json::from_str::<Value>(row).unwrap());
    let entry = |row: Value| {
        let detail = serde_json::from_str(row["detail"].as_str().unwrap()).unwrap();
        (row["event"].as_str().unwrap().to_owned(), detail)
    };
    rows.map(entry).collect()
}

on_both!(without_its_entry_no_change_stays, |db| {
    let service = service_at(db, NOON);
    import(&service, "SC000001").await.unwrap();
    let eva = electrician(&service).await;
    // A template to change and to delete.
    db.execute(&format!(
        "INSERT INTO setting_templates (account_id, name, folded, fields, created_at) VALUES ({}, 'A', 'a', '{{}}', 0)",
        eva.0
    ))
    .await;
    let mut before = db.dump().await;
    db.execute("ALTER TABLE journal RENAME TO journal_away")
        .await;
    for (name, result) in change_everything(&service, eva).await {
        assert!(result.is_err(), "{name}");
    }
    db.execute("ALTER TABLE journal_away RENAME TO journal")
        .await;
    let mut after = db.dump().await;
    for (_, rows) in before.iter_mut().chain(&mut after) {
        rows.sort();
    }
    assert_eq!(after, before);
});

on_both!(every_change_has_its_entry, |db| {
    let service = service_at(db, NOON);
    import(&service, "SC000001").await.unwrap();
    let eva = electrician(&service).await;
    let before = journal(db).await.len();
    let changes = change_everything(&service, eva).await;
    let mut names = Vec::new();
    for (name, result) in changes {
        result.unwrap();
        names.push(name);
    }
    let entries = journal(db).await.split_off(before);
    let written: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(written, names);
    let detail = |name: &str| {
        let entry = entries.iter().find(|(entry, _)| entry == name);
        entry.unwrap().1.clone()
    };
    assert_eq!(
        detail("code_issued"),
        json!({"kind": "installer", "systems": ["SC000001"]})
    );
    assert_eq!(
        detail("option_set"),
        json!({"name": "public-url", "forgotten": false})
    );
    assert_eq!(
        detail("keys_rotated"),
        json!({"version": 2, "grace_days": 30})
    );
});

on_both!(an_option_that_others_have_stored_leaves_no_entry, |db| {
    let service = service_at(db, NOON);
    let agree = async |url: &str| service.agree_on_option("nats", url).await.unwrap();
    assert_eq!(agree("nats://a.example").await, "nats://a.example");
    assert_eq!(agree("nats://b.example").await, "nats://a.example");
    assert_eq!(journal(db).await.len(), 1);
});

on_both!(
    a_release_key_is_replaced_only_by_somebody_who_says_so,
    |db| {
        let service = service_at(db, NOON);
        let [first, second] = [[9; 32], [10; 32]].map(|seed| SecretKey::new(seed).public());
        let trust = async |key: &PublicKey, replace: bool| {
            let trusted = service.trust_release_key(key, replace).await;
            trusted.unwrap()
        };
        assert_eq!(trust(&first, false).await, KeyTrust::Trusted);
        assert_eq!(trust(&first, false).await, KeyTrust::Already);
        let KeyTrust::Other(kept) = trust(&second, false).await else {
            panic!("another key is trusted");
        };
        assert_eq!(kept, first);
        assert_eq!(db.release_key().await.unwrap(), Some(first));
        assert_eq!(trust(&second, true).await, KeyTrust::Trusted);
        assert_eq!(db.release_key().await.unwrap(), Some(second));
        let entries = journal(db).await;
        let keys: Vec<_> = entries.iter().map(|(_, detail)| &detail["was"]).collect();
        assert_eq!(keys, [&Value::Null, &json!(kept.to_string())]);
    }
);
