//! An electrician's company: its members and invitations.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::company_role::CompanyRoleName;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result};
use crate::form::{Form, parse_id};
use crate::own_account::{load_account, reauthenticate};
use crate::parameter::{CompanyRoleChoice, EmailAddress};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{AccountId, CompanyRole, Email, Message};
use serde::{Deserialize, Serialize};
use service::company::CompanyChange;
use store::company::{CompanyInvitation, Member};
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct CompanyEntry {
    name: String,
    /// In the order in which they joined.
    members: Vec<MemberEntry>,
    /// Pending invitations, newest first.
    invitations: Vec<InvitationEntry>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = CompanyMember)]
pub(crate) struct MemberEntry {
    id: i64,
    #[schema(required)]
    name: Option<String>,
    email: String,
    #[schema(inline)]
    role: CompanyRoleName,
    /// Whether this member is the caller.
    you: bool,
    /// Whether the member has a second factor: TOTP or a passkey.
    second_factor: bool,
    /// When the member joined; Unix time in milliseconds.
    since: i64,
}

#[derive(Serialize, ToSchema)]
#[schema(as = CompanyInvitation)]
pub(crate) struct InvitationEntry {
    id: i64,
    email: String,
    #[schema(inline)]
    role: CompanyRoleName,
    /// When the invitation expires; Unix time in milliseconds.
    expires_at: i64,
}

impl MemberEntry {
    fn new(member: Member, reader: AccountId) -> Self {
        Self {
            id: member.account.0,
            you: member.account == reader,
            name: member.name,
            email: member.email,
            role: member.role.into(),
            second_factor: member.second_factor,
            since: member.created_at,
        }
    }
}

impl From<CompanyInvitation> for InvitationEntry {
    fn from(invitation: CompanyInvitation) -> Self {
        Self {
            id: invitation.id,
            email: invitation.email,
            role: invitation.role.into(),
            expires_at: invitation.expires_at,
        }
    }
}

async fn entry(portal: &Portal, person: PersonCaller) -> Result<Json<CompanyEntry>> {
    let account = load_account(portal, person).await?;
    let membership = account.membership()?.ok_or(Error::not_found())?;
    let (store, company) = (&portal.store, membership.company);
    let members = store.company_members(company).await?.into_iter();
    let invitations = store.company_invitations(company, portal.now()).await?;
    Ok(Json(CompanyEntry {
        name: account.company.unwrap_or_default(),
        members: members
            .map(|member| MemberEntry::new(member, person.account))
            .collect(),
        invitations: invitations.into_iter().map(Into::into).collect(),
    }))
}

fn refusal(change: CompanyChange) -> Result<()> {
    let conflict = |message| Err(Error::Refused(StatusCode::CONFLICT, message));
    match change {
        CompanyChange::Done => Ok(()),
        CompanyChange::Unknown => Err(Error::not_found()),
        CompanyChange::LastOwner => conflict(Message::CompanyLastOwner),
        CompanyChange::Full => conflict(Message::CompanyFull),
    }
}

/// Get the caller's company with its members and pending invitations.
#[utoipa::path(get, path = "/api/auth/company/", operation_id = "show_company", tag = "company",
    responses((status = 200, body = CompanyEntry), (status = 404, body = Refusal)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    person: PersonCaller,
) -> Result<Json<CompanyEntry>> {
    entry(&portal, person).await
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct InviteMember {
    #[serde(default)]
    #[schema(value_type = EmailAddress, required)]
    email: String,
    #[serde(default)]
    #[schema(value_type = CompanyRoleChoice, required)]
    role: String,
    /// The caller's current password, for confirmation.
    #[schema(value_type = String, required)]
    password: Option<String>,
}

/// Invite a person to the company.
///
/// The mailed link works once, within seven days. The answer does not reveal whether the address has an account.
#[utoipa::path(post, path = "/api/auth/company/invitation/", operation_id = "invite_member", tag = "company",
    request_body(content = InviteMember, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = CompanyEntry), (status = 400, body = Problem), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn invite(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<InviteMember>,
) -> Result<(StatusCode, Json<CompanyEntry>)> {
    let mut errors = FieldErrors::default();
    let email = errors.check("email", form.email.parse::<Email>());
    let role = errors.check("role", form.role.parse::<CompanyRole>());
    errors.into_result()?;
    let (Some(email), Some(role)) = (email, role) else {
        return Err(Error::internal());
    };
    let account = load_account(&portal, person).await?;
    reauthenticate(&portal, &account, form.password.as_deref()).await?;
    portal
        .limits
        .invitation(person.account, email.as_str())
        .await?;
    let invited = portal.service.invite_member(person.account, &email, role);
    refusal(invited.await?)?;
    Ok((StatusCode::CREATED, entry(&portal, person).await?))
}

/// Withdraw an invitation. Its link stops working.
#[utoipa::path(delete, path = "/api/auth/company/invitation/{id}/", operation_id = "withdraw_member_invitation",
    tag = "company", params(("id" = i64, Path)), responses((status = 204), (status = 404, body = Refusal)))]
pub(crate) async fn withdraw(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let id = parse_id(&id)?;
    let withdrawn = portal
        .service
        .withdraw_member_invitation(person.account, id);
    refusal(withdrawn.await?)?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct SetMemberRole {
    #[serde(default)]
    #[schema(value_type = CompanyRoleChoice, required)]
    role: String,
    /// The caller's current password, for confirmation.
    #[schema(value_type = String, required)]
    password: Option<String>,
}

/// Change the role of a company member. The company must keep at least one owner.
#[utoipa::path(patch, path = "/api/auth/company/member/{id}/", operation_id = "set_member_role", tag = "company",
    params(("id" = i64, Path)),
    request_body(content = SetMemberRole, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn set_role(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
    Form(form): Form<SetMemberRole>,
) -> Result<StatusCode> {
    let id = AccountId(parse_id(&id)?);
    let role = form.role.parse::<CompanyRole>();
    let role = role.map_err(|message| Error::field("role", message))?;
    let account = load_account(&portal, person).await?;
    reauthenticate(&portal, &account, form.password.as_deref()).await?;
    let changed = portal.service.set_member_role(person.account, id, role);
    refusal(changed.await?)?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct RemoveMember {
    /// The caller's current password, for confirmation.
    #[schema(value_type = String, required)]
    password: Option<String>,
}

/// Remove a member from the company.
///
/// All sessions of the member end at once. Journal entries keep the member's name.
#[utoipa::path(delete, path = "/api/auth/company/member/{id}/", operation_id = "remove_member", tag = "company",
    params(("id" = i64, Path)),
    request_body(content = RemoveMember, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn remove(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
    Form(form): Form<RemoveMember>,
) -> Result<StatusCode> {
    let id = AccountId(parse_id(&id)?);
    let account = load_account(&portal, person).await?;
    reauthenticate(&portal, &account, form.password.as_deref()).await?;
    let removed = portal.service.remove_member(person.account, id);
    refusal(removed.await?)?;
    Ok(StatusCode::NO_CONTENT)
}
