//! The way up: reports wait for company, share one commit, and are answered when it is durable.
use crate::live::Live;
use domain::Serial;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use store::Store;
use store::presence::GatewayId;
use store::report::{Body, Outcome, Report};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// While many report, groups begin at least this far apart, unless one is full.
const PACE: Duration = Duration::from_millis(20);
/// With fewer in a group nobody gains by waiting for company.
const MANY: usize = 4;
const GROUP: usize = 1_024;
/// Reports that may wait; who brings more waits with them.
const WAITING: usize = 4 * GROUP;
/// How long a report that cannot be stored is held before its sender is told.
pub const HOLD: Duration = Duration::from_secs(30);
/// How long one attempt may take, so that a dead connection does not use up the whole time.
const ATTEMPT: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Takes reports and answers when they are durable. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Uplink(mpsc::Sender<Job>);

/// The database took it not in time; the battery has to send it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the report was not stored")]
pub struct NotStored;

/// Resolves when a report is durable.
pub type Receipt = oneshot::Receiver<Outcome>;

#[derive(Debug)]
pub(crate) struct Job {
    report: Report,
    since: Instant,
    done: oneshot::Sender<Outcome>,
}

impl Uplink {
    pub(crate) fn channel() -> (Self, mpsc::Receiver<Job>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(sender), receiver)
    }

    /// Hands a report in; waits only while too many wait already.
    pub async fn submit(&self, report: Report) -> Result<Receipt, NotStored> {
        let (done, receipt) = oneshot::channel();
        let job = Job {
            report,
            since: Instant::now(),
            done,
        };
        match tokio::time::timeout(HOLD, self.0.send(job)).await {
            Ok(Ok(())) => Ok(receipt),
            _ => Err(NotStored),
        }
    }

    /// Resolves when the report is durable.
    pub async fn store(&self, report: Report) -> Result<Outcome, NotStored> {
        self.submit(report).await?.await.map_err(|_| NotStored)
    }
}

/// Reports of one commit with those who wait for it.
#[derive(Default)]
struct Group {
    reports: Vec<Report>,
    /// As many as reports; what the bus adds itself has nobody waiting.
    waiting: Vec<Option<(Instant, oneshot::Sender<Outcome>)>>,
}

impl Group {
    fn push(&mut self, report: Report, waiting: Option<(Instant, oneshot::Sender<Outcome>)>) {
        self.reports.push(report);
        self.waiting.push(waiting);
    }

    fn split_off(&mut self, at: usize) -> Self {
        Self {
            reports: self.reports.split_off(at),
            waiting: self.waiting.split_off(at),
        }
    }

    /// Tells those who have waited too long, by leaving their reports out.
    fn give_up(&mut self, limit: Duration) {
        let mut kept = Self::default();
        for (report, waiting) in self.reports.drain(..).zip(self.waiting.drain(..)) {
            if waiting
                .as_ref()
                .is_some_and(|(since, _)| since.elapsed() < limit)
            {
                kept.push(report, waiting);
            }
        }
        *self = kept;
    }
}

/// Commits group after group until `stop`, then what was handed in before.
pub(crate) async fn commit_all(
    store: Store,
    live: Live,
    mut waiting: mpsc::Receiver<Job>,
    stop: CancellationToken,
) {
    let mut jobs = Vec::with_capacity(GROUP);
    let mut next = Instant::now();
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled(), if !waiting.is_closed() => {
                waiting.close();
                continue;
            }
            got = waiting.recv_many(&mut jobs, GROUP) => if got == 0 { return },
        }
        while jobs.len() < GROUP {
            let room = GROUP - jobs.len();
            match tokio::time::timeout_at(next, waiting.recv_many(&mut jobs, room)).await {
                Ok(more) if more > 0 => {}
                _ => break,
            }
        }
        next = Instant::now();
        if jobs.len() >= MANY {
            next += PACE;
        }
        commit(&store, &live, gather(&live, &mut jobs)).await;
    }
}

/// Makes a group, and adds what it says about who is there.
fn gather(live: &Live, jobs: &mut Vec<Job>) -> Group {
    let mut group = Group::default();
    let mut online: HashMap<Serial, bool> = HashMap::new();
    for job in jobs.drain(..) {
        let sn = &job.report.sn;
        match &job.report.body {
            Body::Hello { .. } => {
                online.insert(sn.clone(), true);
            }
            Body::Sample(_) => {
                let known = online.get(sn).copied();
                if !known.unwrap_or_else(|| live.is_online_here(sn)) {
                    online.insert(sn.clone(), true);
                    group.push(is_there(&job.report), None);
                }
            }
            // It was back before its will was carried out.
            Body::Offline { .. } if live.heard_after(sn, job.report.received_at) => {
                let _ = job.done.send(Outcome::default());
                continue;
            }
            Body::Offline { .. } => {
                online.insert(sn.clone(), false);
            }
            _ => {}
        }
        group.push(job.report, Some((job.since, job.done)));
    }
    group
}

