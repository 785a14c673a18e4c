//! Registration and installer codes, as issued by the operator.
use crate::{Error, Purpose, Result, Store};
use db::Tx;
use domain::Serial;
use domain::clock::Millis;
use domain::code::{Code, CodeKind};

impl Store {
    /// Issues a code for the systems of one site. It replaces unused codes of the same kind for these systems, so a lost code
    /// stops working.
    pub async fn issue_code(
        &self,
        code: &Code,
        kind: CodeKind,
        systems: &[Serial],
        now: Millis,
    ) -> Result<()> {
        let hash = self.keyring.hash(Purpose::Code, code.as_str().as_bytes());
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query("INSERT INTO codes (hash, kind, created_at) VALUES ($1, $2, $3)")
                .bind(&hash)
                .bind(kind.as_str())
                .bind(now)
        )?;
        for sn in systems {
            execute!(
                &mut tx,
                sqlx::query(
                    "DELETE FROM codes WHERE kind = $1 AND used_at IS NULL AND hash <> $2
                 AND hash IN (SELECT code_hash FROM code_systems WHERE sn = $3)"
                )
                .bind(kind.as_str())
                .bind(&hash)
                .bind(sn.as_str())
            )?;
            let known = execute!(&mut tx, sqlx::query(
                "INSERT INTO code_systems (code_hash, sn) SELECT $1, sn FROM systems WHERE sn = $2")
                .bind(&hash).bind(sn.as_str()))?;
            if known == 0 {
                return Err(Error::UnknownSerial(sn.clone()));
            }
            // An exchanged unit that was refurbished starts over.
            let unretire =
                "UPDATE systems SET retired_at = NULL WHERE sn = $1 AND retired_at IS NOT NULL";
            execute!(&mut tx, sqlx::query(unretire).bind(sn.as_str()))?;
        }
        tx.commit().await
    }

    /// The stored hash of a code. Any key version may have made it, because a printed code can remain unused for years. For an
    /// unknown code, the hash with the current version.
    pub(crate) async fn code_hash(&self, tx: &mut Tx, code: &Code) -> Result<Vec<u8>> {
        let hashes = self.keyring.hashes(Purpose::Code, code.as_str().as_bytes());
        let kept: Option<Vec<u8>> = find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_scalar(
            "SELECT hash FROM codes WHERE hash = $1 UNION SELECT code_hash FROM handovers WHERE code_hash = $1
             UNION SELECT code_hash FROM grants WHERE code_hash = $1")
            .bind(hash).fetch_optional(c).await)?);
        Ok(kept.unwrap_or_else(|| self.keyring.hash(Purpose::Code, code.as_str().as_bytes())))
    }
}
