//! An S3-compatible server for one test: moto, which keeps everything in memory.
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ends when dropped.
#[derive(Debug)]
pub struct S3Server {
    port: u16,
    process: Child,
}

impl S3Server {
    /// Returns when it has this bucket.
    pub fn start(bucket: &str) -> Self {
        // Free at this moment; a server that finds it taken ends, and the test fails.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let home = std::env::var("HOME").unwrap_or_default();
        let program = format!("{home}/.cache/suncellar/moto/bin/moto_server");
        let mut command = Command::new(&program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        let process = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{program}: {error}: scripts/install-tools installs it")
            });
        let mut server = Self { port, process };
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.process.try_wait().unwrap();
            assert!(ended.is_none(), "moto_server ended: {ended:?}");
            assert!(Instant::now() < deadline, "moto_server does not listen");
            std::thread::yield_now();
        }
        let answer = server.request("PUT", &format!("/{bucket}"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        server
    }

    /// The variables by which a client finds it.
    pub fn variables(&self) -> impl Iterator<Item = (String, String)> + use<> {
        let endpoint = format!("http://127.0.0.1:{}", self.port);
        let variables = [
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
        ];
        variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
    }

    /// Every object's name, as the server lists them.
    pub fn objects(&self, bucket: &str) -> Vec<String> {
        let answer = self.request("GET", &format!("/{bucket}?list-type=2"));
        let keys = answer.split("<Key>").skip(1);
        keys.filter_map(|rest| rest.split("</Key>").next())
            .map(str::to_owned)
            .collect()
    }

    fn request(&self, method: &str, path: &str) -> String {
        let mut connection = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            self.port
        );
        connection.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
