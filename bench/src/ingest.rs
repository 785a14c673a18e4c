//! Samples on their way in: how many, how fast, at what cost, and how soon the server is ready again after a start.

pub(crate) mod closed_loop;
pub(crate) mod device_bytes;
pub(crate) mod fleet;
mod peers;
pub(crate) mod start;
pub(crate) mod without_commit;

/// What was measured; the reason is printed if it could not be.
fn measured<T>(what: &str, result: anyhow::Result<T>) -> Option<T> {
    result
        .inspect_err(|error| eprintln!("{what}: not measured: {error:#}"))
        .ok()
}
