//! Protocols of finished commissionings: as a list, as data for a page, and as a PDF to print and sign.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::commissioning::CommissioningQuery;
use crate::error::{Refusal, Result, language};
use crate::form::Query;
use crate::parameter::BinaryFile;
use crate::path::Path;
use crate::protocol::{
    ProtocolEntry, Sheet, find_protocol, pdf, pdf_answer, protocol_number, sheet,
};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::clock::Millis;
use domain::grant::Right;
use serde::Serialize;
use store::Access;
use store::commissioning::Commissioning;
use utoipa::ToSchema;

/// List the protocols of a system, newest first.
///
/// Protocols stay with the system when its owner changes. The personal data of former owners is not included.
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
    /// The handover to the customer. Null unless the caller may commission all units of the protocol.
    #[schema(required)]
    hand_over: Option<HandOver>,
}

/// The state of the handover to the customer.
#[derive(Serialize, ToSchema)]
pub(crate) struct HandOver {
    /// Whether a unit has an owner, who can then see the protocol in their account.
    owned: bool,
    /// When the issued customer code expires; Unix time in milliseconds. Null if there is no valid code.
    #[schema(required)]
    code_until: Option<Millis>,
}

impl HandOver {
    async fn load(
        portal: &Portal,
        systems: &Systems,
        protocol: &Commissioning,
    ) -> Result<Option<Self>> {
        let units = systems.allowed.iter().filter(|access| {
            protocol.systems.contains(access.sn()) && access.may(Right::Commission)
        });
        let units: Vec<&Access> = units.collect();
        if units.len() < protocol.systems.len() {
            return Ok(None);
        }
        let owned = units.iter().any(|unit| unit.owner().is_some());
        let code = portal.store.customer_code_end(protocol.id, portal.now());
        Ok(Some(Self {
            owned,
            code_until: code.await?.filter(|_| !owned),
        }))
    }
}

/// Get a protocol in the caller's language.
#[utoipa::path(get, path = "/api/auth/commissioning/protocol/{id}/", operation_id = "show_protocol", tag = "commissioning",
    params(("id" = i64, Path)),
    responses((status = 200, body = ProtocolBody)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<ProtocolBody>> {
    let (protocol, zone) = find_protocol(&portal, &systems, &id).await?;
    Ok(Json(ProtocolBody {
        entry: ProtocolEntry::new(&protocol),
        sheet: sheet(&protocol, &zone, language(&headers)),
        hand_over: HandOver::load(&portal, &systems, &protocol).await?,
    }))
}

/// Get a protocol as a PDF in the caller's language. The same protocol always gives the same file.
#[utoipa::path(get, path = "/api/auth/commissioning/protocol/{id}/pdf/", operation_id = "print_protocol", tag = "commissioning",
    params(("id" = i64, Path)),
    responses((status = 200, description = "The file.", content_type = "application/pdf", body = BinaryFile)))]
pub(crate) async fn print(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response> {
    let (protocol, zone) = find_protocol(&portal, &systems, &id).await?;
    let lang = language(&headers);
    let name = protocol_number(&protocol);
    pdf_answer(&portal, &name, move || {
        pdf(&sheet(&protocol, &zone, lang), None, lang)
    })
    .await
}
