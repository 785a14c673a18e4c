//! Registration and installer codes as the operator issues them.
use crate::db::Tx;
use crate::{Error, Purpose, Result, Store};
use domain::Serial;
use domain::clock::Millis;
use domain::code::{Code, CodeKind};

impl Store {
    /// Issues a code for the systems of one site. Unused codes of the same kind for these systems stop working,
    /// so that a lost one is replaced and not doubled.
    pub async fn issue_code(
        &self,
        code: &Code,
        kind: CodeKind,
        systems: &[Serial],
        now: Millis,
    ) -> Result<()> {
        let hash = self.keyring.hash(Purpose::Code, code.as_str().as_bytes());
        let mut tx = self.begin().await?;
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
            // A unit that was exchanged and is refurbished begins anew.
            let anew =
                "UPDATE systems SET retired_at = NULL WHERE sn = $1 AND retired_at IS NOT NULL";
            execute!(&mut tx, sqlx::query(anew).bind(sn.as_str()))?;
        }
        tx.commit().await
    }

    /// The hash that a code is kept under, whichever version of the key made it: on paper it may wait for years. For one
    /// that nobody has issued, the current version's.
    pub(crate) async fn code_hash(&self, tx: &mut Tx, code: &Code) -> Result<Vec<u8>> {
        let hashes = self.keyring.hashes(Purpose::Code, code.as_str().as_bytes());
        let kept: Option<Vec<u8>> = find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_scalar(
            "SELECT hash FROM codes WHERE hash = $1 UNION SELECT code_hash FROM handovers WHERE code_hash = $1
             UNION SELECT code_hash FROM grants WHERE code_hash = $1")
            .bind(hash).fetch_optional(c).await)?);
        Ok(kept.unwrap_or_else(|| self.keyring.hash(Purpose::Code, code.as_str().as_bytes())))
    }
}
