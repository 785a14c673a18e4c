//! Journal entries as sentences, with values in the notation of the language.
use super::{BlockOutcome, JournalEvent, PartUpdate};
use crate::command::AnswerCode;
use crate::firmware::{Fault, Part};
use crate::grant::GrantScope;
use crate::message::{event_text, text, text_with};
use crate::quantity::{self, percent, with_unit};
use crate::setting::{Field, FieldKind, SettingRefusal};
use crate::{Currency, EventCode, Lang};
use serde_json::Value;

impl JournalEvent {
    /// What happened, as a sentence.
    pub fn describe(&self, lang: Lang) -> String {
        let name = self.name();
        let fill = |values: &[(&str, &str)]| fill(name, lang, values);
        let command_text = |command: &str| text(lang, "command", command);
        match self {
            Self::SettingChanged {
                field: Some(field),
                from,
                to,
                ..
            } => setting_changed(*field, from, to, lang),
            Self::SettingChanged { field: None, .. } | Self::TariffSet { to: None, .. } => {
                text(lang, "journal", "setting_changed_plain").to_owned()
            }
            Self::TariffSet {
                to: Some(prices), ..
            } => {
                let [import, feed_in] = [prices.import_price, prices.feed_in_price]
                    .map(|price| with_unit(&price.to_string(), FieldKind::Price.unit(), lang));
                fill(&[("import", &import), ("feed_in", &feed_in)])
            }
            Self::SettingRefused { field, code, .. } => {
                let field = field.map_or("", |field| field.label(lang));
                let why = code.unwrap_or(SettingRefusal::Refused).text(lang);
                fill(&[("field", field), ("why", why)])
            }
            Self::ChargeTargetSet { soc, at } => fill(&[("soc", &percent(*soc, lang)), ("at", at)]),
            Self::PlanTurnedOff { lost, currency } => {
                let lost = lost.map(|cents| currency.unwrap_or(Currency::Eur).amount(cents, lang));
                fill(&[("lost", &lost.unwrap_or_else(|| unknown(lang)))])
            }
            Self::CommandSent { command, .. }
            | Self::CommandDone { command, .. }
            | Self::CommandExpired { command } => fill(&[("command", command_text(command))]),
            Self::CommandFailed { command, code } => {
                let why = code.unwrap_or(AnswerCode::Refused).text(lang);
                fill(&[("command", command_text(command)), ("why", why)])
            }
            Self::UpdateStarted { parts } => {
                let named = |update: &PartUpdate| {
                    format!("{} {}", part_name(update.part), shown(update.to))
                };
                let parts: Vec<String> = parts.iter().map(named).collect();
                fill(&[("parts", &parts.join(", "))])
            }
            Self::UpdateDone(PartUpdate { part, from, to }) => fill(&[
                ("part", &part_name(*part)),
                ("from", &shown(*from)),
                ("to", &shown(*to)),
            ]),
            Self::UpdateFailed {
                part,
                version,
                code,
            } => {
                let why = code.unwrap_or(Fault::Refused).text(lang);
                fill(&[
                    ("part", &part_name(*part)),
                    ("version", &shown(*version)),
                    ("why", why),
                ])
            }
            Self::Battery { code, on, args } => battery(*code, *on, args, lang),
            Self::PlanDone(outcome) => outcome.describe(lang),
            Self::WeatherWarned(record)
            | Self::WeatherCame(record)
            | Self::WeatherWithdrawn(record) => match record.hits + record.false_alarms {
                0 => text(lang, "journal", "weather_warned_first").to_owned(),
                all => fill(&[
                    ("hits", &record.hits.to_string()),
                    ("all", &all.to_string()),
                ]),
            },
            Self::AlarmAcknowledged { alarm }
            | Self::AlarmCommented { alarm }
            | Self::AlarmDismissed { alarm } => {
                fill(&[("what", alarm.map_or("", |alarm| alarm.text(lang)))])
            }
            Self::GrantAsked { scope } => fill(&[("scope", scope_text(*scope, lang))]),
            Self::GrantInvited(grant)
            | Self::GrantGiven(grant)
            | Self::GrantAccepted(grant)
            | Self::GrantOpenedByCode(grant)
            | Self::GrantRefused(grant)
            | Self::GrantDeclined(grant)
            | Self::GrantEnded(grant) => {
                let until = grant.until.map(|day| lang.day(day));
                let until = until.unwrap_or_else(|| text(lang, "word", "no_end").to_owned());
                let scope = scope_text(grant.scope, lang);
                let with_contact = text(lang, "word", "with_contact");
                let scope = match grant.contact {
                    true => format!("{scope}, {with_contact}"),
                    false => scope.to_owned(),
                };
                fill(&[("scope", &scope), ("until", &until)])
            }
            Self::CompanyMemberInvited { role }
            | Self::CompanyMemberJoined { role }
            | Self::CompanyRoleChanged { role } => {
                let role = role.map(|role| text(lang, "company_role", role.as_str()));
                fill(&[("role", role.unwrap_or_default())])
            }
            Self::UnitReplaced { old, new } => {
                fill(&[("old", &shown(old.as_ref())), ("new", &shown(new.as_ref()))])
            }
            Self::EndUserNamed {
                from: Some(from),
                to: Some(to),
            } => fill(&[("from", from), ("to", to)]),
            Self::EndUserNamed { .. } => text(lang, "journal", "end_user_named_plain").to_owned(),
            Self::CommissioningStepRecorded { step } => fill(&[("step", text(lang, "step", step))]),
            Self::CommissioningStarted
            | Self::CommissioningDropped
            | Self::CommissioningFinished { .. }
            | Self::CustomerCodeIssued
            | Self::CustomerCodeWithdrawn
            | Self::TimeOfUseSet { .. }
            | Self::SettingsReset { .. }
            | Self::NoticeAcknowledged { .. }
            | Self::SettingsReported { .. }
            | Self::ChargeTargetDropped
            | Self::TemplateCreated { .. }
            | Self::TemplateChanged { .. }
            | Self::TemplateDeleted { .. }
            | Self::UpdateCancelled
            | Self::UpdateInterrupted
            | Self::UpdateExpired
            | Self::SystemLinked
            | Self::SystemUnlinked
            | Self::SystemDisplaced
            | Self::SystemTakenOver
            | Self::ClaimStarted
            | Self::ClaimContested
            | Self::PartnerConsented { .. }
            | Self::PartnerEnded { .. }
            | Self::PartnerTokenReused { .. }
            | Self::HandoverOffered
            | Self::HandoverWithdrawn
            | Self::HandedOver
            | Self::CompanyInvitationWithdrawn
            | Self::CompanyMemberRemoved
            | Self::Registered
            | Self::SiteChanged { .. }
            | Self::PasswordChanged
            | Self::EmailChanged
            | Self::ProfileChanged { .. }
            | Self::TotpEnabled
            | Self::TotpDisabled
            | Self::RecoveryCodeUsed { .. }
            | Self::RecoveryCodesRenewed
            | Self::PasskeyAdded
            | Self::PasskeyRenamed
            | Self::PasskeyRemoved
            | Self::PasskeyCounterWentBack
            | Self::SessionReused
            | Self::GroupCreated { .. }
            | Self::GroupChanged { .. }
            | Self::GroupDeleted { .. }
            | Self::TotpReset
            | Self::AccountLocked
            | Self::AccountUnlocked
            | Self::DeviceBlocked
            | Self::DeviceUnblocked
            | Self::DeviceSecretRotated { .. }
            | Self::BootCounterRestarted
            | Self::DevicesImported { .. }
            | Self::CodeIssued { .. }
            | Self::PartnerRegistered { .. }
            | Self::SecretChanged
            | Self::KeysRotated { .. }
            | Self::OptionSet { .. }
            | Self::ReleaseKeyTrusted { .. }
            | Self::OwnersAdvised { .. }
            | Self::FleetBraked { .. }
            | Self::FleetReleased
            | Self::FirmwarePublished { .. }
            | Self::RolloutChanged { .. } => fill(&[]),
        }
    }
}

