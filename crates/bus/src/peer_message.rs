//! Messages between the processes on one database. With SQLite there is one process, and nothing is sent.
mod sample;

use crate::followed::FollowedSystems;
use crate::transport::Transport;
use db::notify::MAX_PEER_MESSAGE_BYTES;
use domain::clock::Millis;
use domain::{Random, Sample, Serial};
use sample::PeerSample;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::firmware::UpdateJob;
use store::presence::Presence;
use tokio::sync::mpsc;

/// Messages that may wait to be sent. If the queue is full, the other processes are asked to read their systems again.
const MAX_PENDING_MESSAGES: usize = 8_192;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub(crate) enum PeerMessage {
    /// Returns to its sender, which then knows that it receives peer messages. Carries the sender's uptime at sending.
    Heartbeat {
        #[serde(rename = "stamp")]
        uptime_ms: u64,
        /// Whether the sender announces which systems it follows; earlier releases do not.
        #[serde(default)]
        announces: bool,
        /// Whether it answers [`Self::AskFollowed`]; earlier releases do not.
        #[serde(default)]
        answers: bool,
    },
    /// The sender has these systems in its live view.
    Follow {
        systems: Vec<String>,
    },
    /// Asks every process to announce which systems it follows.
    AskFollowed {},
    Sampled(Box<PeerSample>),
    Presence {
        sn: String,
        online: bool,
        since: Millis,
        boot: u32,
        #[serde(default)]
        gateway: i64,
    },
    /// How far an update is, as its battery has reported.
    Updated(Box<UpdateJob>),
    /// Messages of the sender were lost: reload the live view.
    Missed {},
    /// Something else about the system changed: read it again.
    Reload {
        sn: String,
    },
    /// Its unit was exchanged: read it from scratch.
    #[serde(rename = "renew")]
    UnitReplaced {
        sn: String,
    },
    Watch {
        sn: String,
        until: Millis,
    },
    /// The battery is connected to the sender now.
    Attached {
        sn: String,
        /// Higher than that of any earlier connection in any process. Earlier releases do not send it.
        #[serde(default)]
        connection: Option<i64>,
        /// Only for earlier releases.
        #[serde(default)]
        number: u64,
    },
    /// Orders wait for the battery. The process that it is connected to reads and delivers them.
    Orders {
        sn: String,
    },
    /// Its desired or reported settings changed.
    Settings {
        sn: String,
    },
    Command {
        sn: String,
        id: String,
    },
}

impl PeerMessage {
    pub(crate) fn sampled(sn: String, sample: &Sample, received_at: Millis) -> Self {
        Self::Sampled(Box::new(PeerSample::new(sn, sample, received_at)))
    }

    pub(crate) fn sn(&self) -> &str {
        match self {
            Self::Heartbeat { .. }
            | Self::Follow { .. }
            | Self::AskFollowed {}
            | Self::Missed {} => "",
            Self::Sampled(sampled) => sampled.sn(),
            Self::Updated(update) => update.sn.as_str(),
            Self::Presence { sn, .. }
            | Self::Reload { sn }
            | Self::UnitReplaced { sn }
            | Self::Watch { sn, .. }
            | Self::Attached { sn, .. }
            | Self::Orders { sn }
            | Self::Settings { sn }
            | Self::Command { sn, .. } => sn,
        }
    }

    /// As monitoring names it.
    pub(crate) fn kind(&self) -> &'static str {
        self.into()
    }

    pub(crate) fn presence(sn: String, presence: Presence) -> Self {
        Self::Presence {
            sn,
            online: presence.online,
            since: presence.since,
            boot: presence.boot,
            gateway: presence.gateway.0,
        }
    }
}

/// Several messages in one text, with their sender: every process receives its own messages too.
/// Each is parsed separately, so that one of a newer version does not make the others unreadable.
#[derive(Debug, Deserialize)]
pub(crate) struct PeerEnvelope<'a> {
    pub(crate) from: u64,
    #[serde(borrow, rename = "notices")]
    pub(crate) messages: Vec<&'a RawValue>,
}

/// Queues messages to the other processes. Drops them when the database is not shared.
#[derive(Clone, Debug)]
pub(crate) struct PeerSender {
    queue: Option<mpsc::Sender<PeerMessage>>,
    /// As monitoring names it.
    transport: &'static str,
    followed: Arc<FollowedSystems>,
    /// Whether messages did not fit into the queue.
    overflowed: Arc<AtomicBool>,
}

impl PeerSender {
    /// `transport` is `None` if the database is not shared.
    pub(crate) fn channel(transport: Option<&'static str>) -> (Self, mpsc::Receiver<PeerMessage>) {
        let (sender, receiver) = mpsc::channel(MAX_PENDING_MESSAGES);
        let sender = Self {
            queue: transport.map(|_| sender),
            transport: transport.unwrap_or("none"),
            followed: Arc::default(),
            overflowed: Arc::default(),
        };
        (sender, receiver)
    }

    pub(crate) fn has_peers(&self) -> bool {
        self.queue.is_some()
    }

    pub(crate) fn followed(&self) -> &FollowedSystems {
        &self.followed
    }

    /// Sends to every process, if the database is shared.
    pub(crate) fn send(&self, message: PeerMessage) {
        if let Some(queue) = &self.queue
            && let Err(full) = queue.try_send(message)
        {
            self.overflowed.store(true, Ordering::Relaxed);
            self.count_dropped(full.into_inner().kind(), 1);
        }
    }

    pub(crate) fn count_received(&self, kind: &'static str) {
        metrics::counter!("peer_messages_received_total", "kind" => kind, "transport" => self.transport)
            .increment(1);
    }

