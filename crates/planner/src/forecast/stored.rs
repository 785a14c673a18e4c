//! Models as bytes, for storage. If they cannot be read, the models are trained again, so the format may change with any release.
use super::envelope::{Envelope, PlantFactor};
use super::regression::Fit;
use super::{LoadModel, PvModel};
use crate::QUARTERS_A_DAY;

/// Increase it when the features of a model or their order change.
const FORM: f64 = 1.0;

/// Half precision is finer than any forecast.
pub fn encode(load: &LoadModel, pv: &PvModel) -> Vec<u8> {
    let mut numbers = vec![FORM, load.yearly_kwh];
    put_fits(&mut numbers, &load.fits);
    numbers.push(pv.envelope.highest);
    numbers.extend(&pv.envelope.clear);
    numbers.push(f64::from(pv.factor.factor.is_some()));
    numbers.extend(pv.factor.factor.iter().flatten());
    put_fits(&mut numbers, &pv.fits);
    put_fits(&mut numbers, &pv.weather_fits);
    #[expect(clippy::cast_possible_truncation, reason = "that is the purpose")]
    let bytes = |number: &f64| (*number as f32).to_le_bytes();
    numbers.iter().flat_map(bytes).collect()
}

/// `None` if another release wrote them in another format.
pub fn decode(bytes: &[u8]) -> Option<(LoadModel, PvModel)> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    let mut numbers = numbers
        .iter()
        .map(|bytes| f64::from(f32::from_le_bytes(*bytes)));
    if !rest.is_empty() || numbers.next()? != FORM {
        return None;
    }
    let numbers = &mut numbers;
    let load = LoadModel {
        yearly_kwh: numbers.next()?,
        fits: take_fits(numbers)?,
    };
    let highest = numbers.next()?;
    let clear = take(numbers, QUARTERS_A_DAY)?;
    let has_factor = numbers.next()? != 0.0;
    let pv = PvModel {
        envelope: Envelope { clear, highest },
        factor: PlantFactor {
            factor: match has_factor {
                true => Some(take(numbers, QUARTERS_A_DAY)?),
                false => None,
            },
        },
        fits: take_fits(numbers)?,
        weather_fits: take_fits(numbers)?,
    };
    numbers.next().is_none().then_some((load, pv))
}

fn put_fits<const N: usize>(numbers: &mut Vec<f64>, fits: &[Option<Fit<N>>]) {
    for fit in fits {
        numbers.push(f64::from(fit.is_some()));
        if let Some(fit) = fit {
            numbers.extend(fit.mean);
            numbers.extend(fit.quantiles.as_flattened());
        }
    }
}

fn take_fits<const N: usize, const BUCKETS: usize>(
    numbers: &mut impl Iterator<Item = f64>,
) -> Option<[Option<Fit<N>>; BUCKETS]> {
    let mut fits = [None; BUCKETS];
    for fit in &mut fits {
        if numbers.next()? != 0.0 {
            *fit = Some(Fit {
                mean: take_array(numbers)?,
                quantiles: [
                    take_array(numbers)?,
                    take_array(numbers)?,
                    take_array(numbers)?,
                ],
            });
        }
    }
    Some(fits)
}

fn take(numbers: &mut impl Iterator<Item = f64>, count: usize) -> Option<Vec<f64>> {
    let taken: Vec<f64> = numbers.take(count).collect();
    (taken.len() == count).then_some(taken)
}

fn take_array<const N: usize>(numbers: &mut impl Iterator<Item = f64>) -> Option<[f64; N]> {
    take(numbers, N)?.try_into().ok()
}
