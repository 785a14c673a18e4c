//! A minimal MQTT client: one connection, without internal queue or retry. Tests can therefore decide what fails.
use bytes::{Bytes, BytesMut};
use domain::Serial;
use rmqtt_codec::types::{Publish, QoS};
use rmqtt_codec::v3::{Codec, Connect, ConnectAckReason, LastWill, Packet};
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_util::codec::{Decoder as _, Encoder as _};

pub(crate) const KEEP_ALIVE_SECONDS: u16 = 60;

/// Long, because ten thousand batteries may connect to the gateway at once.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Small, because one process holds ten thousand connections; default kernel buffers would use too much memory.
const SOCKET_BUFFER_BYTES: u32 = 8 * 1024;
const MAX_PACKET_BYTES: u32 = 256 * 1024;

#[derive(Debug)]
pub(crate) enum ConnectError {
    /// The serial number or the secret was refused.
    Credentials,
    /// The gateway cannot be reached, or closed the connection.
    Unreachable(io::Error),
}

impl From<io::Error> for ConnectError {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(error)
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    codec: Codec,
    read: BytesMut,
    write: BytesMut,
    last_packet_id: u16,
}

impl Connection {
    /// Connects and logs in, with a last will on the battery's own topic.
    pub(crate) async fn open(
        gateway: SocketAddr,
        serial: &Serial,
        secret: &[u8],
        will: String,
    ) -> Result<Self, ConnectError> {
        let opened = tokio::time::timeout(CONNECT_TIMEOUT, async {
            let socket = if gateway.is_ipv4() {
                TcpSocket::new_v4()?
            } else {
                TcpSocket::new_v6()?
            };
            socket.set_recv_buffer_size(SOCKET_BUFFER_BYTES)?;
            socket.set_send_buffer_size(SOCKET_BUFFER_BYTES)?;
            let stream = socket.connect(gateway).await?;
            stream.set_nodelay(true)?;
            let mut connection = Self {
                stream,
                codec: Codec::new(MAX_PACKET_BYTES),
                read: BytesMut::new(),
                write: BytesMut::new(),
                last_packet_id: 0,
            };
            connection.log_in(serial, secret, will).await?;
            Ok(connection)
        });
        opened
            .await
            .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
    }

    async fn log_in(
        &mut self,
        serial: &Serial,
        secret: &[u8],
        will: String,
    ) -> Result<(), ConnectError> {
        let connect = Connect {
            clean_session: true,
            keep_alive: KEEP_ALIVE_SECONDS,
            last_will: Some(LastWill {
                qos: QoS::AtLeastOnce,
                retain: false,
                topic: format!("v1/d/{serial}/up/pres").into(),
                message: will.into(),
            }),
            client_id: serial.as_str().into(),
            username: Some(serial.as_str().into()),
            password: Some(Bytes::copy_from_slice(secret)),
            ..Connect::default()
        };
        self.send(connect.into()).await?;
        match self.receive().await? {
            Packet::ConnectAck(ack) => match ack.return_code {
                ConnectAckReason::ConnectionAccepted => {}
                ConnectAckReason::ServiceUnavailable => return Err(closed().into()),
                _ => return Err(ConnectError::Credentials),
            },
            _ => return Err(closed().into()),
        }
        let packet_id = self.packet_id();
        let filter = format!("v1/d/{serial}/down/#").into();
        self.send(Packet::Subscribe {
            packet_id,
            topic_filters: vec![(filter, QoS::AtMostOnce)],
        })
        .await?;
        Ok(())
    }

    /// Publishes with QoS 1 and returns the id that the acknowledgement will carry.
    pub(crate) async fn publish(&mut self, topic: &str, payload: Bytes) -> io::Result<NonZeroU16> {
        let packet_id = self.packet_id();
        let publish = Publish {
            dup: false,
            retain: false,
            qos: QoS::AtLeastOnce,
            topic: topic.into(),
            packet_id: Some(packet_id),
            payload,
            properties: None,
        };
        self.send(publish.into()).await?;
        Ok(packet_id)
    }

    pub(crate) async fn ping(&mut self) -> io::Result<()> {
        self.send(Packet::PingRequest).await
    }

    /// Disconnects cleanly; the gateway then discards the last will.
    pub(crate) async fn close(mut self) {
        let _ = self.send(Packet::Disconnect).await;
        let _ = self.stream.shutdown().await;
    }

    /// The next packet. Cancel safe.
    pub(crate) async fn receive(&mut self) -> io::Result<Packet> {
        loop {
            let decoded = self.codec.decode(&mut self.read);
            if let Some((packet, _)) = decoded.map_err(io::Error::other)? {
                if self.read.is_empty() {
                    self.read = BytesMut::new();
                }
                return Ok(packet);
            }
            self.read.reserve(256);
            if self.stream.read_buf(&mut self.read).await? == 0 {
                return Err(closed());
            }
        }
    }

    async fn send(&mut self, packet: Packet) -> io::Result<()> {
        self.codec
            .encode(packet, &mut self.write)
            .map_err(io::Error::other)?;
        let sent = self.stream.write_all(&self.write).await;
        self.write = BytesMut::new();
        sent
    }

    fn packet_id(&mut self) -> NonZeroU16 {
        self.last_packet_id = self.last_packet_id.wrapping_add(1).max(1);
        NonZeroU16::new(self.last_packet_id).unwrap_or(NonZeroU16::MIN)
    }
}

fn closed() -> io::Error {
    io::ErrorKind::ConnectionAborted.into()
}
