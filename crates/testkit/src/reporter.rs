//! A battery whose reports the test chooses, committed like those of real batteries.
use crate::TestApp;
use domain::clock::{Millis, SECOND};
use domain::command::{AnswerCode, CommandAnswer};
use domain::flags::Flags;
use domain::hello::PartVersions;
use domain::sample::{BatteryStatus, MessageId};
use domain::setting::{Settings, SettingsReport};
use domain::{Event, EventCode, Hello, Sample, Serial, Zone};
use std::sync::atomic::{AtomicU32, Ordering};
use store::report::{Report, ReportBody, ReportOutcome, UndatedSample};

pub struct Reporter<'a> {
    app: &'a TestApp,
    pub sn: Serial,
    seq: AtomicU32,
}

impl TestApp {
    /// The battery with this serial number, which must be registered.
    pub fn battery(&self, sn: &str) -> Reporter<'_> {
        Reporter {
            app: self,
            sn: sn.parse().unwrap(),
            seq: AtomicU32::new(0),
        }
    }
}

/// A simple sample: 400 W from PV, of which 150 W are fed in, 50 W charged and 200 W used by the house.
pub fn sample(at: Millis, seq: u32) -> Sample {
    Sample {
        at,
        id: MessageId::new(1, seq),
        voltage: [Some(2301), Some(2312), Some(2323)],
        frequency: Some(5002),
        meter_power: [Some(-50), Some(-50), Some(-50)],
        grid_power: Some(-150),
        pv_power: Some(400),
        battery_power: Some(-50),
        soc: Some(555),
        counters: [
            Some(1_000),
            Some(2_000),
            Some(3_000),
            Some(4_000),
            Some(5_000),
        ],
        status: BatteryStatus::Charging,
        flags: Flags::default(),
    }
}

impl Reporter<'_> {
    fn id(&self) -> MessageId {
        MessageId::new(1, self.seq.fetch_add(1, Ordering::Relaxed) + 1)
    }

    async fn report(&self, body: ReportBody) -> ReportOutcome {
        let report = Report {
            sn: self.sn.clone(),
            received_at: self.app.clock.now(),
            body,
        };
        let outcome = self.app.bus.uplink.store(report).await.unwrap();
        self.app.view_is_up_to_date().await;
        outcome
    }

    /// Sends a hello: phase 1, 10 kWh, in Germany, with the test's changes.
    pub async fn hello(&self, change: impl FnOnce(&mut Hello)) -> &Self {
        let mut hello = Hello {
            id: self.id(),
            hardware: "SC-10".into(),
            phase: 1,
            capacity: 10_000,
            charge_max: 4_600,
            discharge_max: 5_000,
            zone: Zone::default(),
            versions: PartVersions {
                master: Some("4.12".into()),
                gateway: Some("2.7".into()),
                slave: None,
            },
            update_needs_off: false,
            settings_version: 0,
        };
        change(&mut hello);
        let started_at = self.app.clock.now();
        self.report(ReportBody::Hello { hello, started_at }).await;
        self
    }

    /// Reports a [`sample`] of now, with the test's changes.
    pub async fn sample(&self, change: impl FnOnce(&mut Sample)) -> Sample {
        let mut sample = sample(self.app.clock.now(), 0);
        sample.id = self.id();
        change(&mut sample);
        self.report(ReportBody::Sample(sample)).await;
        sample
    }

    /// Sends back-fill.
    pub async fn history(&self, samples: Vec<Sample>) {
        let samples = samples.into_iter().map(|sample| Sample {
            id: self.id(),
            ..sample
        });
        let body = ReportBody::BackFill {
            samples: samples.collect(),
            undated: Vec::new(),
        };
        self.report(body).await;
    }

    /// Sends an undated sample.
    pub async fn undated_sample(&self, payload: &str) {
        let hidden = UndatedSample {
            id: self.id(),
            payload: payload.to_owned(),
        };
        let body = ReportBody::BackFill {
            samples: Vec::new(),
            undated: vec![hidden],
        };
        self.report(body).await;
    }

    /// Sends an event; `None` if its time cannot be known.
    pub async fn event(&self, at: Option<Millis>, code: EventCode, on: bool, args: Option<&str>) {
        let event = Event {
            id: self.id(),
            at,
            code,
            on,
            args: args.map(str::to_owned),
        };
        self.report(ReportBody::Event(event)).await;
    }

    /// Sends a message that cannot be used.
    pub async fn reject(&self) {
        self.report(ReportBody::Reject {
            topic: "tele".to_owned(),
            reason: "malformed",
            payload: b"{".to_vec(),
        })
        .await;
    }

    /// Turns its main switch in the pattern that claimants are asked for, which takes 14 seconds.
    pub async fn perform_pattern(&self) {
        self.app.clock.advance(14 * SECOND);
        let now = Some(self.app.clock.now());
        let pattern = Some(r#"{"off":[5000,5000],"on":[4000]}"#);
        self.event(now, EventCode::SwitchCycled, true, pattern)
            .await;
    }

    /// Reports these settings as the ones in use.
    pub async fn applied(&self, version: i64, applied: Settings) {
        let report = SettingsReport {
            id: self.id(),
            version,
            applied,
            refused: Vec::new(),
        };
        self.report(ReportBody::Settings(report)).await;
    }

    /// Answers a command.
    pub async fn answer_command(&self, command: &str, ok: bool, code: &str) {
        let answer = CommandAnswer {
            command: command.parse().unwrap(),
            ok: Some(ok),
            code: AnswerCode::of(code, ok),
            data: None,
        };
        self.report(ReportBody::Answer(answer)).await;
    }

    /// The connection is lost.
    pub async fn goes_offline(&self) {
        let since = self.app.clock.now();
        self.report(ReportBody::Offline { boot: 1, since }).await;
    }
}
