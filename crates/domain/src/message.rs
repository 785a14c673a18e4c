//! Every message of the server to a person: stable codes, with one text per language in `locales/*.toml`.
mod catalogue;

pub use catalogue::{event_text, names_in, text, text_with};

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
