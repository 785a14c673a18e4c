//! Whom the demo's people let see their systems: an electrician with some work in the street, and one who has just begun.
use super::people::Furnisher;
use super::street::{Site, serial};
use domain::AccountId;
use domain::grant::Scope;
use store::Access;
use store::grant::Invitation;

/// What an electrician has to do with a household.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tie {
    /// Let in.
    Holds(Scope),
    /// Invited, and has not answered.
    Invited(Scope),
    /// Has asked, and waits for the owner.
    Asked(Scope),
}

/// By the electrician and the owner. Owners who are not in this street are passed over.
const TIES: &[(&str, &str, Tie)] = &[
    (BUSY, "owner@example.com", Tie::Holds(Scope::Service)),
    (BUSY, "family@example.com", Tie::Holds(Scope::Configure)),
    (BUSY, "away@example.com", Tie::Holds(Scope::Monitor)),
    (
        BUSY,
        "marie.lindner@example.com",
        Tie::Holds(Scope::Service),
    ),
    (BUSY, "tim.hoffmann@example.com", Tie::Holds(Scope::Service)),
    (
        BUSY,
        "paul.richter@example.com",
        Tie::Holds(Scope::Configure),
    ),
    (BUSY, "lea.schubert@example.com", Tie::Holds(Scope::Monitor)),
    (BUSY, "anna.berger@example.com", Tie::Asked(Scope::Service)),
    (
        BUSY,
        "jonas.keller@example.com",
        Tie::Invited(Scope::Monitor),
    ),
    (NEW, "owner@example.com", Tie::Asked(Scope::Monitor)),
    (NEW, "family@example.com", Tie::Invited(Scope::Service)),
];
const BUSY: &str = "electrician@example.com";
const NEW: &str = "installer@example.com";

impl Furnisher {
    /// Gives an electrician what the street has for them.
    pub(super) async fn let_in(
        &self,
        electrician: AccountId,
        email: &str,
        sites: &[Site],
    ) -> anyhow::Result<()> {
        let ties = TIES.iter().filter(|(who, _, _)| *who == email);
        for (_, owner, tie) in ties {
            let Some(site) = sites.iter().find(|site| site.owner == Some(owner)) else {
                continue;
            };
            match *tie {
                Tie::Holds(scope) => {
                    for id in self.invite(owner, email, scope).await? {
                        let (desk, now) = (self.desk(), self.clock.now());
                        self.store.accept_grant(electrician, id, desk, now).await?;
                    }
                }
                Tie::Invited(scope) => {
                    self.invite(owner, email, scope).await?;
                }
                Tie::Asked(scope) => {
                    for (sn, _) in site.units {
                        let (sn, now) = (serial(sn)?, self.clock.now());
                        self.store.ask_for(electrician, &sn, scope, now).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// An owner invites somebody to all their systems.
    async fn invite(&self, owner: &str, email: &str, scope: Scope) -> anyhow::Result<Vec<i64>> {
        let invalid = |_| anyhow::anyhow!("a demo address");
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
        let invitation = Invitation {
            email: &email.parse().map_err(invalid)?,
            scope,
            last_day: scope.usual_end(first.zone().day_of(now)),
            code: None,
        };
        let systems: Vec<&Access> = systems.iter().collect();
        let invited = self
            .store
            .invite(&systems, invitation, self.desk(), now)
            .await?;
        Ok(invited.iter().map(|grant| grant.id).collect())
    }
}
