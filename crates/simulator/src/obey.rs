//! What the portal tells a battery, and how it answers: settings by version, commands by id, each once.
use crate::control::Mode;
use crate::device::{End, Running};
use crate::document::{self, Build};
use crate::measuring::WATCHED_INTERVAL;
use crate::memory::MeterTest;
use crate::plan::Plan;
use domain::clock::Millis;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// A meter test looks so many times.
const LOOKS: u32 = 5;

/// Something that a battery did because the portal said so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It took settings over, under this version.
    Applied(i64),
    /// It obeyed this command.
    Obeyed(String),
}

pub(crate) type Deeds = Arc<Mutex<Vec<Deed>>>;

/// How a command ended, or that it goes on.
enum Outcome {
    Ended(bool, &'static str),
    Runs,
    Restarts,
}

impl Running {
    /// A message on one of its topics. An error means that it has to leave.
    pub(crate) fn hear_portal(&mut self, topic: &str, payload: &[u8]) -> Result<(), End> {
        let Ok(message) = serde_json::from_slice::<Value>(payload) else {
            return Ok(());
        };
        match topic.rsplit('/').next() {
            Some("time") => {
                let now = message["now"].as_i64();
                self.portal.told = now.map(|now| (now, self.uptime()));
            }
            Some("watch") => {
                if let Some(until) = message["until"].as_i64() {
                    self.watched_until = until;
                    self.next_measure = self.next_measure.min(Instant::now() + WATCHED_INTERVAL);
                }
            }
            Some("des") => self.take_settings(&message),
            Some("cmd") => return self.take_command(&message),
            Some("fw") => self.take_assignment(&message),
            Some("plan") => self.take_plan(&message),
            _ => {}
        }
        Ok(())
    }

    fn uptime(&self) -> Millis {
        self.world.clock.now() - self.booted_at
    }

    /// The portal's time: as it was told, plus what has passed since. Its own clock may be wrong.
    pub(crate) fn portal_time(&self) -> Millis {
        let own = self.world.clock.now() + self.watch.error;
        let told = self.portal.told;
        told.map_or(own, |(now, uptime)| now + self.uptime() - uptime)
    }

    /// Only what is newer is taken; what is not is reported again, as the portal does not seem to know.
    fn take_settings(&mut self, message: &Value) {
        let Some(version) = message["ver"].as_i64() else {
            return;
        };
        if version > self.portal.version {
            let rating = *self.unit.battery().rating();
            let build = Build {
                rating: &rating,
                firmware: &self.identity.firmware,
            };
            self.portal.refused =
                document::apply(&mut self.unit.settings, &message["state"], build);
            self.portal.version = version;
            self.do_deed(Deed::Applied(version));
            self.next_measure = Instant::now();
        }
        self.portal.to_report = true;
    }

    /// The plan holds until it runs out, unless a newer one comes.
    fn take_plan(&mut self, message: &Value) {
        // Said in the portal's time.
        let ahead = self.portal_time() - self.world.clock.now();
        let Some(plan) = Plan::read(message, ahead) else {
            return;
        };
        let older = |held: &Plan| plan.is_older_than(held);
        if self.unit.plan.as_ref().is_some_and(older) {
            return;
        }
        self.unit.plan = Some(plan);
        self.next_measure = Instant::now();
    }

    /// `up/rep`: what it works with.
    pub(crate) fn write_report(&mut self) -> String {
        let id = self.next_id();
        let refused = self.portal.refused.iter();
        let errors: serde_json::Map<String, Value> = refused
            .map(|(field, code)| ((*field).to_owned(), Value::from(*code)))
            .collect();
        let state = document::write(&self.unit.settings, self.unit.battery().rating());
        let report = json!({
            "b": id.boot, "s": id.seq, "ver": self.portal.version, "state": state, "err": errors,
        });
        report.to_string()
    }

    fn take_command(&mut self, message: &Value) -> Result<(), End> {
        let Some(id) = message["id"].as_str().map(str::to_owned) else {
            return Ok(());
        };
        if let Some(answer) = self.portal.remembers(&id) {
            // It was done, or is being done: told again, never done again.
            self.outbox.answer_all(answer);
            return Ok(());
        }
        let late = message["exp"]
            .as_i64()
            .is_none_or(|expires| expires < self.portal_time());
        let outcome = match late {
            true => Outcome::Ended(false, "late"),
            false => self.carry_out(
                message["cmd"].as_str().unwrap_or_default(),
                &message["args"],
            ),
        };
        self.portal.remember(&id);
        match outcome {
            Outcome::Ended(ok, code) => {
                if ok {
                    self.do_deed(Deed::Obeyed(id.clone()));
                }
                self.answer(&id, Some(ok), code, &json!({}));
                Ok(())
            }
            Outcome::Runs => {
                self.do_deed(Deed::Obeyed(id.clone()));
                self.portal.test = Some(MeterTest {
                    id,
                    looked: 0,
                    next: Instant::now(),
                });
                Ok(())
            }
            Outcome::Restarts => {
                self.do_deed(Deed::Obeyed(id.clone()));
                self.answer(&id, Some(true), "ok", &json!({}));
                self.obey(crate::order::Order::Reboot)
            }
        }
    }

