//! The settings of a system: one table, used by forms, validation, the battery's document and the reset.

mod batch;
mod change;
mod document;
mod field_kind;
mod refusal;
mod report;
mod template;
mod text;
mod value;

pub use batch::{BATCH_UNDO_WINDOW, BatchId, SkipReason, SkippedField, Undo, undo};
pub use change::{
    ChangedField, CurrentSettings, SettingsChange, SettingsInput, TokenChange, reset,
};
pub use document::Settings;
pub use field_kind::{Direction, FieldKind, Ratings};
pub use refusal::SettingRefusal;
pub use report::SettingsReport;
pub use template::{MAX_TEMPLATES, TemplateName};
pub use value::Value;
pub(crate) use value::time;

use crate::Price;
use Direction::{Charge, Discharge};
use InitialValue::{Choice as First, Decimal, Off, Rated, RatedUpTo, Time as At, Unknown, Whole};
use std::str::FromStr;

/// A higher charge limit requires that the notice under §14a EnWG is acknowledged.
pub const NOTICE_THRESHOLD_W: i64 = 4_200;
/// Higher addresses are reserved by the bus standard, but some meters use them.
const MAX_STANDARD_ADDRESS: i64 = 247;
/// Minutes from midnight to midnight.
const DAY_END: u16 = 24 * 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    ReserveSoc,
    ChargeStart,
    ChargeEnd,
    DischargeStart,
    DischargeEnd,
    Provider,
    ProviderToken,
    DynamicTariff,
    ChargePower,
    ChargePrice,
    ImportPrice,
    ImportAdder,
    Vat,
    FeedInPrice,
    EmergencyPower,
    Ups,
    Plugin,
    ChargeLimit,
    DischargeLimit,
    MeterType,
    MeterAddress,
    PLimitTcp,
    PControl,
    PControlVia,
}

/// The value of a field before it is set for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InitialValue {
    Whole(i64),
    Time(u16),
    Choice(&'static str),
    Decimal(i64),
    Off,
    /// Only a field that starts as unknown may be unknown later.
    Unknown,
    /// The rating of the unit.
    Rated,
    RatedUpTo(i64),
}

/// Who applies a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AppliedBy {
    /// Sent to the battery, which reports what it has applied.
    Battery,
    /// Sent to the battery, too. Concerns the wiring of the house, so an owner must enter the password again.
    Wiring,
    /// Not sent to the battery.
    Portal,
}

#[derive(Debug)]
struct Row {
    field: Field,
    name: &'static str,
    kind: FieldKind,
    initial: InitialValue,
    applied_by: AppliedBy,
}

const fn battery(field: Field, name: &'static str, kind: FieldKind, initial: InitialValue) -> Row {
    Row {
        field,
        name,
        kind,
        initial,
        applied_by: AppliedBy::Battery,
    }
}

const fn wiring(field: Field, name: &'static str, kind: FieldKind, initial: InitialValue) -> Row {
    Row {
        applied_by: AppliedBy::Wiring,
        ..battery(field, name, kind, initial)
    }
}

const fn portal(field: Field, name: &'static str, kind: FieldKind, initial: InitialValue) -> Row {
    Row {
        applied_by: AppliedBy::Portal,
        ..battery(field, name, kind, initial)
    }
}

const PROVIDERS: FieldKind = FieldKind::Choice(&[
    "none",
    "tibber",
    "awattar",
    "energy_charts",
    "entsoe",
    "fixed",
    "time_of_use",
]);
const METERS: FieldKind = FieldKind::Choice(&[
    "none",
    "adl400",
    "adw300",
    "sdm630",
    "em24",
    "umg604",
    "dtsu666",
    "shelly3em",
]);
const TARIFFS: FieldKind = FieldKind::Choice(&["off", "plan", "price"]);
const CONTROLS: FieldKind = FieldKind::Choice(&["sm", "evu"]);
const WIRES: FieldKind = FieldKind::Choice(&["rs485", "tcp"]);

