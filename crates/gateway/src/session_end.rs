//! Why a session ended.
use bus::NotStored;
use bus::downlink::Detached;
use rmqtt_codec::error::DecodeError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DeviceSessionEnd {
    #[error("disconnected by the device")]
    Goodbye,
    #[error("connection closed without DISCONNECT")]
    Closed,
    #[error("the gateway is stopping")]
    Stopped,
    /// Replaced by a newer connection of the same device, or ended by the operator.
    #[error(transparent)]
    Detached(#[from] Detached),
    #[error("silent for one and a half keep-alive periods")]
    Silent,
    #[error("write timed out: the device does not read")]
    WriteTimeout,
    #[error("published to a topic that is not its own: {0:?}")]
    ForeignTopic(String),
    #[error("protocol violation: {0}")]
    Protocol(&'static str),
    #[error("not MQTT: {0}")]
    Decode(DecodeError),
    #[error(transparent)]
    Io(std::io::Error),
    #[error("a message could not be stored in time")]
    NotStored,
}

impl DeviceSessionEnd {
    /// Whether the battery's last will is submitted.
    pub(crate) fn triggers_will(&self) -> bool {
        !matches!(
            self,
            Self::Goodbye | Self::Stopped | Self::Detached(Detached::Replaced)
        )
    }
}

impl From<NotStored> for DeviceSessionEnd {
    fn from(_: NotStored) -> Self {
        Self::NotStored
    }
}
