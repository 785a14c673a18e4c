//! The bad-weather notice: the owner hears of it when it comes, the journal keeps both ends, and it counts how often it was right.
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{Access, Result, Store};
use domain::Lang;
use domain::clock::Millis;
use domain::message::text;
use serde_json::json;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// It is up since then.
    pub since: Option<Millis>,
    /// So many issues in a row have seen it differently.
    pub disagreed: i64,
    pub hits: i64,
    pub false_alarms: i64,
}

impl Notice {
    /// How often it was right, as a sentence after another one; nothing before the first time.
    fn record(&self, lang: Lang) -> String {
        let all = self.hits + self.false_alarms;
        if all == 0 {
            return String::new();
        }
        let sentence = text(lang, "mail", "weather_record");
        let sentence = sentence.replace("{{hits}}", &self.hits.to_string());
        format!(" {}", sentence.replace("{{all}}", &all.to_string()))
    }
}

/// What there is to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Nothing,
    Raised,
    /// Two days later, or because the forecasts see it differently; whether it was right.
    Cleared {
        right: bool,
    },
}

impl Store {
    pub async fn keep_notice(
        &self,
        access: &Access,
        notice: Notice,
        told: Told,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        // Of several processes one gets to tell.
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
        match told {
            Told::Nothing => {}
            Told::Raised => {
                let line = Entry::by_nobody(Event::WeatherWarned, now).on(access.sn());
                line.with(counts).write(&mut tx).await?;
                let values = |lang| {
                    vec![
                        ("sn", access.sn().to_string()),
                        ("record", notice.record(lang)),
                    ]
                };
                self.write_to_owner(&mut tx, access, "weather_warned", values, desk, now)
                    .await?;
            }
            Told::Cleared { right } => {
                let event = match right {
                    true => Event::WeatherCame,
                    false => Event::WeatherWithdrawn,
                };
                let line = Entry::by_nobody(event, now).on(access.sn());
                line.with(counts).write(&mut tx).await?;
            }
        }
        tx.commit().await
    }
}
