//! Stores reports in batches: several share one commit, and each is acknowledged when the commit is durable.
use crate::live::LiveView;
use domain::Serial;
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;
use store::Store;
use store::presence::GatewayId;
use store::report::{Report, ReportBody, ReportOutcome};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Under load, batches begin at least this far apart: each costs a disk sync, whatever its size.
const BATCH_INTERVAL: Duration = Duration::from_millis(50);
/// With this many reports a batch begins at once: a larger one would cost hardly less per report.
const FULL_BATCH_SIZE: usize = 256;
/// After a smaller batch the next one begins at once, because waiting would gain nothing.
const BUSY_BATCH_SIZE: usize = 4;
const MAX_BATCH_SIZE: usize = 1_024;
/// Last wills per batch. Each is a separate statement that delays the samples of its batch.
const MAX_WILLS_PER_BATCH: usize = 16;
/// Reports that may wait. Submitting more blocks the caller.
const MAX_PENDING_REPORTS: usize = 4 * MAX_BATCH_SIZE;
/// How long a report that cannot be stored is held before its sender gets an error.
pub const REPORT_HOLD_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of one attempt, so that a dead connection does not use up all of [`REPORT_HOLD_TIMEOUT`].
const COMMIT_TIMEOUT: Duration = Duration::from_secs(20);
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(50);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Accepts reports and resolves when they are durable. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Uplink(mpsc::Sender<PendingReport>);

/// The report could not be stored in time. The battery has to send it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the report was not stored")]
pub struct NotStored;

/// Resolves when a report is durable.
pub type Receipt = oneshot::Receiver<ReportOutcome>;

/// A report that waits to be stored. If it is dropped without an acknowledgement, the battery sends it again.
#[derive(Debug)]
pub struct PendingReport {
    report: Report,
    since: Instant,
    done: oneshot::Sender<ReportOutcome>,
}

impl Uplink {
    /// An uplink and its receiving end, which stores and acknowledges the reports.
    pub fn channel() -> (Self, mpsc::Receiver<PendingReport>) {
        let (sender, receiver) = mpsc::channel(MAX_PENDING_REPORTS);
        (Self(sender), receiver)
    }

    /// Queues a report. Waits only while the queue is full.
    pub async fn submit(&self, report: Report) -> Result<Receipt, NotStored> {
        let (done, receipt) = oneshot::channel();
        let entry = PendingReport {
            report,
            since: Instant::now(),
            done,
        };
        // Mostly there is room, and no timer is needed.
        match self.0.try_send(entry) {
            Ok(()) => Ok(receipt),
            Err(TrySendError::Closed(_)) => Err(NotStored),
            Err(TrySendError::Full(entry)) => {
                match tokio::time::timeout(REPORT_HOLD_TIMEOUT, self.0.send(entry)).await {
                    Ok(Ok(())) => Ok(receipt),
                    _ => Err(NotStored),
                }
            }
        }
    }

    /// Resolves when the report is durable.
    pub async fn store(&self, report: Report) -> Result<ReportOutcome, NotStored> {
        self.submit(report).await?.await.map_err(|_| NotStored)
    }
}

impl PendingReport {
    pub fn acknowledge(self, outcome: ReportOutcome) {
        // The connection may be gone; then nobody needs the answer.
        let _ = self.done.send(outcome);
    }
}

/// The reports of one commit and their senders.
#[derive(Default)]
struct ReportBatch {
    reports: Vec<Report>,
    /// Parallel to `reports`; `None` for a report that the bus added itself.
    waiting: Vec<Option<(Instant, oneshot::Sender<ReportOutcome>)>>,
}

impl ReportBatch {
    fn push(&mut self, report: Report, waiting: Option<(Instant, oneshot::Sender<ReportOutcome>)>) {
        self.reports.push(report);
        self.waiting.push(waiting);
    }

    fn split_off(&mut self, at: usize) -> Self {
        Self {
            reports: self.reports.split_off(at),
            waiting: self.waiting.split_off(at),
        }
    }

