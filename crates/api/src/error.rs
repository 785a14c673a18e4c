//! The only error type of the API. Clients see a stable code and a text in their language; causes go to the log.
use axum::Json;
use axum::extract::Request;
use axum::http::header::{ACCEPT_LANGUAGE, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::{Lang, Message};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Clone, Debug)]
pub(crate) enum Error {
    /// The whole request is refused.
    Refused(StatusCode, Message),
    /// Some fields are invalid.
    Fields(FieldErrors),
    /// The password is right, and one of these second factors is required.
    SecondFactorMissing { totp: bool, passkey: bool },
    /// The password is right, but the account has no system. The limited token opens the key page.
    NoSystems { access: String },
    /// Too many requests; retry after this many seconds.
    RateLimited { seconds: u64, message: Message },
    /// The server is overloaded; retry after this many seconds.
    Busy { seconds: u64, message: Message },
}

/// Invalid fields with their messages, collected so that a person sees all of them at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldErrors(BTreeMap<&'static str, Vec<Message>>);

impl FieldErrors {
    pub(crate) fn add(&mut self, field: &'static str, message: Message) {
        self.0.entry(field).or_default().push(message);
    }

    /// Returns the parsed value, or records the error of its field.
    pub(crate) fn check<T>(
        &mut self,
        field: &'static str,
        parsed: Result<T, Message>,
    ) -> Option<T> {
        parsed.map_err(|message| self.add(field, message)).ok()
    }

    pub(crate) fn into_result(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::Fields(self))
        }
    }
}

impl Error {
    pub(crate) fn field(field: &'static str, message: Message) -> Self {
        let mut errors = FieldErrors::default();
        errors.add(field, message);
        Self::Fields(errors)
    }

    pub(crate) const fn not_found() -> Self {
        Self::Refused(StatusCode::NOT_FOUND, Message::NotFound)
    }

    pub(crate) const fn forbidden(why: Message) -> Self {
        Self::Refused(StatusCode::FORBIDDEN, why)
    }

    pub(crate) const fn token_invalid() -> Self {
        Self::Refused(StatusCode::UNAUTHORIZED, Message::TokenInvalid)
    }

    pub(crate) const fn link_invalid() -> Self {
        Self::Refused(StatusCode::BAD_REQUEST, Message::LinkInvalid)
    }

    pub(crate) const fn range_not_satisfiable() -> Self {
        Self::Refused(StatusCode::RANGE_NOT_SATISFIABLE, Message::NotFound)
    }

    pub(crate) const fn internal() -> Self {
        Self::Refused(StatusCode::INTERNAL_SERVER_ERROR, Message::Internal)
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Self {
        match &error {
            store::Error::Taken(column) if column == "accounts.email" => {
                Self::field("email", Message::EmailTaken)
            }
            store::Error::Taken(column) if column == "groups.folded" => {
                Self::field("name", Message::GroupTaken)
            }
            store::Error::Taken(column) if column == "setting_templates.folded" => {
                Self::field("name", Message::TemplateTaken)
            }
            store::Error::Conflict => {
                Self::Refused(StatusCode::CONFLICT, Message::ChangedMeanwhile)
            }
            race if race.is_race() => {
                tracing::warn!(%error, "concurrent_change: two requests changed the same; one of them is refused");
                Self::Refused(StatusCode::CONFLICT, Message::ChangedMeanwhile)
            }
            store::Error::Sqlx(_) | store::Error::SampleStore(_) => {
                tracing::error!(%error, "store_unavailable: the database or the sample store did not answer as expected");
                Self::Refused(StatusCode::SERVICE_UNAVAILABLE, Message::Unavailable)
            }
            _ => {
                tracing::error!(%error, "request_failed: the store reported an error");
                Self::internal()
            }
        }
    }
}

/// Body of an answer that refuses the whole request.
#[derive(Serialize, ToSchema)]
pub(crate) struct Refusal {
    /// What happened and what to do next, in the caller's language.
    detail: String,
    /// Stable, machine-readable.
    code: String,
    /// With `no_systems` only: a limited token for the key page.
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<String>,
    /// With `totp_required` and `passkey_required` only: whether a passkey is accepted as the second factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    passkey: Option<bool>,
}

/// Body of an answer about invalid fields: one list of texts per field, and under `codes` one list of codes per field.
#[derive(Serialize, ToSchema)]
pub(crate) struct FieldProblems {
    codes: BTreeMap<String, Vec<String>>,
    #[serde(flatten)]
    texts: BTreeMap<String, Vec<String>>,
}

/// Either of the two bodies, for calls that can answer with both.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "names the shape in the OpenAPI document")]
pub(crate) enum Problem {
    Refusal(Refusal),
    Fields(FieldProblems),
}

/// Sets only the status; [`localise_errors`] adds the body, because only it knows the caller's language.
impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Refused(status, _) => {
                // Without a number of seconds, the answer would not say when to retry.
                debug_assert_ne!(*status, StatusCode::TOO_MANY_REQUESTS, "is RateLimited");
                *status
            }
            Self::Fields(_) => StatusCode::BAD_REQUEST,
            Self::SecondFactorMissing { .. } => StatusCode::UNAUTHORIZED,
            Self::NoSystems { .. } => StatusCode::FORBIDDEN,
            Self::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
        };
        let mut response = status.into_response();
        if let Self::RateLimited { seconds, .. } | Self::Busy { seconds, .. } = self {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(self);
        response
    }
}

