//! A company of electricians has people: they join by a mailed link, do what their role allows, and are out at once.
#![allow(clippy::unwrap_used)]
use domain::clock::DAY;
use std::time::Duration;
use testkit::{PASSWORD, Person, TestApp, TestResponse, on_both, with_app};

const SN: &str = "SC000001";

async fn company(app: &TestApp, owner: &Person) -> serde_json::Value {
    let answer = app.get("/api/auth/company/").bearer(&owner.access);
    answer.send().await.expect(200).json()
}

async fn member_id(app: &TestApp, person: &Person) -> i64 {
    app.account_id(&person.email).await.0
}

async fn remove(app: &TestApp, owner: &Person, member: &Person) -> TestResponse {
    let id = member_id(app, member).await;
    let call = app.call("DELETE", &format!("/api/auth/company/member/{id}/"));
    let call = call.form(&[("password", PASSWORD)]);
    call.bearer(&owner.access).send().await
}

async fn set_role(app: &TestApp, owner: &Person, member: &Person, role: &str) -> TestResponse {
    let id = member_id(app, member).await;
    let call = app.call("PATCH", &format!("/api/auth/company/member/{id}/"));
    let call = call.form(&[("role", role), ("password", PASSWORD)]);
    call.bearer(&owner.access).send().await
}

async fn systems(app: &TestApp, person: &Person) -> usize {
    let list = app.get("/api/auth/usr_sn/").bearer(&person.access);
    let list = list.send().await.expect(200).json();
    list.as_array().unwrap().len()
}

async fn accept(app: &TestApp, token: &str) -> TestResponse {
    let form = TestApp::joining_form(token, "Eva Muster");
    let call = app.post("/api/auth/company/invitation/accept/", &form);
    call.send().await
}

async fn open(app: &TestApp, token: &str) -> TestResponse {
    let path = "/api/auth/company/invitation/open/";
    app.post(path, &[("token", token)]).send().await
}

on_both!(who_joins_works_with_what_the_company_was_given, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", SN).await;
    let boss = app.electrician("boss").await;
    app.grant(&anna, &boss, SN, "service").await;
    let tech = app.colleague(&boss, "tina", "technician").await;
    let office = app.colleague(&boss, "olga", "office").await;
    for person in [&boss, &tech, &office] {
        assert_eq!(systems(&app, person).await, 1);
    }
    let shown = company(&app, &boss).await;
    assert_eq!(shown["name"], "Elektro Sonnenberg");
    assert_eq!(shown["members"][0]["you"], true);
    assert_eq!(shown["members"][1]["name"], "tina Muster");
    assert_eq!(shown["members"][1]["role"], "technician");
    assert_eq!(shown["invitations"], serde_json::json!([]));
    let account = app.get("/api/auth/account/").bearer(&tech.access);
    let account = account.send().await.expect(200).json();
    assert_eq!(account["company_role"], "technician");
    assert_eq!(account["name"], "tina Muster");
    // A request belongs to the company, whichever member has sent it.
    app.device("SC000002").await;
    app.post("/api/auth/grant/request/", &[("sn", "SC000002")])
        .bearer(&office.access)
        .send()
        .await
        .expect(202);
    let held = app.get("/api/auth/grant/").bearer(&boss.access);
    let held = held.send().await.expect(200).text;
    assert!(held.contains("SC000002"), "{held}");
    // An invitation to one of them is for those who look after grants.
    let fields = [
        ("sn", SN),
        ("email", tech.email.as_str()),
        ("scope", "configure"),
        ("password", PASSWORD),
    ];
    let invited = app.post("/api/auth/grant/", &fields).bearer(&anna.access);
    let invited = invited.send().await.expect(201).json();
    let path = format!("/api/auth/grant/{}/accept/", invited["grants"][0]["id"]);
    let accepted = app.post(&path, &[]).bearer(&office.access);
    accepted.send().await.expect(200);
    for person in [&boss, &tech, &office] {
        assert_eq!(systems(&app, person).await, 1);
    }
    app.stop().await;
});

