//! The plug: without power a battery measures nothing and says nothing, and what it does not keep in flash is gone.
use crate::device::Running;
use crate::order::next_order;
use tokio::time::{Instant, sleep_until};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Power {
    On,
    /// Until somebody puts the plug in again, or until then.
    Off(Option<Instant>),
    /// It starts again, and is there by then.
    Restarting(Instant),
}

impl Power {
    /// When it is back by itself.
    fn back(self) -> Option<Instant> {
        match self {
            Self::On => None,
            Self::Off(back) => back,
            Self::Restarting(until) => Some(until),
        }
    }
}

impl Running {
    pub(crate) fn lose_power(&mut self, back: Option<Instant>) {
        if self.power == Power::On {
            self.stop_living();
        }
        self.power = Power::Off(back);
    }

    /// Shuts down, and is back after so long.
    pub(crate) fn begin_restart(&mut self, lasts: std::time::Duration) {
        self.stop_living();
        self.power = Power::Restarting(Instant::now() + lasts);
    }

    fn stop_living(&mut self) {
        self.unit.live(self.world.clock.now());
        self.download = None;
    }

    /// A new start: messages are counted anew, and the time has to be told again.
    pub(crate) fn start_up(&mut self) {
        self.power = Power::On;
        (self.boot, self.seq) = (self.boot + 1, 0);
        self.booted_at = self.world.clock.now();
        self.portal.restart();
        // It is told anew when it has said hello.
        self.unit.plan = None;
        self.unit.test_meter(false);
        self.unit.wake(self.booted_at);
        self.outbox.forget_progress();
        self.updater.start(Instant::now());
        self.identity.firmware = self.updater.firmware();
        self.next_measure = Instant::now();
    }

    /// Waits for power, if there is none. `false` when it is told to finish: nothing can be delivered.
    pub(crate) async fn be_dark(&mut self) -> bool {
        while self.power != Power::On {
            self.show();
            if self.world.finish.is_cancelled() {
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
                () = self.world.finish.cancelled() => {}
                order = next_order(&mut self.orders) => {
                    // It is away already; a hand on the plug or the switch is all that counts.
                    let _ = self.obey(order);
                }
            }
        }
        self.show();
        true
    }
}
