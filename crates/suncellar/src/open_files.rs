//! How many files the process may have open, and what each listener gets of them.
use crate::config::Config;
use domain::connections::Connections;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::Arc;

/// One caller's share of a listener for people: an office behind one address.
const PER_CLIENT: usize = 256;
/// One caller's batteries that have not logged in yet.
const PENDING_PER_CLIENT: usize = 64;
/// More connections than this would need more memory than a machine has, whatever the system allows.
const MAX_FILES: u64 = 1 << 20;

/// The limit that holds for this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenFiles(usize);

/// The connections of each listener.
#[derive(Debug)]
pub(crate) struct Shares {
    pub(crate) portal: Connections,
    pub(crate) updates: Connections,
    pub(crate) devices: Connections,
}

impl OpenFiles {
    /// Raises the limit as far as the system allows: many systems start services with 1,024.
    pub(crate) fn raise() -> Self {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: maximum,
            maximum,
        };
        let limit = match setrlimit(Resource::Nofile, raised) {
            Ok(()) => maximum,
            Err(error) => {
                tracing::warn!(%error, ?current, "open_files_not_raised");
                current
            }
        };
        let limit = limit.unwrap_or(MAX_FILES).min(MAX_FILES);
        tracing::info!(limit, "open_files");
        Self(usize::try_from(limit).unwrap_or(usize::MAX))
    }

    /// Three quarters for batteries, which stay; a sixteenth is left for the database and everything else.
    pub(crate) fn share(self, config: &Config) -> Shares {
        let Self(files) = self;
        let proxies: Arc<[_]> = config.trusted_proxies().into();
        let behind_proxies = |connections: Connections| {
            let proxies = Arc::clone(&proxies);
            connections.exempting(move |address| proxies.iter().any(|net| net.contains(&address)))
        };
        // All batteries come from the proxy that does TLS for them.
        let plain = config.devices_plain();
        let devices = Connections::new(files / 4 * 3, PENDING_PER_CLIENT);
        Shares {
            portal: behind_proxies(Connections::new(files / 8, PER_CLIENT)),
            updates: behind_proxies(Connections::new(files / 16, PER_CLIENT)),
            devices: if plain {
                devices.exempting(|_| true)
            } else {
                behind_proxies(devices)
            },
        }
    }
}
