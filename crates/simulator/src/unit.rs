//! One storage system in its home. Every step balances to the watt, and the counters integrate the reported powers.
mod control;

pub use control::ControlMode;

use crate::battery::{Battery, FULL_SOC, Rating};
use crate::counters::Counters;
use crate::device_event::{DeviceEvent, EventArgs};
use crate::grid::{Conditions, Grid};
use crate::home::{Home, Household};
use crate::meter::Meter;
use crate::plan::DevicePlan;
use crate::protection::{Protection, ProtectionState};
use crate::seed::Seed;
use crate::settings::BatterySettings;
use control::Reasons;
use domain::clock::{DAY, MINUTE, Millis};
use domain::sample::Counter;
use domain::{EventCode, Zone};

/// The longest simulation step; larger clock jumps are split.
pub const LONGEST_STEP: Millis = 5 * MINUTE;

/// The battery needs a full charge this often to recalibrate its state of charge.
const CALIBRATION_DUE: Millis = 60 * DAY;

/// The part of the house that a unit reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// A single unit reports the whole house.
    House,
    /// One of several units: each reports its own phase, and together they add up to the house.
    Phase,
}

/// How a unit is installed.
#[derive(Clone, Debug)]
pub struct Installation {
    pub seed: Seed,
    /// The home's seed, shared by all units of one site.
    pub site: Seed,
    pub household: Household,
    pub rating: Rating,
    /// 1 to 3.
    pub phase: u8,
    pub share: Share,
    pub zone: Zone,
}

/// True powers of one step in W, whether the battery can measure them or not: `grid = house − pv − battery`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    pub house: i32,
    pub pv: i32,
    /// Discharge is positive.
    pub battery: i32,
    /// Import is positive.
    pub grid: i32,
    /// At the meter; they add up to `grid`. `None` for a phase that another unit reports.
    pub phases: [Option<i32>; 3],
}

pub struct Unit {
    pub settings: BatterySettings,
    pub mode: ControlMode,
    /// The plan received from the portal.
    pub plan: Option<DevicePlan>,
    pub meter: Meter,
    pub grid: Grid,
    /// A charge limit received over the network, in W.
    pub limit_tcp: Option<i32>,
    /// Extra load from interventions, in W per phase.
    pub appliances: [i32; 3],
    pub(crate) home: Home,
    pub(crate) protection: Protection,
    pub(crate) battery: Battery,
    pub(crate) counters: Counters,
    pub(crate) seed: Seed,
    phase: usize,
    share: Share,
    /// Simulated up to this time.
    pub(crate) at: Millis,
    pub(crate) switched_on: bool,
    pub(crate) faulty: bool,
    pub(crate) hears_meter: bool,
    pub(crate) floating: bool,
    pub(crate) reasons: Reasons,
    /// How long the grid has been dead.
    blackout: Millis,
    /// It supplies the house without a grid.
    pub(crate) islanded: bool,
    pub(crate) testing_meter: bool,
    pub(crate) calibrating: bool,
    calibration_reported: bool,
    last_full: Millis,
    pub(crate) flows: Flows,
    pub(crate) conditions: Conditions,
    events: Vec<DeviceEvent>,
}

impl Unit {
    /// A unit that starts at `at` with this state of charge in ‰ and these counter readings.
    pub fn new(installation: Installation, at: Millis, charge: i64, readings: [i64; 5]) -> Self {
        let Installation {
            seed,
            site,
            household,
            rating,
            phase,
            share,
            zone,
        } = installation;
        let grid = Grid::new(site);
        let conditions = grid.conditions(at, [0; 3]);
        Self {
            settings: BatterySettings::default(),
            mode: ControlMode::default(),
            plan: None,
            meter: Meter::default(),
            grid,
            limit_tcp: None,
            appliances: [0; 3],
            home: Home::new(site, household, zone),
            protection: Protection::default(),
            battery: Battery::new(rating, charge),
            counters: Counters::from_readings(readings),
            seed,
            phase: usize::from(phase.clamp(1, 3)) - 1,
            share,
            at,
            switched_on: true,
            faulty: false,
            hears_meter: true,
            floating: false,
            reasons: Reasons::default(),
            blackout: 0,
            islanded: false,
            testing_meter: false,
            calibrating: false,
            calibration_reported: false,
            last_full: at,
            flows: Flows::default(),
            conditions,
            events: Vec::new(),
        }
    }

