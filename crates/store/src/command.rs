//! Commands to batteries. Each is stored before it is sent, once per key, and never sent after it expired.

mod entry;

pub use entry::CommandEntry;
pub(crate) use entry::{Row, select};

use crate::guard::{self, ChangeBlocked};
use crate::journal::{Actor, JournalEvent, NewEntry};
use crate::{Access, Error, Result, Store, in_force};
use db::Tx;
use domain::clock::Millis;
use domain::command::{
    COMMAND_TTL, Command, CommandAnswer, CommandEvent, CommandKey, CommandState, MAX_OPEN_COMMANDS,
};
use domain::{AccountId, CommandId, Serial};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug)]
pub struct NewCommand<'a> {
    pub id: &'a CommandId,
    pub key: &'a CommandKey,
    pub command: Command,
    /// How many devices one account may change per minute.
    pub devices_a_minute: usize,
}

/// Result of queueing a command.
#[derive(Clone, Debug)]
pub enum QueueResult {
    New(CommandEntry),
    /// The key was used before for the same command, which has this state now.
    Repeated(CommandEntry),
    /// The key was used before for another command; nothing was queued.
    KeyReused,
    TooManyOpen,
    Blocked(ChangeBlocked),
}

impl Store {
    /// Queues a command unless its key was used before. Idempotent: a repeated request gets the first one's command.
    pub async fn queue_command(
        &self,
        access: &Access,
        new: NewCommand<'_>,
        now: Millis,
    ) -> Result<QueueResult> {
        let mut tx = self.db.begin().await?;
        if let Some(known) = find_by_key(&mut tx, access, new).await? {
            return Ok(known);
        }
        if let Err(blocked) = guard::admit(&mut tx, access, new.devices_a_minute, now).await? {
            return Ok(QueueResult::Blocked(blocked));
        }
        if open_commands(&mut tx, access.sn(), now).await? >= MAX_OPEN_COMMANDS {
            return Ok(QueueResult::TooManyOpen);
        }
        let args = Value::Object(new.command.arguments());
        let queued: Option<Row> = within!(&mut tx, c => sqlx::query_as(
            "INSERT INTO commands (id, sn, account_id, key, command, args, state, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (account_id, sn, key) DO NOTHING
             RETURNING id, sn, command, args, state, created_at, expires_at, sent_at, ended_at, code, data")
            .bind(new.id.as_str())
            .bind(access.sn().as_str())
            .bind(access.account().0)
            .bind(new.key.as_str())
            .bind(new.command.name())
            .bind(args.to_string())
            .bind(CommandState::Queued.as_str())
            .bind(now)
            .bind(now + COMMAND_TTL)
            .fetch_optional(c).await)?;
        let Some(queued) = queued else {
            // A concurrent identical request was faster.
            let other = find_by_key(&mut tx, access, new).await?;
            return other.ok_or(Error::Conflict);
        };
        NewEntry::by(access.account(), JournalEvent::CommandSent, now)
            .on(access.sn())
            .with(json!({ "command": new.command.name(), "args": args }))
            .write(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(QueueResult::New(queued.entry()?))
    }

    /// A command of a system that the account may command. `None` for other accounts' systems and for unknown commands.
    pub async fn command(
        &self,
        account: AccountId,
        id: &CommandId,
        now: Millis,
    ) -> Result<Option<CommandEntry>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE id = $1 AND EXISTS (SELECT 1 FROM systems y
                 WHERE y.sn = commands.sn AND y.history_from <= commands.created_at AND (y.owner_id = $2
                     OR EXISTS (SELECT 1 FROM grants g WHERE g.sn = y.sn AND g.account_id = $2 AND g.scope IN ('service', 'owner')
                         AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $3))))"))
            .bind(id.as_str()).bind(account.0).bind(now).fetch_optional(p).await)?;
        row.map(Row::entry).transpose()
    }

    /// Ends the commands that have expired, and returns them.
    pub async fn expire_commands(&self, now: Millis) -> Result<Vec<(Serial, CommandId)>> {
        let due: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE state IN ('queued', 'sent') AND expires_at < $1 ORDER BY expires_at LIMIT 100"))
            .bind(now).fetch_all(p).await)?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let due = due.into_iter().map(Row::entry);
        let mut due = due.collect::<Result<Vec<CommandEntry>>>()?;
        // Same order as for writing answers, which avoids deadlocks.
        due.sort_by(|a, b| a.sn.cmp(&b.sn));
        let mut tx = self.db.begin().await?;
        let mut ended = Vec::new();
        for entry in due {
            let changed = execute!(
                &mut tx,
                sqlx::query(
                    "UPDATE commands SET state = $2, ended_at = expires_at WHERE id = $1 AND state IN ('queued', 'sent')"
                )
                .bind(entry.id.as_str())
                .bind(CommandState::Expired.as_str())
            )?;
            if changed == 1 {
                let line =
                    NewEntry::without_account(JournalEvent::CommandExpired, entry.expires_at)
                        .on(&entry.sn)
                        .with_actor(Actor::Portal);
                line.with(json!({ "command": entry.command }))
                    .write(&mut tx)
                    .await?;
                ended.push((entry.sn, entry.id));
            }
        }
        tx.commit().await?;
        Ok(ended)
    }

    /// Deletes commands created before this time. Their journal entries stay.
    pub async fn purge_commands(&self, before: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM commands WHERE created_at < $1").bind(before))?;
        Ok(())
    }
}

