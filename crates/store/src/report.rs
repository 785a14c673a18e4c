//! What batteries report, written in groups: one transaction, one fsync, for as many messages as wait.
use crate::db::Tx;
use crate::device::Facts;
use crate::firmware::UpdateJob;
use crate::presence::{GatewayId, Presence};
use crate::unit::Filed;
use crate::{
    Result, Store, claim, command, device, event, firmware, hidden, in_force, presence, reject,
    setting, telemetry,
};
use domain::claim::pattern_duration;
use domain::clock::Millis;
use domain::command::Answer;
use domain::event::EventCode;
use domain::firmware::FirmwareReport;
use domain::sample::MessageId;
use domain::setting::SettingsReport;
use domain::{AccountId, CommandId, Event, Hello, Sample, Serial};

/// One message of one battery, decoded and placed in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub sn: Serial,
    pub received_at: Millis,
    pub body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Hello {
        hello: Hello,
        /// When this start of the device was, by our clock.
        started_at: Millis,
    },
    /// A sample as it is measured: it moves the live view and says that the battery is there.
    Sample(Sample),
    /// Samples kept while the battery was away: they fill gaps and change nothing else.
    History {
        samples: Vec<Sample>,
        hidden: Vec<HiddenSample>,
    },
    Event(Event),
    Settings(SettingsReport),
    Answer(Answer),
    Firmware(FirmwareReport),
    /// A command was handed to the battery's connection.
    Sent(CommandId),
    /// The battery is there, although it said no hello.
    Online,
    /// Its last will, with the boot that left it.
    Offline {
        boot: u32,
    },
    /// A message that cannot be used, with the reason.
    Reject {
        topic: String,
        reason: &'static str,
        payload: Vec<u8>,
    },
}

impl Body {
    /// The end of the topic it came by, for the log.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Sample(_) => "tele",
            Self::History { .. } => "hist",
            Self::Event(_) => "ev",
            Self::Settings(_) => "rep",
            Self::Answer(_) | Self::Sent(_) => "res",
            Self::Firmware(_) => "fw",
            Self::Online | Self::Offline { .. } => "pres",
            Self::Reject { .. } => "reject",
        }
    }
}

/// A sample that could not be placed in time: kept, never shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenSample {
    pub id: MessageId,
    /// What the battery sent, as JSON.
    pub payload: String,
}

/// What a report changed. A repeat changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Per sample: whether it was new.
    pub new: Vec<bool>,
    /// The system's facts, where this report had something new to say about them.
    pub facts: Option<Facts>,
    /// Whether an event was new.
    pub event_new: bool,
    /// Whether what is known about its settings is different now.
    pub settings_changed: bool,
    /// Whether the command that it is about fares differently now.
    pub command_changed: bool,
    /// Whether what is in force at it is different now.
    pub in_force_changed: bool,
    /// Its newest update, where that fares differently now.
    pub update: Option<UpdateJob>,
    /// Whether settings, commands or firmware wait for the battery that said hello.
    pub orders_wait: bool,
    /// The present state, where this report had a say in it.
    pub presence: Option<Presence>,
    /// The account that a turned switch linked.
    pub linked: Option<AccountId>,
    /// How it was kept instead, where its unit was exchanged: what is said above of each.
    pub filed: Option<Vec<(Report, Outcome)>>,
}

impl Store {
    /// Writes a group of reports that came to this gateway; all of it is durable when this returns.
    pub async fn append(&self, reports: &[Report], gateway: GatewayId) -> Result<Vec<Outcome>> {
        let Some(newest) = reports.iter().map(|report| report.received_at).max() else {
            return Ok(Vec::new());
        };
        let mut tx = self.begin().await?;
        let units = self.units.read(&mut tx).await?;
        let filed: Vec<Option<Vec<Filed>>> =
            reports.iter().map(|report| units.file(report)).collect();
        let mut kept: Vec<(&Report, bool)> = Vec::with_capacity(reports.len());
        for (report, filed) in reports.iter().zip(&filed) {
            match filed {
                None => kept.push((report, false)),
                Some(filed) => kept.extend(filed.iter().map(|one| (&one.report, one.elsewhere))),
            }
        }
        let samples: Vec<(&Serial, &Sample)> = kept
            .iter()
            .flat_map(|(report, _)| samples(report))
            .collect();
        let new = telemetry::insert(&mut tx, &samples, newest).await?;
        let mut new = new.into_iter();
        let outcome = |(report, _): &(&Report, bool)| Outcome {
            new: new.by_ref().take(samples_in(&report.body)).collect(),
            ..Outcome::default()
        };
        let mut written: Vec<Outcome> = kept.iter().map(outcome).collect();
        // One order for everybody, so that two writers never wait for each other; those of one battery stay as they came.
        let mut sorted: Vec<_> = kept.iter().zip(&mut written).collect();
        sorted.sort_by_key(|((report, _), _)| &report.sn);
        for ((report, elsewhere), outcome) in sorted {
            self.write(&mut tx, report, *elsewhere, gateway, outcome)
                .await?;
        }
        let outcomes = gather(filed, written);
        if outcomes.iter().any(|outcome| outcome.linked.is_some()) {
            tx.commit().await?;
        } else {
            let changed = reports.iter().zip(&outcomes);
            let described = changed.filter(|(_, outcome)| outcome.facts.is_some());
            tx.commit_reports(described.map(|(report, _)| &report.sn))
                .await?;
        }
        Ok(outcomes)
    }

