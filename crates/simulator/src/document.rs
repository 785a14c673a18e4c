//! Settings on the device link: the battery validates a document field by field and reports the values that it works with.
//! Deliberately independent of the portal's own table: each checks the other.
use crate::battery::Rating;
use crate::meter::{MeterType, Wire};
use crate::settings::{BatterySettings, Control, DailyWindow, TariffMode};
use crate::wire::FirmwareVersions;
use serde_json::{Value, json};

const PROVIDERS: [&str; 7] = [
    "none",
    "tibber",
    "awattar",
    "energy_charts",
    "entsoe",
    "fixed",
    "time_of_use",
];
/// Smaller units (in Wh) have no relay that is fast enough for an uninterruptible supply.
const SMALLEST_WITH_UPS: i64 = 8_000;

/// The properties of a unit that decide which settings it accepts.
#[derive(Clone, Copy, Debug)]
pub struct UnitSpec<'a> {
    pub rating: &'a Rating,
    pub firmware: &'a FirmwareVersions,
}

/// Refused fields with the reason's code.
pub type RefusedFields = Vec<(&'static str, &'static str)>;

const REFUSED: &str = "refused";
const ABOVE_RATED: &str = "above_rated";

/// Applies every valid field. A refused field keeps its value.
pub fn apply(
    settings: &mut BatterySettings,
    document: &Value,
    spec: UnitSpec<'_>,
) -> RefusedFields {
    let mut reader = FieldReader {
        document,
        refused: Vec::new(),
    };
    let rating = spec.rating;
    reader.read("reserve_soc", &mut settings.reserve_soc, |value| {
        whole(value, 100).map(|soc| soc as u8)
    });
    reader.read("charge_start", &mut settings.charge_window.start, time);
    reader.read("charge_end", &mut settings.charge_window.end, time);
    reader.read(
        "discharge_start",
        &mut settings.discharge_window.start,
        time,
    );
    reader.read("discharge_end", &mut settings.discharge_window.end, time);
    reader.read("charge_limit", &mut settings.charge_limit, |value| {
        power(value, rating.charge)
    });
    reader.read("discharge_limit", &mut settings.discharge_limit, |value| {
        power(value, rating.discharge)
    });
    reader.read("charge_power", &mut settings.charge_power, |value| {
        power(value, rating.charge)
    });
    reader.read("provider", &mut settings.provider, |value| {
        let known = PROVIDERS.into_iter().find(|name| value == name);
        known.ok_or(REFUSED)
    });
    reader.read("dynamic_tariff", &mut settings.tariff, tariff);
    reader.read("charge_price", &mut settings.charge_price, price);
    reader.read(
        "import_price",
        &mut settings.import_price,
        |value| match value {
            Value::Null => Ok(None),
            value => price(value).map(Some),
        },
    );
    reader.read("emergency_power", &mut settings.emergency_power, switch);
    reader.read("ups", &mut settings.ups, |value| match switch(value)? {
        true if rating.capacity < SMALLEST_WITH_UPS => Err("not_supported"),
        on => Ok(on),
    });
    reader.read("plugin", &mut settings.plugin, switch);
    reader.read("p_limit_tcp", &mut settings.p_limit_tcp, switch);
    reader.read("p_control", &mut settings.control, control);
    reader.read("p_control_via", &mut settings.wire, wire);
    let wire = settings.wire;
    reader.read("meter_type", &mut settings.meter_type, |value| {
        meter(value, wire, spec.firmware)
    });
    reader.read(
        "meter_address",
        &mut settings.meter_address,
        |value| match whole(value, 250)? {
            0 => Err(REFUSED),
            address => Ok(address as u8),
        },
    );
    reader.refused
}

struct FieldReader<'a> {
    document: &'a Value,
    refused: RefusedFields,
}

impl FieldReader<'_> {
    /// A field missing from the document stays unchanged.
    fn read<T>(
        &mut self,
        name: &'static str,
        target: &mut T,
        read: impl FnOnce(&Value) -> Result<T, &'static str>,
    ) {
        let Some(value) = self.document.get(name) else {
            return;
        };
        match read(value) {
            Ok(accepted) => *target = accepted,
            Err(code) => self.refused.push((name, code)),
        }
    }
}

fn whole(value: &Value, most: u64) -> Result<u64, &'static str> {
    let number = value.as_u64().ok_or(REFUSED)?;
    if number > most {
        Err(REFUSED)
    } else {
        Ok(number)
    }
}

