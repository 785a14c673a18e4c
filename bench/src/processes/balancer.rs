//! The load balancer in front of two gateways: a connection goes to the first one that accepts it.
use crate::process::{Process, free_port};
use anyhow::Context as _;
use tokio::io::copy_bidirectional_with_sizes;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

/// Started with this argument, the benchmark is such a load balancer.
pub(crate) const ARGUMENT: &str = "balancer";
const PORT: &str = "BENCH_PORT";
/// Ports of the gateways, separated by commas.
const GATEWAYS: &str = "BENCH_GATEWAYS";
/// Batteries send a few hundred bytes at a time.
const BUFFER_BYTES: usize = 1024;

/// A process of its own, because it has two open files for each battery.
pub(super) async fn start(gateways: [u16; 2]) -> anyhow::Result<(u16, Process)> {
    let port = free_port()?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(ARGUMENT)
        .env(PORT, port.to_string())
        .env(GATEWAYS, gateways.map(|port| port.to_string()).join(","));
    let process = Process::start("the load balancer", &mut command, port).await?;
    Ok((port, process))
}

/// Forwards connections until it is killed.
pub(crate) async fn run() -> anyhow::Result<()> {
    let of = |name: &str| std::env::var(name).with_context(|| format!("{name} is not set"));
    let gateways = of(GATEWAYS)?;
    let gateways: Result<Vec<u16>, _> = gateways.split(',').map(str::parse).collect();
    let gateways = gateways?;
    let listener = TcpListener::bind(format!("127.0.0.1:{}", of(PORT)?)).await?;
    loop {
        let (battery, _) = listener.accept().await?;
        tokio::spawn(forward(battery, gateways.clone()));
    }
}

async fn forward(mut battery: TcpStream, gateways: Vec<u16>) {
    for port in gateways {
        let Ok(mut gateway) = TcpStream::connect(("127.0.0.1", port)).await else {
            continue;
        };
        let _ = (battery.set_nodelay(true), gateway.set_nodelay(true));
        // However it ends, both connections are closed.
        let _ =
            copy_bidirectional_with_sizes(&mut battery, &mut gateway, BUFFER_BYTES, BUFFER_BYTES)
                .await;
        return;
    }
}
