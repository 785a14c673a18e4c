//! What a company keeps about a customer: its people read it while the owner lets them in, and nobody else does.
use domain::clock::HOUR;
use serde_json::{Value, json};
use testkit::photo::photo;
use testkit::{PASSWORD, Person, TestApp, TestResponse, on_both, with_app};

const SN: &str = "SC000001";

fn path(sn: &str) -> String {
    format!("/api/auth/system/{sn}/customer/")
}

async fn show(app: &TestApp, person: &Person) -> TestResponse {
    app.get(&path(SN)).bearer(&person.access).send().await
}

async fn read(app: &TestApp, person: &Person) -> Value {
    show(app, person).await.expect(200).json()
}

async fn write(app: &TestApp, person: &Person, note: &str, known: &Value) -> TestResponse {
    let known = match known {
        Value::Null => String::new(),
        known => known.to_string(),
    };
    let fields = [("note", note), ("changed_at", known.as_str())];
    let call = app.post(&path(SN), &fields);
    call.bearer(&person.access).send().await
}

async fn add_photo(app: &TestApp, person: &Person, jpeg: &[u8]) -> TestResponse {
    let call = app.call("POST", &format!("{}photo/", path(SN))).jpeg(jpeg);
    call.bearer(&person.access).send().await
}

async fn photo_call(app: &TestApp, method: &str, person: &Person, id: &Value) -> TestResponse {
    let call = app.call(method, &format!("{}photo/{id}/", path(SN)));
    call.bearer(&person.access).send().await
}

on_both!(
    a_companys_people_share_a_note_that_nobody_else_reads,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", SN).await;
        let boss = app.electrician("boss").await;
        app.grant(&anna, &boss, SN, "monitor").await;
        let tech = app.colleague(&boss, "tina", "technician").await;
        let other = app.electrician("other").await;
        app.grant(&anna, &other, SN, "service").await;
        let empty = json!({"note": "", "changed_at": null, "changed_by": null, "photos": []});
        assert_eq!(read(&app, &boss).await, empty);
        let note = "Hund im Garten\nSchlüssel beim Nachbarn";
        let written = write(&app, &tech, note, &Value::Null).await;
        let first = written.expect(200).json();
        let shown = read(&app, &boss).await;
        assert_eq!(shown, first);
        assert_eq!(shown["note"], note);
        assert_eq!(shown["changed_by"], "tina Muster (Elektro Sonnenberg)");
        assert_eq!(read(&app, &other).await, empty);
        show(&app, &anna).await.expect(403);
        let stranger = app.electrician("stranger").await;
        show(&app, &stranger).await.expect(404);
        // Of two concurrent writers, the second gets a conflict, and nothing is lost.
        app.clock.advance(1_000);
        let second = write(&app, &boss, "Kein Hund mehr", &first["changed_at"]).await;
        second.expect(200);
        let late = write(&app, &tech, "Zwei Hunde", &first["changed_at"]).await;
        assert_eq!(late.expect(409).code(), "version_conflict");
        let late = write(&app, &tech, "Zwei Hunde", &Value::Null).await;
        late.expect(409);
        assert_eq!(read(&app, &tech).await["note"], "Kein Hund mehr");
        app.stop().await;
    }
);

on_both!(
    photos_are_bounded_and_do_not_tell_where_they_were_taken,
    |db| {
        let app = TestApp::start(db).await;
        let anna = app.owner("anna", SN).await;
        let eva = app.electrician("eva").await;
        app.grant(&anna, &eva, SN, "monitor").await;
        for wrong in [b"".as_slice(), b"GIF89a", &photo()[..40]] {
            let refused = add_photo(&app, &eva, wrong).await.expect(400);
            assert_eq!(refused.code(), "photo_unreadable");
        }
        let large = add_photo(&app, &eva, &vec![0; 1024 * 1024 + 1]).await;
        large.expect(413);
        let added = add_photo(&app, &eva, &photo()).await.expect(201).json();
        let id = &added["photos"][0]["id"];
        let shown = photo_call(&app, "GET", &eva, id).await.expect(200);
        assert_eq!(shown.headers["content-type"], "image/jpeg");
        assert!(!shown.text.contains("52.5 N"));
        let other = app.electrician("other").await;
        app.grant(&anna, &other, SN, "service").await;
        photo_call(&app, "GET", &other, id).await.expect(404);
        photo_call(&app, "DELETE", &other, id).await.expect(404);
        for _ in 1..domain::customer::MAX_PHOTOS {
            add_photo(&app, &eva, &photo()).await.expect(201);
        }
        let full = add_photo(&app, &eva, &photo()).await.expect(409);
        assert_eq!(full.code(), "too_many_photos");
        // It is not even read, so nobody is kept busy with what cannot be kept.
        add_photo(&app, &eva, b"GIF89a").await.expect(409);
        photo_call(&app, "DELETE", &eva, id).await.expect(204);
        photo_call(&app, "DELETE", &eva, id).await.expect(404);
        let left = read(&app, &eva).await["photos"].as_array().map(Vec::len);
        assert_eq!(left, Some(domain::customer::MAX_PHOTOS - 1));
        app.stop().await;
    }
);

