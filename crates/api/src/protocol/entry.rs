//! A protocol in a list.
use super::sheet::protocol_number;
use domain::Serial;
use domain::clock::Millis;
use serde::Serialize;
use store::commissioning::Commissioning;
use utoipa::ToSchema;

/// An entry of the list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProtocolEntry {
    id: i64,
    /// `SC000001-2`: the second protocol of that system.
    number: String,
    finished_at: Millis,
    /// The company that did the commissioning; null if it no longer has an account.
    #[schema(required)]
    company: Option<String>,
    /// Serial numbers of the units.
    units: Vec<String>,
}

impl ProtocolEntry {
    pub(crate) fn new(protocol: &Commissioning) -> Self {
        Self {
            id: protocol.id,
            number: protocol_number(protocol),
            finished_at: protocol.finished_at.unwrap_or(protocol.started_at),
            company: protocol.company.clone(),
            units: protocol.units.iter().map(Serial::to_string).collect(),
        }
    }
}
