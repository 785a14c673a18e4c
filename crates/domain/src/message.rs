//! Every message of the server to a person: stable codes, with one text per language in `locales/*.toml`.
use crate::{EventCode, Lang};
use std::collections::HashMap;
use std::sync::LazyLock;
use strum::{IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum Message {
    // Answers to a whole request.
    InvalidCredentials,
    EmailUnconfirmed,
    ConfirmResent,
    TotpRequired,
    CompanyAddressTaken,
    CompanyLastOwner,
    CompanyFull,
    TotpEnrolmentRequired,
    TotpEnabled,
    TotpDisabled,
    TotpNotBegun,
    TotpIsDuty,
    PasskeyRequired,
    PasskeyRefused,
    PasskeyExists,
    PasskeysUnavailable,
    NoSystems,
    TokenInvalid,
    RefreshInvalid,
    TooManyAttempts,
    TooManyStreams,
    TooManyExports,
    TooManyDownloads,
    NotFound,
    Forbidden,
    ScopeTooSmall,
    CompanyRoleTooSmall,
    MethodNotAllowed,
    TooLarge,
    TooSlow,
    InvalidForm,
    InvalidRequest,
    LinkInvalid,
    ClientUnknown,
    Unavailable,
    LoginsBusy,
    PhotosBusy,
    ChangedMeanwhile,
    MailFailed,
    FleetBraked,
    TooManyDevices,
    TooManyCommands,
    KeyReused,
    NoUpdate,
    UpdateRunning,
    NothingToChange,
    StepsOpen,
    UnitsBusy,
    OwnersDiffer,
    AlreadyOwned,
    ReplaceUpdating,
    Internal,
    // Answers to one field.
    Required,
    TooLong,
    NameHasAddress,
    EmailInvalid,
    EmailTaken,
    EmailOwn,
    PasswordWeak,
    PasswordCommon,
    PasswordsDiffer,
    PasswordWrong,
    TotpWrong,
    TooManyPasskeys,
    PhoneInvalid,
    CountryUnknown,
    RoleUnknown,
    LanguageUnknown,
    TermsRequired,
    SerialFormat,
    SerialUppercase,
    SerialUsed,
    CodeUnknown,
    InstallerCodeUnknown,
    InstallerCodeOwned,
    ReplaceSame,
    ReplaceSeveral,
    ReplaceInUse,
    ReplaceNeedsCode,
    KeyRequired,
    KeyRepeated,
    TooManyKeys,
    DateInvalid,
    PeriodInvalid,
    RangeReversed,
    RangeTooLong,
    ChoiceUnknown,
    TooManyPoints,
    GroupTaken,
    TooManyGroups,
    TooManyComments,
    TooManyPhotos,
    TooManyCompanyPhotos,
    PhotoUnreadable,
    PriceInvalid,
    PriceRange,
    DateTooLate,
    DatePast,
    NumberInvalid,
    SwitchInvalid,
    SocRange,
    TimeInvalid,
    WindowEmpty,
    PowerRange,
    RateRange,
    AddressRange,
    /// A warning: the value is accepted anyway.
    AddressReserved,
    TokenTooShort,
    TokenOwnersOnly,
    PriceOwnersOnly,
    TemplateTaken,
    TooManyTemplates,
    ProviderRequired,
    OtherHousehold,
    TooManySystems,
    #[strum(serialize = "acknowledge_14a")]
    Acknowledge14a,
    UntilRange,
    KeyInvalid,
    VersionInvalid,
    VersionConflict,
    LatitudeRange,
    LongitudeRange,
    TimeZoneUnknown,
    TimeZoneFixed,
    PlanesInvalid,
    TooManyPlanes,
    PeakRange,
    TiltRange,
    AzimuthRange,
    // Good results for a key.
    KeyLinked,
    KeyWaiting,
    UnitReplaced,
    ReplaceFits,
    ReplaceWaiting,
    // The answer to every request for a grant, whatever its result.
    GrantAsked,
}

impl Message {
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Stable and machine-readable: clients and tests rely on it.
    pub const fn code(self) -> &'static str {
        self.into_str()
    }

    pub fn text(self, lang: Lang) -> &'static str {
        text(lang, "message", self.code())
    }

    pub(crate) fn unknown_choice(_: &str) -> Self {
        Self::ChoiceUnknown
    }

    /// Like [`Self::unknown_choice`], where there must be a choice.
    pub(crate) fn invalid_choice(text: &str) -> Self {
        match text {
            "" => Self::Required,
            _ => Self::ChoiceUnknown,
        }
    }
}

/// For logs and the command line, whose readers are operators.
impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text(Lang::En))
    }
}

impl std::error::Error for Message {}

/// A text by section and name. German is the fallback for a missing text; a test makes sure that none is missing.
pub fn text(lang: Lang, section: &str, name: &str) -> &'static str {
    let find = |lang: Lang| catalogue(lang).get(section)?.get(name).map(String::as_str);
    find(lang).or_else(|| find(Lang::De)).unwrap_or_default()
}

