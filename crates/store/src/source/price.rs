//! Prices: stored as published, read as what a household pays in each quarter-hour.
use super::PriceDemand;
use super::poll::write_state;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::{DAY, Millis};
use domain::setting::{Field, Settings, Value};
use domain::source::{
    Area, PriceMarkup, PriceSlot, QUARTER, SourceError, SourceState, SpotPrice, TimeOfUse,
    quarter_prices,
};
use domain::tariff::tariff_on;
use domain::{Country, Source, Tariff};
use std::ops::Range;

/// Price guesses look back two weeks. The cost of past days is calculated from the stored quarter-hours.
const PRICE_RETENTION: Millis = 730 * DAY;
/// A slot that begins before a range may reach into it. Market slots are an hour at most; this leaves a margin.
const LONGEST_SLOT: Millis = DAY;

#[derive(Debug, FromRow)]
struct Row {
    starts_at: Millis,
    ends_at: Millis,
    price: i64,
}

/// What a kWh costs in one quarter-hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuarterPrice {
    /// In hundredths of a cent; may be negative.
    pub import: i64,
    /// The source; `None` for a price that the owner entered.
    pub source: Option<Source>,
}

/// Prices of one system, and the state of their source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemPrices {
    /// The setting: `none`, `fixed`, `time_of_use`, or a source.
    pub provider: &'static str,
    pub source: Option<Source>,
    pub start: Millis,
    /// One price per quarter-hour from `start` on; `None` where it is unknown. Never guessed.
    pub quarters: Vec<Option<QuarterPrice>>,
    /// What a fed-in kWh earns by today's tariff, in hundredths of a cent.
    pub feed_in: Option<i64>,
    /// State of the chosen source; without errors when the owner enters the prices.
    pub state: SourceState,
}

impl SystemPrices {
    /// The end of the quarter-hours from `from` on that have a price without a gap.
    pub fn known_until(&self, from: Millis) -> Option<Millis> {
        let first = usize::try_from((from - self.start) / QUARTER).ok()?;
        let known = self.quarters.get(first..)?.iter();
        let known = known.take_while(|quarter| quarter.is_some()).count();
        (known > 0).then(|| self.start + (first + known) as Millis * QUARTER)
    }
}

impl Store {
    /// Stores the prices of a successful request and the new state. Prices of other hours stay.
    pub async fn save_prices(
        &self,
        wanted: &PriceDemand,
        slots: &[PriceSlot],
        state: SourceState,
        now: Millis,
    ) -> Result<()> {
        let source = wanted.source;
        let mut tx = self.db.begin().await?;
        if let Some(wanted) = self.still_current(&mut tx, wanted).await? {
            for area in wanted.price_areas() {
                write_slots(&mut tx, source, &area.to_string(), slots, now).await?;
            }
            for area in wanted.state_areas() {
                write_state(&mut tx, source, &area, state).await?;
            }
        }
        tx.commit().await
    }

