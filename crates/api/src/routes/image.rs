//! Firmware images for batteries. A battery gets only its own image, and can resume a download.
use crate::Portal;
use crate::caller::BatteryCaller;
use crate::error::{Error, Refusal, Result};
use crate::parameter::BinaryFile;
use crate::path::Path;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, RANGE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use std::ops::Range;

/// Get a firmware image that is assigned to the battery. `Range` requests are supported, so an interrupted download can resume.
#[utoipa::path(get, path = "/api/v1/image/{sha256}", operation_id = "firmware_image", tag = "updates",
    params(("sha256" = String, Path, description = "SHA-256 of the image in hexadecimal")),
    responses((status = 200, body = BinaryFile, content_type = "application/octet-stream"),
        (status = 206, body = BinaryFile, content_type = "application/octet-stream"), (status = 416, body = Refusal)))]
pub(crate) async fn image(
    State(portal): State<Portal>,
    battery: BatteryCaller,
    headers: HeaderMap,
    Path(sha256): Path<String>,
) -> Result<Response> {
    if !portal
        .store
        .may_download_image(&battery.sn, &sha256)
        .await?
    {
        return Err(Error::not_found());
    }
    let image = portal.image_cache.load(&portal.store, &sha256).await?;
    let wanted = headers.get(RANGE).and_then(|value| value.to_str().ok());
    let Some(wanted) = wanted else {
        return answer(StatusCode::OK, None, image);
    };
    let Some(range) = range(wanted, image.len()) else {
        return Err(Error::range_not_satisfiable());
    };
    let content_range = format!("bytes {}-{}/{}", range.start, range.end - 1, image.len());
    answer(
        StatusCode::PARTIAL_CONTENT,
        Some(content_range),
        image.slice(range),
    )
}

fn answer(status: StatusCode, range: Option<String>, body: Bytes) -> Result<Response> {
    let mut response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/octet-stream")
        .header(ACCEPT_RANGES, "bytes")
        .header(CONTENT_LENGTH, body.len());
    if let Some(range) = range {
        response = response.header(CONTENT_RANGE, range);
    }
    response
        .body(Body::from(body))
        .map_err(|_| Error::internal())
}

/// `bytes=N-` or `bytes=N-M`, within the image. Batteries send no other ranges.
fn range(text: &str, size: usize) -> Option<Range<usize>> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let first: usize = first.parse().ok()?;
    let end = match last {
        "" => size,
        last => last.parse::<usize>().ok()?.saturating_add(1).min(size),
    };
    (first < end).then_some(first..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_lies_within_the_image() {
        assert_eq!(range("bytes=0-", 10), Some(0..10));
        assert_eq!(range("bytes=4-", 10), Some(4..10));
        assert_eq!(range("bytes=4-6", 10), Some(4..7));
        assert_eq!(range("bytes=4-99", 10), Some(4..10));
        for wrong in [
            "bytes=10-",
            "bytes=-5",
            "bytes=7-3",
            "bytes=a-b",
            "lines=0-",
            "bytes=0-1,3-4",
        ] {
            assert_eq!(range(wrong, 10), None, "{wrong}");
        }
    }
}
