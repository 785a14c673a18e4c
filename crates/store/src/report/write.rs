//! Writes reports in groups: one transaction, one fsync, for all messages that wait.
use super::routing::{RoutedReport, route};
use super::{Report, ReportBody, ReportChange, ReportOutcome};
use crate::presence::GatewayId;
use crate::{
    Result, Store, claim, command, device, event, firmware, in_force, presence, reject, setting,
    undated_samples,
};
use db::Tx;
use domain::claim::pattern_duration;
use domain::clock::Millis;
use domain::event::EventCode;
use domain::{Event, Hello, Sample, Serial};

impl Store {
    /// Writes a group of reports that this gateway received. Everything is durable when this returns.
    pub async fn append(
        &self,
        reports: &[Report],
        gateway: GatewayId,
    ) -> Result<Vec<ReportOutcome>> {
        let Some(newest) = reports.iter().map(|report| report.received_at).max() else {
            return Ok(Vec::new());
        };
        let mut tx = self.db.begin().await?;
        let units = self.units.read(&mut tx).await?;
        let rerouted: Vec<Option<Vec<RoutedReport>>> =
            reports.iter().map(|report| route(report, &units)).collect();
        let mut kept: Vec<(&Report, bool)> = Vec::with_capacity(reports.len());
        for (report, rerouted) in reports.iter().zip(&rerouted) {
            match rerouted {
                None => kept.push((report, false)),
                Some(rerouted) => {
                    kept.extend(rerouted.iter().map(|one| (&one.report, one.for_other_site)))
                }
            }
        }
        let samples: Vec<(&Serial, &Sample)> = kept
            .iter()
            .flat_map(|(report, _)| samples(report))
            .collect();
        let append = self.telemetry.append(&mut tx, &samples, newest).await?;
        let mut new = append.new_samples().iter().copied();
        let outcome = |(report, _): &(&Report, bool)| ReportOutcome {
            new: new.by_ref().take(samples_in(&report.body)).collect(),
            ..ReportOutcome::default()
        };
        let mut written: Vec<ReportOutcome> = kept.iter().map(outcome).collect();
        // All writers use the same order, so two of them never deadlock. The reports of one battery keep their order.
        let mut sorted: Vec<_> = kept.iter().zip(&mut written).collect();
        sorted.sort_by_key(|((report, _), _)| &report.sn);
        for ((report, for_other_site), outcome) in sorted {
            self.write(&mut tx, report, *for_other_site, gateway, outcome)
                .await?;
        }
        let changed = |which: fn(&ReportChange) -> bool| -> Vec<&Serial> {
            let changed = kept.iter().zip(&written);
            let changed = changed.filter(|(_, outcome)| outcome.changes.iter().any(which));
            changed.map(|((report, _), _)| &report.sn).collect()
        };
        if changed(|change| matches!(change, ReportChange::Owner)).is_empty() {
            let described = changed(|change| matches!(change, ReportChange::Facts(_)));
            tx.commit_invalidating(described.into_iter()).await?;
        } else {
            tx.commit().await?;
        }
        append.committed();
        Ok(merge_outcomes(rerouted, written))
    }

    /// Writes everything of a report but its samples.
    async fn write(
        &self,
        tx: &mut Tx,
        report: &Report,
        for_other_site: bool,
        gateway: GatewayId,
        outcome: &mut ReportOutcome,
    ) -> Result<()> {
        let (sn, now) = (&report.sn, report.received_at);
        let changes = &mut outcome.changes;
        match &report.body {
            ReportBody::Hello { hello, started_at } => {
                device::save_boot(tx, sn, hello.id.boot, *started_at).await?;
                // A late, older hello must not overwrite a newer one.
                if let Some(presence) =
                    presence::record_hello(tx, sn, hello.id, gateway, now).await?
                {
                    let facts = device::save_facts(tx, sn, hello).await?;
                    changes.extend(facts.map(ReportChange::Facts));
                    changes.push(ReportChange::Presence(presence));
                    outcome.orders_wait = self
                        .check_hello(tx, report, hello, *started_at, changes)
                        .await?;
                }
            }
            ReportBody::Sample(_) => {}
            ReportBody::BackFill { undated: kept, .. } => {
                undated_samples::insert(tx, sn, kept, now).await?
            }
            ReportBody::Event(happened) => {
                if !event::insert(tx, sn, happened, now).await? {
                    return Ok(());
                }
                changes.push(ReportChange::Event(happened.clone()));
                if !for_other_site {
                    apply_event(tx, sn, happened, now, changes).await?;
                }
            }
            ReportBody::Settings(report) => {
                if setting::record_settings_report(tx, sn, report, now).await? {
                    changes.push(ReportChange::Settings);
                }
            }
            ReportBody::Answer(answer) => {
                let changed = command::record_answer(tx, sn, answer, now).await?;
                if changed.command {
                    changes.push(ReportChange::Command(answer.command.clone()));
                }
                if changed.in_force {
                    changes.push(ReportChange::Effects);
                }
            }
            ReportBody::Firmware(report) => {
                let update =
                    firmware::record_progress(tx, &self.update_cache, sn, report, now).await?;
                changes.extend(update.map(ReportChange::Update));
            }
            ReportBody::Sent(id) => {
                if command::mark_sent(tx, sn, id, now).await? {
                    changes.push(ReportChange::Command(id.clone()));
                }
            }
            ReportBody::Online => {
                let presence = presence::mark_online(tx, sn, gateway, now).await?;
                changes.push(ReportChange::Presence(presence));
            }
            ReportBody::Offline { boot, since } => {
                let presence = presence::mark_offline(tx, sn, *boot, gateway, *since).await?;
                changes.extend(presence.map(ReportChange::Presence));
            }
            ReportBody::Reject {
                topic,
                reason,
                payload,
            } => reject::insert(tx, sn, topic, reason, payload, now).await?,
        }
        Ok(())
    }

