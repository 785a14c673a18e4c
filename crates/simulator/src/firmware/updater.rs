//! An update as a state machine without clock, network or power of its own: times, bytes and power cuts are passed in.
mod downloading;
mod progress;

use super::assignment::{AssignmentMessage, AssignmentRecipient};
use super::flash::{Task, UpdateStep};
use super::{FirmwareKeys, Flash, PowerCut, UpdateTiming};
use crate::wire::FirmwareVersions;
use domain::firmware::{Fault, FirmwareReport, JobId, Part, Stage};
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// An action that the surrounding battery has to carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UpdateAction {
    /// Restart; the spare slot is booted.
    Restart,
    /// Lose power for this long.
    LosePower(Duration),
}

/// The state from the factory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactoryConfig<'a> {
    pub(crate) firmware: &'a FirmwareVersions,
    /// It updates only with its main switch off.
    pub(crate) needs_off: bool,
    pub(crate) keys: Option<FirmwareKeys>,
}

#[derive(Debug)]
pub(crate) struct Updater {
    needs_off: bool,
    keys: Option<FirmwareKeys>,
    pub(crate) timing: UpdateTiming,
    pub(super) flash: Flash,
    /// Power cuts still to come.
    cuts: Vec<PowerCut>,
    volatile: VolatileState,
    /// Reports to send, oldest first.
    reports: Vec<FirmwareReport>,
}

/// State that a power cut erases.
#[derive(Debug)]
struct VolatileState {
    /// Start of the present step.
    since: Instant,
    last_tick_at: Instant,
    /// The last report, and its time.
    reported: Option<(Part, Stage, u8)>,
    reported_at: Instant,
    /// The main switch at the last tick.
    switched_on: bool,
    /// Since when the main switch has been on between two parts.
    on_since: Option<Instant>,
    /// Consecutive attempts without a byte …
    failed: u32,
    /// … and refusals by the update service among them.
    refused: u32,
    retry_at: Instant,
    /// Set when power has to be lost now.
    cut: Option<Duration>,
}

impl VolatileState {
    fn new(now: Instant) -> Self {
        Self {
            since: now,
            last_tick_at: now,
            reported: None,
            reported_at: now,
            switched_on: false,
            on_since: None,
            failed: 0,
            refused: 0,
            retry_at: now,
            cut: None,
        }
    }
}

impl Updater {
    pub(crate) fn new(
        factory: FactoryConfig<'_>,
        timing: UpdateTiming,
        cuts: Vec<PowerCut>,
        now: Instant,
    ) -> Self {
        Self {
            needs_off: factory.needs_off,
            keys: factory.keys,
            timing,
            flash: Flash::new(factory.firmware),
            cuts,
            volatile: VolatileState::new(now),
            reports: Vec::new(),
        }
    }

    /// The update in progress.
    pub(crate) fn job(&self) -> Option<&JobId> {
        self.flash.task.as_ref().map(|task| &task.job)
    }

    /// The running versions.
    pub(crate) fn firmware(&self) -> FirmwareVersions {
        self.flash.firmware()
    }

    pub(crate) fn take_reports(&mut self) -> Vec<FirmwareReport> {
        std::mem::take(&mut self.reports)
    }

    /// `down/fw`. A job that is in progress or ended changes nothing; its last report is repeated.
    pub(crate) fn assign(
        &mut self,
        message: &Value,
        recipient: AssignmentRecipient<'_>,
        now: Instant,
    ) {
        let Some(assignment) = AssignmentMessage::read(message) else {
            return;
        };
        if self.job() == Some(&assignment.job) {
            return self.report_again();
        }
        if let Some(last) = self.flash.last_report.as_ref()
            && last.job == assignment.job
        {
            return self.reports.push(last.clone());
        }
        match assignment.open(self.keys.as_ref(), &self.flash, recipient) {
            Err(refused) => self.reports.push(refused),
            // A newer assignment replaces one that has not written anything yet. Otherwise the running one ends first, and
            // the portal sends the new one again.
            Ok(_) if self.has_begun_writing() => {}
            Ok(assigned) => {
                self.flash.newest_number = assigned.number;
                self.flash.task = Some(Task {
                    job: assigned.job,
                    url: assignment.url,
                    parts: assigned.parts,
                    part_index: 0,
                    step: UpdateStep::Begin,
                    image: Vec::new(),
                });
                self.volatile = VolatileState::new(now);
                self.progress(0, 1, now);
            }
        }
    }

