//! Fake external services on a loopback port: they reply as the test says and record their requests.
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

#[derive(Clone, Debug)]
pub struct RecordedRequest {
    pub method: Method,
    /// Including the query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

/// The reply to a request.
#[derive(Clone, Debug)]
pub enum Reply {
    Text(u16, String),
    /// An empty body with one header.
    With(u16, &'static str, String),
    /// No reply for this long.
    Silent(Duration),
    /// A body larger than any reader accepts.
    Endless,
}

pub struct FakeServices {
    pub url: String,
    replies: Arc<Mutex<Vec<(String, Reply)>>>,
    requests: Arc<Mutex<Vec<RecordedRequest>>>,
    serving: JoinHandle<()>,
}

impl FakeServices {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let replies: Arc<Mutex<Vec<(String, Reply)>>> = Arc::default();
        let requests: Arc<Mutex<Vec<RecordedRequest>>> = Arc::default();
        let (known, heard) = (Arc::clone(&replies), Arc::clone(&requests));
        let answer = move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
            let path = uri.to_string();
            let replies = known.lock().unwrap().clone();
            let mut newest = replies.into_iter().rev();
            let reply = newest.find(|(start, _)| path.starts_with(start));
            heard.lock().unwrap().push(RecordedRequest {
                method,
                path,
                headers,
                body: String::from_utf8_lossy(&body).into_owned(),
            });
            respond(reply.map(|(_, reply)| reply))
        };
        let router = Router::new().fallback(answer);
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            replies,
            requests,
            serving,
        }
    }

    /// Sets the reply to all paths that start with `path`; the newest match wins.
    pub fn reply(&self, path: &str, reply: Reply) {
        self.replies.lock().unwrap().push((path.to_owned(), reply));
    }

    pub fn reply_ok(&self, path: &str, body: impl Into<String>) {
        self.reply(path, Reply::Text(200, body.into()));
    }

    /// All requests since the last call.
    pub fn take_requests(&self) -> Vec<RecordedRequest> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

impl Drop for FakeServices {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn respond(reply: Option<Reply>) -> Response {
    let status = |code| StatusCode::from_u16(code).unwrap();
    match reply {
        None => StatusCode::NOT_FOUND.into_response(),
        Some(Reply::Text(code, body)) => (status(code), body).into_response(),
        Some(Reply::With(code, name, value)) => (status(code), [(name, value)]).into_response(),
        Some(Reply::Silent(long)) => {
            tokio::time::sleep(long).await;
            StatusCode::NO_CONTENT.into_response()
        }
        Some(Reply::Endless) => "x".repeat(3 << 20).into_response(),
    }
}
