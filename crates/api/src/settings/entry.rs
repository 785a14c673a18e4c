//! The settings of one system, with the table that a form is built from.
use crate::Portal;
use crate::error::Result;
use domain::clock::Millis;
use domain::grant::Right;
use domain::setting::{Field, FieldKind, Ratings, Settings, Value};
use domain::{AccountId, Lang};
use serde::Serialize;
use serde_json::{Map, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use store::Access;
use store::setting::SystemSettings;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// The desired and the reported settings of a system.
#[derive(Serialize, ToSchema)]
pub(crate) struct SettingsEntry {
    sn: String,
    /// The version of the settings; increases with every save. Send it back with the next save.
    version: i64,
    state: SettingsState,
    /// The settings that were saved last.
    desired: SettingValues,
    /// The settings that the battery uses. Empty before its first report.
    reported: SettingValues,
    /// The version that the battery has last reported about.
    reported_version: i64,
    /// When the battery last reported its settings; Unix time in milliseconds.
    reported_at: Option<Millis>,
    /// By field that the battery refused: the stable code of the reason.
    errors: BTreeMap<&'static str, &'static str>,
    /// By field that the battery refused: the reason in the caller's language.
    error_texts: BTreeMap<&'static str, &'static str>,
    /// When the settings were last saved; Unix time in milliseconds.
    changed_at: Option<Millis>,
    /// Who saved them last.
    changed_by: Option<ChangedBy>,
    /// When the notice under §14a EnWG was acknowledged; Unix time in milliseconds.
    acknowledged_at: Option<Millis>,
    /// The present limit by the grid operator; null if there is none.
    grid_limit: Option<GridLimitEntry>,
    /// Every field that the caller may see, with its allowed values. Prices and the token are visible only to the household.
    fields: BTreeMap<&'static str, FieldEntry>,
}

/// The state of the newest save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = State)]
pub(crate) enum SettingsState {
    /// Nothing was saved, and the battery has never reported.
    Unknown,
    /// The battery is offline and receives the settings when it connects.
    Waiting,
    /// The settings were sent; the battery has not reported yet.
    Sent,
    /// The battery has reported that it refused a setting.
    Refused,
    Applied,
}

/// Who saved: the caller or another person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = By)]
pub(crate) enum ChangedBy {
    You,
    Person,
}

impl ChangedBy {
    pub(super) fn for_reader(account: AccountId, reader: AccountId) -> Self {
        if account == reader {
            Self::You
        } else {
            Self::Person
        }
    }
}

/// A limit by the grid operator on the power drawn from the grid. It takes precedence over all settings and commands.
#[derive(Serialize, ToSchema)]
pub(crate) struct GridLimitEntry {
    /// The limit in W.
    limit: i64,
    /// Since when the limit applies; Unix time in milliseconds.
    since: Millis,
}

/// The allowed values of a field.
#[derive(Serialize, ToSchema)]
pub(crate) struct FieldEntry {
    /// percent, time, choice, power, price, rate, switch, address or token.
    kind: &'static str,
    /// The unit of the value; left out if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    min: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    max: Option<serde_json::Value>,
    /// The number of digits after the decimal point.
    #[serde(skip_serializing_if = "is_zero")]
    decimals: u8,
    /// The allowed values of a choice.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    choices: &'static [&'static str],
    /// The initial value.
    #[schema(value_type = Option<SettingValue>)]
    default: serde_json::Value,
    /// Whether the field concerns the wiring of the house. Owners must then confirm their password.
    wiring: bool,
    /// Whether the field may be left empty.
    optional: bool,
}

fn is_zero(decimals: &u8) -> bool {
    *decimals == 0
}

impl FieldEntry {
    fn new(field: Field, ratings: Ratings) -> Self {
        let kind = field.kind();
        let number = |number: i64| match kind.decimals() {
            0 => json!(number),
            _ => Value::Decimal(number).json(field),
        };
        let range = field.range(ratings);
        Self {
            kind: kind.name(),
            unit: kind.unit(),
            min: range.map(|(least, _)| number(least)),
            max: range.map(|(_, most)| number(most)),
            decimals: kind.decimals(),
            choices: match kind {
                FieldKind::Choice(choices) => choices,
                _ => &[],
            },
            default: field.initial(ratings).json(field),
            wiring: field.is_wiring(),
            optional: field.may_be_unknown(),
        }
    }
}

impl SettingsEntry {
    /// One system's settings as the caller sees them.
    pub(crate) async fn load(portal: &Portal, access: &Access, lang: Lang) -> Result<Self> {
        portal.hold([access]).await?;
        let settings = portal.store.settings(access, portal.now()).await?;
        Ok(Self::of(portal, settings, access, lang))
    }

    pub(crate) fn of(
        portal: &Portal,
        settings: SystemSettings,
        access: &Access,
        lang: Lang,
    ) -> Self {
        let online = portal.live.get(access.sn()).is_some_and(|now| now.online);
        Self::new(settings, online, access, lang)
    }

    fn new(mut settings: SystemSettings, online: bool, reader: &Access, lang: Lang) -> Self {
        // Electricians must not see even the last characters of the token.
        if !reader.may(Right::SetToken) {
            settings.token_end = None;
        }
        let visible = |field: Field| match field {
            Field::ProviderToken => reader.may(Right::SetToken),
            field => reader.may(Right::SeeMoney) || !field.is_money(),
        };
        settings.desired = settings.desired.only(visible);
        settings.reported = settings.reported.only(visible);
        settings.refused.retain(|(field, _)| visible(*field));
        let by_name = |(field, value)| (Field::name(field), value);
        let refused = settings.refused.iter();
        let errors = refused.clone().map(|(f, why)| (*f, why.as_str()));
        let texts = refused.map(|(f, why)| (*f, why.text(lang)));
        Self {
            state: state(&settings, online),
            errors: errors.map(by_name).collect(),
            error_texts: texts.map(by_name).collect(),
            desired: SettingValues::new(&settings.desired, settings.token_end.as_deref()),
            reported: reported(&settings),
            reported_version: settings.reported_version,
            reported_at: settings.reported_at,
            changed_at: settings.changed_at,
            changed_by: settings
                .changed_by
                .map(|by| ChangedBy::for_reader(by, reader.account())),
            acknowledged_at: settings.acknowledged_at,
            grid_limit: settings.grid_limit.map(|now| GridLimitEntry {
                limit: now.limit,
                since: now.since,
            }),
            fields: Field::all()
                .filter(|field| visible(*field))
                .map(|field| (field.name(), FieldEntry::new(field, settings.ratings)))
                .collect(),
            version: settings.version,
            sn: settings.sn.to_string(),
        }
    }
}

fn state(settings: &SystemSettings, online: bool) -> SettingsState {
    let reported = settings.reported_at.is_some();
    match settings.version {
        0 if !reported => SettingsState::Unknown,
        version if version > settings.held_version.min(settings.reported_version) => {
            if online {
                SettingsState::Sent
            } else {
                SettingsState::Waiting
            }
        }
        _ if settings.refused.is_empty() => SettingsState::Applied,
        _ => SettingsState::Refused,
    }
}

/// Settings that only the portal uses are applied as soon as they are saved.
fn reported(settings: &SystemSettings) -> SettingValues {
    if settings.reported.is_empty() {
        return SettingValues::default();
    }
    let ours = settings.desired.only(|field| !field.is_sent_to_battery());
    let all = settings.reported.clone().or(&ours);
    SettingValues::new(&all, settings.token_end.as_deref())
}

/// Values by field name.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(crate) struct SettingValues(Map<String, serde_json::Value>);

impl SettingValues {
    /// The fields that are set, without any part of a token.
    pub(crate) fn of(settings: &Settings) -> Self {
        Self(settings.json())
    }

    fn new(settings: &Settings, token_end: Option<&str>) -> Self {
        let mut values = settings.json();
        let token = token_end.map(|end| format!("…{end}"));
        values.insert(Field::ProviderToken.name().to_owned(), json!(token));
        Self(values)
    }
}

impl PartialSchema for SettingValues {
    fn schema() -> RefOr<Schema> {
        let fields = Field::all().fold(ObjectBuilder::new(), |object, field| {
            object.property(
                field.name(),
                ObjectBuilder::new().schema_type(json_type(field)),
            )
        });
        fields.into()
    }
}

impl ToSchema for SettingValues {
    fn name() -> Cow<'static, str> {
        "SettingValues".into()
    }
}

