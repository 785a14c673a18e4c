//! Delivers orders (settings, commands, updates, plans) to batteries: at once, on each hello, and again until they are answered.
use crate::peer_message::PeerMessage;
use crate::{Bus, Delivery};
use domain::{CommandId, Serial};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

const TICK_INTERVAL: Duration = Duration::from_secs(1);
/// How often, in ticks, the brake is read. The operator's command line sets it in the database.
const BRAKE_POLL_TICKS: u32 = 3;
/// How often, in ticks, a connected battery that has not answered gets its orders again: a message may get lost.
const REMINDER_TICKS: u32 = 30;
/// Batteries per query.
const MAX_BATCH_SIZE: usize = 1_000;

impl Bus {
    /// Settings were saved: notifies subscribers and delivers them.
    pub async fn settings_saved(&self, sn: &Serial) {
        self.live.settings_changed(sn);
        if self.live.may_follow_plan(sn) {
            // The plan may have been switched off.
            self.live.in_force_changed(sn).await;
        }
        self.deliver_orders(sn).await;
    }

    /// A plan was made or given up: notifies subscribers and delivers it.
    pub async fn plan_changed(&self, sn: &Serial) {
        self.live.in_force_changed(sn).await;
        self.deliver_orders(sn).await;
    }

    /// A command was queued: notifies subscribers and delivers it.
    pub async fn command_queued(&self, sn: &Serial, id: &CommandId) {
        self.live.command_changed(sn, id);
        self.deliver_orders(sn).await;
    }

    /// A command has expired: notifies subscribers.
    pub fn command_expired(&self, sn: &Serial, id: &CommandId) {
        self.live.command_changed(sn, id);
    }

    /// Delivers pending orders, wherever the battery is connected. Another process only gets a hint and reads the orders itself,
    /// because they may be too long for a peer message. Lost orders are sent again later: they stay in the database, and the
    /// battery recognises repeats.
    pub async fn deliver_orders(&self, sn: &Serial) {
        if !self.downlink.is_attached(sn) {
            self.peers.send(PeerMessage::Orders { sn: sn.to_string() });
            return;
        }
        for delivery in self.pending_orders(sn).await {
            self.downlink.send(sn, delivery);
        }
    }

    /// The orders of a battery, in the order in which they are sent. Empty while the database is unavailable; the next reminder
    /// asks again.
    pub async fn pending_orders(&self, sn: &Serial) -> Vec<Delivery> {
        let now = self.clock.now();
        let orders = match self.store.orders(sn, now).await {
            Ok(orders) => orders,
            Err(error) => {
                tracing::warn!(%error, %sn, "pending_orders_read_failed: retrying with the next reminder");
                return Vec::new();
            }
        };
        let update = orders.update;
        let update = update.filter(|update| self.live.update_may_begin(sn, &update.job));
        let update = update.map(|update| self.assignment_signer.sign(update, now));
        let settings = orders.settings.map(Delivery::Settings).into_iter();
        let commands = orders.commands.into_iter().map(Delivery::Command);
        let plan = orders.plan.map(Delivery::Plan);
        let update = update.map(Delivery::Update);
        settings.chain(commands).chain(plan).chain(update).collect()
    }

    /// Another process has orders for this battery. Queues a delivery if it is connected here.
    pub(crate) fn request_delivery(&self, sn: Serial) {
        if self.downlink.is_attached(&sn) && self.delivery_requests.try_send(sn).is_err() {
            tracing::debug!("delivery_queue_full: the next reminder delivers these orders");
        }
    }
}

/// Delivers orders that other processes announced. Never returns. Separate from the listener, which must not wait for it.
pub(crate) async fn deliver_requested(bus: &Bus, mut delivery_requests: mpsc::Receiver<Serial>) {
    while let Some(sn) = delivery_requests.recv().await {
        if bus.downlink.is_attached(&sn) {
            bus.deliver_orders(&sn).await;
        }
    }
}

/// Reads the brake and reminds batteries. Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(TICK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for tick_number in 1_u32.. {
        tick.tick().await;
        let work = async {
            if tick_number % BRAKE_POLL_TICKS == 0 && !bus.live.is_empty() {
                bus.live.read_brake().await?;
            }
            if tick_number % REMINDER_TICKS == 0 {
                remind(bus).await?;
            }
            Ok::<(), store::Error>(())
        };
        if let Err(error) = work.await {
            tracing::warn!(%error, "orders_tick_failed: retrying");
        }
    }
}

/// Reminds only batteries that are connected here. The others are reminded by their own process, or on their next hello.
async fn remind(bus: &Bus) -> store::Result<()> {
    for batch in bus.downlink.attached().chunks(MAX_BATCH_SIZE) {
        for sn in bus
            .store
            .systems_with_orders(batch, bus.clock.now())
            .await?
        {
            if bus.downlink.is_attached(&sn) {
                bus.deliver_orders(&sn).await;
            }
        }
    }
    Ok(())
}
