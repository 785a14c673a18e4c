//! Scenarios of one quarter-hour: a two-factor Markov chain. Sun and load each have a slow regime with three levels that lasts
//! for hours. Within the regimes the net load has a fast shock with three levels that fades within an hour or two. Forecast
//! errors have both parts. Without regimes the errors of a night would cancel out and its consumption would seem certain. Without
//! shocks one meter reading would seem to predict the next hours.
use super::grid::Cents;
use super::{Outlook, Uncertainty};
use crate::Band;

/// The weights of the 10 %, 50 % and 90 % quantiles of a band. With these weights the three values have the mean and the spread
/// of most unimodal distributions (Swanson's rule).
const WEIGHTS: [f64; 3] = [0.3, 0.4, 0.3];
/// The positions of the three values, as a share of the distance from the median to the 10 % or 90 % quantile.
const QUANTILE_POSITIONS: [f64; 3] = [-1.0, 0.0, 1.0];

/// The autocorrelation of load forecast errors was measured on weeks 5 to 12 of a real home: 0.66 after half an hour, 0.45 after
/// one hour, 0.28 after two, 0.21 after four, 0.14 after eight. It is the sum of two exponential decays: a quarter of the
/// variance with a time constant of 14 hours, the rest with 0.9. These also give the right spread of the total load over any
/// number of hours up to a day.
const LOAD_REGIME: Persistence = Persistence {
    share: 0.25,
    hours: 14.0,
};
const SUN_REGIME: Persistence = Persistence {
    share: 0.75,
    hours: 6.0,
};
/// The time constant of the part that is not regime, for load and sun alike.
const SHOCK_HOURS: f64 = 0.9;

/// The regime's `share` of a band's variance, and its time constant in `hours` (after which 1/e, about a third, is left).
struct Persistence {
    share: f64,
    hours: f64,
}

/// The probability that a state stays for another quarter-hour, from its time constant.
fn stay_probability(hours: f64) -> f64 {
    (-crate::HOURS_PER_QUARTER / hours).exp()
}

/// 3 sun regimes × 3 load regimes × 3 shocks.
const STATES: usize = 27;

/// The net load in kWh by quarter-hour, in each state of sun, load and shock.
#[derive(Clone, Debug)]
pub struct Scenarios {
    /// 1 when uncertainty is ignored.
    pub(super) states: usize,
    /// The unconditional probability of each state.
    pub(super) weights: Vec<f64>,
    /// By quarter-hour and by state.
    net_loads: Vec<f64>,
    /// The mean net load by quarter-hour, in kWh.
    pub(super) means: Vec<f64>,
}

impl Scenarios {
    pub fn of(outlook: &Outlook, uncertainty: Uncertainty) -> Self {
        let bands = outlook.load.iter().zip(&outlook.pv).take(outlook.horizon());
        let means: Vec<f64> = bands
            .clone()
            .map(|(load, pv)| kwh(load.mean - pv.mean))
            .collect();
        if uncertainty == Uncertainty::Ignored {
            return Self {
                states: 1,
                weights: vec![1.0],
                net_loads: means.clone(),
                means,
            };
        }
        let mut net_loads = Vec::with_capacity(STATES * means.len());
        for (load, pv) in bands {
            let load = spread(load, LOAD_REGIME.share);
            for sun in spread(pv, SUN_REGIME.share) {
                net_loads.extend(
                    load.iter()
                        .flat_map(|load| net_loads_in_regime(*load, sun))
                        .map(kwh),
                );
            }
        }
        let each = |weight: f64| WEIGHTS.map(|level| weight * level);
        let regimes = WEIGHTS.into_iter().flat_map(each);
        Self {
            states: STATES,
            weights: regimes.flat_map(each).collect(),
            net_loads,
            means,
        }
    }

    pub(super) fn horizon(&self) -> usize {
        self.means.len()
    }

    pub(super) fn net_load(&self, quarter: usize, state: usize) -> f64 {
        self.net_loads[quarter * self.states + state]
    }

    /// Replaces values by the shock in a quarter-hour with their expectation by the shock before it, in place.
    pub(super) fn expect_shocks(&self, values: &mut [Cents]) {
        if self.states == STATES {
            mix(values, values.len() / 27, stay_probability(SHOCK_HOURS));
        }
    }

