//! Interventions of a person at the battery, and the state that this person can see.
use crate::device::{RunningDevice, SessionEnd};
use crate::device_event::DeviceEvent;
use crate::grid::Dimming;
use crate::power::Power;
use crate::wire::FirmwareVersions;
use domain::clock::Millis;
use domain::{EventCode, Serial};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intervention {
    /// Turn the main switch in the pattern that completes a claim.
    SwitchPattern,
    /// Turn the main switch on or off, and leave it there.
    Switch(bool),
    /// Pull the plug until [`Intervention::PowerOn`].
    PowerOff,
    PowerOn,
    /// Lose power and start again.
    Reboot,
    /// Lose the network for this long.
    StayAway(Duration),
    /// Switch on an appliance that draws this many W from this phase, 1 to 3; 0 W switches it off.
    Appliance {
        phase: u8,
        power: i32,
    },
    /// The battery management system detects a bad cell, or clears the fault.
    Fault(bool),
    /// The grid operator limits the power drawn to this many W until then (§14a EnWG).
    Dim {
        limit: i32,
        until: Millis,
    },
}

/// A battery's state as seen by a person in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceState {
    pub serial: Serial,
    pub powered: bool,
    pub switched_on: bool,
    /// It reports a fault.
    pub faulty: bool,
    /// The running versions.
    pub firmware: FirmwareVersions,
}

pub(crate) type SharedDeviceState = Arc<Mutex<DeviceState>>;

impl RunningDevice {
    /// An error ends the session.
    pub(crate) fn apply(&mut self, intervention: Intervention) -> Result<(), SessionEnd> {
        match intervention {
            Intervention::SwitchPattern => {
                self.main_switch.begin_pattern(Instant::now());
                self.turn_switch_if_due();
            }
            Intervention::Switch(on) => {
                self.main_switch.end_pattern();
                self.turn_switch(on);
            }
            Intervention::Dim { limit, until } => {
                let from = self.unit.at();
                self.unit.grid.dim(Dimming { from, until, limit });
                self.next_measure = Instant::now();
            }
            Intervention::Appliance { phase, power } => {
                let index = usize::from(phase.clamp(1, 3)) - 1;
                self.unit.appliances[index] = power.max(0);
                self.next_measure = Instant::now();
            }
            Intervention::Fault(faulty) => {
                self.unit.set_faulty(faulty);
                self.next_measure = Instant::now();
            }
            Intervention::PowerOn => {
                if matches!(self.power, Power::Off(_)) {
                    self.start_up();
                }
            }
            Intervention::PowerOff => {
                self.lose_power(None);
                return Err(SessionEnd::Offline(Duration::ZERO));
            }
            // Without power, or while restarting, these have no effect.
            Intervention::Reboot | Intervention::StayAway(_) if self.power != Power::On => {}
            Intervention::Reboot => {
                self.unit.advance_to(self.context.clock.now());
                self.start_up();
                return Err(SessionEnd::Offline(Duration::ZERO));
            }
            Intervention::StayAway(pause) => return Err(SessionEnd::Offline(pause)),
        }
        Ok(())
    }

    pub(crate) fn turn_switch_if_due(&mut self) {
        if let Some(on) = self.main_switch.take_due(Instant::now()) {
            self.turn_switch(on);
        }
    }

    /// Reports an event when it is switched on after it was off; without power it cannot notice that.
    fn turn_switch(&mut self, on: bool) {
        let turned = on != self.unit.switched_on();
        self.unit.turn_switch(on);
        self.next_measure = Instant::now();
        if !turned || self.power != Power::On {
            return;
        }
        let at = self.context.clock.now();
        self.main_switch.turned(on, at);
        if on {
            self.queue_event(DeviceEvent {
                at,
                code: EventCode::SwitchCycled,
                on: true,
                args: self.main_switch.report(),
            });
        }
    }

    /// Publishes the state for [`crate::Fleet::states`].
    pub(crate) fn publish_state(&self) {
        if let Some(device_state) = &self.device_state {
            let mut state = device_state.lock().unwrap_or_else(PoisonError::into_inner);
            state.powered = !matches!(self.power, Power::Off(_));
            state.switched_on = self.unit.switched_on();
            state.faulty = self.unit.is_faulty();
            if state.firmware != self.identity.firmware {
                state.firmware = self.identity.firmware.clone();
            }
        }
    }
}

pub(crate) async fn next_intervention(
    interventions: &mut Option<mpsc::Receiver<Intervention>>,
) -> Intervention {
    if let Some(receiver) = interventions
        && let Some(intervention) = receiver.recv().await
    {
        return intervention;
    }
    std::future::pending().await
}
