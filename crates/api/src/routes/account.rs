//! The caller's account: profile, password and e-mail address.
use crate::caller::{PersonCaller, RoleName};
use crate::client::ClientAddress;
use crate::company_role::CompanyRoleName;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result};
use crate::form::{Form, parse_mailed_token};
use crate::new_password::check_new_password;
use crate::own_account::{load_account, reauthenticate};
use crate::parameter::{AddressText, CountryCode, EmailAddress, LanguageCode, NameText};
use crate::passkey::PasskeyEntry;
use crate::second_factor::TotpEntry;
use crate::{Lane, Portal};
use axum::Json;
use axum::extract::State;
use domain::account::{parse_postal_address, parse_public_name};
use domain::company::CompanyRight;
use domain::{Country, Email, Lang, Message, Password, Phone, Role};
use serde::{Deserialize, Serialize};
use store::account::{Account, ProfileChange};
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct AccountEntry {
    email: String,
    role: RoleName,
    phone: String,
    country: String,
    /// An electrician's own name, which others see next to the company's name. Null for owners.
    #[schema(required)]
    name: Option<String>,
    /// The name of an electrician's company. Null for owners.
    company: Option<String>,
    /// An owner's postal address. Electricians see it only if the owner shares it.
    #[schema(required)]
    address: Option<String>,
    /// The electrician's role in the company. Null for owners.
    #[schema(required, inline)]
    company_role: Option<CompanyRoleName>,
    language: String,
    /// When the account was created; Unix time in milliseconds.
    created_at: i64,
    terms_version: String,
    /// The number of active sessions, including this one.
    sessions: usize,
    /// Whether a new e-mail address waits for confirmation. Until its mailed link is opened, the old address stays in use.
    email_pending: bool,
    totp: TotpEntry,
    /// The account's passkeys, oldest first.
    passkeys: Vec<PasskeyEntry>,
}

async fn entry(
    portal: &Portal,
    account: Account,
    email_pending: bool,
) -> Result<Json<AccountEntry>> {
    let passkeys = portal.store.passkeys(account.id()).await?;
    Ok(Json(AccountEntry {
        passkeys: passkeys.into_iter().map(PasskeyEntry::from).collect(),
        totp: TotpEntry::load(portal, &account).await?,
        role: account.role()?.into(),
        company_role: account.membership()?.map(|it| it.role.into()),
        sessions: portal
            .store
            .count_sessions(account.id(), portal.now())
            .await?,
        email: account.email,
        phone: account.phone,
        address: account.address,
        country: account.country,
        name: account.name,
        company: account.company,
        language: account.language,
        created_at: account.created_at,
        terms_version: account.terms_version,
        email_pending,
    }))
}

