//! What a form asks for: any of the fields, with the versions that were read.
use crate::error::{Error, Result};
use crate::form::ticked;
use domain::Message;
use domain::setting::{Field, Given};
use serde::Deserialize;
use std::collections::BTreeMap;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The fields to change, with `version`, `password` and `acknowledge_14a`.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct SettingsForm(BTreeMap<String, String>);

impl SettingsForm {
    pub(crate) fn given(&self) -> Given {
        let known = self.0.iter().filter_map(|(name, text)| {
            let field: Field = name.parse().ok()?;
            Some((field, text.clone()))
        });
        Given {
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

impl PartialSchema for SettingsForm {
    fn schema() -> RefOr<Schema> {
        let text = |about: &str| {
            let text = ObjectBuilder::new().schema_type(Type::String);
            text.description(Some(about))
        };
        let form = ObjectBuilder::new()
            .property(
                "version",
                text("What was read; one for each serial number, separated by commas"),
            )
            .required("version")
            .property(
                "password",
                text("Typed again, when a field of the wiring changes"),
            )
            .property(
                "acknowledge_14a",
                text("`true` when the notice under §14a EnWG was read"),
            );
        let fields = Field::all().fold(form, |form, field| {
            form.property(field.name(), text(field.kind().name()))
        });
        fields.into()
    }
}

impl ToSchema for SettingsForm {}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ResetForm {
    /// What was read; one for each serial number, separated by commas.
    #[serde(default)]
    pub(crate) version: String,
    /// `true` resets the fields of the wiring, too.
    #[serde(default)]
    #[schema(value_type = bool)]
    pub(crate) wiring: String,
    /// Typed again, when a field of the wiring changes.
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