    pub(crate) fn count_dropped(&self, kind: &'static str, count: u64) {
        metrics::counter!("peer_messages_dropped_total", "kind" => kind, "transport" => self.transport)
            .increment(count);
    }

    fn count_sent(&self, kind: &'static str, count: u64) {
        metrics::counter!("peer_messages_sent_total", "kind" => kind, "transport" => self.transport)
            .increment(count);
    }

    /// Sends a change of this system if another process follows it.
    pub(crate) fn send_change(&self, sn: &Serial, message: impl FnOnce(String) -> PeerMessage) {
        if self.has_peers() && self.followed.contains(sn) {
            self.send(message(sn.to_string()));
        }
    }
}

/// A random id for this process.
pub(crate) fn new_process_id(random: &Random) -> u64 {
    u64::from_le_bytes(random.bytes())
}

/// Sends queued messages in as few texts as possible, until all senders are dropped.
pub(crate) async fn send_all(
    transport: &Transport,
    peers: &PeerSender,
    from: u64,
    mut waiting: mpsc::Receiver<PeerMessage>,
) {
    let mut batch = Vec::new();
    let mut lost = false;
    while waiting.recv_many(&mut batch, 256).await > 0 {
        if lost | peers.overflowed.swap(false, Ordering::Relaxed) {
            batch.push(PeerMessage::Missed {});
        }
        let mut kinds: BTreeMap<&'static str, u64> = BTreeMap::new();
        for message in &batch {
            *kinds.entry(message.kind()).or_default() += 1;
        }
        let sent = transport.send(&pack(from, &mut batch)).await;
        lost = sent.is_err();
        for (kind, count) in kinds {
            match lost {
                false => peers.count_sent(kind, count),
                true => peers.count_dropped(kind, count),
            }
        }
        if let Err(error) = sent {
            tracing::warn!(%error, "peer_messages_lost: other processes read again what they missed");
        }
    }
}

/// Packs messages into texts of a length that NOTIFY accepts. A message that is too long by itself becomes a request to read the
/// system again.
fn pack(from: u64, messages: &mut Vec<PeerMessage>) -> Vec<String> {
    let overhead = 64;
    let mut texts = Vec::new();
    let mut body = String::new();
    let close = |body: &mut String, texts: &mut Vec<String>| {
        if !body.is_empty() {
            texts.push(format!("{{\"from\":{from},\"notices\":[{body}]}}"));
            body.clear();
        }
    };
    for message in messages.drain(..) {
        let text = match encode(&message) {
            text if text.len() + overhead <= MAX_PEER_MESSAGE_BYTES => text,
            _ => encode(&PeerMessage::Reload {
                sn: message.sn().to_owned(),
            }),
        };
        if body.len() + text.len() + overhead > MAX_PEER_MESSAGE_BYTES {
            close(&mut body, &mut texts);
        }
        if !body.is_empty() {
            body.push(',');
        }
        body.push_str(&text);
    }
    close(&mut body, &mut texts);
    texts
}

fn encode(message: &PeerMessage) -> String {
    serde_json::to_string(message).expect("it has only texts and numbers")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use domain::firmware::{Fault, JobState, Part, Stage};
    use store::firmware::JobPart;

    fn unpack(texts: &[String]) -> Vec<PeerMessage> {
        let read = texts.iter().flat_map(|text| {
            let envelope: PeerEnvelope<'_> = serde_json::from_str(text).unwrap();
            let messages = envelope.messages.into_iter();
            let read = messages.map(|message| serde_json::from_str(message.get()).unwrap());
            read.collect::<Vec<PeerMessage>>()
        });
        read.collect()
    }

    #[test]
    fn an_update_arrives_as_it_was_sent() {
        let job = UpdateJob {
            id: "0123456789abcdef01234567".parse().unwrap(),
            sn: "SC000001".parse().unwrap(),
            number: 7,
            state: JobState::Running,
            created_at: 1,
            heard_at: Some(2),
            ended_at: None,
            switched_on_since: false,
            parts: vec![JobPart {
                release: 3,
                part: Part::Master,
                from: "4.1".parse().unwrap(),
                version: "4.2".parse().unwrap(),
                stage: Stage::Downloading,
                progress: 40,
                fault: Some(Fault::NotLoaded),
                ended_at: Some(4),
            }],
        };
        let message = PeerMessage::Updated(Box::new(job));
        assert_eq!(message.sn(), "SC000001");
        let texts = pack(u64::MAX, &mut vec![message.clone()]);
        assert_eq!(unpack(&texts), [message]);
    }

    #[test]
    fn a_message_that_is_too_long_is_not_dropped() {
        let sn = "SC000001".to_owned();
        let id = "c".repeat(MAX_PEER_MESSAGE_BYTES);
        let mut messages = vec![PeerMessage::Command { sn: sn.clone(), id }];
        let texts = pack(u64::MAX, &mut messages);
        assert_eq!(unpack(&texts), [PeerMessage::Reload { sn }]);
    }

    #[test]
    fn many_messages_share_a_text_and_none_is_too_long() {
        let message = |n: u32| PeerMessage::Command {
            sn: format!("SC{n:06}"),
            id: "c".repeat(500),
        };
        let mut messages: Vec<_> = (0..100).map(message).collect();
        let texts = pack(u64::MAX, &mut messages);
        assert!(texts.len() < 10, "{}", texts.len());
        assert!(
            texts
                .iter()
                .all(|text| text.len() <= MAX_PEER_MESSAGE_BYTES)
        );
        assert!(unpack(&texts).into_iter().eq((0..100).map(message)));
    }
}