    /// The same for the regimes of load and sun.
    pub(super) fn expect_regimes(&self, values: &mut [Cents]) {
        if self.states == STATES {
            mix(
                values,
                values.len() / 9,
                stay_probability(LOAD_REGIME.hours),
            );
            mix(values, values.len() / 3, stay_probability(SUN_REGIME.hours));
        }
    }
}

/// The net load in one pair of regimes: low, usual and high, with the mean and the spread of load and sun together.
fn net_loads_in_regime(load: [f64; 3], sun: [f64; 3]) -> [f64; 3] {
    let mean = |values: [f64; 3]| {
        let weighed = values.iter().zip(WEIGHTS);
        weighed.map(|(value, weight)| value * weight).sum::<f64>()
    };
    let less = (load[1] - load[0]).hypot(sun[2] - sun[1]);
    let more = (load[2] - load[1]).hypot(sun[1] - sun[0]);
    let usual = mean(load) - mean(sun) - WEIGHTS[2] * (more - less);
    [usual - less, usual, usual + more]
}

/// One step of the Markov chain, backwards: a state stays with probability `stays`, otherwise any of the three levels follows by
/// its weight. Values of neighbouring levels lie `stride` apart.
fn mix(values: &mut [Cents], stride: usize, stays: f64) {
    let stays = stays as Cents;
    let weights = WEIGHTS.map(|weight| weight as Cents);
    for three in values.chunks_exact_mut(3 * stride) {
        let (low, rest) = three.split_at_mut(stride);
        let (usual, high) = rest.split_at_mut(stride);
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
    watt / 1000.0 * crate::HOURS_PER_QUARTER
}

/// Values by regime and shock that represent a band and have exactly its mean. The mean matters: rare high loads carry much of
/// the energy.
fn spread(band: &Band, regime_share: f64) -> [[f64; 3]; 3] {
    let (regime, shock) = (regime_share.sqrt(), (1.0 - regime_share).sqrt());
    let levels = QUANTILE_POSITIONS.map(|a| QUANTILE_POSITIONS.map(|b| regime * a + shock * b));
    let below = band.p50 - band.p10;
    let (mut mean, mut up) = (0.0, 0.0);
    for (levels, a) in levels.iter().zip(WEIGHTS) {
        for (level, b) in levels.iter().zip(WEIGHTS) {
            mean += a * b * (band.p50 + below * level.min(0.0)).max(0.0);
            up += a * b * level.max(0.0);
        }
    }
    let above = ((band.mean - mean) / up).max(0.0);
    levels.map(|levels| {
        levels.map(|level| (band.p50 + below * level.min(0.0)).max(0.0) + above * level.max(0.0))
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
            let left = |lasts: f64| stay_probability(lasts).powf(hours / crate::HOURS_PER_QUARTER);
            let left = LOAD_REGIME.share * left(LOAD_REGIME.hours)
                + (1.0 - LOAD_REGIME.share) * left(SHOCK_HOURS);
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
        let scenarios = Scenarios::of(&outlook, Uncertainty::Bands);
        let net_loads: Vec<f64> = (0..STATES)
            .map(|state| scenarios.net_load(0, state))
            .collect();
        let mean = |values: &[f64]| {
            let weighed = values.iter().zip(&scenarios.weights);
            weighed.map(|(value, weight)| value * weight).sum::<f64>()
        };
        assert!((mean(&net_loads) - kwh(600.0)).abs() < 1e-9);
        let mut later: Vec<Cents> = net_loads.iter().map(|net| *net as Cents).collect();
        scenarios.expect_shocks(&mut later);
        scenarios.expect_regimes(&mut later);
        let later: Vec<f64> = later.into_iter().map(f64::from).collect();
        assert!((mean(&later) - kwh(600.0)).abs() < 1e-7);
        let nearer = |state: usize| (later[state] - kwh(600.0)) / (net_loads[state] - kwh(600.0));
        assert!((0.6..1.0).contains(&nearer(0)) && (0.6..1.0).contains(&nearer(STATES - 1)));
    }
}
