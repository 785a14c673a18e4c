//! Registration and installer codes as the operator issues them.
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
}
