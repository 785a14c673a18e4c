//! What an authority asks on port 80 before it issues a certificate (ACME, http-01), and the way to HTTPS for everybody else.
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use std::sync::Arc;

/// The answer to a token, if it is one of ours.
type Answer = dyn Fn(&str) -> Option<String> + Send + Sync;

#[derive(Clone)]
struct Challenges {
    answer: Arc<Answer>,
    public_url: Arc<str>,
}

/// Everything served on the listener for challenges.
pub fn acme_challenges(
    answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    public_url: &str,
) -> Router {
    Router::new()
        .route("/.well-known/acme-challenge/{token}", get(challenge))
        .fallback(get(redirect))
        .with_state(Challenges {
            answer: Arc::new(answer),
            public_url: public_url.into(),
        })
}

async fn challenge(State(challenges): State<Challenges>, Path(token): Path<String>) -> Response {
    match (challenges.answer)(&token) {
        Some(answer) => answer.into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn redirect(State(challenges): State<Challenges>, uri: Uri) -> Redirect {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    Redirect::permanent(&format!("{}{path}", challenges.public_url))
}
