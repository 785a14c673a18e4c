//! The end of a commissioning: the customer gets a code from the electrician, and the protocol by a mailed link.
#![allow(clippy::unwrap_used)]
use crate::commissioning::{installer, text_of};
use serde_json::Value;
use testkit::{Person, TestApp, TestResponse, fixtures::own_address, with_app};

const SN: &str = "SC000001";
const DAY: i64 = 86_400_000;

async fn at_protocol(
    app: &TestApp,
    person: &Person,
    method: &str,
    path: String,
    fields: &[(&str, &str)],
) -> TestResponse {
    let call = app.call(method, &format!("/api/auth/commissioning/protocol/{path}/"));
    let call = match method {
        "POST" => call.form(fields),
        _ => call,
    };
    call.bearer(&person.access).send().await
}

async fn issue(app: &TestApp, person: &Person, id: i64) -> TestResponse {
    at_protocol(app, person, "POST", format!("{id}/customer_code"), &[]).await
}

/// A code for the customer of this protocol.
async fn issued(app: &TestApp, person: &Person, id: i64) -> String {
    let shown = issue(app, person, id).await.expect(201).json();
    shown["code"].as_str().unwrap().to_owned()
}

async fn hand_over(app: &TestApp, person: &Person, id: i64) -> Value {
    let page = at_protocol(app, person, "GET", id.to_string(), &[]).await;
    page.expect(200).json()["hand_over"].clone()
}

async fn register(app: &TestApp, name: &str, key: &str) -> TestResponse {
    let email = format!("{name}@example.com");
    let form = app.owner_form(&email, key);
    let register = app.post("/api/auth/register/", &form);
    register.from(&own_address(name)).send().await
}

async fn expect_refused(app: &TestApp, name: &str, key: &str, why: &str) {
    let refused = register(app, name, key).await.expect(400).json();
    assert_eq!(refused["codes"]["sn1"][0], why, "{refused}");
}

/// The text of the newest mail to an address with these words in its subject.
async fn mail_about(app: &TestApp, to: &str, subject: &str) -> String {
    let mails = app.sent_mails().await;
    let mut newest = mails.iter().rev();
    let about = newest.find(|mail| mail.to == to && mail.subject.contains(subject));
    let subjects: Vec<_> = mails.iter().map(|mail| (&mail.to, &mail.subject)).collect();
    let about = about.unwrap_or_else(|| panic!("nothing about {subject} in {subjects:?}"));
    about.text.clone()
}

with_app!(
    the_customer_becomes_the_owner_by_the_electricians_code,
    |app| {
        let eva = installer(app, "eva", &[SN]).await;
        let id = app.commission(&eva, &app.battery(SN)).await;
        let before = hand_over(app, &eva, id).await;
        assert_eq!(
            (&before["owned"], &before["code_until"]),
            (&false.into(), &Value::Null)
        );
        let lost = issued(app, &eva, id).await;
        let shown = issue(app, &eva, id).await.expect(201).json();
        let code = shown["code"].as_str().unwrap();
        assert_eq!(
            shown["link"],
            format!("{}/register#key={code}", app.portal.config.public_url)
        );
        assert!(shown["qr"]["size"].as_u64().unwrap() > 20);
        let until = shown["until"].as_i64().unwrap();
        let left = until - app.clock.now();
        assert!((29 * DAY..=30 * DAY).contains(&left), "{left}");
        assert_eq!(hand_over(app, &eva, id).await["code_until"], until);
        // A new code replaces the one before.
        expect_refused(app, "ben", &lost, "code_unknown").await;

        // On paper: the protocol itself stays as it is.
        let print = [("code", code)];
        let paper = at_protocol(app, &eva, "POST", format!("{id}/pdf"), &print).await;
        let paper = text_of(&paper.expect(200).bytes);
        assert!(paper.contains(code) && paper.contains("ADL400"), "{paper}");
        let plain = at_protocol(app, &eva, "GET", format!("{id}/pdf"), &[]).await;
        assert!(!text_of(&plain.expect(200).bytes).contains(code));
        let print = [("code", lost.as_str())];
        let wrong = at_protocol(app, &eva, "POST", format!("{id}/pdf"), &print).await;
        assert_eq!(wrong.expect(400).json()["codes"]["code"][0], "code_unknown");

        // By mail, to an address that the customer names.
        let nobody = [("email", ""), ("code", code)];
        let nobody = at_protocol(app, &eva, "POST", format!("{id}/mail"), &nobody).await;
        assert_eq!(nobody.expect(400).json()["codes"]["email"][0], "required");
        let anna = [("email", "anna@example.com"), ("code", code)];
        let mailed = at_protocol(app, &eva, "POST", format!("{id}/mail"), &anna).await;
        mailed.expect(204);
        let text = mail_about(app, "anna@example.com", "Ihr Speicher ist bereit").await;
        for wanted in [SN, code, "Elektro Sonnenberg"] {
            assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
        }
        let mailed = app.mailed_token("anna@example.com", "key").await;
        assert_eq!(mailed, code);

        let linked = register(app, "anna", code).await.expect(201).json();
        assert_eq!(linked["keys"][0]["status"], "linked");
        let text = mail_about(app, "anna@example.com", "SC000001-1").await;
        assert!(text.contains(&format!("/protocol/{id}")), "{text}");
        let anna = app.log_in("anna@example.com", false).await;
        let page = at_protocol(app, &anna, "GET", id.to_string(), &[]).await;
        let page = page.expect(200).json();
        assert_eq!(
            (&page["units"][0], &page["hand_over"]),
            (&SN.into(), &Value::Null)
        );
        let after = hand_over(app, &eva, id).await;
        assert_eq!(
            (&after["owned"], &after["code_until"]),
            (&true.into(), &Value::Null)
        );
        // Once; and not while somebody owns the system.
        expect_refused(app, "ben", code, "code_unknown").await;
        let again = issue(app, &eva, id).await.expect(409);
        assert_eq!(again.code(), "already_owned");
        // The code from the box counts for more, as against who came by the main switch.
        let printed = app.code(&[&SN.parse().unwrap()]).await;
        register(app, "ben", &printed).await.expect(201);
        at_protocol(app, &anna, "GET", id.to_string(), &[])
            .await
            .expect(404);
    }
);

