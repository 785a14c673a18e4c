//! The parameter of a path.
use crate::error::{Error, Result};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// A path parameter. An unreadable one gets the same answer as an unknown id or serial number.
pub(crate) struct Path<T>(pub(crate) T);

impl<S: Send + Sync> FromRequestParts<S> for Path<String> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let read = axum::extract::Path::<String>::from_request_parts(parts, state).await;
        match read {
            // PostgreSQL cannot read NUL.
            Ok(axum::extract::Path(text)) if !text.contains('\0') => Ok(Self(text)),
            _ => Err(Error::not_found()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Path<(String, String)> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let read = axum::extract::Path::<(String, String)>::from_request_parts(parts, state).await;
        match read {
            Ok(axum::extract::Path((one, other)))
                if !one.contains('\0') && !other.contains('\0') =>
            {
                Ok(Self((one, other)))
            }
            _ => Err(Error::not_found()),
        }
    }
}
