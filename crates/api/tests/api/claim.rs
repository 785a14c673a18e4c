//! A serial number is an address, not a secret: what it opens, what it does not, and that the code from the box always wins.
#![allow(clippy::unwrap_used)]
use domain::Serial;
use domain::clock::{DAY, HOUR, MINUTE};
use domain::message::text;
use domain::{EventCode, Lang};
use serde_json::{Value, json};
use testkit::{PASSWORD, Person, TestApp, with_app};

async fn add(app: &TestApp, access: &str, key: &str) -> Value {
    let call = app.post("/api/auth/usr_sn/", &[("keys", key)]);
    let answer = call.bearer(access).send().await.expect(200).json();
    answer["keys"][0].clone()
}

async fn get(app: &TestApp, person: &Person, path: &str) -> Value {
    let call = app.get(path).bearer(&person.access);
    call.send().await.expect(200).json()
}

async fn serials(app: &TestApp, person: &Person) -> Vec<String> {
    let systems = get(app, person, "/api/auth/usr_sn/").await;
    let systems = systems.as_array().unwrap().iter();
    systems
        .map(|system| system["sn"].as_str().unwrap().to_owned())
        .collect()
}

/// A person who has just claimed a system by its main switch.
async fn by_switch(app: &TestApp, name: &str, sn: &str) -> Person {
    let waiting = app.unlinked(name, sn).await;
    app.battery(sn).perform_pattern().await;
    app.log_in(&waiting.email, false).await
}

/// How many of these mails a recipient got, by their subject in a language.
async fn mailed(app: &TestApp, to: &str, lang: Lang, mail: &str) -> usize {
    let subject = text(lang, "mail", &format!("{mail}_subject"));
    let mails = app.sent_mails().await;
    let mails = mails.iter().filter(|mail| mail.to == to);
    mails.filter(|mail| mail.subject == subject).count()
}

async fn events(app: &TestApp, person: &Person, sn: &str) -> Vec<String> {
    let page = get(app, person, &format!("/api/auth/journal/?sn={sn}")).await;
    let lines = page["lines"].as_array().unwrap().iter();
    lines
        .map(|line| line["event"].as_str().unwrap().to_owned())
        .collect()
}

with_app!(the_printed_code_displaces_whoever_came_by_switch, |app| {
    let mallory = by_switch(app, "mallory", "SC000001").await;
    let eva = app.electrician("eva").await;
    app.grant(&mallory, &eva, "SC000001", "monitor").await;
    let named = [("first_name", "Max"), ("last_name", "Mallory")];
    let name = app.call("PATCH", "/api/auth/system/SC000001/").form(&named);
    name.bearer(&mallory.access).send().await.expect(204);
    let french = app
        .call("PATCH", "/api/auth/account/")
        .form(&[("language", "fr")]);
    french.bearer(&mallory.access).send().await.expect(200);
    app.clock.advance(HOUR);

    let code = app.code(&[&"SC000001".parse().unwrap()]).await;
    let form = app.owner_form("alice@example.com", &code);
    let made = app.post("/api/auth/register/", &form).send().await;
    assert_eq!(made.expect(201).json()["keys"][0]["status"], "linked");
    app.clock.advance(MINUTE);

    let alice = app.log_in("alice@example.com", false).await;
    let systems = get(app, &alice, "/api/auth/usr_sn/").await;
    assert_eq!(systems[0]["sn"], "SC000001");
    assert_eq!(systems[0]["first_name"], Value::Null);
    assert_eq!(systems[0]["installer"], Value::Null);
    assert_eq!(
        events(app, &alice, "SC000001").await,
        ["system_taken_over"],
        "nothing of the household before"
    );
    let login = app.try_log_in(&mallory.email, PASSWORD, false).await;
    assert_eq!(login.expect(403).code(), "no_systems");
    let eva = app.log_in(&eva.email, true).await;
    assert!(serials(app, &eva).await.is_empty());

    let account = app.account_id(&mallory.email).await;
    let journal = app.store.journal_of(account).await.unwrap();
    let last = journal.last().unwrap();
    assert_eq!(
        (last.event.as_str(), last.actor.as_str()),
        ("system_displaced", "portal")
    );
    let displaced = mailed(app, &mallory.email, Lang::Fr, "system_displaced").await;
    let taken_over = mailed(app, &alice.email, Lang::De, "system_taken_over").await;
    assert_eq!((displaced, taken_over), (1, 1));
});

