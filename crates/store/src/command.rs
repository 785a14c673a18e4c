//! What batteries were told to do: kept before it is sent, once for each key, and never after its time.

mod entry;

pub use entry::CommandEntry;
pub(crate) use entry::{Row, select};

use crate::db::Tx;
use crate::guard::{self, Held};
use crate::journal::{Actor, Entry, Event};
use crate::{Access, Error, Result, Store, in_force};
use domain::clock::Millis;
use domain::command::{
    Answer, COMMAND_LIFE, Command, CommandEvent, CommandKey, CommandState, MAX_OPEN,
};
use domain::{AccountId, CommandId, Serial};
use serde_json::{Value, json};

/// A command to be queued.
#[derive(Clone, Copy, Debug)]
pub struct NewCommand<'a> {
    pub id: &'a CommandId,
    pub key: &'a CommandKey,
    pub command: Command,
    /// How many devices one account may touch in a minute.
    pub devices_a_minute: usize,
}

/// How a request to command ended.
#[derive(Clone, Debug)]
pub enum Queued {
    New(CommandEntry),
    /// The key was used before for the same command, which stands like this.
    Repeated(CommandEntry),
    /// The key was used before for another command; nothing was queued.
    KeyReused,
    TooManyOpen,
    Held(Held),
}

impl Store {
    /// Queues a command unless its key was used before; whoever repeats a request gets what the first one began.
    pub async fn queue_command(
        &self,
        access: &Access,
        new: NewCommand<'_>,
        now: Millis,
    ) -> Result<Queued> {
        let mut tx = self.begin().await?;
        if let Some(known) = known(&mut tx, access, new).await? {
            return Ok(known);
        }
        if let Err(held) = guard::admit(&mut tx, access, new.devices_a_minute, now).await? {
            return Ok(Queued::Held(held));
        }
        if open_commands(&mut tx, access.sn(), now).await? >= MAX_OPEN {
            return Ok(Queued::TooManyOpen);
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
            .bind(now + COMMAND_LIFE)
            .fetch_optional(c).await)?;
        let Some(queued) = queued else {
            // The same request came twice at the same moment, and the other one was faster.
            let other = known(&mut tx, access, new).await?;
            return other.ok_or(Error::Conflict);
        };
        Entry::by(access.account(), Event::CommandSent, now)
            .on(access.sn())
            .with(json!({ "command": new.command.name(), "args": args }))
            .write(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(Queued::New(queued.entry()?))
    }

    /// A command of a system that the account may command; `None` for somebody else's and for one that does not exist.
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

    /// Ends the commands whose time ran out, and says which.
    pub async fn expire_commands(&self, now: Millis) -> Result<Vec<(Serial, CommandId)>> {
        let due: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "WHERE state IN ('queued', 'sent') AND expires_at < $1 ORDER BY expires_at LIMIT 100"))
            .bind(now).fetch_all(p).await)?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let due = due.into_iter().map(Row::entry);
        let mut due = due.collect::<Result<Vec<CommandEntry>>>()?;
        // In the order in which answers are written, so that nobody waits for the other.
        due.sort_by(|a, b| a.sn.cmp(&b.sn));
        let mut tx = self.begin().await?;
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
                let line = Entry::by_nobody(Event::CommandExpired, entry.expires_at)
                    .on(&entry.sn)
                    .through(Actor::Portal);
                line.with(json!({ "command": entry.command }))
                    .write(&mut tx)
                    .await?;
                ended.push((entry.sn, entry.id));
            }
        }
        tx.commit().await?;
        Ok(ended)
    }

    /// Forgets commands that were given before; their lines in the journal stay.
    pub async fn purge_commands(&self, before: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM commands WHERE created_at < $1").bind(before))?;
        Ok(())
    }
}

/// What the key stands for already, if anything.
async fn known(tx: &mut Tx, access: &Access, new: NewCommand<'_>) -> Result<Option<Queued>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!("WHERE account_id = $1 AND sn = $2 AND key = $3"))
        .bind(access.account().0).bind(access.sn().as_str()).bind(new.key.as_str())
        .fetch_optional(c).await)?;
    let Some(row) = row else { return Ok(None) };
    let entry = row.entry()?;
    let same =
        entry.command == new.command.name() && entry.args == Value::Object(new.command.arguments());
    Ok(Some(match same {
        true => Queued::Repeated(entry),
        false => Queued::KeyReused,
    }))
}

async fn open_commands(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<usize> {
    let open: i64 = within!(tx, c => sqlx::query_scalar(
        "SELECT count(*) FROM commands WHERE sn = $1 AND state IN ('queued', 'sent') AND expires_at >= $2")
        .bind(sn.as_str()).bind(now).fetch_one(c).await)?;
    Ok(usize::try_from(open).unwrap_or(usize::MAX))
}

/// It was handed to the battery's connection; whether that was news.
pub(crate) async fn sent(tx: &mut Tx, sn: &Serial, id: &CommandId, now: Millis) -> Result<bool> {
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

/// What an answer changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answered {
    pub(crate) command: bool,
    pub(crate) in_force: bool,
}

/// The battery answered. An answer to a command that has ended, or is not its own, changes nothing.
pub(crate) async fn answered(
    tx: &mut Tx,
    sn: &Serial,
    answer: &Answer,
    now: Millis,
) -> Result<Answered> {
    let row: Option<Row> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE id = $1 AND sn = $2"))
        .bind(answer.command.as_str()).bind(sn.as_str()).fetch_optional(c).await)?;
    let Some(row) = row else {
        return Ok(Answered::default());
    };
    let entry = row.entry()?;
    let event = match answer.ok {
        Some(ok) => CommandEvent::Answered { ok },
        // It runs, so it has arrived.
        None => CommandEvent::Sent,
    };
    let Ok(state) = entry.state.next(event) else {
        return Ok(Answered::default());
    };
    let mut changed = Answered {
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
        CommandState::Done => Event::CommandDone,
        CommandState::Failed => Event::CommandFailed,
        _ => return Ok(changed),
    };
    if state == CommandState::Done {
        changed.in_force = in_force::commanded(tx, &entry, now).await?;
    }
    let detail = json!({ "command": entry.command, "code": answer.code.as_str() });
    let line = Entry::by_battery(event, sn, now);
    line.with(detail).write(tx).await?;
    Ok(changed)
}