    fn carry_out(&mut self, command: &str, args: &Value) -> Outcome {
        let rating = *self.unit.battery().rating();
        let able = match (self.unit.switched_on(), self.unit.is_faulty()) {
            (false, _) => Err("switched_off"),
            (_, true) => Err("faulty"),
            _ => Ok(()),
        };
        self.next_measure = Instant::now();
        let done = Outcome::Ended(true, "ok");
        match (command, able) {
            ("switch_on", _) => self.unit.turn_switch(true),
            ("switch_off", _) => self.unit.turn_switch(false),
            ("auto", _) => self.unit.mode = Mode::Auto,
            ("restart", _) => return Outcome::Restarts,
            ("meter_test", _) if self.portal.test.is_some() => {
                return Outcome::Ended(false, "busy");
            }
            ("meter_test", _) => {
                self.unit.test_meter(true);
                return Outcome::Runs;
            }
            ("calibrate" | "charge_to" | "hold", Err(code)) => return Outcome::Ended(false, code),
            ("calibrate", Ok(())) => self.unit.calibrate(),
            ("charge_to" | "hold", Ok(())) if self.unit.is_calibrating() => {
                return Outcome::Ended(false, "busy");
            }
            ("charge_to", Ok(())) => {
                let Some(soc) = args["soc"].as_i64().filter(|soc| (0..=100).contains(soc)) else {
                    return Outcome::Ended(false, "refused");
                };
                let power = args["power"].as_i64().unwrap_or(i64::from(rating.charge));
                let power = i32::try_from(power).unwrap_or(i32::MAX);
                if power > rating.charge {
                    return Outcome::Ended(false, "above_rated");
                }
                let charge = soc * 10;
                self.unit.mode = Mode::ChargeTo { charge, power };
            }
            ("hold", Ok(())) => {
                let Some(until) = args["until"].as_i64() else {
                    return Outcome::Ended(false, "refused");
                };
                // Said in the portal's time.
                let until = until - self.portal_time() + self.world.clock.now();
                self.unit.mode = Mode::Hold { until };
            }
            _ => return Outcome::Ended(false, "not_supported"),
        }
        done
    }

    /// Looks at the meter again while a test runs, and tells what it sees.
    pub(crate) fn look_at_meter_if_due(&mut self) {
        let Some(mut test) = self.portal.test.take_if(|test| test.next <= Instant::now()) else {
            return;
        };
        let at = self.world.clock.now().max(self.unit.at() + 1);
        self.unit.live(at);
        test.looked += 1;
        let phases = self.unit.metered();
        let heard = phases.iter().flatten().all(|(_, power)| power.is_some());
        let phase = |phase: &Option<(i32, Option<i32>)>| {
            phase.map_or(Value::Null, |(voltage, power)| {
                json!({ "voltage": f64::from(voltage) / 10.0, "power": power, "ok": power.is_some() })
            })
        };
        let phases: Vec<Value> = phases.iter().map(phase).collect();
        let data = json!({ "step": test.looked, "steps": LOOKS, "phases": phases });
        if test.looked < LOOKS {
            self.answer(&test.id, None, "running", &data);
            let pause: Duration = WATCHED_INTERVAL.min(self.world.interval);
            test.next = Instant::now() + pause;
            self.portal.test = Some(test);
            return;
        }
        self.unit.test_meter(false);
        let code = if heard { "passed" } else { "meter_silent" };
        self.answer(&test.id, Some(heard), code, &data);
        self.next_measure = Instant::now();
    }

    /// `up/res`; the last word is remembered for a repeated command.
    fn answer(&mut self, id: &str, ok: Option<bool>, code: &str, data: &Value) {
        let message = self.next_id();
        let answer = json!({
            "b": message.boot, "s": message.seq, "id": id, "ok": ok, "code": code, "data": data,
        });
        let answer = answer.to_string();
        if ok.is_some() {
            self.portal.remember_answer(id, &answer);
        }
        self.outbox.answer_all(Some(answer));
    }

    fn do_deed(&self, deed: Deed) {
        if let Some(deeds) = &self.deeds {
            let mut deeds = deeds.lock().unwrap_or_else(PoisonError::into_inner);
            deeds.push(deed);
        }
    }
}