with_app!(
    the_journal_names_person_and_company_also_after_the_removal,
    |app| {
        let anna = app.owner("anna", SN).await;
        let boss = app.electrician("boss").await;
        app.grant(&anna, &boss, SN, "service").await;
        let tech = app.colleague(&boss, "tina", "technician").await;
        let change = [("version", "0"), ("reserve_soc", "35")];
        let saved = app.post(&format!("/api/auth/settings/?sn={SN}"), &change);
        saved.bearer(&tech.access).send().await.expect(200);
        let named = async || {
            let lines = app.get(&format!("/api/auth/journal/?sn={SN}"));
            let lines = lines.bearer(&anna.access).send().await.expect(200).text;
            lines.contains("tina Muster (Elektro Sonnenberg)")
        };
        assert!(named().await);
        // Colleagues read what was done for the company.
        let lines = app.get(&format!("/api/auth/journal/?sn={SN}"));
        let lines = lines.bearer(&boss.access).send().await.expect(200).text;
        assert!(lines.contains("tina Muster"), "{lines}");
        remove(app, &boss, &tech).await.expect(204);
        assert!(named().await);
        // The person's own deletion takes the name, not the company's.
        let again = app.log_in(&tech.email, true).await;
        let gone = app
            .call("DELETE", "/api/auth/account/")
            .form(&[("password", PASSWORD)]);
        gone.bearer(&again.access).send().await.expect(204);
        let lines = app.get(&format!("/api/auth/journal/?sn={SN}"));
        let lines = lines.bearer(&anna.access).send().await.expect(200).text;
        assert!(!lines.contains("tina Muster") && lines.contains("Elektro Sonnenberg"));
    }
);

on_both!(who_is_removed_is_out_at_once, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", SN).await;
    let boss = app.electrician("boss").await;
    app.grant(&anna, &boss, SN, "service").await;
    let tech = app.colleague(&boss, "tina", "technician").await;
    let stream = app.get("/api/auth/stream/").bearer(&tech.access);
    let mut flow = stream.open().await;
    assert!(flow.event().await.unwrap().contains(SN));
    remove(&app, &boss, &tech).await.expect(204);
    let refused = app.get("/api/auth/usr_sn/").bearer(&tech.access);
    refused.send().await.expect(401);
    app.post("/api/auth/token/refresh/", &[("refresh", &tech.refresh)])
        .send()
        .await
        .expect(401);
    let over = async { while flow.event().await.is_some() {} };
    tokio::time::timeout(Duration::from_secs(5), over)
        .await
        .expect("the end of the stream");
    // The account is a company of its own: the person's data are theirs, the company's are not.
    let again = app.log_in(&tech.email, true).await;
    assert_eq!(systems(&app, &again).await, 0);
    let export = app.get("/api/auth/account/export/").bearer(&again.access);
    let export = export.send().await.expect(200).json();
    assert_eq!(export["grants"], serde_json::json!([]));
    assert_eq!(export["companies"][0]["name"], "tina Muster");
    let mails = app.sent_mails().await;
    let told = mails
        .iter()
        .any(|mail| mail.to == tech.email && mail.text.contains("Elektro Sonnenberg"));
    assert!(told);
    assert_eq!(systems(&app, &boss).await, 1);
    app.stop().await;
});

with_app!(
    a_link_works_once_for_seven_days_and_until_it_is_withdrawn,
    |app| {
        let boss = app.electrician("boss").await;
        let token = app
            .invite_colleague(&boss, "eva@example.com", "office")
            .await;
        let opened = open(app, &token).await.expect(200).json();
        assert_eq!(opened["company"], "Elektro Sonnenberg");
        assert_eq!(opened["email"], "eva@example.com");
        assert_eq!(opened["role"], "office");
        assert_eq!(opened["has_account"], false);
        accept(app, &token).await.expect(201);
        assert_eq!(accept(app, &token).await.expect(400).code(), "link_invalid");
        app.log_in("eva@example.com", true).await;

        let token = app
            .invite_colleague(&boss, "tom@example.com", "office")
            .await;
        let newer = app
            .invite_colleague(&boss, "tom@example.com", "technician")
            .await;
        assert_eq!(open(app, &token).await.expect(400).code(), "link_invalid");
        assert_eq!(
            open(app, &newer).await.expect(200).json()["role"],
            "technician"
        );
        let waiting = company(app, &boss).await;
        let path = format!(
            "/api/auth/company/invitation/{}/",
            waiting["invitations"][0]["id"]
        );
        let withdrawn = app.call("DELETE", &path).bearer(&boss.access);
        withdrawn.send().await.expect(204);
        assert_eq!(accept(app, &newer).await.expect(400).code(), "link_invalid");

        let token = app
            .invite_colleague(&boss, "kai@example.com", "office")
            .await;
        app.clock.advance(7 * DAY);
        assert_eq!(accept(app, &token).await.expect(400).code(), "link_invalid");
    }
);

