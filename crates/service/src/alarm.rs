//! Alarms: a job opens and closes them, people acknowledge them, and mails report them.

mod mail;

use crate::transaction::Notification;
use crate::{Result, Service};
use domain::alarm::{AlarmChange, AlarmMail, CommentText, MAX_COMMENTS};
use domain::journal::JournalEvent;
use domain::{AccountId, Serial};
use store::Access;
use store::alarm::{self, Alarm, by_serial, comment, notification};
use store::journal::NewEntry;

/// Changes per transaction, so an outage of thousands of systems does not block others.
const MAX_CHANGES_PER_TRANSACTION: usize = 200;

/// How many alarms were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlarmCounts {
    pub opened: usize,
    pub closed: usize,
}

/// The result of adding a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Commented {
    Added(Box<Alarm>),
    /// The alarm already has [`MAX_COMMENTS`].
    TooMany,
}

impl Service {
    /// Opens and closes alarms. An alarm that is already open or already closed does not change. None is opened for a system that
    /// no account has access to.
    pub async fn write_alarms(&self, changes: &[(Serial, AlarmChange)]) -> Result<AlarmCounts> {
        let mut written = AlarmCounts::default();
        for batch in changes.chunks(MAX_CHANGES_PER_TRANSACTION) {
            let mut t = self.begin().await?;
            let now = t.now;
            let mut changed = Vec::new();
            for (sn, change) in by_serial(batch) {
                let id = match *change {
                    AlarmChange::Open {
                        kind,
                        since,
                        counter,
                    } => {
                        let id = alarm::open(&mut t, sn, kind, since, counter, now).await?;
                        written.opened += usize::from(id.is_some());
                        id
                    }
                    AlarmChange::Close(kind) => {
                        let id = alarm::close(&mut t, sn, kind, now).await?;
                        written.closed += usize::from(id.is_some());
                        id
                    }
                };
                if let Some(id) = id {
                    notification::insert(&mut t, sn, id, now).await?;
                    changed.push(sn.clone());
                }
            }
            t.notify(Notification::AlarmsChanged(changed));
            t.commit_keeping_rights().await?;
        }
        Ok(written)
    }

    /// Acknowledges an alarm. Idempotent. `None` if this system has no such alarm.
    pub async fn acknowledge_alarm(&self, access: &Access, id: i64) -> Result<Option<Alarm>> {
        let mut t = self.begin_at(&[access]).await?;
        let now = t.now;
        let acknowledged = alarm::acknowledge(&mut t, access, id, now).await?;
        let alarm = alarm::find(&mut t, access, id).await?;
        if acknowledged && let Some(alarm) = &alarm {
            let kind = Some(alarm.kind);
            let event = JournalEvent::AlarmAcknowledged { alarm: kind };
            let entry = NewEntry::by(access.account(), event, now);
            t.journal(entry.on(access.sn())).await?;
            let systems = vec![access.sn().clone()];
            t.notify(Notification::AlarmsChanged(systems));
        }
        t.commit().await?;
        Ok(alarm)
    }

    /// Adds a comment to an alarm. `None` if this system has no such alarm.
    pub async fn comment_on_alarm(
        &self,
        access: &Access,
        id: i64,
        text: &CommentText,
    ) -> Result<Option<Commented>> {
        self.write_about_alarm(access, id, text, false).await
    }

    /// Dismisses an alarm, with a reason. The alarm closes when the fault is gone. For an alarm that is closed or dismissed
    /// already, only the comment is added. `None` if this system has no such alarm.
    pub async fn dismiss_alarm(
        &self,
        access: &Access,
        id: i64,
        reason: &CommentText,
    ) -> Result<Option<Commented>> {
        self.write_about_alarm(access, id, reason, true).await
    }

    async fn write_about_alarm(
        &self,
        access: &Access,
        id: i64,
        text: &CommentText,
        dismiss: bool,
    ) -> Result<Option<Commented>> {
        let mut t = self.begin_at(&[access]).await?;
        let now = t.now;
        if alarm::find(&mut t, access, id).await?.is_none() {
            return Ok(None);
        }
        if !comment::insert(&mut t, access, id, text, MAX_COMMENTS, now).await? {
            return Ok(Some(Commented::TooMany));
        }
        let dismissed = dismiss && alarm::dismiss(&mut t, access, id, now).await?;
        let Some(alarm) = alarm::find(&mut t, access, id).await? else {
            return Ok(None);
        };
        let kind = Some(alarm.kind);
        let event = match dismissed {
            true => JournalEvent::AlarmDismissed { alarm: kind },
            false => JournalEvent::AlarmCommented { alarm: kind },
        };
        let entry = NewEntry::by(access.account(), event, now);
        t.journal(entry.on(access.sn())).await?;
        if dismissed {
            let systems = vec![access.sn().clone()];
            t.notify(Notification::AlarmsChanged(systems));
        }
        t.commit().await?;
        Ok(Some(Commented::Added(Box::new(alarm))))
    }

    /// Sets how the account is notified of alarms. Choosing no mails also discards pending ones.
    pub async fn set_alarm_mail(&self, account: AccountId, choice: AlarmMail) -> Result<()> {
        let mut t = self.begin().await?;
        alarm::set_mail(&mut t, account, choice).await?;
        if choice == AlarmMail::Never {
            notification::discard(&mut t, account).await?;
        }
        let fields = vec!["alarm_mail".to_owned()];
        let event = JournalEvent::ProfileChanged { fields };
        t.journal(NewEntry::by(account, event, t.now)).await?;
        t.commit().await
    }
}