    /// Everything of a report but its samples.
    async fn write(
        &self,
        tx: &mut Tx,
        report: &Report,
        elsewhere: bool,
        gateway: GatewayId,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let (sn, now) = (&report.sn, report.received_at);
        match &report.body {
            Body::Hello { hello, started_at } => {
                device::keep_boot(tx, sn, hello.id.boot, *started_at).await?;
                // An older hello that comes late must not overwrite what a newer one said.
                outcome.presence = presence::hello(tx, sn, hello.id, gateway, now).await?;
                if outcome.presence.is_some() {
                    outcome.facts = device::keep_facts(tx, sn, hello).await?;
                    let before = *started_at - in_force::START_TOLERANCE;
                    let held = setting::held(tx, sn, hello.settings_version, before, now).await?;
                    outcome.orders_wait = held.orders_wait;
                    if held.outlived {
                        in_force::restarted(tx, sn, before).await?;
                        outcome.in_force_changed = true;
                        outcome.settings_changed = true;
                    }
                    if held.updated {
                        let newest =
                            firmware::confirmed(tx, &self.running, sn, &hello.versions, now)
                                .await?;
                        if let Some((update, news)) = newest {
                            outcome.orders_wait |= update.state.is_open();
                            outcome.update = news.then_some(update);
                        }
                    }
                }
            }
            Body::Sample(_) => {}
            Body::History { hidden: kept, .. } => hidden::keep(tx, sn, kept, now).await?,
            Body::Event(happened) => {
                outcome.event_new = event::keep(tx, sn, happened, now).await?;
                if elsewhere {
                    return Ok(());
                }
                if outcome.event_new {
                    outcome.settings_changed = setting::limited(tx, sn, happened).await?;
                    outcome.in_force_changed = in_force::happened(tx, sn, happened).await?;
                }
                if let (true, EventCode::SwitchCycled, true, Some(at)) =
                    (outcome.event_new, happened.code, happened.on, happened.at)
                    && let Some(took) = pattern_duration(happened.args.as_deref())
                {
                    outcome.linked = claim::pattern_reported(tx, sn, at - took, at, now).await?;
                }
            }
            Body::Settings(report) => {
                outcome.settings_changed = setting::reported(tx, sn, report, now).await?;
            }
            Body::Answer(answer) => {
                let changed = command::answered(tx, sn, answer, now).await?;
                outcome.command_changed = changed.command;
                outcome.in_force_changed = changed.in_force;
            }
            Body::Firmware(report) => {
                outcome.update = firmware::reported(tx, &self.running, sn, report, now).await?;
            }
            Body::Sent(id) => outcome.command_changed = command::sent(tx, sn, id, now).await?,
            Body::Online => {
                outcome.presence = Some(presence::online(tx, sn, gateway, now).await?);
            }
            Body::Offline { boot } => {
                outcome.presence = presence::left(tx, sn, *boot, gateway, now).await?;
            }
            Body::Reject {
                topic,
                reason,
                payload,
            } => reject::keep(tx, sn, topic, reason, payload, now).await?,
        }
        Ok(())
    }
}

/// One outcome for each report that came.
fn gather(filed: Vec<Option<Vec<Filed>>>, written: Vec<Outcome>) -> Vec<Outcome> {
    let mut written = written.into_iter();
    let outcome = |filed: Option<Vec<Filed>>| match filed {
        None => written.next().unwrap_or_default(),
        Some(filed) => {
            let reports = filed.into_iter().map(|one| one.report);
            let each: Vec<_> = reports.zip(written.by_ref()).collect();
            Outcome {
                linked: each.iter().find_map(|(_, outcome)| outcome.linked),
                filed: Some(each),
                ..Outcome::default()
            }
        }
    };
    filed.into_iter().map(outcome).collect()
}

fn samples(report: &Report) -> impl Iterator<Item = (&Serial, &Sample)> {
    let samples = match &report.body {
        Body::Sample(sample) => std::slice::from_ref(sample),
        Body::History { samples, .. } => samples,
        _ => &[],
    };
    samples.iter().map(|sample| (&report.sn, sample))
}

fn samples_in(body: &Body) -> usize {
    match body {
        Body::Sample(_) => 1,
        Body::History { samples, .. } => samples.len(),
        _ => 0,
    }
}
