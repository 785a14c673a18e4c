//! The CONNECT packet: authenticates the device. Also the packet framing that the session uses.
use crate::clock_correction::ClockCorrection;
use crate::gateway::Gateway;
use crate::session_end::DeviceSessionEnd;
use crate::wire::UpTopic;
use bytes::{Bytes, BytesMut};
use domain::Serial;
use rmqtt_codec::error::DecodeError;
use rmqtt_codec::types::MQTT_LEVEL_311;
use rmqtt_codec::v3::{Codec, Connect, ConnectAck, ConnectAckReason, Packet};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::ready;
use std::time::Duration;
use store::device_login::{AcceptedLogin, DeviceLogin};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio_util::codec::{Decoder as _, Encoder as _};

/// The maximum packet size before the login; afterwards [`MAX_PACKET_BYTES`].
const MAX_CONNECT_BYTES: u32 = 1_024;
const MAX_PACKET_BYTES: u32 = 64 * 1024;
const FIRST_PACKET_TIMEOUT: Duration = Duration::from_secs(10);
/// A device that does not read within this time counts as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
const READ_BUFFER_BYTES: usize = 4 * 1024;
/// For a device that sets no keep-alive.
const DEFAULT_MAX_SILENCE: Duration = Duration::from_secs(3_600);

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
            codec: Codec::new(MAX_CONNECT_BYTES),
            input: BytesMut::new(),
            output: BytesMut::new(),
        }
    }

    /// The next packet in the input buffer.
    pub(crate) fn next_packet(&mut self) -> Result<Option<Packet>, DecodeError> {
        let packet = self.codec.decode(&mut self.input)?;
        if self.input.is_empty() {
            self.input = BytesMut::new();
        }
        Ok(packet.map(|(packet, _)| packet))
    }

    /// Where more input is read to.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn input(&mut self) -> &mut BytesMut {
        &mut self.input
    }

    /// Waits for more input; `false` at the end of the stream. Cancel-safe.
    pub(crate) async fn read(&mut self) -> std::io::Result<bool> {
        poll_fn(|context| {
            // On the stack, so that an idle connection holds no buffer.
            let mut space = [0; READ_BUFFER_BYTES];
            let mut space = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut space))?;
            self.input.extend_from_slice(space.filled());
            Ok(!space.filled().is_empty()).into()
        })
        .await
    }

    /// After the login: packets may be as long as a report.
    pub(crate) fn allow_reports(&mut self) {
        self.codec.set_max_size(MAX_PACKET_BYTES);
    }

    /// Appends a packet to the output buffer.
    pub(crate) fn put(&mut self, packet: Packet) {
        // Encoding fails only for a QoS 1 publish without a packet id, and we send QoS 0 only.
        if let Err(error) = self.codec.encode(packet, &mut self.output) {
            tracing::error!(?error, "mqtt_encode_failed: packet dropped");
        }
    }

    /// Writes the output buffer.
    pub(crate) async fn flush(&mut self) -> Result<(), DeviceSessionEnd> {
        if self.output.is_empty() {
            return Ok(());
        }
        let output = std::mem::take(&mut self.output);
        let write = async {
            self.stream.write_all(&output).await?;
            self.stream.flush().await
        };
        match tokio::time::timeout(WRITE_TIMEOUT, write).await {
            Ok(written) => written.map_err(DeviceSessionEnd::Io),
            Err(_) => Err(DeviceSessionEnd::WriteTimeout),
        }
    }

    pub(crate) async fn send_refusal(
        &mut self,
        code: ConnectAckReason,
    ) -> Result<(), DeviceSessionEnd> {
        self.put(connect_ack(code));
        self.flush().await?;
        self.close().await;
        Ok(())
    }

    pub(crate) async fn close(&mut self) {
        let _ = tokio::time::timeout(WRITE_TIMEOUT, self.stream.shutdown()).await;
    }
}

fn connect_ack(return_code: ConnectAckReason) -> Packet {
    Packet::ConnectAck(ConnectAck {
        return_code,
        session_present: false,
    })
}

