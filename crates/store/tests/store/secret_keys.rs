//! The operator's secret, and the keys that it wraps: refused, changed, rotated, interrupted.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, MINUTE};
use domain::code::{Code, CodeKind};
use domain::key::KeyStatus;
use domain::{Key, Lang, Serial};
use ring::hmac;
use store::device_login::DeviceLogin;
use store::mail::{Mail, MailBody, OutgoingMail};
use store::secret_keys::ACTIVATION_DELAY;
use store::system::NewDevice;
use store::{Error, Purpose, Secret, Store};
use testkit::database::{SECRET, open};
use testkit::random::seeded;
use testkit::{NOON, TestDb, on_both, service_at};

const OTHER: &str = "kq3v9x7w2z8p4m6n1b5c0d-hjtry-another";
const DEVICE_SECRET: &[u8] = b"drawn at random, long enough for anybody";
/// All processes use the new version by now, and re-encryption may begin.
const SETTLED: i64 = NOON + ACTIVATION_DELAY + MINUTE;

fn sn() -> Serial {
    "SC000001".parse().unwrap()
}

async fn open_with(url: &str, secret: &str) -> store::Result<Store> {
    Store::open(url, &Secret::unchecked(secret), &seeded(4), NOON).await
}

async fn import(store: &Store) {
    let sn = sn();
    let device = NewDevice {
        sn: &sn,
        phase: 1,
        secret: DEVICE_SECRET,
    };
    service_at(store, NOON)
        .import_devices(&[device])
        .await
        .unwrap();
}

async fn logs_in(store: &Store, secret: &[u8]) -> bool {
    let login = store.log_in_device(&sn(), secret, NOON).await.unwrap();
    matches!(login, DeviceLogin::Accepted(_))
}

async fn issue(store: &Store, seed: u64) -> Code {
    let code = Code::random(&seeded(seed));
    let covered = [sn()];
    let issued = service_at(store, NOON)
        .issue_code(&code, CodeKind::Registration, &covered)
        .await;
    issued.unwrap();
    code
}

async fn status(store: &Store, code: &Code) -> KeyStatus {
    let keys = [Key::Code(code.clone())];
    let email = "anna@example.com".parse().unwrap();
    let evaluated = service_at(store, NOON).evaluate_keys(&keys, &email).await;
    evaluated.unwrap()[0].status
}

async fn queue(store: &Store, to: &str, at: i64) {
    let mail = Mail::new("reset", Lang::De, "https://portal.test/".into());
    let outgoing = OutgoingMail {
        account: None,
        recipient: &to.parse().unwrap(),
        body: MailBody::Mail(mail),
        nonce: [9; 12],
    };
    testkit::queue_mail(store, &outgoing, at).await;
}

async fn recipients(store: &Store) -> Vec<String> {
    let mut recipients = Vec::new();
    while let Some(due) = store.lease_mail(SETTLED).await.unwrap() {
        recipients.push(due.recipient);
        store.finish_mail(due.id).await.unwrap();
    }
    recipients
}

async fn director(store: &Store, seed: u8) -> String {
    let key = store.director_key([seed; 32], [seed; 12]).await.unwrap();
    key.public().to_string()
}

async fn devices_by_version(store: &Store) -> Vec<i64> {
    let versions = store.key_versions().await.unwrap();
    versions.iter().map(|version| version.devices).collect()
}

/// The rotation as the operator starts it, up to the moment when the new version is used.
async fn rotate(store: &Store) {
    let made = service_at(store, NOON).rotate_keys(DAY).await.unwrap();
    assert_eq!(made.unwrap().version, 2);
    store.reload_keys(NOON + ACTIVATION_DELAY).await.unwrap();
}

/// Deletes the old version from the database: what still needs it cannot be decrypted any more.
async fn without_the_first_version(db: &TestDb) -> Store {
    db.execute("DELETE FROM secret_keys WHERE version = 1")
        .await;
    open(db.url()).await.unwrap()
}

on_both!(a_wrong_secret_is_refused_before_anything_is_written, |db| {
    import(db).await;
    let code = issue(db, 1).await;
    let before = db.dump().await;
    let refused = open_with(db.url(), OTHER).await;
    assert!(matches!(refused, Err(Error::WrongSecret)), "{refused:?}");
    assert_eq!(db.dump().await, before);
    assert_eq!(status(db, &code).await, KeyStatus::Linked);
});

on_both!(
    a_database_from_before_versions_goes_on_with_what_it_has,
    |db| {
        // As the first release left it: no versions, and a row that depends on the secret.
        let forget = "DELETE FROM secret_keys";
        db.execute(forget).await;
        db.execute("INSERT INTO firmware_keys (signer, public_key) VALUES ('release', 'x')")
            .await;
        let older = open(db.url()).await.unwrap();
        let mac = |key: &[u8], text: &[u8]| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, key);
            hmac::sign(&key, text).as_ref().to_vec()
        };
        let derived = mac(&mac(SECRET.as_bytes(), b"Code"), b"a code");
        assert_eq!(older.keyring().hash(Purpose::Code, b"a code"), derived);
        let key = director(&older, 1).await;
        older.db().close().await;

        db.execute(forget).await;
        let refused = open_with(db.url(), OTHER).await;
        assert!(matches!(refused, Err(Error::WrongSecret)), "{refused:?}");
        let upgraded = open(db.url()).await.unwrap();
        assert_eq!(director(&upgraded, 2).await, key);
        assert_eq!(upgraded.keyring().hash(Purpose::Code, b"a code"), derived);
        upgraded.db().close().await;
    }
);

