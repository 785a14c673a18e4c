//! What a quarter-hour may bring, as few enough cases to reckon through: the sun and the load in three tempers each, which last for
//! hours, and three turns that what the house lacks takes within them, which are gone after one or two. Misses do both: without tempers
//! a night's use would seem to be known well, as what one hour takes too much the next would take too little; with nothing else a
//! look at the meter would seem to tell the hours to come.
use super::grid::Cents;
use super::{Outlook, View};
use crate::Band;

/// How likely each of three values is that stand for a band: those at 10 %, 50 % and 90 % with these weights have the mean and the
/// spread of most one-humped distributions (Swanson's rule).
const WEIGHTS: [f64; 3] = [0.3, 0.4, 0.3];
/// Where they stand, in parts of the way from the middle to the 10 % or 90 %.
const PLACES: [f64; 3] = [-1.0, 0.0, 1.0];

/// How much of a miss of the load is left some time later, as measured on weeks 5 to 12 of a real home (0.66 after half an hour, 0.45
/// after one, 0.28 after two, 0.21 after four, 0.14 after eight), is the sum of two that fade: a quarter of its variance within 14
/// hours, the rest within 0.9. So is the spread of what the house will have used in the next hours, of any number up to a day.
const LOAD: Lasting = Lasting {
    share: 0.25,
    hours: 14.0,
};
const SKY: Lasting = Lasting {
    share: 0.75,
    hours: 6.0,
};
/// What is not of a temper, of load and sun alike.
const TURN_HOURS: f64 = 0.9;

/// Of the spread of a band, as a variance, so much is of a temper; and of that a third is left after so many hours.
struct Lasting {
    share: f64,
    hours: f64,
}

/// How likely what a third is left of after so many hours is to stay for another quarter-hour.
fn stays(hours: f64) -> f64 {
    (-crate::HOURS / hours).exp()
}

/// Three of the sun by three of the load by three turns.
const STATES: usize = 27;

/// By quarter-hours: what the house lacks, in kWh, in each state of sun, load and turn.
#[derive(Clone, Debug)]
pub struct Chances {
    /// One where all is sure.
    pub(super) states: usize,
    /// How likely each is when nothing is known yet.
    pub(super) weights: Vec<f64>,
    /// By quarter-hour and by state.
    nets: Vec<f64>,
    /// What the house lacks on the average, in kWh.
    pub(super) means: Vec<f64>,
}

impl Chances {
    pub fn of(outlook: &Outlook, view: View) -> Self {
        let bands = outlook.load.iter().zip(&outlook.pv).take(outlook.reach());
        let means: Vec<f64> = bands
            .clone()
            .map(|(load, pv)| kwh(load.mean - pv.mean))
            .collect();
        if view == View::Certain {
            return Self {
                states: 1,
                weights: vec![1.0],
                nets: means.clone(),
                means,
            };
        }
        let mut nets = Vec::with_capacity(STATES * means.len());
        for (load, pv) in bands {
            let load = spread(load, LOAD.share);
            for sun in spread(pv, SKY.share) {
                nets.extend(load.iter().flat_map(|load| lacks(*load, sun)).map(kwh));
            }
        }
        let each = |weight: f64| WEIGHTS.map(|one| weight * one);
        let tempers = WEIGHTS.into_iter().flat_map(each);
        Self {
            states: STATES,
            weights: tempers.flat_map(each).collect(),
            nets,
            means,
        }
    }

    pub(super) fn reach(&self) -> usize {
        self.means.len()
    }

    /// What the house lacks in a state.
    pub(super) fn net(&self, quarter: usize, state: usize) -> f64 {
        self.nets[quarter * self.states + state]
    }

    /// What is expected before a quarter-hour, by the turn before it, of what is known by the turn in it; in place.
    pub(super) fn expect_turns(&self, values: &mut [Cents]) {
        if self.states == STATES {
            mix(values, values.len() / 27, stays(TURN_HOURS));
        }
    }

    /// The same by the tempers of load and sun.
    pub(super) fn expect_tempers(&self, values: &mut [Cents]) {
        if self.states == STATES {
            mix(values, values.len() / 9, stays(LOAD.hours));
            mix(values, values.len() / 3, stays(SKY.hours));
        }
    }
}

