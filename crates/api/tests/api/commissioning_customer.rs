//! A commissioning is for one customer: whose units it accepts, whose name it writes, and what remains when it is abandoned.
use crate::commissioning::{installer, step};
use serde_json::{Value, json};
use testkit::{Person, TestApp, TestResponse, on_both, with_app};

async fn begin(app: &TestApp, person: &Person, sn: &str) -> TestResponse {
    let begin = app.post("/api/auth/commissioning/", &[("sn", sn)]);
    begin.bearer(&person.access).send().await
}

async fn drop_it(app: &TestApp, person: &Person, id: i64) {
    let drop = app.call("DELETE", &format!("/api/auth/commissioning/{id}/"));
    drop.bearer(&person.access).send().await.expect(204);
}

async fn grant_of(app: &TestApp, owner: &Person, electrician: &Person) -> i64 {
    let grants = app.get("/api/auth/grant/").bearer(&owner.access);
    let grants = grants.send().await.expect(200).json();
    let mut given = grants["given"].as_array().unwrap().iter();
    let theirs = given.find(|grant| grant["email"] == electrician.email.as_str());
    theirs.unwrap()["id"].as_i64().unwrap()
}

async fn end_grant(app: &TestApp, owner: &Person, electrician: &Person) {
    let id = grant_of(app, owner, electrician).await;
    let end = app.call("DELETE", &format!("/api/auth/grant/{id}/"));
    end.bearer(&owner.access).send().await.expect(204);
}

async fn candidates(app: &TestApp, person: &Person, sn: &str) -> Value {
    let open = app.get(&format!("/api/auth/commissioning/?sn={sn}"));
    let open = open.bearer(&person.access).send().await.expect(200);
    open.json()["candidates"].clone()
}

/// "Anna Berg", as the owner or an electrician sees it.
async fn name(app: &TestApp, person: &Person, sn: &str) -> String {
    let systems = app.get("/api/auth/usr_sn/").bearer(&person.access);
    let systems = systems.send().await.expect(200).json();
    let mut systems = systems.as_array().unwrap().iter();
    let system = systems.find(|system| system["sn"] == sn).unwrap();
    let part = |name: &str| system[name].as_str().unwrap_or("nobody").to_owned();
    format!("{} {}", part("first_name"), part("last_name"))
}

async fn rename(app: &TestApp, person: &Person, sn: &str, first_name: &str, last_name: &str) {
    app.call("PATCH", &format!("/api/auth/system/{sn}/"))
        .form(&[("first_name", first_name), ("last_name", last_name)])
        .bearer(&person.access)
        .send()
        .await
        .expect(204);
}

fn customer<'a>(first_name: &'a str, last_name: &'a str) -> [(&'a str, &'a str); 4] {
    [
        ("step", "customer"),
        ("first_name", first_name),
        ("last_name", last_name),
        ("place", "Lindenweg 7, Potsdam"),
    ]
}

async fn register(app: &TestApp, name: &str, sn: &str) -> Person {
    let code = app.code(&[&sn.parse().unwrap()]).await;
    let email = format!("{name}@example.com");
    let form = app.owner_form(&email, &code);
    let register = app.post("/api/auth/register/", &form);
    let register = register.from(&testkit::fixtures::own_address(name));
    register.send().await.expect(201);
    app.log_in(&email, false).await
}

/// The mails about names to a person, oldest first.
async fn mails(app: &TestApp, person: &Person) -> Vec<String> {
    let mails = app.sent_mails().await.into_iter();
    let theirs = mails.filter(|mail| mail.to == person.email && mail.subject.contains("Namen"));
    theirs.map(|mail| mail.text).collect()
}

async fn newest_line(app: &TestApp, person: &Person, event: &str) -> String {
    let journal = app.get("/api/auth/journal/").bearer(&person.access);
    let journal = journal.send().await.expect(200).json();
    let mut lines = journal["lines"].as_array().unwrap().iter();
    let line = lines.find(|line| line["event"] == event).unwrap();
    line["text"].as_str().unwrap().to_owned()
}

