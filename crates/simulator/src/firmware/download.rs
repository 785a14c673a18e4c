//! An image on its way from the update service: HTTP/1.1 with `Range`, one piece at a time, so that what is in flash is what
//! has arrived. Plain HTTP only: simulated batteries meet their update service on loopback, and an image is believed for its
//! digest, not for the way that it came.
use super::Pace;
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

/// An update service that says nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(30);
/// An image comes in so many pieces at least, so that its progress can be seen.
const PIECES: u64 = 60;

/// What to download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fetch {
    pub(crate) url: String,
    pub(crate) digest: String,
    pub(crate) size: u64,
    pub(crate) offset: u64,
}

/// What a download brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loaded {
    /// What follows begins at this byte.
    From(u64),
    Bytes(Bytes),
    /// The image has another length than was signed.
    WrongLength,
    /// The update service does not have it, or not for this battery.
    Refused,
    /// The connection is gone.
    Lost,
}

/// A download that runs; it ends with this value.
pub(crate) struct Download {
    pieces: mpsc::Receiver<Loaded>,
    _task: AbortOnDropHandle<()>,
}

impl Download {
    pub(crate) fn start(fetch: Fetch, sn: &Serial, secret: &[u8], pace: Pace) -> Self {
        let login = [sn.as_str().as_bytes(), b":", secret].concat();
        let login = format!("Basic {}", STANDARD.encode(login));
        // One piece is on its way while another is written; the rest waits in the network.
        let (sender, pieces) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let end = load(&fetch, login, pace, &sender).await;
            let _ = sender.send(end).await;
        });
        Self {
            pieces,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// The next piece; `None` after the last word.
    pub(crate) async fn next(&mut self) -> Option<Loaded> {
        self.pieces.recv().await
    }
}

/// Why there is no more of it.
async fn load(fetch: &Fetch, login: String, pace: Pace, to: &mpsc::Sender<Loaded>) -> Loaded {
    let asked = timeout(PATIENCE, ask(fetch, login)).await;
    let Ok(Some((response, _connection))) = asked else {
        return Loaded::Lost;
    };
    let from = match begins_at(&response, fetch) {
        Ok(from) => from,
        Err(end) => return end,
    };
    if to.send(Loaded::From(from)).await.is_err() {
        return Loaded::Lost;
    }
    let mut body = response.into_body();
    let piece = usize::try_from(fetch.size / PIECES).unwrap_or(0).max(1);
    while let Ok(Some(Ok(frame))) = timeout(PATIENCE, body.frame()).await {
        let Ok(mut data) = frame.into_data() else {
            continue;
        };
        while !data.is_empty() {
            let bytes = data.split_to(piece.min(data.len()));
            let share = bytes.len() as f64 / fetch.size.max(1) as f64;
            tokio::time::sleep(pace.download().mul_f64(share)).await;
            if to.send(Loaded::Bytes(bytes)).await.is_err() {
                return Loaded::Lost;
            }
        }
    }
    Loaded::Lost
}

/// The answer, and the connection that it comes over.
async fn ask(fetch: &Fetch, login: String) -> Option<(Response<Incoming>, AbortOnDropHandle<()>)> {
    let uri: Uri = fetch.url.parse().ok()?;
    let host = uri
        .authority()
        .filter(|_| uri.scheme() == Some(&Scheme::HTTP))?;
    let address = (host.host(), host.port_u16().unwrap_or(80));
    let stream = TcpStream::connect(address).await.ok()?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let connection = AbortOnDropHandle::new(tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a download is cut");
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

/// The byte that the answer begins at, if it is one and of the image that was signed.
fn begins_at<B>(response: &Response<B>, fetch: &Fetch) -> Result<u64, Loaded> {
    let header = |name| response.headers().get(name)?.to_str().ok();
    let (from, total) = match response.status() {
        StatusCode::PARTIAL_CONTENT => {
            let range = header(CONTENT_RANGE).and_then(content_range);
            range.ok_or(Loaded::Refused)?
        }
        StatusCode::OK => {
            let length = header(CONTENT_LENGTH).and_then(|length| length.parse().ok());
            (0, length)
        }
        status if status.is_server_error() => return Err(Loaded::Lost),
        _ => return Err(Loaded::Refused),
    };
    if total.is_some_and(|total| total != fetch.size) {
        return Err(Loaded::WrongLength);
    }
    match from {
        0 => Ok(0),
        from if from == fetch.offset => Ok(from),
        _ => Err(Loaded::Refused),
    }
}

/// `bytes 100-199/200`: the first byte and how many there are in all, where that is said.
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
    ) -> Result<u64, Loaded> {
        let mut response = Response::builder().status(status);
        if let Some((name, value)) = header {
            response = response.header(name, value);
        }
        let fetch = Fetch {
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
        assert_eq!(range("bytes 50-199/200"), Err(Loaded::Refused));
        assert_eq!(range("bytes 100-250/251"), Err(Loaded::WrongLength));
        assert_eq!(range("nonsense"), Err(Loaded::Refused));
        assert_eq!(begins(200, Some((CONTENT_LENGTH, "200"))), Ok(0));
        assert_eq!(begins(200, None), Ok(0));
        assert_eq!(
            begins(200, Some((CONTENT_LENGTH, "9"))),
            Err(Loaded::WrongLength)
        );
        for refused in [401, 404, 416, 301] {
            assert_eq!(begins(refused, None), Err(Loaded::Refused));
        }
        assert_eq!(begins(503, None), Err(Loaded::Lost));
    }
}
