//! What a battery decides to do, step by step, and why.
use crate::battery::FULL;
use crate::happening::Args;
use crate::plan::Planned;
use crate::settings::{Control, Tariff};
use crate::unit::Unit;
use domain::EventCode;
use domain::clock::Millis;

/// A trickle begins below the first and ends at the second charge, in ‰.
const FLOAT: std::ops::Range<i64> = 20..50;
/// Below this wish it rests.
const DEAD_BAND: i32 = 25;
/// So far above the reserve it is no longer held by it, in ‰.
const ABOVE_RESERVE: i64 = 30;
/// What may be fed into a household's socket, in W.
const SOCKET: i32 = 800;
/// How long a blackout lasts before emergency power has switched over; an uninterruptible supply needs no time.
const SWITCH_OVER: Millis = 5_000;

/// What somebody told it to do instead of what its settings say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Auto,
    /// Charge to so many ‰ with so many W at most.
    ChargeTo { charge: i64, power: i32 },
    /// Pause until then: unlike a plan's hold it takes no sun either.
    Hold { until: Millis },
}

/// Why it does not do what it otherwise would; each is told when it begins and when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons {
    reserve: bool,
    /// It would charge (`true`) or discharge, but not at this time of the day.
    window: Option<bool>,
    price: bool,
    pub(crate) limit: Option<i32>,
}

impl Unit {
    /// The power that it lets flow, discharge positive, when the house lacks `lack` W.
    pub(crate) fn decide(&mut self, lack: i32, at: Millis, millis: Millis) -> i32 {
        let rating = *self.battery.rating();
        let charge = self.battery.charge();
        let most = self.most_charge(lack, at, millis);
        if self.calibrating {
            return -most.min(rating.charge / 2);
        }
        if self.keeps_alive(charge) {
            return -most.min(rating.charge / 10);
        }
        match self.mode {
            Mode::ChargeTo {
                charge: goal,
                power,
            } if charge < goal => return -most.min(power),
            Mode::ChargeTo { .. } => self.mode = Mode::Auto,
            Mode::Hold { until } if at < until => return 0,
            Mode::Hold { .. } => self.mode = Mode::Auto,
            Mode::Auto => {}
        }
        // Without a meter it is blind, and the grid operator's box has never told it anything.
        if !self.hears_meter || self.settings.control == Control::GridOperator {
            return 0;
        }
        let minute = self.home.minute_of_day(at);
        if self.charges_by_price(minute) {
            return -most.min(self.settings.charge_power.max(0));
        }
        match self.planned(at) {
            Some(Planned::Charge(power)) if self.settings.charge_window.contains(minute) => {
                let bought = power.min(self.settings.charge_power.max(0));
                -most.min(bought.max(-lack))
            }
            Some(Planned::Hold | Planned::Charge(_)) => {
                // It keeps what it has.
                self.follow_meter(lack.min(0), minute, most, at, millis)
                    .min(0)
            }
            Some(Planned::SelfUse) | None => self.follow_meter(lack, minute, most, at, millis),
        }
    }

    /// A plan counts only while its people want one.
    fn planned(&self, at: Millis) -> Option<Planned> {
        let plan = self.plan.as_ref()?;
        plan.at(at).filter(|_| self.settings.tariff == Tariff::Plan)
    }

    /// Nothing in, nothing out, as far as reserve, windows and limits let it.
    fn follow_meter(
        &mut self,
        lack: i32,
        minute: u16,
        most: i32,
        at: Millis,
        millis: Millis,
    ) -> i32 {
        // The controller never hits zero: it aims at a trace of import and misses by some watts.
        let wish = lack - 10 - (8.0 * self.seed.noise(at, 1_000)) as i32;
        let charge = self.battery.charge();
        let reserve = self.reserve();
        self.mind_window(minute);
        if wish > DEAD_BAND {
            if !self.settings.discharge_window.contains(minute) {
                self.hold_by_window(false, charge > reserve);
                return 0;
            }
            self.mind_reserve(charge, reserve);
            let gives = self.battery.gives(reserve, millis);
            wish.min(self.discharge_limit()).min(gives)
        } else if wish < -DEAD_BAND {
            if !self.settings.charge_window.contains(minute) {
                self.hold_by_window(true, charge < FULL - 5);
                return 0;
            }
            -most.min(-wish)
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
            limit.min(SOCKET)
        } else {
            limit
        }
    }

