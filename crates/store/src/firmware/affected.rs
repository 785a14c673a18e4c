//! Units with certain firmware, and who owns them: for security advisories.
use crate::{Error, Result, Store};
use db::FromRow;
use domain::firmware::AffectedFirmware;
use domain::{AccountId, Serial};

/// The rows that are read at a time.
const PAGE_SIZE: i64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedUnit {
    pub sn: Serial,
    /// As the battery reported it.
    pub version: String,
    pub hardware: Option<String>,
    pub owner: Option<UnitOwner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitOwner {
    pub account: AccountId,
    pub email: String,
    pub language: String,
    pub country: String,
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    version: String,
    hardware: Option<String>,
    owner_id: Option<i64>,
    email: Option<String>,
    language: Option<String>,
    country: Option<String>,
}

impl Row {
    fn unit(self) -> Result<AffectedUnit> {
        let owner = match (self.owner_id, self.email, self.language, self.country) {
            (Some(account), Some(email), Some(language), Some(country)) => Some(UnitOwner {
                account: AccountId(account),
                email,
                language,
                country,
            }),
            _ => None,
        };
        Ok(AffectedUnit {
            sn: self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?,
            version: self.version,
            hardware: self.hardware,
            owner,
        })
    }
}

impl Store {
    /// All units with this firmware that have ever reported, by serial number.
    pub async fn affected_units(&self, affected: &AffectedFirmware) -> Result<Vec<AffectedUnit>> {
        let mut units = Vec::new();
        let mut after = String::new();
        loop {
            let page: Vec<Row> = on!(self, p => sqlx::query_as(
                "SELECT v.sn, v.version, v.hardware, v.owner_id, a.email, a.language, a.country
                 FROM (SELECT sn, hardware, owner_id, CASE CAST($2 AS TEXT) WHEN 'gateway' THEN gateway_version
                     WHEN 'master' THEN master_version ELSE slave_version END AS version FROM systems) v
                 LEFT JOIN accounts a ON a.id = v.owner_id
                 WHERE v.sn > $1 AND v.version IS NOT NULL ORDER BY v.sn LIMIT $3")
                .bind(&after).bind(affected.part.as_str()).bind(PAGE_SIZE).fetch_all(p).await)?;
            let is_last = (page.len() as i64) < PAGE_SIZE;
            if let Some(row) = page.last() {
                after.clone_from(&row.sn);
            }
            for row in page {
                if affected.covers(row.hardware.as_deref(), &row.version) {
                    units.push(row.unit()?);
                }
            }
            if is_last {
                return Ok(units);
            }
        }
    }
}