/// Get the caller's account.
#[utoipa::path(get, path = "/api/auth/account/", tag = "account",
    responses((status = 200, body = AccountEntry)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    person: PersonCaller,
) -> Result<Json<AccountEntry>> {
    let account = load_account(&portal, person).await?;
    entry(&portal, account, false).await
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangeAccount {
    #[schema(value_type = String, required = false)]
    phone: Option<String>,
    /// The owner's postal address. An empty value removes it.
    #[schema(value_type = AddressText, required = false)]
    address: Option<String>,
    #[schema(value_type = CountryCode, required = false)]
    country: Option<String>,
    /// The electrician's own name.
    #[schema(value_type = NameText, required = false)]
    name: Option<String>,
    /// The name of the electrician's company. Only owners of the company may change it.
    #[schema(value_type = NameText, required = false)]
    company: Option<String>,
    #[schema(value_type = LanguageCode, required = false)]
    language: Option<String>,
    /// A new e-mail address. Requires `password`.
    #[schema(value_type = EmailAddress, required = false)]
    email: Option<String>,
    /// A new password. Requires `password`.
    #[schema(value_type = String, required = false)]
    new_password: Option<String>,
    #[schema(value_type = String, required = false)]
    new_password2: Option<String>,
    /// The current password, for confirmation.
    #[schema(value_type = String, required = false)]
    password: Option<String>,
}

/// Change the caller's account.
///
/// Changes profile, language, password or e-mail address. Parameters that are left out keep their value.
#[utoipa::path(patch, path = "/api/auth/account/", tag = "account",
    request_body(content = ChangeAccount, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = AccountEntry), (status = 400, body = Problem), (status = 403, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn change(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<ChangeAccount>,
) -> Result<Json<AccountEntry>> {
    let account = load_account(&portal, person).await?;
    let AccountChange {
        profile,
        email,
        password,
    } = check(&form, &account)?;
    if email.is_some() || password.is_some() {
        reauthenticate(&portal, &account, form.password.as_deref()).await?;
    }
    if let Some(profile) = profile {
        portal
            .service
            .change_profile(person.account, &profile)
            .await?;
    }
    if let Some(password) = password {
        let hash = portal.passwords.hash(&password, Lane::Known).await?;
        portal
            .service
            .change_password(person.account, &hash, &person.session)
            .await?;
    }
    let email_pending = email.is_some();
    // An address already in use gets no mail, and the caller gets the same answer.
    if let Some(email) = email
        && portal.limits.may_mail(email.as_str()).await?
    {
        portal
            .service
            .send_email_change(person.account, &email)
            .await?;
    }
    let account = load_account(&portal, person).await?;
    entry(&portal, account, email_pending).await
}

/// The validated changes of a request.
struct AccountChange {
    profile: Option<ProfileChange>,
    email: Option<Email>,
    password: Option<Password>,
}

fn check(form: &ChangeAccount, account: &Account) -> Result<AccountChange> {
    let mut errors = FieldErrors::default();
    let country = form
        .country
        .as_deref()
        .and_then(|text| errors.check("country", text.parse::<Country>()));
    // A new country alone leaves the phone unchanged; a new phone number is parsed for the country that will be stored.
    let reading = country
        .or_else(|| account.country.parse().ok())
        .unwrap_or(Country::Germany);
    let phone = form
        .phone
        .as_deref()
        .and_then(|text| errors.check("phone", Phone::parse(text, reading)));
    let language = form
        .language
        .as_deref()
        .and_then(|text| errors.check("language", text.parse::<Lang>()));
    let is_electrician = account.role()? == Role::Electrician;
    let address = form.address.as_deref().filter(|_| !is_electrician);
    let address = address.and_then(|text| errors.check("address", parse_postal_address(text)));
    let name = form.name.as_deref().filter(|_| is_electrician);
    let name = name.and_then(|text| errors.check("name", parse_public_name(text)));
    let company = form.company.as_deref().filter(|_| is_electrician);
    let membership = account.membership()?;
    let may_rename = membership.is_some_and(|it| it.role.may(CompanyRight::ManageCompany));
    if company.is_some() && !may_rename {
        return Err(Error::forbidden(Message::CompanyRoleTooSmall));
    }
    let company = company.and_then(|text| errors.check("company", parse_public_name(text)));
    let email = form
        .email
        .as_deref()
        .and_then(|text| errors.check("email", text.parse::<Email>()));
    let password = form.new_password.as_deref().and_then(|text| {
        let fields = ["new_password", "new_password2"];
        check_new_password(fields, text, form.new_password2.as_deref(), &mut errors)
    });
    errors.into_result()?;
    let profile = ProfileChange {
        phone,
        address,
        country,
        name,
        company,
        language,
    };
    let given = profile.phone.is_some()
        || profile.address.is_some()
        || country.is_some()
        || profile.name.is_some()
        || profile.company.is_some()
        || language.is_some();
    Ok(AccountChange {
        profile: given.then_some(profile),
        email: email.filter(|e| e.as_str() != account.email),
        password,
    })
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ConfirmEmail {
    #[serde(default)]
    #[schema(required)]
    token: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct EmailChanged {
    email: String,
}

/// Confirm a new e-mail address with the mailed link. The old address gets a notification.
#[utoipa::path(post, path = "/api/auth/account/email/confirm/", tag = "account",
    request_body(content = ConfirmEmail, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = EmailChanged), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn confirm_email(
    State(portal): State<Portal>,
    client: ClientAddress,
    Form(form): Form<ConfirmEmail>,
) -> Result<Json<EmailChanged>> {
    portal.limits.token(client.0).await?;
    let token = parse_mailed_token(&form.token)?;
    let email = portal.service.change_email(&token).await?;
    Ok(Json(EmailChanged {
        email: email.ok_or(Error::link_invalid())?.to_string(),
    }))
}
