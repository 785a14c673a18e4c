//! What the demo's batteries have lived through: a history at the first start, the time that the demo was off at later ones.
use super::street::{AWAY_FOR, BAD_CELL_FOR, DIMMED_FOR, METER_LOST_FOR, Site, Story};
use domain::clock::{DAY, MINUTE, Millis, SECOND};
use domain::hello::Versions;
use domain::sample::MessageId;
use domain::{Event, Hello, Sample, Serial, SiteDay, Zone};
use simulator::wire::Firmware;
use simulator::{Dimming, Installation, Unit, model};
use store::Store;
use store::presence::GatewayId;
use store::report::{Body, Report};

/// Older days hold a sample every five minutes, the newest ones every 30 s, as batteries send them.
const COARSE: Millis = 5 * MINUTE;
const FINE: Millis = 30 * SECOND;
const FINE_DAYS: Millis = DAY;

/// Events older than this are not worth a line in anybody's messages.
const EVENTS_KEPT: Millis = 60 * DAY;

/// An address where no meter listens.
const WRONG_ADDRESS: u8 = 77;

/// What the grid operator leaves a battery to draw, in W.
const DIMMED_TO: i32 = 4_200;

/// One battery of the street while its past is played.
pub(super) struct Resident {
    pub(super) sn: Serial,
    pub(super) site: Site,
    pub(super) installation: Installation,
    pub(super) zone: Zone,
    pub(super) unit: Unit,
    /// The portal has heard from it before.
    known: bool,
    boot: u32,
    seq: u32,
}

impl Resident {
    /// `last` is what the portal has heard last from it.
    pub(super) fn new(
        sn: Serial,
        site: Site,
        installation: Installation,
        boot: u32,
        last: Option<&Sample>,
        born: Millis,
    ) -> Self {
        let (at, charge, readings) = match last {
            Some(last) => (
                last.at,
                i64::from(last.soc.unwrap_or(500)),
                last.counters.map(Option::unwrap_or_default),
            ),
            None => (born, 400, [0; 5]),
        };
        let mut resident = Self {
            zone: installation.zone.clone(),
            unit: Unit::new(installation.clone(), at, charge, readings),
            known: last.is_some(),
            sn,
            site,
            installation,
            boot,
            seq: 0,
        };
        if resident.known {
            resident.follow_story(at);
            resident.unit.settle();
        }
        resident
    }

    fn next_id(&mut self) -> MessageId {
        self.seq += 1;
        MessageId::new(self.boot, self.seq)
    }

    /// What is the matter with it begins in time.
    fn follow_story(&mut self, now: Millis) {
        let began = |ago: Millis| self.unit.at() >= now - ago;
        match self.site.story {
            Story::BadCell if began(BAD_CELL_FOR) => self.unit.set_faulty(true),
            Story::MeterLost if began(METER_LOST_FOR) => {
                self.unit.settings.meter_address = WRONG_ADDRESS
            }
            Story::Dimmed if began(DIMMED_FOR) => self.unit.grid.dim(Dimming {
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
        let step = if bounds.end > now - FINE_DAYS {
            FINE
        } else {
            COARSE
        };
        let end = bounds.end.min(until);
        let mut at = bounds
            .start
            .max(self.unit.at() - self.unit.at().rem_euclid(step) + step);
        let mut samples =
            Vec::with_capacity(usize::try_from((end - at).max(0) / step + 1).unwrap_or_default());
        while at < end {
            self.follow_story(now);
            self.unit.live(at);
            let id = self.next_id();
            samples.push(self.unit.sample(id));
            for happening in self.unit.take_happenings() {
                if happening.at > now - EVENTS_KEPT {
                    let id = self.next_id();
                    events.push(Event {
                        id,
                        at: Some(happening.at),
                        code: happening.code,
                        on: happening.on,
                        args: Some(happening.args.json()),
                    });
                }
            }
            at += step;
        }
        samples
    }

    /// Lives until now and leaves everything in the store as if it had been sent.
    pub(super) async fn catch_up(&mut self, store: &Store, now: Millis) -> anyhow::Result<()> {
        let until = match self.site.story {
            Story::Away if self.known => return Ok(()),
            Story::Away => now - AWAY_FOR,
            _ => now,
        };
        let born = self.unit.at();
        if born >= until {
            self.follow_story(now);
            return Ok(());
        }
        if !self.known {
            let hello = self.report(born, self.hello());
            store.append(&[hello], GatewayId::default()).await?;
        }
        let (sn, zone) = (self.sn.clone(), self.zone.clone());
        let (mut day, last) = (zone.day_of(born), zone.day_of(until));
        let (mut events, known) = (Vec::new(), self.known);
        let mut days = std::iter::from_fn(|| {
            let samples = (day <= last).then(|| self.day(day, until, now, &mut events));
            day = day.next();
            samples
        });
        if known {
            for samples in days {
                store.append_samples(&sn, &samples, now).await?;
            }
        } else {
            store.write_history(&sn, &zone, &mut days, now).await?;
        }
        let event = |event: Event| self.report(event.at.unwrap_or(now), Body::Event(event));
        let mut reports: Vec<Report> = events.into_iter().map(event).collect();
        if !self.known {
            reports.push(self.report(until, Body::Offline { boot: self.boot }));
        }
        store.append(&reports, GatewayId::default()).await?;
        Ok(())
    }

    fn report(&self, received_at: Millis, body: Body) -> Report {
        Report {
            sn: self.sn.clone(),
            received_at,
            body,
        }
    }

    fn hello(&self) -> Body {
        let Firmware {
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
            versions: Versions {
                master: Some(master),
                gateway: Some(gateway),
                slave: Some(slave),
            },
            update_needs_off: model::update_needs_off(&rating),
            settings_version: 0,
        };
        Body::Hello {
            hello,
            started_at: self.unit.at(),
        }
    }
}