    fn has_begun_writing(&self) -> bool {
        let writes = |task: &Task| {
            matches!(
                task.step,
                UpdateStep::Install | UpdateStep::Restart | UpdateStep::AwaitConfirmation
            )
        };
        self.flash.task.as_ref().is_some_and(writes)
    }

    /// Reports the progress again after a hello.
    pub(crate) fn report_again(&mut self) {
        self.volatile.reported = None;
    }

    /// When `tick` is due next, while an update is in progress.
    pub(crate) fn next_tick(&self) -> Option<Instant> {
        let task = self.flash.task.as_ref()?;
        let (run, timing) = (&self.volatile, self.timing);
        let step = match task.step {
            _ if run.reported.is_none() => Some(run.last_tick_at),
            // A turn of the switch triggers a tick anyway.
            UpdateStep::Begin if self.needs_off && run.switched_on => None,
            UpdateStep::AwaitSwitch { seen_on: true } => None,
            UpdateStep::Begin | UpdateStep::Restart => Some(run.since + timing.settle_time()),
            UpdateStep::AwaitSwitch { seen_on: false } => {
                run.on_since.map(|since| since + timing.min_switched_on())
            }
            UpdateStep::Download => Some(run.retry_at).filter(|at| *at > run.last_tick_at),
            UpdateStep::Verify | UpdateStep::Install => {
                Some(run.last_tick_at + timing.poll_interval())
            }
            UpdateStep::AwaitConfirmation => None,
        };
        let heartbeat = run.reported_at + timing.heartbeat_interval();
        Some(step.map_or(heartbeat, |step| step.min(heartbeat)))
    }

    /// Advances as far as possible at this time. The returned action has to be carried out at once.
    pub(crate) fn tick(&mut self, now: Instant, switched_on: bool) -> Option<UpdateAction> {
        self.volatile.last_tick_at = now;
        self.volatile.switched_on = switched_on;
        let restarts = self.volatile.cut.is_none() && self.go_on(now, switched_on);
        let cut = self.volatile.cut.map(UpdateAction::LosePower);
        cut.or(restarts.then_some(UpdateAction::Restart))
    }

    /// Advances the present step. Returns whether a restart is due.
    fn go_on(&mut self, now: Instant, switched_on: bool) -> bool {
        let Some(task) = &self.flash.task else {
            return false;
        };
        let spent = now.saturating_duration_since(self.volatile.since);
        let timing = self.timing;
        match task.step {
            // The portal waits for the switch too, but it may be turned on again before the assignment arrives.
            UpdateStep::Begin if self.needs_off && switched_on => self.progress(0, 1, now),
            UpdateStep::Begin if spent >= timing.settle_time() => {
                self.go_to(UpdateStep::Download, now)
            }
            UpdateStep::Begin => self.progress(0, 1, now),
            UpdateStep::AwaitSwitch { seen_on } => self.watch_switch(seen_on, switched_on, now),
            UpdateStep::Download => self.count_bytes(now),
            UpdateStep::Verify if spent >= timing.verify_time() => self.verify(now),
            UpdateStep::Verify => self.progress(micros(spent), micros(timing.verify_time()), now),
            UpdateStep::Install => self.install(spent, now),
            UpdateStep::Restart => self.progress(0, 1, now),
            UpdateStep::AwaitConfirmation => self.progress(1, 1, now),
        }
        let task = self.flash.task.as_ref();
        let restart = task.is_some_and(|task| task.step == UpdateStep::Restart);
        restart && now >= self.volatile.since + timing.settle_time()
    }

