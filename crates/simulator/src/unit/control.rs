//! The battery's control loop: which power it chooses in each step, and for what reason.
use super::Unit;
use crate::battery::FULL_SOC;
use crate::device_event::EventArgs;
use crate::plan::PlannedMode;
use crate::settings::{Control, TariffMode};
use domain::EventCode;
use domain::clock::Millis;

/// Float charging starts below the first and ends at the second state of charge, in ‰.
const FLOAT_CHARGE_SOC: std::ops::Range<i64> = 20..50;
/// Below this target power in W, the battery idles.
const DEAD_BAND: i32 = 25;
/// Hysteresis of the reserve, in ‰: discharging resumes this far above it.
const RESERVE_HYSTERESIS: i64 = 30;
/// The feed-in limit for a household socket, in W.
const MAX_SOCKET_POWER: i32 = 800;
/// Emergency power takes this long to switch over in a blackout; an uninterruptible supply takes no time.
const SWITCH_OVER_TIME: Millis = 5_000;

/// A command that overrides the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControlMode {
    #[default]
    Auto,
    /// Charge to this state of charge in ‰ with at most this power in W.
    ChargeTo { soc: i64, power: i32 },
    /// Pause. Unlike a plan's hold, it does not charge from PV either.
    Hold { until: Millis },
}

/// Why it deviates from self-consumption. The start and end of each reason is an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons {
    reserve: bool,
    /// It would charge (`true`) or discharge (`false`), but the time window is closed.
    window: Option<bool>,
    price: bool,
    pub(crate) limit: Option<i32>,
}

impl Unit {
    /// The battery's power, discharge positive, when the house has a net load of `net_load` W.
    pub(crate) fn decide(&mut self, net_load: i32, at: Millis, millis: Millis) -> i32 {
        let rating = *self.battery.rating();
        let charge = self.battery.soc();
        self.end_reserve_hold(charge);
        let most = self.charge_limit_now(net_load, at, millis);
        if self.calibrating {
            return -most.min(rating.charge / 2);
        }
        if self.needs_float_charge(charge) {
            return -most.min(rating.charge / 10);
        }
        match self.mode {
            ControlMode::ChargeTo { soc: goal, power } if charge < goal => return -most.min(power),
            ControlMode::ChargeTo { .. } => self.mode = ControlMode::Auto,
            ControlMode::Hold { until } if at < until => return 0,
            ControlMode::Hold { .. } => self.mode = ControlMode::Auto,
            ControlMode::Auto => {}
        }
        // Without a meter it has no input, and the grid operator's box sends nothing in this simulation.
        if !self.hears_meter || self.settings.control == Control::GridOperator {
            return 0;
        }
        let minute = self.home.minute_of_day(at);
        if self.charges_by_price(minute) {
            return -most.min(self.settings.charge_power.max(0));
        }
        match self.planned_mode(at) {
            Some(PlannedMode::Charge(power)) if self.settings.charge_window.contains(minute) => {
                let bought = power.min(self.settings.charge_power.max(0));
                -most.min(bought.max(-net_load))
            }
            Some(PlannedMode::Hold | PlannedMode::Charge(_)) => {
                // Charging from surplus is allowed, discharging is not.
                self.follow_meter(net_load.min(0), minute, most, at, millis)
                    .min(0)
            }
            Some(PlannedMode::SelfUse) | None => {
                self.follow_meter(net_load, minute, most, at, millis)
            }
        }
    }

    /// A plan applies only while the tariff mode asks for one.
    fn planned_mode(&self, at: Millis) -> Option<PlannedMode> {
        let plan = self.plan.as_ref()?;
        plan.at(at)
            .filter(|_| self.settings.tariff == TariffMode::Plan)
    }

    /// Self-consumption: aims at zero power at the meter, within reserve, windows and limits.
    fn follow_meter(
        &mut self,
        net_load: i32,
        minute: u16,
        most: i32,
        at: Millis,
        millis: Millis,
    ) -> i32 {
        // The controller never hits zero: it aims at a little import and misses by a few watts.
        let target = net_load - 10 - (8.0 * self.seed.noise(at, 1_000)) as i32;
        let charge = self.battery.soc();
        let reserve = self.reserve();
        self.update_window_hold(minute);
        if target > DEAD_BAND {
            if !self.settings.discharge_window.contains(minute) {
                self.begin_window_hold(false, charge > reserve);
                return 0;
            }
            self.begin_reserve_hold(charge, reserve);
            let gives = self.battery.max_discharge_power(reserve, millis);
            target.min(self.discharge_limit()).min(gives)
        } else if target < -DEAD_BAND {
            if !self.settings.charge_window.contains(minute) {
                self.begin_window_hold(true, charge < FULL_SOC - 5);
                return 0;
            }
            -most.min(-target)
        } else {
            0
        }
    }

    fn reserve(&self) -> i64 {
        i64::from(self.settings.reserve_soc.min(100)) * 10
    }

