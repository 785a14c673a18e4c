//! Registration: effective at once with a registration code, otherwise after the mailed link is opened.
use crate::caller::RoleName;
use crate::claim::{ClaimEntry, KeyResult};
use crate::client::ClientAddress;
use crate::confirmation_mail::not_queued;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::{Form, parse_mailed_token};
use crate::new_account::NewAccountForm;
use crate::parameter::{CountryCode, EmailAddress, RoleChoice, Switch};
use crate::{Lane, Portal};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::account::parse_public_name;
use domain::key::{KeyStatus, MAX_KEYS};
use domain::{Email, Key, Lang, Message, Password, Role};
use serde::{Deserialize, Serialize};
use service::registration::{Confirmation, Registration};
use store::account::Profile;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct Register {
    #[serde(default)]
    #[schema(value_type = EmailAddress, required)]
    email: String,
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
    /// `user` (an owner) or `electrician`.
    #[serde(default)]
    #[schema(value_type = RoleChoice, required)]
    role: String,
    #[serde(default)]
    #[schema(value_type = Switch, required)]
    terms: String,
    /// For owners: serial numbers or registration codes. The second and third are optional.
    #[serde(default)]
    sn1: String,
    #[serde(default)]
    sn2: String,
    #[serde(default)]
    sn3: String,
    /// For electricians: the name of the company.
    #[serde(default)]
    company: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Registered {
    /// Whether the mailed link must be opened first.
    confirm: bool,
    keys: Vec<KeyResult>,
    /// A token for `register/claims/`. Null until the account exists.
    #[schema(required)]
    watch: Option<String>,
}

const KEY_FIELDS: [&str; MAX_KEYS] = ["sn1", "sn2", "sn3"];

/// Create an account.
///
/// With a valid registration code, the account is ready to use (201). Otherwise the mailed link must be opened first (202); that
/// answer does not reveal whether the address has an account already.
#[utoipa::path(post, path = "/api/auth/register/", tag = "registration",
    request_body(content = Register, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = Registered), (status = 202, body = Registered), (status = 400, body = Problem),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn register(
    State(portal): State<Portal>,
    client: ClientAddress,
    headers: HeaderMap,
    Form(form): Form<Register>,
) -> Result<(StatusCode, Json<Registered>)> {
    let lang = language(&headers);
    let CheckedForm {
        profile,
        password,
        keys,
    } = check(&form, lang)?;
    portal.limits.register(client.0).await?;
    portal.limits.keys(client.0, None, keys.len()).await?;

    let outcomes = validate_keys(&portal, &keys, &profile.email).await?;
    let codes = keys.iter().filter(|(_, key)| matches!(key, Key::Code(_)));
    portal
        .limits
        .keys_were_right(client.0, None, codes.count())
        .await;
    let proven = keys.iter().any(|(_, key)| matches!(key, Key::Code(_)));
    let results = keys
        .iter()
        .zip(&outcomes)
        .map(|((_, key), outcome)| KeyResult::new(key, outcome, lang))
        .collect();
    let plain_keys: Vec<Key> = keys.iter().map(|(_, key)| key.clone()).collect();
    let password_hash = portal.passwords.hash(&password, Lane::Stranger).await?;
    let registration = Registration {
        profile: &profile,
        password_hash: &password_hash,
        keys: &plain_keys,
    };

    if proven {
        let made = portal.service.register(&registration).await;
        if matches!(made, Err(store::Error::Conflict)) {
            // Another person used the same code at the same moment. Validation now reports it at its field.
            validate_keys(&portal, &keys, &profile.email).await?;
        }
        let (account, _) = made?;
        metrics::counter!("registrations_total").increment(1);
        return Ok((
            StatusCode::CREATED,
            Json(Registered {
                confirm: false,
                keys: results,
                watch: Some(portal.tokens.watch(account, portal.now())),
            }),
        ));
    }
    // A mailbox that has reached its limit gets no further mail; the answer stays the same.
    if portal.limits.may_mail(profile.email.as_str()).await? {
        let queued = portal.service.register_by_mail(&registration);
        queued.await.map_err(not_queued)?;
    }
    Ok((
        StatusCode::ACCEPTED,
        Json(Registered {
            confirm: true,
            keys: results,
            watch: None,
        }),
    ))
}

/// A form that passed all validation that needs no database.
pub(crate) struct CheckedForm {
    profile: Profile,
    password: Password,
    pub(crate) keys: Vec<(&'static str, Key)>,
}

pub(crate) fn check(form: &Register, language: Lang) -> Result<CheckedForm> {
    let mut errors = FieldErrors::default();
    let email = errors.check("email", form.email.parse::<Email>());
    let values = NewAccountForm {
        password: &form.password,
        password2: &form.password2,
        country: &form.country,
        phone: &form.phone,
        terms: &form.terms,
    };
    let values = values.check(&mut errors);
    let role = errors.check("role", form.role.parse::<Role>());
    let (mut company, mut keys) = (None, Vec::new());
    match role {
        Some(Role::Electrician) => {
            company = errors.check("company", parse_public_name(&form.company))
        }
        Some(Role::User) => keys = check_keys(form, &mut errors),
        None => {}
    }
    errors.into_result()?;
    let (Some(email), Some(values), Some(role)) = (email, values, role) else {
        return Err(Error::internal());
    };
    Ok(CheckedForm {
        profile: Profile {
            email,
            role,
            phone: values.phone,
            country: values.country,
            company,
            language,
        },
        password: values.password,
        keys,
    })
}

fn check_keys(form: &Register, errors: &mut FieldErrors) -> Vec<(&'static str, Key)> {
    let mut keys: Vec<(&'static str, Key)> = Vec::new();
    for (field, text) in KEY_FIELDS
        .into_iter()
        .zip([&form.sn1, &form.sn2, &form.sn3])
    {
        if text.trim().is_empty() {
            continue;
        }
        let Some(key) = errors.check(field, text.parse::<Key>()) else {
            continue;
        };
        if keys.iter().any(|(_, other)| *other == key) {
            errors.add(field, Message::KeyRepeated);
        } else {
            keys.push((field, key));
        }
    }
    if [&form.sn1, &form.sn2, &form.sn3]
        .iter()
        .all(|text| text.trim().is_empty())
    {
        errors.add("sn1", Message::KeyRequired);
    }
    keys
}

/// All keys must be valid before an account is created with them.
async fn validate_keys(
    portal: &Portal,
    keys: &[(&'static str, Key)],
    email: &Email,
) -> Result<Vec<service::key::KeyOutcome>> {
    let plain: Vec<Key> = keys.iter().map(|(_, key)| key.clone()).collect();
    let outcomes = portal.service.evaluate_keys(&plain, email).await?;
    let mut errors = FieldErrors::default();
    for ((field, _), outcome) in keys.iter().zip(&outcomes) {
        match outcome.status {
            KeyStatus::Linked | KeyStatus::Waiting => {}
            status => errors.add(field, status.message()),
        }
    }
    errors.into_result()?;
    Ok(outcomes)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ConfirmRegistration {
    #[serde(default)]
    #[schema(required)]
    token: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Confirmed {
    role: RoleName,
    keys: Vec<KeyResult>,
    /// A token for `register/claims/`.
    watch: String,
}

/// Confirm a registration with the mailed link. Creates the account and its pending claims.
#[utoipa::path(post, path = "/api/auth/register/confirm/", tag = "registration",
    request_body(content = ConfirmRegistration, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = Confirmed), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn confirm(
    State(portal): State<Portal>,
    client: ClientAddress,
    headers: HeaderMap,
    Form(form): Form<ConfirmRegistration>,
) -> Result<Json<Confirmed>> {
    portal.limits.token(client.0).await?;
    let token = parse_mailed_token(&form.token)?;
    let Some(confirmation) = portal.service.confirm_registration(&token).await? else {
        return Err(Error::link_invalid());
    };
    metrics::counter!("registrations_total").increment(1);
    let lang = language(&headers);
    let Confirmation {
        account,
        role,
        keys,
    } = confirmation;
    let keys = keys
        .into_iter()
        .map(|(sn, outcome)| KeyResult::new(&Key::Serial(sn), &outcome, lang))
        .collect();
    Ok(Json(Confirmed {
        role: role.into(),
        keys,
        watch: portal.tokens.watch(account, portal.now()),
    }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct WatchClaims {
    /// The token from the answer that created the account. Valid while a claim is pending.
    #[serde(default)]
    #[schema(required)]
    watch: String,
}

/// List the pending claims of a new account before its first login.
///
/// The serial numbers wait for the main switch of their battery. A serial number that has left the list is linked to the account.
#[utoipa::path(post, path = "/api/auth/register/claims/", operation_id = "watch_claims", tag = "registration",
    request_body(content = WatchClaims, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = [ClaimEntry]), (status = 400, body = Problem)))]
pub(crate) async fn claims(
    State(portal): State<Portal>,
    Form(form): Form<WatchClaims>,
) -> Result<Json<Vec<ClaimEntry>>> {
    let now = portal.now();
    let account = portal.tokens.read_watch(&form.watch, now);
    let account = account.ok_or(Error::link_invalid())?;
    let claims = portal.store.claims_of(account, now).await?;
    Ok(Json(claims.into_iter().map(ClaimEntry::from).collect()))
}
