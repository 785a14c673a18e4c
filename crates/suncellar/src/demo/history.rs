//! What the demo's batteries have lived through: a history at the first start, the time that the demo was off at later ones.
use super::sites::{AWAY_FOR, BAD_CELL_FOR, DIMMED_FOR, DemoSite, METER_LOST_FOR, SiteCondition};
use domain::clock::{DAY, MINUTE, Millis, SECOND};
use domain::hello::PartVersions;
use domain::sample::MessageId;
use domain::{Event, Hello, Sample, Serial, SiteDay, Zone};
use simulator::wire::FirmwareVersions;
use simulator::{Dimming, Installation, Unit, model};
use store::Store;
use store::presence::GatewayId;
use store::report::{Report, ReportBody};

/// Older days hold a sample every five minutes, the newest ones every 30 s, as batteries send them.
const COARSE_INTERVAL: Millis = 5 * MINUTE;
const FINE_INTERVAL: Millis = 30 * SECOND;
const FINE_PERIOD: Millis = DAY;

/// Events older than this are not worth a line in anybody's messages.
const MAX_EVENT_AGE: Millis = 60 * DAY;

/// An address where no meter listens.
const WRONG_ADDRESS: u8 = 77;

/// What the grid operator leaves a battery to draw, in W.
const DIMMED_TO: i32 = 4_200;

/// One battery of the street while its past is played.
pub(super) struct HistorySimulation {
    pub(super) sn: Serial,
    pub(super) site: DemoSite,
    pub(super) installation: Installation,
    pub(super) zone: Zone,
    pub(super) unit: Unit,
    /// The portal has heard from it before.
    known: bool,
    boot: u32,
    seq: u32,
}

impl HistorySimulation {
    /// `last` is what the portal has heard last from it.
    pub(super) fn new(
        sn: Serial,
        site: DemoSite,
        installation: Installation,
        boot: u32,
        last: Option<&Sample>,
        first_moment: Millis,
    ) -> Self {
        let (at, charge, readings) = match last {
            Some(last) => (
                last.at,
                i64::from(last.soc.unwrap_or(500)),
                last.counters.map(Option::unwrap_or_default),
            ),
            None => (first_moment, 400, [0; 5]),
        };
        let mut simulation = Self {
            zone: installation.zone.clone(),
            unit: Unit::new(installation.clone(), at, charge, readings),
            known: last.is_some(),
            sn,
            site,
            installation,
            boot,
            seq: 0,
        };
        if simulation.known {
            simulation.apply_condition(at);
            simulation.unit.reset_events();
        }
        simulation
    }

    fn next_id(&mut self) -> MessageId {
        self.seq += 1;
        MessageId::new(self.boot, self.seq)
    }

    /// What is the matter with it begins in time.
    fn apply_condition(&mut self, now: Millis) {
        let began = |ago: Millis| self.unit.at() >= now - ago;
        match self.site.condition {
            SiteCondition::BadCell if began(BAD_CELL_FOR) => self.unit.set_faulty(true),
            SiteCondition::MeterLost if began(METER_LOST_FOR) => {
                self.unit.settings.meter_address = WRONG_ADDRESS
            }
            SiteCondition::Dimmed if began(DIMMED_FOR) => self.unit.grid.dim(Dimming {
                from: now - DIMMED_FOR,
                until: Millis::MAX,
                limit: DIMMED_TO,
            }),
            _ => {}
        }
    }

    /// The samples of one day up to `until`, and the events that came with them.
    fn day(
        &mut self,
        day: SiteDay,
        until: Millis,
        now: Millis,
        events: &mut Vec<Event>,
    ) -> Vec<Sample> {
        let bounds = self.zone.bounds(day);
        let step = if bounds.end > now - FINE_PERIOD {
            FINE_INTERVAL
        } else {
            COARSE_INTERVAL
        };
        let end = bounds.end.min(until);
        let mut at = bounds
            .start
            .max(self.unit.at() - self.unit.at().rem_euclid(step) + step);
        let mut samples =
            Vec::with_capacity(usize::try_from((end - at).max(0) / step + 1).unwrap_or_default());
        while at < end {
            self.apply_condition(now);
            self.unit.advance_to(at);
            let id = self.next_id();
            samples.push(self.unit.sample(id));
            for device_event in self.unit.take_events() {
                if device_event.at > now - MAX_EVENT_AGE {
                    let id = self.next_id();
                    events.push(Event {
                        id,
                        at: Some(device_event.at),
                        code: device_event.code,
                        on: device_event.on,
                        args: Some(device_event.args.json()),
                    });
                }
            }
            at += step;
        }
        samples
    }

    /// Lives until now and leaves everything in the store as if it had been sent.
    pub(super) async fn catch_up(&mut self, store: &Store, now: Millis) -> anyhow::Result<()> {
        let until = match self.site.condition {
            SiteCondition::Away if self.known => return Ok(()),
            SiteCondition::Away => now - AWAY_FOR,
            _ => now,
        };
        let first_moment = self.unit.at();
        if first_moment >= until {
            self.apply_condition(now);
            return Ok(());
        }
        if !self.known {
            let hello = self.report(first_moment, self.hello());
            store.append(&[hello], GatewayId::default()).await?;
        }
        let (sn, zone) = (self.sn.clone(), self.zone.clone());
        let (mut day, last) = (zone.day_of(first_moment), zone.day_of(until));
        let (mut events, known) = (Vec::new(), self.known);
        let mut days = std::iter::from_fn(|| {
            let samples = (day <= last).then(|| self.day(day, until, now, &mut events));
            day = day.next();
            samples
        });
        if known {
            for samples in days {
                store.telemetry.append_samples(&sn, &samples, now).await?;
            }
        } else {
            store
                .telemetry
                .write_history(&sn, &zone, &mut days, now)
                .await?;
        }
        let event = |event: Event| self.report(event.at.unwrap_or(now), ReportBody::Event(event));
        let mut reports: Vec<Report> = events.into_iter().map(event).collect();
        if !self.known {
            let (boot, since) = (self.boot, until);
            reports.push(self.report(until, ReportBody::Offline { boot, since }));
        }
        store.append(&reports, GatewayId::default()).await?;
        Ok(())
    }

    fn report(&self, received_at: Millis, body: ReportBody) -> Report {
        Report {
            sn: self.sn.clone(),
            received_at,
            body,
        }
    }

    fn hello(&self) -> ReportBody {
        let FirmwareVersions {
            master,
            gateway,
            slave,
        } = self.site.firmware();
        let rating = self.installation.rating;
        let hello = Hello {
            id: MessageId::new(self.boot, 0),
            hardware: model::hardware(&rating),
            phase: self.installation.phase,
            capacity: rating.capacity,
            charge_max: i64::from(rating.charge),
            discharge_max: i64::from(rating.discharge),
            zone: self.zone.clone(),
            versions: PartVersions {
                master: Some(master),
                gateway: Some(gateway),
                slave: Some(slave),
            },
            update_needs_off: model::update_needs_off(&rating),
            settings_version: 0,
        };
        ReportBody::Hello {
            hello,
            started_at: self.unit.at(),
        }
    }
}