fn power(value: &Value, rated: i32) -> Result<i32, &'static str> {
    let watts = value.as_i64().filter(|watts| *watts >= 0).ok_or(REFUSED)?;
    let watts = i32::try_from(watts).map_err(|_| ABOVE_RATED)?;
    if watts > rated {
        Err(ABOVE_RATED)
    } else {
        Ok(watts)
    }
}

/// In hundredths of a cent.
fn price(value: &Value) -> Result<i32, &'static str> {
    let cents = value.as_f64().filter(|cents| cents.abs() <= 1_000.0);
    cents
        .map(|cents| (cents * 100.0).round() as i32)
        .ok_or(REFUSED)
}

fn switch(value: &Value) -> Result<bool, &'static str> {
    value.as_bool().ok_or(REFUSED)
}

fn time(value: &Value) -> Result<u16, &'static str> {
    let read = || {
        let (hour, minute) = value.as_str()?.split_once(':')?;
        let (hour, minute) = (hour.parse::<u16>().ok()?, minute.parse::<u16>().ok()?);
        let minutes = hour.checked_mul(60)?.checked_add(minute)?;
        (minute < 60 && minutes <= 24 * 60).then_some(minutes)
    };
    read().ok_or(REFUSED)
}

fn tariff(value: &Value) -> Result<TariffMode, &'static str> {
    match value.as_str() {
        Some("off") => Ok(TariffMode::Off),
        Some("plan") => Ok(TariffMode::Plan),
        Some("price") => Ok(TariffMode::Price),
        _ => Err(REFUSED),
    }
}

fn control(value: &Value) -> Result<Control, &'static str> {
    match value.as_str() {
        Some("sm") => Ok(Control::Meter),
        Some("evu") => Ok(Control::GridOperator),
        _ => Err(REFUSED),
    }
}

fn wire(value: &Value) -> Result<Wire, &'static str> {
    match value.as_str() {
        Some("rs485") => Ok(Wire::Rs485),
        Some("tcp") => Ok(Wire::Tcp),
        _ => Err(REFUSED),
    }
}

fn meter(
    value: &Value,
    wire: Wire,
    firmware: &FirmwareVersions,
) -> Result<MeterType, &'static str> {
    let name = value.as_str().unwrap_or_default();
    let meter: MeterType = name.parse().map_err(|_| "unknown_meter")?;
    if meter.is_recent() && firmware.is_old() {
        return Err("unknown_meter");
    }
    if meter == MeterType::Shelly3em && wire != Wire::Tcp {
        return Err("needs_tcp");
    }
    Ok(meter)
}

impl FirmwareVersions {
    /// Older than 2.4.
    fn is_old(&self) -> bool {
        let mut numbers = self
            .master
            .split('.')
            .map(|part| part.parse::<u32>().unwrap_or(0));
        (numbers.next(), numbers.next()) < (Some(2), Some(4))
    }
}

/// The values it works with. A limit above the rating is reported as the rating.
pub fn write(settings: &BatterySettings, rating: &Rating) -> Value {
    let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    let cents = |price: i32| f64::from(price) / 100.0;
    let DailyWindow { start, end } = settings.charge_window;
    let discharge = settings.discharge_window;
    json!({
        "reserve_soc": settings.reserve_soc,
        "charge_start": clock(start), "charge_end": clock(end),
        "discharge_start": clock(discharge.start), "discharge_end": clock(discharge.end),
        "charge_limit": settings.charge_limit.min(rating.charge),
        "discharge_limit": settings.discharge_limit.min(rating.discharge),
        "charge_power": settings.charge_power.min(rating.charge),
        "provider": settings.provider,
        "dynamic_tariff": match settings.tariff {
            TariffMode::Off => "off",
            TariffMode::Plan => "plan",
            TariffMode::Price => "price",
        },
        "charge_price": cents(settings.charge_price),
        "import_price": settings.import_price.map(cents),
        "emergency_power": settings.emergency_power, "ups": settings.ups, "plugin": settings.plugin,
        "p_limit_tcp": settings.p_limit_tcp,
        "p_control": match settings.control {
            Control::Meter => "sm",
            Control::GridOperator => "evu",
        },
        "p_control_via": match settings.wire {
            Wire::Rs485 => "rs485",
            Wire::Tcp => "tcp",
        },
        "meter_type": settings.meter_type.name(), "meter_address": settings.meter_address,
    })
}

#[cfg(test)]
mod tests;
