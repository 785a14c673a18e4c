//! What a plan goes by: the battery with its limits, the prices, and what the owner wants.
use domain::Zone;
use domain::clock::Millis;
use domain::setting::{Field, Value};
use planner::forecast::Forecast;
use planner::plan::{Outlook, REACH, Rules, Wish};
use planner::{Battery, QUARTER, QUARTERS_A_DAY, SlotPrice};
use store::setting::SystemSettings;
use store::{Access, Result, Store};

/// There and back a tenth is lost: what home batteries with their inverters usually do.
const ROUND_TRIP: f64 = 0.90;
/// What a kWh out of the battery wears it, in cents: some thousands of cycles for a few hundred euros a kWh, most of which age would
/// take anyway.
const WEAR: f64 = 2.0;
/// On a socket it gives no more, in kW.
const SOCKET: f64 = 0.8;
/// A guess looks so many days back.
const LOOKS_BACK: usize = 14;

/// Where the quarter-hour of a moment begins.
pub(super) fn quarter_of(at: Millis) -> Millis {
    at.div_euclid(QUARTER) * QUARTER
}

/// `None` until the system has said what it is.
pub(super) fn rules(
    settings: &SystemSettings,
    access: &Access,
    wish: Option<store::planning::Wish>,
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
        battery: Battery {
            capacity,
            charge_kw: charge,
            discharge_kw: if plugged {
                discharge.min(SOCKET)
            } else {
                discharge
            },
            charge_efficiency: ROUND_TRIP.sqrt(),
            discharge_efficiency: ROUND_TRIP.sqrt(),
            floor: whole(Field::ReserveSoc) / 100.0 * capacity,
        },
        wear: WEAR,
        grid_cap: limit,
        buy_kw: (whole(Field::ChargePower) / 1000.0).min(charge),
        wish: wish.filter(|wish| wish.by > now).map(|wish| Wish {
            stored: wish.soc as f64 / 100.0 * capacity,
            by: wish.by,
        }),
    })
}

/// Of each quarter-hour from now on, as far as it is known or can be guessed from the same time of the last two weeks.
pub(super) async fn prices(
    store: &Store,
    access: &Access,
    now: Millis,
) -> Result<Vec<(Millis, SlotPrice)>> {
    let start = quarter_of(now);
    let before = LOOKS_BACK * QUARTERS_A_DAY;
    let first = start - before as Millis * QUARTER;
    let range = first..start + REACH as Millis * QUARTER;
    let found = store.prices(access, range, now).await?;
    let feed_in = found.feed_in.unwrap_or(0);
    let known = |place: usize| found.quarters.get(place).copied().flatten();
    let price = |n: usize| {
        let place = before + n;
        if let Some(quarter) = known(place) {
            return Some(SlotPrice {
                import: quarter.import,
                feed_in,
                known: true,
            });
        }
        let earlier =
            (1..=LOOKS_BACK + 2).filter_map(|day| known(place.checked_sub(day * QUARTERS_A_DAY)?));
        let earlier: Vec<i64> = earlier.map(|quarter| quarter.import).collect();
        let sum: i64 = earlier.iter().sum();
        Some(SlotPrice {
            import: sum.checked_div(earlier.len() as i64)?,
            feed_in,
            known: false,
        })
    };
    let slots = (0..REACH).map_while(|n| Some((start + n as Millis * QUARTER, price(n)?)));
    Ok(slots.collect())
}

/// The forecasts with the prices. Outside its charging hours nothing is bought, as if the price were a guess.
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
        start: quarter_of(forecast.issued),
        load: forecast.load,
        pv: forecast.pv,
        prices: prices.collect(),
    }
}