    pub fn at(&self) -> Millis {
        self.at
    }

    pub fn flows(&self) -> Flows {
        self.flows
    }

    pub fn battery(&self) -> &Battery {
        &self.battery
    }

    pub fn readings(&self) -> [i64; 5] {
        self.counters.readings()
    }

    /// Switching it off cancels a pause or charge command.
    pub fn turn_switch(&mut self, on: bool) {
        self.switched_on = on;
        if !on {
            self.mode = ControlMode::Auto;
        }
    }

    pub fn switched_on(&self) -> bool {
        self.switched_on
    }

    /// The battery management system reports a fault in the cells, or clears it.
    pub fn set_faulty(&mut self, faulty: bool) {
        if self.faulty != faulty {
            self.faulty = faulty;
            self.emit(EventCode::BmsFault, faulty);
        }
    }

    /// Takes the present state as known: only later changes become events.
    pub fn reset_events(&mut self) {
        self.hears_meter = self.settings.reach(self.meter);
        self.events.clear();
    }

    /// Charges to full to recalibrate the state of charge, as it also does by itself every two months.
    pub fn calibrate(&mut self) {
        self.calibrating = true;
    }

    pub fn is_faulty(&self) -> bool {
        self.faulty
    }

    pub fn is_calibrating(&self) -> bool {
        self.calibrating
    }

    pub fn test_meter(&mut self, runs: bool) {
        self.testing_meter = runs;
    }

    /// Voltage in tenths of a volt and power in W at the meter, per phase. `None` for a phase of another unit; no power while
    /// the meter is silent.
    pub fn metered(&self) -> [Option<(i32, Option<i32>)>; 3] {
        let phase = |number: usize| {
            let power = self.flows.phases[number]?;
            let voltage = self.conditions.voltage[number];
            Some((voltage, self.hears_meter.then_some(power)))
        };
        [phase(0), phase(1), phase(2)]
    }

    /// Events since the last call, oldest first.
    pub fn take_events(&mut self) -> Vec<DeviceEvent> {
        std::mem::take(&mut self.events)
    }

    /// Simulates until `until`, in steps of at most [`LONGEST_STEP`].
    pub fn advance_to(&mut self, until: Millis) {
        while self.at < until {
            let millis = (until - self.at).min(LONGEST_STEP);
            self.step(millis);
        }
    }

    /// Power is back. Nothing was measured or done in the meantime.
    pub(crate) fn wake(&mut self, at: Millis) {
        self.mode = ControlMode::Auto;
        self.calibrating = false;
        self.start(at);
    }

    /// Starts: reasons that hold it back are reported again, from now on.
    pub(crate) fn start(&mut self, at: Millis) {
        self.at = self.at.max(at);
        self.reasons = Reasons::default();
    }

    fn step(&mut self, millis: Millis) {
        let middle = self.at + millis / 2;
        let (house, pv) = self.load_and_pv(middle);
        let load = self.flows.phases.map(Option::unwrap_or_default);
        let usual = self.grid.conditions(middle, load);
        let connected = self.watch_grid(usual, millis);
        self.check_meter();
        let dead = self.grid.is_dead(self.at, self.at + millis);
        self.blackout = if dead { self.blackout + millis } else { 0 };
        self.islanded = dead && self.carries_house(self.blackout);
        let (house, pv, battery) = if self.islanded {
            self.island_flows(house, pv, millis)
        } else if dead {
            (0, 0, 0)
        } else if connected && self.switched_on && !self.faulty {
            (house, pv, self.decide(house - pv, middle, millis))
        } else {
            (house, pv, 0)
        };
        self.battery.flow(battery, millis);
        self.at += millis;
        self.update_calibration();
        self.flows = self.balance(house, pv, battery);
        let Flows { grid, .. } = self.flows;
        let counters = &mut self.counters;
        counters.flow(Counter::Import, Counter::FeedIn, grid, millis);
        counters.flow(Counter::Discharge, Counter::Charge, battery, millis);
        counters.count(Counter::Pv, pv, millis);
    }

