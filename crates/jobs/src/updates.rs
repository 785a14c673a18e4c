//! Expires updates whose battery has waited for too long, and interrupts those that fell silent.
use bus::Bus;
use domain::clock::Millis;
use service::Service;
use store::Store;

pub(crate) async fn run(service: &Service) {
    if let Err(error) = service.expire_updates().await {
        tracing::error!(%error, "expiring updates failed; retrying at the next tick");
    }
}

pub(crate) async fn interrupt_stalled(store: &Store, bus: &Bus, now: Millis) {
    match store.interrupt_stalled_updates(now).await {
        Ok(systems) => {
            for sn in &systems {
                bus.update_changed(sn).await;
            }
        }
        Err(error) => {
            tracing::error!(%error, "interrupting stalled updates failed; retrying at the next tick");
        }
    }
}
