//! The bad-weather notice: the owner gets a mail when it is raised, and the journal records both ends.
use crate::mail::{MailDraft, MailRecipient};
use crate::{Result, Service, page};
use domain::Lang;
use domain::journal::{JournalEvent, NoticeRecord};
use domain::message::text_with;
use store::Access;
use store::journal::NewEntry;
use store::planning::{self, WeatherNotice};

/// What to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeTransition {
    Nothing,
    Raised,
    /// After two days, or because the forecasts disagree. `right` if the bad weather came.
    Cleared {
        right: bool,
    },
}

impl Service {
    pub async fn save_weather_notice(
        &self,
        access: &Access,
        notice: WeatherNotice,
        transition: NoticeTransition,
    ) -> Result<()> {
        let mut t = self.begin().await?;
        // Only one of several processes reports it.
        if !planning::save_weather_notice(&mut t, access, &notice).await? {
            return Ok(());
        }
        let event = match transition {
            NoticeTransition::Nothing => return t.commit().await,
            NoticeTransition::Raised => JournalEvent::WeatherWarned,
            NoticeTransition::Cleared { right: true } => JournalEvent::WeatherCame,
            NoticeTransition::Cleared { right: false } => JournalEvent::WeatherWithdrawn,
        };
        let event = event(NoticeRecord {
            hits: notice.hits,
            false_alarms: notice.false_alarms,
        });
        t.journal(NewEntry::without_account(event, t.now).on(access.sn()))
            .await?;
        if transition == NoticeTransition::Raised
            && let Some(owner) = MailRecipient::of(&mut t, access.account()).await?
        {
            let draft = MailDraft {
                text: "weather_warned",
                page: page::PLAN,
                values: vec![
                    ("sn", access.sn().to_string()),
                    ("record", hit_rate_sentence(&notice, owner.lang())),
                ],
            };
            t.mail(&owner, draft).await?;
        }
        t.commit().await
    }
}

/// How often the notice was right, as a sentence to append; empty before the first time.
fn hit_rate_sentence(notice: &WeatherNotice, lang: Lang) -> String {
    let all = notice.hits + notice.false_alarms;
    if all == 0 {
        return String::new();
    }
    let (hits, all) = (notice.hits.to_string(), all.to_string());
    let values = [("hits", &*hits), ("all", &*all)];
    format!(" {}", text_with(lang, "mail", "weather_record", values))
}
