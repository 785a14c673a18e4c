//! Marks silent batteries as offline. The gateway of the last contact does it. If that gateway has died, any process does it that
//! sees its heartbeat count in the database stand still. A process that receives no peer messages marks no battery.
use crate::Bus;
use domain::Serial;
use domain::clock::{MAX_CLOCK_SKEW, Millis};
use std::collections::HashMap;
use std::time::Duration;
use store::presence::GatewayId;
use store::report::{Report, ReportBody};
use tokio::time::{Instant, MissedTickBehavior};

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often, in ticks, the heartbeats of gateways are read.
const GATEWAY_CHECK_TICKS: u32 = 5;
/// How often, in ticks, systems that are not needed are removed from the live view.
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
                // The battery contacted us while this was written.
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
        let mut orphans = bus.store.online_at(gateway).await?;
        if orphans.is_empty() {
            continue;
        }
        tracing::warn!(
            gateway = gateway.0,
            batteries = orphans.len(),
            "gateway_dead: marking its batteries as offline"
        );
        // Every process begins elsewhere, and finds what others have done meanwhile.
        let begin = bus.gateway().0.unsigned_abs() % orphans.len() as u64;
        orphans.rotate_left(begin as usize);
        for batch in orphans.chunks(MAX_BATCH_SIZE) {
            let silent = last_contacts(bus, gateway, batch).await?;
            mark_silent(bus, gateway, silent).await?;
        }
    }
    Ok(())
}

/// The last contact of each of these batteries that is still online at a gateway that has died: what the database has, or this
/// process heard.
async fn last_contacts(
    bus: &Bus,
    gateway: GatewayId,
    systems: &[Serial],
) -> store::Result<Vec<(Serial, Millis)>> {
    let mut presences = bus.store.presences_of(systems).await?;
    presences.retain(|(_, presence)| presence.online && presence.gateway == gateway);
    let online: Vec<Serial> = presences.iter().map(|(sn, _)| sn.clone()).collect();
    if online.is_empty() {
        return Ok(Vec::new());
    }
    let now = bus.clock.now();
    let telemetry = &bus.store.telemetry;
    let samples = telemetry
        .latest_samples(&online, now + MAX_CLOCK_SKEW)
        .await?;
    let samples = samples.into_iter();
    let measured: HashMap<Serial, Millis> = samples.map(|(sn, sample)| (sn, sample.at)).collect();
    let last = presences.into_iter().map(|(sn, presence)| {
        let stored = measured.get(&sn).copied().max(Some(presence.since));
        let heard = bus.live.get(&sn).and_then(|snapshot| snapshot.last_contact);
        let at = stored.max(heard).unwrap_or(now).min(now);
        (sn, at)
    });
    Ok(last.collect())
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
