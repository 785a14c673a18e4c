//! A fake portal on real sockets: a device endpoint that records what it acknowledges and sends an assignment, and an update
//! service that records its requests.
use bytes::Bytes;
use domain::firmware::{Assignment, JobId, Manifest, Part, SecretKey, SignedText, digest_of};
use domain::{Clock, Serial};
use futures_util::{SinkExt as _, StreamExt as _};
use http_body_util::{BodyExt, StreamBody, combinators::BoxBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, RANGE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rmqtt_codec::types::{Publish, QoS};
use rmqtt_codec::v3::{Codec, ConnectAck, ConnectAckReason, Packet, SubscribeReturnCode};
use serde_json::{Value, json};
use simulator::FirmwareKeys;
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::Framed;

/// The secret of every battery here.
pub(crate) const SECRET: &[u8] = b"secret";

pub(crate) fn keys() -> FirmwareKeys {
    FirmwareKeys {
        release: release().public(),
        director: director().public(),
    }
}

pub(crate) fn release() -> SecretKey {
    SecretKey::new([1; 32])
}

fn director() -> SecretKey {
    SecretKey::new([2; 32])
}

pub(crate) fn manifest(part: Part, version: &str, image: &[u8], hardware: &str) -> Manifest {
    Manifest {
        part,
        hardware: hardware.into(),
        version: version.parse().unwrap(),
        seq: 1,
        size: image.len() as u64,
        sha256: digest_of(image),
        min_from: None,
        expires_at: Clock::system().now() + 3_600_000,
    }
}

/// A request for an image: its login and its first byte.
#[derive(Clone, Debug)]
pub(crate) struct ImageRequest {
    pub(crate) login: String,
    pub(crate) from: usize,
}

#[derive(Default)]
struct Inner {
    /// `down/fw` by serial number, sent after each login.
    assignments: Mutex<HashMap<String, String>>,
    said: Mutex<Vec<(String, String, Value)>>,
    images: Mutex<HashMap<String, Bytes>>,
    requests: Mutex<Vec<ImageRequest>>,
    /// How many more times the update service hangs up, after half of the requested bytes.
    hangs_up: AtomicUsize,
}

#[derive(Clone, Default)]
pub(crate) struct FakePortal(Arc<Inner>);

impl FakePortal {
    /// The address of the device endpoint.
    pub(crate) async fn listen(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let portal = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(portal.clone().serve_battery(stream));
            }
        });
        address
    }

    /// The address of the update service.
    pub(crate) async fn serve_images(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let portal = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let portal = portal.clone();
                tokio::spawn(async move {
                    let answer = service_fn(|request: Request<Incoming>| {
                        let portal = portal.clone();
                        async move { Ok::<_, Infallible>(portal.answer(&request)) }
                    });
                    let connection = hyper::server::conn::http1::Builder::new();
                    let _ = connection
                        .serve_connection(TokioIo::new(stream), answer)
                        .await;
                });
            }
        });
        url
    }

    pub(crate) fn publish(&self, image: &[u8]) {
        let digest: String = digest_of(image)
            .iter()
            .map(|it| format!("{it:02x}"))
            .collect();
        let image = Bytes::copy_from_slice(image);
        self.0.images.lock().unwrap().insert(digest, image);
    }

    pub(crate) fn hang_up(&self, times: usize) {
        self.0.hangs_up.store(times, Relaxed);
    }

    /// From now on the battery gets this assignment after each login.
    pub(crate) fn assign(&self, sn: &Serial, job: &str, parts: Vec<SignedText>, url: &str) {
        let sealed = Assignment {
            sn: sn.clone(),
            job: job.parse::<JobId>().unwrap(),
            number: 1,
            parts,
            expires_at: Clock::system().now() + 600_000,
        }
        .sign(&director());
        let message = json!({
            "assignment": sealed.text(), "sig": sealed.signature_hex(), "url": url,
        });
        let mut assignments = self.0.assignments.lock().unwrap();
        assignments.insert(sn.to_string(), message.to_string());
    }

    pub(crate) fn image_requests(&self) -> Vec<ImageRequest> {
        self.0.requests.lock().unwrap().clone()
    }

    /// The messages of a battery on this topic, in order.
    pub(crate) fn said(&self, sn: &str, name: &str) -> Vec<Value> {
        let said = self.0.said.lock().unwrap();
        let wanted = said.iter().filter(|(by, what, _)| by == sn && what == name);
        wanted.map(|(_, _, value)| value.clone()).collect()
    }

    fn answer(&self, request: &Request<Incoming>) -> Response<BoxBody<Bytes, io::Error>> {
        let header = |name| request.headers().get(name)?.to_str().ok();
        let from = header(RANGE).and_then(|it| it.strip_prefix("bytes=")?.strip_suffix('-'));
        let from: usize = from.unwrap().parse().unwrap();
        self.0.requests.lock().unwrap().push(ImageRequest {
            login: header(AUTHORIZATION).unwrap_or_default().to_owned(),
            from,
        });
        let digest = request.uri().path().rsplit('/').next().unwrap();
        let Some(image) = self.0.images.lock().unwrap().get(digest).cloned() else {
            let nothing = StreamBody::new(futures_util::stream::empty());
            let mut answer = Response::new(BodyExt::boxed(nothing));
            *answer.status_mut() = StatusCode::NOT_FOUND;
            return answer;
        };
        let (total, rest) = (image.len(), image.slice(from..));
        let length = rest.len();
        let left = self.0.hangs_up.load(Relaxed);
        let frames = if left > 0 {
            self.0.hangs_up.store(left - 1, Relaxed);
            let some = rest.slice(..rest.len() / 2);
            vec![Ok(Frame::data(some)), Err(io::ErrorKind::BrokenPipe.into())]
        } else {
            vec![Ok(Frame::data(rest))]
        };
        // Yields before each frame, to let earlier frames leave before the connection breaks.
        let frames = futures_util::stream::iter(frames).then(|frame| async {
            tokio::task::yield_now().await;
            frame
        });
        let body = StreamBody::new(frames);
        Response::builder()
            .status(StatusCode::PARTIAL_CONTENT)
            .header(CONTENT_LENGTH, length)
            .header(CONTENT_RANGE, format!("bytes {from}-{}/{total}", total - 1))
            .body(BodyExt::boxed(body))
            .unwrap()
    }

    async fn serve_battery(self, stream: TcpStream) {
        let mut framed = Framed::new(stream, Codec::new(1 << 20));
        let mut sn = String::new();
        while let Some(Ok((packet, _))) = framed.next().await {
            let answer = match packet {
                Packet::Connect(connect) => {
                    sn = connect.client_id.to_string();
                    Packet::ConnectAck(ConnectAck {
                        return_code: ConnectAckReason::ConnectionAccepted,
                        session_present: false,
                    })
                }
                Packet::Subscribe { packet_id, .. } => Packet::SubscribeAck {
                    packet_id,
                    status: vec![SubscribeReturnCode::Success(QoS::AtMostOnce)],
                },
                Packet::Publish(publish) => {
                    let name = publish.topic.rsplit('/').next().unwrap().to_owned();
                    self.store(&sn, &name, &publish.payload);
                    let packet_id = publish.packet_id.unwrap();
                    let stored = Packet::PublishAck { packet_id };
                    let message = self.0.assignments.lock().unwrap().get(&sn).cloned();
                    if let Some(message) = message.filter(|_| name == "hello") {
                        let _ = framed.feed(assignment(&sn, message)).await;
                    }
                    stored
                }
                Packet::PingRequest => Packet::PingResponse,
                _ => continue,
            };
            if framed.send(answer).await.is_err() {
                return;
            }
        }
    }

    fn store(&self, sn: &str, name: &str, payload: &[u8]) {
        if name != "hist" {
            let value = serde_json::from_slice(payload).unwrap();
            let mut said = self.0.said.lock().unwrap();
            said.push((sn.to_owned(), name.to_owned(), value));
        }
    }
}

fn assignment(sn: &str, message: String) -> Packet {
    let publish = Publish {
        dup: false,
        retain: false,
        qos: QoS::AtMostOnce,
        topic: format!("v1/d/{sn}/down/fw").into(),
        packet_id: None,
        payload: message.into(),
        properties: None,
    };
    publish.into()
}
