//! Messages from the portal and a battery's answers: settings by version, commands by id, each executed once.
use super::measuring::WATCHED_INTERVAL;
use super::{RunningDevice, SessionEnd};
use crate::document::{self, UnitSpec};
use crate::intervention::Intervention;
use crate::observation::ExecutedOrder;
use crate::plan::DevicePlan;
use crate::portal_memory::RunningMeterTest;
use crate::unit::ControlMode;
use domain::clock::Millis;
use serde_json::{Value, json};
use std::sync::PoisonError;
use std::time::Duration;
use tokio::time::Instant;

/// The number of readings of a meter test.
const METER_TEST_READINGS: u32 = 5;

/// Whether a command has ended.
enum CommandOutcome {
    Ended(bool, &'static str),
    Runs,
    Restarts,
}

impl RunningDevice {
    /// A message on one of its topics. An error ends the session.
    pub(crate) fn handle_message(&mut self, topic: &str, payload: &[u8]) -> Result<(), SessionEnd> {
        let Ok(message) = serde_json::from_slice::<Value>(payload) else {
            return Ok(());
        };
        match topic.rsplit('/').next() {
            Some("time") => {
                let now = message["now"].as_i64();
                self.portal.time_sync = now.map(|now| (now, self.uptime()));
            }
            Some("watch") => {
                if let Some(until) = message["until"].as_i64() {
                    self.watched_until = until;
                    self.next_measure = self.next_measure.min(Instant::now() + WATCHED_INTERVAL);
                }
            }
            Some("des") => self.apply_settings(&message),
            Some("cmd") => return self.handle_command(&message),
            Some("fw") => self.handle_assignment(&message),
            Some("plan") => self.accept_plan(&message),
            _ => {}
        }
        Ok(())
    }

    fn uptime(&self) -> Millis {
        self.context.clock.now() - self.booted_at
    }

    /// The portal's time: the last one received plus the uptime since. The battery's own clock may be wrong.
    pub(crate) fn portal_time(&self) -> Millis {
        let own = self.context.clock.now() + self.device_clock.error;
        let time_sync = self.portal.time_sync;
        time_sync.map_or(own, |(now, uptime)| now + self.uptime() - uptime)
    }

    /// Applies only a newer version. Any other is answered with a report, as the portal seems not to know the present state.
    fn apply_settings(&mut self, message: &Value) {
        let Some(version) = message["ver"].as_i64() else {
            return;
        };
        if version > self.portal.version {
            let rating = *self.unit.battery().rating();
            let spec = UnitSpec {
                rating: &rating,
                firmware: &self.identity.firmware,
            };
            self.portal.refused = document::apply(&mut self.unit.settings, &message["state"], spec);
            self.portal.version = version;
            self.record_executed(ExecutedOrder::Settings(version));
            self.next_measure = Instant::now();
        }
        self.portal.report_due = true;
    }

    /// A plan applies until it expires or a newer one arrives.
    fn accept_plan(&mut self, message: &Value) {
        // The plan's times are in the portal's time.
        let ahead = self.portal_time() - self.context.clock.now();
        let Some(plan) = DevicePlan::read(message, ahead) else {
            return;
        };
        let older = |held: &DevicePlan| plan.is_older_than(held);
        if self.unit.plan.as_ref().is_some_and(older) {
            return;
        }
        self.unit.plan = Some(plan);
        self.next_measure = Instant::now();
    }

    /// `up/rep`: the settings in use.
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

    fn handle_command(&mut self, message: &Value) -> Result<(), SessionEnd> {
        let Some(id) = message["id"].as_str().map(str::to_owned) else {
            return Ok(());
        };
        if let Some(answer) = self.portal.answer_to(&id) {
            // Executed or in progress: answer again, never execute again.
            self.send_queue.queue_answers(answer);
            return Ok(());
        }
        let late = message["exp"]
            .as_i64()
            .is_none_or(|expires| expires < self.portal_time());
        let outcome = match late {
            true => CommandOutcome::Ended(false, "late"),
            false => self.execute_command(
                message["cmd"].as_str().unwrap_or_default(),
                &message["args"],
            ),
        };
        self.portal.record_command(&id);
        match outcome {
            CommandOutcome::Ended(ok, code) => {
                if ok {
                    self.record_executed(ExecutedOrder::Command(id.clone()));
                }
                self.answer(&id, Some(ok), code, &json!({}));
                Ok(())
            }
            CommandOutcome::Runs => {
                self.record_executed(ExecutedOrder::Command(id.clone()));
                self.portal.test = Some(RunningMeterTest {
                    id,
                    readings: 0,
                    next: Instant::now(),
                });
                Ok(())
            }
            CommandOutcome::Restarts => {
                self.record_executed(ExecutedOrder::Command(id.clone()));
                self.answer(&id, Some(true), "ok", &json!({}));
                self.apply(Intervention::Reboot)
            }
        }
    }

