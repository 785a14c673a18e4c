//! The input of a form: any of the fields, with the versions that the caller has read.
use crate::error::{Error, Result};
use crate::form::ticked;
use crate::parameter::{self, Switch, SystemsOrAll, TemplateNameText, Versions};
use domain::Message;
use domain::setting::{Field, SettingsInput};
use serde::Deserialize;
use std::collections::BTreeMap;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{IntoParams, PartialSchema, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct SettingsQuery {
    /// One serial number, or several separated by commas.
    #[serde(default)]
    #[param(value_type = SystemsOrAll)]
    pub(crate) sn: String,
}

/// The fields to change, with `version`, `password` and `acknowledge_14a`.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct SettingsForm(BTreeMap<String, String>);

impl SettingsForm {
    pub(crate) fn input(&self) -> SettingsInput {
        let known = self.0.iter().filter_map(|(name, text)| {
            let field: Field = name.parse().ok()?;
            Some((field, text.clone()))
        });
        SettingsInput {
            fields: known.collect(),
            acknowledges: self
                .0
                .get("acknowledge_14a")
                .is_some_and(|text| ticked(text)),
        }
    }

    pub(crate) fn version(&self) -> &str {
        self.0.get("version").map_or("", String::as_str)
    }

    pub(crate) fn password(&self) -> Option<&str> {
        self.0.get("password").map(String::as_str)
    }
}

fn text(about: &str) -> ObjectBuilder {
    let text = ObjectBuilder::new().schema_type(Type::String);
    text.description(Some(about))
}

fn switch(about: &str) -> Ref {
    let mut switch = parameter::reference::<Switch>();
    switch.description = about.into();
    switch
}

/// Every field is optional.
fn with_fields(form: ObjectBuilder, fields: impl Iterator<Item = Field>) -> RefOr<Schema> {
    let fields = fields.fold(form, |form, field| {
        let schema = parameter::setting(field).description(Some(field.kind().name()));
        form.property(field.name(), schema)
    });
    fields.into()
}

fn with_version_and_notice(form: ObjectBuilder) -> ObjectBuilder {
    form.property("version", parameter::reference::<Versions>())
        .property(
            "acknowledge_14a",
            switch("Whether the notice under §14a EnWG was acknowledged"),
        )
}

impl PartialSchema for SettingsForm {
    fn schema() -> RefOr<Schema> {
        let form = with_version_and_notice(ObjectBuilder::new());
        let form = form.required("version").property(
            "password",
            text("The current password. Required if a wiring field changes"),
        );
        with_fields(form, Field::all())
    }
}

impl ToSchema for SettingsForm {}

/// The fields to change at several systems, with `version`, `acknowledge_14a` and `dry_run`.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct BatchForm(SettingsForm);

impl BatchForm {
    pub(crate) fn input(&self) -> SettingsInput {
        self.0.input()
    }

    pub(crate) fn version(&self) -> &str {
        self.0.version()
    }

    pub(crate) fn is_dry_run(&self) -> bool {
        self.0.0.get("dry_run").is_some_and(|text| ticked(text))
    }
}

impl PartialSchema for BatchForm {
    fn schema() -> RefOr<Schema> {
        let form = with_version_and_notice(ObjectBuilder::new()).property(
            "dry_run",
            switch("Returns what would change, without changing anything. `version` may then be left out"),
        );
        with_fields(form, Field::all())
    }
}

impl ToSchema for BatchForm {}

/// The fields of a template, with its `name`.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct TemplateForm(SettingsForm);

impl TemplateForm {
    pub(crate) fn input(&self) -> SettingsInput {
        self.0.input()
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.0.0.get("name").map(String::as_str)
    }
}

impl PartialSchema for TemplateForm {
    fn schema() -> RefOr<Schema> {
        let name = parameter::reference::<TemplateNameText>();
        let form = ObjectBuilder::new().property("name", name);
        // Prices belong to the household, and a token to one system.
        let fields = Field::all().filter(|field| !field.is_money() && field.is_in_document());
        with_fields(form, fields)
    }
}

impl ToSchema for TemplateForm {}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ResetForm {
    /// The version that was read; one per serial number, separated by commas.
    #[serde(default)]
    #[schema(value_type = Versions, required)]
    pub(crate) version: String,
    /// `true` also resets the wiring fields.
    #[serde(default)]
    #[schema(value_type = Switch)]
    pub(crate) wiring: String,
    /// The current password. Required if a wiring field changes.
    #[schema(value_type = String, required = false)]
    pub(crate) password: Option<String>,
}

/// One version for each of `count` systems.
pub(crate) fn versions(text: &str, count: usize) -> Result<Vec<i64>> {
    if text.trim().is_empty() {
        return Err(Error::field("version", Message::Required));
    }
    let read: std::result::Result<Vec<i64>, _> = text
        .split(',')
        .map(|version| version.trim().parse())
        .collect();
    match read {
        Ok(versions) if versions.len() == count => Ok(versions),
        _ => Err(Error::field("version", Message::VersionInvalid)),
    }
}