impl BlockOutcome {
    fn describe(&self, lang: Lang) -> String {
        let name = match self.mode.as_str() {
            "charge" => "plan_done_charge",
            _ => "plan_done_hold",
        };
        let energy =
            |wh: Option<i64>| wh.map_or_else(|| unknown(lang), |wh| quantity::energy(wh, lang));
        let soc = self
            .soc
            .map_or_else(|| unknown(lang), |soc| percent(soc, lang));
        let done = fill(
            name,
            lang,
            &[
                ("from", &self.from),
                ("to", &self.to),
                ("charged", &energy(self.charged)),
                ("imported", &energy(self.imported)),
                ("price", &quantity::price(self.price, lang)),
                ("soc", &soc),
            ],
        );
        // No saving was promised if the block served a charge target or was only a precaution.
        match self.expected.map(quantity::cents) {
            Some(cents) if cents > 0 => {
                let amount = self.currency.unwrap_or(Currency::Eur).amount(cents, lang);
                let expected = fill("plan_done_expected", lang, &[("expected", &amount)]);
                format!("{done} {expected}")
            }
            _ => done,
        }
    }
}

fn setting_changed(field: Field, from: &Value, to: &Value, lang: Lang) -> String {
    if field.kind() == FieldKind::Token {
        let name = match to.as_bool() {
            Some(true) => "token_set",
            _ => "token_erased",
        };
        return text(lang, "journal", name).to_owned();
    }
    let [from, to] = [from, to].map(|json| {
        let value = field.from_json(json);
        value.map_or_else(String::new, |value| value.describe(field, lang))
    });
    let values = [("field", field.label(lang)), ("from", &from), ("to", &to)];
    fill("setting_changed", lang, &values)
}

/// The battery's event, with the number that it contains.
fn battery(code: Option<EventCode>, on: bool, args: &Value, lang: Lang) -> String {
    let Some(code) = code else {
        return text(lang, "word", "battery").to_owned();
    };
    let said = event_text(code, on, lang);
    let number = code
        .number()
        .and_then(|known| Some((known.of(args)?, known.unit)));
    match number {
        Some((number, unit)) => {
            let number = with_unit(&number.to_string(), Some(unit), lang);
            format!("{said} ({number})")
        }
        None => said.to_owned(),
    }
}

fn fill(name: &str, lang: Lang, values: &[(&str, &str)]) -> String {
    text_with(lang, "journal", name, values.iter().copied())
}

fn scope_text(scope: Option<GrantScope>, lang: Lang) -> &'static str {
    scope.map_or("", |scope| text(lang, "scope", scope.as_str()))
}

fn unknown(lang: Lang) -> String {
    text(lang, "word", "unknown").to_owned()
}

fn shown(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// "Gateway": parts have the same names in every language.
fn part_name(part: Option<Part>) -> String {
    let mut letters = part.map_or("", Part::as_str).chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
