//! Joining an electrician's company with a mailed link.
use crate::client::ClientAddress;
use crate::company_role::CompanyRoleName;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::{Form, parse_mailed_token};
use crate::new_account::NewAccountForm;
use crate::parameter::{CountryCode, NameText, Switch};
use crate::{Lane, Portal};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::account::parse_public_name;
use domain::{Email, Message, Role};
use serde::{Deserialize, Serialize};
use service::company::{CompanyAcceptance, NewMember};
use store::account::Profile;
use store::company::CompanyInvitation;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct OpenInvitation {
    /// The token of the mailed link.
    #[serde(default)]
    #[schema(required)]
    token: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct OpenedInvitation {
    company: String,
    email: String,
    #[schema(inline)]
    role: CompanyRoleName,
    /// Whether the address has an account already. Such an account cannot join, because an account belongs to at most one
    /// company.
    has_account: bool,
}

/// Show an invitation to a company. The token proves access to the mailbox.
#[utoipa::path(post, path = "/api/auth/company/invitation/open/", operation_id = "open_company_invitation", tag = "company",
    request_body(content = OpenInvitation, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = OpenedInvitation), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn open(
    State(portal): State<Portal>,
    client: ClientAddress,
    Form(form): Form<OpenInvitation>,
) -> Result<Json<OpenedInvitation>> {
    portal.limits.token(client.0).await?;
    let invitation = find(&portal, &form.token).await?;
    let email: Email = invitation.email.parse().map_err(|_| Error::internal())?;
    let account = portal.store.account_by_email(&email).await?;
    Ok(Json(OpenedInvitation {
        company: invitation.company_name,
        email: invitation.email,
        role: invitation.role.into(),
        has_account: account.is_some(),
    }))
}

async fn find(portal: &Portal, token: &str) -> Result<CompanyInvitation> {
    let token = parse_mailed_token(token)?;
    let invitation = portal.store.company_invitation(&token, portal.now());
    invitation.await?.ok_or(Error::link_invalid())
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct JoinCompany {
    /// The token of the mailed link.
    #[serde(default)]
    #[schema(required)]
    token: String,
    /// The person's own name, which others see next to the company's name.
    #[serde(default)]
    #[schema(value_type = NameText, required)]
    name: String,
    #[serde(default)]
    #[schema(required)]
    password: String,
    #[serde(default)]
    #[schema(required)]
    password2: String,
    #[serde(default)]
    #[schema(required)]
    phone: String,
    /// ISO 3166-1 alpha-2 code of one of the eleven supported countries.
    #[serde(default)]
    #[schema(value_type = CountryCode, required)]
    country: String,
    #[serde(default)]
    #[schema(value_type = Switch, required)]
    terms: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct JoinedCompany {
    /// The e-mail address to log in with.
    email: String,
    company: String,
}

/// Join a company with the mailed link. Creates an account whose e-mail address is confirmed.
#[utoipa::path(post, path = "/api/auth/company/invitation/accept/", operation_id = "join_company", tag = "company",
    request_body(content = JoinCompany, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = JoinedCompany), (status = 400, body = Problem), (status = 409, body = Refusal),
        (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub(crate) async fn join(
    State(portal): State<Portal>,
    client: ClientAddress,
    headers: HeaderMap,
    Form(form): Form<JoinCompany>,
) -> Result<(StatusCode, Json<JoinedCompany>)> {
    portal.limits.token(client.0).await?;
    let invitation = find(&portal, &form.token).await?;
    let mut errors = FieldErrors::default();
    let name = errors.check("name", parse_public_name(&form.name));
    let values = NewAccountForm {
        password: &form.password,
        password2: &form.password2,
        country: &form.country,
        phone: &form.phone,
        terms: &form.terms,
    };
    let values = values.check(&mut errors);
    errors.into_result()?;
    let (Some(name), Some(values)) = (name, values) else {
        return Err(Error::internal());
    };
    let profile = Profile {
        email: invitation.email.parse().map_err(|_| Error::internal())?,
        role: Role::Electrician,
        phone: values.phone,
        country: values.country,
        company: None,
        language: language(&headers),
    };
    let password_hash = portal
        .passwords
        .hash(&values.password, Lane::Stranger)
        .await?;
    let member = NewMember {
        profile: &profile,
        name: &name,
        password_hash: &password_hash,
    };
    let accepted = portal
        .service
        .accept_company_invitation(&invitation, &member);
    match accepted.await? {
        CompanyAcceptance::Joined(_) => {
            metrics::counter!("registrations_total").increment(1);
            let joined = JoinedCompany {
                email: invitation.email,
                company: invitation.company_name,
            };
            Ok((StatusCode::CREATED, Json(joined)))
        }
        CompanyAcceptance::Unknown => Err(Error::link_invalid()),
        CompanyAcceptance::AddressTaken => Err(Error::Refused(
            StatusCode::CONFLICT,
            Message::CompanyAddressTaken,
        )),
    }
}
