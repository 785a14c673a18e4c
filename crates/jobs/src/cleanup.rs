//! Removes what has run out: sessions, links, registrations, unproven second factors, partner tokens, starts of devices,
//! old commands, alarms that are long over, batches of settings, forecasts, prices and weather of long ago,
//! gateways that are gone, undeliverable mails.
use domain::clock::{DAY, Millis};
use store::{Result, Store};

/// Ended sessions are kept this long, longer than any session lives, so that a stolen token is still recognised.
const SESSIONS_KEPT: Millis = 100 * DAY;

/// The journal tells longer what was commanded.
const COMMANDS_KEPT: Millis = 90 * DAY;

pub async fn run(store: &Store, now: Millis) {
    if let Err(error) = clear(store, now).await {
        tracing::error!(%error, "cleanup failed; it is tried again");
    }
}

async fn clear(store: &Store, now: Millis) -> Result<()> {
    store.purge_sessions(now - SESSIONS_KEPT).await?;
    store.purge_mail_links(now).await?;
    store.purge_registrations(now).await?;
    store.purge_claims(now).await?;
    store.purge_totp(now).await?;
    store.purge_partner_tokens(now).await?;
    store.purge_boots().await?;
    store.purge_commands(now - COMMANDS_KEPT).await?;
    store.purge_alarms(now).await?;
    store.purge_batches(now).await?;
    store.purge_sources(now).await?;
    store.purge_forecasts(now).await?;
    store.purge_gateways(now).await?;
    store.purge_mails(now).await
}
