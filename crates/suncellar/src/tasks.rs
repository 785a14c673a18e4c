//! The tasks of a process. Each runs until the stop: one that ends before it ends the process, with its name and why, so that
//! no half of a portal goes on without the other.
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

    /// Waits for one that ends although nobody asked for it; for ever when there is none.
    pub(crate) async fn ended(&mut self) -> anyhow::Error {
        match self.running.join_next_with_id().await {
            Some(Ok((id, ()))) => ended(self.name(id), None),
            Some(Err(error)) => ended(self.name(error.id()), Some(&error)),
            None => std::future::pending().await,
        }
    }

    /// Waits for all of them, after the stop.
    pub(crate) async fn finish(&mut self) {
        while let Some(done) = self.running.join_next().await {
            if let Err(error) = done {
                tracing::error!(%error, task = self.name(error.id()), "a task failed at the stop");
            }
        }
    }

    fn name(&self, id: Id) -> &'static str {
        self.names.get(&id).copied().unwrap_or("a task")
    }
}

/// Why the process cannot go on.
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
