//! Many batteries in one process.
use crate::device::{Device, RunningDevice};
use crate::fleet_context::FleetContext;
use crate::intervention::Intervention;
use crate::observation::{
    AcknowledgedIds, DeviceState, ExecutedOrder, ExecutedOrders, SharedDeviceState,
};
use domain::Serial;
use domain::sample::MessageId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// Running batteries.
pub struct Fleet {
    context: Arc<FleetContext>,
    tasks: TaskTracker,
    interventions: HashMap<Serial, mpsc::Sender<Intervention>>,
    acknowledged: Vec<(Serial, AcknowledgedIds)>,
    executed_orders: HashMap<Serial, ExecutedOrders>,
    device_states: Vec<SharedDeviceState>,
}

impl Fleet {
    /// Starts all batteries.
    pub fn start(context: FleetContext, devices: Vec<Device>) -> Self {
        let mut fleet = Self {
            context: Arc::new(context),
            tasks: TaskTracker::new(),
            interventions: HashMap::new(),
            acknowledged: Vec::new(),
            executed_orders: HashMap::new(),
            device_states: Vec::new(),
        };
        let count = u32::try_from(devices.len()).unwrap_or(u32::MAX).max(1);
        for (index, device) in (0..).zip(devices) {
            fleet.add(device, fleet.context.ramp * index / count);
        }
        fleet
    }

    fn add(&mut self, device: Device, after: Duration) {
        let context = self.context.clone();
        let interventions = context.accepts_interventions.then(|| {
            let (sender, receiver) = mpsc::channel(4);
            self.interventions.insert(device.serial.clone(), sender);
            receiver
        });
        let acknowledged = context.record_acknowledged.then(|| {
            let ids = AcknowledgedIds::default();
            self.acknowledged.push((device.serial.clone(), ids.clone()));
            ids
        });
        let executed_orders = context.record_executed_orders.then(|| {
            let executed_orders = ExecutedOrders::default();
            self.executed_orders
                .insert(device.serial.clone(), executed_orders.clone());
            executed_orders
        });
        let device_state = context.accepts_interventions.then(|| {
            let device_state = SharedDeviceState::new(Mutex::new(DeviceState {
                serial: device.serial.clone(),
                powered: true,
                switched_on: device.unit.switched_on(),
                faulty: device.unit.is_faulty(),
                firmware: device.firmware.clone(),
            }));
            self.device_states.push(device_state.clone());
            device_state
        });
        self.tasks.spawn(async move {
            if !after.is_zero() {
                tokio::time::sleep(after).await;
            }
            RunningDevice::new(
                device,
                context,
                interventions,
                acknowledged,
                executed_orders,
                device_state,
            )
            .run()
            .await;
        });
    }

    /// How many batteries it was started with.
    pub fn size(&self) -> usize {
        self.tasks.len()
    }

    pub fn context(&self) -> &FleetContext {
        &self.context
    }

    /// Returns whether this battery exists and received the intervention.
    pub fn intervene(&self, serial: &Serial, intervention: Intervention) -> bool {
        let battery = self.interventions.get(serial);
        battery.is_some_and(|battery| battery.try_send(intervention).is_ok())
    }

    /// The state of each battery; empty unless the fleet accepts interventions.
    pub fn states(&self) -> Vec<DeviceState> {
        let seen = |device_state: &SharedDeviceState| {
            device_state
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        };
        self.device_states.iter().map(seen).collect()
    }

    /// Lets the batteries deliver everything, for at most `timeout`. Returns whether they did.
    pub async fn finish(&self, timeout: Duration) -> bool {
        self.context.finish.cancel();
        self.tasks.close();
        tokio::time::timeout(timeout, self.tasks.wait())
            .await
            .is_ok()
    }

    /// The portal's orders that a battery executed, in order.
    pub fn executed_orders(&self, serial: &Serial) -> Vec<ExecutedOrder> {
        let executed_orders = self.executed_orders.get(serial);
        let all = |executed_orders: &ExecutedOrders| {
            executed_orders
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        };
        executed_orders.map(all).unwrap_or_default()
    }

    /// The samples that the gateway acknowledged, by battery.
    pub fn acknowledged(&self) -> Vec<(Serial, Vec<MessageId>)> {
        let ids = |ids: &Mutex<Vec<MessageId>>| {
            let mut ids = ids.lock().unwrap_or_else(PoisonError::into_inner).clone();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let batteries = self.acknowledged.iter();
        batteries
            .map(|(serial, found)| (serial.clone(), ids(found)))
            .collect()
    }
}
