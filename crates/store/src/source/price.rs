//! Prices: kept as they were published, read as what a household pays in each quarter-hour.
use super::{Wanted, write_state};
use crate::db::Tx;
use crate::{Access, Error, Result, Store};
use domain::clock::{DAY, Millis};
use domain::setting::{Field, Settings, Value};
use domain::source::{
    Area, Buying, PriceSlot, QUARTER, SourceError, SourceState, SpotPrice, TimeOfUse, quarters,
};
use domain::tariff::in_force;
use domain::{Country, Source, Tariff};
use std::ops::Range;

/// Guesses look two weeks back, and what a past day cost is asked for by the quarter-hours that are kept.
const PRICES_KEPT: Millis = 730 * DAY;
/// No slot of the market is longer than an hour; one that begins before a range may reach into it.
const LONGEST_SLOT: Millis = DAY;

#[derive(Debug)]
struct Row {
    starts_at: Millis,
    ends_at: Millis,
    price: i64,
}
row!(Row {
    starts_at,
    ends_at,
    price
});

/// What a kWh costs in one quarter-hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quarter {
    /// In hundredths of a cent; may be below zero.
    pub import: i64,
    /// Who published it; `None` for what the owner typed in.
    pub source: Option<Source>,
}

/// Prices of one system and how they come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemPrices {
    /// As set: `none`, `fixed`, `time_of_use`, or a source.
    pub provider: &'static str,
    pub source: Option<Source>,
    pub start: Millis,
    /// By quarter-hours from `start` on; `None` where no price is known. Never guessed.
    pub quarters: Vec<Option<Quarter>>,
    /// What a fed-in kWh earns, by the tariff of today, in hundredths of a cent.
    pub feed_in: Option<i64>,
    /// Of the chosen source; that of a source typed in by hand is always well.
    pub state: SourceState,
}

impl SystemPrices {
    /// Until when every quarter-hour from `from` on has a price.
    pub fn known_until(&self, from: Millis) -> Option<Millis> {
        let first = usize::try_from((from - self.start) / QUARTER).ok()?;
        let known = self.quarters.get(first..)?.iter();
        let known = known.take_while(|quarter| quarter.is_some()).count();
        (known > 0).then(|| self.start + (first + known) as Millis * QUARTER)
    }
}

impl Store {
    /// Keeps an answer, and that there was one. What was known of other hours stays.
    pub async fn keep_prices(
        &self,
        wanted: &Wanted,
        slots: &[PriceSlot],
        state: SourceState,
        now: Millis,
    ) -> Result<()> {
        let source = wanted.source;
        let mut tx = self.begin().await?;
        if let Some(wanted) = self.still_wanted(&mut tx, wanted).await? {
            for area in wanted.about() {
                keep(&mut tx, source, &area.to_string(), slots, now).await?;
            }
            for area in wanted.asked() {
                write_state(&mut tx, source, &area, state).await?;
            }
        }
        tx.commit().await
    }

    /// What a source published about a area.
    pub async fn published(
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

    /// What a household pays in each quarter-hour of a range that begins and ends on one, whatever its provider. The one
    /// area where a published price becomes a buying price.
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
            feed_in: in_force(&tariffs, access.zone().day_of(now))
                .map(|tariff| tariff.feed_in_price.hundredths()),
            state: SourceState::default(),
        };
        match source {
            Some(source) => {
                self.bought(access, source, &settings, range, &mut found)
                    .await?;
            }
            None => {
                let steps = match found.provider {
                    "time_of_use" => self.time_of_use(access).await?,
                    _ => None,
                };
                found.quarters = typed_in(access, &tariffs, steps.as_ref(), found.provider, range);
            }
        }
        Ok(found)
    }

    async fn bought(
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
        let terms = (!source.is_final()).then(|| terms(settings));
        // The exchange's prices are in euro, and nothing here knows a rate of exchange.
        if terms.is_some() && country.currency() != domain::money::Currency::Eur {
            found.state.error = Some(SourceError::Currency);
            return Ok(());
        }
        for turn in source.in_turn() {
            if found.quarters.iter().all(Option::is_some) {
                break;
            }
            let area = if turn.is_final() { &own } else { &zone };
            let slots = self.published(turn, area, range.clone()).await?;
            let prices = quarters(&slots, range.clone());
            for (quarter, price) in found.quarters.iter_mut().zip(prices) {
                *quarter = quarter.or(price.map(|price| Quarter {
                    import: price.buying(terms),
                    source: Some(turn),
                }));
            }
        }
        Ok(())
    }

    /// Where the owner lives; `None` while nobody owns the system.
    async fn country_of(&self, access: &Access) -> Result<Option<Country>> {
        let country: Option<String> = on!(self, p => sqlx::query_scalar(
            "SELECT country FROM accounts WHERE id = $1")
            .bind(access.owner().map(|owner| owner.0)).fetch_optional(p).await)?;
        let parse = |text: String| text.parse().map_err(|_| Error::Damaged("accounts.country"));
        country.map(parse).transpose()
    }

    pub(super) async fn purge_prices(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM prices WHERE starts_at < $1").bind(now - PRICES_KEPT))?;
        Ok(())
    }
}

async fn keep(
    tx: &mut Tx,
    source: Source,
    area: &str,
    slots: &[PriceSlot],
    now: Millis,
) -> Result<()> {
    let (Some(first), Some(last)) = (slots.first(), slots.last()) else {
        return Ok(());
    };
    // Hours that are published in quarters now would otherwise stay beside them.
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

fn terms(settings: &Settings) -> Buying {
    let number = |field| match settings.get(field) {
        Some(Value::Decimal(number)) => number,
        _ => 0,
    };
    Buying {
        adder: number(Field::ImportAdder),
        vat: number(Field::Vat),
    }
}

/// By the tariff of each day, or by the time of day. A price counts for a provider that nobody has chosen, too: it is known.
fn typed_in(
    access: &Access,
    tariffs: &[Tariff],
    steps: Option<&TimeOfUse>,
    provider: &str,
    range: Range<Millis>,
) -> Vec<Option<Quarter>> {
    let zone = access.zone();
    let starts = (0..)
        .map(|n| range.start + n * QUARTER)
        .take_while(|start| *start < range.end);
    let price = |start: Millis| match (provider, steps) {
        ("time_of_use", steps) => steps.map(|steps| steps.at(start, zone)),
        _ => in_force(tariffs, zone.day_of(start)).map(|tariff| tariff.import_price),
    };
    let quarter = |start| {
        price(start).map(|price| Quarter {
            import: price.hundredths(),
            source: None,
        })
    };
    starts.map(quarter).collect()
}
