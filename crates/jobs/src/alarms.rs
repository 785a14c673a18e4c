//! Watches over every system: opens and closes alarms, and has people told.
//!
//! It looks at the live view in memory and asks the database only for what changes there: a fleet in which nothing happens costs
//! one small query for each look. Several of these on one database see the same and write it once.
use bus::{Live, Snapshot};
use domain::Serial;
use domain::alarm::{Change, Evidence, Open, Presence, UpdateEnd, Watch};
use domain::clock::{MINUTE, Millis};
use domain::firmware::JobState;
use std::collections::HashMap;
use store::mail::Desk;
use store::{Result, Store};

/// Changes that share a transaction, so that an outage of thousands holds nobody up.
const BATCH: usize = 200;
/// An update that is interrupted may go on by itself, but hardly after so long.
const GIVEN_UP: Millis = 30 * MINUTE;

/// What was seen of each system so far.
#[derive(Debug, Default)]
pub struct Watches {
    watches: HashMap<Serial, Watch>,
    /// As they are in the database.
    signs: HashMap<Serial, Millis>,
    begun: bool,
}

impl Watches {
    /// Looks at every system once, and writes down what changed. Without hearing the other processes it decides nothing: what
    /// the live view has of their batteries may be old.
    pub async fn look(&mut self, store: &Store, live: &Live, now: Millis) -> Result<()> {
        if !live.is_hearing() {
            return Ok(());
        }
        if !self.begun {
            self.signs = store.alarm_signs().await?.into_iter().collect();
            let watch = |(sn, since): (&Serial, &Millis)| (sn.clone(), Watch::with_sign(*since));
            self.watches = self.signs.iter().map(watch).collect();
            self.begun = true;
        }
        let reachable_since = store.reachable_since(now).await?;
        let mut changes: Vec<(Serial, Change)> = Vec::new();
        let mut signs: Vec<(Serial, Option<Millis>)> = Vec::new();
        for (sn, snapshot) in live.all() {
            let watch = self.watches.entry(sn.clone()).or_default();
            let evidence = Evidence {
                now,
                presence: presence(&snapshot),
                reachable_since,
                sample: snapshot.sample.as_ref(),
                update: update_end(&sn, &snapshot, live, now),
            };
            let open = snapshot.alarms.iter().map(|alarm| Open {
                kind: alarm.kind,
                counter: alarm.counter,
            });
            let open: Vec<Open> = open.collect();
            let found = watch.look(&evidence, &open).into_iter();
            changes.extend(found.map(|change| (sn.clone(), change)));
            if watch.sign() != self.signs.get(&sn).copied() {
                signs.push((sn, watch.sign()));
            }
        }
        let written = self.write(store, live, &changes, &signs, now).await;
        if written.is_err() {
            self.watches.values_mut().for_each(Watch::ask_again);
        }
        written
    }

    async fn write(
        &mut self,
        store: &Store,
        live: &Live,
        changes: &[(Serial, Change)],
        signs: &[(Serial, Option<Millis>)],
        now: Millis,
    ) -> Result<()> {
        for batch in changes.chunks(BATCH) {
            store.write_alarms(batch, now).await?;
        }
        if !changes.is_empty() {
            live.read_alarms().await?;
        }
        for batch in signs.chunks(BATCH) {
            store.keep_alarm_signs(batch).await?;
            for (sn, since) in batch {
                match since {
                    Some(since) => self.signs.insert(sn.clone(), *since),
                    None => self.signs.remove(sn),
                };
            }
        }
        Ok(())
    }
}

fn presence(snapshot: &Snapshot) -> Presence {
    match (snapshot.online, snapshot.since) {
        (true, _) => Presence::Here,
        (false, Some(since)) => Presence::GoneSince(since),
        (false, None) => Presence::Never,
    }
}

fn update_end(sn: &Serial, snapshot: &Snapshot, live: &Live, now: Millis) -> UpdateEnd {
    let Some(job) = snapshot.update.as_deref() else {
        // There was none, or it ended too long ago to be remembered here.
        return UpdateEnd::Open;
    };
    match job.state {
        JobState::Done | JobState::Cancelled | JobState::Expired => UpdateEnd::Well,
        // What the operator has withdrawn is nobody's trouble any more.
        JobState::Failed if live.offered_parts(sn).is_empty() => UpdateEnd::Well,
        JobState::Failed => UpdateEnd::Failed,
        JobState::Interrupted if now - job.heard_at.unwrap_or(job.created_at) >= GIVEN_UP => {
            UpdateEnd::Failed
        }
        JobState::Waiting | JobState::Running | JobState::Interrupted => UpdateEnd::Open,
    }
}

pub(crate) async fn run(
    watches: &mut Watches,
    store: &Store,
    live: &Live,
    desk: Desk<'_>,
    now: Millis,
) {
    let done = async {
        watches.look(store, live, now).await?;
        store.tell_of_alarms(desk, now).await
    };
    if let Err(error) = done.await {
        tracing::error!(%error, "alarms cannot be looked after; it is tried again");
    }
}