    /// What a source published for an area.
    pub async fn published_prices(
        &self,
        source: Source,
        area: &Area,
        range: Range<Millis>,
    ) -> Result<Vec<PriceSlot>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT starts_at, ends_at, price FROM prices
             WHERE source = $1 AND area = $2 AND starts_at >= $3 AND starts_at < $4 AND ends_at > $5 ORDER BY starts_at")
            .bind(source.name()).bind(area.to_string()).bind(range.start - LONGEST_SLOT).bind(range.end).bind(range.start)
            .fetch_all(p).await)?;
        let slot = |row: &Row| {
            Ok(PriceSlot {
                start: row.starts_at,
                end: row.ends_at,
                price: SpotPrice::from_thousandths(row.price)
                    .ok_or(Error::Damaged("prices.price"))?,
            })
        };
        rows.iter().map(slot).collect()
    }

    /// What a household pays in each quarter-hour of a range, whatever its provider. The range must begin and end on a
    /// quarter-hour. This is the only place where a published price becomes a purchase price.
    pub async fn prices(
        &self,
        access: &Access,
        range: Range<Millis>,
        now: Millis,
    ) -> Result<SystemPrices> {
        let settings = self.settings(access, now).await?.desired;
        let tariffs = self.tariffs(access).await?;
        let source = Source::of_provider(settings.get(Field::Provider));
        let mut found = SystemPrices {
            provider: match settings.get(Field::Provider) {
                Some(Value::Choice(name)) => name,
                _ => "none",
            },
            source,
            start: range.start,
            quarters: Vec::new(),
            feed_in: tariff_on(&tariffs, access.zone().day_of(now))
                .map(|tariff| tariff.feed_in_price.hundredths()),
            state: SourceState::default(),
        };
        match source {
            Some(source) => {
                self.buying_prices(access, source, &settings, range, &mut found)
                    .await?;
            }
            None => {
                let steps = match found.provider {
                    "time_of_use" => self.time_of_use(access).await?,
                    _ => None,
                };
                found.quarters =
                    tariff_prices(access, &tariffs, steps.as_ref(), found.provider, range);
            }
        }
        Ok(found)
    }

    async fn buying_prices(
        &self,
        access: &Access,
        source: Source,
        settings: &Settings,
        range: Range<Millis>,
        found: &mut SystemPrices,
    ) -> Result<()> {
        let own = Area::System(access.sn().clone());
        let Some(country) = self.country_of(access).await? else {
            return Ok(());
        };
        let zone = Area::Zone(country.bidding_zone());
        let asked = if source.needs_token() { &own } else { &zone };
        found.state = self.source_state(source, asked).await?;
        found.quarters =
            vec![None; usize::try_from((range.end - range.start) / QUARTER).unwrap_or(0)];
        let terms = (!source.has_final_prices()).then(|| terms(settings));
        // Exchange prices are in euro, and the portal has no exchange rates.
        if terms.is_some() && country.currency() != domain::money::Currency::Eur {
            found.state.error = Some(SourceError::Currency);
            return Ok(());
        }
        for turn in source.lookup_order() {
            if found.quarters.iter().all(Option::is_some) {
                break;
            }
            let area = if turn.has_final_prices() { &own } else { &zone };
            let slots = self.published_prices(turn, area, range.clone()).await?;
            let prices = quarter_prices(&slots, range.clone());
            for (quarter, price) in found.quarters.iter_mut().zip(prices) {
                *quarter = quarter.or(price.map(|price| QuarterPrice {
                    import: price.purchase_price(terms),
                    source: Some(turn),
                }));
            }
        }
        Ok(())
    }

    /// The owner's country; `None` while the system has no owner.
    async fn country_of(&self, access: &Access) -> Result<Option<Country>> {
        let country: Option<String> = on!(self, p => sqlx::query_scalar(
            "SELECT country FROM accounts WHERE id = $1")
            .bind(access.owner().map(|owner| owner.0)).fetch_optional(p).await)?;
        let parse = |text: String| text.parse().map_err(|_| Error::Damaged("accounts.country"));
        country.map(parse).transpose()
    }

    pub(super) async fn purge_prices(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM prices WHERE starts_at < $1").bind(now - PRICE_RETENTION))?;
        Ok(())
    }
}

async fn write_slots(
    tx: &mut Tx,
    source: Source,
    area: &str,
    slots: &[PriceSlot],
    now: Millis,
) -> Result<()> {
    let (Some(first), Some(last)) = (slots.first(), slots.last()) else {
        return Ok(());
    };
    // Deletes hourly slots that are now published by quarter-hour; otherwise both would be kept.
    execute!(
        &mut *tx,
        sqlx::query(
            "DELETE FROM prices WHERE source = $1 AND area = $2 AND starts_at >= $3 AND starts_at < $4"
        )
        .bind(source.name())
        .bind(area)
        .bind(first.start)
        .bind(last.end)
    )?;
    for slot in slots {
        execute!(
            &mut *tx,
            sqlx::query(
                "INSERT INTO prices (source, area, starts_at, ends_at, price, fetched_at) VALUES ($1, $2, $3, $4, $5, $6)"
            )
            .bind(source.name())
            .bind(area)
            .bind(slot.start)
            .bind(slot.end)
            .bind(slot.price.thousandths())
            .bind(now)
        )?;
    }
    Ok(())
}

fn terms(settings: &Settings) -> PriceMarkup {
    let number = |field| match settings.get(field) {
        Some(Value::Decimal(number)) => number,
        _ => 0,
    };
    PriceMarkup {
        adder: number(Field::ImportAdder),
        vat: number(Field::Vat),
    }
}

/// Prices by the tariff of each day, or by the time of day. The tariff also counts when no provider is chosen: its price is
/// known.
fn tariff_prices(
    access: &Access,
    tariffs: &[Tariff],
    steps: Option<&TimeOfUse>,
    provider: &str,
    range: Range<Millis>,
) -> Vec<Option<QuarterPrice>> {
    let zone = access.zone();
    let starts = (0..)
        .map(|n| range.start + n * QUARTER)
        .take_while(|start| *start < range.end);
    let price = |start: Millis| match (provider, steps) {
        ("time_of_use", steps) => steps.map(|steps| steps.at(start, zone)),
        _ => tariff_on(tariffs, zone.day_of(start)).map(|tariff| tariff.import_price),
    };
    let quarter = |start| {
        price(start).map(|price| QuarterPrice {
            import: price.hundredths(),
            source: None,
        })
    };
    starts.map(quarter).collect()
}
