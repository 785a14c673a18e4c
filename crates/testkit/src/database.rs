//! A fresh database per test, copied from a migrated template: a file for SQLite, a database in a cluster for PostgreSQL.
//! `scripts/with-databases` starts the cluster for each test run.
use crate::random::seeded;
use crate::{Cluster, NOON, NatsServer, Proxy};
use bus::NatsServers;
use domain::Sample;
use sqlx::{Connection as _, Executor as _, PgConnection};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use store::{Secret, Store};

pub const SECRET: &str = "t9k2x7q4-m1z8v5b3-n6c0h-w2r7y4-p8d5-test";

pub struct TestDb {
    store: Store,
    url: String,
    /// The PostgreSQL database to drop at the end, with the cluster's address.
    postgres: Option<(String, String)>,
    /// By which the processes on this database inform each other.
    nats: Option<Arc<NatsServer>>,
    _folder: tempfile::TempDir,
}

impl Deref for TestDb {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl TestDb {
    pub async fn sqlite() -> Self {
        crate::statements::record();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("test.db");
        let url = format!("sqlite:{}", file.display());
        if let Ok(templates) = std::env::var("TEST_TEMPLATES") {
            copy_template(Path::new(&templates), &file).await;
        }
        let store = open(&url).await.expect("a new SQLite database");
        Self {
            store,
            url,
            postgres: None,
            nats: None,
            _folder: folder,
        }
    }

    /// `None` without a cluster; `make test` always has one and sets SUNCELLAR_REQUIRE_POSTGRES.
    pub async fn postgres() -> Option<Self> {
        let Ok(cluster) = std::env::var("TEST_POSTGRES_URL") else {
            assert!(
                std::env::var("SUNCELLAR_REQUIRE_POSTGRES").is_err(),
                "TEST_POSTGRES_URL is not set"
            );
            return None;
        };
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "t_{}_{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        create_from_template(&cluster, &name).await;
        let url = format!("{cluster}/{name}");
        let store = open(&url).await.expect("a database made from the template");
        let folder = tempfile::tempdir().expect("a temporary folder");
        Some(Self {
            store,
            url,
            postgres: Some((cluster, name)),
            nats: None,
            _folder: folder,
        })
    }

