//! Everything the server says to a person, as stable codes with one text per language in `locales/*.toml`.
use crate::{EventCode, Lang};
use std::collections::HashMap;
use std::sync::LazyLock;

macro_rules! messages {
    ($($(#[$doc:meta])* $message:ident $code:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Message { $($(#[$doc])* $message),* }

        impl Message {
            pub const ALL: &[Self] = &[$(Self::$message),*];

            /// Stable and machine-readable: what clients and tests rely on.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$message => $code),* }
            }
        }
    };
}

messages! {
    // Answers to a whole request.
    InvalidCredentials "invalid_credentials",
    EmailUnconfirmed "email_unconfirmed",
    ConfirmResent "confirm_resent",
    TotpRequired "totp_required",
    TotpEnrolmentRequired "totp_enrolment_required",
    TotpEnabled "totp_enabled",
    TotpDisabled "totp_disabled",
    TotpNotBegun "totp_not_begun",
    TotpIsDuty "totp_is_duty",
    NoSystems "no_systems",
    TokenInvalid "token_invalid",
    RefreshInvalid "refresh_invalid",
    TooManyAttempts "too_many_attempts",
    TooManyStreams "too_many_streams",
    TooManyExports "too_many_exports",
    NotFound "not_found",
    Forbidden "forbidden",
    ScopeTooSmall "scope_too_small",
    MethodNotAllowed "method_not_allowed",
    TooLarge "too_large",
    TooSlow "too_slow",
    InvalidForm "invalid_form",
    LinkInvalid "link_invalid",
    ClientUnknown "client_unknown",
    Unavailable "unavailable",
    LoginsBusy "logins_busy",
    MailFailed "mail_failed",
    FleetBraked "fleet_braked",
    TooManyDevices "too_many_devices",
    TooManyCommands "too_many_commands",
    KeyReused "key_reused",
    NoUpdate "no_update",
    UpdateRunning "update_running",
    NothingToChange "nothing_to_change",
    StepsOpen "steps_open",
    UnitsBusy "units_busy",
    OwnersDiffer "owners_differ",
    ReplaceUpdating "replace_updating",
    Internal "internal",
    // Answers to one field.
    Required "required",
    TooLong "too_long",
    EmailInvalid "email_invalid",
    EmailTaken "email_taken",
    EmailOwn "email_own",
    PasswordWeak "password_weak",
    PasswordCommon "password_common",
    PasswordsDiffer "passwords_differ",
    PasswordWrong "password_wrong",
    TotpWrong "totp_wrong",
    PhoneInvalid "phone_invalid",
    CountryUnknown "country_unknown",
    RoleUnknown "role_unknown",
    LanguageUnknown "language_unknown",
    TermsRequired "terms_required",
    SerialFormat "serial_format",
    SerialUppercase "serial_uppercase",
    SerialUsed "serial_used",
    CodeUnknown "code_unknown",
    InstallerCodeUnknown "installer_code_unknown",
    InstallerCodeOwned "installer_code_owned",
    ReplaceSame "replace_same",
    ReplaceSeveral "replace_several",
    ReplaceInUse "replace_in_use",
    ReplaceNeedsCode "replace_needs_code",
    KeyRequired "key_required",
    KeyRepeated "key_repeated",
    TooManyKeys "too_many_keys",
    DateInvalid "date_invalid",
    PeriodInvalid "period_invalid",
    RangeReversed "range_reversed",
    RangeTooLong "range_too_long",
    ChoiceUnknown "choice_unknown",
    TooManyPoints "too_many_points",
    GroupTaken "group_taken",
    TooManyGroups "too_many_groups",
    PriceInvalid "price_invalid",
    PriceRange "price_range",
    DateTooLate "date_too_late",
    DatePast "date_past",
    NumberInvalid "number_invalid",
    SwitchInvalid "switch_invalid",
    SocRange "soc_range",
    TimeInvalid "time_invalid",
    WindowEmpty "window_empty",
    PowerRange "power_range",
    RateRange "rate_range",
    AddressRange "address_range",
    /// A warning: it is taken all the same.
    AddressReserved "address_reserved",
    TokenTooShort "token_too_short",
    TokenOwnersOnly "token_owners_only",
    PriceOwnersOnly "price_owners_only",
    TemplateTaken "template_taken",
    TooManyTemplates "too_many_templates",
    ProviderRequired "provider_required",
    Acknowledge14a "acknowledge_14a",
    UntilRange "until_range",
    KeyInvalid "key_invalid",
    VersionInvalid "version_invalid",
    VersionConflict "version_conflict",
    LatitudeRange "latitude_range",
    LongitudeRange "longitude_range",
    TimeZoneUnknown "time_zone_unknown",
    TimeZoneFixed "time_zone_fixed",
    PlanesInvalid "planes_invalid",
    TooManyPlanes "too_many_planes",
    PeakRange "peak_range",
    TiltRange "tilt_range",
    AzimuthRange "azimuth_range",
    // How a key ended well.
    KeyLinked "key_linked",
    KeyWaiting "key_waiting",
    UnitReplaced "unit_replaced",
    ReplaceFits "replace_fits",
    ReplaceWaiting "replace_waiting",
    // How asking ended, always.
    GrantAsked "grant_asked",
}

impl Message {
    pub fn text(self, lang: Lang) -> &'static str {
        text(lang, "message", self.code())
    }
}

/// For logs and the command line, whose readers are operators.
impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text(Lang::En))
    }
}

impl std::error::Error for Message {}

/// The words of a mail or page, by section and name; German where a language has none (a test keeps that from happening).
pub fn text(lang: Lang, section: &str, name: &str) -> &'static str {
    let find = |lang: Lang| {
        CATALOGUES
            .get(lang.code())?
            .get(section)?
            .get(name)
            .map(String::as_str)
    };
    find(lang).or_else(|| find(Lang::De)).unwrap_or_default()
}

/// The names of all texts of a section, so that a test can hold every one of them to its rules.
pub fn names_in(section: &str) -> impl Iterator<Item = &'static str> {
    let catalogue = CATALOGUES.get(Lang::De.code());
    let texts = catalogue.and_then(|catalogue| catalogue.get(section));
    texts
        .into_iter()
        .flat_map(|texts| texts.keys().map(String::as_str))
}

/// What an event of a battery says to its owner, when it begins and when it is over.
pub fn event_text(code: EventCode, on: bool, lang: Lang) -> &'static str {
    let over = if on {
        ""
    } else {
        text(lang, "event_over", code.as_str())
    };
    // Some events are over as soon as they happen.
    if over.is_empty() {
        text(lang, "event", code.as_str())
    } else {
        over
    }
}

type Catalogue = HashMap<String, HashMap<String, String>>;

static CATALOGUES: LazyLock<HashMap<&'static str, Catalogue>> = LazyLock::new(|| {
    let read = |lang: Lang| {
        let source = match lang {
            Lang::De => include_str!("../locales/de.toml"),
            Lang::En => include_str!("../locales/en.toml"),
            Lang::Pl => include_str!("../locales/pl.toml"),
            Lang::Fr => include_str!("../locales/fr.toml"),
            Lang::Hr => include_str!("../locales/hr.toml"),
        };
        (
            lang.code(),
            toml::from_str(source).expect("a test parses every catalogue"),
        )
    };
    Lang::ALL.into_iter().map(read).collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn names(lang: Lang) -> BTreeSet<(String, String)> {
        let catalogue = &CATALOGUES[lang.code()];
        catalogue
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

    /// Rightly the same in German and English.
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
