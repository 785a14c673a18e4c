//! Protocols of finished commissionings: as a list, on a page, and as a file to print and sign.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::commissioning::CommissioningQuery;
use crate::error::{Error, Refusal, Result, language};
use crate::form::{Query, parse_id};
use crate::parameter::BinaryFile;
use crate::path::Path;
use crate::protocol::{ProtocolEntry, Sheet, pdf, protocol_number, sheet};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use domain::Zone;
use serde::Serialize;
use store::commissioning::Commissioning;
use utoipa::ToSchema;

/// The protocols of a system, newest first. They stay with it whoever owns it; what names its former people does not.
#[utoipa::path(get, path = "/api/auth/commissioning/protocol/", operation_id = "list_protocols", tag = "commissioning",
    params(CommissioningQuery),
    responses((status = 200, body = [ProtocolEntry]), (status = 404, body = Refusal)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    systems: Systems,
    Query(query): Query<CommissioningQuery>,
) -> Result<Json<Vec<ProtocolEntry>>> {
    let access = systems.find(query.sn())?;
    let protocols = portal.store.protocols(access).await?;
    Ok(Json(protocols.iter().map(ProtocolEntry::new).collect()))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ProtocolBody {
    #[serde(flatten)]
    entry: ProtocolEntry,
    sheet: Sheet,
}

/// A protocol as a page shows it, in the caller's language.
#[utoipa::path(get, path = "/api/auth/commissioning/protocol/{id}/", operation_id = "show_protocol", tag = "commissioning",
    params(("id" = i64, Path)),
    responses((status = 200, body = ProtocolBody)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<ProtocolBody>> {
    let (protocol, zone) = find(&portal, &systems, &id).await?;
    Ok(Json(ProtocolBody {
        entry: ProtocolEntry::new(&protocol),
        sheet: sheet(&protocol, &zone, language(&headers)),
    }))
}

/// A protocol as a PDF, in the caller's language. The same protocol is always the same file.
#[utoipa::path(get, path = "/api/auth/commissioning/protocol/{id}/pdf/", operation_id = "print_protocol", tag = "commissioning",
    params(("id" = i64, Path)),
    responses((status = 200, description = "a file", content_type = "application/pdf", body = BinaryFile)))]
pub(crate) async fn print(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response> {
    let (protocol, zone) = find(&portal, &systems, &id).await?;
    let lang = language(&headers);
    let name = protocol_number(&protocol);
    let set = move || pdf(&sheet(&protocol, &zone, lang), lang);
    let file = tokio::task::spawn_blocking(set).await;
    let file = file.map_err(|_| Error::internal())?;
    let headers = [
        (CONTENT_TYPE, "application/pdf".to_owned()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"suncellar-{name}.pdf\""),
        ),
    ];
    Ok((headers, file).into_response())
}

/// A finished commissioning of a system that the caller sees, and the time zone of its site.
async fn find(portal: &Portal, systems: &Systems, id: &str) -> Result<(Commissioning, Zone)> {
    let id = parse_id(id)?;
    let found = portal.store.commissioning(&systems.allowed, id).await?;
    let found = found.filter(|found| found.finished_at.is_some());
    let protocol = found.ok_or(Error::not_found())?;
    let theirs = |access: &&store::Access| protocol.systems.contains(access.sn());
    let access = systems.allowed.iter().find(theirs);
    let zone = access.ok_or(Error::not_found())?.zone().clone();
    Ok((protocol, zone))
}
