//! Schemas of query parameters and form fields for the OpenAPI document. The values are parsed in `domain`; `scripts/check-api`
//! finds where the two differ. A field that accepts any text needs no schema here.
use domain::alarm::{AlarmMail, CommentText};
use domain::command::Command;
use domain::commissioning::CommissioningStep;
use domain::customer::CustomerNote;
use domain::grant::{GrantScope, MAX_REQUEST_MESSAGE};
use domain::group::GroupName;
use domain::journal::EntryKind;
use domain::series::{Interval, Method, Resolution};
use domain::setting::{Field, FieldKind, TemplateName};
use domain::site::{Planes, Town};
use domain::{CompanyRole, Country, Lang, Role, Serial, Series};
use std::borrow::Cow;
use store::journal::PageActor;
use utoipa::openapi::schema::{
    Components, KnownFormat, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// Types that only name a schema.
macro_rules! schemas {
    ($($(#[doc = $about:literal])+ $name:ident = $schema:expr;)+) => {
        $(
            $(#[doc = $about])+
            pub(crate) enum $name {}

            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    let about = concat!($($about),+).trim();
                    $schema.description(Some(about)).into()
                }
            }

            impl ToSchema for $name {
                fn name() -> Cow<'static, str> {
                    stringify!($name).into()
                }
            }
        )+

        /// Adds the schemas to a document. Schemas of query parameters are not added by their routes.
        pub(crate) fn add_to(components: &mut Components) {
            $(components.schemas.insert(<$name as ToSchema>::name().into(), $name::schema());)+
        }
    };
}

schemas! {
    /// Letters A to Z and digits.
    SerialNumber = text(&format!("^{}$", serial()));
    /// A serial number, or -1 for all systems of the caller. Default: all systems.
    OneOrAllSystems = text(&format!("^(-1|{})?$", serial()));
    /// Serial numbers, separated by commas.
    SerialNumbers = text(&format!("^{}$", serials()));
    /// Serial numbers, separated by commas; may be empty.
    SerialNumbersOrNone = text(&format!("^({})?$", serials()));
    /// Serial numbers, separated by commas, or -1 for all systems of the caller. Default: all systems.
    SystemsOrAll = text(&format!("^(-1|{})?$", serials()));
    /// `YYYY-MM-DD` in the site's time zone.
    Day = text(&format!("^({DAY})?$"));
    /// `YYYY-MM-DD`, or `null` for the beginning.
    DayOrBeginning = text(&format!("^(null|{DAY})?$"));
    /// `week_`, `month_`, `year_` or `total_` followed by `YYYY-MM-DD`, or a range `YYYY-MM-DD_YYYY-MM-DD`.
    PeriodText = text(&format!("^((week|month|year|total)_({DAY})?|(year|total)_{YEAR}|{DAY}_{DAY})?$"));
    /// `week_`, `month_` or `year_` followed by `YYYY-MM-DD`, or a range `YYYY-MM-DD_YYYY-MM-DD`.
    PeriodOfDays = text(&format!("^((week|month|year)_({DAY})?|year_{YEAR}|{DAY}_{DAY})?$"));
    /// The page number, starting at 1.
    PageNumber = text("^[0-9]{0,15}$");
    /// A switch: `true`, `1` and `on` mean yes, any other value means no.
    Switch = text(r"^[^\x00]*$").schema_type(SchemaType::from_iter([Type::Boolean, Type::String]));
    /// `HH:MM`.
    TimeOfDay = text(&format!("^({TIME})?$"));
    /// A percentage.
    Percent = text(&format!("^({PERCENT})?$"));
    /// Power in W.
    Watts = text(&format!("^({WATTS})?$"));
    /// In cents (grosz, rappen) per kWh: 0 to 500, with up to two decimals after a point or a comma.
    CentsPerKwh = text(&format!("^{CENTS}$"));
    /// Steps `days/HH:MM/cents`, separated by semicolons.
    PriceSteps = text(&format!("^{PRICE_STEP}(;{PRICE_STEP}){{0,23}}$"));
    /// Unix time in milliseconds.
    MillisSince1970 = text("^[0-9]{0,15}$");
    /// An e-mail address.
    EmailAddress = string().format(Some(SchemaFormat::Custom("email".into())));
    /// ISO 3166-1 alpha-2 country code.
    CountryCode = choice(Country::ALL.iter().map(|country| country.code()));
    /// ISO 639-1 language code.
    LanguageCode = choice(Lang::ALL.iter().map(|lang| lang.code()));
    /// The role of an account.
    RoleChoice = choice([Role::User, Role::Electrician].map(Role::as_str));
    /// The scope of a grant.
    ScopeChoice = choice(GrantScope::ALL.map(GrantScope::as_str));
    /// The scope of a grant; empty for no change.
    ScopeOrSame = optional_choice(GrantScope::ALL.map(GrantScope::as_str));
    /// The scope of an electrician's grant; service if empty.
    ElectricianScope = optional_choice(electrician_scopes());
    /// The role of a member in an electrician's company.
    CompanyRoleChoice = choice(CompanyRole::ALL.map(CompanyRole::as_str));
    /// How an account is notified of alarms by mail.
    AlarmMailChoice = choice(AlarmMail::ALL.map(AlarmMail::as_str));
    /// The name of a command.
    CommandName = choice(Command::NAMES.iter().copied());
    /// An idempotency key.
    IdempotencyKey = text("^[A-Za-z0-9_-]{8,64}$");
    /// A step of a commissioning that is checked on its own.
    StepChoice = choice(checked_steps());
    /// Power in W, or empty for no limit.
    ExportLimit = text("^(100000|[1-9]?[0-9]{1,4})?$");
    /// The phase, 1 to 3.
    PhaseNumber = text("^[1-3]$");
    /// A period around a date, or a resolution, which selects a day.
    IntervalChoice = optional_choice(intervals());
    /// How the samples of a point are combined.
    MethodChoice = optional_choice(Method::ALL.map(Method::as_str));
    /// The length of a point.
    ResolutionChoice = optional_choice(Resolution::ALL.map(Resolution::as_str));
    /// Codes of series, separated by commas.
    SeriesCodes = text(&list(Series::ALL.map(Series::code)));
    /// The format of the answer; JSON if empty.
    FileFormat = optional_choice(["json", "csv"]);
    /// Kinds of journal entries, separated by commas.
    EntryKinds = text(&list(EntryKind::ALL.map(EntryKind::as_str)));
    /// The actor of a journal entry.
    ActorChoice = optional_choice(PageActor::ALL.map(PageActor::as_str));
    /// The name of a group.
    GroupNameText = short(GroupName::MAX_LENGTH);
    /// A note about a customer.
    CustomerNoteText = string().max_length(Some(CustomerNote::MAX_LENGTH));
    /// A comment on an alarm.
    CommentLine = short(CommentText::MAX_LENGTH);
    /// The name of a setting template.
    TemplateNameText = short(TemplateName::MAX_LENGTH);
    /// A short message without e-mail addresses.
    RequestMessage = string().max_length(Some(MAX_REQUEST_MESSAGE)).pattern(Some("^[^@]*$"));
    /// The name of a person or a company.
    NameText = short(domain::account::MAX_TEXT);
    /// A postal address in one line; may be empty.
    AddressText = string().max_length(Some(domain::account::MAX_TEXT));
    /// A town; may be empty.
    TownText = string().max_length(Some(Town::MAX_LENGTH));
    /// Latitude in degrees, from -90 to 90; may be empty.
    LatitudeText = text(&format!("^(-?({}))?$", degrees("90", "[1-8]?[0-9]")));
    /// Longitude in degrees, from -180 to 180; may be empty.
    LongitudeText = text(&format!("^(-?({}))?$", degrees("180", "[1-9]?[0-9]|1[0-7][0-9]")));
    /// PV planes `kWp/tilt/azimuth`, separated by commas.
    PlanesText = text(&format!("^({PLANE}(,{PLANE}){{0,{}}})?$", Planes::MAX - 1));
    /// Serial numbers or registration codes, separated by commas.
    KeyTexts = string().min_length(Some(1));
    /// The versions that were read: one per system, separated by commas.
    Versions = text("^[0-9]{1,18}(,[0-9]{1,18})*$");
    /// `1` to start, `0` to withdraw.
    StartOrWithdraw = choice(["0", "1"]);
    /// The grant type of OAuth 2.
    GrantType = choice(["authorization_code", "refresh_token"]);
    /// The data that a partner app may read.
    PartnerScopesText = choice(["systems", "live", "systems live", "live systems"]);
    /// The SHA-256 of the code verifier, in base64url.
    CodeChallenge = text("^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$");
    /// The challenge method of PKCE.
    ChallengeMethod = choice(["S256"]);
}

/// The bytes of a file.
pub(crate) enum BinaryFile {}

impl PartialSchema for BinaryFile {
    fn schema() -> RefOr<Schema> {
        let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
        string().format(Some(binary)).into()
    }
}

impl ToSchema for BinaryFile {}

const YEAR: &str = "(199[0-9]|20[0-9]{2}|21[0-8][0-9])";
/// A calendar day of the years that a request may name, leap days too.
const DAY: &str = "((199[0-9]|20[0-9]{2}|21[0-8][0-9])-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)\
    |(199[26]|20([02468][048]|[13579][26])|21(0[48]|[2468][048]|[1357][26]))-02-29)";
const TIME: &str = "([01][0-9]|2[0-3]):[0-5][0-9]";
const PERCENT: &str = "100|[1-9]?[0-9]";
/// More than the rating of the largest unit.
const WATTS: &str = "[0-9]|[1-9][0-9]{1,3}|[12][0-9]{4}|30000";
const CENTS: &str = "(500([.,]0{1,2})?|([1-4]?[0-9]{1,2})([.,][0-9]{1,2})?)";
const PRICE_STEP: &str = "(workdays|weekend)/([01][0-9]|2[0-3]):(00|15|30|45)/(500([.,]0{1,2})?|([1-4]?[0-9]{1,2})([.,][0-9]{1,2})?)";
const PLANE: &str = "([1-9]|[1-9][0-9]|1[0-9]{2})([.][0-9]{1,3})?/(90|[1-8]?[0-9])/(-?(180|1[0-7][0-9]|[1-9]?[0-9]))";

fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn text(pattern: &str) -> ObjectBuilder {
    string().pattern(Some(pattern))
}

/// A choice. It is a pattern instead of an enum: forms hold what people typed, and the browser's client passes it on as text.
fn choice<'a>(names: impl IntoIterator<Item = &'a str>) -> ObjectBuilder {
    text(&format!("^({})$", one_of(names)))
}

