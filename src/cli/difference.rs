//! How far two answers to one problem are apart.

use drystone::internals::math::{dot, sub};
use drystone::problem::{Body, Problem};
use drystone::solver::{Report, Solution, Velocity};

/// Differences of one solve, or the worst of several; each is relative and has no unit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Difference {
    /// Largest difference of a body's velocity over the largest velocity.
    pub(crate) velocity: f64,
    /// Largest difference of a contact's impulse over the largest impulse.
    pub(crate) impulse: f64,
    /// Difference of the residuals, the larger of rms and maximum, over the first answer's.
    pub(crate) residual: f64,
}

impl Difference {
    /// What `theirs` differs by from `ours`.
    pub(crate) fn between(
        problem: &Problem,
        ours: (&Solution, &Report),
        theirs: (&Solution, &Report),
    ) -> Self {
        let speed = largest(
            problem
                .bodies
                .iter()
                .zip(&ours.0.velocities)
                .map(|(body, v)| magnitude(body, v.linear, v.angular)),
        );
        let velocity = largest(
            problem
                .bodies
                .iter()
                .zip(ours.0.velocities.iter().zip(&theirs.0.velocities))
                .map(|(body, (a, b))| {
                    let change = Velocity {
                        linear: sub(b.linear, a.linear),
                        angular: sub(b.angular, a.angular),
                    };
                    magnitude(body, change.linear, change.angular)
                }),
        );
        let norm = |v: [f32; 3]| f64::from(dot(v, v)).sqrt();
        let impulse_scale = largest(ours.0.impulses.iter().map(|&r| norm(r)));
        let impulse = largest(
            ours.0
                .impulses
                .iter()
                .zip(&theirs.0.impulses)
                .map(|(&a, &b)| norm(sub(b, a))),
        );
        // Residuals below the last digits of the velocities are rounding, and differ at will.
        let rounding = f64::from(f32::EPSILON) * speed;
        let residual = |ours: f32, theirs: f32| {
            let (ours, theirs) = (f64::from(ours), f64::from(theirs));
            relative((theirs - ours).abs(), ours.max(rounding))
        };
        Self {
            velocity: relative(velocity, speed),
            impulse: relative(impulse, impulse_scale),
            residual: worst(
                residual(ours.1.residual_rms, theirs.1.residual_rms),
                residual(ours.1.residual_max, theirs.1.residual_max),
            ),
        }
    }

    /// The worst of both.
    pub(crate) fn merge(self, other: Self) -> Self {
        Self {
            velocity: worst(self.velocity, other.velocity),
            impulse: worst(self.impulse, other.impulse),
            residual: worst(self.residual, other.residual),
        }
    }
}

/// `sqrt(|v|^2 + k^2 |w|^2)` with the radius of gyration `k^2 = 3 tr(I^-1)^-1 / m^-1`, so that a
/// turning counts by the speed it gives the body's mass `[m/s]`. An immovable body counts nothing:
/// its velocity is given.
fn magnitude(body: &Body, linear: [f32; 3], angular: [f32; 3]) -> f64 {
    if !body.is_movable() {
        return 0.0;
    }
    let [xx, _, _, yy, _, zz] = body.inverse_inertia.map(f64::from);
    let trace = xx + yy + zz;
    let gyration = if trace > 0.0 {
        3.0 * f64::from(body.inverse_mass) / trace
    } else {
        0.0
    };
    let square = |v: [f32; 3]| v.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>();
    (square(linear) + gyration * square(angular)).sqrt()
}

/// 0 for two equal things of no size, infinite for a difference to nothing.
fn relative(difference: f64, scale: f64) -> f64 {
    if difference == 0.0 {
        0.0
    } else {
        difference / scale
    }
}

fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, worst)
}

/// The larger one; a NaN, which `f64::max` would hide, wins.
pub(crate) fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else {
        a.max(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> Problem {
        // A unit mass with radius of gyration 2, and an immovable body.
        Problem {
            bodies: vec![
                Body::dynamic(1.0, [0.25, 0.0, 0.0, 0.25, 0.0, 0.25], [0.0; 3], [0.0; 3]),
                Body::immovable([100.0, 0.0, 0.0], [0.0; 3]),
            ],
            ..Problem::default()
        }
    }

    fn solution(linear: f32, angular: f32, impulse: f32) -> Solution {
        Solution {
            velocities: vec![
                Velocity {
                    linear: [linear, 0.0, 0.0],
                    angular: [0.0, angular, 0.0],
                },
                Velocity {
                    linear: [100.0, 0.0, 0.0],
                    angular: [0.0; 3],
                },
            ],
            impulses: vec![[impulse, 0.0, 0.0]],
            ..Solution::default()
        }
    }

    fn report(rms: f32, max: f32) -> Report {
        Report {
            residual_rms: rms,
            residual_max: max,
            ..Report::default()
        }
    }

    #[test]
    fn turning_counts_by_the_radius_of_gyration() {
        let (ours, theirs) = (solution(3.0, 2.0, 8.0), solution(3.0, 2.5, 6.0));
        let (a, b) = (report(0.5, 1.0), report(0.5, 1.25));
        let found = Difference::between(&problem(), (&ours, &a), (&theirs, &b));
        // |v| = sqrt(9 + 4 * 4) = 5; the difference is 2 * 0.5.
        assert!((found.velocity - 0.2).abs() < 1e-12, "{found:?}");
        assert!((found.impulse - 0.25).abs() < 1e-12, "{found:?}");
        assert!((found.residual - 0.25).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn equal_answers_do_not_differ_even_at_rest() {
        let rest = solution(0.0, 0.0, 0.0);
        let none = report(0.0, 0.0);
        let found = Difference::between(&problem(), (&rest, &none), (&rest, &none));
        assert_eq!(found, Difference::default());
        let moved = solution(1e-9, 0.0, 0.0);
        let found = Difference::between(&problem(), (&rest, &none), (&moved, &none));
        assert!(found.velocity.is_infinite());
    }

    #[test]
    fn a_number_that_is_none_is_not_hidden() {
        let (ours, theirs) = (solution(1.0, 0.0, 1.0), solution(f32::NAN, 0.0, 1.0));
        let (a, b) = (report(0.1, 0.1), report(0.1, f32::NAN));
        let found = Difference::between(&problem(), (&ours, &a), (&theirs, &b));
        assert!(found.velocity.is_nan() && found.residual.is_nan());
        assert!(Difference::default().merge(found).velocity.is_nan());
    }
}
