//! Suncellar as an operator runs it: the release binary, a database, registered devices, a logged-in owner.
use crate::http;
use crate::process::{Process, free_port};
use anyhow::{Context as _, ensure};
use domain::{Clock, Random, Serial};
use std::path::{Path, PathBuf};
use store::{Secret, Store};
use tempfile::TempDir;
use tokio::process::Command;

const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "Mittagssonne-7!";
const DATABASE_FILE: &str = "suncellar.db";

/// A data folder with its devices, on which servers are started and stopped.
pub(crate) struct Deployment {
    folder: TempDir,
    database_url: String,
    secret: String,
}

fn binary() -> anyhow::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("suncellar"))
}

impl Deployment {
    /// With an SQLite file and registered devices, one per serial number.
    pub(crate) async fn new(serials: &[Serial]) -> anyhow::Result<Self> {
        Self::prepare(tempfile::tempdir()?, None, serials).await
    }

    /// The same, with its data folder inside another one.
    pub(crate) async fn in_folder(parent: &Path, serials: &[Serial]) -> anyhow::Result<Self> {
        Self::prepare(tempfile::tempdir_in(parent)?, None, serials).await
    }

    /// The same on a PostgreSQL database.
    pub(crate) async fn on_postgres(url: String, serials: &[Serial]) -> anyhow::Result<Self> {
        Self::prepare(tempfile::tempdir()?, Some(url), serials).await
    }

