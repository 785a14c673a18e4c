//! A minimal HTTP client: one connection per request, no hidden state.
use axum::body::Body;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, RETRY_AFTER};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
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
        let StreamingResponse {
            status,
            headers,
            body,
            ..
        } = self.open().await;
        let bytes = body.collect().await.unwrap().to_bytes();
        TestResponse {
            status,
            headers,
            text: String::from_utf8_lossy(&bytes).into_owned(),
            bytes: bytes.to_vec(),
        }
    }

    /// Sends the request and returns a response whose body is read piece by piece.
    pub async fn open(self) -> StreamingResponse {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        let mut request = Request::builder().method(self.method).uri(&self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let usual = [
            (HOST, "test"),
            (CONTENT_TYPE, "application/x-www-form-urlencoded"),
        ];
        for (name, value) in usual {
            let given = |(n, _): &(String, String)| n.eq_ignore_ascii_case(name.as_str());
            if !self.headers.iter().any(given) {
                request = request.header(name, value);
            }
        }
        let answer = sender
            .send_request(request.body(Body::from(self.body)).unwrap())
            .await
            .unwrap();
        let (head, body) = answer.into_parts();
        // Wherever a test is sent away for a time, it learns when to come back.
        if head.status == StatusCode::TOO_MANY_REQUESTS {
            let wait = head
                .headers
                .get(RETRY_AFTER)
                .map(|wait| wait.to_str().unwrap().parse::<u32>());
            assert!(matches!(wait, Some(Ok(1..))), "{wait:?}");
        }
        StreamingResponse {
            status: head.status,
            headers: head.headers,
            body,
            read: String::new(),
            _connection: sender,
        }
    }
}

/// A response whose body is still arriving.
pub struct StreamingResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: Incoming,
    /// Read but not yet returned.
    read: String,
    _connection: SendRequest<Body>,
}

impl StreamingResponse {
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
