//! Days of simulated homes with a sample every 30 s: the same for us and for the peers.
use domain::clock::{DAY, Millis, SECOND};
use domain::sample::{MessageId, tenth_of_second};
use domain::{Sample, Serial, SiteDay, Zone};
use simulator::{Household, Installation, Rating, Seed, Share, Unit};
use std::ops::{Range, RangeInclusive};
use store::Store;

/// The year of the data: long over, so everything in it is sealed.
const YEAR: i16 = 2025;
pub(crate) const SAMPLE_INTERVAL: Millis = 30 * SECOND;

pub(crate) fn zone() -> Zone {
    Zone::DEFAULT
        .parse()
        .expect("the default time zone is valid")
}

pub(crate) fn days() -> Vec<SiteDay> {
    let first = SiteDay::new(YEAR, 1, 1).expect("a valid date");
    (0..365).map(|day| first.plus(day)).collect()
}

/// Every day of the year in one home; the serial number is the seed.
pub(crate) fn year(sn: &Serial) -> Vec<Vec<Sample>> {
    some_days(sn, 0..=364)
}

/// The same with fewer samples a day.
pub(crate) fn year_with_interval(sn: &Serial, interval: Millis) -> Vec<Vec<Sample>> {
    samples_by_day(sn, &days(), interval)
}

/// Some days of the year, by index.
pub(crate) fn some_days(sn: &Serial, indices: RangeInclusive<usize>) -> Vec<Vec<Sample>> {
    samples_by_day(sn, &days()[indices], SAMPLE_INTERVAL)
}

/// Consecutive days of one home.
pub(crate) fn samples_by_day(sn: &Serial, days: &[SiteDay], interval: Millis) -> Vec<Vec<Sample>> {
    let (zone, first) = (zone(), days.first().copied());
    let Some(first) = first else {
        return Vec::new();
    };
    let mut home = SampledHome::new(sn, zone.start_of(first));
    days.iter()
        .map(|day| home.samples(zone.bounds(*day), interval))
        .collect()
}

/// All samples of one home in a time span.
pub(crate) fn samples(sn: &Serial, span: Range<Millis>, interval: Millis) -> Vec<Sample> {
    SampledHome::new(sn, span.start).samples(span, interval)
}

/// A simulated home; the serial number is the seed.
struct SampledHome {
    seed: Seed,
    unit: Unit,
    seq: u32,
}

impl SampledHome {
    fn new(sn: &Serial, begins: Millis) -> Self {
        let seed = Seed::of(sn, 1);
        let installation = Installation {
            seed,
            site: seed,
            household: Household::random(seed),
            rating: Rating::of_kwh(10),
            phase: 1,
            share: Share::House,
            zone: zone(),
        };
        Self {
            seed,
            unit: Unit::new(installation, begins, 500, [0; 5]),
            seq: 0,
        }
    }

    /// The next samples, in the middle of each interval.
    fn samples(&mut self, span: Range<Millis>, interval: Millis) -> Vec<Sample> {
        let ticks = (span.end - span.start) / interval;
        let mut samples = Vec::with_capacity(usize::try_from(ticks).unwrap_or(0));
        for tick in 0..ticks {
            // A battery's timer is some milliseconds early or late; the gateway keeps tenths of a second.
            let due = span.start + tick * interval + interval / 2;
            self.unit
                .advance_to(due + (20.0 * self.seed.noise(due, 1)) as Millis);
            self.seq += 1;
            let mut sample = self.unit.sample(MessageId::new(1, self.seq));
            sample.at = tenth_of_second(sample.at);
            samples.push(sample);
        }
        samples
    }
}

/// Seals the days of one system, as the server does when they are over.
pub(crate) async fn write(
    store: &Store,
    sn: &Serial,
    days: Vec<Vec<Sample>>,
) -> anyhow::Result<()> {
    let now = zone().start_of(SiteDay::new(YEAR + 1, 1, 1).expect("a valid date")) + DAY;
    store
        .telemetry
        .write_history(sn, &zone(), days.into_iter(), now)
        .await?;
    Ok(())
}