    /// Load and PV of this unit's share.
    fn load_and_pv(&mut self, at: Millis) -> (i32, i32) {
        let (load, pv) = (self.home.load(at), self.home.pv(at));
        match self.share {
            Share::House => (load + self.appliances.iter().sum::<i32>(), pv),
            Share::Phase => (
                self.home.on_phases(load)[self.phase] + self.appliances[self.phase],
                thirds(pv)[self.phase],
            ),
        }
    }

    fn balance(&self, house: i32, pv: i32, battery: i32) -> Flows {
        let grid = house - pv - battery;
        let mut phases = [None; 3];
        match self.share {
            Share::Phase => phases[self.phase] = Some(grid),
            Share::House => {
                // A house without power draws nothing, even if appliances are switched on.
                let by_hand = match house >= self.appliances.iter().sum() {
                    true => self.appliances,
                    false => [0; 3],
                };
                let usual = house - by_hand.iter().sum::<i32>();
                let (loads, suns) = (self.home.on_phases(usual), thirds(pv));
                for phase in 0..3 {
                    let own = if phase == self.phase { battery } else { 0 };
                    phases[phase] = Some(loads[phase] + by_hand[phase] - suns[phase] - own);
                }
            }
        }
        Flows {
            house,
            pv,
            battery,
            grid,
            phases,
        }
    }

    /// Feeds the grid conditions of this step to the protection, an excursion for its exact duration. Returns whether it
    /// stayed connected.
    fn watch_grid(&mut self, usual: Conditions, millis: Millis) -> bool {
        let (from, until) = (self.at, self.at + millis);
        let mut connected = self.protection.connected();
        let mut show = |unit: &mut Self, conditions, from: Millis, until: Millis| {
            if until <= from {
                return;
            }
            unit.conditions = conditions;
            match unit.protection.observe(conditions, until - from) {
                Some(ProtectionState::Tripped(trip, _)) => {
                    connected = false;
                    unit.emit(trip.code(), true);
                }
                Some(ProtectionState::Connected) | None => {}
            }
        };
        match self.grid.excursion(from, until) {
            None => show(self, usual, from, until),
            Some(excursion) => {
                let (begins, ends) = (excursion.from.max(from), excursion.until.min(until));
                show(self, usual, from, begins);
                show(self, excursion.to.of(usual), begins, ends);
                show(self, usual, ends, until);
            }
        }
        connected
    }

    fn check_meter(&mut self) {
        let hears = self.settings.reach(self.meter);
        if hears != self.hears_meter {
            self.hears_meter = hears;
            self.emit(EventCode::MeterLost, !hears);
        }
    }

    fn update_calibration(&mut self) {
        if self.battery.soc() >= FULL_SOC - 3 {
            self.last_full = self.at;
            self.calibration_reported = false;
            if self.calibrating {
                self.calibrating = false;
                self.emit(EventCode::CalibrationDone, true);
            }
        } else if self.at - self.last_full >= CALIBRATION_DUE && !self.calibration_reported {
            self.calibration_reported = true;
            self.emit(EventCode::CalibrationDue, true);
        } else if self.at - self.last_full >= CALIBRATION_DUE + DAY {
            self.calibrating = !self.faulty && self.switched_on;
        }
    }

    pub(crate) fn emit(&mut self, code: EventCode, on: bool) {
        self.emit_with(code, on, EventArgs::None);
    }

    pub(crate) fn emit_with(&mut self, code: EventCode, on: bool, args: EventArgs) {
        self.events.push(DeviceEvent {
            at: self.at,
            code,
            on,
            args,
        });
    }
}

/// A three-phase inverter feeds a third into each phase; the last phase takes the remainder.
fn thirds(power: i32) -> [i32; 3] {
    let third = power / 3;
    [third, third, power - 2 * third]
}