with_app!(
    units_of_two_customers_are_not_commissioned_together,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let ben = app.owner("ben", "SC000002").await;
        let eva = installer(app, "eva", &["SC000003", "SC000005"]).await;
        let second = app.device("SC000004").await;
        let key = app.code(&[&second]).await;
        let add = app.post("/api/auth/usr_sn/", &[("keys", &key)]);
        add.bearer(&anna.access).send().await.expect(200);
        rename(app, &anna, "SC000004", "Anna", "Berg").await;
        for (owner, sn) in [(&anna, "SC000001"), (&anna, "SC000004"), (&ben, "SC000002")] {
            app.grant(owner, &eva, sn, "service").await;
        }
        for units in ["SC000001,SC000002", "SC000001,SC000003"] {
            let refused = begin(app, &eva, units).await.expect(409);
            assert_eq!(refused.code(), "owners_differ", "{units}");
        }
        let of_anna = json!([{
            "sn": "SC000004", "phase": 1, "first_name": "Anna", "last_name": "Berg", "place": "",
        }]);
        assert_eq!(candidates(app, &eva, "SC000001").await, of_anna);
        assert_eq!(candidates(app, &eva, "SC000002").await, json!([]));
        let free = candidates(app, &eva, "SC000003").await;
        assert_eq!(free[0]["sn"], "SC000005");
        assert_eq!(free.as_array().unwrap().len(), 1);
        begin(app, &eva, "SC000001,SC000004").await.expect(201);
    }
);

with_app!(
    units_without_an_owner_go_together_only_by_the_same_installer_code,
    |app| {
        let eva = installer(app, "eva", &["SC000001", "SC000002"]).await;
        let other = app.device("SC000003").await;
        let code = app.installer_code(&[&other]).await;
        let redeem = app.post("/api/auth/grant/code/", &[("code", &code)]);
        redeem.bearer(&eva.access).send().await.expect(200);
        let offered = candidates(app, &eva, "SC000001").await;
        assert_eq!(offered[0]["sn"], "SC000002");
        assert_eq!(offered.as_array().unwrap().len(), 1);
        assert_eq!(candidates(app, &eva, "SC000003").await, json!([]));
        let refused = begin(app, &eva, "SC000001,SC000003").await.expect(409);
        assert_eq!(refused.code(), "owners_differ");
        begin(app, &eva, "SC000003").await.expect(201);
        begin(app, &eva, "SC000001,SC000002").await.expect(201);
    }
);

with_app!(
    nobody_is_named_and_nothing_is_finished_once_the_units_have_two_owners,
    |app| {
        let eva = installer(app, "eva", &["SC000001", "SC000002"]).await;
        let begun = begin(app, &eva, "SC000001,SC000002").await.expect(201);
        let id = begun.json()["id"].as_i64().unwrap();
        app.step(&eva, id, &customer("Thomas", "Sonntag")).await;
        assert_eq!(name(app, &eva, "SC000002").await, "Thomas Sonntag");
        let ben = register(app, "ben", "SC000002").await;
        let entry = app.step(&eva, id, &customer("Felix", "Kraus")).await;
        for name in ["units", "customer"] {
            assert_eq!(step(&entry, name)["reason"], "owners_differ");
        }
        assert_eq!(name(app, &ben, "SC000002").await, "Thomas Sonntag");
        let refused = app.finish(&eva, id).await.expect(409).json();
        assert_eq!(refused["open"][0]["reason"], "owners_differ");
        // What was entered while both units belonged to one customer is removed with it.
        drop_it(app, &eva, id).await;
        assert_eq!(name(app, &ben, "SC000002").await, "nobody nobody");
        assert_eq!(name(app, &eva, "SC000001").await, "nobody nobody");
    }
);

with_app!(
    a_name_that_a_commissioning_changed_is_mailed_and_set_back_when_it_is_abandoned,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        rename(app, &anna, "SC000001", "Anna", "Berg").await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, "SC000001", "service").await;
        let id = app.begin_commissioning(&eva, "SC000001").await;
        app.step(&eva, id, &customer("Anna", "Berg")).await;
        assert_eq!(mails(app, &anna).await, [""; 0], "the same name");
        app.step(&eva, id, &customer("Thomas", "Sontag")).await;
        app.step(&eva, id, &customer("Thomas", "Sonntag")).await;
        let sent = mails(app, &anna).await;
        assert!(sent[0].contains("SC000001: Anna Berg → Thomas Sontag"));
        assert!(sent[0].contains("Elektro Sonnenberg"), "{}", sent[0]);
        assert_eq!(sent.len(), 2);
        assert_eq!(
            newest_line(app, &anna, "end_user_named").await,
            "Der Name zu diesem Speicher wurde von „Thomas Sontag“ auf „Thomas Sonntag“ geändert."
        );
        drop_it(app, &eva, id).await;
        assert_eq!(name(app, &anna, "SC000001").await, "Anna Berg");
        assert!(mails(app, &anna).await[2].contains("Thomas Sonntag → Anna Berg"));
        // Her own changes in the meantime stay.
        app.clock.advance(1_000);
        let id = app.begin_commissioning(&eva, "SC000001").await;
        app.step(&eva, id, &customer("Thomas", "Sonntag")).await;
        rename(app, &anna, "SC000001", "Anna", "Neu").await;
        drop_it(app, &eva, id).await;
        assert_eq!(name(app, &anna, "SC000001").await, "Anna Neu");
        assert_eq!(mails(app, &anna).await.len(), 4, "her own is no news");
    }
);

