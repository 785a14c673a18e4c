//! Grants as both sides see them, and the rules that the forms of both sides share.
use domain::clock::Millis;
use domain::grant::{GrantScope, GrantState, Origin};
use domain::{Email, Message, Role};
use serde::Serialize;
use std::collections::HashMap;
use store::grant::Grant;
use store::handover::Handover;
use utoipa::ToSchema;

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GrantStateName {
    Asked,
    Invited,
    Unconfirmed,
    Active,
    Ended,
}

impl From<GrantState> for GrantStateName {
    fn from(state: GrantState) -> Self {
        match state {
            // The electrician cannot tell a refusal by the owner from a system that does not exist.
            GrantState::Requested | GrantState::Refused => Self::Asked,
            GrantState::Invited => Self::Invited,
            GrantState::Unconfirmed => Self::Unconfirmed,
            GrantState::Active => Self::Active,
            GrantState::Ended => Self::Ended,
        }
    }
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScopeName {
    Monitor,
    Configure,
    Service,
    Look,
    Owner,
}

impl From<GrantScope> for ScopeName {
    fn from(scope: GrantScope) -> Self {
        match scope {
            GrantScope::Monitor => Self::Monitor,
            GrantScope::Configure => Self::Configure,
            GrantScope::Service => Self::Service,
            GrantScope::Look => Self::Look,
            GrantScope::Owner => Self::Owner,
        }
    }
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OriginName {
    Invitation,
    Request,
    Code,
}

impl From<Origin> for OriginName {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Invitation => Self::Invitation,
            Origin::Request => Self::Request,
            Origin::Code => Self::Code,
        }
    }
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HolderRole {
    Electrician,
    /// A member of the household.
    User,
}

/// A grant as the owner of the system sees it.
#[derive(Serialize, ToSchema)]
pub(crate) struct GivenEntry {
    id: i64,
    sn: String,
    #[schema(inline)]
    state: GrantStateName,
    #[schema(inline)]
    scope: ScopeName,
    #[schema(inline)]
    origin: OriginName,
    /// The e-mail address of the person who holds the grant, requested it or is invited.
    email: String,
    #[schema(inline)]
    role: HolderRole,
    /// The name of the electrician's company. Null until the invited person has an account.
    #[schema(required)]
    company: Option<String>,
    /// The holder's phone number. Null until the invited person has an account.
    #[schema(required)]
    phone: Option<String>,
    /// The message of a request.
    #[schema(required)]
    message: Option<String>,
    /// Whether the electrician may read the phone number and the postal address of the owner's account.
    shares_contact: bool,
    /// When it was created; Unix time in milliseconds.
    created_at: Millis,
    /// When access began; Unix time in milliseconds. Null until both sides have agreed.
    #[schema(required)]
    since: Option<Millis>,
    /// When access ends; Unix time in milliseconds. Null if it is unlimited.
    #[schema(required)]
    until: Option<Millis>,
    /// The last day of access, `YYYY-MM-DD` in the site's time zone.
    #[schema(required)]
    until_day: Option<String>,
}

impl From<Grant> for GivenEntry {
    fn from(grant: Grant) -> Self {
        Self {
            id: grant.id,
            sn: grant.sn.to_string(),
            state: grant.state.into(),
            scope: grant.scope.into(),
            origin: grant.origin.into(),
            role: match grant.scope.role() {
                Role::Electrician => HolderRole::Electrician,
                Role::User => HolderRole::User,
            },
            created_at: grant.created_at,
            since: grant.since,
            until: grant.until,
            until_day: grant.last_day().map(|day| day.to_string()),
            email: grant.holder.email,
            company: grant.holder.company,
            phone: grant.holder.phone,
            message: grant.message,
            shares_contact: grant.shares_contact,
        }
    }
}

/// A grant as the person sees it who holds it, requested it or is invited.
#[derive(Serialize, ToSchema)]
pub(crate) struct HeldEntry {
    id: i64,
    sn: String,
    #[schema(inline)]
    state: GrantStateName,
    #[schema(inline)]
    scope: ScopeName,
    #[schema(inline)]
    origin: OriginName,
    /// Who lives with the system; unknown without access.
    #[schema(required)]
    first_name: Option<String>,
    #[schema(required)]
    last_name: Option<String>,
    /// The owner's phone number. Null unless the owner shares it.
    #[schema(required)]
    phone: Option<String>,
    /// The owner's postal address. Null unless the owner shares it.
    #[schema(required)]
    address: Option<String>,
    /// Systems with the same number have the same owner. Null while access is only requested.
    #[schema(required)]
    household: Option<i64>,
    /// The caller's message to the owner, if access was requested.
    #[schema(required)]
    message: Option<String>,
    /// When it was created; Unix time in milliseconds.
    created_at: Millis,
    /// When access began; Unix time in milliseconds. Null until both sides have agreed.
    #[schema(required)]
    since: Option<Millis>,
    /// When access ends; Unix time in milliseconds. Null if it is unlimited.
    #[schema(required)]
    until: Option<Millis>,
    /// The last day of access, `YYYY-MM-DD` in the site's time zone.
    #[schema(required)]
    until_day: Option<String>,
}

impl HeldEntry {
    /// The entries of one answer. Systems of the same owner have the same household number.
    pub(crate) fn list(grants: Vec<Grant>) -> Vec<Self> {
        let mut first_of = HashMap::new();
        let mut entries = Vec::with_capacity(grants.len());
        for grant in grants {
            let household = match grant.owner.filter(|_| is_known(&grant)) {
                Some(owner) => *first_of.entry(owner).or_insert(grant.id),
                None => grant.id,
            };
            entries.push(Self::new(grant, household));
        }
        entries
    }

