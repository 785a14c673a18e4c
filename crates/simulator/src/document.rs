//! Settings as the link has them: a document that the battery judges field by field, and its own account of what it works with.
//! Written apart from the portal's table on purpose: each checks the other.
use crate::battery::Rating;
use crate::meter::MeterType;
use crate::settings::{Control, Settings, Tariff, Window, Wire};
use crate::wire::Firmware;
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
/// Smaller units have no relay that is fast enough for an uninterruptible supply, in Wh.
const SMALLEST_WITH_UPS: i64 = 8_000;

/// What a unit is, as far as that decides what it can be set to.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    pub rating: &'a Rating,
    pub firmware: &'a Firmware,
}

/// Fields that were not taken, with the code of the reason.
pub type Refused = Vec<(&'static str, &'static str)>;

const REFUSED: &str = "refused";
const ABOVE_RATED: &str = "above_rated";

/// Takes every field that it can. One that it cannot keeps the value that it had.
pub fn apply(settings: &mut Settings, document: &Value, build: Build<'_>) -> Refused {
    let mut judge = Judge {
        document,
        refused: Vec::new(),
    };
    let rating = build.rating;
    judge.take("reserve_soc", &mut settings.reserve_soc, |value| {
        whole(value, 100).map(|soc| soc as u8)
    });
    judge.take("charge_start", &mut settings.charge_window.start, time);
    judge.take("charge_end", &mut settings.charge_window.end, time);
    judge.take(
        "discharge_start",
        &mut settings.discharge_window.start,
        time,
    );
    judge.take("discharge_end", &mut settings.discharge_window.end, time);
    judge.take("charge_limit", &mut settings.charge_limit, |value| {
        power(value, rating.charge)
    });
    judge.take("discharge_limit", &mut settings.discharge_limit, |value| {
        power(value, rating.discharge)
    });
    judge.take("charge_power", &mut settings.charge_power, |value| {
        power(value, rating.charge)
    });
    judge.take("provider", &mut settings.provider, |value| {
        let known = PROVIDERS.into_iter().find(|name| value == name);
        known.ok_or(REFUSED)
    });
    judge.take("dynamic_tariff", &mut settings.tariff, tariff);
    judge.take("charge_price", &mut settings.charge_price, price);
    judge.take(
        "import_price",
        &mut settings.import_price,
        |value| match value {
            Value::Null => Ok(None),
            value => price(value).map(Some),
        },
    );
    judge.take("emergency_power", &mut settings.emergency_power, switch);
    judge.take("ups", &mut settings.ups, |value| match switch(value)? {
        true if rating.capacity < SMALLEST_WITH_UPS => Err("not_supported"),
        on => Ok(on),
    });
    judge.take("plugin", &mut settings.plugin, switch);
    judge.take("p_limit_tcp", &mut settings.p_limit_tcp, switch);
    judge.take("p_control", &mut settings.control, control);
    judge.take("p_control_via", &mut settings.wire, wire);
    let wire = settings.wire;
    judge.take("meter_type", &mut settings.meter_type, |value| {
        meter(value, wire, build.firmware)
    });
    judge.take(
        "meter_address",
        &mut settings.meter_address,
        |value| match whole(value, 250)? {
            0 => Err(REFUSED),
            address => Ok(address as u8),
        },
    );
    judge.refused
}

struct Judge<'a> {
    document: &'a Value,
    refused: Refused,
}

impl Judge<'_> {
    /// A field that the document does not have stays as it is.
    fn take<T>(
        &mut self,
        name: &'static str,
        place: &mut T,
        read: impl FnOnce(&Value) -> Result<T, &'static str>,
    ) {
        let Some(value) = self.document.get(name) else {
            return;
        };
        match read(value) {
            Ok(taken) => *place = taken,
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

fn tariff(value: &Value) -> Result<Tariff, &'static str> {
    match value.as_str() {
        Some("off") => Ok(Tariff::Off),
        Some("plan") => Ok(Tariff::Plan),
        Some("price") => Ok(Tariff::Price),
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

fn meter(value: &Value, wire: Wire, firmware: &Firmware) -> Result<MeterType, &'static str> {
    let meter = MeterType::ALL
        .into_iter()
        .find(|meter| value == meter.name());
    let meter = meter.ok_or("unknown_meter")?;
    if meter.is_recent() && firmware.is_old() {
        return Err("unknown_meter");
    }
    if meter == MeterType::Shelly3em && wire != Wire::Tcp {
        return Err("needs_tcp");
    }
    Ok(meter)
}

impl Firmware {
    /// Before 2.4.
    fn is_old(&self) -> bool {
        let mut numbers = self
            .master
            .split('.')
            .map(|part| part.parse::<u32>().unwrap_or(0));
        (numbers.next(), numbers.next()) < (Some(2), Some(4))
    }
}

/// What it works with. A limit above what it is built for is its rating.
pub fn write(settings: &Settings, rating: &Rating) -> Value {
    let clock = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    let cents = |price: i32| f64::from(price) / 100.0;
    let Window { start, end } = settings.charge_window;
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
            Tariff::Off => "off",
            Tariff::Plan => "plan",
            Tariff::Price => "price",
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
