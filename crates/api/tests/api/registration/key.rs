//! A registration code works at once, and only once; keys cannot be guessed.
use super::{codes, register, with, wrong};
use domain::Lang;
use domain::clock::{HOUR, SECOND};
use serde_json::json;
use testkit::with_app;

with_app!(
    a_registration_code_makes_the_account_at_once_and_links_every_unit_of_the_site,
    |app| {
        let units = [
            app.device("SC000001").await,
            app.device("SC000002").await,
            app.device("SC000003").await,
        ];
        let code = app.code(&units.each_ref()).await;
        let form = app.owner_form("anna@example.com", &code);
        let answer = register(app, &form).await.expect(201).json();
        assert_eq!(answer["confirm"], false);
        assert_eq!(answer["keys"][0]["key"], code);
        assert_eq!(answer["keys"][0]["status"], "linked");
        assert_eq!(
            answer["keys"][0]["sns"],
            json!(["SC000001", "SC000002", "SC000003"])
        );
        let anna = app.log_in("anna@example.com", false).await;
        let systems = app
            .get("/api/auth/usr_sn/")
            .bearer(&anna.access)
            .send()
            .await
            .expect(200)
            .json();
        assert_eq!(systems.as_array().unwrap().len(), 3);
    }
);

with_app!(
    an_account_made_by_a_code_is_welcomed_by_mail_in_its_language,
    |app| {
        let sn = app.device("SC000001").await;
        let code = app.code(&[&sn]).await;
        app.post(
            "/api/auth/register/",
            &app.owner_form("anna@example.com", &code),
        )
        .header("accept-language", "fr-FR,fr;q=0.9")
        .send()
        .await
        .expect(201);
        let mails = app.sent_mails().await;
        assert_eq!(mails.len(), 1);
        assert_eq!(mails[0].to, "anna@example.com");
        assert_eq!(
            mails[0].subject,
            domain::message::text(Lang::Fr, "mail", "welcome_subject")
        );
    }
);

with_app!(a_registration_code_works_once, |app| {
    let sn = app.device("SC000001").await;
    let code = app.code(&[&sn]).await;
    register(app, &app.owner_form("anna@example.com", &code))
        .await
        .expect(201);
    let second = register(app, &app.owner_form("ben@example.com", &code))
        .await
        .expect(400);
    assert_eq!(codes(&second), wrong("sn1", "code_unknown"));
});

with_app!(of_ten_people_with_one_code_at_once_one_gets_in, |app| {
    let sn = app.device("SC000001").await;
    let code = app.code(&[&sn]).await;
    let calls: Vec<_> = (0..10)
        .map(|n| {
            let email = format!("p{n}@example.com");
            let call = app.post("/api/auth/register/", &app.owner_form(&email, &code));
            tokio::spawn(call.from(&format!("10.1.1.{n}")).send())
        })
        .collect();
    let mut statuses = Vec::new();
    for call in calls {
        statuses.push(call.await.unwrap().status.as_u16());
    }
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201, "{statuses:?}");
    assert_eq!(statuses[1..], [400; 9]);
});

with_app!(
    a_code_and_a_serial_number_together_link_the_one_and_wait_for_the_other,
    |app| {
        let sn = app.device("SC000001").await;
        app.device("SC000002").await;
        let code = app.code(&[&sn]).await;
        let form = with(app.owner_form("anna@example.com", &code), "sn2", "SC000002");
        let answer = register(app, &form).await.expect(201).json();
        assert_eq!(answer["keys"][0]["status"], "linked");
        assert_eq!(answer["keys"][1]["status"], "waiting");
    }
);

with_app!(
    one_bad_key_beside_a_good_code_makes_no_account_and_leaves_the_code_unused,
    |app| {
        let sn = app.device("SC000001").await;
        let code = app.code(&[&sn]).await;
        let form = app.owner_form("anna@example.com", &code);
        let answer = register(app, &with(form.clone(), "sn2", "7Q4ZC-0R9TN-XW2MH-5BVKD"))
            .await
            .expect(400);
        assert_eq!(codes(&answer), wrong("sn2", "code_unknown"));
        register(app, &form).await.expect(201);
    }
);

with_app!(ten_keys_an_hour_may_be_tried_from_one_address, |app| {
    let guess = |n: usize| format!("7Q4ZC-0R9TN-XW2MH-5BVK{n}");
    for n in 0..10 {
        let answer = register(app, &app.owner_form("anna@example.com", &guess(n))).await;
        answer.expect(400);
    }
    app.device("SC000001").await;
    let form = app.owner_form("anna@example.com", "SC000001");
    let slow = register(app, &form).await.expect(429);
    assert_eq!(slow.code(), "too_many_attempts");
    let wait: i64 = slow.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=3_601).contains(&wait), "{wait}");
    // No attempt becomes free before the hour is over, not even one by one.
    app.clock.advance(HOUR - SECOND);
    register(app, &form).await.expect(429);
    app.clock.advance(SECOND);
    register(app, &form).await.expect(202);
});

with_app!(every_key_of_a_form_counts_as_a_try, |app| {
    let guesses: Vec<String> = (0..5)
        .map(|n| format!("7Q4ZC-0R9TN-XW2MH-5BVK{n}"))
        .collect();
    for _ in 0..3 {
        let form = app.owner_form("anna@example.com", &guesses[0]);
        let form = with(with(form, "sn2", &guesses[1]), "sn3", &guesses[2]);
        register(app, &form).await.expect(400);
    }
    let form = app.owner_form("anna@example.com", &guesses[3]);
    register(app, &with(form.clone(), "sn2", &guesses[4]))
        .await
        .expect(429);
    register(app, &form).await.expect(400);
    register(app, &form).await.expect(429);
});

with_app!(one_address_out_of_tries_does_not_hold_up_another, |app| {
    for _ in 0..11 {
        register(app, &app.owner_form("anna@example.com", "SC999999")).await;
    }
    app.device("SC000001").await;
    let call = app.post(
        "/api/auth/register/",
        &app.owner_form("anna@example.com", "SC000001"),
    );
    call.from("10.9.9.9").send().await.expect(202);
});