with_app!(
    a_customer_code_ends_with_its_time_its_withdrawal_and_the_companys_access,
    |app| {
        let eva = installer(app, "eva", &[SN]).await;
        let id = app.commission(&eva, &app.battery(SN)).await;
        let path = || format!("{id}/customer_code");
        let code = issued(app, &eva, id).await;
        at_protocol(app, &eva, "DELETE", path(), &[])
            .await
            .expect(204);
        expect_refused(app, "ben", &code, "code_unknown").await;
        at_protocol(app, &eva, "DELETE", path(), &[])
            .await
            .expect(404);

        // Everybody in the company who may commission may issue; others may not even ask.
        let max = app.electrician("max").await;
        issue(app, &max, id).await.expect(404);
        let code = issued(app, &eva, id).await;
        let grants = app.get("/api/auth/grant/").bearer(&eva.access);
        let grants = grants.send().await.expect(200).json();
        let grant = grants["held"][0]["id"].to_string();
        let give_up = app.call("DELETE", &format!("/api/auth/grant/{grant}/"));
        give_up.bearer(&eva.access).send().await.expect(204);
        expect_refused(app, "ben", &code, "code_unknown").await;
        issue(app, &eva, id).await.expect(404);

        // With access again, and then too late.
        let again = app.installer_code(&[&SN.parse().unwrap()]).await;
        let again = app.post("/api/auth/grant/code/", &[("code", &again)]);
        again.bearer(&eva.access).send().await.expect(200);
        let code = issued(app, &eva, id).await;
        app.clock.advance(30 * DAY);
        expect_refused(app, "ben", &code, "code_unknown").await;
    }
);

with_app!(
    a_customer_code_displaces_nobody_and_the_owner_is_mailed_instead,
    |app| {
        let eva = installer(app, "eva", &[SN]).await;
        let id = app.commission(&eva, &app.battery(SN)).await;
        let code = issued(app, &eva, id).await;
        let printed = app.code(&[&SN.parse().unwrap()]).await;
        register(app, "anna", &printed).await.expect(201);
        mail_about(app, "anna@example.com", "SC000001-1").await;
        expect_refused(app, "ben", &code, "serial_used").await;
        // To the owner's own address, whatever the electrician names.
        app.clock.advance(60_000);
        let elsewhere = [("email", "eva@example.com"), ("code", code.as_str())];
        let mailed = at_protocol(app, &eva, "POST", format!("{id}/mail"), &elsewhere).await;
        mailed.expect(204);
        let mails = app.sent_mails().await;
        let about = mails
            .iter()
            .filter(|mail| mail.subject.contains("SC000001-1"));
        let to: Vec<&str> = about.map(|mail| mail.to.as_str()).collect();
        assert_eq!(to, ["anna@example.com"; 2]);
        // Commissioned again, the owner is told by itself.
        let anna = app.log_in("anna@example.com", false).await;
        app.grant(&anna, &eva, SN, "service").await;
        let second = app.commission(&eva, &app.battery(SN)).await;
        let text = mail_about(app, "anna@example.com", "SC000001-2").await;
        assert!(text.contains(&format!("/protocol/{second}")), "{text}");
    }
);
