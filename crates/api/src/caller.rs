//! Kinds of callers, and the rule that says which of them a route admits. The rules are listed in [`crate::route_table`].
use domain::company::CompanyRight;
use domain::grant::Right;
use domain::partner::PartnerScope;
use domain::session::SessionKind;
use domain::{AccountId, CompanyRole, Message, Role, Serial};
use serde::Serialize;
use store::partner::Consent;
use store::session::SessionId;
use utoipa::ToSchema;

/// The kinds of callers that a rule can admit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallerKind {
    /// Anyone, without a token.
    Guest,
    /// For their own systems, or those of the household that they belong to.
    Owner,
    /// An owner without systems, on the key page.
    Unlinked,
    /// For the systems that owners gave their company access to.
    Electrician,
    /// An electrician whose role in the company has this right.
    Company(CompanyRight),
    /// An electrician who must set up a second factor first, because the operator requires it.
    Unenrolled,
    /// A partner app whose owner consented to this scope.
    Partner(PartnerScope),
    /// A battery, authenticated by its factory secret.
    Battery,
}

/// Who may make a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) callers: &'static [CallerKind],
    /// The right that the call needs at each system. The systems are read together with the session; systems without the right
    /// are hidden from the call.
    pub(crate) right: Option<Right>,
}

/// The caller, read from the database for this request.
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    Person(PersonCaller),
    Partner(Consent),
    Battery(BatteryCaller),
}

impl Caller {
    /// Whose data it asks for; a battery has its own alone.
    pub(crate) fn account(&self) -> Option<AccountId> {
        match self {
            Self::Person(person) => Some(person.account),
            Self::Partner(consent) => Some(AccountId(consent.account_id)),
            Self::Battery(_) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct BatteryCaller {
    pub(crate) sn: Serial,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PersonCaller {
    pub(crate) account: AccountId,
    pub(crate) role: Role,
    /// In the electrician's company.
    pub(crate) company_role: Option<CompanyRole>,
    pub(crate) kind: SessionKind,
    pub(crate) session: SessionId,
    /// The caller must set up a second factor before any other call.
    pub(crate) must_enrol: bool,
}

impl PersonCaller {
    /// Whether the caller has this right in an electrician's company.
    pub(crate) fn may(self, right: CompanyRight) -> bool {
        self.company_role.is_some_and(|role| role.may(right))
    }

    fn is_working_electrician(self) -> bool {
        self.kind != SessionKind::Claim && self.role == Role::Electrician && !self.must_enrol
    }
}

/// The role of an account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoleName {
    User,
    Electrician,
}

impl From<Role> for RoleName {
    fn from(role: Role) -> Self {
        match role {
            Role::User => Self::User,
            Role::Electrician => Self::Electrician,
        }
    }
}

impl Rule {
    pub(crate) fn admits_guests(&self) -> bool {
        self.callers.contains(&CallerKind::Guest)
    }

    pub(crate) fn admits(&self, caller: &Caller) -> bool {
        self.callers.iter().any(|kind| match (kind, caller) {
            (CallerKind::Guest, _) => true,
            (CallerKind::Unlinked, Caller::Person(p)) => p.kind == SessionKind::Claim,
            (CallerKind::Owner, Caller::Person(p)) => {
                p.kind != SessionKind::Claim && p.role == Role::User
            }
            (CallerKind::Electrician, Caller::Person(p)) => p.is_working_electrician(),
            (CallerKind::Company(right), Caller::Person(p)) => {
                p.is_working_electrician() && p.may(*right)
            }
            (CallerKind::Unenrolled, Caller::Person(p)) => p.must_enrol,
            (CallerKind::Partner(scope), Caller::Partner(consent)) => {
                consent.scopes().is_ok_and(|s| s.contains(*scope))
            }
            (CallerKind::Battery, Caller::Battery(_)) => true,
            _ => false,
        })
    }

    /// Why a caller whom it does not admit is refused.
    pub(crate) fn refusal(&self, caller: &Caller) -> Message {
        use CallerKind::{Company, Electrician};
        let is_for = |wanted: fn(&CallerKind) -> bool| self.callers.iter().any(wanted);
        match caller {
            Caller::Person(person)
                if person.must_enrol && is_for(|kind| matches!(kind, Electrician | Company(_))) =>
            {
                Message::TotpEnrolmentRequired
            }
            Caller::Person(person)
                if person.is_working_electrician() && is_for(|kind| matches!(kind, Company(_))) =>
            {
                Message::CompanyRoleTooSmall
            }
            _ => Message::Forbidden,
        }
    }
}
