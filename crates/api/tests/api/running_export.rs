//! A running export: read only as fast as the client takes it, and only while the caller is permitted.
#![allow(clippy::unwrap_used)]
use axum::body::{Body, BodyDataStream};
use axum::http::Request;
use axum::http::header::{AUTHORIZATION, HOST};
use axum::response::Response;
use domain::clock::DAY;
use futures_util::StreamExt as _;
use testkit::{PASSWORD, Person, TestApp, sample, with_app};
use tower::ServiceExt as _;

const DAYS: i64 = 3;
const PATH: &str = "/api/auth/export/?sn=SC000001&from=2026-11-13&to=2026-11-15";

/// Without a connection, so nothing is read ahead of the test.
async fn begin(app: &TestApp, person: &Person) -> Response {
    let bearer = format!("Bearer {}", person.access);
    let request = Request::get(PATH).header(HOST, "test");
    let request = request.header(AUTHORIZATION, bearer);
    let request = request.body(Body::empty()).unwrap();
    let router = api::portal(app.portal.clone());
    router.oneshot(request).await.unwrap()
}

/// The next chunk; `None` at the end, an error if it is cut off.
async fn piece(file: &mut BodyDataStream) -> Option<Result<(), axum::Error>> {
    let piece = file.next().await?;
    Some(piece.map(drop))
}

/// An owner with a sample on each day, and an export of which the header and the first day have been read.
async fn first_day(app: &TestApp) -> (Person, BodyDataStream) {
    let anna = owner(app).await;
    let file = first_day_of(app, &anna).await;
    (anna, file)
}

async fn owner(app: &TestApp) -> Person {
    let anna = app.owner("anna", "SC000001").await;
    let battery = app.battery("SC000001");
    let now = app.clock.now();
    let days = (0..DAYS).map(|day| sample(now - day * DAY, 0));
    battery.history(days.collect()).await;
    anna
}

async fn first_day_of(app: &TestApp, person: &Person) -> BodyDataStream {
    let answer = begin(app, person).await;
    assert_eq!(answer.status(), 200);
    let mut file = answer.into_body().into_data_stream();
    for _ in ["header", "first day"] {
        piece(&mut file).await.unwrap().unwrap();
    }
    file
}

with_app!(an_export_goes_on_to_its_end, |app| {
    let (_, mut file) = first_day(app).await;
    let mut pieces = 0;
    while let Some(next) = piece(&mut file).await {
        next.unwrap();
        pieces += 1;
    }
    assert_eq!(pieces, DAYS - 1);
});

with_app!(a_running_export_ends_with_the_session, |app| {
    let (anna, mut file) = first_day(app).await;
    let out = app.post("/api/auth/logout/", &[]).bearer(&anna.access);
    out.send().await.expect(204);
    assert!(piece(&mut file).await.unwrap().is_err());
});

with_app!(a_running_export_ends_when_the_system_changes_hands, |app| {
    let (_, mut file) = first_day(app).await;
    let access = app.household_access("SC000001").await;
    let unlinked = app.service.unlink(&access);
    unlinked.await.unwrap();
    assert!(piece(&mut file).await.unwrap().is_err());
});

with_app!(a_running_export_ends_with_the_place_in_a_company, |app| {
    let anna = owner(app).await;
    let boss = app.electrician("boss").await;
    app.grant(&anna, &boss, "SC000001", "service").await;
    let tina = app.colleague(&boss, "tina", "technician").await;
    let mut file = first_day_of(app, &tina).await;
    let id = app.account_id(&tina.email).await;
    let removed = app.call("DELETE", &format!("/api/auth/company/member/{id}/"));
    let removed = removed.form(&[("password", PASSWORD)]).bearer(&boss.access);
    removed.send().await.expect(204);
    assert!(piece(&mut file).await.unwrap().is_err());
});

with_app!(a_login_has_two_exports_at_once, |app| {
    let (anna, first) = first_day(app).await;
    let second = begin(app, &anna).await;
    assert_eq!(second.status(), 200);
    let third = begin(app, &anna).await;
    assert_eq!(third.status(), 429);
    assert_eq!(third.headers()["retry-after"], "10");
    drop(first);
    assert_eq!(begin(app, &anna).await.status(), 200);
});
