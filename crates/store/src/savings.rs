//! Savings: each day's energy at that day's prices.
use crate::{Access, Result, Store};
use domain::savings::{Bill, Share, together};
use domain::{SiteDay, tariff};
use std::collections::BTreeMap;
use std::ops::Range;

impl Store {
    /// What each day of a range came to for these systems together; days whose amount is not known are left out.
    pub async fn bills(
        &self,
        systems: &[Access],
        days: Range<SiteDay>,
    ) -> Result<BTreeMap<SiteDay, Bill>> {
        let mut shares: BTreeMap<SiteDay, Vec<Share>> = BTreeMap::new();
        for access in systems {
            let tariffs = self.tariffs(access).await?;
            for (day, measured) in self.measured_days(access, days.clone()).await? {
                let tariff = tariff::in_force(&tariffs, day);
                let share = Share::of(&measured, tariff);
                shares.entry(day).or_default().push(share);
            }
        }
        let bills = shares.into_iter();
        let bills = bills.filter_map(|(day, shares)| Some((day, together(shares)?)));
        Ok(bills.collect())
    }
}