    /// Drops reports that have waited too long, and all that the bus added itself. Dropping the sender reports the error.
    fn drop_older_than(&mut self, limit: Duration) {
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

/// Commits batches until `stop`, then what was submitted before.
pub(crate) async fn commit_all(
    store: Store,
    live: LiveView,
    mut waiting: mpsc::Receiver<PendingReport>,
    stop: CancellationToken,
) {
    let mut pending = Vec::with_capacity(MAX_BATCH_SIZE);
    let mut postponed = VecDeque::new();
    let mut next = Instant::now();
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled(), if !waiting.is_closed() => {
                waiting.close();
                continue;
            }
            got = waiting.recv_many(&mut pending, MAX_BATCH_SIZE) => {
                if got == 0 && postponed.is_empty() { return }
            }
            () = tokio::time::sleep_until(next), if !postponed.is_empty() => {}
        }
        while pending.len() < FULL_BATCH_SIZE {
            let room = MAX_BATCH_SIZE - pending.len();
            match tokio::time::timeout_at(next, waiting.recv_many(&mut pending, room)).await {
                Ok(more) if more > 0 => {}
                _ => break,
            }
        }
        postpone_wills(&mut pending, &mut postponed);
        next = Instant::now();
        if pending.len() >= BUSY_BATCH_SIZE {
            next += BATCH_INTERVAL;
        }
        commit(&store, &live, make_batch(&live, &mut pending)).await;
    }
}

/// Keeps [`MAX_WILLS_PER_BATCH`] last wills, the oldest, and postpones the others: when thousands of connections break at once, the
/// other batteries are acknowledged as before.
fn postpone_wills(pending: &mut Vec<PendingReport>, postponed: &mut VecDeque<PendingReport>) {
    let due = postponed.len().min(MAX_WILLS_PER_BATCH);
    let mut batch: Vec<PendingReport> = postponed.drain(..due).collect();
    let mut room = MAX_WILLS_PER_BATCH - due;
    for entry in pending.drain(..) {
        let will = matches!(entry.report.body, ReportBody::Offline { .. });
        match will {
            true if room == 0 => postponed.push_back(entry),
            _ => {
                room -= usize::from(will);
                batch.push(entry);
            }
        }
    }
    *pending = batch;
}

/// Makes a batch, and adds a report for each battery that comes online by a sample.
fn make_batch(live: &LiveView, pending: &mut Vec<PendingReport>) -> ReportBatch {
    let mut batch = ReportBatch::default();
    let mut online: HashMap<Serial, bool> = HashMap::new();
    for entry in pending.drain(..) {
        let sn = &entry.report.sn;
        match &entry.report.body {
            ReportBody::Hello { .. } => {
                online.insert(sn.clone(), true);
            }
            ReportBody::Sample(_) => {
                let known = online.get(sn).copied();
                if !known.unwrap_or_else(|| live.is_online_here(sn)) {
                    online.insert(sn.clone(), true);
                    batch.push(online_report(&entry.report), None);
                }
            }
            // The battery reconnected before its last will was processed.
            ReportBody::Offline { .. } if live.contacted_after(sn, entry.report.received_at) => {
                entry.acknowledge(ReportOutcome::default());
                continue;
            }
            ReportBody::Offline { .. } => {
                online.insert(sn.clone(), false);
            }
            _ => {}
        }
        batch.push(entry.report, Some((entry.since, entry.done)));
    }
    batch
}

/// A live sample shows that its battery is online.
fn online_report(sample: &Report) -> Report {
    Report {
        sn: sample.sn.clone(),
        received_at: sample.received_at,
        body: ReportBody::Online,
    }
}

