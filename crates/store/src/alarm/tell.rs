//! Mails about alarms: what waits for somebody is gathered into one, whenever their choice says.
use super::is_household;
use crate::mail::{self, Body, Desk, Mail, Outgoing};
use crate::{Error, Result, Store};
use domain::alarm::{AlarmMail, Kind, due_at};
use domain::clock::Millis;
use domain::message::text;
use domain::{AccountId, Lang, Zone};

/// Lines in a mail; more are counted.
const LINES: usize = 20;
const OWNERS_PAGE: &str = "/alarms";
const ELECTRICIANS_PAGE: &str = "/electrician-dashboard?show=alarm";

/// Somebody for whom news wait.
#[derive(Debug)]
struct Waiting {
    id: i64,
    email: String,
    language: String,
    role: String,
    alarm_mail: String,
    alarm_told_at: Option<Millis>,
    since: Millis,
    /// Of one of the systems that the news are about.
    time_zone: String,
}
row!(Waiting {
    id,
    email,
    language,
    role,
    alarm_mail,
    alarm_told_at,
    since,
    time_zone
});

/// An alarm that somebody has to hear of.
#[derive(Debug)]
struct News {
    sn: String,
    kind: String,
    since: Millis,
    closed_at: Option<Millis>,
    time_zone: String,
    first_name: Option<String>,
    last_name: Option<String>,
}
row!(News {
    sn,
    kind,
    since,
    closed_at,
    time_zone,
    first_name,
    last_name
});

impl Store {
    /// Writes the mails that are due.
    pub async fn tell_of_alarms(&self, desk: Desk<'_>, now: Millis) -> Result<()> {
        let waiting: Vec<Waiting> = on!(self, p => sqlx::query_as(
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
            let due = due_at(choice, person.since, person.alarm_told_at, &zone);
            if due.is_some_and(|due| due <= now) {
                self.tell_person(&person, choice, desk, now).await?;
            }
        }
        Ok(())
    }

    async fn tell_person(
        &self,
        person: &Waiting,
        choice: AlarmMail,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        // Of several processes one gets to write.
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
        // Whose grant has ended meanwhile hears nothing more.
        let news: Vec<News> = within!(&mut tx, c => sqlx::query_as(
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
            let outgoing = Outgoing {
                account: Some(AccountId(person.id)),
                recipient: &recipient.map_err(|_| Error::Damaged("accounts.email"))?,
                body: Body::Mail(person.mail(choice, &news, desk)?),
                nonce: desk.random.bytes(),
            };
            mail::queue(&mut tx, &self.keyring, &outgoing, now).await?;
        }
        tx.commit().await
    }
}

impl Waiting {
    /// One alarm at home has a mail with what to do about it; anything else is a list.
    fn mail(&self, choice: AlarmMail, news: &[News], desk: Desk<'_>) -> Result<Mail> {
        let lang: Lang = self.language.parse().unwrap_or_default();
        let household = is_household(&self.role);
        let page = match household {
            true => OWNERS_PAGE,
            false => ELECTRICIANS_PAGE,
        };
        let link = format!("{}{page}", desk.public_url);
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
        for one in news.iter().take(LINES) {
            mail = mail.line(&one.line(lang)?);
        }
        if let Some(more) = news.len().checked_sub(LINES).filter(|more| *more > 0) {
            mail = mail
                .line(&text(lang, "alarm_line", "more").replace("{{count}}", &more.to_string()));
        }
        Ok(mail)
    }
}

impl News {
    fn kind(&self) -> Result<Kind> {
        self.kind.parse().map_err(|_| Error::Damaged("alarms.kind"))
    }

    /// Day and time on the site's clock.
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
            // Last: people choose their names themselves.
            ("who", who),
        ];
        let line = text(lang, "alarm_line", name).to_owned();
        Ok(values.into_iter().fold(line, |line, (name, value)| {
            line.replace(&format!("{{{{{name}}}}}"), &value)
        }))
    }
}

fn zone(name: &str) -> Result<Zone> {
    name.parse()
        .map_err(|_| Error::Damaged("systems.time_zone"))
}
