//! Mails about alarms. Pending alarms of one recipient are collected into one mail, sent at the time that the recipient chose.
use crate::{Error, Result, Service, page};
use domain::alarm::{AlarmMail, mail_due_at};
use domain::clock::Millis;
use domain::message::text_with;
use domain::{Lang, without_links};
use store::alarm::notification::{self, AlarmRecipient, PendingAlarm};
use store::mail::{Mail, MailBody};

/// Alarms listed in a mail. Further ones are only counted.
const MAX_LINES: usize = 20;

impl Service {
    /// Queues the mails that are due.
    pub async fn queue_alarm_mails(&self) -> Result<()> {
        let now = self.now();
        for person in self.store.alarm_recipients().await? {
            let choice = person.choice()?;
            let due = mail_due_at(choice, person.since, person.alarm_told_at, &person.zone()?);
            if due.is_some_and(|due| due <= now) {
                self.queue_alarm_mail(&person, choice).await?;
            }
        }
        Ok(())
    }

    async fn queue_alarm_mail(&self, person: &AlarmRecipient, choice: AlarmMail) -> Result<()> {
        let mut t = self.begin().await?;
        let (account, now) = (person.account(), t.now);
        // If several processes try, only one of them writes the mail.
        if !notification::claim(&mut t, person, now).await? {
            return Ok(());
        }
        let pending = notification::pending(&mut t, account, now).await?;
        notification::discard(&mut t, account).await?;
        if !pending.is_empty() {
            let email = person.email.parse();
            let email = email.map_err(|_| Error::Damaged("accounts.email"))?;
            let mail = self.alarm_mail(person, choice, &pending)?;
            t.queue_mail(Some(account), &email, MailBody::Mail(mail))
                .await?;
        }
        t.commit().await
    }

    /// A single alarm of a household gets its own mail with instructions; anything else becomes a list.
    fn alarm_mail(
        &self,
        person: &AlarmRecipient,
        choice: AlarmMail,
        alarms: &[PendingAlarm],
    ) -> Result<Mail> {
        let lang = person.lang();
        let link = self.link(match person.is_household() {
            true => page::OWNERS_ALARMS,
            false => page::ELECTRICIANS_ALARMS,
        });
        if let ([one], true, AlarmMail::AtOnce) = (alarms, person.is_household(), choice) {
            let name = match one.closed_at {
                None => "alarm",
                Some(_) => "alarm_over",
            };
            let kind = one.kind()?;
            let until = one.closed_at.unwrap_or(one.since);
            return Ok(Mail::new(name, lang, link)
                .with("sn", &one.sn)
                .with("what", kind.text(lang))
                .with("next", kind.next_step(lang))
                .with("since", &moment(one, one.since, lang)?)
                .with("until", &moment(one, until, lang)?));
        }
        let name = match choice {
            AlarmMail::Digest => "alarm_digest",
            _ => "alarms",
        };
        let mut mail = Mail::new(name, lang, link).with("count", &alarms.len().to_string());
        for one in alarms.iter().take(MAX_LINES) {
            mail = mail.line(&line(one, lang)?);
        }
        if let Some(more) = alarms.len().checked_sub(MAX_LINES).filter(|more| *more > 0) {
            let more = more.to_string();
            mail = mail.line(&text_with(lang, "alarm_line", "more", [("count", &*more)]));
        }
        Ok(mail)
    }
}

/// Day and time in the site's time zone.
fn moment(alarm: &PendingAlarm, at: Millis, lang: Lang) -> Result<String> {
    let zone = alarm.zone()?;
    let clock = zone.clock_text(at);
    let time = clock.get(11..16).unwrap_or_default();
    Ok(format!("{} {time}", lang.day(zone.day_of(at))))
}

/// The people who live with the system, and its serial number. Anybody with the right may have chosen the names, which are read
/// by others.
fn whose(alarm: &PendingAlarm) -> String {
    let names = [&alarm.first_name, &alarm.last_name];
    let names: Vec<&str> = names.into_iter().flatten().map(String::as_str).collect();
    named(names.join(" ").trim(), &alarm.sn)
}

fn named(people: &str, sn: &str) -> String {
    match people.is_empty() {
        true => sn.to_owned(),
        false => format!("{} ({sn})", without_links(people)),
    }
}

/// One alarm in a list.
fn line(alarm: &PendingAlarm, lang: Lang) -> Result<String> {
    let name = match alarm.closed_at {
        None => "open",
        Some(_) => "over",
    };
    let until = alarm.closed_at.unwrap_or(alarm.since);
    let values = [
        ("what", alarm.kind()?.text(lang).to_owned()),
        ("since", moment(alarm, alarm.since, lang)?),
        ("until", moment(alarm, until, lang)?),
        // Substituted last, because people choose their names freely and a name could contain a placeholder.
        ("who", whose(alarm)),
    ];
    let values = values.iter().map(|(name, value)| (*name, value.as_str()));
    Ok(text_with(lang, "alarm_line", name, values))
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_name_in_a_list_of_alarms_has_nothing_to_press() {
        assert_eq!(named("", "SC000001"), "SC000001");
        assert_eq!(named("Anna Berg", "SC000001"), "Anna Berg (SC000001)");
        assert_eq!(
            named("https://evil.example/login Konto gesperrt", "SC000001"),
            "https: evil. example/login Konto gesperrt (SC000001)"
        );
    }
}
