//! The inputs of a plan: the battery with its limits, the prices, and the owner's settings.
use domain::Zone;
use domain::clock::Millis;
use domain::setting::{Field, Value};
use planner::forecast::Forecast;
use planner::plan::{EnergyTarget, HORIZON_QUARTERS, Outlook, Rules};
use planner::{BatteryModel, QUARTER, QUARTERS_A_DAY, SlotPrice};
use store::setting::SystemSettings;
use store::{Access, Result, Store};

/// A tenth is lost over a full cycle: typical for home batteries with their inverters.
const ROUND_TRIP_EFFICIENCY: f64 = 0.90;
/// Some thousands of cycles for a few hundred euros per kWh of capacity; most of that is ageing that happens anyway.
const WEAR_CENTS_PER_KWH: f64 = 2.0;
/// The discharge limit of a plug-in battery.
const SOCKET_LIMIT_KW: f64 = 0.8;
/// How far back a guessed price looks.
const PRICE_LOOKBACK_DAYS: usize = 14;

pub(super) fn quarter_start(at: Millis) -> Millis {
    at.div_euclid(QUARTER) * QUARTER
}

/// `None` until the system has reported its capacity.
pub(super) fn rules(
    settings: &SystemSettings,
    access: &Access,
    target: Option<store::planning::ChargeTarget>,
    now: Millis,
) -> Option<Rules> {
    let capacity = access.capacity().filter(|wh| *wh > 0)? as f64 / 1000.0;
    let whole = |field| match settings.desired.get(field) {
        Some(Value::Whole(number)) => number as f64,
        _ => 0.0,
    };
    let rated = |rated: Option<i64>| rated.map_or(f64::INFINITY, |watt| watt as f64);
    let charge = whole(Field::ChargeLimit).min(rated(settings.ratings.charge)) / 1000.0;
    let discharge = whole(Field::DischargeLimit).min(rated(settings.ratings.discharge)) / 1000.0;
    let plugged = settings.desired.get(Field::Plugin) == Some(Value::Switch(true));
    let limit = settings.grid_limit.map(|limit| limit.limit as f64 / 1000.0);
    Some(Rules {
        battery: BatteryModel {
            capacity,
            charge_kw: charge,
            discharge_kw: if plugged {
                discharge.min(SOCKET_LIMIT_KW)
            } else {
                discharge
            },
            charge_efficiency: ROUND_TRIP_EFFICIENCY.sqrt(),
            discharge_efficiency: ROUND_TRIP_EFFICIENCY.sqrt(),
            floor: whole(Field::ReserveSoc) / 100.0 * capacity,
        },
        wear: WEAR_CENTS_PER_KWH,
        grid_cap: limit,
        buy_kw: (whole(Field::ChargePower) / 1000.0).min(charge),
        charge_target: target
            .filter(|target| target.by > now)
            .map(|target| EnergyTarget {
                stored: target.soc as f64 / 100.0 * capacity,
                by: target.by,
            }),
    })
}

/// The price of each quarter-hour from now on, as far as it is known or can be guessed from the same time in the last two weeks.
pub(super) async fn prices(
    store: &Store,
    access: &Access,
    now: Millis,
) -> Result<Vec<(Millis, SlotPrice)>> {
    let start = quarter_start(now);
    let before = PRICE_LOOKBACK_DAYS * QUARTERS_A_DAY;
    let first = start - before as Millis * QUARTER;
    let range = first..start + HORIZON_QUARTERS as Millis * QUARTER;
    let household_prices = store.prices(access, range, now).await?;
    let feed_in = household_prices.feed_in.unwrap_or(0);
    let known = |index: usize| household_prices.quarters.get(index).copied().flatten();
    let price = |n: usize| {
        let index = before + n;
        if let Some(quarter) = known(index) {
            return Some(SlotPrice {
                import: quarter.import,
                feed_in,
                known: true,
            });
        }
        let earlier = (1..=PRICE_LOOKBACK_DAYS + 2)
            .filter_map(|day| known(index.checked_sub(day * QUARTERS_A_DAY)?));
        let earlier: Vec<i64> = earlier.map(|quarter| quarter.import).collect();
        let sum: i64 = earlier.iter().sum();
        Some(SlotPrice {
            import: sum.checked_div(earlier.len() as i64)?,
            feed_in,
            known: false,
        })
    };
    let slots =
        (0..HORIZON_QUARTERS).map_while(|n| Some((start + n as Millis * QUARTER, price(n)?)));
    Ok(slots.collect())
}

/// The forecasts with the prices. Outside the charging window nothing is bought, as if the price were a guess.
pub(super) fn outlook(
    forecast: Forecast,
    prices: &[(Millis, SlotPrice)],
    settings: &SystemSettings,
    zone: &Zone,
) -> Outlook {
    let time = |field| match settings.desired.get(field) {
        Some(Value::Time(minute)) => Some(minute),
        _ => None,
    };
    let window = time(Field::ChargeStart).zip(time(Field::ChargeEnd));
    let open = |at: Millis| {
        let Some((start, end)) = window else {
            return true;
        };
        let minute = zone.minute_of_day(at);
        match start <= end {
            true => (start..end).contains(&minute),
            false => minute >= start || minute < end,
        }
    };
    let prices = prices.iter().map(|(at, price)| SlotPrice {
        known: price.known && open(*at),
        ..*price
    });
    Outlook {
        start: quarter_start(forecast.issued),
        load: forecast.load,
        pv: forecast.pv,
        prices: prices.collect(),
    }
}
