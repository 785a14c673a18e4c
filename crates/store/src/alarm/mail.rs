//! Mails about alarms. Pending alarms of one recipient are collected into one mail, sent at the time that the recipient chose.
use super::is_household;
use crate::mail::{self, Mail, MailBody, MailContext, OutgoingMail};
use crate::{Error, Result, Store};
use db::FromRow;
use domain::alarm::{AlarmKind, AlarmMail, mail_due_at};
use domain::clock::Millis;
use domain::message::text_with;
use domain::{AccountId, Lang, Zone};

/// Alarms listed in a mail. Further ones are only counted.
const MAX_LINES: usize = 20;
const OWNERS_PAGE: &str = "/alarms";
const ELECTRICIANS_PAGE: &str = "/electrician-dashboard?show=alarm";

/// An account with pending alarm news.
#[derive(Debug, FromRow)]
struct AlarmRecipient {
    id: i64,
    email: String,
    language: String,
    role: String,
    alarm_mail: String,
    alarm_told_at: Option<Millis>,
    since: Millis,
    /// Time zone of one of the systems that the news is about.
    time_zone: String,
}

/// An alarm that the recipient has not been notified of yet.
#[derive(Debug, FromRow)]
struct PendingAlarm {
    sn: String,
    kind: String,
    since: Millis,
    closed_at: Option<Millis>,
    time_zone: String,
    first_name: Option<String>,
    last_name: Option<String>,
}

impl Store {
    /// Queues the mails that are due.
    pub async fn queue_alarm_mails(
        &self,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let waiting: Vec<AlarmRecipient> = on!(self, p => sqlx::query_as(
            "SELECT a.id, a.email, a.language, a.role, a.alarm_mail, a.alarm_told_at, MIN(n.at) AS since,
                 MIN(y.time_zone) AS time_zone
             FROM alarm_news n JOIN accounts a ON a.id = n.account_id JOIN alarms l ON l.id = n.alarm_id
             JOIN systems y ON y.sn = l.sn
             GROUP BY a.id, a.email, a.language, a.role, a.alarm_mail, a.alarm_told_at ORDER BY a.id")
            .fetch_all(p).await)?;
        for person in waiting {
            let choice = person.alarm_mail.parse();
            let choice = choice.map_err(|_| Error::Damaged("accounts.alarm_mail"))?;
            let zone = zone(&person.time_zone)?;
            let due = mail_due_at(choice, person.since, person.alarm_told_at, &zone);
            if due.is_some_and(|due| due <= now) {
                self.queue_mail_for(&person, choice, mail_context, now)
                    .await?;
            }
        }
        Ok(())
    }

    async fn queue_mail_for(
        &self,
        person: &AlarmRecipient,
        choice: AlarmMail,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
        // If several processes try, only one of them writes the mail.
        let mine = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE accounts SET alarm_told_at = $2 WHERE id = $1 AND alarm_told_at IS NOT DISTINCT FROM $3"
            )
            .bind(person.id)
            .bind(now)
            .bind(person.alarm_told_at)
        )?;
        if mine == 0 {
            return Ok(());
        }
        // Leaves out systems whose grant to this account has ended meanwhile.
        let news: Vec<PendingAlarm> = within!(&mut tx, c => sqlx::query_as(
            "SELECT l.sn, l.kind, l.since, l.closed_at, y.time_zone, y.first_name, y.last_name
             FROM alarm_news n JOIN alarms l ON l.id = n.alarm_id JOIN systems y ON y.sn = l.sn
             WHERE n.account_id = $1 AND (y.owner_id = $1 OR EXISTS (SELECT 1 FROM grants g WHERE g.sn = y.sn AND g.account_id = $1
                 AND g.state IN ('active', 'unconfirmed') AND (g.until IS NULL OR g.until > $2)))
             ORDER BY l.closed_at IS NOT NULL, l.since, l.id")
            .bind(person.id).bind(now).fetch_all(c).await)?;
        execute!(
            &mut tx,
            sqlx::query("DELETE FROM alarm_news WHERE account_id = $1").bind(person.id)
        )?;
        if !news.is_empty() {
            let recipient = person.email.parse();
            let outgoing = OutgoingMail {
                account: Some(AccountId(person.id)),
                recipient: &recipient.map_err(|_| Error::Damaged("accounts.email"))?,
                body: MailBody::Mail(person.mail(choice, &news, mail_context)?),
                nonce: mail_context.random.bytes(),
            };
            mail::queue(&mut tx, &self.keyring, &outgoing, now).await?;
        }
        tx.commit().await
    }
}