with_app!(
    a_commissioning_that_nobody_can_go_on_with_is_abandoned,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        rename(app, &anna, "SC000001", "Anna", "Berg").await;
        let (eva, jan) = (app.electrician("eva").await, app.electrician("jan").await);
        for electrician in [&eva, &jan] {
            app.grant(&anna, electrician, "SC000001", "service").await;
        }
        let id = app.begin_commissioning(&eva, "SC000001").await;
        app.step(&eva, id, &customer("Thomas", "Sonntag")).await;
        end_grant(app, &anna, &eva).await;
        assert_eq!(name(app, &anna, "SC000001").await, "Thomas Sonntag");
        assert!(candidates(app, &jan, "SC000001").await.is_array());
        // Her colleague was the last who could go on with it.
        let less = [("scope", "configure")];
        let grant = grant_of(app, &anna, &jan).await;
        let change = app.call("PATCH", &format!("/api/auth/grant/{grant}/"));
        let change = change.form(&less).bearer(&anna.access);
        change.send().await.expect(200);
        assert_eq!(name(app, &anna, "SC000001").await, "Anna Berg");
        assert_eq!(
            newest_line(app, &anna, "commissioning_dropped").await,
            "Eine Inbetriebnahme wurde abgebrochen."
        );
        app.grant(&anna, &eva, "SC000001", "service").await;
        app.begin_commissioning(&eva, "SC000001").await;
    }
);

with_app!(
    an_owner_hears_of_a_name_that_an_electrician_changes,
    |app| {
        let anna = app.owner("anna", "SC000001").await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, "SC000001", "configure").await;
        rename(app, &eva, "SC000001", "Anna", "Berg").await;
        let sent = mails(app, &anna).await;
        assert!(sent[0].contains("SC000001: – → Anna Berg"), "{}", sent[0]);
        rename(app, &eva, "SC000001", "Anna", "Berg").await;
        assert_eq!(mails(app, &anna).await.len(), 1, "nothing changed");
        assert_eq!(
            newest_line(app, &anna, "end_user_named").await,
            "Der Name zu diesem Speicher wurde von „–“ auf „Anna Berg“ geändert."
        );
        // The same applies to the site; the journal reveals no more than that it changed.
        for person in [&eva, &anna] {
            let place = [("place", person.email.split('@').next().unwrap())];
            app.call("PATCH", "/api/auth/system/SC000001/")
                .form(&place)
                .bearer(&person.access)
                .send()
                .await
                .expect(204);
        }
        let mails = app.sent_mails().await.into_iter();
        let of_site = mails.filter(|mail| mail.subject.contains("Standort"));
        let of_site: Vec<String> = of_site.map(|mail| mail.to).collect();
        assert_eq!(of_site, [anna.email.as_str()], "hers is no news to her");
        // The journal's entries about names are removed with the household.
        let unlink = app.call("DELETE", "/api/auth/usr_sn/SC000001/");
        let unlink = unlink.form(&[("password", testkit::PASSWORD)]);
        unlink.bearer(&anna.access).send().await.expect(204);
        let line = app.get("/api/auth/journal/?sn=-1").bearer(&anna.access);
        assert!(!line.send().await.text.contains("Anna Berg"));
    }
);

on_both!(
    a_protocol_that_two_households_read_names_no_customer,
    |db| {
        let started = TestApp::start(db).await;
        let app = &started;
        let eva = installer(app, "eva", &["SC000001", "SC000002"]).await;
        let id = app.commission(&eva, &app.battery("SC000001")).await;
        // As if the protocol covered both units, from before either had an owner.
        let unit = format!(
            "INSERT INTO commissioning_units (commissioning_id, sn, finished_at) VALUES ({id}, 'SC000002', 1)"
        );
        db.execute(&unit).await;
        let anna = register(app, "anna", "SC000001").await;
        let path = format!("/api/auth/commissioning/protocol/{id}/");
        let read = async |person: &Person| {
            let page = app.get(&path).bearer(&person.access);
            page.send().await.expect(200).text
        };
        assert!(read(&anna).await.contains("Łukasz"));
        let ben = register(app, "ben", "SC000002").await;
        for person in [&anna, &ben] {
            assert!(!read(person).await.contains("Łukasz"));
        }
        started.stop().await;
    }
);
