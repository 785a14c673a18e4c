//! The source of randomness. The binary passes the operating system's secure source, tests a seeded one.
use std::fmt;
use std::sync::Arc;

type Fill = dyn Fn(&mut [u8]) + Send + Sync;

#[derive(Clone)]
pub struct Random(Arc<Fill>);

impl Random {
    pub fn new(fill: impl Fn(&mut [u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(fill))
    }

    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        (self.0)(&mut bytes);
        bytes
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}