    /// The database of a cluster that syncs to its disks, for what is measured.
    pub async fn in_cluster(cluster: &Cluster) -> Self {
        let server = format!("postgres://suncellar@{}", cluster.primary);
        let url = format!("{server}/{}", Cluster::DATABASE);
        Self {
            store: open(&url).await.expect("a new PostgreSQL database"),
            url,
            postgres: Some((server, Cluster::DATABASE.to_owned())),
            nats: None,
            _folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Processes on this database inform each other by a NATS server of its own.
    pub fn with_nats(mut self) -> Self {
        self.nats = Some(Arc::new(NatsServer::start()));
        self
    }

    /// The same database behind a proxy, for one process; only on PostgreSQL.
    pub async fn behind_proxy(&self) -> (Proxy, Self) {
        let (cluster, name) = self.postgres.as_ref().expect("a PostgreSQL database");
        let (user, address) = cluster.rsplit_once('@').expect("a user and an address");
        let proxy = Proxy::start(address.parse().expect("host and port")).await;
        let url = format!("{user}@{}/{name}", proxy.address);
        let behind = self.opened_at(url).await;
        (proxy, behind)
    }

    /// The same database as another process has it, with connections and caches of its own.
    pub async fn for_another_process(&self) -> Self {
        self.opened_at(self.url.clone()).await
    }

    async fn opened_at(&self, url: String) -> Self {
        Self {
            store: open(&url).await.expect("the same database"),
            url,
            postgres: None,
            nats: self.nats.clone(),
            _folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub fn nats_server(&self) -> Option<&NatsServer> {
        self.nats.as_deref()
    }

    pub(crate) fn nats(&self) -> Option<NatsServers> {
        let server = self.nats.as_ref()?;
        Some(server.url().parse().expect("the address of a server"))
    }

    pub fn store(&self) -> Store {
        self.store.clone()
    }

    /// Opens the database once more, as another process does, or the same one after a restart.
    pub async fn open_again(&self) -> Store {
        open(&self.url).await.expect("the same database")
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Every row as a JSON object, table by table, for tests about what is stored or erased.
    pub async fn dump(&self) -> Vec<(String, Vec<String>)> {
        Self::dump_of(&self.url).await
    }

    /// The same for another database, such as a restored one.
    pub async fn dump_of(url: &str) -> Vec<(String, Vec<String>)> {
        crate::dump::dump(url).await
    }

    /// Runs SQL, for states that no call can create.
    pub async fn execute(&self, sql: &str) {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        if self.postgres.is_some() {
            let mut db = PgConnection::connect(&self.url).await.unwrap();
            db.execute(sql).await.unwrap();
        } else {
            let mut db = sqlx::SqliteConnection::connect(&self.url).await.unwrap();
            db.execute(sql).await.unwrap();
        }
    }

    /// Blocks all writes of samples until the lock is released.
    pub async fn lock_writes(&self) -> WriteLock {
        if self.postgres.is_some() {
            let mut db = PgConnection::connect(&self.url).await.unwrap();
            db.execute("BEGIN; LOCK TABLE sample_log, presence IN EXCLUSIVE MODE")
                .await
                .unwrap();
            WriteLock::Postgres(db)
        } else {
            let mut db = sqlx::SqliteConnection::connect(&self.url).await.unwrap();
            db.execute("BEGIN IMMEDIATE").await.unwrap();
            WriteLock::Sqlite(db)
        }
    }

    /// Whoever wants to write into the table waits until the lock is released; only on PostgreSQL.
    pub async fn lock_table(&self, table: &str) -> WriteLock {
        let mut db = PgConnection::connect(&self.url).await.unwrap();
        let lock = format!("BEGIN; LOCK TABLE {table} IN EXCLUSIVE MODE");
        db.execute(sqlx::AssertSqlSafe(lock)).await.unwrap();
        WriteLock::Postgres(db)
    }

    /// Whoever wants to read the table waits until the lock is released; only on PostgreSQL.
    pub async fn lock_reads(&self, table: &str) -> WriteLock {
        let mut db = PgConnection::connect(&self.url).await.unwrap();
        let lock = format!("BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE");
        db.execute(sqlx::AssertSqlSafe(lock)).await.unwrap();
        WriteLock::Postgres(db)
    }

    /// An exchange of units waits until the lock is released, as for a gateway that stores reports; only on PostgreSQL.
    pub async fn lock_exchanges(&self) -> WriteLock {
        let mut db = PgConnection::connect(&self.url).await.unwrap();
        let lock = "BEGIN; SELECT pg_advisory_xact_lock_shared(x'5343554e495453'::BIGINT)";
        db.execute(lock).await.unwrap();
        WriteLock::Postgres(db)
    }

    /// How many transactions wait for a lock of another one; only on PostgreSQL.
    pub async fn waiting_for_locks(&self) -> i64 {
        self.count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .await
    }

    /// Time, boot and sequence number of every unsealed sample of a system, by time.
    pub async fn samples(&self, sn: &str) -> Vec<(i64, i64, i64)> {
        samples(&self.url, sn).await
    }

    /// How many transactions wrote the present samples; only on PostgreSQL.
    pub async fn transactions_of_samples(&self) -> i64 {
        self.count("SELECT count(DISTINCT xmin::text) FROM sample_log")
            .await
    }

    /// The number that a query answers.
    pub async fn count(&self, query: &str) -> i64 {
        self.counts(query).await[0]
    }

    /// The number of each row that a query answers.
    pub async fn counts(&self, query: &str) -> Vec<i64> {
        let query = sqlx::AssertSqlSafe(query.to_owned());
        if self.url.starts_with("sqlite:") {
            let mut db = sqlx::SqliteConnection::connect(&self.url).await.unwrap();
            let rows = sqlx::query_scalar(query).fetch_all(&mut db).await;
            return rows.unwrap();
        }
        let mut db = PgConnection::connect(&self.url).await.unwrap();
        let rows = sqlx::query_scalar(query).fetch_all(&mut db).await;
        rows.unwrap()
    }

    /// How many transactions of this database PostgreSQL has aborted because of a deadlock. Complete once the connections of those
    /// that wrote are closed.
    pub async fn deadlocks(&self) -> i64 {
        self.count("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
            .await
    }

    /// The server processes of this database, each with its last query; only on PostgreSQL.
    pub async fn backends(&self) -> Vec<(i32, String)> {
        let mut db = PgConnection::connect(&self.url).await.unwrap();
        let backends = sqlx::query_as(
            "SELECT pid, query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        backends.fetch_all(&mut db).await.unwrap()
    }

    /// Allows or refuses new connections to this database; open ones stay. Only on PostgreSQL.
    pub async fn allow_new_connections(&self, allowed: bool) {
        let (cluster, name) = self.postgres.as_ref().expect("a PostgreSQL database");
        let statement = format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}");
        let mut admin = admin(cluster).await;
        admin.execute(sqlx::AssertSqlSafe(statement)).await.unwrap();
    }

    /// Makes the database unreachable until [`TestDb::make_reachable`]; returns `false` on SQLite, where that is impossible.
    pub async fn make_unreachable(&self) -> bool {
        let Some((cluster, name)) = &self.postgres else {
            return false;
        };
        let mut admin = admin(cluster).await;
        let shut = format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false");
        admin.execute(sqlx::AssertSqlSafe(shut)).await.unwrap();
        sqlx::query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1")
            .bind(name)
            .execute(&mut admin)
            .await
            .unwrap();
        true
    }

    pub async fn make_reachable(&self) {
        if let Some((cluster, name)) = &self.postgres {
            let open = format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true");
            let mut admin = admin(cluster).await;
            admin.execute(sqlx::AssertSqlSafe(open)).await.unwrap();
        }
    }

    pub async fn close(self) {
        self.store.db().close().await;
        if let Some((cluster, name)) = self.postgres {
            let mut admin = admin(&cluster).await;
            let drop = format!("DROP DATABASE {name} WITH (FORCE)");
            admin
                .execute(sqlx::AssertSqlSafe(drop))
                .await
                .expect("the test's own database");
        }
    }
}

/// Time, boot and sequence number of every unsealed sample of a system, by time.
pub async fn samples(url: &str, sn: &str) -> Vec<(i64, i64, i64)> {
    let db = db::Db::open(url).await.unwrap();
    let telemetry = telemetry::Telemetry::new(db.clone());
    let samples = telemetry.unsealed_samples(&sn.parse().unwrap()).await;
    db.close().await;
    let id = |sample: &Sample| (sample.at, sample.id.stored_boot(), i64::from(sample.id.seq));
    samples.unwrap().iter().map(id).collect()
}

/// Runs a statement on any SQLite file; creates the file if needed.
pub async fn execute_sqlite(url: &str, sql: &str) {
    let mut db = sqlx::SqliteConnection::connect(&format!("{url}?mode=rwc"))
        .await
        .unwrap();
    let sql = sqlx::AssertSqlSafe(sql.to_owned());
    db.execute(sql).await.unwrap();
    db.close().await.unwrap();
}

/// Runs statements on a PostgreSQL database of the cluster.
pub async fn execute(url: &str, statements: &[String]) {
    let mut db = PgConnection::connect(url).await.unwrap();
    for statement in statements {
        let sql = sqlx::AssertSqlSafe(statement.clone());
        db.execute(sql).await.unwrap();
    }
}

/// A lock that a test holds.
pub enum WriteLock {
    Sqlite(sqlx::SqliteConnection),
    Postgres(PgConnection),
}

impl WriteLock {
    pub async fn release(self) {
        match self {
            Self::Sqlite(db) => db.close().await.unwrap(),
            Self::Postgres(db) => db.close().await.unwrap(),
        }
    }
}

/// Opens a database once more, like another process.
pub async fn open(url: &str) -> store::Result<Store> {
    let secret = Secret::parse(SECRET).expect("the test secret is long enough");
    Store::open(url, &secret, &seeded(3), NOON).await
}

async fn admin(cluster: &str) -> PgConnection {
    PgConnection::connect(&format!("{cluster}/postgres"))
        .await
        .expect("the run's PostgreSQL cluster")
}

/// Copies a migrated file, as migrating takes longer than many tests. The first test creates the template. Several may do
/// so at the same time: their results are equal.
async fn copy_template(templates: &Path, file: &Path) {
    let template = templates.join("template.db");
    if !template.exists() {
        let (process, thread) = (std::process::id(), std::thread::current().id());
        let draft = templates.join(format!("draft-{process}-{thread:?}.db"));
        let store = open(&format!("sqlite:{}", draft.display())).await;
        store.expect("a migrated template").db().close().await;
        std::fs::rename(draft, &template).expect("a finished template");
    }
    std::fs::copy(template, file).expect("a copy of the template");
}

/// Tests run in many processes: the first one migrates the template under a lock, all others copy it.
async fn create_from_template(cluster: &str, name: &str) {
    const LOCK: i64 = 5_463_827;
    let mut admin = admin(cluster).await;
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(LOCK)
        .execute(&mut admin)
        .await
        .expect("the template's lock");
    let made: Option<i32> =
        sqlx::query_scalar("SELECT 1 FROM pg_database WHERE datname = 'template_ready'")
            .fetch_optional(&mut admin)
            .await
            .expect("the list of databases");
    if made.is_none() {
        admin
            .execute("DROP DATABASE IF EXISTS template_made")
            .await
            .expect("no half-made template");
        admin
            .execute("CREATE DATABASE template_made")
            .await
            .expect("a template");
        let store = open(&format!("{cluster}/template_made"))
            .await
            .expect("a migrated template");
        store.db().close().await;
        admin
            .execute("ALTER DATABASE template_made RENAME TO template_ready")
            .await
            .expect("a finished template");
    }
    let create = format!("CREATE DATABASE {name} TEMPLATE template_ready");
    admin
        .execute(sqlx::AssertSqlSafe(create))
        .await
        .expect("a copy of the template");
    admin.close().await.expect("the lock's release");
}