/// What the house lacks in one temper of load and sun: less than usual, as usual and more, with the mean and the spread of both.
fn lacks(load: [f64; 3], sun: [f64; 3]) -> [f64; 3] {
    let mean = |values: [f64; 3]| {
        let weighed = values.iter().zip(WEIGHTS);
        weighed.map(|(value, weight)| value * weight).sum::<f64>()
    };
    let less = (load[1] - load[0]).hypot(sun[2] - sun[1]);
    let more = (load[2] - load[1]).hypot(sun[1] - sun[0]);
    let usual = mean(load) - mean(sun) - WEIGHTS[2] * (more - less);
    [usual - less, usual, usual + more]
}

/// A state stays, or else any of its three follows. Those of one state lie `long` values apart from those of the next.
fn mix(values: &mut [Cents], long: usize, stays: f64) {
    let stays = stays as Cents;
    let weights = WEIGHTS.map(|weight| weight as Cents);
    for three in values.chunks_exact_mut(3 * long) {
        let (low, rest) = three.split_at_mut(long);
        let (usual, high) = rest.split_at_mut(long);
        for ((low, usual), high) in low.iter_mut().zip(usual).zip(high) {
            let mean = weights[0] * *low + weights[1] * *usual + weights[2] * *high;
            let any = (1.0 - stays) * mean;
            *low = stays * *low + any;
            *usual = stays * *usual + any;
            *high = stays * *high + any;
        }
    }
}

fn kwh(watt: f64) -> f64 {
    watt / 1000.0 * crate::HOURS
}

/// Values that stand for a band and have its mean, by temper and turn: few high ones weigh much in a load.
fn spread(band: &Band, lasts: f64) -> [[f64; 3]; 3] {
    let (temper, turn) = (lasts.sqrt(), (1.0 - lasts).sqrt());
    let places = PLACES.map(|a| PLACES.map(|b| temper * a + turn * b));
    let below = band.p50 - band.p10;
    let (mut mean, mut up) = (0.0, 0.0);
    for (places, a) in places.iter().zip(WEIGHTS) {
        for (place, b) in places.iter().zip(WEIGHTS) {
            mean += a * b * (band.p50 + below * place.min(0.0)).max(0.0);
            up += a * b * place.max(0.0);
        }
    }
    let above = ((band.mean - mean) / up).max(0.0);
    places.map(|places| {
        places.map(|place| (band.p50 + below * place.min(0.0)).max(0.0) + above * place.max(0.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_of_a_miss_of_the_load_is_left_as_was_measured() {
        for (hours, measured) in [
            (0.5, 0.66),
            (1.0, 0.45),
            (2.0, 0.28),
            (4.0, 0.21),
            (8.0, 0.14),
        ] {
            let left = |lasts: f64| stays(lasts).powf(hours / crate::HOURS);
            let left = LOAD.share * left(LOAD.hours) + (1.0 - LOAD.share) * left(TURN_HOURS);
            assert!((left - measured).abs() < 0.04, "{hours} h: {left}");
        }
    }

    #[test]
    fn a_state_keeps_its_own_value_and_the_mean_of_all_stays() {
        let band = Band {
            p10: 200.0,
            p50: 400.0,
            p90: 1_500.0,
            mean: 600.0,
        };
        let price = crate::SlotPrice {
            import: 3_000,
            feed_in: 790,
            known: true,
        };
        let outlook = Outlook {
            start: 0,
            load: vec![band],
            pv: vec![Band::default()],
            prices: vec![price],
        };
        let chances = Chances::of(&outlook, View::Bands);
        let nets: Vec<f64> = (0..STATES).map(|state| chances.net(0, state)).collect();
        let mean = |values: &[f64]| {
            let weighed = values.iter().zip(&chances.weights);
            weighed.map(|(value, weight)| value * weight).sum::<f64>()
        };
        assert!((mean(&nets) - kwh(600.0)).abs() < 1e-9);
        let mut later: Vec<Cents> = nets.iter().map(|net| *net as Cents).collect();
        chances.expect_turns(&mut later);
        chances.expect_tempers(&mut later);
        let later: Vec<f64> = later.into_iter().map(f64::from).collect();
        assert!((mean(&later) - kwh(600.0)).abs() < 1e-7);
        let nearer = |state: usize| (later[state] - kwh(600.0)) / (nets[state] - kwh(600.0));
        assert!((0.6..1.0).contains(&nearer(0)) && (0.6..1.0).contains(&nearer(STATES - 1)));
    }
}