/// A battery that has logged in.
pub(crate) struct AcceptedDevice {
    pub(crate) sn: Serial,
    pub(crate) max_silence: Duration,
    /// The last will, for a connection that ends without DISCONNECT.
    pub(crate) will: Option<Bytes>,
    pub(crate) clock_correction: ClockCorrection,
    /// See [`Bus::attach`](bus::Bus::attach).
    pub(crate) connection: Option<i64>,
    pub(crate) revocations: i64,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectRefusal {
    #[error("no CONNECT packet received")]
    NoPacket,
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
    #[error("{0} is blocked by the operator (`suncellar admin block-device`)")]
    Blocked(Serial),
    #[error("the last will of {0} is not for its own presence topic")]
    Will(Serial),
    #[error("cannot check the secret, the database is unavailable: {0}")]
    Unavailable(store::Error),
}

impl ConnectRefusal {
    /// The return code for the device; `None` if it does not speak MQTT.
    pub(crate) fn code(&self) -> Option<ConnectAckReason> {
        match self {
            Self::NoPacket | Self::NotConnect | Self::Decode(_) => None,
            Self::Version => Some(ConnectAckReason::UnacceptableProtocolVersion),
            Self::Identifier => Some(ConnectAckReason::IdentifierRejected),
            Self::Credentials(_) => Some(ConnectAckReason::BadUserNameOrPassword),
            Self::Will(_) | Self::Blocked(_) => Some(ConnectAckReason::NotAuthorized),
            Self::Unavailable(_) => Some(ConnectAckReason::ServiceUnavailable),
        }
    }
}

pub(crate) async fn accept<S>(
    link: &mut Link<S>,
    gateway: &Gateway,
) -> Result<AcceptedDevice, ConnectRefusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let first = tokio::time::timeout(FIRST_PACKET_TIMEOUT, first_packet(link)).await;
    let connect = first.map_err(|_| ConnectRefusal::NoPacket)??;
    if connect.protocol.level() != MQTT_LEVEL_311 {
        return Err(ConnectRefusal::Version);
    }
    let (sn, login) = authenticate(&connect, gateway).await?;
    let will = match connect.last_will {
        None => None,
        Some(will) if UpTopic::parse(&sn, &will.topic) == Some(UpTopic::Presence) => {
            Some(Bytes::copy_from_slice(&will.message))
        }
        Some(_) => return Err(ConnectRefusal::Will(sn)),
    };
    link.allow_reports();
    link.put(connect_ack(ConnectAckReason::ConnectionAccepted));
    Ok(AcceptedDevice {
        max_silence: match connect.keep_alive {
            0 => DEFAULT_MAX_SILENCE,
            seconds => Duration::from_millis(u64::from(seconds) * 1_500),
        },
        will,
        clock_correction: ClockCorrection::new(login.starts),
        connection: login.connection,
        revocations: login.revocations,
        sn,
    })
}

async fn first_packet<S>(link: &mut Link<S>) -> Result<Box<Connect>, ConnectRefusal>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        match link.next_packet() {
            Ok(Some(Packet::Connect(connect))) => return Ok(connect),
            Ok(Some(_)) => return Err(ConnectRefusal::NotConnect),
            Ok(None) => {}
            Err(DecodeError::UnsupportedProtocolLevel) => return Err(ConnectRefusal::Version),
            Err(DecodeError::InvalidClientId) => return Err(ConnectRefusal::Identifier),
            Err(error) => return Err(ConnectRefusal::Decode(error)),
        }
        if !link.read().await.unwrap_or(false) {
            return Err(ConnectRefusal::NoPacket);
        }
    }
}

/// Expects the serial number as client identifier and user name, and the secret as password. The device does not learn which
/// of them is wrong.
async fn authenticate(
    connect: &Connect,
    gateway: &Gateway,
) -> Result<(Serial, AcceptedLogin), ConnectRefusal> {
    let id: &str = &connect.client_id;
    let sn: Serial = id.parse().map_err(|_| ConnectRefusal::Identifier)?;
    if sn.as_str() != id {
        return Err(ConnectRefusal::Identifier);
    }
    let username_matches = connect.username.as_deref() == Some(id);
    let secret = connect.password.as_deref().unwrap_or_default();
    let now = gateway.clock.now();
    let login = gateway.store.log_in_device(&sn, secret, now).await;
    match login.map_err(ConnectRefusal::Unavailable)? {
        DeviceLogin::Accepted(login) if username_matches => Ok((sn, login)),
        DeviceLogin::Blocked if username_matches => Err(ConnectRefusal::Blocked(sn)),
        _ => Err(ConnectRefusal::Credentials(sn)),
    }
}
