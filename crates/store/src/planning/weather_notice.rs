//! The bad-weather notice: whether it is raised, and how often it was right.
use crate::{Access, Result};
use db::Tx;
use domain::clock::Millis;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeatherNotice {
    /// Since when it is raised.
    pub since: Option<Millis>,
    /// How many issues in a row have disagreed with it.
    pub disagreed: i64,
    pub hits: i64,
    pub false_alarms: i64,
}

/// `false` when it was saved already.
pub async fn save_weather_notice(
    tx: &mut Tx,
    access: &Access,
    notice: &WeatherNotice,
) -> Result<bool> {
    let changed = execute!(
        tx,
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
    Ok(changed != 0)
}
