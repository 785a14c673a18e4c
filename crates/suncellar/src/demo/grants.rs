//! The demo's grants: one electrician works for several households, the other one has just begun.
use super::people::DemoSeeder;
use super::sites::{DemoSite, serial};
use domain::AccountId;
use domain::grant::GrantScope;
use service::grant::{GrantRequest, Invitation};
use store::Access;
use store::account::ProfileChange;

/// The state of a grant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DemoGrant {
    Accepted(GrantScope),
    /// Not answered by the electrician yet.
    Invited(GrantScope),
    /// Not answered by the owner yet.
    Requested(GrantScope),
}

/// What the electrician writes with a request.
const MESSAGE: &str = "Wir haben Ihren Speicher montiert und möchten ihn weiter betreuen.";

/// Where a customer lives who lets the electrician know.
const ADDRESS: &str = "Lindenweg 7, 12345 Musterstadt";

/// Electrician, owner and grant. Owners who are not in this demo are skipped.
const DEMO_GRANTS: &[(&str, &str, DemoGrant)] = &[
    (
        BUSY,
        "owner@example.com",
        DemoGrant::Accepted(GrantScope::Service),
    ),
    (
        BUSY,
        "family@example.com",
        DemoGrant::Accepted(GrantScope::Configure),
    ),
    (
        BUSY,
        "away@example.com",
        DemoGrant::Accepted(GrantScope::Monitor),
    ),
    (
        BUSY,
        "marie.lindner@example.com",
        DemoGrant::Accepted(GrantScope::Service),
    ),
    (
        BUSY,
        "tim.hoffmann@example.com",
        DemoGrant::Accepted(GrantScope::Service),
    ),
    (
        BUSY,
        "paul.richter@example.com",
        DemoGrant::Accepted(GrantScope::Configure),
    ),
    (
        BUSY,
        "lea.schubert@example.com",
        DemoGrant::Accepted(GrantScope::Monitor),
    ),
    (
        BUSY,
        "anna.berger@example.com",
        DemoGrant::Requested(GrantScope::Service),
    ),
    (
        BUSY,
        "jonas.keller@example.com",
        DemoGrant::Invited(GrantScope::Monitor),
    ),
    (
        NEW,
        "owner@example.com",
        DemoGrant::Requested(GrantScope::Monitor),
    ),
    (
        NEW,
        "family@example.com",
        DemoGrant::Invited(GrantScope::Service),
    ),
];
const BUSY: &str = "electrician@example.com";
const NEW: &str = "installer@example.com";

impl DemoSeeder {
    /// Creates an electrician's grants.
    pub(super) async fn seed_grants(
        &self,
        electrician: AccountId,
        email: &str,
        sites: &[DemoSite],
    ) -> anyhow::Result<()> {
        let grants = DEMO_GRANTS.iter().filter(|(who, _, _)| *who == email);
        for (_, owner, grant) in grants {
            let Some(site) = sites.iter().find(|site| site.owner == Some(owner)) else {
                continue;
            };
            match *grant {
                DemoGrant::Accepted(scope) => {
                    for id in self.invite(owner, email, scope).await? {
                        self.service.accept_grant(electrician, id, false).await?;
                    }
                }
                DemoGrant::Invited(scope) => {
                    self.invite(owner, email, scope).await?;
                }
                DemoGrant::Requested(scope) => {
                    let serials = site.units.iter().map(|(sn, _)| serial(sn));
                    let request = GrantRequest {
                        serials: &serials.collect::<anyhow::Result<Vec<_>>>()?,
                        scope,
                        message: Some(MESSAGE),
                    };
                    self.service.request_grants(electrician, &request).await?;
                }
            }
        }
        Ok(())
    }

    /// An owner invites an electrician to all their systems.
    async fn invite(
        &self,
        owner: &str,
        email: &str,
        scope: GrantScope,
    ) -> anyhow::Result<Vec<i64>> {
        let invalid = |_| anyhow::anyhow!("the demo has an invalid address");
        let account = self
            .store
            .account_by_email(&owner.parse().map_err(invalid)?)
            .await?;
        let Some(account) = account else {
            return Ok(Vec::new());
        };
        let systems = self.store.accesses(account.id()).await?;
        let Some(first) = systems.first() else {
            return Ok(Vec::new());
        };
        let now = self.clock.now();
        // So that there is a customer whom an electrician can call and go to.
        let shares_contact = email == BUSY && scope == GrantScope::Service;
        if shares_contact {
            let profile = ProfileChange {
                address: Some(ADDRESS.to_owned()),
                ..ProfileChange::default()
            };
            self.service.change_profile(account.id(), &profile).await?;
        }
        let invitation = Invitation {
            email: &email.parse().map_err(invalid)?,
            scope,
            last_day: scope.default_end(first.zone().day_of(now)),
            shares_contact,
        };
        let systems: Vec<&Access> = systems.iter().collect();
        let invited = self.service.invite(&systems, invitation).await?;
        Ok(invited.iter().map(|grant| grant.id).collect())
    }
}
