//! An update as a state machine without clock, network or plug of its own: moments, bytes and power come from outside.
mod loading;
mod telling;

use super::check::{Letter, Reader};
use super::flash::{Step, Task};
use super::{Cut, FirmwareKeys, Flash, Pace};
use crate::wire::Firmware;
use domain::firmware::{Fault, FirmwareReport, JobId, Part, Stage};
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// What only the battery around it can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Start again, from the slot that is to be started.
    Restart,
    /// The plug is pulled for so long.
    LosePower(Duration),
}

/// What a battery has from the factory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factory<'a> {
    pub(crate) firmware: &'a Firmware,
    /// It updates only with its main switch off.
    pub(crate) needs_off: bool,
    pub(crate) keys: Option<FirmwareKeys>,
}

#[derive(Debug)]
pub(crate) struct Updater {
    needs_off: bool,
    keys: Option<FirmwareKeys>,
    pub(crate) pace: Pace,
    pub(super) flash: Flash,
    /// What is still to go wrong.
    cuts: Vec<Cut>,
    run: Run,
    /// To be sent, oldest first.
    reports: Vec<FirmwareReport>,
}

/// What a power cut takes away.
#[derive(Debug)]
struct Run {
    /// When the present step began.
    since: Instant,
    looked_at: Instant,
    /// What was said last, and when.
    said: Option<(Part, Stage, u8)>,
    said_at: Instant,
    /// The main switch as it was last seen.
    switched_on: bool,
    /// Since when the main switch has been on between two parts.
    on_since: Option<Instant>,
    /// Tries in a row that brought no byte, …
    failed: u32,
    /// … and those that the update service answered with a no.
    refused: u32,
    retry_at: Instant,
    /// The plug is out.
    cut: Option<Duration>,
}

