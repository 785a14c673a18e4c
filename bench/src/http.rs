//! Plain HTTP requests, to fill a peer and to query the server.
use anyhow::{Context as _, ensure};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// A connection that stays open between requests.
pub(crate) struct Connection(SendRequest<Full<Bytes>>);

impl Connection {
    pub(crate) async fn open(port: u16) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    pub(crate) async fn post(&mut self, path: &str, body: Bytes) -> anyhow::Result<HttpResponse> {
        let request = Request::post(path)
            .header("host", "127.0.0.1")
            .body(Full::new(body))?;
        self.send(request).await
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<HttpResponse> {
        let path = request.uri().path().to_owned();
        self.0.ready().await?;
        let answer = self.0.send_request(request).await.context(path)?;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await?.to_bytes();
        Ok(HttpResponse { status, body })
    }
}

pub(crate) async fn post(port: u16, path: &str, body: Vec<u8>) -> anyhow::Result<HttpResponse> {
    send(port, Method::POST, path, None, body).await
}

/// A POST with a session token.
pub(crate) async fn post_as(
    port: u16,
    path: &str,
    token: &str,
    body: Vec<u8>,
) -> anyhow::Result<HttpResponse> {
    send(port, Method::POST, path, Some(token), body).await
}

pub(crate) async fn get(
    port: u16,
    path: &str,
    token: Option<&str>,
) -> anyhow::Result<HttpResponse> {
    let answer = send(port, Method::GET, path, token, Vec::new()).await?;
    ensure!(
        answer.status == 200,
        "{path}: {} {}",
        answer.status,
        String::from_utf8_lossy(&answer.body)
    );
    Ok(answer)
}

/// A multipart form, as browsers send it to the update service.
pub(crate) async fn post_multipart(
    port: u16,
    path: &str,
    token: &str,
    fields: &[(&str, &str)],
) -> anyhow::Result<HttpResponse> {
    let mut body = String::new();
    for (name, value) in fields {
        body.push_str(&format!(
            "--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        ));
    }
    body.push_str("--x--\r\n");
    let kind = "multipart/form-data; boundary=x";
    send_as(
        port,
        Method::POST,
        path,
        Some(token),
        kind,
        body.into_bytes(),
    )
    .await
}

async fn send(
    port: u16,
    method: Method,
    path: &str,
    token: Option<&str>,
    body: Vec<u8>,
) -> anyhow::Result<HttpResponse> {
    send_as(
        port,
        method,
        path,
        token,
        "application/x-www-form-urlencoded",
        body,
    )
    .await
}

async fn send_as(
    port: u16,
    method: Method,
    path: &str,
    token: Option<&str>,
    kind: &str,
    body: Vec<u8>,
) -> anyhow::Result<HttpResponse> {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", "127.0.0.1")
        .header("content-type", kind);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let request = request.body(Full::new(Bytes::from(body)))?;
    Connection::open(port).await?.send(request).await
}
