//! Tariffs: what owners say that a kWh costs and earns at each of their systems, from a day on.
use crate::db::Tx;
use crate::guard::Held;
use crate::journal::{Entry, Event};
use crate::{Access, Error, Result, Store, setting};
use domain::clock::{DAY, Millis};
use domain::tariff::{Since, in_force};
use domain::{AccountId, Price, Serial, SiteDay, Tariff, Zone};
use serde_json::{Value, json};

/// Stands for the beginning; no day has it.
const BEGINNING: i64 = 0;
/// Prices are told this long after their day at the latest, when nothing ran meanwhile.
const LATE: Millis = 40 * DAY;

#[derive(Debug)]
struct Row {
    from_day: i64,
    import_price: i64,
    feed_in_price: i64,
}
row!(Row {
    from_day,
    import_price,
    feed_in_price
});

impl Row {
    fn tariff(&self) -> Result<Tariff> {
        let damaged = Error::Damaged;
        let price = |hundredths: i64| {
            Price::from_hundredths(hundredths).ok_or(damaged("tariffs.import_price, feed_in_price"))
        };
        let from = match self.from_day {
            BEGINNING => None,
            number => Some(SiteDay::from_number(number).ok_or(damaged("tariffs.from_day"))?),
        };
        Ok(Tariff {
            from,
            import_price: price(self.import_price)?,
            feed_in_price: price(self.feed_in_price)?,
        })
    }
}

#[derive(Debug)]
struct Begun {
    account_id: i64,
    sn: String,
}
row!(Begun { account_id, sn });

/// Prices as a person enters them.
#[derive(Clone, Copy, Debug)]
pub struct NewTariff {
    pub since: Since,
    pub import_price: Price,
    pub feed_in_price: Price,
}

/// In the order of their days; the beginning comes first.
const SELECT: &str = "SELECT from_day, import_price, feed_in_price FROM tariffs
     WHERE account_id = $1 AND sn = $2 ORDER BY from_day";

impl Store {
    /// The tariffs of a system, oldest first.
    pub async fn tariffs(&self, access: &Access) -> Result<Vec<Tariff>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(SELECT)
            .bind(owner(access)).bind(access.sn().as_str()).fetch_all(p).await)?;
        rows.iter().map(Row::tariff).collect()
    }

    /// Enters prices for systems, all or none. A tariff that begins on the same day is replaced. A battery that goes by the
    /// price gets it, so that one account may do this at so many devices a minute.
    pub async fn set_tariff(
        &self,
        systems: &[&Access],
        new: NewTariff,
        devices_a_minute: usize,
        now: Millis,
    ) -> Result<Result<(), Held>> {
        let mut tx = self.begin().await?;
        for access in systems {
            let known = known(&mut tx, access).await?;
            let today = access.zone().day_of(now);
            let tariff = Tariff {
                from: new.since.first_day(&known, today),
                import_price: new.import_price,
                feed_in_price: new.feed_in_price,
            };
            write(&mut tx, access, &tariff).await?;
            if let Some(holding) = known_now(&mut tx, access, today).await?
                && let Err(held) =
                    setting::priced(&mut tx, access, &holding, devices_a_minute, now).await?
            {
                return Ok(Err(held));
            }
            let replaced = known.iter().find(|other| other.from == tariff.from);
            Entry::by(access.account(), Event::TariffSet, now)
                .on(access.sn())
                .with(detail(&tariff, replaced))
                .write(&mut tx)
                .await?;
        }
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// Prices that were entered for a day that has come: a battery that goes by the fixed price gets them as settings.
    /// Whatever already has them stays as it is, and what the operator's brake holds back is for a later call.
    pub async fn begin_tariffs(&self, now: Millis) -> Result<()> {
        let near = |at| Zone::default().day_of(at).number();
        let begun: Vec<Begun> = on!(self, p => sqlx::query_as(
            "SELECT DISTINCT account_id, sn FROM tariffs WHERE from_day BETWEEN $1 AND $2")
            .bind(near(now - LATE)).bind(near(now + DAY)).fetch_all(p).await)?;
        for Begun { account_id, sn } in begun {
            let sn = sn.parse().map_err(|_| Error::Damaged("tariffs.sn"))?;
            let Some(access) = self.access(AccountId(account_id), &sn).await? else {
                continue;
            };
            let mut tx = self.begin().await?;
            let today = access.zone().day_of(now);
            let Some(holding) = known_now(&mut tx, &access, today).await? else {
                continue;
            };
            // The owner's own order of an earlier day, one system at a time: no limit per minute.
            if setting::priced(&mut tx, &access, &holding, usize::MAX, now)
                .await?
                .is_ok()
            {
                tx.commit().await?;
            }
        }
        Ok(())
    }
}

/// Whose prices they are, whoever enters them.
fn owner(access: &Access) -> Option<i64> {
    access.owner().map(|owner| owner.0)
}

async fn known(tx: &mut Tx, access: &Access) -> Result<Vec<Tariff>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(SELECT)
        .bind(owner(access)).bind(access.sn().as_str()).fetch_all(c).await)?;
    rows.iter().map(Row::tariff).collect()
}

async fn known_now(tx: &mut Tx, access: &Access, today: SiteDay) -> Result<Option<Tariff>> {
    Ok(in_force(&known(tx, access).await?, today).copied())
}

/// Prices that hold from now on: for the past too, where they are the first.
pub(crate) async fn enter(
    tx: &mut Tx,
    access: &Access,
    import_price: Price,
    feed_in_price: Price,
    now: Millis,
) -> Result<()> {
    let known = known(tx, access).await?;
    let today = access.zone().day_of(now);
    let tariff = Tariff {
        from: Since::Unsaid.first_day(&known, today),
        import_price,
        feed_in_price,
    };
    write(tx, access, &tariff).await
}

async fn write(tx: &mut Tx, access: &Access, tariff: &Tariff) -> Result<()> {
    // What a system costs that nobody owns yet is for its owner to say.
    let Some(owner) = owner(access) else {
        return Ok(());
    };
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO tariffs (account_id, sn, from_day, import_price, feed_in_price) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (account_id, sn, from_day) DO UPDATE
             SET import_price = excluded.import_price, feed_in_price = excluded.feed_in_price"
        )
        .bind(owner)
        .bind(access.sn().as_str())
        .bind(tariff.from.map_or(BEGINNING, SiteDay::number))
        .bind(tariff.import_price.hundredths())
        .bind(tariff.feed_in_price.hundredths())
    )?;
    Ok(())
}

/// The prices and, where there were others for the same days, those too.
fn detail(tariff: &Tariff, replaced: Option<&Tariff>) -> Value {
    let prices = |tariff: &Tariff| {
        json!({
            "import_price": tariff.import_price.to_string(),
            "feed_in_price": tariff.feed_in_price.to_string(),
        })
    };
    json!({
        "from": tariff.from.map(|day| day.to_string()),
        "to": prices(tariff),
        "was": replaced.map(prices),
    })
}

/// Forgets the prices of a household that has left.
pub(crate) async fn forget(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM tariffs WHERE sn = $1").bind(sn.as_str())
    )?;
    Ok(())
}