    /// The only entry of an answer.
    pub(crate) fn single(grant: Grant) -> Self {
        let household = grant.id;
        Self::new(grant, household)
    }

    fn new(grant: Grant, household: i64) -> Self {
        let state = GrantStateName::from(grant.state);
        let known = is_known(&grant);
        // The address of an invitation may be mistyped.
        let is_named = grant.state.opens();
        Self {
            id: grant.id,
            sn: grant.sn.to_string(),
            state,
            scope: grant.scope.into(),
            origin: grant.origin.into(),
            created_at: grant.created_at,
            since: grant.since,
            until: grant.until,
            until_day: grant.last_day().map(|day| day.to_string()),
            phone: grant.owner_phone().map(str::to_owned),
            address: grant.owner_address().map(str::to_owned),
            household: known.then_some(household),
            message: grant.message,
            first_name: grant.first_name.filter(|_| is_named),
            last_name: grant.last_name.filter(|_| is_named),
        }
    }
}

/// Which systems belong together is shown only to people whom the owner has let in or invited.
fn is_known(grant: &Grant) -> bool {
    let state = GrantStateName::from(grant.state);
    !matches!(state, GrantStateName::Asked | GrantStateName::Ended)
}

/// A system that its owner is handing over and nobody has accepted yet.
#[derive(Serialize, ToSchema)]
pub(crate) struct HandoverEntry {
    id: i64,
    sn: String,
    /// The new owner's e-mail address.
    email: String,
    /// When it was offered; Unix time in milliseconds.
    created_at: Millis,
    /// When the code expires; Unix time in milliseconds.
    until: Millis,
}

impl From<Handover> for HandoverEntry {
    fn from(handover: Handover) -> Self {
        Self {
            id: handover.id,
            sn: handover.sn,
            email: handover.email,
            created_at: handover.created_at,
            until: handover.until,
        }
    }
}

/// Parses an address that the caller may write to: any but their own.
pub(crate) fn address(text: &str, own: &str) -> Result<Email, Message> {
    let email: Email = text.parse()?;
    match email.as_str() == own {
        true => Err(Message::EmailOwn),
        false => Ok(email),
    }
}

/// An electrician's grant cannot become a household member's, or vice versa.
pub(crate) fn same_kind(text: &str, known: GrantScope) -> Result<GrantScope, Message> {
    let scope: GrantScope = text.parse()?;
    match scope.role() == known.role() {
        true => Ok(scope),
        false => Err(Message::ChoiceUnknown),
    }
}
