//! A PDF as an answer, typeset beside the other work of this process.
use crate::Portal;
use crate::error::{Error, Result};
use crate::work_queue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use domain::Message;

const RETRY_AFTER_SECONDS: u64 = 5;

pub(crate) async fn pdf_answer(
    portal: &Portal,
    name: &str,
    set: impl FnOnce() -> Vec<u8> + Send + 'static,
) -> Result<Response> {
    let busy = |_| Error::Busy {
        seconds: RETRY_AFTER_SECONDS,
        message: Message::Unavailable,
    };
    let permit = portal.printing.acquire().await.map_err(busy)?;
    let file = work_queue::run(permit, set).await;
    let file = file.ok_or(Error::internal())?;
    let headers = [
        (CONTENT_TYPE, "application/pdf".to_owned()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"suncellar-{name}.pdf\""),
        ),
    ];
    Ok((headers, file).into_response())
}
