//! Commands to batteries: each is queued once per key, and expires if the battery does not answer in time.
use crate::transaction::Notification;
use crate::{Error, Result, Service};
use domain::CommandId;
use domain::command::{Command, CommandKey, MAX_OPEN_COMMANDS};
use domain::journal::JournalEvent;
use serde_json::Value;
use store::Access;
use store::command::{self, CommandEntry, NewCommand};
use store::guard::{self, ChangeBlocked};
use store::journal::NewEntry;

/// Result of queueing a command.
#[derive(Clone, Debug)]
pub enum QueueResult {
    New(CommandEntry),
    /// The key was used before for the same command. This is its present state.
    Repeated(CommandEntry),
    /// The key was used before for another command; nothing was queued.
    KeyReused,
    TooManyOpen,
    Blocked(ChangeBlocked),
}

impl QueueResult {
    fn of_used_key(known: CommandEntry, command: Command) -> Self {
        let same =
            known.command == command.name() && known.args == Value::Object(command.arguments());
        match same {
            true => Self::Repeated(known),
            false => Self::KeyReused,
        }
    }
}

impl Service {
    /// Queues a command unless its key was used before. Idempotent: a repeated request gets the first one's command.
    pub async fn queue_command(
        &self,
        access: &Access,
        key: &CommandKey,
        command: Command,
    ) -> Result<QueueResult> {
        let mut t = self.begin().await?;
        let (sn, now) = (access.sn(), t.now);
        if let Some(known) = command::find_by_key(&mut t, access, key).await? {
            return Ok(QueueResult::of_used_key(known, command));
        }
        let limit = self.config.devices_a_minute;
        if let Err(blocked) = guard::admit(&mut t, access, limit, now).await? {
            return Ok(QueueResult::Blocked(blocked));
        }
        if command::count_open(&mut t, sn, now).await? >= MAX_OPEN_COMMANDS {
            return Ok(QueueResult::TooManyOpen);
        }
        let id = CommandId::random(&self.random);
        let new = NewCommand {
            id: &id,
            key,
            command,
        };
        let Some(queued) = command::insert(&mut t, access, new, now).await? else {
            // A concurrent identical request was faster.
            let other = command::find_by_key(&mut t, access, key).await?;
            let other = other.ok_or(Error::Conflict)?;
            return Ok(QueueResult::of_used_key(other, command));
        };
        let event = JournalEvent::CommandSent {
            command: command.name().to_owned(),
            args: command.arguments(),
        };
        let entry = NewEntry::by(access.account(), event, now).on(sn);
        t.journal(entry).await?;
        t.notify(Notification::CommandQueued(sn.clone(), id));
        t.commit().await?;
        Ok(QueueResult::New(queued))
    }

    /// Expires overdue commands.
    pub async fn expire_commands(&self) -> Result<()> {
        let overdue = self.store.overdue_commands(self.now()).await?;
        if overdue.is_empty() {
            return Ok(());
        }
        let mut t = self.begin().await?;
        for command in overdue {
            // The battery may have answered meanwhile.
            if !command::expire(&mut t, &command.id).await? {
                continue;
            }
            let event = JournalEvent::CommandExpired {
                command: command.command,
            };
            let expired = NewEntry::without_account(event, command.expires_at);
            t.journal(expired.on(&command.sn)).await?;
            t.notify(Notification::CommandExpired(command.sn, command.id));
        }
        t.commit().await
    }
}
