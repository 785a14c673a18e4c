//! When a household leaves, its habits are erased: forecasts of them, plans for them and the savings.
use crate::Result;
use db::Tx;
use domain::Serial;

pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    for forget in [
        "DELETE FROM forecasts WHERE sn = $1",
        "DELETE FROM forecast_models WHERE sn = $1",
        "DELETE FROM planning WHERE sn = $1",
        "DELETE FROM plan_days WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(forget).bind(sn.as_str()))?;
    }
    Ok(())
}
