//! The transaction of a use case. Rows, journal entries and mails are committed together. Then, and only here, the bus is notified.
use crate::{Result, Service};
use bus::Bus;
use db::Tx;
use domain::clock::Millis;
use domain::{AccountId, CommandId, Email, Serial};
use std::ops::{Deref, DerefMut};
use store::journal::NewEntry;
use store::mail::{MailBody, OutgoingMail};

/// If dropped without a commit, it changes nothing and sends no notification. Statements of `store` take it as their `Tx`.
pub(crate) struct Transaction<'s> {
    pub(crate) service: &'s Service,
    /// The time of everything that it writes.
    pub(crate) now: Millis,
    tx: Tx,
    notifications: Vec<Notification>,
}

/// A notification for the bus about a commit.
#[derive(Clone, Debug)]
pub(crate) enum Notification {
    SettingsSaved(Serial),
    CommandQueued(Serial, CommandId),
    CommandExpired(Serial, CommandId),
    PlanChanged(Serial),
    UpdateChanged(Serial),
    UnitReplaced {
        old: Serial,
        new: Serial,
    },
    /// The days of a system follow another time zone.
    ZoneChanged(Serial),
    AlarmsChanged(Vec<Serial>),
}

impl<'s> Transaction<'s> {
    pub(crate) async fn begin(service: &'s Service) -> Result<Self> {
        Ok(Self {
            tx: service.store.db().begin().await?,
            now: service.now(),
            service,
            notifications: Vec::new(),
        })
    }

    pub(crate) async fn commit(self) -> Result<()> {
        self.tx.commit().await?;
        notify_bus(self.service, self.notifications).await;
        Ok(())
    }

    /// Commits a change that affects no rights: cached sessions stay valid.
    pub(crate) async fn commit_keeping_rights(self) -> Result<()> {
        self.tx.commit_invalidating(std::iter::empty()).await?;
        notify_bus(self.service, self.notifications).await;
        Ok(())
    }

    /// Notifies the bus after the commit.
    pub(crate) fn notify(&mut self, notification: Notification) {
        self.notifications.push(notification);
    }

    pub(crate) async fn journal(&mut self, entry: NewEntry<'_>) -> Result<()> {
        entry.write(&mut self.tx).await
    }

    /// Queues a mail. It is deleted with `account`, whichever address it goes to.
    pub(crate) async fn queue_mail(
        &mut self,
        account: Option<AccountId>,
        recipient: &Email,
        body: MailBody,
    ) -> Result<()> {
        self.queue_mail_at(self.now, account, recipient, body).await
    }

    /// Queues a mail that is sent at this time or later.
    pub(crate) async fn queue_mail_at(
        &mut self,
        due_at: Millis,
        account: Option<AccountId>,
        recipient: &Email,
        body: MailBody,
    ) -> Result<()> {
        let outgoing = OutgoingMail {
            account,
            recipient,
            body,
            nonce: self.service.random.bytes(),
        };
        let keyring = self.service.store.keyring();
        store::mail::queue(&mut self.tx, keyring, &outgoing, due_at).await
    }
}

async fn notify_bus(service: &Service, notifications: Vec<Notification>) {
    if let Some(bus) = &service.bus {
        for notification in notifications {
            notification.send(bus).await;
        }
    }
}

impl Notification {
    async fn send(self, bus: &Bus) {
        match self {
            Self::SettingsSaved(sn) => bus.settings_saved(&sn).await,
            Self::CommandQueued(sn, id) => bus.command_queued(&sn, &id).await,
            Self::CommandExpired(sn, id) => bus.command_expired(&sn, &id),
            Self::PlanChanged(sn) => bus.plan_changed(&sn).await,
            Self::UpdateChanged(sn) => bus.update_changed(&sn).await,
            Self::UnitReplaced { old, new } => bus.unit_replaced(&old, &new).await,
            Self::AlarmsChanged(systems) => bus.alarms_changed(&systems).await,
            Self::ZoneChanged(sn) => bus.live.reload_everywhere(&sn).await,
        }
    }
}

impl Deref for Transaction<'_> {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.tx
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.tx
    }
}
