//! Registration and installer codes, as issued by the operator.
use crate::{Error, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::claim::{LinkedBy, yields_to_code};
use domain::clock::Millis;
use domain::code::{Code, CodeKind};
use domain::{AccountId, Serial, Zone};

/// A system that a code covers.
#[derive(Clone, Debug)]
pub struct CoveredSystem {
    pub sn: Serial,
    pub owner: Option<AccountId>,
    pub zone: Zone,
    linked_by: Option<LinkedBy>,
    linked_at: Option<Millis>,
}

impl CoveredSystem {
    /// The owner, if it is another account.
    pub fn foreign_owner(&self, account: Option<AccountId>) -> Option<AccountId> {
        self.owner.filter(|owner| Some(*owner) != account)
    }

    /// Whether this account has it already and reads the protocols of before: an owner who came by the main switch does not.
    pub fn shows_protocols_to(&self, account: AccountId) -> bool {
        self.owner == Some(account) && self.linked_by != Some(LinkedBy::Switch)
    }

    /// Whether a person with the code displaces the owner.
    pub fn yields_to_code(&self, now: Millis) -> bool {
        yields_to_code(self.linked_by, self.linked_at, now)
    }
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    owner_id: Option<i64>,
    time_zone: String,
    linked_by: Option<String>,
    linked_at: Option<Millis>,
}

impl Row {
    fn system(self) -> Result<CoveredSystem> {
        let damaged = Error::Damaged;
        let linked_by = self.linked_by.as_deref().map(str::parse).transpose();
        Ok(CoveredSystem {
            sn: self.sn.parse().map_err(|_| damaged("systems.sn"))?,
            owner: self.owner_id.map(AccountId),
            zone: self
                .time_zone
                .parse()
                .map_err(|_| damaged("systems.time_zone"))?,
            linked_by: linked_by.map_err(|_| damaged("systems.linked_by"))?,
            linked_at: self.linked_at,
        })
    }
}

/// The systems of an unused code of this kind. They are locked until the transaction ends, so that no other account becomes their
/// owner meanwhile.
pub async fn covered_systems(
    tx: &mut Tx,
    hash: &[u8],
    kind: CodeKind,
) -> Result<Vec<CoveredSystem>> {
    lock_systems_of_code(tx, hash).await?;
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(
        "SELECT s.sn, s.owner_id, s.time_zone, s.linked_by, s.linked_at FROM codes c
         JOIN code_systems cs ON cs.code_hash = c.hash JOIN systems s ON s.sn = cs.sn
         WHERE c.hash = $1 AND c.kind = $2 AND c.used_at IS NULL ORDER BY s.sn")
        .bind(hash).bind(kind.as_str()).fetch_all(c).await)?;
    rows.into_iter().map(Row::system).collect()
}

/// The systems of a commissioning, locked in the same way.
pub(crate) async fn covered_by_commissioning(tx: &mut Tx, id: i64) -> Result<Vec<CoveredSystem>> {
    let units: Vec<String> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT sn FROM commissioning_units WHERE commissioning_id = $1 ORDER BY sn")
        .bind(id).fetch_all(c).await)?;
    lock(tx, units).await?;
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(
        "SELECT s.sn, s.owner_id, s.time_zone, s.linked_by, s.linked_at FROM commissioning_units u JOIN systems s ON s.sn = u.sn
         WHERE u.commissioning_id = $1 ORDER BY s.sn")
        .bind(id).fetch_all(c).await)?;
    rows.into_iter().map(Row::system).collect()
}

async fn lock_systems_of_code(tx: &mut Tx, hash: &[u8]) -> Result<()> {
    let systems: Vec<String> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT sn FROM code_systems WHERE code_hash = $1 ORDER BY sn")
        .bind(hash).fetch_all(c).await)?;
    lock(tx, systems).await
}

/// In one order for everybody, so that two codes never wait for each other.
async fn lock(tx: &mut Tx, systems: Vec<String>) -> Result<()> {
    for sn in systems {
        execute!(
            &mut *tx,
            sqlx::query("UPDATE systems SET phase = phase WHERE sn = $1").bind(&sn)
        )?;
    }
    Ok(())
}

pub async fn kind(tx: &mut Tx, hash: &[u8]) -> Result<Option<CodeKind>> {
    let kind: Option<String> = within!(tx, c => sqlx::query_scalar("SELECT kind FROM codes WHERE hash = $1")
        .bind(hash).fetch_optional(c).await)?;
    let kind = kind.as_deref().map(str::parse).transpose();
    kind.map_err(|_| Error::Damaged("codes.kind"))
}

/// `false` if the code was used before.
pub async fn mark_used(tx: &mut Tx, hash: &[u8], now: Millis) -> Result<bool> {
    let used = execute!(
        tx,
        sqlx::query("UPDATE codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL")
            .bind(hash)
            .bind(now)
    )?;
    Ok(used == 1)
}

/// Inserts a code for the systems of one site. It replaces unused codes of the same kind for these systems, so a lost code stops
/// working.
pub async fn insert(
    tx: &mut Tx,
    hash: &[u8],
    kind: CodeKind,
    systems: &[Serial],
    now: Millis,
) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("INSERT INTO codes (hash, kind, created_at) VALUES ($1, $2, $3)")
            .bind(hash)
            .bind(kind.as_str())
            .bind(now)
    )?;
    for sn in systems {
        execute!(
            &mut *tx,
            sqlx::query(
                "DELETE FROM codes WHERE kind = $1 AND used_at IS NULL AND hash <> $2
                 AND hash IN (SELECT code_hash FROM code_systems WHERE sn = $3)"
            )
            .bind(kind.as_str())
            .bind(hash)
            .bind(sn.as_str())
        )?;
        let known = execute!(
            &mut *tx,
            sqlx::query(
                "INSERT INTO code_systems (code_hash, sn) SELECT $1, sn FROM systems WHERE sn = $2"
            )
            .bind(hash)
            .bind(sn.as_str())
        )?;
        if known == 0 {
            return Err(Error::UnknownSerial(sn.clone()));
        }
        // A refurbished unit that was exchanged before starts over.
        let unretire =
            "UPDATE systems SET retired_at = NULL WHERE sn = $1 AND retired_at IS NOT NULL";
        execute!(&mut *tx, sqlx::query(unretire).bind(sn.as_str()))?;
    }
    Ok(())
}

impl Store {
    /// The hash of a new code, for storage.
    pub fn new_code_hash(&self, code: &Code) -> Vec<u8> {
        self.keyring.hash(Purpose::Code, code.as_str().as_bytes())
    }

    /// The stored hash of a code. Any key version may have made it, because a printed code can remain unused for years. For an
    /// unknown code, the hash with the current version.
    pub async fn code_hash(&self, tx: &mut Tx, code: &Code) -> Result<Vec<u8>> {
        let hashes = self.keyring.hashes(Purpose::Code, code.as_str().as_bytes());
        let kept: Option<Vec<u8>> = find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_scalar(
            "SELECT hash FROM codes WHERE hash = $1 UNION SELECT code_hash FROM handovers WHERE code_hash = $1
             UNION SELECT code_hash FROM grants WHERE code_hash = $1 UNION SELECT hash FROM customer_codes WHERE hash = $1")
            .bind(hash).fetch_optional(c).await)?);
        Ok(kept.unwrap_or_else(|| self.new_code_hash(code)))
    }
}
