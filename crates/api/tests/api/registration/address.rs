//! Registration does not reveal who has an account, but the account's owner is notified of every attempt.
use super::{codes, register, wrong};
use domain::Lang;
use testkit::with_app;

with_app!(
    that_an_address_is_taken_is_told_only_to_somebody_with_a_valid_code,
    |app| {
        app.owner("anna", "SC000001").await;
        let sn = app.device("SC000002").await;
        let code = app.code(&[&sn]).await;
        let answer = register(app, &app.owner_form("anna@example.com", &code))
            .await
            .expect(400);
        assert_eq!(codes(&answer), wrong("email", "email_taken"));
        // The attempt did not use up the code.
        register(app, &app.owner_form("ben@example.com", &code))
            .await
            .expect(201);
    }
);

with_app!(
    somebody_with_a_wrong_code_does_not_learn_that_an_address_is_taken,
    |app| {
        app.owner("anna", "SC000001").await;
        let guess = "ABCDE-FGHJK-MNPQR-STVWX";
        let known = register(app, &app.owner_form("anna@example.com", guess)).await;
        let unknown = register(app, &app.owner_form("nobody@example.com", guess)).await;
        assert_eq!(known.status, unknown.status);
        assert_eq!(known.text, unknown.text);
    }
);

with_app!(
    without_a_code_a_taken_address_gets_the_same_answer_and_its_owner_a_mail,
    |app| {
        app.owner("anna", "SC000001").await;
        app.device("SC000002").await;
        let known = register(app, &app.owner_form("anna@example.com", "SC000002"))
            .await
            .expect(202);
        let unknown = register(app, &app.owner_form("nobody@example.com", "SC000002"))
            .await
            .expect(202);
        assert_eq!(known.text, unknown.text);
        let mails = app.sent_mails().await;
        let last = mails
            .iter()
            .rev()
            .find(|mail| mail.to == "anna@example.com")
            .unwrap();
        assert_eq!(
            last.subject,
            domain::message::text(Lang::De, "mail", "exists_subject")
        );
        assert!(!last.text.contains("#confirm="), "{}", last.text);
    }
);

with_app!(upper_and_lower_case_are_one_mailbox, |app| {
    app.owner("anna", "SC000001").await;
    let sn = app.device("SC000002").await;
    let code = app.code(&[&sn]).await;
    let answer = register(app, &app.owner_form(" ANNA@Example.com ", &code))
        .await
        .expect(400);
    assert_eq!(codes(&answer), wrong("email", "email_taken"));
});

with_app!(
    a_mailbox_gets_at_most_three_mails_an_hour_and_nobody_is_told,
    |app| {
        app.device("SC000001").await;
        let form = app.owner_form("anna@example.com", "SC000001");
        let mut texts = Vec::new();
        for n in 0..5 {
            let call = app.post("/api/auth/register/", &form);
            let answer = call.from(&format!("10.1.1.{n}")).send().await.expect(202);
            texts.push(answer.text);
        }
        texts.dedup();
        assert_eq!(texts.len(), 1);
        assert_eq!(app.sent_mails().await.len(), 3);
    }
);
