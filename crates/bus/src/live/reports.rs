//! Applies committed reports to the live view.
use super::LiveView;
use crate::peer_message::PeerMessage;
use domain::clock::Millis;
use domain::energy::CONTEXT_WINDOW;
use domain::{Event, Sample, Serial};
use store::event::LoggedEvent;
use store::report::{Report, ReportBody, ReportChange, ReportOutcome};

impl LiveView {
    /// Applies committed reports, and informs the other processes. Changes memory only: their senders wait for it. What needs the
    /// database is queued.
    pub(crate) fn committed(&self, reports: &[Report], outcomes: &[ReportOutcome]) {
        let mut stored: Vec<(&Report, &ReportOutcome)> = Vec::with_capacity(reports.len());
        for (report, outcome) in reports.iter().zip(outcomes) {
            match &outcome.rerouted {
                None => stored.push((report, outcome)),
                Some(rerouted) => {
                    stored.extend(rerouted.iter().map(|(report, outcome)| (report, outcome)));
                    if matches!(report.body, ReportBody::Sample(_)) {
                        self.touch_last_contact(&report.sn, report.received_at);
                    }
                }
            }
        }
        for (report, outcome) in stored {
            let sn = &report.sn;
            if self.is_new(report) {
                self.hold_after_commit(sn, contact_at(report));
                self.send_reload(sn);
            }
            for change in &outcome.changes {
                self.apply_change(sn, change);
            }
            self.apply_body(report, &outcome.new);
        }
    }

    fn is_new(&self, report: &Report) -> bool {
        !matches!(report.body, ReportBody::Reject { .. })
            && !self.0.systems.contains_key(&report.sn)
    }

    fn apply_change(&self, sn: &Serial, change: &ReportChange) {
        match change {
            ReportChange::Facts(facts) => {
                if self
                    .get(sn)
                    .is_some_and(|snapshot| *snapshot.facts != *facts)
                {
                    self.set_facts(sn, facts);
                    self.send_reload(sn);
                }
            }
            ReportChange::Presence(presence) => self.presence_changed(sn, *presence),
            ReportChange::Settings => self.settings_changed(sn),
            ReportChange::Command(id) => self.command_changed(sn, id),
            ReportChange::Event(event) => self.apply_event(sn, event),
            ReportChange::Update(update) => self.update_reported(update),
            ReportChange::Effects => self.read_effects_after_commit(sn),
            // The live view does not know owners.
            ReportChange::Owner => {}
        }
    }

    fn apply_event(&self, sn: &Serial, event: &Event) {
        let Some(at) = event.at.filter(|_| event.code.is_message()) else {
            return;
        };
        let logged = LoggedEvent {
            at,
            id: event.id,
            code: event.code,
            on: event.on,
            args: event.args.clone(),
        };
        self.change(sn, |snapshot| snapshot.insert_event(logged));
        self.send_reload(sn);
    }

    fn send_reload(&self, sn: &Serial) {
        let peers = &self.0.peers;
        peers.send_change(sn, |sn| PeerMessage::Reload { sn });
    }

    /// What a report says, whether or not it changed a row.
    fn apply_body(&self, report: &Report, new: &[bool]) {
        let sn = &report.sn;
        match &report.body {
            ReportBody::Sample(sample) => {
                self.apply_sample(sn, sample, report.received_at);
                self.0.peers.send_change(sn, |sn| {
                    PeerMessage::sampled(sn, sample, report.received_at)
                });
                self.end_effects_after_commit(sn, sample);
                self.end_switch_step_after_commit(sn, std::slice::from_ref(sample));
            }
            ReportBody::Hello { .. } => self.touch_last_contact(sn, report.received_at),
            ReportBody::BackFill { samples, .. } => {
                self.backfilled(sn, samples, new);
                // It may have been switched on while it could not send.
                self.end_switch_step_after_commit(sn, samples);
            }
            _ => {}
        }
    }

    pub(crate) fn apply_sample(&self, sn: &Serial, sample: &Sample, received_at: Millis) {
        let mut day_changed = false;
        self.change(sn, |snapshot| {
            day_changed = snapshot.apply_sample(sample, received_at);
        });
        if day_changed {
            self.queue_day_totals(sn);
        }
    }

    /// Back-fill changes no live value, but it may change today's energy.
    fn backfilled(&self, sn: &Serial, samples: &[Sample], new: &[bool]) {
        let mut new = samples.iter().zip(new).filter(|(_, new)| **new);
        let today = self
            .get(sn)
            .and_then(|snapshot| Some(snapshot.tally.as_ref()?.span.clone()));
        // A sample shortly before midnight changes the energy of the day's first quarter.
        let since = today.map_or(Millis::MIN, |span| span.start - CONTEXT_WINDOW);
        if new.any(|(sample, _)| sample.at >= since) {
            self.queue_day_totals(sn);
        }
    }
}

/// When the battery was in contact, if the report shows that it is.
fn contact_at(report: &Report) -> Option<Millis> {
    let is_contact = matches!(
        report.body,
        ReportBody::Hello { .. } | ReportBody::Sample(_)
    );
    is_contact.then_some(report.received_at)
}
