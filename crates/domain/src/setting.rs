//! What can be set on a system: one table, from which forms, checks, the battery's document and the reset come.

mod batch;
mod change;
mod document;
mod kind;
mod refusal;
mod report;
mod template;
mod value;

pub use batch::{BATCHES_KEPT, BatchId, Left, LeftWhy, Undo, undo};
pub use change::{Change, Changed, Given, Standing, TokenChange, reset};
pub use document::Settings;
pub use kind::{Direction, Kind, Ratings};
pub use refusal::Refusal;
pub use report::SettingsReport;
pub use template::{MOST_TEMPLATES, TemplateName};
pub use value::Value;
pub(crate) use value::time;

use crate::Price;
use Direction::{Charge, Discharge};
use Fresh::{Choice as First, Decimal, Off, Rated, RatedUpTo, Time as At, Unknown, Whole};
use std::str::FromStr;

/// Charging with more than this needs the notice under §14a EnWG acknowledged, in W.
pub const NOTICE_ABOVE: i64 = 4_200;
/// Addresses above it are reserved by the bus's own rules; some meters use them all the same.
const USUAL_ADDRESSES: i64 = 247;
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

/// What a field has before anybody sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fresh {
    Whole(i64),
    Time(u16),
    Choice(&'static str),
    Decimal(i64),
    Off,
    /// Nobody has said; only such a field may be unknown later.
    Unknown,
    /// What the unit is rated for.
    Rated,
    RatedUpTo(i64),
}

/// Who acts on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// Told to the battery, which reports what it has applied.
    Battery,
    /// Concerns the wiring of the house, so that an owner types the password again; told to the battery, too.
    Wiring,
    /// Stays here.
    Portal,
}

/// A row of the table.
#[derive(Debug)]
struct Row {
    field: Field,
    name: &'static str,
    kind: Kind,
    fresh: Fresh,
    home: Home,
}

const fn battery(field: Field, name: &'static str, kind: Kind, fresh: Fresh) -> Row {
    Row {
        field,
        name,
        kind,
        fresh,
        home: Home::Battery,
    }
}

const fn wiring(field: Field, name: &'static str, kind: Kind, fresh: Fresh) -> Row {
    Row {
        home: Home::Wiring,
        ..battery(field, name, kind, fresh)
    }
}

const fn portal(field: Field, name: &'static str, kind: Kind, fresh: Fresh) -> Row {
    Row {
        home: Home::Portal,
        ..battery(field, name, kind, fresh)
    }
}

const PROVIDERS: Kind = Kind::Choice(&[
    "none",
    "tibber",
    "awattar",
    "energy_charts",
    "entsoe",
    "fixed",
    "time_of_use",
]);
const METERS: Kind = Kind::Choice(&[
    "none",
    "adl400",
    "adw300",
    "sdm630",
    "em24",
    "umg604",
    "dtsu666",
    "shelly3em",
]);
const TARIFFS: Kind = Kind::Choice(&["off", "plan", "price"]);
const CONTROLS: Kind = Kind::Choice(&["sm", "evu"]);
const WIRES: Kind = Kind::Choice(&["rs485", "tcp"]);