on_both!(a_companys_photos_are_bounded_in_all, |db| {
    let app = TestApp::start(db).await;
    let two: [domain::Serial; 2] = [SN, "SC000002"].map(|sn| sn.parse().unwrap());
    let anna = app.owner_of("anna", &two).await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, SN, "monitor").await;
    let most = domain::customer::MAX_COMPANY_PHOTOS;
    // Of one system, because that is quicker than of hundreds.
    let earlier = format!(
        "INSERT INTO customer_photos (company_id, sn, added_at, jpeg)
         WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {most})
         SELECT companies.id, 'SC000002', 0, '' FROM n, companies"
    );
    db.execute(&earlier).await;
    let added = add_photo(&app, &eva, &photo()).await.expect(201).json();
    let full = add_photo(&app, &eva, &photo()).await.expect(409);
    assert_eq!(full.code(), "too_many_company_photos");
    add_photo(&app, &eva, b"GIF89a").await.expect(409);
    // It is the company's limit, and nobody else's.
    let other = app.electrician("other").await;
    app.grant(&anna, &other, SN, "monitor").await;
    add_photo(&app, &other, &photo()).await.expect(201);
    let id = &added["photos"][0]["id"];
    photo_call(&app, "DELETE", &eva, id).await.expect(204);
    add_photo(&app, &eva, &photo()).await.expect(201);
    app.stop().await;
});

with_app!(who_sends_many_photos_is_told_to_wait, |app| {
    let anna = app.owner("anna", SN).await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, SN, "monitor").await;
    for _ in 0..120 {
        add_photo(app, &eva, b"GIF89a").await.expect(400);
    }
    let refused = add_photo(app, &eva, &photo()).await.expect(429);
    assert_eq!(refused.code(), "too_many_attempts");
    assert!(refused.headers.contains_key("retry-after"));
    app.clock.advance(HOUR);
    let eva = app.log_in(&eva.email, true).await;
    add_photo(app, &eva, &photo()).await.expect(201);
});

on_both!(what_a_company_keeps_goes_with_its_access, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", SN).await;
    let eva = app.electrician("eva").await;
    let keep = async || {
        write(&app, &eva, "Hund", &Value::Null).await.expect(200);
        add_photo(&app, &eva, &photo()).await.expect(201);
    };
    let kept = async || {
        let notes = db.count("SELECT count(*) FROM customer_notes").await;
        (
            notes,
            db.count("SELECT count(*) FROM customer_photos").await,
        )
    };
    let id = app.grant(&anna, &eva, SN, "service").await;
    keep().await;
    let ended = app.call("DELETE", &format!("/api/auth/grant/{id}/"));
    ended.bearer(&anna.access).send().await.expect(204);
    assert_eq!(kept().await, (0, 0));
    app.grant(&anna, &eva, SN, "service").await;
    keep().await;
    let left = app.call("DELETE", &format!("/api/auth/usr_sn/{SN}/"));
    let left = left.form(&[("password", PASSWORD)]);
    left.bearer(&anna.access).send().await.expect(204);
    assert_eq!(kept().await, (0, 0));
    app.stop().await;
});

on_both!(what_can_be_renewed_is_kept, |db| {
    let app = TestApp::start(db).await;
    let anna = app.owner("anna", SN).await;
    let eva = app.electrician("eva").await;
    app.grant(&anna, &eva, SN, "service").await;
    write(&app, &eva, "Hund", &Value::Null).await.expect(200);
    let day = domain::clock::DAY;
    app.clock.advance(91 * day);
    app.store.purge_grants(app.clock.now()).await.unwrap();
    let notes = db.count("SELECT count(*) FROM customer_notes");
    assert_eq!(notes.await, 1);
    let eva = app.log_in(&eva.email, true).await;
    show(&app, &eva).await.expect(404);
    app.stop().await;
});
