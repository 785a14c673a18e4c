//! A person's rights to their stored data: export and deletion.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::csv::{self, CsvStyle};
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Form, Query};
use crate::own_account::{load_account, reauthenticate};
use crate::parameter::FileFormat;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, ToSchema)]
pub(crate) struct DeleteAccount {
    /// The password, typed again.
    #[schema(value_type = String, required)]
    password: Option<String>,
}

/// Delete the account and every personal value. Systems become free; the journal loses the name behind its lines.
#[utoipa::path(delete, path = "/api/auth/account/", tag = "account",
    request_body(content = DeleteAccount, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn delete(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<DeleteAccount>,
) -> Result<StatusCode> {
    let account = load_account(&portal, person).await?;
    reauthenticate(&portal, &account, form.password.as_deref()).await?;
    portal.service.erase_account(person.account).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
pub(crate) struct ExportQuery {
    /// `json` (default) or `csv`, with `Accept-Language` for the spreadsheets of that language.
    #[serde(default)]
    #[param(value_type = FileFormat)]
    format: String,
}

/// Everything kept about the caller, to take away.
#[utoipa::path(get, path = "/api/auth/account/export/", tag = "account", params(ExportQuery),
    responses((status = 200, description = "a file", content((Object = "application/json"), (String = "text/csv"))),
        (status = 400, body = Problem)))]
pub(crate) async fn export(
    State(portal): State<Portal>,
    person: PersonCaller,
    headers: HeaderMap,
    Query(query): Query<ExportQuery>,
) -> Result<Response> {
    let csv = csv::is_wanted(&query.format).map_err(|wrong| Error::field("format", wrong))?;
    let data = portal
        .store
        .export_account(person.account, portal.now())
        .await?
        .ok_or(Error::token_invalid())?;
    let (mime, name, body) = if csv {
        (
            "text/csv; charset=utf-8",
            "suncellar.csv",
            csv::flatten_document(&data, CsvStyle::for_caller(&headers)),
        )
    } else {
        ("application/json", "suncellar.json", format!("{data:#}"))
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    Ok((
        [
            (CONTENT_TYPE, mime.to_owned()),
            (CONTENT_DISPOSITION, disposition),
        ],
        body,
    )
        .into_response())
}