    /// What it may take: its cells, its limit, what it is told over the network, and what the grid operator allows it to
    /// draw from the grid. Its own sun is nobody else's business.
    fn most_charge(&mut self, lack: i32, at: Millis, millis: Millis) -> i32 {
        let most = self
            .battery
            .takes(millis)
            .min(self.settings.charge_limit.max(0));
        let told = self.limit_tcp.filter(|_| self.settings.p_limit_tcp);
        let most = told.map_or(most, |limit| most.min(limit.max(0)));
        let limit = self.grid.dimmed(at);
        if limit != self.reasons.limit {
            let args = limit.map_or(Args::None, Args::Limit);
            self.tell_why(EventCode::GridLimit, limit.is_some(), args);
            self.reasons.limit = limit;
        }
        let surplus = (-lack).max(0);
        limit.map_or(most, |limit| most.min(surplus + limit.max(0)))
    }

    /// Whether the price says so, and the time of the day does not forbid it.
    fn charges_by_price(&mut self, minute: u16) -> bool {
        let settings = self.settings;
        let price = settings
            .price()
            .filter(|_| settings.tariff == Tariff::Price);
        let cheap = price.filter(|price| *price < settings.charge_price);
        let open = settings.charge_window.contains(minute);
        let charges = cheap.is_some() && open && self.battery.charge() < FULL - 5;
        if charges != self.reasons.price {
            self.reasons.price = charges;
            let args = cheap.map_or(Args::None, Args::Price);
            self.tell_why(EventCode::PriceCharge, charges, args);
        }
        charges
    }

    fn mind_reserve(&mut self, charge: i64, reserve: i64) {
        if !self.reasons.reserve && charge <= reserve {
            self.reasons.reserve = true;
            let args = Args::Soc(self.settings.reserve_soc);
            self.tell_why(EventCode::ReserveHeld, true, args);
        } else if self.reasons.reserve && charge >= reserve + ABOVE_RESERVE {
            self.reasons.reserve = false;
            self.tell_why(EventCode::ReserveHeld, false, Args::None);
        }
    }

    fn hold_by_window(&mut self, charging: bool, could: bool) {
        if could && self.reasons.window.is_none() {
            self.reasons.window = Some(charging);
            let window = match charging {
                true => self.settings.charge_window,
                false => self.settings.discharge_window,
            };
            self.tell_why(EventCode::WindowClosed, true, Args::Until(window.start));
        }
    }

    /// What a window held back is free when it opens.
    fn mind_window(&mut self, minute: u16) {
        let open = match self.reasons.window {
            Some(true) => self.settings.charge_window.contains(minute),
            Some(false) => self.settings.discharge_window.contains(minute),
            None => return,
        };
        if open {
            self.reasons.window = None;
            self.tell_why(EventCode::WindowClosed, false, Args::None);
        }
    }

    /// In dark weeks the standby loss empties the cells; a trickle from the grid keeps them from harm.
    fn keeps_alive(&mut self, charge: i64) -> bool {
        if !self.floating && charge < FLOAT.start {
            self.floating = true;
            self.tell(EventCode::FloatCharge, true);
        } else if self.floating && charge >= FLOAT.end {
            self.floating = false;
            self.tell(EventCode::FloatCharge, false);
        }
        self.floating
    }

    /// Whether it carries the house alone, `blackout` ms after the grid went.
    pub(crate) fn carries_house(&self, blackout: Millis) -> bool {
        let ready = self.settings.ups || self.settings.emergency_power && blackout >= SWITCH_OVER;
        ready && self.switched_on && !self.faulty
    }

    /// House, sun and battery without a grid: what nobody can give the house does not get, and what nobody can take the
    /// roof does not give. The reserve is for this.
    pub(crate) fn alone(&self, house: i32, pv: i32, millis: Millis) -> (i32, i32, i32) {
        let most = self
            .battery
            .takes(millis)
            .min(self.settings.charge_limit.max(0));
        let gives = self.battery.gives(0, millis).min(self.discharge_limit());
        let battery = (house - pv).clamp(-most, gives);
        let house = house.min(pv + battery.max(0));
        let pv = pv.min(house - battery);
        (house, pv, battery)
    }
}
