//! The OpenAPI document. Handlers describe their calls; the authorisation table adds what many calls share: how callers
//! authenticate, and the refusals that happen before the handler.
use crate::caller::{CallerKind, Rule};
use crate::error::{Problem, Refusal};
use crate::{parameter, route_table};
use utoipa::OpenApi as _;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, Content, ContentBuilder, OpenApi, PathItem, Ref, RefOr, Required, Response,
    ResponseBuilder, Schema,
};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Suncellar",
        description = "The API of the portal for home batteries. Requests are form-encoded, answers are JSON."
    ),
    components(schemas(Problem, Refusal))
)]
struct ApiDocument;

/// How a caller authenticates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Credential {
    Person,
    Partner,
    Battery,
}

impl Credential {
    const ALL: [Self; 3] = [Self::Person, Self::Partner, Self::Battery];

    /// `None` for callers without authentication.
    const fn of(caller: CallerKind) -> Option<Self> {
        match caller {
            CallerKind::Guest => None,
            CallerKind::Owner
            | CallerKind::Unlinked
            | CallerKind::Electrician
            | CallerKind::Company(_)
            | CallerKind::Unenrolled => Some(Self::Person),
            CallerKind::Partner(_) => Some(Self::Partner),
            CallerKind::Battery => Some(Self::Battery),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Partner => "partner",
            Self::Battery => "battery",
        }
    }

    const fn scheme(self) -> (HttpAuthScheme, &'static str) {
        match self {
            Self::Person => (HttpAuthScheme::Bearer, "The access token of a session"),
            Self::Partner => (
                HttpAuthScheme::Bearer,
                "The access token of a partner app with an owner's consent",
            ),
            Self::Battery => (
                HttpAuthScheme::Basic,
                "Serial number and secret, as on the device link",
            ),
        }
    }
}

/// The OpenAPI document, without a running server.
pub fn openapi() -> OpenApi {
    let mut document = route_table::describe(ApiDocument::openapi(), complete);
    let components = document.components.get_or_insert_default();
    parameter::add_to(components);
    for credential in Credential::ALL {
        let (scheme, about) = credential.scheme();
        let scheme = HttpBuilder::new().scheme(scheme).description(Some(about));
        let scheme = SecurityScheme::Http(scheme.build());
        components.add_security_scheme(credential.name(), scheme);
    }
    let components = components.clone();
    for item in document.paths.paths.values_mut() {
        for (_, call) in calls(item) {
            let_empty_form_be_left_out(call, &components);
        }
    }
    document
}

/// The calls under a path, and whether they change something.
fn calls(item: &mut PathItem) -> impl Iterator<Item = (bool, &mut Operation)> {
    let reading = item.get.iter_mut().map(|call| (false, call));
    let changing = [&mut item.post, &mut item.patch, &mut item.delete];
    reading.chain(changing.into_iter().flatten().map(|call| (true, call)))
}

/// A form in which no field is required may be missing altogether.
fn let_empty_form_be_left_out(call: &mut Operation, components: &Components) {
    let Some(RefOr::T(body)) = &mut call.request_body else {
        return;
    };
    let has_required_field = |content: &RefOr<Content>| {
        let RefOr::T(Content {
            schema: Some(RefOr::Ref(form)),
            ..
        }) = content
        else {
            return true;
        };
        let name = form.ref_location.rsplit('/').next().unwrap_or_default();
        match components.schemas.get(name) {
            Some(RefOr::T(Schema::Object(form))) => !form.required.is_empty(),
            _ => true,
        }
    };
    if !body.content.values().any(has_required_field) {
        body.required = Some(Required::False);
    }
}

/// Adds to a route's calls what follows from its rule.
fn complete(item: &mut PathItem, rule: &Rule) {
    for (changes, call) in calls(item) {
        add_refusals(call, rule, changes);
        if !rule.admits_guests() {
            call.security = Some(credentials(rule));
        }
    }
}

fn credentials(rule: &Rule) -> Vec<SecurityRequirement> {
    let mut all: Vec<Credential> = Vec::new();
    for credential in rule.callers.iter().copied().filter_map(Credential::of) {
        if !all.contains(&credential) {
            all.push(credential);
        }
    }
    let scopes: [&str; 0] = [];
    let requirement = |one: Credential| SecurityRequirement::new(one.name(), scopes);
    all.into_iter().map(requirement).collect()
}

/// Adds the refusals that happen before a handler. Statuses that the handler describes itself are kept.
fn add_refusals(call: &mut Operation, rule: &Rule, changes: bool) {
    let has_parameter = |place: &ParameterIn| {
        let mut parameters = call.parameters.iter().flatten();
        parameters.any(
            |it| matches!(it, RefOr::T(Parameter { parameter_in, .. }) if parameter_in == place),
        )
    };
    let (has_path, has_query) = (
        has_parameter(&ParameterIn::Path),
        has_parameter(&ParameterIn::Query),
    );
    let has_body = call.request_body.is_some();
    let operation = |tags: &Vec<String>| tags.iter().any(|tag| tag == "operation");
    let uses_database = !call.tags.as_ref().is_some_and(operation);
    let identified = !rule.admits_guests();
    let refusals = [
        (
            has_path || has_query || has_body,
            "400",
            "The request is malformed: a parameter is repeated, or not text.",
        ),
        (identified, "401", "Authentication is missing or invalid."),
        (
            identified,
            "403",
            "The caller may not make this call, or lacks the right to the system.",
        ),
        (
            has_path,
            "404",
            "Not found. Other people's resources get the same answer.",
        ),
        (
            changes && identified,
            "409",
            "Another request changed the same data in the meantime.",
        ),
        (
            identified,
            "429",
            "too often, or the caller leaves too much unread",
        ),
        (has_body, "408", "the body did not come in time"),
        (has_body, "413", "the body is too long"),
        (uses_database, "503", "the database does not answer"),
    ];
    for (_, status, about) in refusals.into_iter().filter(|(applies, ..)| *applies) {
        let responses = &mut call.responses.responses;
        responses
            .entry(status.to_owned())
            .or_insert_with(|| refusal(about).into());
    }
}

fn refusal(about: &str) -> Response {
    let body = Ref::from_schema_name(<Refusal as utoipa::ToSchema>::name());
    let content = ContentBuilder::new().schema(Some(body)).build();
    let response = ResponseBuilder::new().description(about);
    response.content("application/json", content).build()
}
