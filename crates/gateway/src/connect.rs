//! The first packet: who is it, and may it come in? Also the framing that it and the session share.
use crate::endpoint::Gateway;
use crate::places::Places;
use crate::session::End;
use crate::topics;
use bytes::{Bytes, BytesMut};
use domain::Serial;
use domain::clock::Millis;
use rmqtt_codec::error::DecodeError;
use rmqtt_codec::types::MQTT_LEVEL_311;
use rmqtt_codec::v3::{Codec, Connect, ConnectAck, ConnectAckReason, Packet};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::ready;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio_util::codec::{Decoder as _, Encoder as _};

/// A stranger may send this much, a battery sixty-four times as much.
const MAX_CONNECT: u32 = 1_024;
const MAX_PACKET: u32 = 64 * 1024;
/// How long the first packet may take.
const FIRST_PACKET: Duration = Duration::from_secs(10);
/// A device that does not take what we write is gone.
const WRITE: Duration = Duration::from_secs(10);
const READ_AT_ONCE: usize = 4 * 1024;
/// Without a keep-alive of its own a device is looked after once an hour.
const NO_KEEP_ALIVE: Duration = Duration::from_secs(3_600);

/// A connection that reads and writes packets. An idle one holds no buffer.
pub(crate) struct Link<S> {
    stream: S,
    codec: Codec,
    input: BytesMut,
    output: BytesMut,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Link<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self {
            stream,
            codec: Codec::new(MAX_CONNECT),
            input: BytesMut::new(),
            output: BytesMut::new(),
        }
    }

    /// The next packet of what was read already.
    pub(crate) fn take(&mut self) -> Result<Option<Packet>, DecodeError> {
        let packet = self.codec.decode(&mut self.input)?;
        if self.input.is_empty() {
            self.input = BytesMut::new();
        }
        Ok(packet.map(|(packet, _)| packet))
    }

    /// Waits for more; `false` at the end. Safe to drop and call again.
    pub(crate) async fn read(&mut self) -> std::io::Result<bool> {
        poll_fn(|context| {
            // On the stack and only while there is something to read.
            let mut space = [0; READ_AT_ONCE];
            let mut space = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut space))?;
            self.input.extend_from_slice(space.filled());
            Ok(!space.filled().is_empty()).into()
        })
        .await
    }

    /// Puts a packet into the next write.
    pub(crate) fn put(&mut self, packet: Packet) {
        // Only a publish without its number cannot be written, and we send none that needs one.
        if let Err(error) = self.codec.encode(packet, &mut self.output) {
            tracing::error!(?error, "a packet cannot be written");
        }
    }

    /// Writes everything at once.
    pub(crate) async fn flush(&mut self) -> Result<(), End> {
        if self.output.is_empty() {
            return Ok(());
        }
        let output = std::mem::take(&mut self.output);
        let write = async {
            self.stream.write_all(&output).await?;
            self.stream.flush().await
        };
        match tokio::time::timeout(WRITE, write).await {
            Ok(written) => written.map_err(End::Io),
            Err(_) => Err(End::Slow),
        }
    }

    pub(crate) async fn refuse(&mut self, code: ConnectAckReason) -> Result<(), End> {
        self.put(connect_ack(code));
        self.flush().await?;
        self.close().await;
        Ok(())
    }

    pub(crate) async fn close(&mut self) {
        let _ = tokio::time::timeout(WRITE, self.stream.shutdown()).await;
    }
}

fn connect_ack(return_code: ConnectAckReason) -> Packet {
    Packet::ConnectAck(ConnectAck {
        return_code,
        session_present: false,
    })
}

