//! What a parameter of a query or a field of a form may hold, for the OpenAPI document. `domain` parses them, and
//! `scripts/check-api` finds out where both disagree. A field for which everything is text needs no type here.
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

        /// Adds the schemas to a document: those of queries are not added by their routes.
        pub(crate) fn add_to(components: &mut Components) {
            $(components.schemas.insert(<$name as ToSchema>::name().into(), $name::schema());)+
        }
    };
}

schemas! {
    /// Letters A to Z and digits.
    SerialNumber = text(&format!("^{}$", serial()));
    /// A serial number, or -1 for all systems of the caller; all without one.
    OneOrAllSystems = text(&format!("^(-1|{})?$", serial()));
    /// Serial numbers, separated by commas.
    SerialNumbers = text(&format!("^{}$", serials()));
    /// Serial numbers, separated by commas; may be empty.
    SerialNumbersOrNone = text(&format!("^({})?$", serials()));
    /// Serial numbers, separated by commas, or -1 for all systems of the caller; all without one.
    SystemsOrAll = text(&format!("^(-1|{})?$", serials()));
    /// `YYYY-MM-DD` of the site's calendar.
    Day = text(&format!("^({DAY})?$"));
    /// `YYYY-MM-DD`, or `null` for the beginning.
    DayOrBeginning = text(&format!("^(null|{DAY})?$"));
    /// `week_`, `month_`, `year_` or `total_` and `YYYY-MM-DD`, or a range `YYYY-MM-DD_YYYY-MM-DD`.
    PeriodText = text(&format!("^((week|month|year|total)_({DAY})?|(year|total)_{YEAR}|{DAY}_{DAY})?$"));
    /// `week_`, `month_` or `year_` and `YYYY-MM-DD`, or a range `YYYY-MM-DD_YYYY-MM-DD`.
    PeriodOfDays = text(&format!("^((week|month|year)_({DAY})?|year_{YEAR}|{DAY}_{DAY})?$"));
    /// The first is 1.
    PageNumber = text("^[0-9]{0,15}$");
    /// `true`, `1` and `on` mean yes, everything else no.
    Switch = text(r"^[^\x00]*$").schema_type(SchemaType::from_iter([Type::Boolean, Type::String]));
    /// `HH:MM`.
    TimeOfDay = text(&format!("^({TIME})?$"));
    /// %.
    Percent = text(&format!("^({PERCENT})?$"));
    /// W.
    Watts = text(&format!("^({WATTS})?$"));
    /// Of a kWh, in cents (grosz, rappen) from 0 to 500 with up to two decimals behind a point or a comma.
    CentsPerKwh = text(&format!("^{CENTS}$"));
    /// `days/HH:MM/cents`, separated by semicolons.
    PriceSteps = text(&format!("^{PRICE_STEP}(;{PRICE_STEP}){{0,23}}$"));
    /// Milliseconds since 1970.
    MillisSince1970 = text("^[0-9]{0,15}$");
    /// An e-mail address.
    EmailAddress = string().format(Some(SchemaFormat::Custom("email".into())));
    /// ISO 3166-1 alpha-2.
    CountryCode = choice(Country::ALL.iter().map(|country| country.code()));
    /// ISO 639-1.
    LanguageCode = choice(Lang::ALL.iter().map(|lang| lang.code()));
    /// Of an account.
    RoleChoice = choice([Role::User, Role::Electrician].map(Role::as_str));
    /// How somebody may use a system of others.
    ScopeChoice = choice(GrantScope::ALL.map(GrantScope::as_str));
    /// How somebody may use a system of others; empty for no change.
    ScopeOrSame = optional_choice(GrantScope::ALL.map(GrantScope::as_str));
    /// How far an electrician may use a system; service when empty.
    ElectricianScope = optional_choice(electrician_scopes());
    /// What somebody does in an electrician's company.
    CompanyRoleChoice = choice(CompanyRole::ALL.map(CompanyRole::as_str));
    /// How somebody hears of alarms.
    AlarmMailChoice = choice(AlarmMail::ALL.map(AlarmMail::as_str));
    /// What a battery can be told.
    CommandName = choice(Command::NAMES.iter().copied());
    /// Names one act.
    IdempotencyKey = text("^[A-Za-z0-9_-]{8,64}$");
    /// A step that is checked by itself.
    StepChoice = choice(checked_steps());
    /// W, or empty for no limit.
    ExportLimit = text("^(100000|[1-9]?[0-9]{1,4})?$");
    /// 1 to 3.
    PhaseNumber = text("^[1-3]$");
    /// A period around a day, or a resolution, which means a day.
    IntervalChoice = optional_choice(intervals());
    /// How the samples of a point are combined.
    MethodChoice = optional_choice(Method::ALL.map(Method::as_str));
    /// How long a point lasts.
    ResolutionChoice = optional_choice(Resolution::ALL.map(Resolution::as_str));
    /// Codes of series, separated by commas.
    SeriesCodes = text(&list(Series::ALL.map(Series::code)));
    /// Of an answer; JSON when empty.
    FileFormat = optional_choice(["json", "csv"]);
    /// Kinds of entries, separated by commas.
    EntryKinds = text(&list(EntryKind::ALL.map(EntryKind::as_str)));
    /// Who did something.
    ActorChoice = optional_choice(PageActor::ALL.map(PageActor::as_str));
    /// Of a group.
    GroupNameText = short(GroupName::MAX_LENGTH);
    /// About a customer.
    CustomerNoteText = string().max_length(Some(CustomerNote::MAX_LENGTH));
    /// About an alarm.
    CommentLine = short(CommentText::MAX_LENGTH);
    /// Of a template.
    TemplateNameText = short(TemplateName::MAX_LENGTH);
    /// A few words without addresses.
    RequestMessage = string().max_length(Some(MAX_REQUEST_MESSAGE)).pattern(Some("^[^@]*$"));
    /// Of a person or a company.
    NameText = short(domain::account::MAX_TEXT);
    /// A postal address in one line, or none.
    AddressText = string().max_length(Some(domain::account::MAX_TEXT));
    /// A town, or none.
    TownText = string().max_length(Some(Town::MAX_LENGTH));
    /// Degrees from -90 to 90.
    LatitudeText = text(&format!("^(-?({}))?$", degrees("90", "[1-8]?[0-9]")));
    /// Degrees from -180 to 180.
    LongitudeText = text(&format!("^(-?({}))?$", degrees("180", "[1-9]?[0-9]|1[0-7][0-9]")));
    /// `kWp/tilt/azimuth`, separated by commas.
    PlanesText = text(&format!("^({PLANE}(,{PLANE}){{0,{}}})?$", Planes::MAX - 1));
    /// Serial numbers or registration codes, separated by commas.
    KeyTexts = string().min_length(Some(1));
    /// What was read: one for each system, separated by commas.
    Versions = text("^[0-9]{1,18}(,[0-9]{1,18})*$");
    /// 1 to start, 0 to withdraw.
    StartOrWithdraw = choice(["0", "1"]);
    /// By OAuth 2.
    GrantType = choice(["authorization_code", "refresh_token"]);
    /// What a partner app may see.
    PartnerScopesText = choice(["systems", "live", "systems live", "live systems"]);
    /// The SHA-256 of the verifier, in base 64 for addresses.
    CodeChallenge = text("^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$");
    /// By PKCE.
    ChallengeMethod = choice(["S256"]);
}

/// A file's bytes.
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
/// More than the largest unit is rated for.
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

/// A pattern and no enum: forms hold what people typed, and the browser's client passes it on as text.
fn choice<'a>(names: impl IntoIterator<Item = &'a str>) -> ObjectBuilder {
    text(&format!("^({})$", one_of(names)))
}

/// A choice that may also be empty, which means the usual one.
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

/// Each name once at most is more than a pattern can say.
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

/// The phases have a call of their own.
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

/// What a field of the settings may hold.
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

/// Of a schema that is described elsewhere in the document.
pub(crate) fn reference<T: ToSchema>() -> Ref {
    Ref::from_schema_name(T::name())
}
