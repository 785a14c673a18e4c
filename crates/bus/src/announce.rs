//! Announces to the other processes which systems this one has in its live view.
//!
//! When they enter the view, all of them every minute, and when another process asks. What it does not hear of is repaired soon: a
//! system that has just entered the view is read once more, and presences are read every minute.
use crate::Bus;
use crate::peer_message::PeerMessage;
use domain::Serial;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior};

const ANNOUNCE_INTERVAL: Duration = Duration::from_secs(60);
const TICK_INTERVAL: Duration = Duration::from_secs(1);
/// By then every process has received the announcement that we follow a system.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(2);
/// Keeps an announcement within the length of a peer message.
const MAX_ANNOUNCED: usize = 200;

impl Bus {
    /// Asks the other processes to send changes of these systems.
    pub(crate) fn announce(&self, systems: &[Serial]) {
        for some in systems.chunks(MAX_ANNOUNCED) {
            let systems = some.iter().map(Serial::to_string).collect();
            self.peers.send(PeerMessage::Follow { systems });
        }
    }
}

/// Announces the systems of this process. Never returns; on SQLite there are no other processes.
pub(crate) async fn run(bus: &Bus) {
    if !bus.peers.has_peers() {
        return std::future::pending().await;
    }
    let mut tick = tokio::time::interval(TICK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut announced = Instant::now();
    let mut to_read_again: Vec<(Instant, Vec<Serial>)> = Vec::new();
    loop {
        tokio::select! {
            _ = tick.tick() => {}
            () = bus.live.has_new_systems() => {}
        }
        if bus.peers.followed().take_question() {
            bus.peers.send(PeerMessage::AskFollowed {});
        }
        let new = bus.live.take_new_systems();
        if !new.is_empty() {
            bus.announce(&new);
            to_read_again.push((Instant::now() + READ_AGAIN_AFTER, new));
        }
        let now = Instant::now();
        for (_, systems) in to_read_again.extract_if(.., |(at, _)| *at <= now) {
            bus.live.request_reload(systems);
        }
        if now >= announced + ANNOUNCE_INTERVAL {
            announced = now;
            bus.announce(&bus.live.serials());
            bus.peers.followed().remove_expired();
            if let Err(error) = bus.live.read_presences().await {
                tracing::warn!(%error, "presences_read_failed: retrying in a minute");
            }
        }
    }
}