    /// Registers devices the way the operator does.
    async fn prepare(
        folder: TempDir,
        postgres: Option<String>,
        serials: &[Serial],
    ) -> anyhow::Result<Self> {
        let seed: [u8; 32] = ring::rand::generate(&ring::rand::SystemRandom::new())
            .map_err(|_| anyhow::anyhow!("the system gave no random bytes"))?
            .expose();
        let secret: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
        let sqlite = || format!("sqlite:{}", folder.path().join(DATABASE_FILE).display());
        let deployment = Self {
            database_url: postgres.unwrap_or_else(sqlite),
            folder,
            secret,
        };
        let mut csv = String::from("sn,phase,secret\n");
        for sn in serials {
            csv.push_str(&format!("{sn},1,\n"));
        }
        std::fs::write(deployment.path("new.csv"), csv)?;
        let printed = deployment
            .admin(&["import-devices", &text(&deployment.path("new.csv"))])
            .await?;
        std::fs::write(deployment.secrets(), printed)?;
        Ok(deployment)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The table of serial numbers and secrets of the batteries.
    pub(crate) fn secrets(&self) -> PathBuf {
        self.path("devices.csv")
    }

    /// The same in two tables, each with half of the batteries.
    pub(crate) fn halves_of_secrets(&self) -> anyhow::Result<[PathBuf; 2]> {
        let all = std::fs::read_to_string(self.secrets())?;
        let (head, rows) = all.split_once('\n').context("no table of secrets")?;
        let rows: Vec<&str> = rows.lines().collect();
        let (first, second) = rows.split_at(rows.len() / 2);
        let halves = [self.path("first-half.csv"), self.path("second-half.csv")];
        for (path, rows) in halves.iter().zip([first, second]) {
            std::fs::write(path, format!("{head}\n{}\n", rows.join("\n")))?;
        }
        Ok(halves)
    }

    /// The SQLite file.
    pub(crate) fn database(&self) -> PathBuf {
        self.path(DATABASE_FILE)
    }

    /// Opens the database beside the server, to fill it.
    pub(crate) async fn store(&self) -> anyhow::Result<Store> {
        // The import has created the keys: no randomness is needed.
        let random = Random::new(|bytes| bytes.fill(0));
        let secret = Secret::parse(&self.secret)?;
        Ok(Store::open(&self.database_url, &secret, &random, Clock::system().now()).await?)
    }

    pub(crate) fn command(&self) -> anyhow::Result<Command> {
        Ok(self.with_environment(Command::new(binary()?)))
    }

    /// Real batteries do not use the server's CPU: simulated ones run at the lowest priority.
    pub(crate) fn low_priority_command(&self) -> anyhow::Result<Command> {
        let mut command = Command::new("nice");
        command.arg("-n19").arg(binary()?);
        Ok(self.with_environment(command))
    }

    /// A program that opens this deployment's database.
    pub(crate) fn environment_for(&self, program: PathBuf) -> Command {
        self.with_environment(Command::new(program))
    }

    fn with_environment(&self, mut command: Command) -> Command {
        command
            .env("SUNCELLAR_SECRET", &self.secret)
            .env("SUNCELLAR_DATA_DIR", self.folder.path())
            .env("SUNCELLAR_DATABASE", &self.database_url)
            // There is nobody to give connections to.
            .env("SUNCELLAR_DRAIN", "0")
            .env("RUST_LOG", "error");
        command
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
        self.serve_with(&[]).await
    }

    pub(crate) async fn serve_with(&self, options: &[&str]) -> anyhow::Result<Server> {
        let (port, devices, updates) = (free_port()?, free_port()?, free_port()?);
        let mut command = self.command()?;
        command
            .arg("serve")
            .arg(format!("--listen=127.0.0.1:{port}"))
            .arg(format!("--devices-listen=127.0.0.1:{devices}"))
            .arg(format!("--updates-listen=127.0.0.1:{updates}"))
            .args(options);
        let process = Process::start("suncellar", &mut command, port).await?;
        Ok(Server {
            port,
            devices,
            updates,
            process,
        })
    }

    /// An owner of these systems, registered with a code and logged in; the token is valid for a few minutes.
    pub(crate) async fn owner(
        &self,
        server: &Server,
        systems: &[Serial],
    ) -> anyhow::Result<String> {
        self.person(server, EMAIL, systems).await
    }

    /// Another owner, with their own systems.
    pub(crate) async fn person(
        &self,
        server: &Server,
        email: &str,
        systems: &[Serial],
    ) -> anyhow::Result<String> {
        let mut arguments = vec!["issue-code", "registration"];
        arguments.extend(systems.iter().map(Serial::as_str));
        let code = self.admin(&arguments).await?;
        let form = format!(
            "email={email}&password={PASSWORD}&password2={PASSWORD}&phone=%2B4930901820&country=DE&role=user&terms=true&sn1={}",
            code.trim()
        );
        let answer = http::post(server.port, "/api/auth/register/", form.into_bytes()).await?;
        ensure!(
            answer.status == 201,
            "no account: {}",
            String::from_utf8_lossy(&answer.body)
        );
        server.log_in_as(email, false).await
    }

    /// An electrician with a verified address and an installer code for these systems.
    pub(crate) async fn electrician(
        &self,
        server: &Server,
        systems: &[Serial],
    ) -> anyhow::Result<Electrician> {
        let email = "electrician@example.com";
        let form = format!(
            "email={email}&password={PASSWORD}&password2={PASSWORD}&phone=%2B4930901820&country=DE&role=electrician\
             &company=Elektro&terms=true"
        );
        let answer = http::post(server.port, "/api/auth/register/", form.into_bytes()).await?;
        ensure!(
            answer.status == 202,
            "no account: {}",
            String::from_utf8_lossy(&answer.body)
        );
        let form = format!("token={}", self.token_from_mail("#confirm=").await?);
        http::post(
            server.port,
            "/api/auth/register/confirm/",
            form.into_bytes(),
        )
        .await?;
        let mut arguments = vec!["issue-code", "installer"];
        arguments.extend(systems.iter().map(Serial::as_str));
        let code = self.admin(&arguments).await?;
        let token = server.log_in_as(email, true).await?;
        let form = format!("code={}", code.trim()).into_bytes();
        let answer = http::post_as(server.port, "/api/auth/grant/code/", &token, form).await?;
        ensure!(
            answer.status < 300,
            "the code was refused: {}",
            String::from_utf8_lossy(&answer.body)
        );
        Ok(Electrician {
            email: email.to_owned(),
            password: PASSWORD.to_owned(),
            token,
        })
    }

    /// What follows `marker` in the first mail that contains it.
    async fn token_from_mail(&self, marker: &str) -> anyhow::Result<String> {
        for _ in 0..300 {
            for file in std::fs::read_dir(self.path("mail"))? {
                let mail = std::fs::read_to_string(file?.path())?;
                // Quoted-printable breaks long lines with `=` and writes `=` itself as `=3D`.
                let text = mail.replace("=\r\n", "").replace("=3D", "=");
                if let Some((_, rest)) = text.split_once(marker) {
                    let token = rest.split_whitespace().next();
                    return Ok(token.unwrap_or_default().to_owned());
                }
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        anyhow::bail!("no mail with {marker} arrived")
    }
}

pub(crate) struct Electrician {
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) token: String,
}

pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) devices: u16,
    pub(crate) updates: u16,
    pub(crate) process: Process,
}

impl Server {
    pub(crate) async fn log_in(&self) -> anyhow::Result<String> {
        self.log_in_as(EMAIL, false).await
    }

    async fn log_in_as(&self, email: &str, electrician: bool) -> anyhow::Result<String> {
        let form = format!("email={email}&password={PASSWORD}&electrician={electrician}");
        let answer = http::post(self.port, "/api/auth/token/", form.into_bytes()).await?;
        let body: serde_json::Value = serde_json::from_slice(&answer.body)?;
        let token = body["access"]
            .as_str()
            .context("no access token in the login response")?;
        Ok(token.to_owned())
    }

    /// The file of the web app whose size is nearest to `bytes`: the cheapest response of the server.
    pub(crate) async fn static_file(&self, bytes: usize) -> anyhow::Result<(String, usize)> {
        let index = http::get(self.port, "/", None).await?;
        let mut found = names(&String::from_utf8_lossy(&index.body));
        let mut files = Vec::new();
        // Files name the files they load, so following these names finds them all.
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
            .context("the server was built without the web app")
    }
}

/// All `assets/…` paths in a text.
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
