//! Stands in for Open-Meteo: the same three days for every cell. Everything else that is asked is not found.
use domain::Clock;
use domain::clock::{DAY, MINUTE, SECOND};
use std::fmt::Write as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const QUARTERS: i64 = 3 * 96;
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// Serves until dropped.
pub(super) struct FakeWeather {
    port: u16,
    task: JoinHandle<()>,
}

impl FakeWeather {
    pub(super) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    // Who hangs up gets nothing.
                    let _ = answer(stream).await;
                });
            }
        });
        Ok(Self { port, task })
    }

    /// The options that send the jobs here instead of into the Internet.
    pub(super) fn options(&self) -> Vec<String> {
        [
            "tibber",
            "awattar",
            "energy_charts",
            "entsoe",
            "open_meteo",
            "forecast_solar",
        ]
        .map(|name| format!("--source-url={name}=http://127.0.0.1:{}", self.port))
        .to_vec()
    }
}

impl Drop for FakeWeather {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") && request.len() < MAX_REQUEST_BYTES {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let (status, body) = match String::from_utf8_lossy(&request).contains("minutely_15") {
        true => ("200 OK", three_days()),
        false => ("404 Not Found", String::new()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all((head + &body).as_bytes()).await?;
    stream.shutdown().await
}

fn three_days() -> String {
    let start = Clock::system().now().div_euclid(DAY) * DAY / SECOND;
    let mut time = String::new();
    for n in 0..QUARTERS {
        let comma = if n == 0 { "" } else { "," };
        let _ = write!(time, "{comma}{}", start + n * 15 * MINUTE / SECOND);
    }
    let values = |noon: i64| {
        let value = |n: i64| (noon - (n % 96 - 48).abs() * noon / 24).max(0).to_string();
        (0..QUARTERS).map(value).collect::<Vec<_>>().join(",")
    };
    format!(
        r#"{{"minutely_15":{{"time":[{time}],"direct_radiation":[{}],"diffuse_radiation":[{}]}}}}"#,
        values(500),
        values(120)
    )
}
