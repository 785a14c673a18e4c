//! What a quarter-hour may bring, as few enough cases to reckon through: the sun and the load in three tempers each, which last,
//! and three turns that what the house lacks takes within them, which do not. Without their lasting a night's use would seem to be
//! known well, as what one hour takes too much the next would take too little; if all of it lasted, a look at the meter would seem
//! to tell the hours to come.
use super::{Outlook, View};
use crate::{Band, Mode};

/// How likely each of three values is that stand for a band: those at 10 %, 50 % and 90 % with these weights have the mean and the
/// spread of most one-humped distributions (Swanson's rule).
const WEIGHTS: [f64; 3] = [0.3, 0.4, 0.3];
/// Where they stand, in parts of the way from the middle to the 10 % or 90 %.
const PLACES: [f64; 3] = [-1.0, 0.0, 1.0];

/// Of the spread of a band, as a variance, so much lasts; and of that a third is left after so many hours. Chosen by what
/// plans save on weeks 5 to 12 of a real home; the load's misses last longer there than this says.
const SKY: Lasting = Lasting {
    share: 0.75,
    hours: 6.0,
};
const LOAD: Lasting = Lasting {
    share: 0.25,
    hours: 6.0,
};

struct Lasting {
    share: f64,
    hours: f64,
}

impl Lasting {
    /// How likely a temper is to stay for another quarter-hour.
    fn stays(&self) -> f64 {
        (-crate::HOURS / self.hours).exp()
    }
}

/// By quarter-hours: what the house lacks, in kWh, in each temper of sun and load.
#[derive(Clone, Debug)]
pub struct Chances {
    /// Of the sun times those of the load.
    pub(super) tempers: usize,
    /// How likely each is when nothing is known yet.
    pub(super) weights: Vec<f64>,
    /// By quarter-hour, by temper and by the turn that it takes for this quarter-hour alone.
    nets: Vec<f64>,
    turns: usize,
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
                tempers: 1,
                weights: vec![1.0],
                nets: means.clone(),
                turns: 1,
                means,
            };
        }
        let mut nets = Vec::with_capacity(27 * means.len());
        for (load, pv) in bands {
            let load = spread(load, LOAD.share);
            for sun in spread(pv, SKY.share) {
                nets.extend(load.iter().flat_map(|load| lacks(*load, sun)).map(kwh));
            }
        }
        let sun = WEIGHTS.iter();
        Self {
            tempers: 9,
            weights: sun.flat_map(|sun| WEIGHTS.map(|load| sun * load)).collect(),
            nets,
            turns: 3,
            means,
        }
    }

    pub(super) fn reach(&self) -> usize {
        self.means.len()
    }

    /// What the house may lack in a temper, and how likely.
    pub(super) fn nets(
        &self,
        quarter: usize,
        temper: usize,
        mode: Mode,
    ) -> impl Iterator<Item = (f64, f64)> {
        let first = (quarter * self.tempers + temper) * self.turns;
        let nets = &self.nets[first..first + self.turns];
        let weights: &[f64] = if self.turns == 1 { &[1.0] } else { &WEIGHTS };
        // Of a battery that gives nothing the grid gives all: the mean costs what all of them cost on the average.
        let same = mode != Mode::SelfUse && nets.iter().all(|net| *net >= 0.0);
        let each = nets.iter().copied().zip(weights.iter().copied());
        let mean = same.then(|| (each.clone().map(|(net, weight)| net * weight).sum(), 1.0));
        let each = each.take(if same { 0 } else { self.turns });
        mean.into_iter().chain(each)
    }

    /// What is expected before a quarter-hour, by the temper before it, of what is known by the temper in it; in place. A temper
    /// stays, or else any of the three follows: first for the load, then for the sun.
    pub(super) fn expect(&self, values: &mut [f64], points: usize) {
        if self.tempers == 1 {
            return;
        }
        let (load_stays, sky_stays) = (LOAD.stays(), SKY.stays());
        for sun in 0..3 {
            let starts = [0, 1, 2].map(|load| (3 * sun + load) * points);
            mix(starts, load_stays, values, points);
        }
        for load in 0..3 {
            let starts = [0, 1, 2].map(|sun| (3 * sun + load) * points);
            mix(starts, sky_stays, values, points);
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

fn mix(starts: [usize; 3], stays: f64, values: &mut [f64], points: usize) {
    for point in 0..points {
        let [a, b, c] = starts.map(|start| values[start + point]);
        let any = (1.0 - stays) * (WEIGHTS[0] * a + WEIGHTS[1] * b + WEIGHTS[2] * c);
        for (start, value) in starts.into_iter().zip([a, b, c]) {
            values[start + point] = stays * value + any;
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
