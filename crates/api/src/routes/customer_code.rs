//! The end of a commissioning: the electrician hands the system over to the customer by a code, on the screen, on paper or by mail.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::Form;
use crate::parameter::{BinaryFile, EmailAddress};
use crate::path::Path;
use crate::protocol::{
    CustomerPage, customer_page, find_protocol, pdf, pdf_answer, protocol_name, protocol_number,
    sheet,
};
use crate::qr::{Qr, QrMatrix};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::clock::Millis;
use domain::code::Code;
use domain::{Email, Lang, Message};
use serde::{Deserialize, Serialize};
use service::customer_code::{IssuedCode, MailedCode};
use store::Access;
use store::commissioning::Commissioning;
use utoipa::ToSchema;

/// A code for the customer. Shown only once.
#[derive(Serialize, ToSchema)]
pub(crate) struct CustomerCodeShown {
    code: String,
    /// The content of the QR code: the page where the code is entered.
    link: String,
    qr: Qr,
    /// When the code expires; Unix time in milliseconds.
    until: Millis,
}

/// A protocol with its units, each of which the caller may commission.
struct Handed {
    protocol: Commissioning,
    units: Vec<Access>,
}

impl Handed {
    async fn find(portal: &Portal, systems: &Systems, id: &str) -> Result<Self> {
        let (protocol, _) = find_protocol(portal, systems, id).await?;
        let mut units = Vec::with_capacity(protocol.systems.len());
        for sn in &protocol.systems {
            units.push(systems.find(sn.as_str())?.clone());
        }
        Ok(Self { protocol, units })
    }

    /// The code that the caller was shown, if it is still valid.
    async fn code(&self, portal: &Portal, text: &str) -> Result<IssuedCode> {
        let unknown = || Error::field("code", Message::CodeUnknown);
        let code: Code = text.parse().map_err(|_| unknown())?;
        let found = portal.service.find_customer_code(self.protocol.id, &code);
        found.await?.ok_or_else(unknown)
    }
}

/// Create a code with which the customer becomes the owner of a protocol's units.
///
/// It works once, for at most 30 days, while the units have no owner and the company has service access. An earlier code stops
/// working.
#[utoipa::path(post, path = "/api/auth/commissioning/protocol/{id}/customer_code/", operation_id = "issue_customer_code",
    tag = "commissioning", params(("id" = i64, Path)),
    responses((status = 201, body = CustomerCodeShown), (status = 409, body = Refusal)))]
pub(crate) async fn issue(
    State(portal): State<Portal>,
    systems: Systems,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<CustomerCodeShown>)> {
    let handed = Handed::find(&portal, &systems, &id).await?;
    let issued = portal
        .service
        .issue_customer_code(&handed.units, handed.protocol.id);
    let owned = Error::Refused(StatusCode::CONFLICT, Message::AlreadyOwned);
    let issued = issued.await?.ok_or(owned)?;
    let shown = CustomerCodeShown {
        qr: QrMatrix::new(&issued.link)?.picture(),
        code: issued.code.as_str().to_owned(),
        link: issued.link,
        until: issued.until,
    };
    Ok((StatusCode::CREATED, Json(shown)))
}

/// Withdraw the customer code of a protocol.
#[utoipa::path(delete, path = "/api/auth/commissioning/protocol/{id}/customer_code/", operation_id = "withdraw_customer_code",
    tag = "commissioning", params(("id" = i64, Path)),
    responses((status = 204)))]
pub(crate) async fn withdraw(
    State(portal): State<Portal>,
    systems: Systems,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let handed = Handed::find(&portal, &systems, &id).await?;
    let withdrawn = portal
        .service
        .withdraw_customer_code(&handed.units, handed.protocol.id);
    match withdrawn.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct PrintWithCode {
    /// The customer code, as it was issued.
    #[serde(default)]
    #[schema(required)]
    code: String,
}

/// Get the protocol as a PDF with a last page for the customer: the code as a QR code and as text.
///
/// The code is sent in the body, so that it appears in no log.
#[utoipa::path(post, path = "/api/auth/commissioning/protocol/{id}/pdf/", operation_id = "print_protocol_with_code",
    tag = "commissioning", params(("id" = i64, Path)),
    request_body(content = PrintWithCode, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "a file", content_type = "application/pdf", body = BinaryFile),
        (status = 400, body = Problem)))]
pub(crate) async fn print(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
    Form(form): Form<PrintWithCode>,
) -> Result<Response> {
    let handed = Handed::find(&portal, &systems, &id).await?;
    let issued = handed.code(&portal, &form.code).await?;
    let lang = language(&headers);
    let page = handed.page(&issued, lang)?;
    let Handed { protocol, units } = handed;
    let name = protocol_number(&protocol);
    let zone = units.first().ok_or(Error::not_found())?.zone().clone();
    let set = move || pdf(&sheet(&protocol, &zone, lang), Some(&page), lang);
    pdf_answer(&portal, &name, set).await
}

impl Handed {
    fn page(&self, issued: &IssuedCode, lang: Lang) -> Result<CustomerPage> {
        let zone = self.units.first().ok_or(Error::not_found())?.zone();
        let last_day = zone.day_of(issued.until - 1);
        let code = issued.code.as_str();
        Ok(customer_page(
            QrMatrix::new(&issued.link)?,
            code,
            last_day,
            lang,
        ))
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct MailProtocol {
    /// The customer's e-mail address, to which the code is sent. Only if the system has no owner.
    #[serde(default)]
    #[schema(value_type = EmailAddress)]
    email: String,
    /// The customer code, as it was issued. Only if the system has no owner.
    #[serde(default)]
    code: String,
}

/// Mail the owner a link to the protocol or, if the system has no owner, the customer code to the customer's address. The answer
/// reveals nothing about their accounts.
#[utoipa::path(post, path = "/api/auth/commissioning/protocol/{id}/mail/", operation_id = "mail_protocol", tag = "commissioning",
    params(("id" = i64, Path)),
    request_body(content = MailProtocol, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn mail(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Path(id): Path<String>,
    Form(form): Form<MailProtocol>,
) -> Result<StatusCode> {
    let handed = Handed::find(&portal, &systems, &id).await?;
    if let Some(owner) = handed.units.iter().find_map(Access::owner) {
        let mailbox = format!("account {owner}");
        portal.limits.invitation(person.account, &mailbox).await?;
        let protocol = protocol_name(&handed.protocol);
        let mailed = portal.service.mail_protocol(&handed.units, &protocol);
        return match mailed.await? {
            true => Ok(StatusCode::NO_CONTENT),
            false => Err(Error::not_found()),
        };
    }
    let mut errors = FieldErrors::default();
    let email = errors.check("email", form.email.parse::<Email>());
    errors.into_result()?;
    let email = email.ok_or_else(Error::internal)?;
    let issued = handed.code(&portal, &form.code).await?;
    let mailbox = email.to_string();
    portal.limits.invitation(person.account, &mailbox).await?;
    let mailed = portal.service.mail_customer_code(MailedCode {
        units: &handed.units,
        protocol: handed.protocol.id,
        code: &issued.code,
        email: &email,
    });
    match mailed.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::field("code", Message::CodeUnknown)),
    }
}
