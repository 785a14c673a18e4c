//! A PostgreSQL cluster of its own for one test: a primary that syncs to its disk, with a synchronous standby.
use sqlx::{Connection as _, Executor as _, PgConnection};
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;

const CONFIGURATION: &str = "
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
wal_level = replica
max_wal_senders = 4
hot_standby = on
";

/// Its servers end when dropped.
#[derive(Debug)]
pub struct Cluster {
    tools: Tools,
    folder: tempfile::TempDir,
    pub primary: SocketAddr,
    pub standby: SocketAddr,
}

impl Cluster {
    /// Empty at first.
    pub const DATABASE: &str = "suncellar";

    /// Returns when the standby is synchronous: a commit then waits for its disk, too. `None` without PostgreSQL.
    pub async fn start() -> Option<Self> {
        let tools = Tools::find()?;
        // Another user must reach it, and a socket's path is limited; so not below TMPDIR.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        tools.give(folder.path());
        let cluster = Self {
            primary: free_address(),
            standby: free_address(),
            tools,
            folder,
        };
        let (primary, standby) = (cluster.data("primary"), cluster.data("standby"));
        let (tools, port) = (&cluster.tools, cluster.primary.port().to_string());
        let initdb = ["-U", "suncellar", "-A", "trust", "-E", "UTF8", "-N"];
        tools.run("initdb", &[&["-D", &primary], &initdb[..]].concat());
        cluster.configure(&primary, CONFIGURATION);
        cluster.start_server(&primary, &port);
        let host = ["-h", "127.0.0.1", "-p", &port, "-U", "suncellar"];
        let target = ["-D", &standby, "-R", "-X", "stream", "-c", "fast"];
        tools.run("pg_basebackup", &[&host[..], &target[..]].concat());
        cluster.start_server(&standby, &cluster.standby.port().to_string());
        let mut admin = admin(cluster.primary).await;
        let synchronous = "ALTER SYSTEM SET synchronous_standby_names = '*'";
        admin.execute(synchronous).await.unwrap();
        admin.execute("SELECT pg_reload_conf()").await.unwrap();
        crate::eventually("the standby is synchronous", async || {
            let state = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
            let count: i64 = sqlx::query_scalar(state)
                .fetch_one(&mut admin)
                .await
                .unwrap();
            count == 1
        })
        .await;
        let create = format!("CREATE DATABASE {}", Self::DATABASE);
        admin.execute(sqlx::AssertSqlSafe(create)).await.unwrap();
        Some(cluster)
    }

    /// Kills the primary with all its processes, as a power cut does, and makes the standby the primary.
    pub fn fail_over(&self) {
        let file = fs::read_to_string(format!("{}/postmaster.pid", self.data("primary"))).unwrap();
        let postmaster = file.lines().next().unwrap();
        let children = fs::read_to_string(format!("/proc/{postmaster}/task/{postmaster}/children"));
        let children = children.unwrap();
        let mut kill = Command::new("kill");
        kill.arg("-KILL").arg(postmaster);
        // Some end by themselves at the same moment.
        let _ = kill.args(children.split_whitespace()).output().unwrap();
        let standby = self.data("standby");
        self.tools.run("pg_ctl", &["-D", &standby, "-w", "promote"]);
    }

    /// Deadlocks of all databases so far.
    pub async fn deadlocks(server: SocketAddr) -> i64 {
        let mut admin = admin(server).await;
        let sum = "SELECT COALESCE(sum(deadlocks), 0)::BIGINT FROM pg_stat_database";
        sqlx::query_scalar(sum).fetch_one(&mut admin).await.unwrap()
    }

    fn data(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn configure(&self, data: &str, lines: &str) {
        let path = format!("{data}/postgresql.conf");
        let text = fs::read_to_string(&path).unwrap() + lines;
        fs::write(&path, text).unwrap();
        self.tools.give(Path::new(&path));
    }

    fn start_server(&self, data: &str, port: &str) {
        let log = self.data("log");
        let options = format!("-p {port}");
        let start = ["-D", data, "-l", &log, "-o", &options, "-w", "start"];
        self.tools.run("pg_ctl", &start);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for name in ["primary", "standby"] {
            let data = self.data(name);
            let mut stop = self.tools.command("pg_ctl");
            stop.args(["-D", &data, "-m", "immediate", "stop"]);
            // It may have been killed.
            let _ = stop.output();
        }
    }
}

/// PostgreSQL's programs, and the user to run them as: they refuse to run as root.
#[derive(Debug)]
struct Tools {
    folder: PathBuf,
    user: Option<&'static str>,
}

impl Tools {
    fn find() -> Option<Self> {
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
        let folders = versions.flatten().map(|version| version.path().join("bin"));
        let mut folders: Vec<PathBuf> = folders
            .filter(|folder| folder.join("initdb").exists())
            .collect();
        folders.sort();
        let Some(folder) = folders.pop() else {
            let required = std::env::var("SUNCELLAR_REQUIRE_POSTGRES").is_ok();
            assert!(!required, "PostgreSQL's programs are not there");
            return None;
        };
        let is_known = |user: &&str| {
            let id = Command::new("id").args(["-u", user]).output();
            id.is_ok_and(|id| id.status.success())
        };
        let is_root = rustix::process::geteuid().is_root();
        let user = is_root.then(|| ["postgres", "nobody"].into_iter().find(is_known).unwrap());
        Some(Self { folder, user })
    }

    fn command(&self, program: &str) -> Command {
        let program = self.folder.join(program);
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("runuser");
                command.args(["-u", user, "--"]).arg(program);
                command
            }
            None => Command::new(program),
        };
        command.current_dir("/");
        command
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        // Its output goes nowhere: a server that inherits a pipe would keep it open.
        let mut command = self.command(program);
        command.args(arguments);
        command.stdout(std::process::Stdio::null());
        let status = command.status().unwrap();
        assert!(status.success(), "{program} {arguments:?}: {status}");
    }

    fn give(&self, path: &Path) {
        if let Some(user) = self.user {
            let given = Command::new("chown").arg(user).arg(path).status().unwrap();
            assert!(given.success());
        }
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}

async fn admin(server: SocketAddr) -> PgConnection {
    let url = format!("postgres://suncellar@{server}/postgres");
    PgConnection::connect(&url).await.unwrap()
}
