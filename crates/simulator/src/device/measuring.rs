//! Measuring times and message ids.
use super::RunningDevice;
use crate::device_event::DeviceEvent;
use crate::send_queue::QueuedEvent;
use crate::wire::StampedSample;
use domain::sample::MessageId;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::time::Instant;

/// The sampling interval while the battery is watched.
pub(crate) const WATCHED_INTERVAL: Duration = Duration::from_secs(2);

impl RunningDevice {
    pub(crate) fn is_measuring(&self) -> bool {
        !self.context.finish.is_cancelled()
    }

    pub(crate) fn measure(&mut self) -> StampedSample {
        let watched = self.context.clock.now() < self.watched_until;
        let interval = if watched {
            WATCHED_INTERVAL.min(self.context.interval)
        } else {
            self.context.interval
        };
        let now = Instant::now();
        self.next_measure = match self.context.closed_loop {
            true => now,
            false => (self.next_measure + interval).max(now),
        };
        self.measure_now()
    }

    fn measure_now(&mut self) -> StampedSample {
        // Two samples of one battery never have the same time.
        let at = self.context.clock.now().max(self.unit.at() + 1);
        self.unit.advance_to(at);
        let id = self.next_id();
        for device_event in self.unit.take_events() {
            self.queue_event(device_event);
        }
        StampedSample {
            sample: self.unit.sample(id),
            uptime: at - self.booted_at,
        }
    }

    pub(crate) fn queue_event(&mut self, device_event: DeviceEvent) {
        let id = self.next_id();
        let uptime = (device_event.at - self.booted_at).max(0);
        self.send_queue.queue_event(QueuedEvent {
            id,
            device_event,
            uptime,
        });
    }

    pub(crate) fn buffer_sample(&mut self, measured: StampedSample) {
        if self.send_queue.buffer_sample(measured) {
            self.context.stats.forgotten.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn next_id(&mut self) -> MessageId {
        self.seq += 1;
        MessageId::new(self.boot, self.seq)
    }
}
