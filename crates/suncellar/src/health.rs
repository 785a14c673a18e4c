//! `suncellar health`: whether the server with this configuration is alive, asked from the same machine. For containers, which
//! have no other program to ask with.
use crate::config::Config;
use crate::options::ProcessRole;
use anyhow::{Context as _, bail};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

const TIMEOUT: Duration = Duration::from_secs(3);

pub(crate) async fn ask(config: &Config) -> anyhow::Result<()> {
    let serves_plain = config.has(ProcessRole::Portal) && config.tls.is_none();
    let portal = serves_plain.then_some(config.listen);
    let address = config.status_listen.or(portal);
    let address = address.context("nothing here answers in plain HTTP: set status-listen")?;
    let answer = timeout(TIMEOUT, first_line(reachable(address)));
    let line = answer.await.context("no answer within 3 seconds")??;
    match line.split(' ').nth(1) {
        Some("200") => Ok(()),
        _ => bail!("{address} answered {line:?}"),
    }
}

/// A listener on all addresses is asked on this machine's own.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

async fn first_line(address: SocketAddr) -> anyhow::Result<String> {
    let stream = TcpStream::connect(address).await;
    let mut stream = stream.with_context(|| format!("nobody listens on {address}"))?;
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(1_024).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.lines().next().unwrap_or_default().to_owned())
}
