//! Registration codes as the operator issues and replaces them.
#![allow(clippy::unwrap_used)]
use domain::code::{Code, CodeKind};
use domain::key::KeyStatus;
use domain::{Key, Random, Serial};
use store::system::NewDevice;
use store::{Error, Store};
use testkit::{NOON, on_both, random, service_at};

async fn devices(store: &Store, serials: &[&str]) -> Vec<Serial> {
    let serials: Vec<Serial> = serials.iter().map(|sn| sn.parse().unwrap()).collect();
    for sn in &serials {
        let secret = format!("secret of {sn}, long enough for anybody");
        let device = NewDevice {
            sn,
            phase: 1,
            secret: secret.as_bytes(),
        };
        service_at(store, NOON)
            .import_devices(&[device])
            .await
            .unwrap();
    }
    serials
}

async fn issue(store: &Store, random: &Random, kind: CodeKind, systems: &[Serial]) -> Code {
    let code = Code::random(random);
    let issued = service_at(store, NOON)
        .issue_code(&code, kind, systems)
        .await;
    issued.unwrap();
    code
}

async fn judge(store: &Store, code: &Code) -> KeyStatus {
    let keys = [Key::Code(code.clone())];
    let email = "anna@example.com".parse().unwrap();
    let evaluated = service_at(store, NOON).evaluate_keys(&keys, &email).await;
    evaluated.unwrap()[0].status
}

on_both!(a_code_that_is_issued_anew_replaces_the_lost_one, |db| {
    let random = random::seeded(1);
    let systems = devices(db, &["SC000001", "SC000002"]).await;
    let lost = issue(db, &random, CodeKind::Registration, &systems).await;
    assert_eq!(judge(db, &lost).await, KeyStatus::Linked);
    let new = issue(db, &random, CodeKind::Registration, &systems).await;
    assert_eq!(judge(db, &lost).await, KeyStatus::Unknown);
    assert_eq!(judge(db, &new).await, KeyStatus::Linked);
});

on_both!(
    a_new_code_for_one_unit_ends_the_code_of_the_whole_site,
    |db| {
        let random = random::seeded(1);
        let systems = devices(db, &["SC000001", "SC000002"]).await;
        let site = issue(db, &random, CodeKind::Registration, &systems).await;
        issue(db, &random, CodeKind::Registration, &systems[..1]).await;
        assert_eq!(judge(db, &site).await, KeyStatus::Unknown);
    }
);

on_both!(
    a_new_installer_code_leaves_the_registration_code_alone,
    |db| {
        let random = random::seeded(1);
        let systems = devices(db, &["SC000001"]).await;
        let registration = issue(db, &random, CodeKind::Registration, &systems).await;
        let installer = issue(db, &random, CodeKind::Installer, &systems).await;
        assert_eq!(judge(db, &registration).await, KeyStatus::Linked);
        assert_eq!(
            judge(db, &installer).await,
            KeyStatus::Unknown,
            "an installer code makes nobody an owner"
        );
    }
);

on_both!(codes_of_other_systems_are_not_touched, |db| {
    let random = random::seeded(1);
    let systems = devices(db, &["SC000001", "SC000002"]).await;
    let first = issue(db, &random, CodeKind::Registration, &systems[..1]).await;
    issue(db, &random, CodeKind::Registration, &systems[1..]).await;
    assert_eq!(judge(db, &first).await, KeyStatus::Linked);
});

on_both!(
    a_code_for_a_system_that_does_not_exist_is_not_issued,
    |db| {
        let random = random::seeded(1);
        let mut systems = devices(db, &["SC000001"]).await;
        let before = issue(db, &random, CodeKind::Registration, &systems).await;
        systems.push("SC999999".parse().unwrap());
        let code = Code::random(&random);
        let refused = service_at(db, NOON)
            .issue_code(&code, CodeKind::Registration, &systems)
            .await;
        assert!(
            matches!(refused, Err(Error::UnknownSerial(_))),
            "{refused:?}"
        );
        assert_eq!(judge(db, &code).await, KeyStatus::Unknown);
        assert_eq!(judge(db, &before).await, KeyStatus::Linked);
    }
);

on_both!(codes_are_kept_only_as_hashes, |db| {
    let random = random::seeded(1);
    let systems = devices(db, &["SC000001"]).await;
    let code = issue(db, &random, CodeKind::Registration, &systems).await;
    let kept = format!("{:?}", db.dump().await);
    let bytes = code.as_str().bytes();
    let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
    assert!(!kept.contains(code.as_str()) && !kept.contains(&hex));
});
