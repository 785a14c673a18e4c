//! The battery around an update: it receives assignments, downloads while it is connected, restarts and reports progress.
use super::assignment::AssignmentRecipient;
use super::{Download, DownloadEvent, UpdateAction};
use crate::device::{Power, RunningDevice, SessionEnd};
use crate::send_queue::ProgressReport;
use domain::firmware::FirmwareReport;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

impl RunningDevice {
    /// `down/fw`.
    pub(crate) fn handle_assignment(&mut self, message: &Value) {
        let recipient = AssignmentRecipient {
            sn: &self.identity.serial,
            hardware: &self.identity.hardware,
            time: self.portal_time(),
        };
        self.updater.assign(message, recipient, Instant::now());
    }

    /// Advances the update. An error ends the session.
    pub(crate) fn advance_update(&mut self) -> Result<(), SessionEnd> {
        if !self.is_measuring() || self.power != Power::On {
            return Ok(());
        }
        let now = Instant::now();
        let act = self.updater.tick(now, self.unit.switched_on());
        for report in self.updater.take_reports() {
            self.queue_progress(&report);
        }
        let Some(act) = act else {
            return Ok(());
        };
        match act {
            UpdateAction::Restart => self.begin_restart(self.updater.timing.restart_time()),
            UpdateAction::LosePower(lasts) => self.lose_power(Some(now + lasts)),
        }
        Err(SessionEnd::Offline(Duration::ZERO))
    }

    /// When the update has to be advanced next. A battery that has to finish starts nothing new.
    pub(crate) fn next_update_tick(&self) -> Option<Instant> {
        self.updater.next_tick().filter(|_| self.is_measuring())
    }

    /// Starts or stops the download. It runs only while the battery is connected, as both use the same network.
    pub(crate) fn update_download(&mut self) {
        let fetch = self.updater.download_request(Instant::now());
        match fetch.filter(|_| self.is_measuring()) {
            None => self.download = None,
            Some(fetch) if self.download.is_none() => {
                let (sn, timing) = (&self.identity.serial, self.updater.timing);
                self.download = Some(Download::start(fetch, sn, &self.secret, timing));
            }
            Some(_) => {}
        }
    }

    pub(crate) fn handle_download_event(&mut self, loaded: Option<DownloadEvent>) {
        let goes_on = matches!(
            loaded,
            Some(DownloadEvent::StartsAt(_) | DownloadEvent::Bytes(_))
        );
        if !goes_on {
            self.download = None;
        }
        let loaded = loaded.unwrap_or(DownloadEvent::Disconnected);
        self.updater.record_download(loaded, Instant::now());
    }

    /// Queues `up/fw` with an id that stays the same however often it is sent.
    fn queue_progress(&mut self, report: &FirmwareReport) {
        let id = self.next_id();
        let FirmwareReport {
            job,
            part,
            version,
            stage,
            progress,
            fault,
        } = report;
        let mut text = json!({
            "b": id.boot, "s": id.seq, "job": job.as_str(), "part": part.as_str(), "ver": version.to_string(),
            "st": stage.as_str(), "pg": progress,
        });
        if let Some(fault) = fault {
            text["err"] = fault.as_str().into();
        }
        self.send_queue.queue_progress(ProgressReport {
            part: *part,
            stage: *stage,
            text: text.to_string(),
        });
    }
}

/// The next event of the download; waits forever if there is none.
pub(crate) async fn next_download_event(download: &mut Option<Download>) -> Option<DownloadEvent> {
    match download {
        Some(download) => download.next().await,
        None => std::future::pending().await,
    }
}
