//! Templates of settings: owned by an electrician, and validated like settings.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::error::{Error, FieldErrors, Problem, Result};
use crate::form::{Form, parse_id};
use crate::path::Path;
use crate::settings::{SettingValues, TemplateForm};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Message;
use domain::clock::Millis;
use domain::setting::{Settings, TemplateName};
use serde::Serialize;
use store::setting::{Template, TemplateChange};
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct TemplateEntry {
    id: i64,
    name: String,
    /// The fields that the template sets.
    fields: SettingValues,
    /// When the template was created; Unix time in milliseconds.
    created_at: Millis,
}

impl From<Template> for TemplateEntry {
    fn from(template: Template) -> Self {
        Self {
            id: template.id,
            name: template.name,
            fields: SettingValues::of(&template.fields),
            created_at: template.created_at,
        }
    }
}

/// List the caller's templates, sorted by name.
#[utoipa::path(get, path = "/api/auth/settings/template/", operation_id = "list_templates", tag = "settings",
    responses((status = 200, body = [TemplateEntry])))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
) -> Result<Json<Vec<TemplateEntry>>> {
    let templates = portal.store.templates(person.account).await?;
    Ok(Json(
        templates.into_iter().map(TemplateEntry::from).collect(),
    ))
}

/// Create a template with a name and at least one field.
#[utoipa::path(post, path = "/api/auth/settings/template/", operation_id = "create_template", tag = "settings",
    request_body(content = TemplateForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = TemplateEntry), (status = 400, body = Problem)))]
pub(crate) async fn create(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<TemplateForm>,
) -> Result<(StatusCode, Json<TemplateEntry>)> {
    let mut errors = FieldErrors::default();
    let name = errors.check("name", form.name().unwrap_or_default().parse());
    let fields = read_fields(&form, &mut errors);
    errors.into_result()?;
    let (Some(name), Some(fields)) = (name, fields) else {
        return Err(nothing_to_change());
    };
    let service = &portal.service;
    let created = service.create_template(person.account, &name, &fields);
    let id = created
        .await?
        .ok_or(Error::field("name", Message::TooManyTemplates))?;
    let template = show(&portal, person, id).await?;
    Ok((StatusCode::CREATED, template))
}

/// Change the name or the fields of a template. Parameters that are left out keep their value.
#[utoipa::path(patch, path = "/api/auth/settings/template/{id}/", operation_id = "change_template", tag = "settings",
    params(("id" = i64, Path)),
    request_body(content = TemplateForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = TemplateEntry), (status = 400, body = Problem)))]
pub(crate) async fn change(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
    Form(form): Form<TemplateForm>,
) -> Result<Json<TemplateEntry>> {
    let id = parse_id(&id)?;
    let mut errors = FieldErrors::default();
    let name: Option<TemplateName> = form
        .name()
        .and_then(|name| errors.check("name", name.parse()));
    let fields = read_fields(&form, &mut errors);
    errors.into_result()?;
    let change = TemplateChange { name, fields };
    let changed = portal.service.change_template(person.account, id, &change);
    match changed.await? {
        true => show(&portal, person, id).await,
        false => Err(Error::not_found()),
    }
}

/// Delete a template. Settings made with it are kept.
#[utoipa::path(delete, path = "/api/auth/settings/template/{id}/", operation_id = "delete_template", tag = "settings",
    params(("id" = i64, Path)),
    responses((status = 204)))]
pub(crate) async fn delete(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let id = parse_id(&id)?;
    let deleted = portal.service.delete_template(person.account, id);
    match deleted.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}

/// `None` if no field is given.
fn read_fields(form: &TemplateForm, errors: &mut FieldErrors) -> Option<Settings> {
    let input = form.input();
    match input.template() {
        Ok(_) if input.fields.is_empty() => None,
        Ok(fields) => Some(fields),
        Err(wrong) => {
            for (field, message) in wrong {
                errors.add(field.name(), message);
            }
            None
        }
    }
}

async fn show(portal: &Portal, person: PersonCaller, id: i64) -> Result<Json<TemplateEntry>> {
    let templates = portal.store.templates(person.account).await?;
    let template = templates.into_iter().find(|template| template.id == id);
    Ok(Json(template.ok_or(Error::not_found())?.into()))
}

const fn nothing_to_change() -> Error {
    Error::Refused(StatusCode::BAD_REQUEST, Message::NothingToChange)
}
