//! What interventions do to a running battery, and what is then seen of it.
use super::power::Power;
use super::{RunningDevice, SessionEnd};
use crate::device_event::DeviceEvent;
use crate::grid::Dimming;
use crate::intervention::Intervention;
use domain::EventCode;
use std::sync::PoisonError;
use std::time::Duration;
use tokio::time::Instant;

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
