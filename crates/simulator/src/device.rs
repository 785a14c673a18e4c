//! One battery on the device link: it measures, sends, buffers what it could not send, and reconnects.
mod apply_intervention;
mod downlink;
mod measuring;
mod power;
mod session;

pub(crate) use power::Power;

use crate::battery::Rating;
use crate::connection::{ConnectError, Connection};
use crate::firmware::{Download, FactoryConfig, FirmwareKeys, PowerCut, Updater};
use crate::fleet_context::FleetContext;
use crate::intervention::{Intervention, next_intervention};
use crate::link_faults::Dice;
use crate::main_switch::MainSwitch;
use crate::observation::{AcknowledgedIds, ExecutedOrders, SharedDeviceState};
use crate::portal_memory::PortalMemory;
use crate::seed::Seed;
use crate::send_queue::{OutgoingMessage, SendQueue};
use crate::unit::Unit;
use crate::wire::{self, DeviceClock, FirmwareVersions, Identity, StampedSample};
use domain::Serial;
use domain::clock::Millis;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

const RECONNECT_BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// A battery before it is started.
pub struct Device {
    pub serial: Serial,
    pub secret: Vec<u8>,
    pub hardware: String,
    pub firmware: FirmwareVersions,
    /// It updates only with its main switch off.
    pub update_needs_off: bool,
    /// Without keys it accepts no update.
    pub keys: Option<FirmwareKeys>,
    /// Power cuts during updates.
    pub cuts: Vec<PowerCut>,
    pub phase: u8,
    pub zone: String,
    pub rating: Rating,
    pub unit: Unit,
    pub seed: Seed,
    pub device_clock: DeviceClock,
    /// The boot counter; no earlier start has used this number.
    pub boot: u32,
}

/// Why a session ended.
pub(crate) enum SessionEnd {
    ConnectionLost(io::Error),
    Offline(Duration),
    Finished,
}

impl From<io::Error> for SessionEnd {
    fn from(error: io::Error) -> Self {
        Self::ConnectionLost(error)
    }
}

pub(crate) struct RunningDevice {
    pub(crate) context: Arc<FleetContext>,
    pub(crate) interventions: Option<mpsc::Receiver<Intervention>>,
    pub(crate) acknowledged: Option<AcknowledgedIds>,
    pub(crate) executed_orders: Option<ExecutedOrders>,
    pub(crate) device_state: Option<SharedDeviceState>,
    pub(crate) portal: PortalMemory,
    pub(crate) identity: Identity,
    pub(crate) topics: Topics,
    pub(crate) secret: Vec<u8>,
    pub(crate) unit: Unit,
    pub(crate) dice: Dice,
    pub(crate) device_clock: DeviceClock,
    pub(crate) boot: u32,
    pub(crate) seq: u32,
    pub(crate) booted_at: Millis,
    pub(crate) send_queue: SendQueue,
    pub(crate) power: Power,
    pub(crate) updater: Updater,
    /// A running image download.
    pub(crate) download: Option<Download>,
    /// A sample held back until the next one has overtaken it.
    pub(crate) delayed_sample: Option<StampedSample>,
    pub(crate) watched_until: Millis,
    pub(crate) next_measure: Instant,
    pub(crate) next_history: Option<Instant>,
    pub(crate) next_ping: Instant,
    pub(crate) main_switch: MainSwitch,
    pub(crate) connected_before: bool,
}

pub(crate) struct Topics {
    pub(crate) hello: String,
    pub(crate) tele: String,
    pub(crate) hist: String,
    pub(crate) ev: String,
    pub(crate) rep: String,
    pub(crate) res: String,
    pub(crate) fw: String,
}

impl RunningDevice {
    pub(crate) fn new(
        device: Device,
        context: Arc<FleetContext>,
        interventions: Option<mpsc::Receiver<Intervention>>,
        acknowledged: Option<AcknowledgedIds>,
        executed_orders: Option<ExecutedOrders>,
        device_state: Option<SharedDeviceState>,
    ) -> Self {
        let mut dice = Dice::new(device.seed.with(u64::from(device.boot)));
        let booted_at = context.clock.now();
        let mut unit = device.unit;
        unit.start(booted_at);
        let topic = |name: &str| format!("v1/d/{}/up/{name}", device.serial);
        let now = Instant::now();
        Self {
            topics: Topics {
                hello: topic("hello"),
                tele: topic("tele"),
                hist: topic("hist"),
                ev: topic("ev"),
                rep: topic("rep"),
                res: topic("res"),
                fw: topic("fw"),
            },
            updater: Updater::new(
                FactoryConfig {
                    firmware: &device.firmware,
                    needs_off: device.update_needs_off,
                    keys: device.keys,
                },
                context.update_timing,
                device.cuts,
                now,
            ),
            power: Power::On,
            download: None,
            identity: Identity {
                serial: device.serial,
                hardware: device.hardware,
                firmware: device.firmware,
                update_needs_off: device.update_needs_off,
                phase: device.phase,
                capacity: device.rating.capacity,
                charge_max: device.rating.charge,
                discharge_max: device.rating.discharge,
                zone: device.zone,
            },
            secret: device.secret,
            // Batteries of one fleet do not all measure at the same moment.
            next_measure: match context.closed_loop {
                true => now,
                false => now + dice.up_to(context.interval),
            },
            next_history: None,
            next_ping: now,
            booted_at,
            send_queue: SendQueue::new(context.buffer),
            unit,
            device_clock: device.device_clock,
            boot: device.boot,
            seq: 0,
            delayed_sample: None,
            watched_until: 0,
            main_switch: MainSwitch::default(),
            connected_before: false,
            portal: PortalMemory::new(),
            context,
            interventions,
            acknowledged,
            executed_orders,
            device_state,
            dice,
        }
    }

