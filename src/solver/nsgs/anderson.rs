//! Anderson's acceleration of a sweep.
//!
//! A sweep maps impulses `x` to `g(x)`; its fixed points are the solutions. From the last `m` steps
//! with `f_k = g(x_k) - x_k`, the combination of least `|f_k - sum_j gamma_j (f_{j+1} - f_j)|` is
//! found and the next start is the same combination of the images:
//! `x_{k+1} = g(x_k) - sum_j gamma_j (g(x_{j+1}) - g(x_j))` (Walker and Ni 2011, section 2). Once
//! every contact has settled on stick, slip or leave, the sweep is nearly affine, and this is GMRES
//! on it. Before that the combination may lead astray: a step that makes `|f|` grow is taken back, the
//! history forgotten, and plain sweeps follow, twice as many after each setback.

use crate::constants::{NSGS_ACCELERATION_GAIN, NSGS_ACCELERATION_PAUSE, NSGS_RANK_TOLERANCE};
use std::collections::VecDeque;

/// The history of a sweep.
#[derive(Debug)]
pub(super) struct Anderson {
    /// What makes impulses of unlike bodies comparable.
    weights: Vec<f64>,
    depth: usize,
    /// `x_k`, `g(x_k)` and the weighted `f_k` of the latest step.
    start: Vec<f64>,
    image: Vec<f64>,
    step: Vec<f64>,
    /// Differences of consecutive weighted `f` and of `g`, oldest first.
    differences: VecDeque<(Vec<f64>, Vec<f64>)>,
    /// Least `|f|` since the history began.
    least: f64,
    /// True once a step lies behind.
    has_step: bool,
    /// Plain sweeps left before the next combination, and how many the next setback costs.
    pause: u32,
    next_pause: u32,
    /// `|f|` at the setback.
    setback: f64,
}

impl Anderson {
    pub(super) fn new(weights: Vec<f64>, depth: usize) -> Self {
        let n = weights.len();
        Self {
            weights,
            depth,
            start: vec![0.0; n],
            image: vec![0.0; n],
            step: vec![0.0; n],
            differences: VecDeque::new(),
            least: f64::INFINITY,
            has_step: false,
            pause: 0,
            next_pause: 1,
            setback: 0.0,
        }
    }

    /// Takes note of the impulses before a sweep.
    pub(super) fn before(&mut self, r: &[f64]) {
        self.start.copy_from_slice(r);
    }

    /// Changes the impulses after a sweep to where the next one should start; false if they stay.
    pub(super) fn after(&mut self, r: &mut [f64]) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        let step: Vec<f64> = (0..r.len())
            .map(|i| self.weights[i] * (r[i] - self.start[i]))
            .collect();
        let size = norm(&step);
        if self.has_step && size > self.least {
            // Astray: back to the latest sweep that was not, and on without help for a while.
            r.copy_from_slice(&self.image);
            self.differences.clear();
            self.has_step = false;
            if self.next_pause == 1 {
                self.setback = self.least;
            }
            self.least = f64::INFINITY;
            self.pause = self.next_pause;
            self.next_pause = (2 * self.next_pause).min(NSGS_ACCELERATION_PAUSE);
            return true;
        }
        if self.has_step {
            if self.differences.len() == self.depth {
                self.differences.pop_front();
            }
            self.differences
                .push_back((difference(&step, &self.step), difference(r, &self.image)));
        }
        self.image.copy_from_slice(r);
        self.step = step;
        self.has_step = true;
        self.least = self.least.min(size);
        if size < NSGS_ACCELERATION_GAIN * self.setback {
            self.next_pause = 1;
            self.setback = size;
        }
        let gammas = self.combination();
        for (gamma, (_, image)) in gammas.iter().zip(&self.differences) {
            for (r, image) in r.iter_mut().zip(image) {
                *r -= gamma * image;
            }
        }
        !gammas.is_empty()
    }

    /// The least-squares coefficients, by Gram and Schmidt from the newest difference on; those that
    /// add no direction get none.
    fn combination(&self) -> Vec<f64> {
        let m = self.differences.len();
        let mut rest = self.step.clone();
        let mut basis: Vec<(usize, Vec<f64>, Vec<f64>)> = Vec::with_capacity(m);
        // Row j of the triangular factor, for j in the order of the basis.
        for j in (0..m).rev() {
            let mut column = self.differences[j].0.clone();
            let before = norm(&column);
            let mut factors = Vec::with_capacity(m);
            for (_, direction, _) in &basis {
                let along = dot(direction, &column);
                subtract(&mut column, along, direction);
                factors.push(along);
            }
            let length = norm(&column);
            if length <= NSGS_RANK_TOLERANCE.sqrt() * before || length == 0.0 {
                continue;
            }
            column.iter_mut().for_each(|x| *x /= length);
            factors.push(length);
            basis.push((j, column, factors));
        }
        let mut gammas = vec![0.0; m];
        let mut targets = Vec::with_capacity(basis.len());
        for (_, direction, _) in &basis {
            let along = dot(direction, &rest);
            subtract(&mut rest, along, direction);
            targets.push(along);
        }
        // Back substitution: column k of the factor is the `factors` of basis k.
        for k in (0..basis.len()).rev() {
            let (j, _, factors) = &basis[k];
            let gamma = targets[k] / factors[k];
            gammas[*j] = gamma;
            for (target, factor) in targets.iter_mut().zip(&factors[..k]) {
                *target -= gamma * factor;
            }
        }
        gammas
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn subtract(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= factor * b;
    }
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::Anderson;

    /// An affine map of five unknowns is solved in about as many steps.
    #[test]
    fn an_affine_map_ends_in_its_fixed_point() {
        let map = |x: &[f64]| -> Vec<f64> {
            (0..5)
                .map(|i| {
                    let next = x[(i + 1) % 5];
                    0.9 * x[i] - 0.05 * i as f64 * next + 1.0
                })
                .collect()
        };
        let mut anderson = Anderson::new(vec![1.0; 5], 5);
        let mut x = vec![0.0; 5];
        for _ in 0..9 {
            anderson.before(&x);
            x = map(&x);
            anderson.after(&mut x);
        }
        let off: f64 = map(&x).iter().zip(&x).map(|(a, b)| (a - b).abs()).sum();
        assert!(off < 1e-12, "{off:e}");
    }
}