#[rustfmt::skip]
const TABLE: [Row; 24] = [
    battery(Field::ReserveSoc, "reserve_soc", FieldKind::Percent, Whole(10)),
    battery(Field::ChargeStart, "charge_start", FieldKind::Time, At(0)),
    battery(Field::ChargeEnd, "charge_end", FieldKind::Time, At(DAY_END)),
    battery(Field::DischargeStart, "discharge_start", FieldKind::Time, At(0)),
    battery(Field::DischargeEnd, "discharge_end", FieldKind::Time, At(DAY_END)),
    battery(Field::Provider, "provider", PROVIDERS, First("none")),
    portal(Field::ProviderToken, "provider_token", FieldKind::Token, Unknown),
    battery(Field::DynamicTariff, "dynamic_tariff", TARIFFS, First("off")),
    battery(Field::ChargePower, "charge_power", FieldKind::Power(Charge), Rated),
    battery(Field::ChargePrice, "charge_price", FieldKind::Price, Decimal(1_000)),
    battery(Field::ImportPrice, "import_price", FieldKind::Price, Unknown),
    portal(Field::ImportAdder, "import_adder", FieldKind::Price, Decimal(0)),
    portal(Field::Vat, "vat", FieldKind::Rate, Decimal(190)),
    portal(Field::FeedInPrice, "feed_in_price", FieldKind::Price, Unknown),
    wiring(Field::EmergencyPower, "emergency_power", FieldKind::Switch, Off),
    wiring(Field::Ups, "ups", FieldKind::Switch, Off),
    wiring(Field::Plugin, "plugin", FieldKind::Switch, Off),
    wiring(Field::ChargeLimit, "charge_limit", FieldKind::Power(Charge), RatedUpTo(NOTICE_THRESHOLD_W)),
    wiring(Field::DischargeLimit, "discharge_limit", FieldKind::Power(Discharge), Rated),
    wiring(Field::MeterType, "meter_type", METERS, First("adl400")),
    wiring(Field::MeterAddress, "meter_address", FieldKind::Address, Whole(1)),
    wiring(Field::PLimitTcp, "p_limit_tcp", FieldKind::Switch, Off),
    wiring(Field::PControl, "p_control", CONTROLS, First("sm")),
    wiring(Field::PControlVia, "p_control_via", WIRES, First("rs485")),
];

impl Field {
    /// Every field, in the order in which users see them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.field)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn kind(self) -> FieldKind {
        self.row().kind
    }

    /// Whether it concerns the wiring of the house.
    pub fn is_wiring(self) -> bool {
        self.row().applied_by == AppliedBy::Wiring
    }

    /// Whether it is a price or a rate of electricity, which only the household sees and sets.
    pub fn is_money(self) -> bool {
        matches!(self.kind(), FieldKind::Price | FieldKind::Rate)
    }

    /// Whether it is sent to the battery, which reports what it has applied.
    pub fn is_sent_to_battery(self) -> bool {
        self.row().applied_by != AppliedBy::Portal
    }

    /// Whether it is part of settings documents: every field except the token, which is stored encrypted.
    pub fn is_in_document(self) -> bool {
        self.kind() != FieldKind::Token
    }

    /// Whether it may have no value.
    pub fn may_be_unknown(self) -> bool {
        self.row().initial == Unknown
    }

    /// Its value before it is set for the first time.
    pub fn initial(self, ratings: Ratings) -> Value {
        let most =
            |direction: Direction, up_to: i64| Value::Whole(ratings.most(direction).min(up_to));
        match (self.row().initial, self.kind()) {
            (Whole(number), _) => Value::Whole(number),
            (At(minute), _) => Value::Time(minute),
            (First(choice), _) => Value::Choice(choice),
            (Decimal(number), _) => Value::Decimal(number),
            (Off, _) => Value::Switch(false),
            (Rated, FieldKind::Power(direction)) => most(direction, i64::MAX),
            (RatedUpTo(limit), FieldKind::Power(direction)) => most(direction, limit),
            (Unknown | Rated | RatedUpTo(_), _) => Value::Unknown,
        }
    }

    /// Whether its initial value is a guess because the unit has not reported its ratings yet.
    fn is_guessed(self, ratings: Ratings) -> bool {
        matches!(self.kind(), FieldKind::Power(direction) if !ratings.knows(direction))
    }

    /// The smallest and the largest number allowed.
    pub fn range(self, ratings: Ratings) -> Option<(i64, i64)> {
        match self.kind() {
            FieldKind::Percent => Some((0, 100)),
            FieldKind::Power(direction) => Some((0, ratings.most(direction))),
            FieldKind::Price => Some((0, Price::MAX)),
            FieldKind::Rate => Some((0, 1_000)),
            FieldKind::Address => Some((1, 250)),
            FieldKind::Time | FieldKind::Choice(_) | FieldKind::Switch | FieldKind::Token => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown setting")]
pub struct UnknownField;

impl FromStr for Field {
    type Err = UnknownField;

    fn from_str(name: &str) -> Result<Self, UnknownField> {
        let row = TABLE.iter().find(|row| row.name == name);
        row.map(|row| row.field).ok_or(UnknownField)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_fields() {
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(row.field as usize, place, "{}", row.name);
            assert_eq!(row.name.parse(), Ok(row.field));
        }
    }

    #[test]
    fn what_a_system_begins_with_is_allowed() {
        let small = Ratings {
            charge: Some(2_500),
            discharge: Some(2_600),
        };
        for ratings in [Ratings::default(), small] {
            for field in Field::all().filter(|field| field.is_in_document()) {
                let initial = field.initial(ratings);
                let read = field.parse(&initial.text(field), ratings);
                assert_eq!(read, Ok(initial), "{}", field.name());
            }
        }
    }

    #[test]
    fn charging_begins_below_the_notice_and_within_the_rating() {
        let limit = |charge| {
            let ratings = Ratings {
                charge,
                discharge: None,
            };
            Field::ChargeLimit.initial(ratings)
        };
        assert_eq!(limit(Some(4_600)), Value::Whole(4_200));
        assert_eq!(limit(Some(2_500)), Value::Whole(2_500));
        assert_eq!(limit(None), Value::Whole(4_200));
    }
}