with_app!(
    an_address_with_an_account_cannot_join_and_only_its_mailbox_learns_it,
    |app| {
        let boss = app.electrician("boss").await;
        let other = app.electrician("other").await;
        let invite = async |email: &str| {
            let fields = [("email", email), ("role", "office"), ("password", PASSWORD)];
            let call = app.post("/api/auth/company/invitation/", &fields);
            let mut answer = call.bearer(&boss.access).send().await.expect(201).json();
            let list = answer["invitations"].as_array_mut().unwrap();
            let mut first = list.remove(0);
            first["id"].take();
            first["email"].take();
            first
        };
        assert_eq!(
            invite(&other.email).await,
            invite("nobody@example.com").await
        );
        let token = app.mailed_token(&other.email, "token").await;
        assert_eq!(
            open(app, &token).await.expect(200).json()["has_account"],
            true
        );
        let refused = accept(app, &token).await.expect(409);
        assert_eq!(refused.code(), "company_address_taken");
        assert_eq!(systems(app, &other).await, 0);
    }
);

on_both!(one_owner_stays, |db| {
    let app = TestApp::start(db).await;
    let boss = app.electrician("boss").await;
    let last = "company_last_owner";
    let refused = set_role(&app, &boss, &boss, "office").await.expect(409);
    assert_eq!(refused.code(), last);
    assert_eq!(remove(&app, &boss, &boss).await.expect(409).code(), last);
    let partner = app.colleague(&boss, "petra", "owner").await;
    // Both at the same moment: one of them decides.
    let (one, other) = tokio::join!(
        set_role(&app, &boss, &partner, "technician"),
        set_role(&app, &partner, &boss, "technician")
    );
    let done = [one, other].iter().filter(|it| it.status == 204).count();
    assert_eq!(done, 1);
    let owners = "SELECT count(*) FROM accounts WHERE company_role = 'owner'";
    assert_eq!(db.count(owners).await, 1);
    app.stop().await;
});

with_app!(
    a_role_and_a_removal_need_the_password_and_change_what_one_may_at_once,
    |app| {
        let boss = app.electrician("boss").await;
        let eva = app.colleague(&boss, "eva", "owner").await;
        let petra = app.colleague(&boss, "petra", "owner").await;
        let id = member_id(app, &eva).await;
        for method in ["PATCH", "DELETE"] {
            let call = app.call(method, &format!("/api/auth/company/member/{id}/"));
            let refused = call.form(&[("role", "office")]).bearer(&boss.access);
            assert_eq!(refused.send().await.expect(400).code(), "password:required");
        }
        company(app, &eva).await;
        let token = app
            .invite_colleague(&eva, "accomplice@example.com", "owner")
            .await;
        let before = app.sent_mails().await.len();
        set_role(app, &boss, &eva, "technician").await.expect(204);
        // The person hears of it, and whoever else decides about the company.
        let mails = app.sent_mails().await.split_off(before);
        let told: Vec<_> = mails.iter().map(|it| (&*it.to, &*it.subject)).collect();
        let eva_hears = "Ihre Aufgabe im Betrieb hat sich geändert";
        let petra_hears = "Die Inhaber Ihres Betriebs haben sich geändert";
        assert_eq!(
            told,
            [(&*eva.email, eva_hears), (&*petra.email, petra_hears)]
        );
        assert!(
            mails[1].text.contains("eva Muster ist jetzt: Techniker"),
            "{}",
            mails[1].text
        );
        let company = app.get("/api/auth/company/").bearer(&eva.access);
        let refused = company.send().await.expect(403);
        assert_eq!(refused.code(), "company_role_too_small");
        let rename = app.call("PATCH", "/api/auth/account/");
        let rename = rename.form(&[("company", "Evas GmbH")]).bearer(&eva.access);
        rename.send().await.expect(403);
        // What an owner has invited does not outlast the role.
        assert_eq!(accept(app, &token).await.expect(400).code(), "link_invalid");
        // A member of another company is unknown.
        let stranger = app.electrician("stranger").await;
        remove(app, &stranger, &eva).await.expect(404);
        set_role(app, &stranger, &eva, "owner").await.expect(404);
    }
);

