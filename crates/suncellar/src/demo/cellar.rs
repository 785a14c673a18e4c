//! The demo's batteries as somebody finds them who stands in front of them.
use api::{Cellar, InCellar, Touch};
use domain::Serial;
use simulator::{Fleet, Order};
use std::sync::Arc;

pub(super) struct Street(pub(super) Arc<Fleet>);

impl Cellar for Street {
    fn batteries(&self) -> Vec<InCellar> {
        let seen = self.0.states().into_iter();
        let seen = seen.map(|battery| InCellar {
            sn: battery.serial.to_string(),
            powered: battery.powered,
            switched_on: battery.switched_on,
            faulty: battery.faulty,
        });
        seen.collect()
    }

    fn touch(&self, sn: &Serial, touch: Touch) -> bool {
        let order = match touch {
            Touch::MainSwitch(on) => Order::Switch(on),
            Touch::SwitchPattern => Order::SwitchPattern,
            Touch::Plug(true) => Order::PowerOn,
            Touch::Plug(false) => Order::PowerOff,
            Touch::Appliance { phase, power } => Order::Appliance { phase, power },
            Touch::BadCell(bad) => Order::Fault(bad),
        };
        self.0.order(sn, order)
    }
}