with_app!(
    after_thirty_days_and_against_another_code_the_owner_stays,
    |app| {
        let paul = by_switch(app, "paul", "SC000001").await;
        let anna = app.owner("anna", "SC000002").await;
        app.clock.advance(30 * DAY + MINUTE);
        let anna = app.log_in(&anna.email, false).await;
        let code = app.code(&[&"SC000001".parse().unwrap()]).await;
        assert_eq!(add(app, &anna.access, &code).await["status"], "used");
        let paul = app.log_in(&paul.email, false).await;
        assert_eq!(serials(app, &paul).await, ["SC000001"]);

        // Not even the code lets someone displace them.
        let ben = by_switch(app, "ben", "SC000003").await;
        let sn = "SC000003".parse().unwrap();
        let own = app.code(&[&sn]).await;
        assert_eq!(add(app, &ben.access, &own).await["status"], "linked");
        let another = app.code(&[&sn]).await;
        assert_eq!(add(app, &anna.access, &another).await["status"], "used");
        assert_eq!(serials(app, &ben).await, ["SC000003"]);
    }
);

with_app!(
    while_a_code_is_unused_or_an_installer_is_at_work_no_switch_links,
    |app| {
        let mallory = app.owner("mallory", "SC000009").await;
        for sn in ["SC000001", "SC000002", "SC000003"] {
            app.device(sn).await;
            assert_eq!(add(app, &mallory.access, sn).await["status"], "waiting");
        }
        app.code(&[&"SC000001".parse().unwrap()]).await;
        let opened = "SC000002".parse().unwrap();
        let installer = app.installer_code(&[&opened]).await;
        let at_work = app.battery("SC000002");
        // The claim completes neither before the installer has used the code nor while the installer's access lasts.
        at_work.perform_pattern().await;
        let eva = app.electrician("eva").await;
        let use_code = app.post("/api/auth/grant/code/", &[("code", &installer)]);
        use_code.bearer(&eva.access).send().await.expect(200);
        at_work.perform_pattern().await;
        for sn in ["SC000001", "SC000003"] {
            app.battery(sn).perform_pattern().await;
        }
        assert_eq!(serials(app, &mallory).await, ["SC000003", "SC000009"]);
        // To the claimant they look like any other pending claim.
        let claims = get(app, &mallory, "/api/auth/usr_sn/claims/").await;
        let waiting = |sn: &str| {
            let claims = claims.as_array().unwrap();
            claims
                .iter()
                .any(|claim| claim["sn"] == sn && claim["status"] == "waiting")
        };
        assert!(waiting("SC000001") && waiting("SC000002"));
    }
);

