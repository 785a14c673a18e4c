//! Batteries that say nothing any more: declared offline by the gateway that heard of them last, and if that has died, by
//! whoever sees in the database that its heartbeat stands still. A process that does not hear the others declares nothing.
use crate::Bus;
use domain::Serial;
use std::collections::HashMap;
use std::time::Duration;
use store::presence::GatewayId;
use store::report::{Body, Report};
use tokio::time::{Instant, MissedTickBehavior};

/// How often the live view is searched for silent batteries.
const INTERVAL: Duration = Duration::from_secs(1);
/// The heartbeats of gateways are read every so many times.
const GATEWAYS_EVERY: u32 = 5;
/// How many share a transaction, so that an outage of thousands holds nobody up.
const BATCH: usize = 200;

/// Declares who is silent, for ever. Samples do not wait for it: it has transactions of its own.
pub(crate) async fn watch(bus: &Bus) {
    let mut tick = tokio::time::interval(INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut gateways = Gateways::default();
    for count in 0_u32.. {
        tick.tick().await;
        bus.live.forget_viewers();
        let declared = async {
            mark(bus, bus.gateway(), bus.live.silent()).await?;
            if count % GATEWAYS_EVERY == 0 {
                mark_orphans(bus, &mut gateways).await?;
            }
            Ok::<(), store::Error>(())
        };
        if let Err(error) = declared.await {
            tracing::warn!(%error, "silent batteries cannot be written down");
            gateways.forget();
        }
    }
}

async fn mark(bus: &Bus, gateway: GatewayId, silent: Vec<Serial>) -> store::Result<()> {
    for batch in silent.chunks(BATCH) {
        let now = bus.clock.now();
        for (sn, presence) in bus.store.mark_silent(gateway, batch, now).await? {
            bus.live.presence_changed(&sn, presence);
            if gateway == bus.gateway() && !presence.online && !bus.live.is_quiet(&sn) {
                // It spoke to us while this was written.
                let report = Report {
                    sn,
                    received_at: now,
                    body: Body::Online,
                };
                // Nobody waits for the answer: the next sample says the same.
                let _ = bus.uplink.submit(report).await;
            }
        }
    }
    Ok(())
}

/// Batteries of gateways that have died, and that no other gateway has heard of since.
async fn mark_orphans(bus: &Bus, gateways: &mut Gateways) -> store::Result<()> {
    if bus.live.heartbeat().unbroken_since().is_none() {
        gateways.forget();
        return Ok(());
    }
    let heartbeats = bus.store.gateway_heartbeats().await?;
    for gateway in gateways.dead(heartbeats, bus.liveness.gateway_limit, Instant::now()) {
        if gateway == bus.gateway() {
            continue;
        }
        let orphans = bus.store.online_at(gateway).await?;
        tracing::warn!(
            gateway = gateway.0,
            batteries = orphans.len(),
            "a gateway has died: its batteries are offline"
        );
        mark(bus, gateway, orphans).await?;
    }
    Ok(())
}

/// Heartbeats of gateways, and since when each has not moved: by our own time, so that no clock is compared with another's.
#[derive(Debug, Default)]
struct Gateways(HashMap<GatewayId, (Option<i64>, Instant)>);

impl Gateways {
    /// Takes what was read, and says whose heartbeat has not moved for `limit`.
    fn dead(
        &mut self,
        heartbeats: Vec<(GatewayId, Option<i64>)>,
        limit: Duration,
        now: Instant,
    ) -> Vec<GatewayId> {
        let before = std::mem::take(&mut self.0);
        for (gateway, count) in heartbeats {
            let since = match before.get(&gateway) {
                Some((known, since)) if *known == count => *since,
                _ => now,
            };
            self.0.insert(gateway, (count, since));
        }
        let dead = |since: &Instant| now - *since >= limit;
        let gateways = self.0.iter();
        gateways
            .filter(|(_, (_, since))| dead(since))
            .map(|(gateway, _)| *gateway)
            .collect()
    }

    /// What was seen before a break says nothing.
    fn forget(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_is_dead_when_its_heartbeat_has_not_moved_for_the_limit() {
        let limit = Duration::from_secs(90);
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let (one, two, gone) = (GatewayId(1), GatewayId(2), GatewayId(3));
        let mut gateways = Gateways::default();
        let first = vec![(one, Some(7)), (two, Some(100)), (gone, None)];
        assert!(gateways.dead(first.clone(), limit, at(0)).is_empty());
        let moved = vec![(one, Some(8)), (two, Some(100)), (gone, None)];
        assert!(gateways.dead(moved.clone(), limit, at(89)).is_empty());
        let mut dead = gateways.dead(moved.clone(), limit, at(90));
        dead.sort_by_key(|gateway| gateway.0);
        assert_eq!(dead, [two, gone]);

        gateways.forget();
        assert!(gateways.dead(moved, limit, at(500)).is_empty());
    }
}
