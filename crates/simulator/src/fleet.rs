//! Many batteries in one process, and what they share.
use crate::device::{Acknowledged, Device, Running};
use crate::firmware::Pace;
use crate::mischief::Mischief;
use crate::obey::{Deed, Deeds};
use crate::order::{Order, Seen, Shown};
use crate::tally::Tally;
use domain::sample::MessageId;
use domain::{Clock, Serial};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What all batteries of a fleet share.
pub struct World {
    pub gateway: SocketAddr,
    pub interval: Duration,
    /// How fast firmware is installed.
    pub pace: Pace,
    /// Sends the next sample as soon as the last one is acknowledged.
    pub closed_loop: bool,
    pub clock: Clock,
    pub mischief: Mischief,
    /// What was measured offline follows after up to so long.
    pub history_jitter: Duration,
    /// Samples that a battery keeps while it cannot send.
    pub buffer: usize,
    /// Batteries connect spread over so long.
    pub ramp: Duration,
    pub keep_acknowledged: bool,
    pub keep_deeds: bool,
    pub takes_orders: bool,
    pub tally: Tally,
    /// Measure no more; end when everything is delivered.
    pub finish: CancellationToken,
}

impl World {
    pub fn new(gateway: SocketAddr, interval: Duration, clock: Clock) -> Self {
        Self {
            gateway,
            interval,
            pace: Pace::of(interval),
            closed_loop: false,
            clock,
            mischief: Mischief::default(),
            history_jitter: Duration::from_secs(300),
            buffer: 2_880,
            ramp: Duration::ZERO,
            keep_acknowledged: false,
            keep_deeds: false,
            takes_orders: false,
            tally: Tally::default(),
            finish: CancellationToken::new(),
        }
    }
}

pub struct Fleet {
    world: Arc<World>,
    tasks: TaskTracker,
    orders: HashMap<Serial, mpsc::Sender<Order>>,
    acknowledged: Vec<(Serial, Acknowledged)>,
    deeds: HashMap<Serial, Deeds>,
    shown: Vec<Shown>,
}

impl Fleet {
    /// Switches the batteries on.
    pub fn start(world: World, devices: Vec<Device>) -> Self {
        let mut fleet = Self {
            world: Arc::new(world),
            tasks: TaskTracker::new(),
            orders: HashMap::new(),
            acknowledged: Vec::new(),
            deeds: HashMap::new(),
            shown: Vec::new(),
        };
        let count = u32::try_from(devices.len()).unwrap_or(u32::MAX).max(1);
        for (place, device) in (0..).zip(devices) {
            fleet.add(device, fleet.world.ramp * place / count);
        }
        fleet
    }

    fn add(&mut self, device: Device, after: Duration) {
        let world = self.world.clone();
        let orders = world.takes_orders.then(|| {
            let (sender, receiver) = mpsc::channel(4);
            self.orders.insert(device.serial.clone(), sender);
            receiver
        });
        let acknowledged = world.keep_acknowledged.then(|| {
            let ids = Acknowledged::default();
            self.acknowledged.push((device.serial.clone(), ids.clone()));
            ids
        });
        let deeds = world.keep_deeds.then(|| {
            let deeds = Deeds::default();
            self.deeds.insert(device.serial.clone(), deeds.clone());
            deeds
        });
        let shown = world.takes_orders.then(|| {
            let shown = Shown::new(Mutex::new(Seen {
                serial: device.serial.clone(),
                powered: true,
                switched_on: device.unit.switched_on(),
                faulty: device.unit.is_faulty(),
                firmware: device.firmware.clone(),
            }));
            self.shown.push(shown.clone());
            shown
        });
        self.tasks.spawn(async move {
            if !after.is_zero() {
                tokio::time::sleep(after).await;
            }
            Running::new(device, world, orders, acknowledged, deeds, shown)
                .run()
                .await;
        });
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// Whether there is such a battery and it heard the order.
    pub fn order(&self, serial: &Serial, order: Order) -> bool {
        let battery = self.orders.get(serial);
        battery.is_some_and(|battery| battery.try_send(order).is_ok())
    }

    /// How each battery looks; only of a fleet that takes orders.
    pub fn states(&self) -> Vec<Seen> {
        let seen = |shown: &Shown| shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.shown.iter().map(seen).collect()
    }

    /// Lets the batteries deliver what they have, for at most so long. Whether all of it was delivered.
    pub async fn finish(&self, patience: Duration) -> bool {
        self.world.finish.cancel();
        self.tasks.close();
        tokio::time::timeout(patience, self.tasks.wait())
            .await
            .is_ok()
    }

    /// What a battery did because the portal said so, in order.
    pub fn deeds(&self, serial: &Serial) -> Vec<Deed> {
        let deeds = self.deeds.get(serial);
        let all = |deeds: &Deeds| deeds.lock().unwrap_or_else(PoisonError::into_inner).clone();
        deeds.map(all).unwrap_or_default()
    }

    /// The samples that the endpoint has acknowledged, by battery.
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
