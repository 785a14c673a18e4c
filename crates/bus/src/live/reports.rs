//! What batteries reported, once it is committed.
use super::Live;
use crate::notice::Notice;
use domain::clock::Millis;
use domain::energy::CONTEXT;
use domain::{Sample, Serial};
use store::event::LoggedEvent;
use store::report::{Body, Outcome, Report};

impl Live {
    /// Puts what was committed into the view, and tells the other processes.
    pub(crate) async fn committed(&self, reports: &[Report], outcomes: &[Outcome]) {
        let mut kept: Vec<(&Report, &Outcome)> = Vec::with_capacity(reports.len());
        for (report, outcome) in reports.iter().zip(outcomes) {
            match &outcome.filed {
                None => kept.push((report, outcome)),
                Some(filed) => {
                    kept.extend(filed.iter().map(|(report, outcome)| (report, outcome)));
                    if matches!(report.body, Body::Sample(_)) {
                        self.heard(&report.sn, report.received_at);
                    }
                }
            }
        }
        for (report, outcome) in kept {
            let sn = &report.sn;
            if self.is_new(report) {
                self.reload_or_log(sn).await;
                self.0.notices.send(Notice::Reload { sn: sn.to_string() });
            } else if let Some(facts) = &outcome.facts
                && self.get(sn).is_some_and(|found| *found.facts != *facts)
            {
                self.describe(sn, facts).await;
                self.0.notices.send(Notice::Reload { sn: sn.to_string() });
            }
            self.apply(report, outcome);
            if let Some(update) = &outcome.update {
                self.update_stands(sn, Some(update.clone()));
            }
            if outcome.in_force_changed {
                self.in_force_changed(sn).await;
            }
            if let Body::Sample(sample) = &report.body {
                self.end_effects(sn, sample).await;
            }
        }
    }

    fn is_new(&self, report: &Report) -> bool {
        !matches!(report.body, Body::Reject { .. }) && !self.0.systems.contains_key(&report.sn)
    }

    fn apply(&self, report: &Report, outcome: &Outcome) {
        let sn = &report.sn;
        if let Some(presence) = outcome.presence {
            self.presence_changed(sn, presence);
        }
        if outcome.settings_changed {
            self.settings_changed(sn);
        }
        match &report.body {
            Body::Sample(sample) => {
                self.sampled(sn, sample, report.received_at);
                self.0
                    .notices
                    .send(Notice::sampled(sn, sample, report.received_at));
            }
            Body::Hello { .. } => self.heard(sn, report.received_at),
            Body::History { samples, .. } => self.filled(sn, samples, &outcome.new),
            Body::Answer(answer) if outcome.command_changed => {
                self.command_changed(sn, &answer.command);
            }
            Body::Sent(id) if outcome.command_changed => self.command_changed(sn, id),
            Body::Event(event) if outcome.event_new && event.code.is_message() => {
                if let Some(at) = event.at {
                    let logged = LoggedEvent {
                        at,
                        id: event.id,
                        code: event.code,
                        on: event.on,
                        args: event.args.clone(),
                    };
                    self.change(sn, |snapshot| snapshot.log(logged));
                    self.0.notices.send(Notice::Reload { sn: sn.to_string() });
                }
            }
            _ => {}
        }
    }

    pub(crate) fn sampled(&self, sn: &Serial, sample: &Sample, received_at: Millis) {
        let mut recount = false;
        self.change(sn, |snapshot| {
            recount = snapshot.take_sample(sample, received_at);
        });
        if recount {
            self.count_again(sn);
        }
    }

    /// Back-fill changes nothing that is live, but the day's energy may have it now.
    fn filled(&self, sn: &Serial, samples: &[Sample], new: &[bool]) {
        let mut new = samples.iter().zip(new).filter(|(_, new)| **new);
        let today = self
            .get(sn)
            .and_then(|snapshot| Some(snapshot.tally.as_ref()?.span.clone()));
        // A sample shortly before midnight moves what the first quarter of the day has.
        let since = today.map_or(Millis::MIN, |span| span.start - CONTEXT);
        if new.any(|(sample, _)| sample.at >= since) {
            self.count_again(sn);
        }
    }
}
