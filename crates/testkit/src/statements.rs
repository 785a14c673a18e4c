//! Records every SQL statement that tests use, one file each, in the folder TEST_STATEMENTS.
//! `scripts/prepare-statements` then checks all of them on PostgreSQL. Most tests therefore need only SQLite.
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::{Mutex, Once};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

/// Records the database driver's statements from now on; does nothing without TEST_STATEMENTS.
pub(crate) fn record() {
    static STARTED: Once = Once::new();
    let Some(folder) = std::env::var_os("TEST_STATEMENTS") else {
        return;
    };
    STARTED.call_once(|| {
        let recorder = Recorder {
            folder: folder.into(),
            known: Mutex::default(),
        };
        let statements = Targets::new().with_target("sqlx::query", Level::DEBUG);
        let subscriber = tracing_subscriber::registry().with(recorder.with_filter(statements));
        subscriber.try_init().expect("no other subscriber");
    });
}

struct Recorder {
    folder: PathBuf,
    known: Mutex<HashSet<u64>>,
}

impl<S: Subscriber> Layer<S> for Recorder {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut statement = Statement(String::new());
        event.record(&mut statement);
        let text = statement.0.trim();
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        if text.is_empty() || !self.known.lock().unwrap().insert(hash) {
            return;
        }
        let file = self.folder.join(format!("{hash:016x}.sql"));
        if !file.exists() {
            std::fs::write(file, text).expect("the folder of statements");
        }
    }
}

/// The driver logs the whole text as `db.statement`, or as `summary` if it is short.
struct Statement(String);

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, value: &str) {
        let is_better = match field.name() {
            "db.statement" => !value.is_empty(),
            "summary" => self.0.is_empty(),
            _ => false,
        };
        if is_better {
            value.clone_into(&mut self.0);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