    pub(crate) async fn run(mut self) {
        let mut failures = 0;
        loop {
            if !self.wait_for_power().await {
                return;
            }
            let pause = match self.connect_and_run().await {
                Ok(SessionEnd::Finished) => return,
                Ok(SessionEnd::Offline(pause)) => pause,
                Ok(SessionEnd::ConnectionLost(error)) => {
                    tracing::debug!(sn = %self.identity.serial, %error, "connection_lost");
                    failures = 0;
                    self.pause_after(failures)
                }
                Err(refused) => {
                    self.log_refusal(&refused);
                    failures += 1;
                    self.pause_after(failures)
                }
            };
            if !self.run_offline(Instant::now() + pause).await {
                return;
            }
        }
    }

    fn log_refusal(&self, refused: &ConnectError) {
        let sn = &self.identity.serial;
        match refused {
            ConnectError::Credentials => {
                self.context.stats.refused.fetch_add(1, Relaxed);
                tracing::warn!(%sn, "login_refused: check the serial number and its secret");
            }
            ConnectError::Unreachable(error) => tracing::debug!(%sn, %error, "gateway_unreachable"),
        }
    }

    /// Back-off: 1 s, 2 s, 4 s … 60 s, each with jitter in its upper half, to keep a fleet from reconnecting in step.
    fn pause_after(&mut self, failures: u32) -> Duration {
        let most = RECONNECT_BACK_OFF
            .1
            .min(RECONNECT_BACK_OFF.0 * 2_u32.pow(failures.min(6)));
        most / 2 + self.dice.up_to(most / 2) + self.dice.up_to(self.context.link_faults.max_offline)
    }

    /// Connects and runs the session until it ends.
    async fn connect_and_run(&mut self) -> Result<SessionEnd, ConnectError> {
        let will = wire::will(self.boot);
        let gateway = self.context.gateway;
        let mut connection =
            Connection::open(gateway, &self.identity.serial, &self.secret, will).await?;
        let stats = &self.context.stats;
        stats.connected.fetch_add(1, Relaxed);
        stats
            .reconnects
            .fetch_add(u64::from(self.connected_before), Relaxed);
        self.connected_before = true;
        let end = match self.run_session(&mut connection).await {
            Ok(end) | Err(end) => end,
        };
        if matches!(end, SessionEnd::Finished) {
            connection.close().await;
        }
        self.context.stats.connected.fetch_sub(1, Relaxed);
        self.download = None;
        if let Some(measured) = self.delayed_sample.take() {
            self.send_queue.requeue(OutgoingMessage::Sample(measured));
        }
        self.send_queue.requeue_in_flight();
        Ok(end)
    }

    /// Keeps measuring while offline. Returns `false` when it has to finish and has nothing left to deliver.
    async fn run_offline(&mut self, until: Instant) -> bool {
        loop {
            if self.context.finish.is_cancelled() && self.send_queue.is_empty() {
                return false;
            }
            self.publish_state();
            self.turn_switch_if_due();
            let leaves = self.advance_update().is_err();
            if leaves || self.power != Power::On || Instant::now() >= until {
                return true;
            }
            if self.is_measuring() && Instant::now() >= self.next_measure {
                let measured = self.measure();
                self.buffer_sample(measured);
            }
            let wake = if self.is_measuring() {
                self.next_measure.min(until)
            } else {
                until
            };
            let others = [self.main_switch.next_turn(), self.next_update_tick()];
            let wake = others.into_iter().flatten().fold(wake, Instant::min);
            tokio::select! {
                () = sleep_until(wake) => {}
                () = self.context.finish.cancelled(), if !self.context.finish.is_cancelled() => {}
                intervention = next_intervention(&mut self.interventions) => {
                    // It is offline already, so an end of the session changes nothing. All other effects apply.
                    let _ = self.apply(intervention);
                }
            }
        }
    }
}