async fn commit(store: &Store, live: &LiveView, mut batch: ReportBatch) {
    let mut pause = FIRST_RETRY_DELAY;
    while !batch.reports.is_empty() {
        let attempted = attempt(store, live.gateway(), &batch.reports).await;
        live.set_storing(!matches!(attempted, Err(CommitFailure::Unavailable)));
        match attempted {
            Ok(outcomes) => {
                let late = finish(live, batch, outcomes);
                return Box::pin(commit(store, live, late)).await;
            }
            Err(CommitFailure::Refused) if batch.reports.len() == 1 => {
                return commit_as_reject(store, live, batch).await;
            }
            // Not acknowledged, so the battery sends it again until a backup is restored.
            Err(CommitFailure::Damaged) if batch.reports.len() == 1 => return,
            Err(CommitFailure::Refused | CommitFailure::Damaged) => {
                // One bad report must not block the others: bisect until it is alone.
                let second = batch.split_off(batch.reports.len() / 2);
                Box::pin(commit(store, live, batch)).await;
                return Box::pin(commit(store, live, second)).await;
            }
            Err(CommitFailure::Unavailable) => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_RETRY_DELAY);
                batch.drop_older_than(REPORT_HOLD_TIMEOUT);
            }
        }
    }
}

enum CommitFailure {
    /// The database cannot store anything now.
    Unavailable,
    /// The database will never accept this report.
    Refused,
    /// The system's part of the database is damaged; others may be intact.
    Damaged,
}

async fn attempt(
    store: &Store,
    gateway: GatewayId,
    reports: &[Report],
) -> Result<Vec<ReportOutcome>, CommitFailure> {
    match tokio::time::timeout(COMMIT_TIMEOUT, store.append(reports, gateway)).await {
        Ok(Ok(outcomes)) => Ok(outcomes),
        Ok(Err(error)) => {
            tracing::error!(%error, reports = reports.len(), "reports_not_stored");
            if let (true, [report]) = (error.is_damage(), reports) {
                store
                    .db()
                    .report_damage(&error, report.body.name(), &report.sn);
            }
            Err(if error.is_refusal() {
                CommitFailure::Refused
            } else if error.is_damage() {
                CommitFailure::Damaged
            } else {
                CommitFailure::Unavailable
            })
        }
        Err(_) => {
            tracing::error!(
                reports = reports.len(),
                "database_timeout: reports are held and retried"
            );
            Err(CommitFailure::Unavailable)
        }
    }
}

/// Stores the report as a reject. Otherwise the battery would send it again for ever.
async fn commit_as_reject(store: &Store, live: &LiveView, mut batch: ReportBatch) {
    let Some(report) = batch.reports.pop() else {
        return;
    };
    if matches!(report.body, ReportBody::Reject { .. }) {
        return;
    }
    let reject = Report {
        body: ReportBody::Reject {
            topic: report.body.name().to_owned(),
            reason: "not_storable",
            payload: format!("{:?}", report.body).into_bytes(),
        },
        ..report
    };
    batch.reports.push(reject);
    Box::pin(commit(store, live, batch)).await;
}

/// Updates the live view and resolves receipts. Returns the reports that put a battery online again if it was marked as silent
/// while its sample was being written.
fn finish(live: &LiveView, batch: ReportBatch, outcomes: Vec<ReportOutcome>) -> ReportBatch {
    metrics::histogram!("link_group_size").record(batch.reports.len() as f64);
    metrics::counter!("link_reports_stored_total").increment(batch.reports.len() as u64);
    live.committed(&batch.reports, &outcomes);
    let mut late = ReportBatch::default();
    let presence =
        |report: &&Report| matches!(report.body, ReportBody::Online | ReportBody::Offline { .. });
    let with_presence = batch.reports.iter().filter(presence);
    let with_presence: HashSet<&Serial> = with_presence.map(|report| &report.sn).collect();
    for report in &batch.reports {
        let sampled = matches!(report.body, ReportBody::Sample(_));
        if sampled && !live.is_online(&report.sn) && !with_presence.contains(&report.sn) {
            late.push(online_report(report), None);
        }
    }
    for (waiting, outcome) in batch.waiting.into_iter().zip(outcomes) {
        if let Some((_, done)) = waiting {
            // The connection may be gone; then nobody needs the answer.
            let _ = done.send(outcome);
        }
    }
    late
}
