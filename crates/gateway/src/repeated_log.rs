//! Log lines that any client can cause: the first one in a minute is written, the others are counted.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

const INTERVAL: Duration = Duration::from_secs(60);

/// One kind of line.
#[derive(Debug, Default)]
pub(crate) struct RepeatedLine(AtomicU64);

impl RepeatedLine {
    /// Whether this line is to be written. Otherwise it is counted.
    pub(crate) fn is_first(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// Starts a new minute. Returns how many lines were not written in the last one.
    fn begin_minute(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed).saturating_sub(1)
    }
}

/// The lines of one endpoint.
#[derive(Debug, Default)]
pub(crate) struct RepeatedLog {
    /// A login that was refused.
    pub(crate) refused: RepeatedLine,
    /// A device that was disconnected because of what it sent.
    pub(crate) disconnected: RepeatedLine,
    /// A topic filter that was refused.
    pub(crate) filter: RepeatedLine,
}

impl RepeatedLog {
    /// Writes the counts until `stop`.
    pub(crate) async fn run(&self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while stop.run_until_cancelled(tick.tick()).await.is_some() {
            let lines = [
                ("device_refused", &self.refused),
                ("device_disconnected", &self.disconnected),
                ("subscription_refused", &self.filter),
            ];
            for (line, repeated) in lines {
                let more = repeated.begin_minute();
                if more > 0 {
                    tracing::warn!(
                        line,
                        more,
                        "line_repeated: as often again in the last minute"
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_minute_is_written_and_the_others_are_counted() {
        let line = RepeatedLine::default();
        assert_eq!(line.begin_minute(), 0);
        let written = (0..1_000).filter(|_| line.is_first()).count();
        assert_eq!((written, line.begin_minute()), (1, 999));
        assert!(line.is_first(), "another minute");
        assert_eq!(line.begin_minute(), 0);
    }
}