/// The command that this key was used for before, if any.
async fn find_by_key(
    tx: &mut Tx,
    access: &Access,
    new: NewCommand<'_>,
) -> Result<Option<QueueResult>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!("WHERE account_id = $1 AND sn = $2 AND key = $3"))
        .bind(access.account().0).bind(access.sn().as_str()).bind(new.key.as_str())
        .fetch_optional(c).await)?;
    let Some(row) = row else { return Ok(None) };
    let entry = row.entry()?;
    let same =
        entry.command == new.command.name() && entry.args == Value::Object(new.command.arguments());
    Ok(Some(match same {
        true => QueueResult::Repeated(entry),
        false => QueueResult::KeyReused,
    }))
}

async fn open_commands(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<usize> {
    let open: i64 = within!(tx, c => sqlx::query_scalar(
        "SELECT count(*) FROM commands WHERE sn = $1 AND state IN ('queued', 'sent') AND expires_at >= $2")
        .bind(sn.as_str()).bind(now).fetch_one(c).await)?;
    Ok(usize::try_from(open).unwrap_or(usize::MAX))
}

/// Records that the command was passed to the battery's connection. Returns whether this changed its state.
pub(crate) async fn mark_sent(
    tx: &mut Tx,
    sn: &Serial,
    id: &CommandId,
    now: Millis,
) -> Result<bool> {
    let changed = execute!(
        tx,
        sqlx::query(
            "UPDATE commands SET state = $3, sent_at = $4 WHERE id = $1 AND sn = $2 AND state = 'queued'"
        )
        .bind(id.as_str())
        .bind(sn.as_str())
        .bind(CommandState::Sent.as_str())
        .bind(now)
    )?;
    Ok(changed == 1)
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AnswerChanges {
    pub(crate) command: bool,
    pub(crate) in_force: bool,
}

/// Records the battery's answer. Ignores an answer to a command that has ended or belongs to another battery.
pub(crate) async fn record_answer(
    tx: &mut Tx,
    sn: &Serial,
    answer: &CommandAnswer,
    now: Millis,
) -> Result<AnswerChanges> {
    let row: Option<Row> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE id = $1 AND sn = $2"))
        .bind(answer.command.as_str()).bind(sn.as_str()).fetch_optional(c).await)?;
    let Some(row) = row else {
        return Ok(AnswerChanges::default());
    };
    let entry = row.entry()?;
    let event = match answer.ok {
        Some(ok) => CommandEvent::Answered { ok },
        // A running command has arrived, so it counts as sent.
        None => CommandEvent::Sent,
    };
    let Ok(state) = entry.state.next(event) else {
        return Ok(AnswerChanges::default());
    };
    let mut changed = AnswerChanges {
        command: true,
        in_force: false,
    };
    let ended = answer.ok.map(|_| now);
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE commands SET state = $2, sent_at = COALESCE(sent_at, $3), ended_at = $4, code = $5,
                 data = COALESCE($6, data) WHERE id = $1"
        )
        .bind(answer.command.as_str())
        .bind(state.as_str())
        .bind(now)
        .bind(ended)
        .bind(ended.map(|_| answer.code.as_str()))
        .bind(answer.data.as_deref())
    )?;
    let event = match state {
        CommandState::Done => JournalEvent::CommandDone,
        CommandState::Failed => JournalEvent::CommandFailed,
        _ => return Ok(changed),
    };
    if state == CommandState::Done {
        changed.in_force = in_force::apply_command(tx, &entry, now).await?;
    }
    let detail = json!({ "command": entry.command, "code": answer.code.as_str() });
    let line = NewEntry::by_battery(event, sn, now);
    line.with(detail).write(tx).await?;
    Ok(changed)
}
