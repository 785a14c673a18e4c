//! Comments on alarms: who takes care of it, what was found, why it was dismissed.
use super::HandledBy;
use crate::company::author;
use crate::{Access, Result, Store};
use db::{FromRow, Tx};
use domain::alarm::CommentText;
use domain::clock::Millis;
use domain::{AccountId, Serial};
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub by: HandledBy,
    pub text: String,
}

#[derive(Debug, FromRow)]
struct Row {
    alarm_id: i64,
    account_id: i64,
    company: Option<String>,
    at: Millis,
    text: String,
}

macro_rules! select_comments {
    ($which:expr) => {
        concat!(
            "SELECT c.alarm_id, c.account_id, ",
            author!("a", "b"),
            " AS company, c.at, c.text FROM alarm_comments c JOIN alarms l ON l.id = c.alarm_id
             JOIN accounts a ON a.id = c.account_id LEFT JOIN companies b ON b.id = a.company_id WHERE l.sn",
            $which,
            " ORDER BY c.id"
        )
    };
}

/// Adds a comment to an alarm that the caller has found. `false` if it has `most` already.
pub async fn insert(
    tx: &mut Tx,
    access: &Access,
    alarm: i64,
    text: &CommentText,
    most: i64,
    now: Millis,
) -> Result<bool> {
    let inserted = execute!(
        tx,
        sqlx::query(
            "INSERT INTO alarm_comments (alarm_id, account_id, at, text) SELECT $1, $2, $3, $4
             WHERE (SELECT COUNT(*) FROM alarm_comments WHERE alarm_id = $1) < $5"
        )
        .bind(alarm)
        .bind(access.account().0)
        .bind(now)
        .bind(text.as_str())
        .bind(most)
    )?;
    Ok(inserted == 1)
}

impl Store {
    /// The comments on alarms of these systems, oldest first, by alarm. Does not check rights.
    pub async fn alarm_comments(&self, systems: &[Serial]) -> Result<HashMap<i64, Vec<Comment>>> {
        let rows: Vec<Row> = rows_of_systems!(self, select_comments, 1, systems)?;
        let mut by_alarm: HashMap<i64, Vec<Comment>> = HashMap::new();
        for row in rows {
            let by = HandledBy {
                at: row.at,
                account: Some(AccountId(row.account_id)),
                company: row.company,
            };
            let comment = Comment { by, text: row.text };
            by_alarm.entry(row.alarm_id).or_default().push(comment);
        }
        Ok(by_alarm)
    }
}
