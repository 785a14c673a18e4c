//! A backup made as the operations page says, and what comes back from it.
#![allow(clippy::unwrap_used)]
use crate::telemetry_world::{home, sample};
use std::process::Command;
use testkit::{NOON, TestDb, on_both};

on_both!(a_restored_backup_has_every_row_of_the_original, |db| {
    let home = home(db, "SC26A0001").await;
    let samples: Vec<_> = (0..200_u32)
        .map(|n| sample(NOON + i64::from(n) * 30_000, n))
        .collect();
    db.append_samples(&home.sn, &samples, NOON).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let restored = if db.url().starts_with("sqlite:") {
        let copy = folder.path().join("backup.db");
        db.execute(&format!("VACUUM INTO '{}'", copy.display()))
            .await;
        TestDb::dump_of(&format!("sqlite:{}", copy.display())).await
    } else {
        let file = folder.path().join("backup.dump");
        let copy = format!("{}_restored", db.url());
        let name = copy.rsplit('/').next().unwrap();
        run(Command::new("pg_dump")
            .args(["-Fc", db.url(), "-f"])
            .arg(&file));
        db.execute(&format!("CREATE DATABASE {name}")).await;
        run(Command::new("pg_restore").args(["-d", &copy]).arg(&file));
        let rows = TestDb::dump_of(&copy).await;
        db.execute(&format!("DROP DATABASE {name} WITH (FORCE)"))
            .await;
        rows
    };
    let original = db.dump().await;
    assert!(
        original
            .iter()
            .any(|(table, rows)| table == "samples" && rows.len() == 200)
    );
    assert_eq!(sorted(restored), sorted(original));
});

fn run(command: &mut Command) {
    let output = command.output().expect("PostgreSQL's own tools");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn sorted(mut tables: Vec<(String, Vec<String>)>) -> Vec<(String, Vec<String>)> {
    tables.iter_mut().for_each(|(_, rows)| rows.sort());
    tables
}
