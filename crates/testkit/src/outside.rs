//! Services of the outside world, on a loopback port: they answer what a test says, and remember what they were asked.
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

#[derive(Clone, Debug)]
pub struct Asked {
    pub method: Method,
    /// With the query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

/// What a service does with a question.
#[derive(Clone, Debug)]
pub enum Reply {
    Text(u16, String),
    /// With one header.
    With(u16, &'static str, String),
    /// Says nothing for this long.
    Silent(Duration),
    /// More than anybody wants to read.
    Endless,
}

pub struct Outside {
    pub url: String,
    replies: Arc<Mutex<Vec<(String, Reply)>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
    serving: JoinHandle<()>,
}

impl Outside {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let replies: Arc<Mutex<Vec<(String, Reply)>>> = Arc::default();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (known, heard) = (Arc::clone(&replies), Arc::clone(&asked));
        let answer = move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
            let path = uri.to_string();
            let replies = known.lock().unwrap().clone();
            let mut newest = replies.into_iter().rev();
            let reply = newest.find(|(start, _)| path.starts_with(start));
            heard.lock().unwrap().push(Asked {
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
            asked,
            serving,
        }
    }

    /// From now on, to whatever begins with this path; the newest word counts.
    pub fn says(&self, path: &str, reply: Reply) {
        self.replies.lock().unwrap().push((path.to_owned(), reply));
    }

    pub fn answers(&self, path: &str, body: impl Into<String>) {
        self.says(path, Reply::Text(200, body.into()));
    }

    /// Everything since it was last looked at.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Drop for Outside {
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
