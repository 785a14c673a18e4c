//! A minimal HTTP client: one connection per request, no hidden state. By HTTP/2 a test makes the connection.
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::Value;
use std::any::Any;
use std::net::SocketAddr;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// A complete response.
#[derive(Debug)]
pub struct TestResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
    /// The raw body, for binary files.
    pub bytes: Vec<u8>,
}

impl TestResponse {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|_| panic!("not JSON: {} {:?}", self.status, self.text))
    }

    /// The stable code of an error, or of its first invalid field as `field:code`.
    pub fn code(&self) -> String {
        let body = self.json();
        if let Some(code) = body["code"].as_str() {
            return code.to_owned();
        }
        let codes = body["codes"]
            .as_object()
            .and_then(|fields| fields.iter().next());
        codes.map_or_else(String::new, |(field, list)| {
            format!("{field}:{}", list[0].as_str().unwrap_or_default())
        })
    }

    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self
    }
}

/// A request under construction.
#[derive(Clone, Debug)]
pub struct Call {
    address: SocketAddr,
    method: Method,
    path: String,
    body: Vec<u8>,
    headers: Vec<(String, String)>,
}

impl Call {
    pub fn new(address: SocketAddr, method: Method, path: &str) -> Self {
        Self {
            address,
            method,
            path: path.to_owned(),
            body: Vec::new(),
            headers: Vec::new(),
        }
    }

    pub fn method(mut self, method: &str) -> Self {
        self.method = method.parse().unwrap();
        self
    }

    pub fn form(mut self, fields: &[(&str, &str)]) -> Self {
        self.body = serde_urlencoded::to_string(fields).unwrap().into_bytes();
        self
    }

    /// The fields of its form; none if the body is no form.
    pub fn form_fields(&self) -> Vec<(String, String)> {
        serde_urlencoded::from_bytes(&self.body).unwrap_or_default()
    }

    /// The parameters of its query.
    pub fn query_fields(&self) -> Vec<(String, String)> {
        let query = self.path.split_once('?').map_or("", |(_, query)| query);
        serde_urlencoded::from_str(query).unwrap_or_default()
    }

    pub fn query(mut self, query: &str) -> Self {
        let path = self.path.split('?').next().unwrap_or_default();
        self.path = format!("{path}?{query}");
        self
    }

    /// Encodes fields as a browser does with `FormData`.
    pub fn multipart(mut self, fields: &[(&str, &str)]) -> Self {
        let parts = fields.iter().map(|(name, value)| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        });
        let body: String = parts.chain(["--x--\r\n".to_owned()]).collect();
        self.body = body.into_bytes();
        self.header(CONTENT_TYPE.as_str(), "multipart/form-data; boundary=x")
    }

    pub fn raw(mut self, body: &str) -> Self {
        self.body = body.as_bytes().to_vec();
        self
    }

    pub fn jpeg(mut self, bytes: &[u8]) -> Self {
        self.body = bytes.to_vec();
        self.header(CONTENT_TYPE.as_str(), "image/jpeg")
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn bearer(self, token: &str) -> Self {
        self.header(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    /// As if it came through a proxy from this client address.
    pub fn from(self, address: &str) -> Self {
        self.header("x-forwarded-for", address)
    }

    pub async fn send(self) -> TestResponse {
        self.open().await.read_to_end().await
    }

    /// Sends the request and returns a response whose body is read piece by piece.
    pub async fn open(self) -> StreamingResponse {
        let stream = TcpStream::connect(self.address).await.unwrap();
        self.open_on(stream).await
    }

    /// The same by HTTP/1.1 over this connection.
    pub async fn open_on(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ) -> StreamingResponse {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let path = self.path.clone();
        let answer = sender.send_request(self.request(&path, &[(HOST, "test")]));
        StreamingResponse::new(answer.await.unwrap(), sender)
    }

    fn request(self, uri: &str, usual: &[(HeaderName, &str)]) -> Request<Body> {
        let mut request = Request::builder().method(self.method).uri(uri);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let form = (CONTENT_TYPE, "application/x-www-form-urlencoded");
        for (name, value) in usual.iter().chain([&form]) {
            let given = |(n, _): &(String, String)| n.eq_ignore_ascii_case(name.as_str());
            if !self.headers.iter().any(given) {
                request = request.header(name, *value);
            }
        }
        request.body(Body::from(self.body)).unwrap()
    }
}

/// A connection that speaks HTTP/2.
#[derive(Clone, Debug)]
pub struct Http2Client(http2::SendRequest<Body>);

impl Http2Client {
    pub async fn on(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Self {
        let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream));
        let (sender, connection) = handshake.await.unwrap();
        tokio::spawn(connection);
        Self(sender)
    }

    pub async fn open(&self, call: Call) -> StreamingResponse {
        let uri = format!("https://test{}", call.path);
        let mut sender = self.0.clone();
        let answer = sender.send_request(call.request(&uri, &[]));
        StreamingResponse::new(answer.await.unwrap(), sender)
    }

    pub async fn send(&self, call: Call) -> TestResponse {
        self.open(call).await.read_to_end().await
    }
}

/// A response whose body is still arriving.
pub struct StreamingResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: Incoming,
    /// Read but not yet returned.
    read: String,
    _connection: Box<dyn Any + Send>,
}

impl StreamingResponse {
    fn new(answer: Response<Incoming>, connection: impl Any + Send) -> Self {
        let (head, body) = answer.into_parts();
        // Wherever a test is sent away for a time, it learns when to come back.
        if head.status == StatusCode::TOO_MANY_REQUESTS {
            let wait = head
                .headers
                .get(RETRY_AFTER)
                .map(|wait| wait.to_str().unwrap().parse::<u32>());
            assert!(matches!(wait, Some(Ok(1..))), "{wait:?}");
        }
        Self {
            status: head.status,
            headers: head.headers,
            body,
            read: String::new(),
            _connection: Box::new(connection),
        }
    }

    pub async fn read_to_end(self) -> TestResponse {
        let bytes = self.body.collect().await.unwrap().to_bytes();
        TestResponse {
            status: self.status,
            headers: self.headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
            bytes: bytes.to_vec(),
        }
    }

    /// The next server-sent event or comment without its final empty line; `None` at the end.
    pub async fn event(&mut self) -> Option<String> {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let event = event.to_owned();
                self.read = rest.to_owned();
                return Some(event);
            }
            let frame = self.body.frame().await?.ok()?;
            if let Some(bytes) = frame.data_ref() {
                self.read.push_str(&String::from_utf8_lossy(bytes));
            }
        }
    }
}