pub(crate) fn language(headers: &HeaderMap) -> Lang {
    let header = headers
        .get(ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok());
    header.map_or_else(Lang::default, Lang::from_accept_language)
}

/// Adds the body to every refused request, in the caller's language.
pub(crate) async fn localise_errors(request: Request, next: Next) -> Response {
    let lang = language(request.headers());
    let mut response = next.run(request).await;
    let Some(error) = response.extensions_mut().remove::<Error>() else {
        return response;
    };
    let body = match error {
        Error::Refused(_, message)
        | Error::RateLimited { message, .. }
        | Error::Busy { message, .. } => Json(Refusal::new(message, lang)).into_response(),
        Error::SecondFactorMissing { totp, passkey } => {
            let message = match totp {
                true => Message::TotpRequired,
                false => Message::PasskeyRequired,
            };
            let refusal = Refusal {
                passkey: Some(passkey),
                ..Refusal::new(message, lang)
            };
            Json(refusal).into_response()
        }
        Error::NoSystems { access } => {
            let refusal = Refusal {
                access: Some(access),
                ..Refusal::new(Message::NoSystems, lang)
            };
            Json(refusal).into_response()
        }
        Error::Fields(errors) => fields(&errors, lang),
    };
    let (parts, body) = body.into_parts();
    let (mut head, _) = response.into_parts();
    head.headers.extend(parts.headers);
    Response::from_parts(head, body)
}

impl Refusal {
    fn new(message: Message, lang: Lang) -> Self {
        Self {
            detail: message.text(lang).into(),
            code: message.code().into(),
            access: None,
            passkey: None,
        }
    }
}

fn fields(errors: &FieldErrors, lang: Lang) -> Response {
    let by = |show: &dyn Fn(&Message) -> String| {
        errors
            .0
            .iter()
            .map(|(field, list)| ((*field).to_owned(), list.iter().map(show).collect()))
            .collect()
    };
    Json(FieldProblems {
        codes: by(&|m| m.code().into()),
        texts: by(&|m| m.text(lang).into()),
    })
    .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work_queue::Busy;
    use axum::body::Body;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use std::collections::BTreeSet;
    use tower::ServiceExt as _;

    /// The answer in a language.
    async fn answer(error: Error, lang: Lang) -> (Response, serde_json::Value) {
        let refuse = move || std::future::ready(Err::<(), _>(error.clone()));
        let router = axum::Router::new().route("/", get(refuse));
        let request = Request::get("/").header(ACCEPT_LANGUAGE, lang.code());
        let request = request.body(Body::empty()).unwrap();
        let response = router.layer(from_fn(localise_errors)).oneshot(request);
        let (head, body) = response.await.unwrap().into_parts();
        let body = axum::body::to_bytes(body, 10_000).await.unwrap();
        let json = serde_json::from_slice(&body).unwrap();
        (Response::from_parts(head, Body::empty()), json)
    }

    #[tokio::test]
    async fn whoever_is_sent_away_learns_in_their_language_when_to_come_back() {
        let limited = Error::RateLimited {
            seconds: 61,
            message: Message::TooManyAttempts,
        };
        for (error, status, wait) in [
            (limited, StatusCode::TOO_MANY_REQUESTS, "61"),
            (Busy.into(), StatusCode::SERVICE_UNAVAILABLE, "5"),
        ] {
            let mut texts = BTreeSet::new();
            for lang in Lang::ALL {
                let (response, body) = answer(error.clone(), lang).await;
                assert_eq!(response.status(), status);
                assert_eq!(response.headers()[RETRY_AFTER], wait);
                texts.insert(body["detail"].as_str().unwrap().to_owned());
            }
            assert_eq!(texts.len(), Lang::ALL.len(), "{texts:?}");
        }
    }

    #[test]
    fn a_conflict_in_the_store_says_that_somebody_else_was_first() {
        let Error::Refused(status, message) = Error::from(store::Error::Conflict) else {
            panic!("a conflict refuses the whole request");
        };
        assert_eq!(status, StatusCode::CONFLICT);
        assert_eq!(message.code(), "changed_meanwhile");
    }
}