    fn discharge_limit(&self) -> i32 {
        let limit = self.settings.discharge_limit.max(0);
        if self.settings.plugin {
            limit.min(MAX_SOCKET_POWER)
        } else {
            limit
        }
    }

    /// The most it may charge: the minimum of what the cells take, the setting, the limit over the network and the grid
    /// operator's limit. The last one counts only power from the grid, not PV surplus.
    fn charge_limit_now(&mut self, net_load: i32, at: Millis, millis: Millis) -> i32 {
        let most = self
            .battery
            .max_charge_power(millis)
            .min(self.settings.charge_limit.max(0));
        let network_limit = self.limit_tcp.filter(|_| self.settings.p_limit_tcp);
        let most = network_limit.map_or(most, |limit| most.min(limit.max(0)));
        let limit = self.grid.dimmed(at);
        if limit != self.reasons.limit {
            let args = limit.map_or(EventArgs::None, EventArgs::Limit);
            self.emit_with(EventCode::GridLimit, limit.is_some(), args);
            self.reasons.limit = limit;
        }
        let surplus = (-net_load).max(0);
        limit.map_or(most, |limit| most.min(surplus + limit.max(0)))
    }

    /// Whether the price is low and the charge window is open.
    fn charges_by_price(&mut self, minute: u16) -> bool {
        let settings = self.settings;
        let price = settings
            .price()
            .filter(|_| settings.tariff == TariffMode::Price);
        let cheap = price.filter(|price| *price < settings.charge_price);
        let open = settings.charge_window.contains(minute);
        let charges = cheap.is_some() && open && self.battery.soc() < FULL_SOC - 5;
        if charges != self.reasons.price {
            self.reasons.price = charges;
            let args = cheap.map_or(EventArgs::None, EventArgs::Price);
            self.emit_with(EventCode::PriceCharge, charges, args);
        }
        charges
    }

    fn begin_reserve_hold(&mut self, charge: i64, reserve: i64) {
        if !self.reasons.reserve && charge <= reserve {
            self.reasons.reserve = true;
            let args = EventArgs::Soc(self.settings.reserve_soc);
            self.emit_with(EventCode::ReserveHeld, true, args);
        }
    }

    /// Also while the battery charges: it may be unplugged before it discharges again.
    fn end_reserve_hold(&mut self, charge: i64) {
        if self.reasons.reserve && charge >= self.reserve() + RESERVE_HYSTERESIS {
            self.reasons.reserve = false;
            self.emit_with(EventCode::ReserveHeld, false, EventArgs::None);
        }
    }

    fn begin_window_hold(&mut self, charging: bool, could: bool) {
        if could && self.reasons.window.is_none() {
            self.reasons.window = Some(charging);
            let window = match charging {
                true => self.settings.charge_window,
                false => self.settings.discharge_window,
            };
            self.emit_with(
                EventCode::WindowClosed,
                true,
                EventArgs::Until(window.start),
            );
        }
    }

    /// Ends a hold when its window opens.
    fn update_window_hold(&mut self, minute: u16) {
        let open = match self.reasons.window {
            Some(true) => self.settings.charge_window.contains(minute),
            Some(false) => self.settings.discharge_window.contains(minute),
            None => return,
        };
        if open {
            self.reasons.window = None;
            self.emit_with(EventCode::WindowClosed, false, EventArgs::None);
        }
    }

    /// In dark weeks the standby loss drains the cells; a small charge from the grid protects them.
    fn needs_float_charge(&mut self, charge: i64) -> bool {
        if !self.floating && charge < FLOAT_CHARGE_SOC.start {
            self.floating = true;
            self.emit(EventCode::FloatCharge, true);
        } else if self.floating && charge >= FLOAT_CHARGE_SOC.end {
            self.floating = false;
            self.emit(EventCode::FloatCharge, false);
        }
        self.floating
    }

    /// Whether it supplies the house without a grid, `blackout` ms after the grid failed.
    pub(crate) fn carries_house(&self, blackout: Millis) -> bool {
        let ready =
            self.settings.ups || self.settings.emergency_power && blackout >= SWITCH_OVER_TIME;
        ready && self.switched_on && !self.faulty
    }

    /// House, PV and battery power without a grid: load that nothing can supply is shed, and PV that nothing can take is
    /// curtailed. The reserve may be used.
    pub(crate) fn island_flows(&self, house: i32, pv: i32, millis: Millis) -> (i32, i32, i32) {
        let most = self
            .battery
            .max_charge_power(millis)
            .min(self.settings.charge_limit.max(0));
        let gives = self
            .battery
            .max_discharge_power(0, millis)
            .min(self.discharge_limit());
        let battery = (house - pv).clamp(-most, gives);
        let house = house.min(pv + battery.max(0));
        let pv = pv.min(house - battery);
        (house, pv, battery)
    }
}
