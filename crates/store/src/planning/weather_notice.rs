//! The bad-weather notice: the owner gets a mail when it is raised, the journal records both ends, and the notice counts how
//! often it was right.
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Access, Result, Store};
use domain::Lang;
use domain::clock::Millis;
use domain::message::text_with;
use serde_json::json;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeatherNotice {
    /// Since when it is raised.
    pub since: Option<Millis>,
    /// How many issues in a row have disagreed with it.
    pub disagreed: i64,
    pub hits: i64,
    pub false_alarms: i64,
}

impl WeatherNotice {
    /// How often it was right, as a sentence to append; empty before the first time.
    fn hit_rate_sentence(&self, lang: Lang) -> String {
        let all = self.hits + self.false_alarms;
        if all == 0 {
            return String::new();
        }
        let (hits, all) = (self.hits.to_string(), all.to_string());
        let values = [("hits", &*hits), ("all", &*all)];
        format!(" {}", text_with(lang, "mail", "weather_record", values))
    }
}

/// What to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeTransition {
    Nothing,
    Raised,
    /// After two days, or because the forecasts disagree; `right`: the bad weather came.
    Cleared {
        right: bool,
    },
}

impl Store {
    pub async fn save_weather_notice(
        &self,
        access: &Access,
        notice: WeatherNotice,
        transition: NoticeTransition,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        // Only one of several processes reports it.
        let changed = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE planning SET weather_since = $2, weather_disagreed = $3, weather_hits = $4, weather_false_alarms = $5
                 WHERE sn = $1 AND (weather_since IS DISTINCT FROM $2 OR weather_disagreed <> $3)"
            )
            .bind(access.sn().as_str())
            .bind(notice.since)
            .bind(notice.disagreed)
            .bind(notice.hits)
            .bind(notice.false_alarms)
        )?;
        if changed == 0 {
            return Ok(());
        }
        let counts = json!({ "hits": notice.hits, "false_alarms": notice.false_alarms });
        match transition {
            NoticeTransition::Nothing => {}
            NoticeTransition::Raised => {
                let line =
                    NewEntry::without_account(JournalEvent::WeatherWarned, now).on(access.sn());
                line.with(counts).write(&mut tx).await?;
                let values = |lang| {
                    vec![
                        ("sn", access.sn().to_string()),
                        ("record", notice.hit_rate_sentence(lang)),
                    ]
                };
                self.mail_owner(&mut tx, access, "weather_warned", values, mail_context, now)
                    .await?;
            }
            NoticeTransition::Cleared { right } => {
                let event = match right {
                    true => JournalEvent::WeatherCame,
                    false => JournalEvent::WeatherWithdrawn,
                };
                let line = NewEntry::without_account(event, now).on(access.sn());
                line.with(counts).write(&mut tx).await?;
            }
        }
        tx.commit().await
    }
}
