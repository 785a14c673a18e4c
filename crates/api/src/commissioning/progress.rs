//! A commissioning in progress: its units, their current state, and the state of each step.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::error::{Error, Result};
use crate::live::VisibleSystem;
use domain::clock::Millis;
use domain::commissioning::{
    CheckState, CommissioningStep, Finding, InstallationStatus, InstalledUnit, PendingUpdate,
    assess,
};
use domain::setting::Field;
use store::Access;
use store::commissioning::{Commissioning, Customer};
use store::system::System;

pub(crate) struct CommissioningProgress {
    pub(crate) commissioning: Commissioning,
    /// Sorted by phase and serial number.
    pub(crate) units: Vec<Access>,
    pub(crate) facts: InstallationStatus,
    /// The customer as the systems name them now, plus what was entered during this commissioning.
    pub(crate) customer: Customer,
}

impl CommissioningProgress {
    /// Finds a commissioning in progress, if the caller may commission every unit of it.
    pub(crate) async fn find(portal: &Portal, systems: &Systems, id: &str) -> Result<Self> {
        let id = id.parse().map_err(|_| Error::not_found())?;
        let found = portal.store.commissioning(&systems.allowed, id).await?;
        let open = found.filter(|found| found.finished_at.is_none());
        Self::load(portal, systems, open.ok_or(Error::not_found())?).await
    }

    pub(crate) async fn load(
        portal: &Portal,
        systems: &Systems,
        commissioning: Commissioning,
    ) -> Result<Self> {
        let mut units = Vec::with_capacity(commissioning.units.len());
        for sn in &commissioning.units {
            units.push(systems.find(sn.as_str())?.clone());
        }
        units.sort_by(|one, other| (one.phase(), one.sn()).cmp(&(other.phase(), other.sn())));
        let rows = portal.store.systems(&units).await?;
        let mut facts = InstallationStatus {
            units: Vec::with_capacity(units.len()),
            one_owner: units.iter().all(|unit| unit.owner() == units[0].owner()),
            has_customer_name: rows.iter().all(is_named),
            has_location: false,
        };
        for access in &units {
            let since = commissioning.started_at;
            facts.units.push(unit(portal, access, since).await?);
        }
        let mut customer = commissioning.customer.clone().unwrap_or_default();
        facts.has_location = !customer.place.is_empty();
        if let Some(system) = rows.into_iter().next() {
            customer.first_name = system.first_name.unwrap_or_default();
            customer.last_name = system.last_name.unwrap_or_default();
        }
        Ok(Self {
            commissioning,
            units,
            facts,
            customer,
        })
    }

    /// The unit that the commissioning is recorded under.
    pub(crate) fn first(&self) -> Result<&Access> {
        self.units.first().ok_or(Error::not_found())
    }

    pub(crate) fn state(&self, step: CommissioningStep) -> CheckState {
        assess(step, &self.facts, self.commissioning.record(step))
    }

    /// The steps that still prevent finishing.
    pub(crate) fn open_steps(&self) -> Vec<(CommissioningStep, Option<Finding>)> {
        let steps = CommissioningStep::ALL.into_iter();
        let open = steps.filter_map(|step| match self.state(step) {
            CheckState::Passed => None,
            CheckState::Open(finding) => Some((step, finding)),
            CheckState::Failed(finding) => Some((step, Some(finding))),
        });
        open.collect()
    }
}

fn is_named(system: &System) -> bool {
    let given = |name: &Option<String>| name.as_deref().is_some_and(|name| !name.is_empty());
    given(&system.first_name) && given(&system.last_name)
}

async fn unit(portal: &Portal, access: &Access, since: Millis) -> Result<InstalledUnit> {
    let settings = portal.store.settings(access, portal.now()).await?;
    portal.hold([access]).await?;
    let system = VisibleSystem::new(access, &portal.live);
    let snapshot = portal.live.get(access.sn());
    let facts = snapshot.as_ref().map(|now| now.facts.as_ref().clone());
    let job = snapshot.as_ref().and_then(|now| now.update.clone());
    let update = match job.is_some_and(|job| job.state.is_open()) {
        true => PendingUpdate::Running,
        false if portal.live.offered_parts(access.sn()).is_empty() => PendingUpdate::None,
        false => PendingUpdate::Waiting,
    };
    let facts = facts.as_ref();
    Ok(InstalledUnit {
        sn: access.sn().clone(),
        phase: access.phase(),
        hardware: facts.and_then(|facts| facts.hardware.clone()),
        capacity: access.capacity(),
        ratings: settings.ratings,
        versions: facts
            .map(|facts| facts.versions.clone())
            .unwrap_or_default(),
        online: system.online(),
        sample: system.sample().copied(),
        acknowledged: settings.acknowledged_at.is_some(),
        settings_changed_at: settings.changed_at,
        refused: refused(&settings.refused),
        settings: settings.desired,
        reported: settings.reported,
        meter_test: portal.store.meter_test(access, since).await?,
        update,
    })
}

fn refused<T>(refused: &[(Field, T)]) -> Vec<Field> {
    refused.iter().map(|(field, _)| *field).collect()
}
