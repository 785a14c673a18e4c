//! The battery around an update: it hears the portal, downloads while it is connected, restarts when it has to, and says how
//! far it is.
use super::check::Reader;
use super::{Act, Download, Loaded};
use crate::device::{End, Running};
use crate::outbox::Progress;
use crate::power::Power;
use domain::firmware::FirmwareReport;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

impl Running {
    /// `down/fw`.
    pub(crate) fn take_assignment(&mut self, message: &Value) {
        let reader = Reader {
            sn: &self.identity.serial,
            hardware: &self.identity.hardware,
            time: self.portal_time(),
        };
        self.updater.assign(message, reader, Instant::now());
    }

    /// Does what an update needs now. An error means that it has to leave.
    pub(crate) fn mind_firmware(&mut self) -> Result<(), End> {
        if !self.measures() || self.power != Power::On {
            return Ok(());
        }
        let now = Instant::now();
        let act = self.updater.look(now, self.unit.switched_on());
        for report in self.updater.take_reports() {
            self.tell_progress(&report);
        }
        let Some(act) = act else {
            return Ok(());
        };
        match act {
            Act::Restart => self.begin_restart(self.updater.pace.restart()),
            Act::LosePower(lasts) => self.lose_power(Some(now + lasts)),
        }
        Err(End::Away(Duration::ZERO))
    }

    /// When an update needs something next. A battery that is told to end begins nothing more.
    pub(crate) fn next_firmware(&self) -> Option<Instant> {
        self.updater.next_look().filter(|_| self.measures())
    }

    /// Downloads if there is something to download; only while it is connected, as there is but one network.
    pub(crate) fn mind_download(&mut self) {
        let fetch = self.updater.fetch(Instant::now());
        match fetch.filter(|_| self.measures()) {
            None => self.download = None,
            Some(fetch) if self.download.is_none() => {
                let (sn, pace) = (&self.identity.serial, self.updater.pace);
                self.download = Some(Download::start(fetch, sn, &self.secret, pace));
            }
            Some(_) => {}
        }
    }

    pub(crate) fn take_loaded(&mut self, loaded: Option<Loaded>) {
        let goes_on = matches!(loaded, Some(Loaded::From(_) | Loaded::Bytes(_)));
        if !goes_on {
            self.download = None;
        }
        let loaded = loaded.unwrap_or(Loaded::Lost);
        self.updater.load(loaded, Instant::now());
    }

    /// `up/fw`, under an id that it keeps however often it is sent.
    fn tell_progress(&mut self, report: &FirmwareReport) {
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
        self.outbox.tell_progress(Progress {
            part: *part,
            stage: *stage,
            text: text.to_string(),
        });
    }
}

/// What the download brings next; nothing while there is none.
pub(crate) async fn next_loaded(download: &mut Option<Download>) -> Option<Loaded> {
    match download {
        Some(download) => download.next().await,
        None => std::future::pending().await,
    }
}
