//! A page of the demo from its template.
use crate::error::{Error, Result};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};

pub(super) fn page(template: &str, values: minijinja::Value) -> Result<Response> {
    let mut pages = minijinja::Environment::new();
    pages.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    let html = pages.render_str(template, values).map_err(|error| {
        tracing::error!(%error, "demo_page_failed");
        Error::internal()
    })?;
    Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response())
}
