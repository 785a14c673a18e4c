//! Finds the protocol that a caller may read.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::error::{Error, Result};
use crate::form::parse_id;
use domain::Zone;
use store::Access;
use store::commissioning::Commissioning;

/// A finished commissioning of a system that the caller sees, and the time zone of its site.
pub(crate) async fn find_protocol(
    portal: &Portal,
    systems: &Systems,
    id: &str,
) -> Result<(Commissioning, Zone)> {
    let id = parse_id(id)?;
    let found = portal.store.commissioning(&systems.allowed, id).await?;
    let found = found.filter(|found| found.finished_at.is_some());
    let protocol = found.ok_or(Error::not_found())?;
    let theirs = |access: &&Access| protocol.systems.contains(access.sn());
    let access = systems.allowed.iter().find(theirs);
    let zone = access.ok_or(Error::not_found())?.zone().clone();
    Ok((protocol, zone))
}
