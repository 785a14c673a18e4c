//! The models that forecasts are computed with, one row per home.
use crate::{Access, Result, Store};
use db::FromRow;
use domain::clock::Millis;

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StoredModels {
    pub trained_at: Millis,
    /// The yield of a usual day, in Wh.
    pub usual_pv: i64,
    /// Quarter-hours of measurements that they are trained with.
    pub measured: i64,
    pub knows_site: bool,
    pub body: Vec<u8>,
}

impl Store {
    /// The models of the present household.
    pub async fn forecast_models(&self, access: &Access) -> Result<Option<StoredModels>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT trained_at, usual_pv, measured, knows_site, body FROM forecast_models
             WHERE sn = $1 AND history_from = $2")
            .bind(access.sn().as_str()).bind(access.history_from()).fetch_optional(p).await)?)
    }

    pub async fn save_forecast_models(&self, access: &Access, models: &StoredModels) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO forecast_models (sn, trained_at, history_from, usual_pv, measured, knows_site, body)
                 SELECT sn, $2, history_from, $4, $5, $6, $7 FROM systems WHERE sn = $1 AND history_from = $3
                 ON CONFLICT (sn) DO UPDATE SET trained_at = excluded.trained_at, history_from = excluded.history_from,
                     usual_pv = excluded.usual_pv, measured = excluded.measured, knows_site = excluded.knows_site,
                     body = excluded.body"
            )
            .bind(access.sn().as_str())
            .bind(models.trained_at)
            .bind(access.history_from())
            .bind(models.usual_pv)
            .bind(models.measured)
            .bind(models.knows_site)
            .bind(&models.body)
        )?;
        tx.commit_invalidating(std::iter::empty()).await
    }
}
