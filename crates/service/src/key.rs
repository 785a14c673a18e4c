//! Redeeming keys that a person typed. A code links a system at once; a bare serial number begins a waiting claim. There are
//! four kinds of codes: from the box, from the electrician who commissioned it, from an owner who hands the system over, and from an
//! owner who invites a household member. The code from the box has priority: for 30 days it displaces an owner who came by the main
//! switch or by the electrician's code.
use crate::household::ownership_mail;
use crate::transaction::Transaction;
use crate::{Error, Result, Service};
use domain::claim::LinkedBy;
use domain::code::{Code, CodeKind};
use domain::journal::JournalEvent;
use domain::key::KeyStatus;
use domain::{AccountId, Email, Key, Serial};
use store::code::{self, CoveredSystem};
use store::commissioning::{self, CustomerCode};
use store::grant::{self, Grant};
use store::handover::{self, Handover};
use store::journal::NewEntry;
use store::{account, claim, system};

/// The result of one key, and the systems that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOutcome {
    pub status: KeyStatus,
    pub systems: Vec<Serial>,
}

/// The person who enters a key.
#[derive(Clone, Copy)]
struct Redeemer<'a> {
    account: Option<AccountId>,
    email: &'a str,
}

/// What a key gives access to, and its result.
struct KeyEvaluation {
    outcome: KeyOutcome,
    target: KeyTarget,
}

enum KeyTarget {
    Nothing,
    /// A code from the box, with its systems as last read.
    Systems(Vec<CoveredSystem>),
    Customer(CustomerCode),
    Handover(Handover),
    Household(Vec<Grant>),
}

impl KeyEvaluation {
    fn new(status: KeyStatus, systems: Vec<Serial>, target: KeyTarget) -> Self {
        Self {
            outcome: KeyOutcome { status, systems },
            target,
        }
    }
}

impl Service {
    /// What each key would do for a person with this address and without an account. Changes nothing.
    pub async fn evaluate_keys(&self, keys: &[Key], email: &Email) -> Result<Vec<KeyOutcome>> {
        let mut t = self.begin().await?;
        let redeemer = Redeemer {
            account: None,
            email: email.as_str(),
        };
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            outcomes.push(t.evaluate_key(key, redeemer).await?.outcome);
        }
        Ok(outcomes)
    }

    /// Redeems each key independently: a failure does not stop the others.
    pub async fn redeem_keys(&self, account: AccountId, keys: &[Key]) -> Result<Vec<KeyOutcome>> {
        let mut t = self.begin().await?;
        let outcomes = t.redeem_keys(account, keys).await?;
        t.commit().await?;
        Ok(outcomes)
    }
}

