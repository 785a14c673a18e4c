//! Settings, commands, updates and plans on their way to a battery: told at once, on each hello, and again while they are not answered.
use crate::notice::Notice;
use crate::{Bus, Delivery};
use domain::{CommandId, Serial};
use serde_json::json;
use std::time::Duration;
use store::command::CommandEntry;
use store::order::{NewSettings, Orders};
use store::planning::PlanOrder;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

/// How often somebody looks for commands whose time ran out.
const LOOK: Duration = Duration::from_secs(1);
/// The brake that an operator's command put on is seen after so many looks.
const BRAKE: u32 = 3;
/// A battery that is connected and has not answered is told again every so many looks: a message may get lost.
const REMIND: u32 = 30;

impl Bus {
    /// Settings were saved: whoever listens hears of it, and the battery gets them.
    pub async fn settings_saved(&self, sn: &Serial) {
        self.live.settings_changed(sn);
        if self.live.follows_plan(sn) {
            // Its people may not want a plan any more.
            self.live.in_force_changed(sn).await;
        }
        self.bring(sn).await;
    }

    /// A plan was made or given up: whoever listens hears of it, and the battery gets it.
    pub async fn plan_changed(&self, sn: &Serial) {
        self.live.in_force_changed(sn).await;
        self.bring(sn).await;
    }

    /// A command was queued: whoever listens hears of it, and the battery gets it.
    pub async fn command_queued(&self, sn: &Serial, id: &CommandId) {
        self.live.command_changed(sn, id);
        self.bring(sn).await;
    }

    /// Hands the battery what waits for it, wherever it is connected: another process gets a hint and reads for itself, so
    /// that no order is too long for a notice. What does not arrive is told again later: it is in the database, and the
    /// battery knows what it has had.
    pub async fn bring(&self, sn: &Serial) {
        if !self.downlink.is_attached(sn) {
            self.notices.send(Notice::Orders { sn: sn.to_string() });
            return;
        }
        match self.store.orders(sn, self.clock.now()).await {
            Ok(orders) => {
                for delivery in deliveries(&orders) {
                    self.downlink.send(sn, delivery);
                }
                let update = orders.update.as_ref();
                if let Some(update) = update.filter(|it| self.live.may_begin(sn, &it.job)) {
                    let update = self.director.delivery(update, self.clock.now());
                    self.downlink.send(sn, update);
                }
            }
            Err(error) => tracing::warn!(%error, %sn, "what waits for a battery cannot be read"),
        }
    }

    /// Another process has orders for this battery, which may be connected here.
    pub(crate) fn orders_wait(&self, sn: Serial) {
        if self.downlink.is_attached(&sn) && self.ordered.try_send(sn).is_err() {
            tracing::debug!("too many orders at once: they are brought by the next reminder");
        }
    }
}

/// Brings what other processes have for batteries of this one, for ever. Beside the listener, which must not wait for it.
pub(crate) async fn bring_all(bus: &Bus, mut ordered: mpsc::Receiver<Serial>) {
    while let Some(sn) = ordered.recv().await {
        if bus.downlink.is_attached(&sn) {
            bus.bring(&sn).await;
        }
    }
}

fn deliveries(orders: &Orders) -> impl Iterator<Item = Delivery> {
    let settings = orders.settings.iter().map(settings);
    let commands = orders.commands.iter().map(command);
    settings.chain(commands).chain(orders.plan.iter().map(plan))
}

fn settings(new: &NewSettings) -> Delivery {
    let document = json!({ "ver": new.version, "state": new.settings.json() });
    Delivery::new("des", document.to_string())
}

fn command(entry: &CommandEntry) -> Delivery {
    let document = json!({
        "id": entry.id.as_str(), "cmd": entry.command, "args": entry.args, "exp": entry.expires_at,
    });
    Delivery {
        command: Some(entry.id.clone()),
        ..Delivery::new("cmd", document.to_string())
    }
}

/// The whole plan as far as it is the battery's business. It follows it until `exp`, unless a newer one comes.
fn plan(order: &PlanOrder) -> Delivery {
    let steps = order.stretches.iter();
    let steps = steps.map(|(from, until, mode, power)| {
        json!({ "from": from, "until": until, "mode": mode.as_str(), "power": power })
    });
    let document = json!({
        "ver": order.version, "exp": order.expires_at, "steps": steps.collect::<Vec<_>>(),
    });
    Delivery::new("plan", document.to_string())
}

/// Ends what ran out of time and reminds batteries, for ever.
pub(crate) async fn mind(bus: &Bus) {
    let mut tick = tokio::time::interval(LOOK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for look in 1_u32.. {
        tick.tick().await;
        let minded = async {
            for (sn, id) in bus.store.expire_commands(bus.clock.now()).await? {
                bus.live.command_changed(&sn, &id);
            }
            if look % BRAKE == 0 {
                bus.live.read_brake().await?;
            }
            if look % REMIND == 0 {
                remind(bus).await?;
            }
            Ok::<(), store::Error>(())
        };
        if let Err(error) = minded.await {
            tracing::warn!(%error, "what waits for batteries cannot be read");
        }
    }
}

/// Only who is connected here: the others hear it from their own process, or on their next hello.
async fn remind(bus: &Bus) -> store::Result<()> {
    for sn in bus.store.ordered(bus.clock.now()).await? {
        if bus.downlink.is_attached(&sn) {
            bus.bring(&sn).await;
        }
    }
    Ok(())
}
