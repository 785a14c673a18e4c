//! Download of an image from the update service: HTTP/1.1 with `Range`, one piece at a time, written to flash as it
//! arrives. Plain HTTP only: simulated batteries reach their update service on loopback, and an image is trusted for
//! its digest, not for its transport.
use super::UpdateTiming;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::Serial;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, HOST, RANGE};
use hyper::http::uri::Scheme;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

/// An update service that sends nothing for this long counts as disconnected.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// An image arrives in at least this many pieces, which makes its progress visible.
const MIN_PIECES: u64 = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DownloadRequest {
    pub(crate) url: String,
    pub(crate) digest: String,
    pub(crate) size: u64,
    pub(crate) offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DownloadEvent {
    /// The following bytes start at this offset.
    StartsAt(u64),
    Bytes(Bytes),
    /// The image's length differs from the signed one.
    WrongLength,
    /// The update service does not have the image, or not for this battery.
    Refused,
    /// The connection is lost.
    Disconnected,
}

/// A running download; dropping it cancels it.
pub(crate) struct Download {
    pieces: mpsc::Receiver<DownloadEvent>,
    _task: AbortOnDropHandle<()>,
}

impl Download {
    pub(crate) fn start(
        fetch: DownloadRequest,
        sn: &Serial,
        secret: &[u8],
        timing: UpdateTiming,
    ) -> Self {
        let login = [sn.as_str().as_bytes(), b":", secret].concat();
        let login = format!("Basic {}", STANDARD.encode(login));
        // One piece is in transit while another is written; TCP flow control holds back the rest.
        let (sender, pieces) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let end = load(&fetch, login, timing, &sender).await;
            let _ = sender.send(end).await;
        });
        Self {
            pieces,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// The next event; `None` after the final one.
    pub(crate) async fn next(&mut self) -> Option<DownloadEvent> {
        self.pieces.recv().await
    }
}

/// Returns the final event.
async fn load(
    fetch: &DownloadRequest,
    login: String,
    timing: UpdateTiming,
    to: &mpsc::Sender<DownloadEvent>,
) -> DownloadEvent {
    let asked = timeout(RESPONSE_TIMEOUT, send_request(fetch, login)).await;
    let Ok(Some((response, _connection))) = asked else {
        return DownloadEvent::Disconnected;
    };
    let from = match begins_at(&response, fetch) {
        Ok(from) => from,
        Err(end) => return end,
    };
    if to.send(DownloadEvent::StartsAt(from)).await.is_err() {
        return DownloadEvent::Disconnected;
    }
    let mut body = response.into_body();
    let piece = usize::try_from(fetch.size / MIN_PIECES).unwrap_or(0).max(1);
    while let Ok(Some(Ok(frame))) = timeout(RESPONSE_TIMEOUT, body.frame()).await {
        let Ok(mut data) = frame.into_data() else {
            continue;
        };
        while !data.is_empty() {
            let bytes = data.split_to(piece.min(data.len()));
            let share = bytes.len() as f64 / fetch.size.max(1) as f64;
            tokio::time::sleep(timing.download_time().mul_f64(share)).await;
            if to.send(DownloadEvent::Bytes(bytes)).await.is_err() {
                return DownloadEvent::Disconnected;
            }
        }
    }
    DownloadEvent::Disconnected
}

/// The response, and the task that drives its connection.
async fn send_request(
    fetch: &DownloadRequest,
    login: String,
) -> Option<(Response<Incoming>, AbortOnDropHandle<()>)> {
    let uri: Uri = fetch.url.parse().ok()?;
    let host = uri
        .authority()
        .filter(|_| uri.scheme() == Some(&Scheme::HTTP))?;
    let address = (host.host(), host.port_u16().unwrap_or(80));
    let stream = TcpStream::connect(address).await.ok()?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let connection = AbortOnDropHandle::new(tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "firmware_download_lost: the connection ended");
        }
    }));
    let request = Request::get(format!("/api/v1/image/{}", fetch.digest))
        .header(HOST, host.as_str())
        .header(AUTHORIZATION, login)
        .header(RANGE, format!("bytes={}-", fetch.offset))
        .body(Empty::<Bytes>::new())
        .ok()?;
    let response = sender.send_request(request).await.ok()?;
    Some((response, connection))
}

/// The offset of the response's first byte, if it is valid and the image has the signed length.
fn begins_at<B>(response: &Response<B>, fetch: &DownloadRequest) -> Result<u64, DownloadEvent> {
    let header = |name| response.headers().get(name)?.to_str().ok();
    let (from, total) = match response.status() {
        StatusCode::PARTIAL_CONTENT => {
            let range = header(CONTENT_RANGE).and_then(content_range);
            range.ok_or(DownloadEvent::Refused)?
        }
        StatusCode::OK => {
            let length = header(CONTENT_LENGTH).and_then(|length| length.parse().ok());
            (0, length)
        }
        status if status.is_server_error() => return Err(DownloadEvent::Disconnected),
        _ => return Err(DownloadEvent::Refused),
    };
    if total.is_some_and(|total| total != fetch.size) {
        return Err(DownloadEvent::WrongLength);
    }
    match from {
        0 => Ok(0),
        from if from == fetch.offset => Ok(from),
        _ => Err(DownloadEvent::Refused),
    }
}

/// `bytes 100-199/200`: the first byte, and the total length if it is given.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (from, _) = range.split_once('-')?;
    Some((from.parse().ok()?, total.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(
        status: u16,
        header: Option<(hyper::header::HeaderName, &str)>,
    ) -> Result<u64, DownloadEvent> {
        let mut response = Response::builder().status(status);
        if let Some((name, value)) = header {
            response = response.header(name, value);
        }
        let fetch = DownloadRequest {
            url: String::new(),
            digest: String::new(),
            size: 200,
            offset: 100,
        };
        begins_at(&response.body(()).unwrap(), &fetch)
    }

    #[test]
    fn an_answer_is_used_only_from_where_it_says_it_begins() {
        let range = |text| begins(206, Some((CONTENT_RANGE, text)));
        assert_eq!(range("bytes 100-199/200"), Ok(100));
        assert_eq!(range("bytes 100-199/*"), Ok(100));
        assert_eq!(range("bytes 0-199/200"), Ok(0));
        assert_eq!(range("bytes 50-199/200"), Err(DownloadEvent::Refused));
        assert_eq!(range("bytes 100-250/251"), Err(DownloadEvent::WrongLength));
        assert_eq!(range("nonsense"), Err(DownloadEvent::Refused));
        assert_eq!(begins(200, Some((CONTENT_LENGTH, "200"))), Ok(0));
        assert_eq!(begins(200, None), Ok(0));
        assert_eq!(
            begins(200, Some((CONTENT_LENGTH, "9"))),
            Err(DownloadEvent::WrongLength)
        );
        for refused in [401, 404, 416, 301] {
            assert_eq!(begins(refused, None), Err(DownloadEvent::Refused));
        }
        assert_eq!(begins(503, None), Err(DownloadEvent::Disconnected));
    }
}
