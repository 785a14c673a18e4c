//! Commands to batteries. Each is stored before it is sent, once per key, and never sent after it expired.

mod entry;

pub use entry::CommandEntry;
pub(crate) use entry::{Row, select};

use crate::journal::NewEntry;
use crate::{Access, Result, Store, in_force};
use db::Tx;
use domain::clock::Millis;
use domain::command::{
    COMMAND_TTL, Command, CommandAnswer, CommandEvent, CommandKey, CommandState,
};
use domain::journal::JournalEvent;
use domain::{AccountId, CommandId, Serial};
use serde_json::Value;

#[derive(Clone, Copy, Debug)]
pub struct NewCommand<'a> {
    pub id: &'a CommandId,
    pub key: &'a CommandKey,
    pub command: Command,
}

impl Store {
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
                     OR EXISTS (SELECT 1 FROM held_grants g WHERE g.sn = y.sn AND g.account_id = $2 AND g.scope IN ('service', 'owner')
                         AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $3))))"))
            .bind(id.as_str()).bind(account.0).bind(now).fetch_optional(p).await)?;
        row.map(Row::entry).transpose()
    }

    /// Up to a hundred commands that have expired, but are not stored as expired yet. Sorted by serial number, the order in which
    /// answers are written, which avoids deadlocks.
    pub async fn overdue_commands(&self, now: Millis) -> Result<Vec<CommandEntry>> {
        let due: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE state IN ('queued', 'sent') AND expires_at < $1 ORDER BY expires_at LIMIT 100"))
            .bind(now).fetch_all(p).await)?;
        let due = due.into_iter().map(Row::entry);
        let mut due = due.collect::<Result<Vec<CommandEntry>>>()?;
        due.sort_by(|a, b| a.sn.cmp(&b.sn));
        Ok(due)
    }

    /// Deletes commands created before this time. Their journal entries stay.
    pub async fn purge_commands(&self, before: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM commands WHERE created_at < $1").bind(before))?;
        Ok(())
    }
}

/// The command that the account has used this key for at this system.
pub async fn find_by_key(
    tx: &mut Tx,
    access: &Access,
    key: &CommandKey,
) -> Result<Option<CommandEntry>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!("WHERE account_id = $1 AND sn = $2 AND key = $3"))
        .bind(access.account().0).bind(access.sn().as_str()).bind(key.as_str())
        .fetch_optional(c).await)?;
    row.map(Row::entry).transpose()
}

/// How many commands the battery has not answered yet.
pub async fn count_open(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<usize> {
    let open: i64 = within!(tx, c => sqlx::query_scalar(
        "SELECT count(*) FROM commands WHERE sn = $1 AND state IN ('queued', 'sent') AND expires_at >= $2")
        .bind(sn.as_str()).bind(now).fetch_one(c).await)?;
    Ok(usize::try_from(open).unwrap_or(usize::MAX))
}

/// `None` when the key was used before.
pub async fn insert(
    tx: &mut Tx,
    access: &Access,
    new: NewCommand<'_>,
    now: Millis,
) -> Result<Option<CommandEntry>> {
    let queued: Option<Row> = within!(tx, c => sqlx::query_as(
        "INSERT INTO commands (id, sn, account_id, key, command, args, state, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (account_id, sn, key) DO NOTHING
         RETURNING id, sn, command, args, state, created_at, expires_at, sent_at, ended_at, code, data")
        .bind(new.id.as_str())
        .bind(access.sn().as_str())
        .bind(access.account().0)
        .bind(new.key.as_str())
        .bind(new.command.name())
        .bind(Value::Object(new.command.arguments()).to_string())
        .bind(CommandState::Queued.as_str())
        .bind(now)
        .bind(now + COMMAND_TTL)
        .fetch_optional(c).await)?;
    queued.map(Row::entry).transpose()
}

/// `false` when the command has ended already.
pub async fn expire(tx: &mut Tx, id: &CommandId) -> Result<bool> {
    let changed = execute!(
        tx,
        sqlx::query(
            "UPDATE commands SET state = $2, ended_at = expires_at WHERE id = $1 AND state IN ('queued', 'sent')"
        )
        .bind(id.as_str())
        .bind(CommandState::Expired.as_str())
    )?;
    Ok(changed == 1)
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
    let (command, code) = (entry.command.clone(), Some(answer.code));
    let event = match state {
        CommandState::Done => JournalEvent::CommandDone { command, code },
        CommandState::Failed => JournalEvent::CommandFailed { command, code },
        _ => return Ok(changed),
    };
    if state == CommandState::Done {
        changed.in_force = in_force::apply_command(tx, &entry, now).await?;
    }
    NewEntry::by_battery(event, sn, now).write(tx).await?;
    Ok(changed)
}