/// One value of any field.
pub(crate) struct SettingValue;

impl PartialSchema for SettingValue {
    fn schema() -> RefOr<Schema> {
        let kinds = [Type::Number, Type::String, Type::Boolean];
        let any = kinds.into_iter().fold(AnyOfBuilder::new(), |any, kind| {
            any.item(ObjectBuilder::new().schema_type(kind))
        });
        any.into()
    }
}

impl ToSchema for SettingValue {}

fn json_type(field: Field) -> SchemaType {
    let kind = match field.kind() {
        FieldKind::Percent | FieldKind::Power(_) | FieldKind::Address => Type::Integer,
        FieldKind::Price | FieldKind::Rate => Type::Number,
        FieldKind::Switch => Type::Boolean,
        FieldKind::Time | FieldKind::Choice(_) | FieldKind::Token => Type::String,
    };
    match field.may_be_unknown() {
        true => SchemaType::from_iter([kind, Type::Null]),
        false => SchemaType::Type(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_those_that_the_browser_is_tested_with() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/settings.json");
        let table: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let ratings = Ratings {
            charge: table["ratings"]["charge"].as_i64(),
            discharge: table["ratings"]["discharge"].as_i64(),
        };
        let known = table["fields"].as_object().unwrap();
        assert_eq!(known.len(), Field::all().count());
        for field in Field::all() {
            let entry = json!(FieldEntry::new(field, ratings));
            assert_eq!(entry, known[field.name()], "{}", field.name());
        }
    }
}