on_both!(
    a_new_database_has_keys_that_the_secret_alone_does_not_give,
    |db| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
        let derived = hmac::sign(&key, b"AccessToken");
        assert_ne!(db.keyring().key(Purpose::AccessToken), derived.as_ref());
    }
);

on_both!(
    after_a_rotation_everything_from_before_is_still_believed,
    |db| {
        import(db).await;
        let code = issue(db, 1).await;
        let other_process = open(db.url()).await.unwrap();
        rotate(db).await;
        assert_eq!(db.keyring().version(), 2);

        // A process that has not switched yet accepts what the others make.
        other_process.reload_keys(NOON).await.unwrap();
        assert_eq!(other_process.keyring().version(), 1);
        let made = db.keyring().hash(Purpose::RefreshToken, b"session");
        let theirs = other_process.keyring();
        assert!(theirs.verify(Purpose::RefreshToken, b"session", &made));
        other_process.db().close().await;

        assert_eq!(status(db, &code).await, KeyStatus::Linked);
        assert_eq!(devices_by_version(db).await, [1, 0]);
        assert!(!logs_in(db, b"wrong").await);
        assert_eq!(devices_by_version(db).await, [1, 0]);
        assert!(logs_in(db, DEVICE_SECRET).await);
        assert_eq!(
            devices_by_version(db).await,
            [0, 1],
            "its login brought the secret"
        );
        assert!(logs_in(db, DEVICE_SECRET).await);

        let new = issue(db, 2).await;
        assert_eq!(
            status(db, &code).await,
            KeyStatus::Unknown,
            "replaced as ever"
        );
        assert_eq!(status(db, &new).await, KeyStatus::Linked);
    }
);

on_both!(
    sealed_values_are_sealed_again_and_a_kill_in_between_only_delays_it,
    |db| {
        let key = director(db, 1).await;
        queue(db, "before@example.com", NOON).await;
        let slow_process = open(db.url()).await.unwrap();
        rotate(db).await;
        let random = seeded(6);
        db.reencrypt_all(&random, SETTLED - 1).await.unwrap();
        let resealed = |versions: Vec<store::secret_keys::KeyVersion>| versions[1].reencrypted_at;
        assert_eq!(
            resealed(db.key_versions().await.unwrap()),
            None,
            "not everybody has switched"
        );
        let again = service_at(db, SETTLED).rotate_keys(DAY).await.unwrap();
        assert!(again.is_none(), "one rotation at a time");

        // Killed between its first rows and its end: one row is re-encrypted, another is not.
        db.reencrypt_all(&random, SETTLED).await.unwrap();
        queue(&slow_process, "after@example.com", NOON).await;
        db.execute("UPDATE secret_keys SET resealed_at = NULL WHERE version = 2")
            .await;
        let next_start = open(db.url()).await.unwrap();
        next_start.reload_keys(SETTLED).await.unwrap();
        next_start.reencrypt_all(&random, SETTLED).await.unwrap();
        assert_eq!(
            resealed(next_start.key_versions().await.unwrap()),
            Some(SETTLED)
        );

        let without = without_the_first_version(db).await;
        assert_eq!(director(&without, 2).await, key);
        assert_eq!(
            recipients(&without).await,
            ["before@example.com", "after@example.com"]
        );
        for store in [slow_process, next_start, without] {
            store.db().close().await;
        }
    }
);

on_both!(the_secret_is_changed_while_the_server_runs, |db| {
    import(db).await;
    let code = issue(db, 1).await;
    let key = director(db, 1).await;
    let operator = open(db.url()).await.unwrap();
    let new = Secret::parse(OTHER).unwrap();
    let changed = service_at(&operator, NOON).change_secret(&new).await;
    changed.unwrap();
    operator.db().close().await;

    let refused = open(db.url()).await;
    assert!(matches!(refused, Err(Error::WrongSecret)), "{refused:?}");
    // The running server continues, but must not rotate: the new keys would be unreadable afterwards.
    db.reload_keys(NOON).await.unwrap();
    assert!(logs_in(db, DEVICE_SECRET).await);
    let stale = service_at(db, NOON).rotate_keys(DAY).await;
    assert!(matches!(stale, Err(Error::WrongSecret)), "{stale:?}");

    let restarted = open_with(db.url(), OTHER).await.unwrap();
    assert_eq!(director(&restarted, 2).await, key);
    assert_eq!(status(&restarted, &code).await, KeyStatus::Linked);
    assert!(logs_in(&restarted, DEVICE_SECRET).await);
    restarted.db().close().await;
});
