//! Removes expired data: sessions, links, registrations, unconfirmed second factors, challenges of passkeys, claims, customer codes, partner tokens, device boots, old
//! device secrets, old commands, alarms that ended long ago, setting batches, old forecasts, prices and weather, gateways that are gone,
//! batteries that were throttled long ago, limited attempts, undeliverable mails.
use domain::clock::{DAY, Millis};
use store::{Result, Store};

/// How long ended sessions are kept: longer than any session lives, so a stolen token is still recognised.
const SESSION_RETENTION: Millis = 100 * DAY;

/// The journal keeps commands longer.
const COMMAND_RETENTION: Millis = 90 * DAY;

pub async fn run(store: &Store, now: Millis) {
    if let Err(error) = clear(store, now).await {
        tracing::error!(%error, "cleanup_failed: retrying at the next tick");
    }
}

async fn clear(store: &Store, now: Millis) -> Result<()> {
    store.purge_sessions(now - SESSION_RETENTION).await?;
    store.purge_mail_links(now).await?;
    store.purge_registrations(now).await?;
    store.purge_company_invitations(now).await?;
    store.purge_claims(now).await?;
    store.purge_customer_codes(now).await?;
    store.purge_totp(now).await?;
    store.purge_passkey_challenges(now).await?;
    store.purge_partner_tokens(now).await?;
    store.purge_boots().await?;
    store.purge_device_secrets(now).await?;
    store.purge_commands(now - COMMAND_RETENTION).await?;
    store.purge_alarms(now).await?;
    store.purge_batches(now).await?;
    store.purge_sources(now).await?;
    store.purge_forecasts(now).await?;
    store.purge_gateways(now).await?;
    store.purge_throttled_devices(now).await?;
    store.purge_attempts(now).await?;
    store.purge_mails(now).await
}
