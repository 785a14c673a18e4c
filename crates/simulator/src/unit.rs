//! One storage system in its home: every step balances to the watt, and the counters are the integral of what it reports.
use crate::battery::{Battery, FULL, Rating};
use crate::chance::Seed;
use crate::control::{Mode, Reasons};
use crate::counters::Counters;
use crate::grid::{Conditions, Grid};
use crate::happening::{Args, Happening};
use crate::home::{Home, Household};
use crate::meter::Meter;
use crate::plan::Plan;
use crate::protection::{Protection, State};
use crate::settings::Settings;
use domain::clock::{DAY, MINUTE, Millis};
use domain::sample::Counter;
use domain::{EventCode, Zone};

/// No step is longer, however far the clock has moved.
pub const LONGEST_STEP: Millis = 5 * MINUTE;

/// A battery wants to be full this often, to know its charge.
const CALIBRATION_DUE: Millis = 60 * DAY;

/// What a unit is responsible for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// A single unit reports the whole house.
    House,
    /// One of several reports its own phase; together they add up to the house.
    Phase,
}

/// A unit as it was installed.
#[derive(Clone, Debug)]
pub struct Installation {
    pub seed: Seed,
    /// The home's seed: units of one site share it.
    pub site: Seed,
    pub household: Household,
    pub rating: Rating,
    /// 1 to 3.
    pub phase: u8,
    pub share: Share,
    pub zone: Zone,
}

/// Powers of one step in W: `grid = house − pv − battery`, whatever the battery can see of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flows {
    pub house: i32,
    pub pv: i32,
    /// Discharge is positive.
    pub battery: i32,
    /// Import is positive.
    pub grid: i32,
    /// At the meter; they add up to `grid`. A phase that another unit answers for is `None`.
    pub phases: [Option<i32>; 3],
}

pub struct Unit {
    pub settings: Settings,
    pub mode: Mode,
    /// What the portal has planned for it.
    pub plan: Option<Plan>,
    pub meter: Meter,
    pub grid: Grid,
    /// A limit on charging that came over the network, in W.
    pub limit_tcp: Option<i32>,
    /// What somebody has switched on by hand, in W per phase.
    pub appliances: [i32; 3],
    pub(crate) home: Home,
    pub(crate) protection: Protection,
    pub(crate) battery: Battery,
    pub(crate) counters: Counters,
    pub(crate) seed: Seed,
    phase: usize,
    share: Share,
    /// It has lived until here.
    pub(crate) at: Millis,
    pub(crate) switched_on: bool,
    pub(crate) faulty: bool,
    pub(crate) hears_meter: bool,
    pub(crate) floating: bool,
    pub(crate) reasons: Reasons,
    /// For how long the grid has been dead.
    blackout: Millis,
    /// It carries the house alone.
    pub(crate) alone: bool,
    pub(crate) testing_meter: bool,
    pub(crate) calibrating: bool,
    calibration_told: bool,
    last_full: Millis,
    pub(crate) flows: Flows,
    pub(crate) conditions: Conditions,
    happenings: Vec<Happening>,
}

impl Unit {
    /// A unit that begins to live at `at` with `charge` ‰ in its cells and these counter readings.
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
            settings: Settings::default(),
            mode: Mode::default(),
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
            alone: false,
            testing_meter: false,
            calibrating: false,
            calibration_told: false,
            last_full: at,
            flows: Flows::default(),
            conditions,
            happenings: Vec::new(),
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

    /// Switched off it forgets a pause or a charge that it was told.
    pub fn turn_switch(&mut self, on: bool) {
        self.switched_on = on;
        if !on {
            self.mode = Mode::Auto;
        }
    }

    pub fn switched_on(&self) -> bool {
        self.switched_on
    }

    /// The battery management finds a fault in the cells, or finds them well again.
    pub fn set_faulty(&mut self, faulty: bool) {
        if self.faulty != faulty {
            self.faulty = faulty;
            self.tell(EventCode::BmsFault, faulty);
        }
    }

    /// What is the case now is no news: it tells only what changes from here on.
    pub fn settle(&mut self) {
        self.hears_meter = self.meter.answers(&self.settings);
        self.happenings.clear();
    }

    /// Fills the cells to know their charge, as it does by itself every two months.
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

    /// Voltage in tenths of a volt and power in W at the meter, phase by phase; `None` for a phase of another unit, and no
    /// power where the meter is silent.
    pub fn metered(&self) -> [Option<(i32, Option<i32>)>; 3] {
        let phase = |number: usize| {
            let power = self.flows.phases[number]?;
            let voltage = self.conditions.voltage[number];
            Some((voltage, self.hears_meter.then_some(power)))
        };
        [phase(0), phase(1), phase(2)]
    }

