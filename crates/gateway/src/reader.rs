//! From a battery's message to a report: what it says, and when that was.
use crate::payload::{self, Reason, Tele};
use crate::places::Places;
use crate::topics::Up;
use domain::clock::Millis;
use domain::sample::tenth_of_second;
use domain::{Event, Sample};
use store::report::{Body, HiddenSample};

/// Reads what one battery sends over one connection.
#[derive(Debug)]
pub(crate) struct Reader {
    places: Places,
    /// The start of the device that it said hello from, or that its first sample was of.
    boot: Option<u32>,
}

/// A report, and what could not be used with its reasons.
pub(crate) type Decoded = (Option<Body>, Vec<(Reason, Vec<u8>)>);

impl Reader {
    pub(crate) fn new(places: Places) -> Self {
        Self { places, boot: None }
    }

    /// Whether the battery has said anything about the present yet.
    pub(crate) fn has_read(&self) -> bool {
        self.boot.is_some()
    }

    /// By how much our clock was ahead of the battery's at the message just read, where that tells something about ours.
    pub(crate) fn take_ahead(&mut self) -> Option<Millis> {
        self.places.take_ahead()
    }

    /// What a message says, and the parts of it that cannot be used.
    pub(crate) fn read(
        &mut self,
        topic: Up,
        payload: &[u8],
        received: Millis,
    ) -> Result<Decoded, Reason> {
        let body = match topic {
            Up::Hello => {
                let (hello, stamp) = payload::hello(payload)?;
                self.boot = Some(stamp.boot);
                let started_at = self.places.hello(stamp, received);
                Body::Hello { hello, started_at }
            }
            Up::Sample => self.sample(&Tele::parse(payload)?, received)?,
            Up::History => return Ok(self.history(&payload::history(payload)?, received)),
            Up::Event => Body::Event(self.event(payload, received)?),
            Up::Presence => Body::Offline {
                boot: payload::will(payload)?,
            },
            Up::Settings => Body::Settings(payload::settings(payload)?),
            Up::Answer => Body::Answer(payload::answer(payload)?),
            Up::Firmware => Body::Firmware(payload::firmware(payload)?),
            Up::Unknown => return Err(payload::UNKNOWN_TOPIC),
        };
        Ok((Some(body), Vec::new()))
    }

    fn sample(&mut self, tele: &Tele, received: Millis) -> Result<Body, Reason> {
        let (sample, stamp) = (tele.sample()?, tele.stamp()?);
        let boot = *self.boot.get_or_insert(stamp.boot);
        if stamp.boot < boot {
            // Sent before the device started anew, and only now: it says nothing about the present.
            return Ok(match self.places.kept(stamp, received) {
                Some(at) => history_of(vec![placed(sample, at)], Vec::new()),
                None => history_of(Vec::new(), vec![hidden(tele)]),
            });
        }
        self.boot = Some(stamp.boot);
        let at = self.places.live(stamp, received);
        Ok(Body::Sample(placed(sample, at)))
    }

    /// One bad sample does not take the others with it.
    fn history(&self, teles: &[Tele], received: Millis) -> Decoded {
        let (mut samples, mut kept, mut left_over) = (Vec::new(), Vec::new(), Vec::new());
        for tele in teles {
            match (tele.sample(), tele.stamp()) {
                (Ok(sample), Ok(stamp)) => match self.places.kept(stamp, received) {
                    Some(at) => samples.push(placed(sample, at)),
                    None => kept.push(hidden(tele)),
                },
                (Err(reason), _) | (_, Err(reason)) => {
                    left_over.push((reason, tele.text().into_bytes()));
                }
            }
        }
        (Some(history_of(samples, kept)), left_over)
    }

    fn event(&self, payload: &[u8], received: Millis) -> Result<Event, Reason> {
        let event = payload::event(payload)?;
        let at = match (event.stamp, event.time) {
            (Some(stamp), _) => self.places.kept(stamp, received),
            (None, Some(time)) => self.places.by_clock(time, received),
            (None, None) => None,
        };
        Ok(Event {
            id: event.id,
            at,
            code: event.code,
            on: event.on,
            args: event.args,
        })
    }
}

fn placed(sample: Sample, at: Millis) -> Sample {
    Sample {
        at: tenth_of_second(at),
        ..sample
    }
}

fn history_of(samples: Vec<Sample>, hidden: Vec<HiddenSample>) -> Body {
    Body::History { samples, hidden }
}

fn hidden(tele: &Tele) -> HiddenSample {
    HiddenSample {
        id: tele.id(),
        payload: tele.text(),
    }
}
