//! One contact by itself: the impulse that solves its 3 x 3 problem while all others stay.

use super::LocalRule;
use super::cone::{Section, project_onto_cone};
use crate::constants::NSGS_LOCAL_TOLERANCE;
use nalgebra::Matrix2;

/// The diagonal block of a contact and the steps that its projections take.
#[derive(Debug, Clone, Copy)]
pub struct ContactBlock {
    /// `W_cc`, rows and columns normal, tangent 1, tangent 2 `[1/kg]`. It need not be symmetric.
    delassus: [[f64; 3]; 3],
    /// Coefficient of friction.
    pub friction: f64,
    /// `1 / W_nn` `[kg]`.
    normal_mass: f64,
    /// One over the largest eigenvalue of the tangential 2 x 2 block `[kg]`.
    tangent_mass: f64,
    /// One over the largest eigenvalue of the whole block `[kg]`.
    cone_mass: f64,
    /// `3 / tr W_cc` `[kg]`, the step of the natural map; zero if no impulse moves anything.
    pub residual_mass: f64,
}

impl ContactBlock {
    /// A block; one whose diagonal is not positive never gets an impulse.
    #[must_use]
    pub fn new(delassus: [[f64; 3]; 3], friction: f64) -> Self {
        let [[nn, ..], [_, w11, w12], [_, w21, w22]] = delassus;
        let usable = nn > 0.0 && (nn + w11 + w22).is_finite();
        let positive = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        let mean = 0.5 * (w12 + w21);
        let tangential = Matrix2::new(w11, mean, mean, w22)
            .symmetric_eigenvalues()
            .max();
        Self {
            delassus,
            friction,
            normal_mass: if usable { 1.0 / nn } else { 0.0 },
            tangent_mass: if usable { positive(tangential) } else { 0.0 },
            cone_mass: if usable {
                positive(largest_stretch(&delassus))
            } else {
                0.0
            },
            residual_mass: if usable { 3.0 / (nn + w11 + w22) } else { 0.0 },
        }
    }

    /// The same block with a velocity that a unit normal impulse leaves `[1/kg]`; the step of the natural map
    /// stays that of the rigid one.
    pub(super) fn softened(&self, softness: f64) -> Self {
        let mut delassus = self.delassus;
        delassus[0][0] += softness;
        Self {
            residual_mass: self.residual_mass,
            ..Self::new(delassus, self.friction)
        }
    }

