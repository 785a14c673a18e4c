//! Turns a battery's message into a report, and dates it.
use crate::clock_correction::ClockCorrection;
use crate::wire::{
    EventMessage, EventTime, HelloMessage, RejectReason, SampleMessage, Up, UpTopic,
};
use domain::clock::Millis;
use domain::{Event, Sample};
use store::report::{ReportBody, UndatedSample};

/// Decodes the messages of one connection.
#[derive(Debug)]
pub(crate) struct ReportDecoder {
    clock_correction: ClockCorrection,
    /// The boot number of the newest hello or live sample.
    boot: Option<u32>,
}

/// A report, and the parts that could not be used, with reasons.
pub(crate) type Decoded = (Option<ReportBody>, Vec<(RejectReason, Vec<u8>)>);

impl ReportDecoder {
    pub(crate) fn new(clock_correction: ClockCorrection) -> Self {
        Self {
            clock_correction,
            boot: None,
        }
    }

    /// Whether a hello or live sample came on this connection.
    pub(crate) fn knows_boot(&self) -> bool {
        self.boot.is_some()
    }

    /// See [`ClockCorrection::take_ahead`], for the message just decoded.
    pub(crate) fn take_clock_ahead(&mut self) -> Option<Millis> {
        self.clock_correction.take_ahead()
    }

    pub(crate) fn decode(
        &mut self,
        topic: UpTopic<'_>,
        payload: &[u8],
        received: Millis,
    ) -> Result<Decoded, RejectReason> {
        let body = match Up::parse(topic, payload)? {
            Up::Hello(message) => self.hello(message, received)?,
            Up::Sample(message) => self.live_sample(&message, received)?,
            Up::History(messages) => return Ok(self.history(&messages, received)),
            Up::Event(message) => ReportBody::Event(self.event(message, received)?),
            Up::LastWill(will) => ReportBody::Offline {
                boot: will.boot,
                since: received,
            },
            Up::Settings(message) => ReportBody::Settings(message.into_report()?),
            Up::Answer(message) => ReportBody::Answer(message.into_answer()?),
            Up::Firmware(message) => ReportBody::Firmware(message.into_report()?),
        };
        Ok((Some(body), Vec::new()))
    }

    fn hello(
        &mut self,
        message: HelloMessage,
        received: Millis,
    ) -> Result<ReportBody, RejectReason> {
        let (hello, device_time) = message.into_hello()?;
        self.boot = Some(device_time.boot);
        let started_at = self
            .clock_correction
            .start_from_hello(device_time, received);
        Ok(ReportBody::Hello { hello, started_at })
    }

    fn live_sample(
        &mut self,
        message: &SampleMessage,
        received: Millis,
    ) -> Result<ReportBody, RejectReason> {
        // Measured before the device restarted: back-fill, not live.
        let is_late = self.boot.is_some_and(|newest| message.boot < newest);
        let correction = &mut self.clock_correction;
        let sample = message.to_sample(|device_time| match is_late {
            true => correction.time_of_backfill(device_time, received),
            false => Some(correction.time_of_live(device_time, received)),
        })?;
        if !is_late {
            self.boot = Some(message.boot);
        }
        Ok(match sample {
            Some(sample) if !is_late => ReportBody::Sample(sample),
            Some(sample) => back_fill(vec![sample], Vec::new()),
            None => back_fill(Vec::new(), vec![undated(message)]),
        })
    }

    /// Decodes each sample by itself: a bad one does not affect the others.
    fn history(&self, messages: &[SampleMessage], received: Millis) -> Decoded {
        let (mut samples, mut undated_samples, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
        for message in messages {
            let sample = message.to_sample(|device_time| {
                self.clock_correction
                    .time_of_backfill(device_time, received)
            });
            match sample {
                Ok(Some(sample)) => samples.push(sample),
                Ok(None) => undated_samples.push(undated(message)),
                Err(reason) => rejected.push((reason, message.to_json().into_bytes())),
            }
        }
        (Some(back_fill(samples, undated_samples)), rejected)
    }

    fn event(&self, message: EventMessage<'_>, received: Millis) -> Result<Event, RejectReason> {
        let correction = &self.clock_correction;
        message.into_event(|time| match time {
            EventTime::Device(device_time) => correction.time_of_backfill(device_time, received),
            EventTime::Clock(time) => correction.time_by_device_clock(time, received),
            EventTime::Missing => None,
        })
    }
}

fn back_fill(samples: Vec<Sample>, undated: Vec<UndatedSample>) -> ReportBody {
    ReportBody::BackFill { samples, undated }
}

fn undated(message: &SampleMessage) -> UndatedSample {
    UndatedSample {
        id: message.id(),
        payload: message.to_json(),
    }
}

#[cfg(test)]
mod tests;