with_app!(
    what_an_installation_does_to_the_switch_links_nobody,
    |app| {
        let mallory = app.unlinked("mallory", "SC000001").await;
        app.clock.advance(10 * MINUTE);
        let battery = app.battery("SC000001");
        for args in [
            None,
            Some(r#"{"off":[],"on":[]}"#),
            Some(r#"{"off":[90000],"on":[]}"#),
            Some(r#"{"off":[120000,150000],"on":[7000]}"#),
        ] {
            let now = Some(app.clock.now());
            battery
                .event(now, EventCode::SwitchCycled, true, args)
                .await;
        }
        let login = app.try_log_in(&mallory.email, PASSWORD, false).await;
        assert_eq!(login.expect(403).code(), "no_systems");
        battery.perform_pattern().await;
        let mallory = app.log_in(&mallory.email, false).await;
        assert_eq!(serials(app, &mallory).await, ["SC000001"]);
    }
);

with_app!(
    an_unknown_a_free_and_a_guarded_serial_number_get_the_same_answers,
    |app| {
        let anna = app.owner("anna", "SC000009").await;
        for sn in ["SC000001", "SC000002"] {
            app.device(sn).await;
        }
        let guarded: Serial = "SC000002".parse().unwrap();
        app.code(&[&guarded]).await;
        let numbers = ["SC000001", "SC000002", "SC000003"];
        let same = |answers: Vec<String>| {
            let [free, guarded, unknown] = answers.try_into().unwrap();
            assert_eq!(
                free.replace("SC000001", "SN"),
                unknown.replace("SC000003", "SN")
            );
            assert_eq!(
                guarded.replace("SC000002", "SN"),
                unknown.replace("SC000003", "SN")
            );
        };
        let mut answers = Vec::new();
        for sn in numbers {
            let form = app.owner_form("new@example.com", sn);
            let answer = app.post("/api/auth/register/", &form).send().await;
            answers.push(answer.expect(202).text);
        }
        same(answers);
        for _ in ["claimed", "renewed"] {
            let mut answers = Vec::new();
            for sn in numbers {
                answers.push(add(app, &anna.access, sn).await.to_string());
            }
            same(answers);
            let claims = get(app, &anna, "/api/auth/usr_sn/claims/").await;
            let claims = claims.as_array().unwrap();
            same(claims.iter().map(Value::to_string).collect());
        }
        let mut answers = Vec::new();
        for sn in numbers {
            let call = app.post("/api/auth/system/SC000009/replace/", &[("key", sn)]);
            let call = call
                .bearer(&anna.access)
                .from(&format!("10.9.8.{}", answers.len()));
            answers.push(call.send().await.expect(200).text);
        }
        same(answers);
    }
);

with_app!(
    who_comes_by_switch_sees_nothing_of_what_was_there_before,
    |app| {
        let sn = app.device("SC000001").await;
        let code = app.installer_code(&[&sn]).await;
        let eva = app.electrician("eva").await;
        let use_code = app.post("/api/auth/grant/code/", &[("code", &code)]);
        use_code.bearer(&eva.access).send().await.expect(200);
        let battery = app.battery("SC000001");
        let protocol = app.commission(&eva, &battery).await;
        let described = [
            ("first_name", "Łukasz"),
            ("last_name", "Čačić"),
            ("place", "Berlin"),
        ];
        let describe = app
            .call("PATCH", "/api/auth/system/SC000001/")
            .form(&described);
        describe.bearer(&eva.access).send().await.expect(204);
        // The installer's access has ended, and no one has used the code.
        app.clock.advance(40 * DAY);
        let claimed = app.owner_form("paul@example.com", "SC000001");
        app.post("/api/auth/register/", &claimed)
            .send()
            .await
            .expect(202);
        let token = app.mailed_token("paul@example.com", "confirm").await;
        let confirm = app.post("/api/auth/register/confirm/", &[("token", &token)]);
        confirm.send().await.expect(200);
        battery.perform_pattern().await;
        let paul = app.log_in("paul@example.com", false).await;

        let system = get(app, &paul, "/api/auth/usr_sn/").await[0].clone();
        for field in ["first_name", "last_name", "place"] {
            assert_eq!(system[field], Value::Null, "{field}");
        }
        let list = "/api/auth/commissioning/protocol/";
        let shown = get(app, &paul, &format!("{list}?sn=SC000001")).await;
        assert_eq!(shown, json!([]));
        let read = app.get(&format!("{list}{protocol}/")).bearer(&paul.access);
        read.send().await.expect(404);
        let export = get(app, &paul, "/api/auth/account/export/").await;
        assert!(!export.to_string().contains("Čačić"));
        assert_eq!(export["commissionings"], json!([]));
        let lines = events(app, &paul, "SC000001").await;
        assert!(
            lines
                .iter()
                .all(|line| ["system_linked", "battery"].contains(&line.as_str()))
        );
        // With the code, the protocol becomes theirs.
        let code = app.code(&[&sn]).await;
        assert_eq!(add(app, &paul.access, &code).await["status"], "linked");
        let shown = get(app, &paul, &format!("{list}?sn=SC000001")).await;
        assert_eq!(shown[0]["id"], protocol);
    }
);

with_app!(
    after_a_contest_the_switch_decides_nothing_for_a_day,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        app.device("SC000003").await;
        for person in [&anna, &ben] {
            add(app, &person.access, "SC000003").await;
        }
        let battery = app.battery("SC000003");
        battery.perform_pattern().await;
        // One of them claims again; the other has given up and performs the pattern again.
        add(app, &ben.access, "SC000003").await;
        battery.perform_pattern().await;
        assert_eq!(serials(app, &ben).await, ["SC000002"]);
        let claims = get(app, &ben, "/api/auth/usr_sn/claims/").await;
        assert_eq!(claims[0]["status"], "contested");
        app.clock.advance(DAY + HOUR);
        app.store.purge_claims(app.clock.now()).await.unwrap();
        let ben = app.log_in(&ben.email, false).await;
        assert_eq!(get(app, &ben, "/api/auth/usr_sn/claims/").await, json!([]));
        add(app, &ben.access, "SC000003").await;
        battery.perform_pattern().await;
        assert_eq!(serials(app, &ben).await, ["SC000002", "SC000003"]);
    }
);