/// A battery that may come in.
pub(crate) struct Welcome {
    pub(crate) sn: Serial,
    /// How long it may be silent.
    pub(crate) silence: Duration,
    /// What is to be done when it leaves without a word.
    pub(crate) will: Option<Bytes>,
    pub(crate) places: Places,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("nothing came")]
    Nothing,
    #[error("the first packet is not CONNECT")]
    NotConnect,
    #[error("not MQTT: {0}")]
    Decode(DecodeError),
    #[error("not MQTT 3.1.1")]
    Version,
    #[error("the client identifier is not a serial number")]
    Identifier,
    #[error("wrong serial number or secret for {0}")]
    Credentials(Serial),
    #[error("{0} left a will for a topic of somebody else")]
    Will(Serial),
    #[error("the database does not answer: {0}")]
    Unavailable(store::Error),
}

impl Refusal {
    /// What the device is told; nothing if it does not speak MQTT.
    pub(crate) fn code(&self) -> Option<ConnectAckReason> {
        match self {
            Self::Nothing | Self::NotConnect | Self::Decode(_) => None,
            Self::Version => Some(ConnectAckReason::UnacceptableProtocolVersion),
            Self::Identifier => Some(ConnectAckReason::IdentifierRejected),
            Self::Credentials(_) => Some(ConnectAckReason::BadUserNameOrPassword),
            Self::Will(_) => Some(ConnectAckReason::NotAuthorized),
            Self::Unavailable(_) => Some(ConnectAckReason::ServiceUnavailable),
        }
    }
}

pub(crate) async fn accept<S>(link: &mut Link<S>, gateway: &Gateway) -> Result<Welcome, Refusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let first = tokio::time::timeout(FIRST_PACKET, first_packet(link)).await;
    let connect = first.map_err(|_| Refusal::Nothing)??;
    if connect.protocol.level() != MQTT_LEVEL_311 {
        return Err(Refusal::Version);
    }
    let (sn, starts) = authenticate(&connect, gateway).await?;
    let will = match connect.last_will {
        None => None,
        Some(will) if topics::up(&sn, &will.topic) == Some(topics::Up::Presence) => {
            Some(Bytes::copy_from_slice(&will.message))
        }
        Some(_) => return Err(Refusal::Will(sn)),
    };
    link.codec.set_max_size(MAX_PACKET);
    link.put(connect_ack(ConnectAckReason::ConnectionAccepted));
    Ok(Welcome {
        silence: match connect.keep_alive {
            0 => NO_KEEP_ALIVE,
            seconds => Duration::from_millis(u64::from(seconds) * 1_500),
        },
        will,
        places: Places::new(starts),
        sn,
    })
}

async fn first_packet<S>(link: &mut Link<S>) -> Result<Box<Connect>, Refusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match link.take() {
            Ok(Some(Packet::Connect(connect))) => return Ok(connect),
            Ok(Some(_)) => return Err(Refusal::NotConnect),
            Ok(None) => {}
            Err(DecodeError::UnsupportedProtocolLevel) => return Err(Refusal::Version),
            Err(DecodeError::InvalidClientId) => return Err(Refusal::Identifier),
            Err(error) => return Err(Refusal::Decode(error)),
        }
        if !link.read().await.unwrap_or(false) {
            return Err(Refusal::Nothing);
        }
    }
}

/// Serial number as client identifier and user name, its secret as password. Which of them is wrong is not told. Says
/// who it is, and when its newest starts were.
async fn authenticate(
    connect: &Connect,
    gateway: &Gateway,
) -> Result<(Serial, Vec<(u32, Millis)>), Refusal> {
    let id: &str = &connect.client_id;
    let sn: Serial = id.parse().map_err(|_| Refusal::Identifier)?;
    if sn.as_str() != id {
        return Err(Refusal::Identifier);
    }
    let named = connect.username.as_deref() == Some(id);
    let secret = connect.password.as_deref().unwrap_or_default();
    let starts = gateway.store.log_in_device(&sn, secret).await;
    match starts.map_err(Refusal::Unavailable)? {
        Some(starts) if named => Ok((sn, starts)),
        _ => Err(Refusal::Credentials(sn)),
    }
}
