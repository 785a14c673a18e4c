//! The operator's decisions about a device: its import, its block and its secret.
use crate::{Result, Service};
use domain::clock::{DAY, Millis};
use domain::journal::JournalEvent;
use domain::{Random, Serial};
use store::device_login::{self, OldSecrets};
use store::journal::{Actor, NewEntry};
use store::system::{self, NewDevice};
use store::unit;

/// The most devices in one journal entry.
const DEVICES_IN_AN_ENTRY: usize = 500;

/// How long the old secret stays valid if the device never uses the new one.
pub const OLD_SECRET_VALID_FOR: Millis = 30 * DAY;

/// A random secret for a device.
pub fn new_secret(random: &Random) -> String {
    let bytes = random.bytes::<32>();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Service {
    /// Registers devices, all or none. A serial number that exists already is refused.
    pub async fn import_devices(&self, devices: &[NewDevice<'_>]) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        for device in devices {
            system::import(&mut t, self.store.keyring(), device, now).await?;
        }
        for devices in devices.chunks(DEVICES_IN_AN_ENTRY) {
            let systems = devices.iter().map(|device| device.sn.clone()).collect();
            let entry = NewEntry::without_account(JournalEvent::DevicesImported { systems }, now);
            t.journal(entry.with_actor(Actor::Operator)).await?;
        }
        t.commit().await
    }

    /// Accepts a repaired unit whose boot counter started over. `false` for an unknown serial number.
    pub async fn restart_boot_counter(&self, sn: &Serial) -> Result<bool> {
        let mut t = self.begin().await?;
        let now = t.now;
        if !unit::restart_boot_counter(&mut t, sn, now).await? {
            return Ok(false);
        }
        let entry = NewEntry::without_account(JournalEvent::BootCounterRestarted, now).on(sn);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await?;
        Ok(true)
    }

    /// Blocks or unblocks a device. Blocking ends its connection to any gateway within seconds. `false` for an unknown serial
    /// number.
    pub async fn block_device(&self, sn: &Serial, block: bool) -> Result<bool> {
        let mut t = self.begin().await?;
        let now = t.now;
        let Some(changed) = device_login::set_blocked(&mut t, sn, block.then_some(now)).await?
        else {
            return Ok(false);
        };
        if changed {
            let event = match block {
                true => JournalEvent::DeviceBlocked,
                false => JournalEvent::DeviceUnblocked,
            };
            let entry = NewEntry::without_account(event, now).on(sn);
            t.journal(entry.with_actor(Actor::Operator)).await?;
        }
        t.commit_keeping_rights().await?;
        Ok(true)
    }

    /// Creates a new secret for a device and returns it; only a hash is stored. The old one stays valid until the device has used
    /// the new one, for [`OLD_SECRET_VALID_FOR`] at most. With `drop_old` it is invalid at once, and the device is disconnected.
    /// `None` for an unknown serial number.
    pub async fn rotate_device_secret(
        &self,
        sn: &Serial,
        drop_old: bool,
    ) -> Result<Option<String>> {
        let mut t = self.begin().await?;
        let now = t.now;
        let secret = new_secret(&self.random);
        let old = match drop_old {
            true => OldSecrets::Drop,
            false => OldSecrets::ExpireAt(now + OLD_SECRET_VALID_FOR),
        };
        let keyring = self.store.keyring();
        if !device_login::change_secret(&mut t, keyring, sn, secret.as_bytes(), old, now).await? {
            return Ok(None);
        }
        let event = JournalEvent::DeviceSecretRotated { drop_old };
        let entry = NewEntry::without_account(event, now).on(sn);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit_keeping_rights().await?;
        Ok(Some(secret))
    }
}
