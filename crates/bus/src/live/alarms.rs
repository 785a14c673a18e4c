//! Open alarms in the live view, so that viewers are notified without asking.
use super::LiveView;
use super::load::MAX_BATCH_SIZE;
use domain::Serial;
use std::collections::HashMap;
use std::sync::Arc;
use store::alarm::OpenAlarm;

impl LiveView {
    /// Reads open alarms from the store: another process may have opened, closed, acknowledged or deleted one.
    pub async fn read_alarms(&self) -> store::Result<()> {
        for batch in self.serials().chunks(MAX_BATCH_SIZE) {
            self.read_alarms_of(batch).await?;
        }
        Ok(())
    }

    /// Reads the open alarms of these systems.
    pub(crate) async fn read_alarms_of(&self, systems: &[Serial]) -> store::Result<()> {
        let held = systems.iter().filter(|sn| self.0.systems.contains_key(*sn));
        let held: Vec<Serial> = held.cloned().collect();
        if held.is_empty() {
            return Ok(());
        }
        let _reading = self.0.read_lock.lock().await;
        let open = self.0.store.open_alarms_of(&held).await?;
        self.set_alarms(held, open);
        Ok(())
    }

    /// Notifies subscribers of systems whose alarms changed.
    fn set_alarms(&self, systems: Vec<Serial>, open: Vec<(Serial, OpenAlarm)>) {
        let mut by_system: HashMap<Serial, Vec<OpenAlarm>> = HashMap::new();
        for (sn, alarm) in open {
            by_system.entry(sn).or_default().push(alarm);
        }
        let differs = |sn: &Serial| {
            let open = by_system.get(sn).map_or(&[][..], Vec::as_slice);
            self.get(sn).is_some_and(|known| *known.alarms != *open)
        };
        let changed: Vec<Serial> = systems.into_iter().filter(differs).collect();
        for sn in changed {
            let alarms: Arc<[OpenAlarm]> = by_system.remove(&sn).unwrap_or_default().into();
            self.change(&sn, |snapshot| snapshot.alarms = alarms);
        }
    }
}