#[rustfmt::skip]
const TABLE: [Row; 24] = [
    battery(Field::ReserveSoc, "reserve_soc", Kind::Percent, Whole(10)),
    battery(Field::ChargeStart, "charge_start", Kind::Time, At(0)),
    battery(Field::ChargeEnd, "charge_end", Kind::Time, At(DAY_END)),
    battery(Field::DischargeStart, "discharge_start", Kind::Time, At(0)),
    battery(Field::DischargeEnd, "discharge_end", Kind::Time, At(DAY_END)),
    battery(Field::Provider, "provider", PROVIDERS, First("none")),
    portal(Field::ProviderToken, "provider_token", Kind::Token, Unknown),
    battery(Field::DynamicTariff, "dynamic_tariff", TARIFFS, First("off")),
    battery(Field::ChargePower, "charge_power", Kind::Power(Charge), Rated),
    battery(Field::ChargePrice, "charge_price", Kind::Price, Decimal(1_000)),
    battery(Field::ImportPrice, "import_price", Kind::Price, Unknown),
    portal(Field::ImportAdder, "import_adder", Kind::Price, Decimal(0)),
    portal(Field::Vat, "vat", Kind::Rate, Decimal(190)),
    portal(Field::FeedInPrice, "feed_in_price", Kind::Price, Unknown),
    wiring(Field::EmergencyPower, "emergency_power", Kind::Switch, Off),
    wiring(Field::Ups, "ups", Kind::Switch, Off),
    wiring(Field::Plugin, "plugin", Kind::Switch, Off),
    wiring(Field::ChargeLimit, "charge_limit", Kind::Power(Charge), RatedUpTo(NOTICE_ABOVE)),
    wiring(Field::DischargeLimit, "discharge_limit", Kind::Power(Discharge), Rated),
    wiring(Field::MeterType, "meter_type", METERS, First("adl400")),
    wiring(Field::MeterAddress, "meter_address", Kind::Address, Whole(1)),
    wiring(Field::PLimitTcp, "p_limit_tcp", Kind::Switch, Off),
    wiring(Field::PControl, "p_control", CONTROLS, First("sm")),
    wiring(Field::PControlVia, "p_control_via", WIRES, First("rs485")),
];

impl Field {
    /// Every field, in the order people see them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.field)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn kind(self) -> Kind {
        self.row().kind
    }

    /// Whether it concerns the wiring of the house.
    pub fn is_wiring(self) -> bool {
        self.row().home == Home::Wiring
    }

    /// Whether it says what electricity costs or earns: the household's alone to see and to set.
    pub fn is_money(self) -> bool {
        matches!(self.kind(), Kind::Price | Kind::Rate)
    }

    /// Whether the battery gets it and reports what it has applied.
    pub fn is_told(self) -> bool {
        self.row().home != Home::Portal
    }

    /// Whether it stands in documents: all but the token, which is kept sealed.
    pub fn is_open(self) -> bool {
        self.kind() != Kind::Token
    }

    /// Whether nobody has to know it.
    pub fn may_be_unknown(self) -> bool {
        self.row().fresh == Unknown
    }

    /// What it has before anybody sets it.
    pub fn fresh(self, ratings: Ratings) -> Value {
        let most =
            |direction: Direction, up_to: i64| Value::Whole(ratings.most(direction).min(up_to));
        match (self.row().fresh, self.kind()) {
            (Whole(number), _) => Value::Whole(number),
            (At(minute), _) => Value::Time(minute),
            (First(choice), _) => Value::Choice(choice),
            (Decimal(number), _) => Value::Decimal(number),
            (Off, _) => Value::Switch(false),
            (Rated, Kind::Power(direction)) => most(direction, i64::MAX),
            (RatedUpTo(limit), Kind::Power(direction)) => most(direction, limit),
            (Unknown | Rated | RatedUpTo(_), _) => Value::Unknown,
        }
    }

    /// Whether what it begins with is a guess until the unit has said what it is rated for.
    fn is_guessed(self, ratings: Ratings) -> bool {
        matches!(self.kind(), Kind::Power(direction) if !ratings.knows(direction))
    }

    /// The smallest and the largest number that it may have.
    pub fn range(self, ratings: Ratings) -> Option<(i64, i64)> {
        match self.kind() {
            Kind::Percent => Some((0, 100)),
            Kind::Power(direction) => Some((0, ratings.most(direction))),
            Kind::Price => Some((0, Price::MOST)),
            Kind::Rate => Some((0, 1_000)),
            Kind::Address => Some((1, 250)),
            Kind::Time | Kind::Choice(_) | Kind::Switch | Kind::Token => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a setting")]
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
            for field in Field::all().filter(|field| field.is_open()) {
                let fresh = field.fresh(ratings);
                let read = field.parse(&fresh.text(field), ratings);
                assert_eq!(read, Ok(fresh), "{}", field.name());
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
            Field::ChargeLimit.fresh(ratings)
        };
        assert_eq!(limit(Some(4_600)), Value::Whole(4_200));
        assert_eq!(limit(Some(2_500)), Value::Whole(2_500));
        assert_eq!(limit(None), Value::Whole(4_200));
    }
}
