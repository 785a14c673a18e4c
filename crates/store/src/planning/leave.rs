//! When a household leaves, its habits go with it: what was forecast of them, what was planned for them and what it saved.
use crate::Result;
use crate::db::Tx;
use domain::Serial;

pub(crate) async fn leave(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for forget in [
        "DELETE FROM forecasts WHERE sn = $1",
        "DELETE FROM planning WHERE sn = $1",
        "DELETE FROM plan_days WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(forget).bind(sn.as_str()))?;
    }
    Ok(())
}
