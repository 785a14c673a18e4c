//! The limit of open files, and how the listeners share it.
use crate::config::Config;
use domain::connections::Connections;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::Arc;

/// Connections per client address to a listener for people, enough for an office behind one address.
const PER_CLIENT: usize = 256;
/// Connections per client address to the gateway before login.
const PENDING_PER_CLIENT: usize = 64;
/// Upper bound: more connections would need more memory than a machine has.
const MAX_FILES: u64 = 1 << 20;

/// The file limit of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenFiles(usize);

/// The connections of each listener.
#[derive(Debug)]
pub(crate) struct Shares {
    pub(crate) portal: Connections,
    pub(crate) updates: Connections,
    pub(crate) devices: Connections,
}

/// What [`OpenFiles::raise`] would come to.
pub(crate) fn possible_limit() -> usize {
    let limit = getrlimit(Resource::Nofile).maximum;
    usize::try_from(limit.unwrap_or(MAX_FILES).min(MAX_FILES)).unwrap_or(usize::MAX)
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

    /// Batteries get three quarters, as they stay connected; a sixteenth is left for the database and everything else.
    pub(crate) fn share(self, config: &Config) -> Shares {
        let Self(files) = self;
        let proxies: Arc<[_]> = config.trusted_proxies().into();
        let behind_proxies = |connections: Connections| {
            let proxies = Arc::clone(&proxies);
            connections.exempting(move |address| proxies.iter().any(|net| net.contains(&address)))
        };
        // Behind a TLS proxy all batteries have the proxy's address.
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
