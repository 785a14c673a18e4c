//! Seeded randomness: a test draws the same tokens each time.
use domain::Random;
use std::sync::atomic::{AtomicU64, Ordering};

pub fn seeded(seed: u64) -> Random {
    let state = AtomicU64::new(seed);
    Random::new(move |bytes| {
        for chunk in bytes.chunks_mut(8) {
            let drawn =
                splitmix(state.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed)).to_le_bytes();
            chunk.copy_from_slice(&drawn[..chunk.len()]);
        }
    })
}

fn splitmix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
