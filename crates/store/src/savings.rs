//! Savings: each day's energy at that day's prices.
use crate::{Access, Result, Store};
use domain::savings::{BillShare, DayBill, combined_bill};
use domain::{SiteDay, tariff};
use std::collections::BTreeMap;
use std::ops::Range;

impl Store {
    /// The bill of each day of a range for these systems together. Days whose amount is unknown are left out.
    pub async fn bills(
        &self,
        systems: &[Access],
        days: Range<SiteDay>,
    ) -> Result<BTreeMap<SiteDay, DayBill>> {
        let mut shares: BTreeMap<SiteDay, Vec<BillShare>> = BTreeMap::new();
        for access in systems {
            let tariffs = self.tariffs(access).await?;
            for (day, measured) in self
                .telemetry
                .measured_days(access.site(), days.clone())
                .await?
            {
                let tariff = tariff::tariff_on(&tariffs, day);
                let share = BillShare::of(&measured, tariff);
                shares.entry(day).or_default().push(share);
            }
        }
        let bills = shares.into_iter();
        let bills = bills.filter_map(|(day, shares)| Some((day, combined_bill(shares)?)));
        Ok(bills.collect())
    }
}