with_app!(the_office_is_refused_because_of_its_role, |app| {
    let anna = app.owner("anna", SN).await;
    let boss = app.electrician("boss").await;
    let grant = app.grant(&anna, &boss, SN, "service").await;
    let office = app.colleague(&boss, "olga", "office").await;
    let refused = async || {
        let fields = [("sn", SN), ("command", "auto"), ("key", "key-of-olga")];
        let call = app.post("/api/auth/command/", &fields);
        let answer = call.bearer(&office.access).send().await;
        answer.expect(403).code().to_owned()
    };
    assert_eq!(refused().await, "company_role_too_small");
    let fields = [("scope", "configure")];
    let less = app.call("PATCH", &format!("/api/auth/grant/{grant}/"));
    let less = less.form(&fields).bearer(&anna.access);
    less.send().await.expect(200);
    assert_eq!(refused().await, "scope_too_small");
});

on_both!(
    the_company_ends_with_its_last_owner_and_not_with_a_member,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", SN).await;
        let boss = app.electrician("boss").await;
        app.grant(&anna, &boss, SN, "service").await;
        let tech = app.colleague(&boss, "tina", "technician").await;
        let petra = app.colleague(&boss, "petra", "owner").await;
        let delete = async |person: &Person| {
            let call = app.call("DELETE", "/api/auth/account/");
            let call = call.form(&[("password", PASSWORD)]).bearer(&person.access);
            call.send().await.expect(204);
        };
        // Its founder is an owner like others.
        delete(&boss).await;
        assert_eq!(systems(&app, &tech).await, 1);
        delete(&petra).await;
        let out = app.get("/api/auth/usr_sn/").bearer(&tech.access);
        out.send().await.expect(401);
        let again = app.log_in(&tech.email, true).await;
        assert_eq!(systems(&app, &again).await, 0);
        assert_eq!(db.count("SELECT count(*) FROM grants").await, 0);
        let companies = db.count("SELECT count(*) FROM companies").await;
        assert_eq!(companies, 1);
        app.stop().await;
    }
);

with_app!(mails_about_grants_go_to_those_who_look_after_them, |app| {
    let anna = app.owner("anna", SN).await;
    let boss = app.electrician("boss").await;
    let id = app.grant(&anna, &boss, SN, "service").await;
    let tech = app.colleague(&boss, "tina", "technician").await;
    let office = app.colleague(&boss, "olga", "office").await;
    let before = app.sent_mails().await.len();
    let ended = app.call("DELETE", &format!("/api/auth/grant/{id}/"));
    ended.bearer(&anna.access).send().await.expect(204);
    let mails = app.sent_mails().await.split_off(before);
    let mut told: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, [boss.email.as_str(), office.email.as_str()]);
    assert_eq!(systems(app, &tech).await, 0);
});

with_app!(
    a_stranger_gets_ten_invitations_an_hour_whoever_invites,
    |app| {
        let invite = async |by: &Person, email: &str| {
            let fields = [("email", email), ("role", "office"), ("password", PASSWORD)];
            let call = app.post("/api/auth/company/invitation/", &fields);
            call.bearer(&by.access).send().await
        };
        let (boss, other) = (
            app.electrician("boss").await,
            app.electrician("other").await,
        );
        for _ in 0..5 {
            invite(&boss, "ziel@example.com").await.expect(201);
            invite(&other, "ziel@example.com").await.expect(201);
        }
        let refused = invite(&other, "Ziel@example.com").await.expect(429);
        assert_eq!(refused.code(), "too_many_attempts");
        invite(&other, "kollege@example.com").await.expect(201);
    }
);
