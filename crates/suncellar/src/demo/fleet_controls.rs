//! The demo's batteries, operated by hand.
use api::{BatteryControls, DemoBattery, ManualAction};
use domain::Serial;
use simulator::{Fleet, Intervention};
use std::sync::Arc;

pub(super) struct FleetControls(pub(super) Arc<Fleet>);

impl BatteryControls for FleetControls {
    fn batteries(&self) -> Vec<DemoBattery> {
        let seen = self.0.states().into_iter();
        let seen = seen.map(|battery| DemoBattery {
            sn: battery.serial.to_string(),
            powered: battery.powered,
            switched_on: battery.switched_on,
            faulty: battery.faulty,
        });
        seen.collect()
    }

    fn apply(&self, sn: &Serial, action: ManualAction) -> bool {
        let intervention = match action {
            ManualAction::MainSwitch(on) => Intervention::Switch(on),
            ManualAction::SwitchPattern => Intervention::SwitchPattern,
            ManualAction::Plug(true) => Intervention::PowerOn,
            ManualAction::Plug(false) => Intervention::PowerOff,
            ManualAction::Appliance { phase, power } => Intervention::Appliance { phase, power },
            ManualAction::BadCell(bad) => Intervention::Fault(bad),
        };
        self.0.intervene(sn, intervention)
    }
}
