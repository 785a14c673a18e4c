//! Marks silent batteries as offline. The gateway that had the last contact does it. If that gateway has died, any process does
//! it that sees its heartbeat count stand still in the database. A process that receives no peer messages marks nobody.
use crate::Bus;
use domain::Serial;
use domain::clock::Millis;
use std::collections::HashMap;
use std::time::Duration;
use store::presence::GatewayId;
use store::report::{Report, ReportBody};
use tokio::time::{Instant, MissedTickBehavior};

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The heartbeats of gateways are read every so many ticks.
const GATEWAY_CHECK_TICKS: u32 = 5;
/// Systems that nobody needs leave the live view every so many ticks.
const CLEANUP_TICKS: u32 = 10;
/// Batteries per transaction. Small, so that an outage of thousands does not block other writers.
const MAX_BATCH_SIZE: usize = 200;

/// Never returns. Uses its own transactions, so samples do not wait for it.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(CHECK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut gateways = GatewayHeartbeats::default();
    for tick_number in 0_u32.. {
        tick.tick().await;
        bus.live.remove_expired_watches();
        if tick_number % CLEANUP_TICKS == 0 {
            bus.live.remove_unneeded();
        }
        let declared = async {
            mark_silent(bus, bus.gateway(), bus.live.silent_systems()).await?;
            if tick_number % GATEWAY_CHECK_TICKS == 0 {
                mark_orphans(bus, &mut gateways).await?;
            }
            Ok::<(), store::Error>(())
        };
        if let Err(error) = declared.await {
            tracing::warn!(%error, "silence_check_failed: retrying");
            gateways.reset();
        }
    }
}

async fn mark_silent(
    bus: &Bus,
    gateway: GatewayId,
    silent: Vec<(Serial, Millis)>,
) -> store::Result<()> {
    for batch in silent.chunks(MAX_BATCH_SIZE) {
        for (sn, presence) in bus.store.mark_silent(gateway, batch).await? {
            bus.live.presence_changed(&sn, presence);
            if gateway == bus.gateway() && !presence.online && !bus.live.is_silent(&sn) {
                // It sent something to us while this was written.
                let report = Report {
                    sn,
                    received_at: bus.clock.now(),
                    body: ReportBody::Online,
                };
                // The receipt is not needed: the next sample marks it online, too.
                let _ = bus.uplink.submit(report).await;
            }
        }
    }
    Ok(())
}

/// Marks batteries of dead gateways as offline if no other gateway had contact with them since.
async fn mark_orphans(bus: &Bus, gateways: &mut GatewayHeartbeats) -> store::Result<()> {
    if bus.live.heartbeat().unbroken_since().is_none() {
        gateways.reset();
        return Ok(());
    }
    let heartbeats = bus.store.gateway_heartbeats().await?;
    for gateway in gateways.dead(heartbeats, bus.liveness.gateway_limit, Instant::now()) {
        if gateway == bus.gateway() {
            continue;
        }
        let orphans = bus.store.online_at(gateway).await?;
        // Their last contact is in the database.
        bus.live.hold(&orphans).await?;
        let last_contact = |sn: Serial| {
            let at = bus.live.last_contact(&sn);
            (sn, at)
        };
        let orphans: Vec<(Serial, Millis)> = orphans.into_iter().map(last_contact).collect();
        tracing::warn!(
            gateway = gateway.0,
            batteries = orphans.len(),
            "gateway_dead: marking its batteries as offline"
        );
        mark_silent(bus, gateway, orphans).await?;
    }
    Ok(())
}

/// The heartbeat count of each gateway, and since when it has not moved. Uses our own time only, so that no clocks are compared.
#[derive(Debug, Default)]
struct GatewayHeartbeats(HashMap<GatewayId, (Option<i64>, Instant)>);

impl GatewayHeartbeats {
    /// Records the counts just read. Returns the gateways whose count has not moved for `limit`.
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

    /// After a break, earlier observations are worthless.
    fn reset(&mut self) {
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
        let mut gateways = GatewayHeartbeats::default();
        let first = vec![(one, Some(7)), (two, Some(100)), (gone, None)];
        assert!(gateways.dead(first.clone(), limit, at(0)).is_empty());
        let moved = vec![(one, Some(8)), (two, Some(100)), (gone, None)];
        assert!(gateways.dead(moved.clone(), limit, at(89)).is_empty());
        let mut dead = gateways.dead(moved.clone(), limit, at(90));
        dead.sort_by_key(|gateway| gateway.0);
        assert_eq!(dead, [two, gone]);

        gateways.reset();
        assert!(gateways.dead(moved, limit, at(500)).is_empty());
    }
}
