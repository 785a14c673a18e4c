//! Reports of batteries, written in groups: one transaction, one fsync, for all messages that wait.
use crate::device::SystemFacts;
use crate::firmware::UpdateJob;
use crate::presence::{GatewayId, Presence};
pub use crate::undated_samples::UndatedSample;
use crate::unit::RoutedReport;
use crate::{
    Result, Store, claim, command, device, event, firmware, in_force, presence, reject, setting,
    undated_samples,
};
use db::Tx;
use domain::claim::pattern_duration;
use domain::clock::Millis;
use domain::command::CommandAnswer;
use domain::event::EventCode;
use domain::firmware::FirmwareReport;
use domain::setting::SettingsReport;
use domain::{AccountId, CommandId, Event, Hello, Sample, Serial};
use strum::IntoStaticStr;

/// One message of one battery, decoded, with its time determined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub sn: Serial,
    pub received_at: Millis,
    pub body: ReportBody,
}

#[derive(Clone, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ReportBody {
    Hello {
        hello: Hello,
        /// When this boot of the device began, by the server's clock.
        started_at: Millis,
    },
    /// A live sample: it updates the live view and shows that the battery is online.
    Sample(Sample),
    /// Samples stored by the battery while it was offline: they fill gaps and change nothing else.
    BackFill {
        samples: Vec<Sample>,
        undated: Vec<UndatedSample>,
    },
    Event(Event),
    Settings(SettingsReport),
    Answer(CommandAnswer),
    Firmware(FirmwareReport),
    /// A command was passed to the battery's connection.
    Sent(CommandId),
    /// The battery is online, although it sent no hello.
    Online,
    /// Its last will, with the boot that left it and its last contact.
    Offline {
        boot: u32,
        since: Millis,
    },
    /// A message that cannot be used, with the reason.
    Reject {
        /// The last part of the topic, or the [name](Self::name) of a report that cannot be stored.
        topic: String,
        reason: &'static str,
        payload: Vec<u8>,
    },
}

impl ReportBody {
    /// What it is, for the log.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

/// What a report changed. A repeat changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportOutcome {
    /// For each sample, whether it was new.
    pub new: Vec<bool>,
    /// The system's facts, if this report changed them.
    pub facts: Option<SystemFacts>,
    /// Whether an event was new.
    pub event_new: bool,
    /// Whether what is known about its settings changed.
    pub settings_changed: bool,
    /// Whether the state of the command changed.
    pub command_changed: bool,
    /// Whether what is in force changed.
    pub in_force_changed: bool,
    /// The newest update, if its state changed.
    pub update: Option<UpdateJob>,
    /// Whether settings, commands or firmware wait for the battery that sent the hello.
    pub orders_wait: bool,
    /// The present state, if this report could affect it.
    pub presence: Option<Presence>,
    /// The account that the pattern at the main switch linked.
    pub linked: Option<AccountId>,
    /// If the unit was exchanged: the reports that were stored instead, each with its outcome.
    pub rerouted: Option<Vec<(Report, ReportOutcome)>>,
}

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
            reports.iter().map(|report| units.route(report)).collect();
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
        let outcomes = merge_outcomes(rerouted, written);
        if outcomes.iter().any(|outcome| outcome.linked.is_some()) {
            tx.commit().await?;
        } else {
            let changed = reports.iter().zip(&outcomes);
            let described = changed.filter(|(_, outcome)| outcome.facts.is_some());
            tx.commit_invalidating(described.map(|(report, _)| &report.sn))
                .await?;
        }
        append.committed();
        Ok(outcomes)
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
        match &report.body {
            ReportBody::Hello { hello, started_at } => {
                device::save_boot(tx, sn, hello.id.boot, *started_at).await?;
                // A late, older hello must not overwrite a newer one.
                outcome.presence = presence::record_hello(tx, sn, hello.id, gateway, now).await?;
                if outcome.presence.is_some() {
                    outcome.facts = device::save_facts(tx, sn, hello).await?;
                    let before = *started_at - in_force::START_TOLERANCE;
                    let check =
                        setting::check_hello(tx, sn, hello.settings_version, before, now).await?;
                    outcome.orders_wait = check.orders_wait;
                    if check.has_stale_effects {
                        in_force::end_before_restart(tx, sn, before).await?;
                        outcome.in_force_changed = true;
                        outcome.settings_changed = true;
                    }
                    if check.has_updates {
                        let newest = firmware::confirm_versions(
                            tx,
                            &self.update_cache,
                            sn,
                            &hello.versions,
                            now,
                        )
                        .await?;
                        if let Some((update, news)) = newest {
                            outcome.orders_wait |= update.state.is_open();
                            outcome.update = news.then_some(update);
                        }
                    }
                }
            }
            ReportBody::Sample(_) => {}
            ReportBody::BackFill { undated: kept, .. } => {
                undated_samples::insert(tx, sn, kept, now).await?
            }
            ReportBody::Event(happened) => {
                outcome.event_new = event::insert(tx, sn, happened, now).await?;
                if for_other_site {
                    return Ok(());
                }
                if outcome.event_new {
                    outcome.settings_changed = setting::record_grid_limit(tx, sn, happened).await?;
                    outcome.in_force_changed = in_force::apply_event(tx, sn, happened).await?;
                }
                if let (true, EventCode::SwitchCycled, true, Some(at)) =
                    (outcome.event_new, happened.code, happened.on, happened.at)
                    && let Some(took) = pattern_duration(happened.args.as_deref())
                {
                    outcome.linked =
                        claim::apply_switch_pattern(tx, sn, at - took, at, now).await?;
                }
            }
            ReportBody::Settings(report) => {
                outcome.settings_changed =
                    setting::record_settings_report(tx, sn, report, now).await?;
            }
            ReportBody::Answer(answer) => {
                let changed = command::record_answer(tx, sn, answer, now).await?;
                outcome.command_changed = changed.command;
                outcome.in_force_changed = changed.in_force;
            }
            ReportBody::Firmware(report) => {
                outcome.update =
                    firmware::record_progress(tx, &self.update_cache, sn, report, now).await?;
            }
            ReportBody::Sent(id) => {
                outcome.command_changed = command::mark_sent(tx, sn, id, now).await?
            }
            ReportBody::Online => {
                outcome.presence = Some(presence::mark_online(tx, sn, gateway, now).await?);
            }
            ReportBody::Offline { boot, since } => {
                outcome.presence = presence::mark_offline(tx, sn, *boot, gateway, *since).await?;
            }
            ReportBody::Reject {
                topic,
                reason,
                payload,
            } => reject::insert(tx, sn, topic, reason, payload, now).await?,
        }
        Ok(())
    }
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
                linked: each.iter().find_map(|(_, outcome)| outcome.linked),
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
