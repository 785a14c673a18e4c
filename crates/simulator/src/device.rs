//! One battery on the device link: it measures, sends, keeps what it could not send, and comes back after every cut.
use crate::battery::Rating;
use crate::chance::Seed;
use crate::connection::{Connection, Refused};
use crate::firmware::{Cut, Download, Factory, FirmwareKeys, Updater};
use crate::fleet::World;
use crate::main_switch::MainSwitch;
use crate::memory::Memory;
use crate::mischief::Dice;
use crate::obey::Deeds;
use crate::order::{Order, Shown, next_order};
use crate::outbox::{Cargo, Outbox};
use crate::power::Power;
use crate::unit::Unit;
use crate::wire::{self, Firmware, Identity, Measured, Watch};
use domain::Serial;
use domain::clock::Millis;
use domain::sample::MessageId;
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// The ids of the samples that were acknowledged.
pub(crate) type Acknowledged = Arc<Mutex<Vec<MessageId>>>;

/// A battery before it is switched on.
pub struct Device {
    pub serial: Serial,
    pub secret: Vec<u8>,
    pub hardware: String,
    pub firmware: Firmware,
    /// It updates only with its main switch off.
    pub update_needs_off: bool,
    /// Without them it takes no update.
    pub keys: Option<FirmwareKeys>,
    /// When somebody pulls the plug during an update.
    pub cuts: Vec<Cut>,
    pub phase: u8,
    pub zone: String,
    pub rating: Rating,
    pub unit: Unit,
    pub seed: Seed,
    pub watch: Watch,
    /// Counts its starts; this one is the first that uses this number.
    pub boot: u32,
}

/// Why a session ended.
pub(crate) enum End {
    Cut(io::Error),
    Away(Duration),
    Finished,
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Cut(error)
    }
}

pub(crate) struct Running {
    pub(crate) world: Arc<World>,
    pub(crate) orders: Option<mpsc::Receiver<Order>>,
    pub(crate) acknowledged: Option<Acknowledged>,
    pub(crate) deeds: Option<Deeds>,
    pub(crate) shown: Option<Shown>,
    pub(crate) portal: Memory,
    pub(crate) identity: Identity,
    pub(crate) topics: Topics,
    pub(crate) secret: Vec<u8>,
    pub(crate) unit: Unit,
    pub(crate) dice: Dice,
    pub(crate) watch: Watch,
    pub(crate) boot: u32,
    pub(crate) seq: u32,
    pub(crate) booted_at: Millis,
    pub(crate) outbox: Outbox,
    pub(crate) power: Power,
    pub(crate) updater: Updater,
    /// An image on its way.
    pub(crate) download: Option<Download>,
    /// A sample that the next one overtakes.
    pub(crate) overtaken: Option<Measured>,
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

impl Running {
    pub(crate) fn new(
        device: Device,
        world: Arc<World>,
        orders: Option<mpsc::Receiver<Order>>,
        acknowledged: Option<Acknowledged>,
        deeds: Option<Deeds>,
        shown: Option<Shown>,
    ) -> Self {
        let mut dice = Dice::new(device.seed.with(u64::from(device.boot)));
        let booted_at = world.clock.now();
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
                Factory {
                    firmware: &device.firmware,
                    needs_off: device.update_needs_off,
                    keys: device.keys,
                },
                world.pace,
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
            next_measure: now + dice.up_to(world.interval),
            next_history: None,
            next_ping: now,
            booted_at,
            outbox: Outbox::new(world.buffer),
            unit,
            watch: device.watch,
            boot: device.boot,
            seq: 0,
            overtaken: None,
            watched_until: 0,
            main_switch: MainSwitch::default(),
            connected_before: false,
            portal: Memory::of_new(),
            world,
            orders,
            acknowledged,
            deeds,
            shown,
            dice,
        }
    }

    pub(crate) async fn run(mut self) {
        let mut failures = 0;
        loop {
            if !self.be_dark().await {
                return;
            }
            let pause = match self.visit().await {
                Ok(End::Finished) => return,
                Ok(End::Away(pause)) => pause,
                Ok(End::Cut(error)) => {
                    tracing::debug!(sn = %self.identity.serial, %error, "the link is cut");
                    failures = 0;
                    self.pause_after(failures)
                }
                Err(refused) => {
                    self.note_refusal(&refused);
                    failures += 1;
                    self.pause_after(failures)
                }
            };
            if !self.be_offline(Instant::now() + pause).await {
                return;
            }
        }
    }

    fn note_refusal(&self, refused: &Refused) {
        let sn = &self.identity.serial;
        match refused {
            Refused::Credentials => {
                self.world.tally.refused.fetch_add(1, Relaxed);
                tracing::warn!(%sn, "the login was not accepted");
            }
            Refused::Unreachable(error) => tracing::debug!(%sn, %error, "the gateway is away"),
        }
    }

    /// 1 s, 2 s, 4 s … 60 s, each somewhere in its upper half, so that a fleet does not return in step.
    fn pause_after(&mut self, failures: u32) -> Duration {
        let most = BACK_OFF.1.min(BACK_OFF.0 * 2_u32.pow(failures.min(6)));
        most / 2 + self.dice.up_to(most / 2) + self.dice.up_to(self.world.mischief.away)
    }

    /// Connects and stays until the link is cut.
    async fn visit(&mut self) -> Result<End, Refused> {
        let will = wire::will(self.boot);
        let gateway = self.world.gateway;
        let mut connection =
            Connection::open(gateway, &self.identity.serial, &self.secret, will).await?;
        let tally = &self.world.tally;
        tally.connected.fetch_add(1, Relaxed);
        tally
            .reconnects
            .fetch_add(u64::from(self.connected_before), Relaxed);
        self.connected_before = true;
        let end = match self.talk(&mut connection).await {
            Ok(end) | Err(end) => end,
        };
        if matches!(end, End::Finished) {
            connection.close().await;
        }
        self.world.tally.connected.fetch_sub(1, Relaxed);
        self.download = None;
        if let Some(measured) = self.overtaken.take() {
            self.outbox.put_back(Cargo::Sample(measured));
        }
        self.outbox.crash();
        Ok(end)
    }

    /// Goes on measuring without a connection. `false` when it is told to finish and has nothing to deliver.
    async fn be_offline(&mut self, until: Instant) -> bool {
        loop {
            if self.world.finish.is_cancelled() && self.outbox.is_empty() {
                return false;
            }
            self.show();
            self.turn_switch_if_due();
            let leaves = self.mind_firmware().is_err();
            if leaves || self.power != Power::On || Instant::now() >= until {
                return true;
            }
            if self.measures() && Instant::now() >= self.next_measure {
                let measured = self.measure();
                self.keep(measured);
            }
            let wake = if self.measures() {
                self.next_measure.min(until)
            } else {
                until
            };
            let others = [self.main_switch.next_turn(), self.next_firmware()];
            let wake = others.into_iter().flatten().fold(wake, Instant::min);
            tokio::select! {
                () = sleep_until(wake) => {}
                () = self.world.finish.cancelled(), if !self.world.finish.is_cancelled() => {}
                order = next_order(&mut self.orders) => {
                    // It is away already; what else there is to an order happens all the same.
                    let _ = self.obey(order);
                }
            }
        }
    }
}