impl Run {
    fn new(now: Instant) -> Self {
        Self {
            since: now,
            looked_at: now,
            said: None,
            said_at: now,
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
    pub(crate) fn new(factory: Factory<'_>, pace: Pace, cuts: Vec<Cut>, now: Instant) -> Self {
        Self {
            needs_off: factory.needs_off,
            keys: factory.keys,
            pace,
            flash: Flash::new(factory.firmware),
            cuts,
            run: Run::new(now),
            reports: Vec::new(),
        }
    }

    /// The update that is worked on.
    pub(crate) fn job(&self) -> Option<&JobId> {
        self.flash.task.as_ref().map(|task| &task.job)
    }

    /// What runs.
    pub(crate) fn firmware(&self) -> Firmware {
        self.flash.firmware()
    }

    pub(crate) fn take_reports(&mut self) -> Vec<FirmwareReport> {
        std::mem::take(&mut self.reports)
    }

    /// `down/fw`. One that is worked on or was ended changes nothing; what is known about it is said again.
    pub(crate) fn assign(&mut self, message: &Value, reader: Reader<'_>, now: Instant) {
        let Some(letter) = Letter::read(message) else {
            return;
        };
        if self.job() == Some(&letter.job) {
            return self.say_again();
        }
        if let Some(last) = self.flash.last.as_ref()
            && last.job == letter.job
        {
            return self.reports.push(last.clone());
        }
        match letter.open(self.keys.as_ref(), &self.flash, reader) {
            Err(refused) => self.reports.push(refused),
            // A newer one replaces what has changed nothing yet; what has is ended first, and the portal asks again.
            Ok(_) if self.is_past_return() => {}
            Ok(assigned) => {
                self.flash.newest = assigned.number;
                self.flash.task = Some(Task {
                    job: assigned.job,
                    url: letter.url,
                    parts: assigned.parts,
                    place: 0,
                    step: Step::Begin,
                    image: Vec::new(),
                });
                self.run = Run::new(now);
                self.progress(0, 1, now);
            }
        }
    }

    fn is_past_return(&self) -> bool {
        let writes = |task: &Task| matches!(task.step, Step::Install | Step::Restart | Step::Prove);
        self.flash.task.as_ref().is_some_and(writes)
    }

    /// After a hello, the portal hears how far it is.
    pub(crate) fn say_again(&mut self) {
        self.run.said = None;
    }

    /// When it has to be looked at next, while an update is open.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        let task = self.flash.task.as_ref()?;
        let (run, pace) = (&self.run, self.pace);
        let step = match task.step {
            _ if run.said.is_none() => Some(run.looked_at),
            // Whoever turns the switch makes it look again.
            Step::Begin if self.needs_off && run.switched_on => None,
            Step::AwaitSwitch { seen_on: true } => None,
            Step::Begin | Step::Restart => Some(run.since + pace.settle()),
            Step::AwaitSwitch { seen_on: false } => {
                run.on_since.map(|since| since + pace.switched_on())
            }
            Step::Download => Some(run.retry_at).filter(|at| *at > run.looked_at),
            Step::Verify | Step::Install => Some(run.looked_at + pace.look()),
            Step::Prove => None,
        };
        let heartbeat = run.said_at + pace.heartbeat();
        Some(step.map_or(heartbeat, |step| step.min(heartbeat)))
    }

    /// Goes as far as this moment allows. What it returns has to be done at once.
    pub(crate) fn look(&mut self, now: Instant, switched_on: bool) -> Option<Act> {
        self.run.looked_at = now;
        self.run.switched_on = switched_on;
        let restarts = self.run.cut.is_none() && self.go_on(now, switched_on);
        let cut = self.run.cut.map(Act::LosePower);
        cut.or(restarts.then_some(Act::Restart))
    }

    /// Whether it has to start again to get on.
    fn go_on(&mut self, now: Instant, switched_on: bool) -> bool {
        let Some(task) = &self.flash.task else {
            return false;
        };
        let spent = now.saturating_duration_since(self.run.since);
        let pace = self.pace;
        match task.step {
            // The portal holds it back as well; but the switch may be turned on again before it arrives.
            Step::Begin if self.needs_off && switched_on => self.progress(0, 1, now),
            Step::Begin if spent >= pace.settle() => self.go_to(Step::Download, now),
            Step::Begin => self.progress(0, 1, now),
            Step::AwaitSwitch { seen_on } => self.watch_switch(seen_on, switched_on, now),
            Step::Download => self.count_bytes(now),
            Step::Verify if spent >= pace.verify() => self.verify(now),
            Step::Verify => self.progress(micros(spent), micros(pace.verify()), now),
            Step::Install => self.install(spent, now),
            Step::Restart => self.progress(0, 1, now),
            Step::Prove => self.progress(1, 1, now),
        }
        let task = self.flash.task.as_ref();
        let restart = task.is_some_and(|task| task.step == Step::Restart);
        restart && now >= self.run.since + pace.settle()
    }

    fn go_to(&mut self, step: Step, now: Instant) {
        if let Some(task) = &mut self.flash.task {
            task.step = step;
            self.run.since = now;
            match step {
                Step::Download => self.count_bytes(now),
                _ => self.progress(0, 1, now),
            }
        }
    }

    /// On for long enough, and off again.
    fn watch_switch(&mut self, seen_on: bool, on: bool, now: Instant) {
        let since = match on {
            true => Some(*self.run.on_since.get_or_insert(now)),
            false => self.run.on_since.take(),
        };
        let long_enough = since.is_some_and(|since| now >= since + self.pace.switched_on());
        let seen_on = seen_on || long_enough;
        if seen_on && !on {
            return self.go_to(Step::Download, now);
        }
        if let Some(task) = &mut self.flash.task {
            task.step = Step::AwaitSwitch { seen_on };
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
        self.go_to(Step::Install, now);
    }

    /// Writes as much of the other slot as this time allows.
    fn install(&mut self, spent: Duration, now: Instant) {
        let Some(task) = &self.flash.task else { return };
        let (size, whole) = (task.image.len() as u64, self.pace.install());
        let done = match spent < whole {
            true => size * micros(spent) / micros(whole),
            false => size,
        };
        self.flash.write_spare(usize::try_from(done).unwrap_or(0));
        self.progress(micros(spent), micros(whole), now);
        if spent >= whole && self.run.cut.is_none() {
            self.go_to(Step::Restart, now);
        }
    }

    /// The battery starts: by itself, because somebody told it to, or because power is back. What was in memory is gone.
    pub(crate) fn start(&mut self, now: Instant) {
        self.run = Run::new(now);
        let Some(task) = &self.flash.task else {
            return;
        };
        let (part, step) = (task.manifest().part, task.step);
        match step {
            // Half an image in the other slot is worth nothing; the verified one is still there.
            Step::Install => self.flash.erase_spare(part),
            Step::Restart if self.flash.start_spare(part) => self.go_to(Step::Prove, now),
            Step::Restart => self.fail(Fault::RolledBack),
            _ => {}
        }
    }

    /// The portal has stored a hello of this start, with the versions that run.
    pub(crate) fn hello_was_heard(&mut self, now: Instant) {
        let Some(task) = &mut self.flash.task else {
            return;
        };
        if task.step != Step::Prove {
            return;
        }
        let (part, seq, last) = (task.manifest().part, task.manifest().seq, task.is_last());
        task.image = Vec::new();
        self.flash.confirm(part, seq);
        self.say(Stage::Confirmed, 100, None, now);
        if last {
            self.end();
        } else if let Some(task) = &mut self.flash.task {
            task.place += 1;
            let next = match self.needs_off {
                true => Step::AwaitSwitch { seen_on: false },
                false => Step::Begin,
            };
            self.go_to(next, now);
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.say(Stage::Failed, 0, Some(fault), self.run.looked_at);
        self.end();
    }

    /// Nothing of the update is left but its last word.
    fn end(&mut self) {
        self.flash.task = None;
        self.flash.last = self.reports.last().cloned();
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