impl Transaction<'_> {
    pub(crate) async fn redeem_keys(
        &mut self,
        account: AccountId,
        keys: &[Key],
    ) -> Result<Vec<KeyOutcome>> {
        let contact = account::contact(self, account).await?;
        let contact = contact.ok_or(Error::Conflict)?;
        let redeemer = Redeemer {
            account: Some(account),
            email: &contact.email,
        };
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            let KeyEvaluation { outcome, target } = self.evaluate_key(key, redeemer).await?;
            match (outcome.status, target, key) {
                (KeyStatus::Linked, KeyTarget::Systems(covered), Key::Code(code)) => {
                    self.use_code(code, &covered, account).await?;
                }
                (KeyStatus::Linked, KeyTarget::Customer(found), _) => {
                    self.use_customer_code(&found, account).await?;
                }
                (KeyStatus::Linked, KeyTarget::Handover(offered), _) => {
                    self.hand_over(&offered, account).await?;
                }
                (KeyStatus::Linked, KeyTarget::Household(invitations), _) => {
                    // The code was mailed to the account's address.
                    let now = self.now;
                    account::confirm_email(self, account, now).await?;
                    let mut accepted = Vec::with_capacity(invitations.len());
                    for invited in &invitations {
                        accepted.push(self.accept_invitation(invited, account).await?);
                    }
                    self.mail_grant_owner(&accepted, "member_accepted").await?;
                }
                (KeyStatus::Waiting, _, Key::Serial(sn)) => self.begin_claim(account, sn).await?,
                _ => {}
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    /// Begins a claim of a serial number, or renews the account's own.
    pub(crate) async fn begin_claim(&mut self, account: AccountId, sn: &Serial) -> Result<()> {
        let now = self.now;
        claim::begin(self, account, sn, now).await?;
        let entry = NewEntry::by(account, JournalEvent::ClaimStarted, now).on(sn);
        self.journal(entry).await
    }

    async fn evaluate_key(&mut self, key: &Key, redeemer: Redeemer<'_>) -> Result<KeyEvaluation> {
        match key {
            Key::Serial(sn) => {
                let status = self.evaluate_serial(sn, redeemer.account).await?;
                let systems = vec![sn.clone()];
                Ok(KeyEvaluation::new(status, systems, KeyTarget::Nothing))
            }
            Key::Code(code) => self.evaluate_code(code, redeemer).await,
        }
    }

    async fn evaluate_serial(
        &mut self,
        sn: &Serial,
        account: Option<AccountId>,
    ) -> Result<KeyStatus> {
        Ok(match system::ownership(self, sn).await? {
            // Possession of an exchanged unit does not make a person its owner.
            Some(system) if system.is_retired => KeyStatus::Used,
            Some(system) if system.owner.is_some() && system.owner != account => KeyStatus::Used,
            Some(system) if system.owner.is_some() => KeyStatus::Linked,
            // Unowned and unknown systems give the same result, to hide which serial numbers exist and which need a code.
            Some(_) | None => KeyStatus::Waiting,
        })
    }

    async fn evaluate_code(
        &mut self,
        code: &Code,
        redeemer: Redeemer<'_>,
    ) -> Result<KeyEvaluation> {
        let now = self.now;
        let hash = self.service.store.code_hash(self, code).await?;
        let covered = code::covered_systems(self, &hash, CodeKind::Registration).await?;
        if covered.is_empty() {
            return self.evaluate_other_code(&hash, redeemer).await;
        }
        let used = covered.iter().any(|system| {
            let foreign = system.foreign_owner(redeemer.account).is_some();
            foreign && !system.yields_to_code(now)
        });
        let status = match used {
            true => KeyStatus::Used,
            false => KeyStatus::Linked,
        };
        let systems = covered.iter().map(|system| system.sn.clone()).collect();
        let target = KeyTarget::Systems(covered);
        Ok(KeyEvaluation::new(status, systems, target))
    }

    /// Evaluates a code that an electrician issued, or that an owner sent by mail.
    async fn evaluate_other_code(
        &mut self,
        hash: &[u8],
        redeemer: Redeemer<'_>,
    ) -> Result<KeyEvaluation> {
        let now = self.now;
        if let Some(found) = commissioning::find_customer_code(self, hash, now).await? {
            // It displaces nobody.
            let mut systems = found.systems.iter();
            let used = systems.any(|system| system.foreign_owner(redeemer.account).is_some());
            let status = match used {
                true => KeyStatus::Used,
                false => KeyStatus::Linked,
            };
            let systems = found.systems.iter().map(|system| system.sn.clone());
            let systems = systems.collect();
            return Ok(KeyEvaluation::new(
                status,
                systems,
                KeyTarget::Customer(found),
            ));
        }
        if let Some(offered) = handover::find_by_code(self, hash, now).await? {
            let (systems, target) = (vec![offered.serial()?], KeyTarget::Handover(offered));
            return Ok(KeyEvaluation::new(KeyStatus::Linked, systems, target));
        }
        let invitations = grant::find_by_member_code(self, hash, redeemer.email, now).await?;
        if invitations.is_empty() {
            let nothing = KeyTarget::Nothing;
            return Ok(KeyEvaluation::new(KeyStatus::Unknown, Vec::new(), nothing));
        }
        let systems = invitations.iter().map(|grant| grant.sn.clone()).collect();
        let target = KeyTarget::Household(invitations);
        Ok(KeyEvaluation::new(KeyStatus::Linked, systems, target))
    }

    /// Links the systems of a code from the box.
    async fn use_code(
        &mut self,
        code: &Code,
        covered: &[CoveredSystem],
        account: AccountId,
    ) -> Result<()> {
        let now = self.now;
        self.mark_code_used(code).await?;
        for system in covered {
            let sn = &system.sn;
            match system.foreign_owner(Some(account)) {
                Some(owner) => self.displace(sn, owner, account).await?,
                None if system.owner.is_some() => system::confirm_by_code(self, sn).await?,
                None => {
                    if system::link(self, sn, account, LinkedBy::Code, now).await? {
                        let entry = NewEntry::by(account, JournalEvent::SystemLinked, now).on(sn);
                        self.journal(entry).await?;
                    }
                }
            }
        }
        self.mail_protocols_to_new_owner(account, covered).await
    }

    /// A conflict if the code was used at the same moment.
    pub(crate) async fn mark_code_used(&mut self, code: &Code) -> Result<()> {
        let now = self.now;
        let hash = self.service.store.code_hash(self, code).await?;
        match code::mark_used(self, &hash, now).await? {
            true => Ok(()),
            false => Err(Error::Conflict),
        }
    }

    /// A person with the code displaces an owner who claimed the system by the main switch. The old household leaves with all of
    /// its data, the new one begins, and both get a mail.
    async fn displace(&mut self, sn: &Serial, owner: AccountId, next: AccountId) -> Result<()> {
        let now = self.now;
        self.evict(sn, owner).await?;
        if !system::link(self, sn, next, LinkedBy::Code, now).await? {
            return Err(Error::Conflict);
        }
        // The new household reads only entries after the moment when the old one left.
        let entry = NewEntry::by(next, JournalEvent::SystemTakenOver, now + 1).on(sn);
        self.journal(entry).await?;
        self.mail_account(next, ownership_mail("system_taken_over", sn))
            .await
    }
}
