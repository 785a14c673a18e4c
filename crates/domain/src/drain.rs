//! When a process that is to end closes each of its long connections: those of batteries, and the event streams of browsers. Closed
//! all at once, they would all come to the other processes at once.
use std::time::Duration;

/// How long load balancers have to notice that the process is not ready, before the first connection is closed.
const NOTICE: Duration = Duration::from_secs(5);
/// 2 % of the connections a second.
const CLOSING: Duration = Duration::from_secs(50);

/// The times of one drain, since its beginning.
#[derive(Clone, Copy, Debug)]
pub struct DrainSchedule {
    connections: usize,
    notice: Duration,
    closing: Duration,
}

impl DrainSchedule {
    /// For so many connections. At most 2 % of them are closed in a second, or more if `limit` leaves less time.
    pub fn new(connections: usize, limit: Duration) -> Self {
        let notice = NOTICE.min(limit / 4);
        Self {
            connections,
            notice,
            closing: CLOSING.min(limit - notice),
        }
    }

    /// Until then no connection is closed.
    pub fn notice(&self) -> Duration {
        self.notice
    }

    /// When the connection with this place is closed. Those that came during the drain have places behind all others, and go with the
    /// last.
    pub fn closes_after(&self, place: usize) -> Duration {
        let last = self.notice + self.closing;
        if place >= self.connections {
            return last;
        }
        self.notice + self.closing.mul_f64(place as f64 / self.connections as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// How many are closed in each second.
    fn closed_by_second(connections: usize, limit: Duration) -> Vec<usize> {
        let schedule = DrainSchedule::new(connections, limit);
        let mut seconds = vec![0; limit.as_secs() as usize + 1];
        for place in 0..connections {
            seconds[schedule.closes_after(place).as_secs() as usize] += 1;
        }
        seconds
    }

    #[test]
    fn two_percent_are_closed_a_second_once_balancers_have_noticed() {
        for connections in [1, 7, 50, 1_000, 99_999] {
            let seconds = closed_by_second(connections, MINUTE);
            assert_eq!(seconds.iter().sum::<usize>(), connections);
            assert_eq!(seconds[..5], [0; 5]);
            assert_eq!(seconds[5 + 50..], [0; 6]);
            let most = seconds.iter().max().copied().unwrap();
            assert!(most <= connections.div_ceil(50), "{most} of {connections}");
        }
    }

    #[test]
    fn a_longer_limit_does_not_slow_it_down_and_a_shorter_one_spreads_it_over_what_there_is() {
        let hour = closed_by_second(1_000, 60 * MINUTE);
        assert_eq!(hour[5..55], [20; 50]);
        let short = closed_by_second(1_000, Duration::from_secs(25));
        assert_eq!(short[5..25], [50; 20]);
        let shortest = closed_by_second(1_000, Duration::from_secs(4));
        assert_eq!(shortest[..4], [0, 334, 333, 333]);
    }

    #[test]
    fn who_comes_meanwhile_goes_with_the_last() {
        let schedule = DrainSchedule::new(100, MINUTE);
        assert_eq!(schedule.closes_after(99), Duration::from_millis(54_500));
        assert_eq!(schedule.closes_after(100), Duration::from_secs(55));
        assert_eq!(schedule.closes_after(5_000), Duration::from_secs(55));
        let none = DrainSchedule::new(0, MINUTE);
        assert_eq!(none.closes_after(0), Duration::from_secs(55));
    }
}
