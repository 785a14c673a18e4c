//! A proxy that can stop forwarding without closing anything, like a firewall that has forgotten its connections, and that can
//! lead to another server, like an address that moves to a standby.
use std::net::SocketAddr;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Ends when dropped.
#[derive(Debug)]
pub struct Proxy {
    pub address: SocketAddr,
    forwards: watch::Sender<bool>,
    target: watch::Sender<SocketAddr>,
    task: JoinHandle<()>,
}

impl Proxy {
    pub async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (forwards, state) = watch::channel(true);
        let (target, targets) = watch::channel(target);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, targets.clone(), state.clone()));
            }
        });
        Self {
            address,
            forwards,
            target,
            task,
        }
    }

    /// Closes all connections; new ones lead to this server.
    pub fn lead_to(&self, target: SocketAddr) {
        self.target.send_replace(target);
    }

    pub fn stop_forwarding(&self) {
        self.forwards.send_replace(false);
    }

    /// What was sent meanwhile arrives now.
    pub fn forward_again(&self) {
        self.forwards.send_replace(true);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(
    client: TcpStream,
    mut targets: watch::Receiver<SocketAddr>,
    state: watch::Receiver<bool>,
) {
    let target = *targets.borrow_and_update();
    let Ok(server) = TcpStream::connect(target).await else {
        return;
    };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = copy(from_client, to_server, state.clone()) => {}
        () = copy(from_server, to_client, state) => {}
        _ = targets.changed() => {}
    }
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut forwards: watch::Receiver<bool>,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let forwarded = async {
            forwards.wait_for(|forwards| *forwards).await.ok()?;
            to.write_all(&buffer[..length]).await.ok()
        };
        if forwarded.await.is_none() {
            return;
        }
    }
}