    /// Ends what did not outlive the battery's restart, and parts of an update that are now installed. Returns whether orders wait
    /// for it.
    async fn check_hello(
        &self,
        tx: &mut Tx,
        report: &Report,
        hello: &Hello,
        started_at: Millis,
        changes: &mut Vec<ReportChange>,
    ) -> Result<bool> {
        let (sn, now) = (&report.sn, report.received_at);
        let before = started_at - in_force::START_TOLERANCE;
        let check = setting::check_hello(tx, sn, hello.settings_version, before, now).await?;
        if check.has_stale_effects {
            in_force::end_before_restart(tx, sn, before).await?;
            changes.extend([ReportChange::Settings, ReportChange::Effects]);
        }
        let mut orders_wait = check.orders_wait;
        if check.has_updates {
            let cache = &self.update_cache;
            let newest = firmware::confirm_versions(tx, cache, sn, &hello.versions, now).await?;
            if let Some((update, is_changed)) = newest {
                orders_wait |= update.state.is_open();
                if is_changed {
                    changes.push(ReportChange::Update(update));
                }
            }
        }
        Ok(orders_wait)
    }
}

/// What a new event means for the system that sent it.
async fn apply_event(
    tx: &mut Tx,
    sn: &Serial,
    happened: &Event,
    now: Millis,
    changes: &mut Vec<ReportChange>,
) -> Result<()> {
    if setting::record_grid_limit(tx, sn, happened).await? {
        changes.push(ReportChange::Settings);
    }
    if in_force::apply_event(tx, sn, happened).await? {
        changes.push(ReportChange::Effects);
    }
    if let (EventCode::SwitchCycled, true, Some(at)) = (happened.code, happened.on, happened.at)
        && let Some(took) = pattern_duration(happened.args.as_deref())
    {
        let owner = claim::apply_switch_pattern(tx, sn, at - took, at, now).await?;
        changes.extend(owner.map(|_| ReportChange::Owner));
    }
    Ok(())
}

/// One outcome for each received report.
fn merge_outcomes(
    rerouted: Vec<Option<Vec<RoutedReport>>>,
    written: Vec<ReportOutcome>,
) -> Vec<ReportOutcome> {
    let mut written = written.into_iter();
    let outcome = |rerouted: Option<Vec<RoutedReport>>| match rerouted {
        None => written.next().unwrap_or_default(),
        Some(rerouted) => {
            let reports = rerouted.into_iter().map(|one| one.report);
            let each: Vec<_> = reports.zip(written.by_ref()).collect();
            ReportOutcome {
                rerouted: Some(each),
                ..ReportOutcome::default()
            }
        }
    };
    rerouted.into_iter().map(outcome).collect()
}

fn samples(report: &Report) -> impl Iterator<Item = (&Serial, &Sample)> {
    let samples = match &report.body {
        ReportBody::Sample(sample) => std::slice::from_ref(sample),
        ReportBody::BackFill { samples, .. } => samples,
        _ => &[],
    };
    samples.iter().map(|sample| (&report.sn, sample))
}

fn samples_in(body: &ReportBody) -> usize {
    match body {
        ReportBody::Sample(_) => 1,
        ReportBody::BackFill { samples, .. } => samples.len(),
        _ => 0,
    }
}