/// A text with its placeholders, such as `{{name}}`, replaced one after the other.
pub fn text_with<'v>(
    lang: Lang,
    section: &str,
    name: &str,
    values: impl IntoIterator<Item = (&'v str, &'v str)>,
) -> String {
    let template = text(lang, section, name).to_owned();
    values.into_iter().fold(template, |text, (name, value)| {
        text.replace(&format!("{{{{{name}}}}}"), value)
    })
}

/// The names of all texts of a section, for tests that check each of them.
pub fn names_in(section: &str) -> impl Iterator<Item = &'static str> {
    let texts = catalogue(Lang::De).get(section);
    texts
        .into_iter()
        .flat_map(|texts| texts.keys().map(String::as_str))
}

/// The text of a battery's event for its owner, at its beginning (`on`) or its end.
pub fn event_text(code: EventCode, on: bool, lang: Lang) -> &'static str {
    let over = if on {
        ""
    } else {
        text(lang, "event_over", code.as_str())
    };
    // Events without a duration have no text for their end.
    if over.is_empty() {
        text(lang, "event", code.as_str())
    } else {
        over
    }
}

type Catalogue = HashMap<String, HashMap<String, String>>;

/// Parses the catalogue when the language is first used.
fn catalogue(lang: Lang) -> &'static Catalogue {
    macro_rules! parse {
        ($file:literal) => {{
            static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
                let source = include_str!(concat!("../locales/", $file));
                toml::from_str(source).expect("a test parses every catalogue")
            });
            &CATALOGUE
        }};
    }
    match lang {
        Lang::De => parse!("de.toml"),
        Lang::En => parse!("en.toml"),
        Lang::Pl => parse!("pl.toml"),
        Lang::Fr => parse!("fr.toml"),
        Lang::Hr => parse!("hr.toml"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn names(lang: Lang) -> BTreeSet<(String, String)> {
        catalogue(lang)
            .iter()
            .flat_map(|(s, t)| t.keys().map(move |n| (s.clone(), n.clone())))
            .collect()
    }

    #[test]
    fn every_message_has_a_text_in_every_language_and_no_text_is_left_over() {
        let wanted: BTreeSet<_> = Message::ALL
            .iter()
            .map(|m| ("message".to_owned(), m.code().to_owned()))
            .collect();
        let given: BTreeSet<_> = names(Lang::De)
            .into_iter()
            .filter(|(section, _)| section == "message")
            .collect();
        assert_eq!(given, wanted);
        for lang in Lang::ALL {
            assert_eq!(names(lang), names(Lang::De), "{lang:?}");
        }
    }

    #[test]
    fn every_event_has_a_text_in_every_language() {
        let texts = |section: &str| -> BTreeSet<String> {
            let names = names(Lang::De).into_iter();
            names
                .filter(|(s, _)| s == section)
                .map(|(_, n)| n)
                .collect()
        };
        let codes: BTreeSet<_> = EventCode::ALL.map(|code| code.as_str().to_owned()).into();
        assert_eq!(texts("event"), codes);
        assert!(texts("event_over").is_subset(&codes));
        for (lang, code) in Lang::ALL
            .iter()
            .flat_map(|l| EventCode::ALL.map(|c| (*l, c)))
        {
            assert!(!event_text(code, true, lang).is_empty());
            assert!(!event_text(code, false, lang).is_empty());
        }
        let lost = |on| event_text(EventCode::MeterLost, on, Lang::En);
        assert_ne!(lost(true), lost(false));
    }

    /// Texts that are the same in German and English on purpose.
    const SHARED_BY_TWO: [(&str, &str); 1] = [("scope", "service")];

    #[test]
    fn no_text_is_empty_or_the_same_in_two_languages() {
        for (section, name) in names(Lang::De) {
            let shared = SHARED_BY_TWO.contains(&(section.as_str(), name.as_str()));
            let texts: BTreeSet<_> = Lang::ALL
                .iter()
                .map(|lang| text(*lang, &section, &name))
                .collect();
            assert!(
                texts.iter().all(|t| !t.trim().is_empty()),
                "{section}.{name} is empty"
            );
            assert_eq!(
                texts.len() + usize::from(shared),
                Lang::ALL.len(),
                "{section}.{name} is not translated everywhere"
            );
        }
    }

    #[test]
    fn every_language_keeps_the_placeholders_of_the_german_text() {
        let placeholders = |t: &str| -> BTreeSet<String> {
            t.split("{{")
                .skip(1)
                .filter_map(|rest| Some(rest.split_once("}}")?.0.trim().to_owned()))
                .collect()
        };
        for (section, name) in names(Lang::De) {
            let german = placeholders(text(Lang::De, &section, &name));
            for lang in Lang::ALL {
                assert_eq!(
                    placeholders(text(lang, &section, &name)),
                    german,
                    "{section}.{name} in {lang:?}"
                );
            }
        }
    }
}