    fn go_to(&mut self, step: UpdateStep, now: Instant) {
        if let Some(task) = &mut self.flash.task {
            task.step = step;
            self.volatile.since = now;
            match step {
                UpdateStep::Download => self.count_bytes(now),
                _ => self.progress(0, 1, now),
            }
        }
    }

    /// Waits until the switch was on for long enough and is off again.
    fn watch_switch(&mut self, seen_on: bool, on: bool, now: Instant) {
        let since = match on {
            true => Some(*self.volatile.on_since.get_or_insert(now)),
            false => self.volatile.on_since.take(),
        };
        let long_enough = since.is_some_and(|since| now >= since + self.timing.min_switched_on());
        let seen_on = seen_on || long_enough;
        if seen_on && !on {
            return self.go_to(UpdateStep::Download, now);
        }
        if let Some(task) = &mut self.flash.task {
            task.step = UpdateStep::AwaitSwitch { seen_on };
        }
        self.progress(0, 1, now);
    }

    fn verify(&mut self, now: Instant) {
        let Some(task) = &self.flash.task else { return };
        let part = task.manifest().part;
        if !task.manifest().describes(&task.image) {
            return self.fail(Fault::WrongImage);
        }
        self.flash.erase_spare(part);
        self.go_to(UpdateStep::Install, now);
    }

    /// Writes the share of the spare slot that the elapsed time allows.
    fn install(&mut self, spent: Duration, now: Instant) {
        let Some(task) = &self.flash.task else { return };
        let (size, whole) = (task.image.len() as u64, self.timing.install_time());
        let done = match spent < whole {
            true => size * micros(spent) / micros(whole),
            false => size,
        };
        self.flash.write_spare(usize::try_from(done).unwrap_or(0));
        self.progress(micros(spent), micros(whole), now);
        if spent >= whole && self.volatile.cut.is_none() {
            self.go_to(UpdateStep::Restart, now);
        }
    }

    /// The battery boots: after an update, a restart command or a power cut. Volatile state is lost.
    pub(crate) fn start(&mut self, now: Instant) {
        self.volatile = VolatileState::new(now);
        let Some(task) = &self.flash.task else {
            return;
        };
        let (part, step) = (task.manifest().part, task.step);
        match step {
            // A partly written slot is useless; the verified download is still there.
            UpdateStep::Install => self.flash.erase_spare(part),
            UpdateStep::Restart if self.flash.start_spare(part) => {
                self.go_to(UpdateStep::AwaitConfirmation, now)
            }
            UpdateStep::Restart => self.fail(Fault::RolledBack),
            _ => {}
        }
    }

    /// The portal has stored a hello of this boot, with the running versions.
    pub(crate) fn hello_acknowledged(&mut self, now: Instant) {
        let Some(task) = &mut self.flash.task else {
            return;
        };
        if task.step != UpdateStep::AwaitConfirmation {
            return;
        }
        let (part, seq, last) = (task.manifest().part, task.manifest().seq, task.is_last());
        task.image = Vec::new();
        self.flash.confirm(part, seq);
        self.push_report(Stage::Confirmed, 100, None, now);
        if last {
            self.end();
        } else if let Some(task) = &mut self.flash.task {
            task.part_index += 1;
            let next = match self.needs_off {
                true => UpdateStep::AwaitSwitch { seen_on: false },
                false => UpdateStep::Begin,
            };
            self.go_to(next, now);
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.push_report(Stage::Failed, 0, Some(fault), self.volatile.last_tick_at);
        self.end();
    }

    /// Ends the update; only its final report is kept.
    fn end(&mut self) {
        self.flash.task = None;
        self.flash.last_report = self.reports.last().cloned();
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
