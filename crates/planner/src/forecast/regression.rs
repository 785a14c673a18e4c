//! Ridge regression for the mean, and quantile regression by iteratively reweighted least squares.

/// Rows of features, each with its target and weight.
pub(crate) struct TrainingRows<const N: usize> {
    features: Vec<[f64; N]>,
    target: Vec<f64>,
    weight: Vec<f64>,
}

const REWEIGHTING_ROUNDS: usize = 12;
/// How many rows are added to the sums at a time. Training mostly reads and writes those sums; this makes it a third faster.
const ROWS_AT_ONCE: usize = 4;

/// Coefficients of the mean and of three quantiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit<const N: usize> {
    pub(crate) mean: [f64; N],
    pub(crate) quantiles: [[f64; N]; 3],
}

pub(crate) const QUANTILES: [f64; 3] = [0.1, 0.5, 0.9];

impl<const N: usize> Fit<N> {
    pub(crate) fn band(&self, features: &[f64; N]) -> crate::Band {
        let [p10, p50, p90] = self.quantiles.map(|weights| dot(&weights, features));
        crate::Band::of(p10, p50, p90, dot(&self.mean, features))
    }
}

impl<const N: usize> TrainingRows<N> {
    pub(crate) fn new() -> Self {
        Self {
            features: Vec::new(),
            target: Vec::new(),
            weight: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, features: [f64; N], target: f64, weight: f64) {
        self.features.push(features);
        self.target.push(target);
        self.weight.push(weight);
    }

    pub(crate) fn len(&self) -> usize {
        self.target.len()
    }

    /// `None` with too few rows to tell the features apart. `ridge_penalty` draws every coefficient towards zero. All features
    /// have the scale of the target, so one penalty fits all.
    pub(crate) fn fit(mut self, ridge_penalty: f64) -> Option<Fit<N>> {
        if self.len() < 10 * N {
            return None;
        }
        let typical = self.target.iter().map(|y| y.abs()).sum::<f64>() / self.len() as f64;
        while !self.len().is_multiple_of(ROWS_AT_ONCE) {
            self.push([0.0; N], 0.0, 0.0);
        }
        let mean = self.solve(&self.weight, ridge_penalty)?;
        let mut quantiles = [mean; 3];
        for (quantile, weights) in QUANTILES.iter().zip(&mut quantiles) {
            *weights =
                self.quantile(*quantile, *weights, 0.02 * typical.max(1e-6), ridge_penalty)?;
        }
        Some(Fit { mean, quantiles })
    }

    /// Least squares with weights of 1/|residual| give least absolute deviations, that is the median. Uneven weights for rows
    /// above and below turn the median into the quantile.
    fn quantile(
        &self,
        quantile: f64,
        start: [f64; N],
        smallest: f64,
        ridge_penalty: f64,
    ) -> Option<[f64; N]> {
        let mut weights = start;
        let mut row_weight = vec![0.0; self.len()];
        for _ in 0..REWEIGHTING_ROUNDS {
            for (row, features) in self.features.iter().enumerate() {
                let off = self.target[row] - dot(&weights, features);
                let side = if off > 0.0 { quantile } else { 1.0 - quantile };
                row_weight[row] = self.weight[row] * side / off.abs().max(smallest) * smallest;
            }
            weights = self.solve(&row_weight, ridge_penalty)?;
        }
        Some(weights)
    }

    fn solve(&self, row_weight: &[f64], ridge_penalty: f64) -> Option<[f64; N]> {
        let mut matrix = [[0.0; N]; N];
        let mut right = [0.0; N];
        let features = self.features.as_chunks::<ROWS_AT_ONCE>().0;
        let targets = self.target.as_chunks::<ROWS_AT_ONCE>().0;
        let weights = row_weight.as_chunks::<ROWS_AT_ONCE>().0;
        for ((features, target), weight) in features.iter().zip(targets).zip(weights) {
            for (a, (sums, right)) in matrix.iter_mut().zip(&mut right).enumerate() {
                let weighed = std::array::from_fn(|row| weight[row] * features[row][a]);
                *right += dot::<ROWS_AT_ONCE>(&weighed, target);
                for (b, sum) in sums[..=a].iter_mut().enumerate() {
                    *sum += weighed[0] * features[0][b]
                        + weighed[1] * features[1][b]
                        + weighed[2] * features[2][b]
                        + weighed[3] * features[3][b];
                }
            }
        }
        let trace: f64 = (0..N).map(|a| matrix[a][a]).sum();
        let ridge_penalty = ridge_penalty * trace / N as f64;
        for (a, row) in matrix.iter_mut().enumerate() {
            row[a] += ridge_penalty.max(1e-12);
        }
        cholesky(matrix, right)
    }
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a symmetric positive definite system, given its lower half.
fn cholesky<const N: usize>(mut matrix: [[f64; N]; N], right: [f64; N]) -> Option<[f64; N]> {
    for a in 0..N {
        for b in 0..=a {
            let sum = (0..b).fold(matrix[a][b], |sum, c| sum - matrix[a][c] * matrix[b][c]);
            if a == b {
                if sum <= 0.0 {
                    return None;
                }
                matrix[a][a] = sum.sqrt();
            } else {
                matrix[a][b] = sum / matrix[b][b];
            }
        }
    }
    let mut solved = right;
    for a in 0..N {
        let sum = (0..a).fold(solved[a], |sum, c| sum - matrix[a][c] * solved[c]);
        solved[a] = sum / matrix[a][a];
    }
    for a in (0..N).rev() {
        let sum = (a + 1..N).fold(solved[a], |sum, c| sum - matrix[c][a] * solved[c]);
        solved[a] = sum / matrix[a][a];
    }
    Some(solved)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evenly distributed between 0 and 1, the same in each run.
    fn spread(n: usize) -> f64 {
        (n as f64 * 0.618_033_988_75).fract()
    }

    #[test]
    fn the_mean_and_the_quantiles_of_a_known_law_are_found() {
        let mut rows = TrainingRows::<2>::new();
        for n in 0..4_000 {
            let x = 1.0 + spread(n * 7);
            // Noise is the square of a uniform value: mean 1/3, quantiles 0.01, 0.25, 0.81.
            let noise = spread(n).powi(2);
            rows.push([1.0, x], 3.0 * x + noise, 1.0);
        }
        let fit = rows.fit(1e-3).unwrap();
        let at = |weights: [f64; 2]| dot(&weights, &[1.0, 1.5]) - 4.5;
        assert!((at(fit.mean) - 1.0 / 3.0).abs() < 0.02, "{}", at(fit.mean));
        for (weights, want) in fit.quantiles.iter().zip([0.01, 0.25, 0.81]) {
            assert!(
                (at(*weights) - want).abs() < 0.06,
                "{} {want}",
                at(*weights)
            );
        }
    }

    #[test]
    fn too_few_rows_fit_nothing() {
        let mut rows = TrainingRows::<2>::new();
        rows.push([1.0, 1.0], 1.0, 1.0);
        assert!(rows.fit(1e-3).is_none());
    }
}
