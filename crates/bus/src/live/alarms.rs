//! Open alarms in the live view, so that viewers are notified without asking.
use super::LiveView;
use domain::Serial;
use std::collections::HashMap;
use std::sync::Arc;
use store::alarm::OpenAlarm;

impl LiveView {
    /// Reads open alarms from the store: another process may have opened, closed, acknowledged or deleted one.
    pub async fn read_alarms(&self) -> store::Result<()> {
        let _reading = self.0.read_lock.lock().await;
        self.set_alarms(self.0.store.open_alarms().await?);
        Ok(())
    }

    /// Notifies subscribers of systems whose alarms changed.
    pub(super) fn set_alarms(&self, open: Vec<(Serial, OpenAlarm)>) {
        let mut by_system: HashMap<Serial, Vec<OpenAlarm>> = HashMap::new();
        for (sn, alarm) in open {
            by_system.entry(sn).or_default().push(alarm);
        }
        let differs = |sn: &Serial, known: &[OpenAlarm]| {
            by_system.get(sn).map_or(&[][..], Vec::as_slice) != known
        };
        let systems = self.0.systems.iter();
        let changed = systems.filter(|entry| differs(entry.key(), &entry.alarms));
        let changed: Vec<Serial> = changed.map(|entry| entry.key().clone()).collect();
        for sn in changed {
            let alarms: Arc<[OpenAlarm]> = by_system.remove(&sn).unwrap_or_default().into();
            self.change(&sn, |snapshot| snapshot.alarms = alarms);
        }
    }
}