    fn execute_command(&mut self, command: &str, args: &Value) -> CommandOutcome {
        let rating = *self.unit.battery().rating();
        let able = match (self.unit.switched_on(), self.unit.is_faulty()) {
            (false, _) => Err("switched_off"),
            (_, true) => Err("faulty"),
            _ => Ok(()),
        };
        self.next_measure = Instant::now();
        let done = CommandOutcome::Ended(true, "ok");
        match (command, able) {
            ("switch_on", _) => self.unit.turn_switch(true),
            ("switch_off", _) => self.unit.turn_switch(false),
            ("auto", _) => self.unit.mode = ControlMode::Auto,
            ("restart", _) => return CommandOutcome::Restarts,
            ("meter_test", _) if self.portal.test.is_some() => {
                return CommandOutcome::Ended(false, "busy");
            }
            ("meter_test", _) => {
                self.unit.test_meter(true);
                return CommandOutcome::Runs;
            }
            ("calibrate" | "charge_to" | "hold", Err(code)) => {
                return CommandOutcome::Ended(false, code);
            }
            ("calibrate", Ok(())) => self.unit.calibrate(),
            ("charge_to" | "hold", Ok(())) if self.unit.is_calibrating() => {
                return CommandOutcome::Ended(false, "busy");
            }
            ("charge_to", Ok(())) => {
                let Some(soc) = args["soc"].as_i64().filter(|soc| (0..=100).contains(soc)) else {
                    return CommandOutcome::Ended(false, "refused");
                };
                let power = args["power"].as_i64().unwrap_or(i64::from(rating.charge));
                let power = i32::try_from(power).unwrap_or(i32::MAX);
                if power > rating.charge {
                    return CommandOutcome::Ended(false, "above_rated");
                }
                let soc = soc * 10;
                self.unit.mode = ControlMode::ChargeTo { soc, power };
            }
            ("hold", Ok(())) => {
                let Some(until) = args["until"].as_i64() else {
                    return CommandOutcome::Ended(false, "refused");
                };
                // `until` is in the portal's time.
                let until = until - self.portal_time() + self.context.clock.now();
                self.unit.mode = ControlMode::Hold { until };
            }
            _ => return CommandOutcome::Ended(false, "not_supported"),
        }
        done
    }

    /// Takes the next reading of a running meter test and reports it.
    pub(crate) fn continue_meter_test(&mut self) {
        let Some(mut test) = self.portal.test.take_if(|test| test.next <= Instant::now()) else {
            return;
        };
        let at = self.context.clock.now().max(self.unit.at() + 1);
        self.unit.advance_to(at);
        test.readings += 1;
        let phases = self.unit.metered();
        let heard = phases.iter().flatten().all(|(_, power)| power.is_some());
        let phase = |phase: &Option<(i32, Option<i32>)>| {
            phase.map_or(Value::Null, |(voltage, power)| {
                json!({ "voltage": f64::from(voltage) / 10.0, "power": power, "ok": power.is_some() })
            })
        };
        let phases: Vec<Value> = phases.iter().map(phase).collect();
        let data = json!({ "step": test.readings, "steps": METER_TEST_READINGS, "phases": phases });
        if test.readings < METER_TEST_READINGS {
            self.answer(&test.id, None, "running", &data);
            let pause: Duration = WATCHED_INTERVAL.min(self.context.interval);
            test.next = Instant::now() + pause;
            self.portal.test = Some(test);
            return;
        }
        self.unit.test_meter(false);
        let code = if heard { "passed" } else { "meter_silent" };
        self.answer(&test.id, Some(heard), code, &data);
        self.next_measure = Instant::now();
    }

    /// `up/res`; the final answer is remembered for a repeated command.
    fn answer(&mut self, id: &str, ok: Option<bool>, code: &str, data: &Value) {
        let message = self.next_id();
        let answer = json!({
            "b": message.boot, "s": message.seq, "id": id, "ok": ok, "code": code, "data": data,
        });
        let answer = answer.to_string();
        if ok.is_some() {
            self.portal.record_answer(id, &answer);
        }
        self.send_queue.queue_answers(Some(answer));
    }

    fn record_executed(&self, order: ExecutedOrder) {
        if let Some(executed_orders) = &self.executed_orders {
            let mut executed_orders = executed_orders
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            executed_orders.push(order);
        }
    }
}
