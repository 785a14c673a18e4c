//! Finished days written at once, for a system that begins with a past.
use crate::{Result, Store};
use domain::clock::Millis;
use domain::{Sample, Serial, Zone};

impl Store {
    /// Writes days in order, each with its samples in order.
    pub async fn write_history(
        &self,
        sn: &Serial,
        _zone: &Zone,
        days: impl Iterator<Item = Vec<Sample>> + Send,
        now: Millis,
    ) -> Result<()> {
        for samples in days {
            self.append_samples(sn, &samples, now).await?;
        }
        Ok(())
    }
}
