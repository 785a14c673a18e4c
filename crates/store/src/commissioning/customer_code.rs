//! Customer codes: issued by the company at the end of a commissioning, and used once by whoever becomes the owner. A code works
//! only while nobody else owns the systems, and while the company that issued it may service them itself.
use crate::code::{CoveredSystem, covered_by_commissioning};
use crate::{Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::commissioning::CUSTOMER_CODE_TTL;
use domain::{AccountId, CompanyId};

/// A code that works, and what it opens.
#[derive(Clone, Debug)]
pub struct CustomerCode {
    /// The commissioning whose units it covers.
    pub commissioning: i64,
    pub until: Millis,
    pub systems: Vec<CoveredSystem>,
}

#[derive(Debug, FromRow)]
struct Row {
    commissioning_id: i64,
    company_id: i64,
    until: Millis,
}

/// The code with this hash. Its systems are locked until the transaction ends.
pub async fn find_customer_code(
    tx: &mut Tx,
    hash: &[u8],
    now: Millis,
) -> Result<Option<CustomerCode>> {
    let row: Option<Row> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT commissioning_id, company_id, until FROM customer_codes WHERE hash = $1")
        .bind(hash).fetch_optional(c).await)?;
    let Some(row) = row else { return Ok(None) };
    let systems = covered_by_commissioning(tx, row.commissioning_id).await?;
    let company = CompanyId(row.company_id);
    let end = end_of_service(tx, row.commissioning_id, company, now).await?;
    let until = end.map(|end| end.min(row.until));
    Ok(until
        .filter(|until| *until > now)
        .map(|until| CustomerCode {
            commissioning: row.commissioning_id,
            until,
            systems,
        }))
}

/// Until when the company may service every unit of a commissioning that nobody owns, at most as long as a code works; `None` if
/// it may not, or if one of the units was exchanged away.
async fn end_of_service(
    tx: &mut Tx,
    commissioning: i64,
    company: CompanyId,
    now: Millis,
) -> Result<Option<Millis>> {
    let most = now + CUSTOMER_CODE_TTL;
    let ends: Vec<Option<Millis>> = within!(tx, c => sqlx::query_scalar(
        "SELECT (SELECT MAX(COALESCE(g.until, $4)) FROM grants g WHERE g.sn = u.sn AND g.company_id = $2 AND g.scope = 'service'
                     AND g.state = 'active' AND (g.until IS NULL OR g.until > $3) AND y.retired_at IS NULL)
         FROM commissioning_units u JOIN systems y ON y.sn = u.sn WHERE u.commissioning_id = $1 AND y.owner_id IS NULL")
        .bind(commissioning).bind(company.0).bind(now).bind(most).fetch_all(c).await)?;
    let ends: Option<Vec<Millis>> = ends.into_iter().collect();
    Ok(ends.map(|ends| ends.into_iter().fold(most, Millis::min)))
}

/// Inserts a code for the units of a protocol, which replaces an earlier one. Returns until when it works; `None` where somebody
/// owns a unit, or the company may not service it.
pub async fn insert_customer_code(
    tx: &mut Tx,
    commissioning: i64,
    company: CompanyId,
    hash: &[u8],
    now: Millis,
) -> Result<Option<Millis>> {
    let systems = covered_by_commissioning(tx, commissioning).await?;
    if systems.is_empty() || systems.iter().any(|system| system.owner.is_some()) {
        return Ok(None);
    }
    let Some(until) = end_of_service(tx, commissioning, company, now).await? else {
        return Ok(None);
    };
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO customer_codes (commissioning_id, company_id, hash, created_at, until) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (commissioning_id) DO UPDATE SET company_id = excluded.company_id, hash = excluded.hash,
                 created_at = excluded.created_at, until = excluded.until"
        )
        .bind(commissioning)
        .bind(company.0)
        .bind(hash)
        .bind(now)
        .bind(until)
    )?;
    Ok(Some(until))
}

/// Deletes the code of a protocol, used or withdrawn. `false`: there is none.
pub async fn delete_customer_code(tx: &mut Tx, commissioning: i64) -> Result<bool> {
    let deleted = execute!(
        tx,
        sqlx::query("DELETE FROM customer_codes WHERE commissioning_id = $1").bind(commissioning)
    )?;
    Ok(deleted == 1)
}

/// Whom the units of a commissioning belong to now.
pub async fn owners(tx: &mut Tx, commissioning: i64) -> Result<Vec<AccountId>> {
    let owners: Vec<i64> = within!(tx, c => sqlx::query_scalar(
        "SELECT DISTINCT y.owner_id FROM commissioning_units u JOIN systems y ON y.sn = u.sn
         WHERE u.commissioning_id = $1 AND y.owner_id IS NOT NULL ORDER BY y.owner_id")
        .bind(commissioning).fetch_all(c).await)?;
    Ok(owners.into_iter().map(AccountId).collect())
}

impl Store {
    /// Until when the code of a protocol works, if one is out.
    pub async fn customer_code_end(
        &self,
        commissioning: i64,
        now: Millis,
    ) -> Result<Option<Millis>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT until FROM customer_codes WHERE commissioning_id = $1 AND until > $2")
            .bind(commissioning).bind(now).fetch_optional(p).await)?)
    }

    pub async fn purge_customer_codes(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM customer_codes WHERE until < $1").bind(now))?;
        Ok(())
    }
}
