//! Suncellar itself, as an operator runs it: the release binary, an SQLite file, devices registered, an owner logged in.
use crate::http;
use crate::process::{Process, free_port};
use anyhow::{Context as _, ensure};
use domain::Serial;
use std::path::{Path, PathBuf};
use store::{Keyring, Store};
use tempfile::TempDir;
use tokio::process::Command;

const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "Mittagssonne-7!";

/// A data folder with its devices; the server is started on it and stopped again.
pub(crate) struct Site {
    folder: TempDir,
    secret: String,
}

impl Site {
    /// Registers devices, one per serial number, the way the operator does.
    pub(crate) async fn new(serials: &[Serial]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let seed: [u8; 32] = ring::rand::generate(&ring::rand::SystemRandom::new())
            .map_err(|_| anyhow::anyhow!("no randomness"))?
            .expose();
        let secret: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
        let site = Self { folder, secret };
        let mut csv = String::from("sn,phase,secret\n");
        for sn in serials {
            csv.push_str(&format!("{sn},1,\n"));
        }
        std::fs::write(site.path("new.csv"), csv)?;
        let printed = site
            .admin(&["import-devices", &text(&site.path("new.csv"))])
            .await?;
        std::fs::write(site.secrets(), printed)?;
        Ok(site)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The table of serial numbers and secrets that the batteries were made with.
    pub(crate) fn secrets(&self) -> PathBuf {
        self.path("devices.csv")
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path("suncellar.db")
    }

    /// Opens the database beside the server, to fill it.
    pub(crate) async fn store(&self) -> anyhow::Result<Store> {
        let url = format!("sqlite:{}", self.database().display());
        Ok(Store::open(&url, Keyring::new(&self.secret)?).await?)
    }

    fn command(&self) -> anyhow::Result<Command> {
        let binary = std::env::current_exe()?.with_file_name("suncellar");
        let mut command = Command::new(binary);
        command
            .env("SUNCELLAR_SECRET", &self.secret)
            .env("SUNCELLAR_DATA_DIR", self.folder.path())
            .env("RUST_LOG", "error");
        Ok(command)
    }

    async fn admin(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let output = self
            .command()?
            .arg("admin")
            .args(arguments)
            .output()
            .await?;
        ensure!(
            output.status.success(),
            "suncellar admin failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8(output.stdout)?)
    }

    pub(crate) async fn serve(&self) -> anyhow::Result<Server> {
        let (port, devices) = (free_port()?, free_port()?);
        let mut command = self.command()?;
        command
            .arg("serve")
            .arg(format!("--listen=127.0.0.1:{port}"))
            .arg(format!("--devices-listen=127.0.0.1:{devices}"))
            .arg(format!("--updates-listen=127.0.0.1:{}", free_port()?));
        let process = Process::start("suncellar", &mut command, port).await?;
        Ok(Server {
            port,
            devices,
            process,
        })
    }

    /// An owner of these systems, registered by a code and logged in; the token is good for a few minutes.
    pub(crate) async fn owner(
        &self,
        server: &Server,
        systems: &[Serial],
    ) -> anyhow::Result<String> {
        let mut arguments = vec!["issue-code", "registration"];
        arguments.extend(systems.iter().map(Serial::as_str));
        let code = self.admin(&arguments).await?;
        let form = format!(
            "email={EMAIL}&password={PASSWORD}&password2={PASSWORD}&phone=%2B4930901820&country=DE&role=user&terms=true&sn1={}",
            code.trim()
        );
        let answer = http::post(server.port, "/api/auth/register/", form.into_bytes()).await?;
        ensure!(
            answer.status == 201,
            "no account: {}",
            String::from_utf8_lossy(&answer.body)
        );
        server.log_in().await
    }
}

pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) devices: u16,
    pub(crate) process: Process,
}

impl Server {
    pub(crate) async fn log_in(&self) -> anyhow::Result<String> {
        let form = format!("email={EMAIL}&password={PASSWORD}&electrician=false");
        let answer = http::post(self.port, "/api/auth/token/", form.into_bytes()).await?;
        let body: serde_json::Value = serde_json::from_slice(&answer.body)?;
        let token = body["access"].as_str().context("no access token")?;
        Ok(token.to_owned())
    }

    /// The file of the web app whose size is nearest to `bytes`: what the server gives without any thought.
    pub(crate) async fn static_file(&self, bytes: usize) -> anyhow::Result<(String, usize)> {
        let index = http::get(self.port, "/", None).await?;
        let mut found = names(&String::from_utf8_lossy(&index.body));
        let mut files = Vec::new();
        // Files name the files they load, so a few steps find them all.
        while let Some(path) = found.pop() {
            if files
                .iter()
                .any(|(known, _): &(String, usize)| *known == path)
            {
                continue;
            }
            let Ok(answer) = http::get(self.port, &path, None).await else {
                continue;
            };
            if path.ends_with(".js") {
                found.extend(names(&String::from_utf8_lossy(&answer.body)));
            }
            files.push((path, answer.body.len()));
        }
        files
            .into_iter()
            .min_by_key(|(_, size)| size.abs_diff(bytes))
            .context("the server has no web app in it")
    }
}

/// Every `assets/…` that a text names.
fn names(text: &str) -> Vec<String> {
    text.split(['"', '\'', '`'])
        .filter_map(|part| {
            let name = part
                .rsplit_once("assets/")
                .map_or_else(|| part.strip_prefix("./"), |(_, name)| Some(name))?;
            let plain = !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
            (plain && (name.ends_with(".js") || name.ends_with(".css")))
                .then(|| format!("/assets/{name}"))
        })
        .collect()
}

fn text(path: &Path) -> String {
    path.display().to_string()
}