impl AlarmRecipient {
    /// A single alarm of a household gets its own mail with instructions; anything else becomes a list.
    fn mail(
        &self,
        choice: AlarmMail,
        news: &[PendingAlarm],
        mail_context: MailContext<'_>,
    ) -> Result<Mail> {
        let lang: Lang = self.language.parse().unwrap_or_default();
        let household = is_household(&self.role);
        let page = match household {
            true => OWNERS_PAGE,
            false => ELECTRICIANS_PAGE,
        };
        let link = format!("{}{page}", mail_context.public_url);
        if let ([one], true, AlarmMail::AtOnce) = (news, household, choice) {
            let name = match one.closed_at {
                None => "alarm",
                Some(_) => "alarm_over",
            };
            let kind = one.kind()?;
            return Ok(Mail::new(name, lang, link)
                .with("sn", &one.sn)
                .with("what", kind.text(lang))
                .with("next", kind.next_step(lang))
                .with("since", &one.moment(one.since, lang)?)
                .with(
                    "until",
                    &one.moment(one.closed_at.unwrap_or(one.since), lang)?,
                ));
        }
        let name = match choice {
            AlarmMail::Digest => "alarm_digest",
            _ => "alarms",
        };
        let mut mail = Mail::new(name, lang, link).with("count", &news.len().to_string());
        for one in news.iter().take(MAX_LINES) {
            mail = mail.line(&one.line(lang)?);
        }
        if let Some(more) = news.len().checked_sub(MAX_LINES).filter(|more| *more > 0) {
            let more = more.to_string();
            mail = mail.line(&text_with(lang, "alarm_line", "more", [("count", &*more)]));
        }
        Ok(mail)
    }
}

impl PendingAlarm {
    fn kind(&self) -> Result<AlarmKind> {
        self.kind.parse().map_err(|_| Error::Damaged("alarms.kind"))
    }

    /// Day and time in the site's time zone.
    fn moment(&self, at: Millis, lang: Lang) -> Result<String> {
        let zone = zone(&self.time_zone)?;
        let clock = zone.clock_text(at);
        let time = clock.get(11..16).unwrap_or_default();
        Ok(format!("{} {time}", lang.day(zone.day_of(at))))
    }

    fn line(&self, lang: Lang) -> Result<String> {
        let names = [self.first_name.as_deref(), self.last_name.as_deref()];
        let names: Vec<&str> = names
            .into_iter()
            .flatten()
            .filter(|name| !name.is_empty())
            .collect();
        let who = match names.is_empty() {
            true => self.sn.clone(),
            false => format!("{} ({})", names.join(" "), self.sn),
        };
        let name = match self.closed_at {
            None => "open",
            Some(_) => "over",
        };
        let values = [
            ("what", self.kind()?.text(lang).to_owned()),
            ("since", self.moment(self.since, lang)?),
            (
                "until",
                self.moment(self.closed_at.unwrap_or(self.since), lang)?,
            ),
            // Substituted last, because people choose their names freely and a name could contain a placeholder.
            ("who", who),
        ];
        let values = values.iter().map(|(name, value)| (*name, value.as_str()));
        Ok(text_with(lang, "alarm_line", name, values))
    }
}

fn zone(name: &str) -> Result<Zone> {
    name.parse()
        .map_err(|_| Error::Damaged("systems.time_zone"))
}
