//! When a battery measures, and under which id it says what.
use crate::device::Running;
use crate::happening::Happening;
use crate::outbox::Told;
use crate::wire::Measured;
use domain::sample::MessageId;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::time::Instant;

/// While somebody watches.
pub(crate) const WATCHED_INTERVAL: Duration = Duration::from_secs(2);

impl Running {
    pub(crate) fn measures(&self) -> bool {
        !self.world.finish.is_cancelled()
    }

    pub(crate) fn measure(&mut self) -> Measured {
        let watched = self.world.clock.now() < self.watched_until;
        let interval = if watched {
            WATCHED_INTERVAL.min(self.world.interval)
        } else {
            self.world.interval
        };
        let now = Instant::now();
        self.next_measure = match self.world.closed_loop {
            true => now,
            false => (self.next_measure + interval).max(now),
        };
        self.measure_now()
    }

    fn measure_now(&mut self) -> Measured {
        // Two samples of one battery never share a moment.
        let at = self.world.clock.now().max(self.unit.at() + 1);
        self.unit.live(at);
        let id = self.next_id();
        for happening in self.unit.take_happenings() {
            self.tell(happening);
        }
        Measured {
            sample: self.unit.sample(id),
            uptime: at - self.booted_at,
        }
    }

    pub(crate) fn tell(&mut self, happening: Happening) {
        let id = self.next_id();
        let uptime = (happening.at - self.booted_at).max(0);
        self.outbox.tell(Told {
            id,
            happening,
            uptime,
        });
    }

    pub(crate) fn keep(&mut self, measured: Measured) {
        if self.outbox.keep(measured) {
            self.world.tally.forgotten.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn next_id(&mut self) -> MessageId {
        self.seq += 1;
        MessageId::new(self.boot, self.seq)
    }
}
