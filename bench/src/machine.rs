//! How much CPU the machine really provided while something was measured. On a shared machine the same program can take several
//! times as long a minute later; figures mean nothing without this.
use crate::figure::Figure;
use std::hint::black_box;
use std::time::Instant;

/// About a third of a second on an idle core.
const WORK_STEPS: u64 = 200_000_000;

pub(crate) struct Machine {
    before: Option<Ticks>,
    work_ms: f64,
}

/// CPU ticks of all cores since boot.
#[derive(Clone, Copy)]
struct Ticks {
    all: u64,
    /// Time taken by other virtual machines on the same hardware.
    stolen: u64,
}

impl Machine {
    pub(crate) fn watch() -> Self {
        Self {
            work_ms: fixed_work(),
            before: Ticks::read(),
        }
    }

    /// Recorded without a bar.
    pub(crate) fn figures(&self) -> [Figure; 2] {
        let stolen = self.before.zip(Ticks::read()).map(|(before, after)| {
            let all = after.all.saturating_sub(before.all).max(1);
            100.0 * after.stolen.saturating_sub(before.stolen) as f64 / all as f64
        });
        let slower = f64::midpoint(self.work_ms, fixed_work());
        [
            Figure::recorded("    processor time that others had meanwhile", "%", stolen),
            Figure::recorded("    a fixed piece of work took", "ms", Some(slower)),
        ]
    }
}

impl Ticks {
    /// The first line of `/proc/stat`; `None` on other kernels.
    fn read() -> Option<Self> {
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        // User, nice, system, idle, iowait, irq, softirq, steal; the columns after it are already included in user.
        let ticks: Vec<u64> = line
            .split_whitespace()
            .take(8)
            .map_while(|ticks| ticks.parse().ok())
            .collect();
        Some(Self {
            all: ticks.iter().sum(),
            stolen: *ticks.get(7)?,
        })
    }
}

fn fixed_work() -> f64 {
    let begun = Instant::now();
    let mut value = 1_u64;
    for step in 0..black_box(WORK_STEPS) {
        value = value
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(step);
    }
    black_box(value);
    begun.elapsed().as_secs_f64() * 1_000.0
}
