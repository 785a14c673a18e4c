//! What the processes on one database tell each other. In one process with SQLite nothing is sent.
use domain::clock::Millis;
use domain::flags::Flags;
use domain::sample::{BatteryStatus, MessageId};
use domain::{Random, Sample, Serial};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::Store;
use store::notify::MAX_NOTICE;
use store::presence::Presence;
use tokio::sync::mpsc;

/// How many may wait to be sent; what does not fit is dropped, as the next sample tells the same.
const WAITING: usize = 8_192;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Notice {
    /// Comes back to its sender, which thereby knows that it hears: when it was sent, by the sender's own count.
    Heartbeat {
        stamp: u64,
    },
    Sampled(Box<Sampled>),
    Presence {
        sn: String,
        online: bool,
        since: Millis,
        boot: u32,
        #[serde(default)]
        gateway: i64,
    },
    /// Something else about the system changed: read it again.
    Reload {
        sn: String,
    },
    /// Its unit was exchanged: nothing that is known of it holds.
    Renew {
        sn: String,
    },
    Watch {
        sn: String,
        until: Millis,
    },
    /// The battery is connected to the sender now.
    Attached {
        sn: String,
        /// Of the connection, among those of the sender.
        number: u64,
    },
    /// Something waits for the battery: whoever it is connected to reads what.
    Orders {
        sn: String,
    },
    /// What is wanted of its settings, or what it has applied, changed.
    Settings {
        sn: String,
    },
    Command {
        sn: String,
        id: String,
    },
}

/// A sample with short names, as a few hundred of them share a second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sampled {
    sn: String,
    r: Millis,
    t: Millis,
    n: u8,
    b: u32,
    s: u32,
    u: [Option<i32>; 3],
    f: Option<i32>,
    p: [Option<i32>; 3],
    g: Option<i32>,
    v: Option<i32>,
    a: Option<i32>,
    c: Option<i32>,
    e: [Option<i64>; 5],
    st: u8,
    m: [u16; 5],
}

impl Notice {
    pub(crate) fn sampled(sn: &Serial, sample: &Sample, received_at: Millis) -> Self {
        let flags = sample.flags;
        Self::Sampled(Box::new(Sampled {
            sn: sn.to_string(),
            r: received_at,
            t: sample.at,
            n: sample.id.unit,
            b: sample.id.boot,
            s: sample.id.seq,
            u: sample.voltage,
            f: sample.frequency,
            p: sample.meter_power,
            g: sample.grid_power,
            v: sample.pv_power,
            a: sample.battery_power,
            c: sample.soc,
            e: sample.counters,
            st: sample.status as u8,
            m: [
                flags.message1,
                flags.message2,
                flags.message3,
                flags.message5,
                flags.message6,
            ],
        }))
    }

    pub(crate) fn sn(&self) -> &str {
        match self {
            Self::Heartbeat { .. } => "",
            Self::Sampled(sampled) => &sampled.sn,
            Self::Presence { sn, .. }
            | Self::Reload { sn }
            | Self::Renew { sn }
            | Self::Watch { sn, .. }
            | Self::Attached { sn, .. }
            | Self::Orders { sn }
            | Self::Settings { sn }
            | Self::Command { sn, .. } => sn,
        }
    }

    pub(crate) fn presence(sn: &Serial, presence: Presence) -> Self {
        Self::Presence {
            sn: sn.to_string(),
            online: presence.online,
            since: presence.since,
            boot: presence.boot,
            gateway: presence.gateway.0,
        }
    }
}

impl Sampled {
    pub(crate) fn received_at(&self) -> Millis {
        self.r
    }

    pub(crate) fn sample(&self) -> Sample {
        let [message1, message2, message3, message5, message6] = self.m;
        Sample {
            at: self.t,
            id: MessageId::new(self.b, self.s).of_unit(self.n),
            voltage: self.u,
            frequency: self.f,
            meter_power: self.p,
            grid_power: self.g,
            pv_power: self.v,
            battery_power: self.a,
            soc: self.c,
            counters: self.e,
            status: BatteryStatus::from_number(self.st).unwrap_or_default(),
            flags: Flags {
                message1,
                message2,
                message3,
                message5,
                message6,
            },
        }
    }
}

/// Several notices in one text, and who says so: everybody hears their own words too.
/// Each is read by itself, so that one of a newer version does not take the others with it.
#[derive(Debug, Deserialize)]
pub(crate) struct Letter<'a> {
    pub(crate) from: u64,
    #[serde(borrow)]
    pub(crate) notices: Vec<&'a RawValue>,
}

/// Where notices go; to nobody when the database is not shared.
#[derive(Clone, Debug)]
pub(crate) struct Notices(Option<mpsc::Sender<Notice>>);

impl Notices {
    pub(crate) fn channel(shared: bool) -> (Self, mpsc::Receiver<Notice>) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (Self(shared.then_some(sender)), receiver)
    }

    /// Whether there was room; always `false` when nobody listens.
    pub(crate) fn send(&self, notice: Notice) -> bool {
        self.0
            .as_ref()
            .is_some_and(|sender| sender.try_send(notice).is_ok())
    }
}

/// A number for this process among those on the database.
pub(crate) fn own_number(random: &Random) -> u64 {
    u64::from_le_bytes(random.bytes())
}

/// Sends what waits, as few texts as possible, until nobody can add any more.
pub(crate) async fn send_all(store: &Store, from: u64, mut waiting: mpsc::Receiver<Notice>) {
    let mut batch = Vec::new();
    while waiting.recv_many(&mut batch, 256).await > 0 {
        let texts = pack(from, &mut batch);
        if let Err(error) = store.notify(&texts).await {
            tracing::warn!(%error, "other processes were not told of live changes");
        }
    }
}

/// Texts that PostgreSQL takes; a notice that is too long by itself is left out.
fn pack(from: u64, notices: &mut Vec<Notice>) -> Vec<String> {
    let envelope = 64;
    let mut texts = Vec::new();
    let mut body = String::new();
    let close = |body: &mut String, texts: &mut Vec<String>| {
        if !body.is_empty() {
            texts.push(format!("{{\"from\":{from},\"notices\":[{body}]}}"));
            body.clear();
        }
    };
    for notice in notices.drain(..) {
        let Ok(text) = serde_json::to_string(&notice) else {
            continue;
        };
        if text.len() + envelope > MAX_NOTICE {
            tracing::warn!(length = text.len(), "a notice is too long to be sent");
            continue;
        }
        if body.len() + text.len() + envelope > MAX_NOTICE {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn many_notices_share_a_text_and_none_is_too_long() {
        let notice = |n: u32| Notice::Command {
            sn: format!("SC{n:06}"),
            id: "c".repeat(500),
        };
        let mut notices: Vec<_> = (0..100).map(notice).collect();
        let texts = pack(u64::MAX, &mut notices);
        assert!(texts.len() < 10, "{}", texts.len());
        assert!(texts.iter().all(|text| text.len() <= MAX_NOTICE));
        let read = texts.iter().flat_map(|text| {
            let letter: Letter<'_> = serde_json::from_str(text).unwrap();
            let notices = letter.notices.into_iter();
            let read = notices.map(|notice| serde_json::from_str(notice.get()).unwrap());
            read.collect::<Vec<Notice>>()
        });
        assert!(read.eq((0..100).map(notice)));
    }
}