/// A choice that may also be empty, which selects the default.
fn optional_choice<'a>(names: impl IntoIterator<Item = &'a str>) -> ObjectBuilder {
    text(&format!("^({})?$", one_of(names)))
}

fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    names.join("|")
}

/// A line that is not empty.
fn short(most: usize) -> ObjectBuilder {
    let text = string().min_length(Some(1)).max_length(Some(most));
    text.pattern(Some(r"^[^\s].*$"))
}

fn serial() -> String {
    let (least, most) = (Serial::LENGTH.start(), Serial::LENGTH.end());
    format!("[0-9A-Z]{{{least},{most}}}")
}

fn serials() -> String {
    format!("{one}(,{one})*", one = serial())
}

/// A pattern cannot express that each name may occur only once.
fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let one = one_of(names);
    format!("^(({one})(,({one}))*)?$")
}

fn degrees(most: &str, whole: &str) -> String {
    format!("{most}([.]0{{1,2}})?|({whole})([.][0-9]{{1,2}})?")
}

fn electrician_scopes() -> impl Iterator<Item = &'static str> {
    let scopes = GrantScope::ALL.into_iter();
    scopes
        .filter(|scope| scope.role() == Role::Electrician)
        .map(GrantScope::as_str)
}

/// The steps that are checked on their own. Phases have a separate call.
fn checked_steps() -> impl Iterator<Item = &'static str> {
    let steps = CommissioningStep::ALL.into_iter();
    steps
        .filter(|step| *step != CommissioningStep::Phases)
        .map(CommissioningStep::as_str)
}

