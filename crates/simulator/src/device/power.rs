//! The power supply: without it a battery neither measures nor sends, and keeps only what is in flash.
use super::RunningDevice;
use crate::intervention::next_intervention;
use tokio::time::{Instant, sleep_until};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Power {
    On,
    /// Off until this time, or until it is plugged in again.
    Off(Option<Instant>),
    /// Restarting; up again at this time.
    Restarting(Instant),
}

impl Power {
    /// When it comes back by itself.
    fn back(self) -> Option<Instant> {
        match self {
            Self::On => None,
            Self::Off(back) => back,
            Self::Restarting(until) => Some(until),
        }
    }
}

impl RunningDevice {
    pub(crate) fn lose_power(&mut self, back: Option<Instant>) {
        if self.power == Power::On {
            self.shut_down();
        }
        self.power = Power::Off(back);
    }

    /// Shuts down and comes back after `lasts`.
    pub(crate) fn begin_restart(&mut self, lasts: std::time::Duration) {
        self.shut_down();
        self.power = Power::Restarting(Instant::now() + lasts);
    }

    fn shut_down(&mut self) {
        self.unit.advance_to(self.context.clock.now());
        self.download = None;
    }

    /// A new boot: message numbers start again, and the portal has to send the time again.
    pub(crate) fn start_up(&mut self) {
        self.power = Power::On;
        (self.boot, self.seq) = (self.boot + 1, 0);
        self.booted_at = self.context.clock.now();
        self.portal.restart();
        // The portal sends the plan again after the hello.
        self.unit.plan = None;
        self.unit.test_meter(false);
        self.unit.wake(self.booted_at);
        self.send_queue.drop_stale_progress();
        self.updater.start(Instant::now());
        self.identity.firmware = self.updater.firmware();
        self.next_measure = Instant::now();
    }

    /// Waits for power if there is none. Returns `false` when it has to finish: without power nothing can be delivered.
    pub(crate) async fn wait_for_power(&mut self) -> bool {
        while self.power != Power::On {
            self.publish_state();
            if self.context.finish.is_cancelled() {
                return false;
            }
            let back = self.power.back();
            if back.is_some_and(|back| back <= Instant::now()) {
                self.start_up();
                continue;
            }
            let returns = async {
                match back {
                    Some(back) => sleep_until(back).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = returns => {}
                () = self.context.finish.cancelled() => {}
                intervention = next_intervention(&mut self.interventions) => {
                    // It is offline already; only its effect on power and main switch matters.
                    let _ = self.apply(intervention);
                }
            }
        }
        self.publish_state();
        true
    }
}
