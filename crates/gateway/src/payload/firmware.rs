//! `up/fw`: how an update fares.
use super::{MALFORMED, OUT_OF_RANGE, Reason};
use domain::firmware::{Fault, FirmwareReport, Stage};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct FirmwareText<'a> {
    job: &'a str,
    part: &'a str,
    ver: &'a str,
    st: &'a str,
    #[serde(default)]
    pg: u8,
    #[serde(default)]
    err: Option<&'a str>,
}

pub(crate) fn firmware(payload: &[u8]) -> Result<FirmwareReport, Reason> {
    let text: FirmwareText<'_> = serde_json::from_slice(payload).map_err(|_| MALFORMED)?;
    let stage: Stage = text.st.parse().map_err(|_| MALFORMED)?;
    if !stage.range().contains(&text.pg) && stage != Stage::Failed {
        return Err(OUT_OF_RANGE);
    }
    Ok(FirmwareReport {
        job: text.job.parse().map_err(|_| MALFORMED)?,
        part: text.part.parse().map_err(|_| MALFORMED)?,
        version: text.ver.parse().map_err(|_| MALFORMED)?,
        stage,
        progress: text.pg.min(100),
        fault: (stage == Stage::Failed).then(|| Fault::of(text.err.unwrap_or_default())),
    })
}
