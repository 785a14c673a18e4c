//! An alarm as its readers see it, and who may do what about it.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::error::{Error, Result};
use domain::clock::Millis;
use domain::grant::Right;
use domain::message::text;
use domain::{AccountId, Lang};
use serde::Serialize;
use store::Access;
use store::alarm::comment::Comment;
use store::alarm::{Alarm, HandledBy};
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct AlarmEntry {
    id: i64,
    pub(crate) sn: String,
    #[schema(required)]
    pub(crate) first_name: Option<String>,
    #[schema(required)]
    pub(crate) last_name: Option<String>,
    /// battery_error, na_schutz, offline, meter_error, counter_stopped, update_failed or soc_floor.
    kind: &'static str,
    /// The name of the alarm kind, in the caller's language.
    pub(crate) text: &'static str,
    /// What the household can do about it, in the caller's language.
    next: &'static str,
    /// The site's time zone, as an IANA name.
    time_zone: String,
    /// When the fault began; Unix time in milliseconds, like all times of an alarm.
    pub(crate) since: Millis,
    opened_at: Millis,
    #[schema(required)]
    pub(crate) acknowledged_at: Option<Millis>,
    /// Who acknowledged it, in the caller's language. For an electrician, the company's name if there is one.
    #[schema(required)]
    acknowledged_by: Option<String>,
    /// When the alarm was dismissed; null if it was not.
    #[schema(required)]
    pub(crate) dismissed_at: Option<Millis>,
    /// Who dismissed it; same format as `acknowledged_by`.
    #[schema(required)]
    dismissed_by: Option<String>,
    #[schema(required)]
    pub(crate) closed_at: Option<Millis>,
    /// Whether the caller may acknowledge the alarm: it is open and not acknowledged yet.
    acknowledgeable: bool,
    /// Whether the caller may comment on the alarm and, while it is open, dismiss it.
    commentable: bool,
    /// The comments, oldest first.
    pub(crate) comments: Vec<AlarmComment>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AlarmComment {
    pub(crate) at: Millis,
    pub(crate) who: String,
    pub(crate) text: String,
}

impl AlarmEntry {
    pub(crate) fn new(alarm: Alarm, comments: Vec<Comment>, access: &Access, lang: Lang) -> Self {
        let may = access.may(Right::Acknowledge);
        let who = |by: &HandledBy| name_of(by, access.account(), lang);
        let comment = |comment: Comment| AlarmComment {
            at: comment.by.at,
            who: who(&comment.by),
            text: comment.text,
        };
        Self {
            id: alarm.id,
            sn: alarm.sn.to_string(),
            kind: alarm.kind.as_str(),
            text: alarm.kind.text(lang),
            next: alarm.kind.next_step(lang),
            time_zone: access.zone().name().to_owned(),
            since: alarm.since,
            opened_at: alarm.opened_at,
            acknowledgeable: may && alarm.acknowledged.is_none() && alarm.is_open(),
            commentable: may,
            acknowledged_by: alarm.acknowledged.as_ref().map(who),
            acknowledged_at: alarm.acknowledged.map(|by| by.at),
            dismissed_by: alarm.dismissed.as_ref().map(who),
            dismissed_at: alarm.dismissed.map(|by| by.at),
            closed_at: alarm.closed_at,
            comments: comments.into_iter().map(comment).collect(),
            first_name: alarm.first_name,
            last_name: alarm.last_name,
        }
    }

    /// An alarm with its comments.
    pub(crate) async fn load(
        portal: &Portal,
        alarm: Alarm,
        access: &Access,
        lang: Lang,
    ) -> Result<Self> {
        let systems = std::slice::from_ref(&alarm.sn);
        let mut comments = portal.store.alarm_comments(systems).await?;
        let comments = comments.remove(&alarm.id).unwrap_or_default();
        Ok(Self::new(alarm, comments, access, lang))
    }
}

/// The name in the caller's language. For an electrician, the company's name if there is one.
fn name_of(by: &HandledBy, caller: AccountId, lang: Lang) -> String {
    match (by.account == Some(caller), &by.company) {
        (true, _) => text(lang, "word", "you").to_owned(),
        (false, Some(company)) => company.clone(),
        (false, None) => text(lang, "word", "person").to_owned(),
    }
}

/// The caller's access to the system of an alarm.
pub(crate) async fn access_to<'a>(
    portal: &Portal,
    systems: &'a Systems,
    alarm: i64,
) -> Result<&'a Access> {
    let sn = portal.store.alarm_serial(alarm).await?;
    systems.find(sn.ok_or(Error::not_found())?.as_str())
}
