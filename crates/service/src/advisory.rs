//! Security advisories: the operator mails the owners of units with certain firmware, each in their language.
use crate::mail::MailDraft;
use crate::{Error, Result, Service, page};
use domain::clock::{Millis, SECOND};
use domain::firmware::AffectedFirmware;
use domain::journal::JournalEvent;
use domain::{AccountId, Email, Lang};
use std::collections::{BTreeMap, HashMap};
use store::firmware::{AffectedUnit, UnitOwner};
use store::journal::{Actor, NewEntry};
use store::mail::{Mail, MailBody};

/// Mails become due one after the other, so that others, such as password resets, need not wait until all are sent.
pub const MAIL_INTERVAL: Millis = SECOND / 10;

/// What an advisory says in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvisoryText {
    subject: String,
    text: String,
}

impl AdvisoryText {
    const MAX_SUBJECT: usize = 120;
    const MAX_TEXT: usize = 10_000;

    /// The first line is the subject, the rest is the text.
    pub fn parse(file: &str) -> Result<Self, &'static str> {
        let file = file.replace("\r\n", "\n");
        let (subject, text) = file.split_once('\n').unwrap_or((file.as_str(), ""));
        let (subject, text) = (subject.trim(), text.trim());
        if subject.is_empty() || text.is_empty() {
            return Err("it needs a subject in its first line, and a text below");
        }
        if subject.chars().count() > Self::MAX_SUBJECT || text.chars().count() > Self::MAX_TEXT {
            return Err("at most 120 characters of subject and 10,000 of text can be sent");
        }
        let is_control = |c: char| c.is_control() && c != '\n';
        if subject.contains(char::is_control) || text.contains(is_control) {
            return Err("it has a tab or another control character");
        }
        Ok(Self {
            subject: subject.to_owned(),
            text: text.to_owned(),
        })
    }
}

/// An advisory in every language.
#[derive(Clone, Debug)]
pub struct AdvisoryTexts(HashMap<Lang, AdvisoryText>);

impl AdvisoryTexts {
    /// Takes the text of each language from `read`.
    pub fn read<E>(read: impl Fn(Lang) -> Result<AdvisoryText, E>) -> Result<Self, E> {
        let texts = Lang::ALL
            .into_iter()
            .map(|lang| read(lang).map(|text| (lang, text)));
        texts.collect::<Result<_, _>>().map(Self)
    }

    fn of(&self, lang: Lang) -> &AdvisoryText {
        &self.0[&lang]
    }
}

/// The units of one owner.
#[derive(Debug)]
pub struct AffectedOwner<'u> {
    owner: &'u UnitOwner,
    units: Vec<&'u AffectedUnit>,
}

impl AffectedOwner<'_> {
    pub fn lang(&self) -> Lang {
        self.owner.language.parse().unwrap_or_default()
    }

    fn mail(&self, service: &Service, texts: &AdvisoryTexts) -> Mail {
        let draft = MailDraft {
            text: "advisory",
            page: &match self.units.as_slice() {
                [unit] => page::update(&unit.sn),
                _ => page::UPDATES.to_owned(),
            },
            values: Vec::new(),
        };
        let said = texts.of(self.lang());
        let mail = draft.into_mail(service, self.lang());
        let mail = mail
            .with("subject", &said.subject)
            .with_paragraphs("text", &said.text);
        let units = self.units.iter();
        units.fold(mail, |mail, unit| mail.line(unit.sn.as_str()))
    }
}

/// Who gets a mail: every owner once.
pub fn owners(units: &[AffectedUnit]) -> Vec<AffectedOwner<'_>> {
    let mut owners: BTreeMap<AccountId, AffectedOwner<'_>> = BTreeMap::new();
    for unit in units {
        if let Some(owner) = &unit.owner {
            let entry = owners.entry(owner.account);
            let entry = entry.or_insert_with(|| AffectedOwner {
                owner,
                units: Vec::new(),
            });
            entry.units.push(unit);
        }
    }
    owners.into_values().collect()
}

impl Service {
    /// Queues an advisory for the owners of all units with this firmware, all or none, and returns how many there are.
    pub async fn mail_advisory(
        &self,
        affected: &AffectedFirmware,
        texts: &AdvisoryTexts,
    ) -> Result<usize> {
        let units = self.store.affected_units(affected).await?;
        let owners = owners(&units);
        if owners.is_empty() {
            return Ok(0);
        }
        let mut t = self.begin().await?;
        let now = t.now;
        let mut due_at = now;
        for owner in &owners {
            let UnitOwner { account, email, .. } = owner.owner;
            let email: Email = email
                .parse()
                .map_err(|_| Error::Damaged("accounts.email"))?;
            let mail = MailBody::Mail(owner.mail(self, texts));
            t.queue_mail_at(due_at, Some(*account), &email, mail)
                .await?;
            due_at += MAIL_INTERVAL;
        }
        let event = JournalEvent::OwnersAdvised {
            part: Some(affected.part),
            hardware: affected.hardware.clone(),
            from: affected.from,
            fixed_in: affected.fixed_in,
            units: units.len(),
            owners: owners.len(),
        };
        let entry = NewEntry::without_account(event, now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit_keeping_rights().await?;
        Ok(owners.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_subject_and_a_text() {
        let read = |file: &str| AdvisoryText::parse(file).map(|read| (read.subject, read.text));
        let parts = |subject: &str, text: &str| Ok((subject.to_owned(), text.to_owned()));
        let file = "Bitte aktualisieren\r\n\r\nErster Absatz.\r\n\r\nZweiter.\r\n";
        let want = parts("Bitte aktualisieren", "Erster Absatz.\n\nZweiter.");
        assert_eq!(read(file), want);
        assert_eq!(read("A\nB"), parts("A", "B"));
        for wrong in [
            "",
            "Nur ein Betreff",
            "\nText",
            "A\n \n",
            "A\u{7}\nB",
            "A\nB\u{1b}[31m",
        ] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
        assert!(read(&format!("{}\nB", "a".repeat(121))).is_err());
        assert!(read(&format!("A\n{}", "b".repeat(10_001))).is_err());
    }
}
