//! The operator's security advisories on the command line.
#![allow(clippy::unwrap_used)]
use crate::command_line::{error_of, run, text};
use tempfile::TempDir;

#[tokio::test]
async fn units_with_certain_firmware_are_listed_and_nothing_is_sent_before_it_is_said() {
    let folder = TempDir::new().unwrap();
    let devices = "sn,phase,secret\nSC100001,1,\nSC100002,2,\nSC100003,1,\n";
    std::fs::write(folder.path().join("devices.csv"), devices).unwrap();
    let imported = run(folder.path(), &["admin", "import-devices", "devices.csv"]);
    assert!(imported.status.success());
    let url = format!("sqlite:{}/data/suncellar.db", folder.path().display());
    for (sn, version) in [("SC100001", "2.6"), ("SC100002", "2.7")] {
        let said = format!(
            "UPDATE systems SET hardware = 'SC10', master_version = '{version}' WHERE sn = '{sn}'"
        );
        testkit::database::execute_sqlite(&url, &said).await;
    }
    let firmware = |arguments: &[&str]| {
        let range = ["--part", "master", "--fixed-in", "2.7"];
        run(
            folder.path(),
            &[&["admin", "firmware"], arguments, &range].concat(),
        )
    };

    let listed = firmware(&["affected"]);
    let want = "sn,version,hardware,owned,country\nSC100001,2.6,SC10,false,\n";
    assert_eq!(text(&listed.stdout), want);
    let counts = text(&listed.stderr);
    assert!(counts.contains("1 units\nby version: 2.6 1\n"), "{counts}");

    let advise = ["advise", "--texts", "texts"];
    std::fs::create_dir(folder.path().join("texts")).unwrap();
    for language in ["de", "en", "pl", "fr"] {
        let file = folder.path().join(format!("texts/{language}.txt"));
        std::fs::write(file, "Update\n\nPlease update.\n").unwrap();
    }
    let missing = error_of(&firmware(&advise));
    assert!(missing.contains("texts/hr.txt cannot be read"), "{missing}");
    std::fs::write(folder.path().join("texts/hr.txt"), "Only a subject").unwrap();
    let empty = error_of(&firmware(&advise));
    assert!(empty.contains("needs a subject"), "{empty}");
    std::fs::write(folder.path().join("texts/hr.txt"), "Update\n\nAžurirajte.").unwrap();
    let told = text(&firmware(&advise).stdout);
    assert!(told.starts_with("1 units of 0 owners"), "{told}");
    assert!(told.contains("nothing was sent"), "{told}");
    let sent = text(&firmware(&[&advise[..], &["--send"]].concat()).stdout);
    assert!(sent.contains("queued 0 mails"), "{sent}");
}
