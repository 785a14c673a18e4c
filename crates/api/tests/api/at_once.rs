//! Two people change the same rows at the same moment, on PostgreSQL: the first one succeeds, the second one gets a conflict.
//! A lock of the test holds both where the race is.
#![allow(clippy::unwrap_used)]
use domain::firmware::Part;
use testkit::battery::HARDWARE;
use testkit::firmware::{IMAGE, manifest};
use testkit::{PASSWORD, TestApp, TestDb, eventually};

const SN: &str = "SC000001";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_who_start_an_update_at_once_both_see_the_same_one() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let app = TestApp::start(&db).await;
    let anna = app.owner("anna", SN).await;
    let paul = app.member(&anna, "paul", SN, "owner").await;
    app.battery(SN)
        .hello(|hello| {
            hello.hardware = HARDWARE.into();
            hello.versions.master = Some("2.6".into());
        })
        .await;
    app.roll_out(&manifest(Part::Master, "2.7", 5), IMAGE).await;
    eventually("the update is offered", async || {
        let status = app.get(&format!("/api/v1/has_update?sn={SN}"));
        let status = status.bearer(&anna.access).send().await.expect(200);
        status.json()["new_update"] == true
    })
    .await;
    // Both have seen that there is no update yet, and are about to insert one.
    let lock = db.lock_table("firmware_jobs").await;
    let both = async {
        tokio::join!(
            app.order_update(&anna, SN, "1"),
            app.order_update(&paul, SN, "1")
        )
    };
    let release = async {
        eventually("both wait", async || db.waiting_for_locks().await == 2).await;
        lock.release().await;
    };
    let ((first, second), ()) = tokio::join!(both, release);
    let updates = [first, second].map(|answer| answer.expect(200).json()["updates"].clone());
    assert_eq!(updates[0], updates[1]);
    assert_eq!(db.count("SELECT count(*) FROM firmware_jobs").await, 1);
    app.stop().await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_installer_code_and_an_owner_at_once_leave_a_grant_that_the_owner_has_to_confirm() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let app = TestApp::start(&db).await;
    let eva = app.electrician("eva").await;
    let anna = app.owner("anna", "SC000002").await;
    let sn = app.device(SN).await;
    let (installer, registration) = (app.installer_code(&[&sn]).await, app.code(&[&sn]).await);
    // The electrician has seen that the system has no owner, and is about to get the grant.
    let lock = db.lock_table("grants").await;
    let installed = async {
        let code = [("code", installer.as_str())];
        let call = app.post("/api/auth/grant/code/", &code);
        call.bearer(&eva.access).send().await
    };
    let linked = async {
        eventually("the code waits", async || db.waiting_for_locks().await == 1).await;
        let keys = [("keys", registration.as_str())];
        let call = app.post("/api/auth/usr_sn/", &keys);
        call.bearer(&anna.access).send().await
    };
    let release = async {
        eventually("both wait", async || db.waiting_for_locks().await == 2).await;
        lock.release().await;
    };
    let (installed, linked, ()) = tokio::join!(installed, linked, release);
    installed.expect(200);
    let linked = linked.expect(200).json();
    assert_eq!(linked["keys"][0]["status"], "linked");
    let grants = app.get("/api/auth/grant/").bearer(&anna.access).send();
    let given = grants.await.expect(200).json()["given"][0].clone();
    assert_eq!(
        (&given["sn"], &given["state"]),
        (&SN.into(), &"unconfirmed".into())
    );
    app.stop().await;
    db.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_is_deleted_at_once_with_a_save_is_gone_and_nothing_is_saved() {
    let Some(db) = TestDb::postgres().await else {
        return;
    };
    let app = TestApp::start(&db).await;
    let anna = app.owner("anna", SN).await;
    let settings = format!("/api/auth/settings/?sn={SN}");
    let first = [("version", "0"), ("reserve_soc", "20")];
    let saved = app.post(&settings, &first).bearer(&anna.access).send();
    saved.await.expect(200);
    // The deletion has erased the settings, and has not come to the account yet.
    let lock = db.lock_table("planning").await;
    let deleted = async {
        let call = app.call("DELETE", "/api/auth/account/");
        let call = call.form(&[("password", PASSWORD)]).bearer(&anna.access);
        call.send().await
    };
    let saved = async {
        eventually("the deletion waits", async || {
            db.waiting_for_locks().await == 1
        })
        .await;
        let second = [("version", "1"), ("reserve_soc", "30")];
        app.post(&settings, &second)
            .bearer(&anna.access)
            .send()
            .await
    };
    let release = async {
        eventually("both wait", async || db.waiting_for_locks().await == 2).await;
        lock.release().await;
    };
    let (deleted, saved, ()) = tokio::join!(deleted, saved, release);
    deleted.expect(204);
    assert_eq!(saved.expect(409).code(), "changed_meanwhile");
    assert_eq!(db.count("SELECT count(*) FROM accounts").await, 0);
    let desired = "SELECT count(*) FROM settings WHERE desired LIKE '%reserve_soc\":30%'";
    assert_eq!(db.count(desired).await, 0);
    app.stop().await;
    db.close().await;
}
