//! The tasks of a process. Each runs until shutdown. One that ends earlier ends the whole process, with its name and the
//! reason: no part of the portal should run on without the others.
use std::collections::HashMap;
use tokio::task::{Id, JoinError, JoinSet};

#[derive(Default)]
pub(crate) struct Tasks {
    running: JoinSet<()>,
    names: HashMap<Id, &'static str>,
}

impl Tasks {
    pub(crate) fn spawn(
        &mut self,
        name: &'static str,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let id = self.running.spawn(task).id();
        self.names.insert(id, name);
    }

    /// Waits for a task that ends unexpectedly; forever if there are no tasks.
    pub(crate) async fn ended(&mut self) -> anyhow::Error {
        match self.running.join_next_with_id().await {
            Some(Ok((id, ()))) => ended(self.name(id), None),
            Some(Err(error)) => ended(self.name(error.id()), Some(&error)),
            None => std::future::pending().await,
        }
    }

    /// Waits for all tasks during shutdown.
    pub(crate) async fn finish(&mut self) {
        while let Some(done) = self.running.join_next().await {
            if let Err(error) = done {
                tracing::error!(%error, task = self.name(error.id()), "task_failed: the process is stopping");
            }
        }
    }

    fn name(&self, id: Id) -> &'static str {
        self.names.get(&id).copied().unwrap_or("a task")
    }
}

/// The error that stops the process.
pub(crate) fn ended(name: &str, error: Option<&JoinError>) -> anyhow::Error {
    match error {
        Some(error) => anyhow::anyhow!("{name} ended by itself: {error}"),
        None => anyhow::anyhow!("{name} ended by itself"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_ends_is_named_with_its_reason() {
        let mut tasks = Tasks::default();
        tasks.spawn("the portal", std::future::pending());
        tasks.spawn("the jobs", async { panic!("no such day") });
        let error = tasks.ended().await.to_string();
        assert!(error.starts_with("the jobs ended by itself"), "{error}");
        assert!(error.contains("no such day"), "{error}");

        tasks.spawn("the device endpoint", async {});
        let error = tasks.ended().await.to_string();
        assert_eq!(error, "the device endpoint ended by itself");
    }
}