    /// What happened since this was asked last, oldest first.
    pub fn take_happenings(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.happenings)
    }

    /// Lives on until `until`, in steps of at most [`LONGEST_STEP`].
    pub fn live(&mut self, until: Millis) {
        while self.at < until {
            let millis = (until - self.at).min(LONGEST_STEP);
            self.step(millis);
        }
    }

    /// Power is back: nothing was measured or done meanwhile.
    pub(crate) fn wake(&mut self, at: Millis) {
        self.mode = Mode::Auto;
        self.calibrating = false;
        self.start(at);
    }

    /// It starts: what limits it is reported again, and not as of before.
    pub(crate) fn start(&mut self, at: Millis) {
        self.at = self.at.max(at);
        self.reasons = Reasons::default();
    }

    fn step(&mut self, millis: Millis) {
        let middle = self.at + millis / 2;
        let (house, pv) = self.nature(middle);
        let load = self.flows.phases.map(Option::unwrap_or_default);
        let usual = self.grid.conditions(middle, load);
        let connected = self.watch_grid(usual, millis);
        self.look_for_meter();
        let dead = self.grid.is_dead(self.at, self.at + millis);
        self.blackout = if dead { self.blackout + millis } else { 0 };
        self.alone = dead && self.carries_house(self.blackout);
        let (house, pv, battery) = if self.alone {
            self.alone(house, pv, millis)
        } else if dead {
            (0, 0, 0)
        } else if connected && self.switched_on && !self.faulty {
            (house, pv, self.decide(house - pv, middle, millis))
        } else {
            (house, pv, 0)
        };
        self.battery.flow(battery, millis);
        self.at += millis;
        self.mind_calibration();
        self.flows = self.balance(house, pv, battery);
        let Flows { grid, .. } = self.flows;
        let counters = &mut self.counters;
        counters.flow(Counter::Import, Counter::FeedIn, grid, millis);
        counters.flow(Counter::Discharge, Counter::Charge, battery, millis);
        counters.count(Counter::Pv, pv, millis);
    }

    /// What house and sun do: this unit's share of it.
    fn nature(&mut self, at: Millis) -> (i32, i32) {
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
                // A house without power draws nothing, whatever is switched on.
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

    /// Shows the protection the grid of this step, a deviation for exactly as long as it lasts. Whether it stayed connected.
    fn watch_grid(&mut self, usual: Conditions, millis: Millis) -> bool {
        let (from, until) = (self.at, self.at + millis);
        let mut connected = self.protection.connected();
        let mut show = |unit: &mut Self, conditions, from: Millis, until: Millis| {
            if until <= from {
                return;
            }
            unit.conditions = conditions;
            match unit.protection.observe(conditions, until - from) {
                Some(State::Tripped(trip, _)) => {
                    connected = false;
                    unit.tell(trip.code(), true);
                }
                Some(State::Connected) | None => {}
            }
        };
        match self.grid.excursion(from, until) {
            None => show(self, usual, from, until),
            Some(it) => {
                let (begins, ends) = (it.from.max(from), it.until.min(until));
                show(self, usual, from, begins);
                show(self, it.to.of(usual), begins, ends);
                show(self, usual, ends, until);
            }
        }
        connected
    }

    fn look_for_meter(&mut self) {
        let hears = self.meter.answers(&self.settings);
        if hears != self.hears_meter {
            self.hears_meter = hears;
            self.tell(EventCode::MeterLost, !hears);
        }
    }

    fn mind_calibration(&mut self) {
        if self.battery.charge() >= FULL - 3 {
            self.last_full = self.at;
            self.calibration_told = false;
            if self.calibrating {
                self.calibrating = false;
                self.tell(EventCode::CalibrationDone, true);
            }
        } else if self.at - self.last_full >= CALIBRATION_DUE && !self.calibration_told {
            self.calibration_told = true;
            self.tell(EventCode::CalibrationDue, true);
        } else if self.at - self.last_full >= CALIBRATION_DUE + DAY {
            self.calibrating = !self.faulty && self.switched_on;
        }
    }

    pub(crate) fn tell(&mut self, code: EventCode, on: bool) {
        self.tell_why(code, on, Args::None);
    }

    pub(crate) fn tell_why(&mut self, code: EventCode, on: bool, args: Args) {
        self.happenings.push(Happening {
            at: self.at,
            code,
            on,
            args,
        });
    }
}

/// A three-phase inverter gives each phase a third; the last takes what does not divide.
fn thirds(power: i32) -> [i32; 3] {
    let third = power / 3;
    [third, third, power - 2 * third]
}