fn intervals() -> impl Iterator<Item = &'static str> {
    let fine = [Resolution::Minute, Resolution::Quarter, Resolution::Hour];
    let names = Interval::ALL.map(Interval::as_str).into_iter();
    names.chain(fine.map(Resolution::as_str))
}

/// The schema of a settings field.
pub(crate) fn setting(field: Field) -> ObjectBuilder {
    match field.kind() {
        FieldKind::Percent => text(&format!("^({PERCENT})$")),
        FieldKind::Time => text(&format!("^({TIME}|24:00)$")),
        FieldKind::Choice(choices) => choice(choices.iter().copied()),
        FieldKind::Power(_) => text(&format!("^({WATTS})$")),
        FieldKind::Price => text(&format!("^{CENTS}$")),
        FieldKind::Rate => text(&format!("^(100([.,]0)?|{RATE})$")),
        FieldKind::Switch => choice(["true", "1", "on", "false", "0", "off"]),
        FieldKind::Address => text("^(250|[1-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9])$"),
        FieldKind::Token => string(),
    }
}

/// Tenths of a percent, below 100.
const RATE: &str = "[1-9]?[0-9]([.,][0-9])?";

/// A reference to a schema of the document.
pub(crate) fn reference<T: ToSchema>() -> Ref {
    Ref::from_schema_name(T::name())
}