    /// True if its impulse can change.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.residual_mass > 0.0
    }

    /// The impulse after one visit, from the impulse `r` `[N s]` and the relative velocity `u`
    /// before it `[m/s]`.
    #[must_use]
    pub fn visit(&self, r: [f64; 3], u: [f64; 3], section: &Section, rule: LocalRule) -> [f64; 3] {
        // The velocity that the contact would have without its own impulse.
        let free: [f64; 3] = std::array::from_fn(|i| u[i] - self.times(i, r));
        let repeat = |step: &dyn Fn([f64; 3]) -> [f64; 3]| {
            let mut now = r;
            for _ in 0..rule.iterations() {
                let next = step(now);
                let change = distance(next, now);
                now = next;
                if change <= NSGS_LOCAL_TOLERANCE * distance(now, [0.0; 3]) {
                    break;
                }
            }
            now
        };
        if *section == Section::Cone && self.friction > 0.0 {
            return repeat(&|r| self.cone_step(r, &free, 0.0));
        }
        match rule {
            LocalRule::Cone { .. } => repeat(&|r| self.cone_step(r, &free, self.friction)),
            LocalRule::Product { .. } | LocalRule::Adaptive { .. } => {
                if rule.iterations() > 1 && self.jams() {
                    repeat(&|r| self.careful_step(r, &free, section))
                } else {
                    repeat(&|r| self.product_step(r, &free, section))
                }
            }
        }
    }

    /// True if sliding in some direction would need an infinite impulse, or press the contact
    /// further: Painlevé's paradox, in which the contact's own problem has several solutions.
    ///
    /// To solve it fully at each visit would throw the contact from one to another, sweep by sweep.
    /// Smaller steps follow one of them.
    fn jams(&self) -> bool {
        let [[nn, n1, n2], ..] = self.delassus;
        self.friction * n1.hypot(n2) >= nn
    }

    /// The normal and the tangential rows at once, with the same step.
    fn careful_step(&self, r: [f64; 3], free: &[f64; 3], section: &Section) -> [f64; 3] {
        let rho = self.cone_mass;
        let trial: [f64; 3] = std::array::from_fn(|i| r[i] - rho * (free[i] + self.times(i, r)));
        self.admissible(trial, section)
    }

    fn times(&self, row: usize, r: [f64; 3]) -> f64 {
        let [a, b, c] = self.delassus[row];
        a * r[0] + b * r[1] + c * r[2]
    }

    /// The normal row, then both tangential rows with the radius of the new normal impulse.
    fn product_step(&self, r: [f64; 3], free: &[f64; 3], section: &Section) -> [f64; 3] {
        let mut r = r;
        let u_n = free[0] + self.times(0, r);
        r[0] = (r[0] - self.normal_mass * u_n).max(0.0);
        if self.friction > 0.0 {
            let trial = [
                r[1] - self.tangent_mass * (free[1] + self.times(1, r)),
                r[2] - self.tangent_mass * (free[2] + self.times(2, r)),
            ];
            [r[1], r[2]] = section.project(trial, self.friction * r[0]);
        } else {
            (r[1], r[2]) = (0.0, 0.0);
        }
        r
    }

    /// The projection of `r - rho (u + dilation |u_t| n)` onto the cone: De Saxcé's with mu for the
    /// dilation, that of the convex law with 0.
    fn cone_step(&self, r: [f64; 3], free: &[f64; 3], dilation: f64) -> [f64; 3] {
        let u: [f64; 3] = std::array::from_fn(|i| free[i] + self.times(i, r));
        let shifted = u[0] + dilation * u[1].hypot(u[2]);
        let rho = self.cone_mass;
        project_onto_cone(
            [r[0] - rho * shifted, r[1] - rho * u[1], r[2] - rho * u[2]],
            self.friction,
        )
    }

    /// `|r - P(r - rho u)| / rho` `[m/s]`; see `crate::solver::residual`.
    #[must_use]
    pub fn residual(&self, r: [f64; 3], u: [f64; 3], section: &Section) -> f64 {
        let rho = self.residual_mass;
        if rho == 0.0 {
            return 0.0;
        }
        let trial: [f64; 3] = std::array::from_fn(|i| r[i] - rho * u[i]);
        let projected = if self.friction > 0.0 {
            self.onto(trial, section)
        } else {
            [trial[0].max(0.0), r[1], r[2]]
        };
        // `max` turns what is not a number into zero; the difference keeps it.
        if u.iter().chain(&r).any(|x| x.is_nan()) {
            return f64::NAN;
        }
        distance(r, projected) / rho
    }

    /// The nearest admissible impulse, in the sense of the section.
    #[must_use]
    pub fn admissible(&self, r: [f64; 3], section: &Section) -> [f64; 3] {
        if !self.is_usable() {
            return [0.0; 3];
        }
        if self.friction > 0.0 {
            self.onto(r, section)
        } else {
            [r[0].max(0.0), 0.0, 0.0]
        }
    }

    /// The projection that the law claims: onto the cone at once, or the normal part first.
    fn onto(&self, r: [f64; 3], section: &Section) -> [f64; 3] {
        if *section == Section::Cone {
            return project_onto_cone(r, self.friction);
        }
        let normal = r[0].max(0.0);
        let [t1, t2] = section.project([r[1], r[2]], self.friction * normal);
        [normal, t1, t2]
    }
}

/// Length of `a - b`.
fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1]).hypot(a[2] - b[2])
}

/// The largest eigenvalue of the symmetric part.
fn largest_stretch(w: &[[f64; 3]; 3]) -> f64 {
    let mean = |i: usize, j: usize| 0.5 * (w[i][j] + w[j][i]);
    nalgebra::Matrix3::from_fn(mean)
        .symmetric_eigenvalues()
        .max()
}
