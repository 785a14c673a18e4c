//! What a battery is told to do by whoever stands in front of it, and what can be seen from there.
use crate::device::{End, Running};
use crate::grid::Dimming;
use crate::happening::Happening;
use crate::power::Power;
use crate::wire::Firmware;
use domain::clock::Millis;
use domain::{EventCode, Serial};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Turn the main switch in the pattern that a claimant is shown.
    SwitchPattern,
    /// Turn the main switch on or off, and leave it there.
    Switch(bool),
    /// Pull the plug: it is gone until it is put in again.
    PowerOff,
    PowerOn,
    /// Lose power and start again.
    Reboot,
    /// Lose the network for so long.
    StayAway(Duration),
    /// Switch something on that draws so many W from this phase, 1 to 3; with 0 W it is off again.
    Appliance {
        phase: u8,
        power: i32,
    },
    /// The battery management finds a bad cell, or finds that all are well.
    Fault(bool),
    /// The grid operator allows no more than so many W to be drawn until then (§14a EnWG).
    Dim {
        limit: i32,
        until: Millis,
    },
}

/// How a battery looks to somebody who stands in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub serial: Serial,
    pub powered: bool,
    pub switched_on: bool,
    /// It reports a fault.
    pub faulty: bool,
    /// What runs on it.
    pub firmware: Firmware,
}

pub(crate) type Shown = Arc<Mutex<Seen>>;

impl Running {
    /// An error means that it has to leave.
    pub(crate) fn obey(&mut self, order: Order) -> Result<(), End> {
        match order {
            Order::SwitchPattern => {
                self.main_switch.begin_pattern(Instant::now());
                self.turn_switch_if_due();
            }
            Order::Switch(on) => {
                self.main_switch.end_pattern();
                self.turn_switch(on);
            }
            Order::Dim { limit, until } => {
                let from = self.unit.at();
                self.unit.grid.dim(Dimming { from, until, limit });
                self.next_measure = Instant::now();
            }
            Order::Appliance { phase, power } => {
                let place = usize::from(phase.clamp(1, 3)) - 1;
                self.unit.appliances[place] = power.max(0);
                self.next_measure = Instant::now();
            }
            Order::Fault(faulty) => {
                self.unit.set_faulty(faulty);
                self.next_measure = Instant::now();
            }
            Order::PowerOn => {
                if matches!(self.power, Power::Off(_)) {
                    self.start_up();
                }
            }
            Order::PowerOff => {
                self.lose_power(None);
                return Err(End::Away(Duration::ZERO));
            }
            // It does so already, or cannot.
            Order::Reboot | Order::StayAway(_) if self.power != Power::On => {}
            Order::Reboot => {
                self.unit.live(self.world.clock.now());
                self.start_up();
                return Err(End::Away(Duration::ZERO));
            }
            Order::StayAway(pause) => return Err(End::Away(pause)),
        }
        Ok(())
    }

    pub(crate) fn turn_switch_if_due(&mut self) {
        if let Some(on) = self.main_switch.take_due(Instant::now()) {
            self.turn_switch(on);
        }
    }

    /// Turned on after it was off, it tells so; without power it cannot notice.
    fn turn_switch(&mut self, on: bool) {
        let turned = on != self.unit.switched_on();
        self.unit.turn_switch(on);
        self.next_measure = Instant::now();
        if !turned || self.power != Power::On {
            return;
        }
        let at = self.world.clock.now();
        self.main_switch.turned(on, at);
        if on {
            self.tell(Happening {
                at,
                code: EventCode::SwitchCycled,
                on: true,
                args: self.main_switch.report(),
            });
        }
    }

    /// Lets whoever stands in front of it see how it is.
    pub(crate) fn show(&self) {
        if let Some(shown) = &self.shown {
            let mut seen = shown.lock().unwrap_or_else(PoisonError::into_inner);
            seen.powered = !matches!(self.power, Power::Off(_));
            seen.switched_on = self.unit.switched_on();
            seen.faulty = self.unit.is_faulty();
            if seen.firmware != self.identity.firmware {
                seen.firmware = self.identity.firmware.clone();
            }
        }
    }
}

pub(crate) async fn next_order(orders: &mut Option<mpsc::Receiver<Order>>) -> Order {
    if let Some(receiver) = orders
        && let Some(order) = receiver.recv().await
    {
        return order;
    }
    std::future::pending().await
}
