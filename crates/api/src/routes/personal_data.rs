//! A person's rights to their stored data: export and deletion.
use crate::Portal;
use crate::answer_guard::attach_guard;
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
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, ToSchema)]
pub(crate) struct DeleteAccount {
    /// The caller's current password, for confirmation.
    #[schema(value_type = String, required)]
    password: Option<String>,
}

/// Delete the account and all personal data. Its systems are left without an owner, and journal entries lose the name.
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
    /// `json` (default) or `csv`. `Accept-Language` sets the number format of the CSV.
    #[serde(default)]
    #[param(value_type = FileFormat)]
    format: String,
}

/// Where the files are that are too large for the document.
fn add_links(data: &mut Value) {
    let mut link = |table: &str, path: &dyn Fn(&str, i64) -> String| {
        let rows = data.get_mut(table).and_then(Value::as_array_mut);
        for row in rows.into_iter().flatten().filter_map(Value::as_object_mut) {
            // Ids are ours; only the link needs them.
            let id = row.remove("id").and_then(|id| id.as_i64());
            let sn = row.get("sn").and_then(Value::as_str).unwrap_or_default();
            let path = path(sn, id.unwrap_or_default());
            row.insert("see".to_owned(), path.into());
        }
    };
    link("customer_photos", &|sn, id| {
        format!("/api/auth/system/{sn}/customer/photo/{id}/")
    });
    link("samples", &|sn, _| {
        format!("/api/auth/export/?sn={sn}&from=&to=")
    });
}

/// Everything kept about the caller, to take away.
#[utoipa::path(get, path = "/api/auth/account/export/", tag = "account", params(ExportQuery),
    responses((status = 200, description = "a file", content((Object = "application/json"), (String = "text/csv"))),
        (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn export(
    State(portal): State<Portal>,
    person: PersonCaller,
    headers: HeaderMap,
    Query(query): Query<ExportQuery>,
) -> Result<Response> {
    let csv = csv::is_wanted(&query.format).map_err(|wrong| Error::field("format", wrong))?;
    let slot = portal.export_slots.acquire(person.session)?;
    let mut data = portal
        .store
        .export_account(person.account, portal.now())
        .await?
        .ok_or(Error::token_invalid())?;
    add_links(&mut data);
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
    let head = [
        (CONTENT_TYPE, mime.to_owned()),
        (CONTENT_DISPOSITION, disposition),
    ];
    Ok(attach_guard((head, body).into_response(), slot))
}
