//! `up/fw`: the progress of an update.
use super::payload::{MALFORMED, OUT_OF_RANGE, RejectReason};
use domain::firmware::{Fault, FirmwareReport, Stage};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct FirmwareMessage<'a> {
    job: &'a str,
    part: &'a str,
    #[serde(rename = "ver")]
    version: &'a str,
    #[serde(rename = "st")]
    stage: &'a str,
    #[serde(default, rename = "pg")]
    progress: u8,
    #[serde(default, rename = "err")]
    fault: Option<&'a str>,
}

impl FirmwareMessage<'_> {
    pub(crate) fn into_report(self) -> Result<FirmwareReport, RejectReason> {
        let stage: Stage = self.stage.parse().map_err(|_| MALFORMED)?;
        if !stage.range().contains(&self.progress) && stage != Stage::Failed {
            return Err(OUT_OF_RANGE);
        }
        Ok(FirmwareReport {
            job: self.job.parse().map_err(|_| MALFORMED)?,
            part: self.part.parse().map_err(|_| MALFORMED)?,
            version: self.version.parse().map_err(|_| MALFORMED)?,
            stage,
            progress: self.progress.min(100),
            fault: (stage == Stage::Failed).then(|| Fault::of(self.fault.unwrap_or_default())),
        })
    }
}