/// What a sample says besides its values.
fn is_there(sample: &Report) -> Report {
    Report {
        sn: sample.sn.clone(),
        received_at: sample.received_at,
        body: Body::Online,
    }
}

async fn commit(store: &Store, live: &Live, mut group: Group) {
    let mut pause = FIRST_PAUSE;
    while !group.reports.is_empty() {
        let attempted = attempt(store, live.gateway(), &group.reports).await;
        live.set_storing(!matches!(attempted, Err(Failure::Unavailable)));
        match attempted {
            Ok(outcomes) => {
                let late = finish(live, group, outcomes).await;
                return Box::pin(commit(store, live, late)).await;
            }
            Err(Failure::Refused) if group.reports.len() == 1 => {
                return refuse(store, live, group).await;
            }
            // The battery is not told that it is stored: it sends it again, until a backup was put back.
            Err(Failure::Damaged) if group.reports.len() == 1 => return,
            Err(Failure::Refused | Failure::Damaged) => {
                // One report that the database does not take must not hold up the others: halves find it soon.
                let second = group.split_off(group.reports.len() / 2);
                Box::pin(commit(store, live, group)).await;
                return Box::pin(commit(store, live, second)).await;
            }
            Err(Failure::Unavailable) => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                group.give_up(HOLD);
            }
        }
    }
}

enum Failure {
    /// The database cannot take anything now.
    Unavailable,
    /// It will never take this.
    Refused,
    /// The place where this belongs is damaged; that of others may be sound.
    Damaged,
}

async fn attempt(
    store: &Store,
    gateway: GatewayId,
    reports: &[Report],
) -> Result<Vec<Outcome>, Failure> {
    match tokio::time::timeout(ATTEMPT, store.append(reports, gateway)).await {
        Ok(Ok(outcomes)) => Ok(outcomes),
        Ok(Err(error)) => {
            tracing::error!(%error, reports = reports.len(), "reports were not stored");
            if let (true, [report]) = (error.is_damage(), reports) {
                store.report_damage(&error, report.body.name(), &report.sn);
            }
            Err(if error.is_refusal() {
                Failure::Refused
            } else if error.is_damage() {
                Failure::Damaged
            } else {
                Failure::Unavailable
            })
        }
        Err(_) => {
            tracing::error!(reports = reports.len(), "the database does not answer");
            Err(Failure::Unavailable)
        }
    }
}

/// Keeps it among the rejects, as it would come back for ever.
async fn refuse(store: &Store, live: &Live, mut group: Group) {
    let Some(report) = group.reports.pop() else {
        return;
    };
    if matches!(report.body, Body::Reject { .. }) {
        return;
    }
    let reject = Report {
        body: Body::Reject {
            topic: report.body.name().to_owned(),
            reason: "not_storable",
            payload: format!("{:?}", report.body).into_bytes(),
        },
        ..report
    };
    group.reports.push(reject);
    Box::pin(commit(store, live, group)).await;
}

/// Answers who waits. Returns what is left to say: who was declared silent while its sample was written is there after all.
async fn finish(live: &Live, group: Group, outcomes: Vec<Outcome>) -> Group {
    metrics::histogram!("link_group_size").record(group.reports.len() as f64);
    metrics::counter!("link_reports_stored_total").increment(group.reports.len() as u64);
    live.committed(&group.reports, &outcomes).await;
    let mut late = Group::default();
    let presence = |report: &&Report| matches!(report.body, Body::Online | Body::Offline { .. });
    let said = group.reports.iter().filter(presence);
    let said: HashSet<&Serial> = said.map(|report| &report.sn).collect();
    for report in &group.reports {
        let sampled = matches!(report.body, Body::Sample(_));
        if sampled && !live.is_online(&report.sn) && !said.contains(&report.sn) {
            late.push(is_there(report), None);
        }
    }
    for (waiting, outcome) in group.waiting.into_iter().zip(outcomes) {
        if let Some((_, done)) = waiting {
            // A connection that is gone needs no answer.
            let _ = done.send(outcome);
        }
    }
    late
}
