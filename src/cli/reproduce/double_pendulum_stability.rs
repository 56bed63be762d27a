//! Spectral radii of one step of a linearized double pendulum, implicit and after Baumgarte.
//!
//! State `(q, dq/dt)` of two unit masses on unit links, in Cartesian coordinates, no force but that
//! of the constraints, linearized about the position in one line, where the constraints' Jacobian is
//! `B` (eq. 24). With `P = M^-1 B^T (B M^-1 B^T)^-1 B`, the part of the motion that the constraints
//! forbid, a step multiplies the state by
//!
//! ```text
//! X      = [ 1 - P             h (1 - P)         ]      (eq. 19)
//!          [ -P / h            1 - P             ]
//! Lambda = [ 1 - h^2 beta^2 P  h (1 - 2 h alpha P) ]    (eq. 22)
//!          [ -h beta^2 P       1 - 2 h alpha P     ]
//! ```
//!
//! Source: Hong, Welch, Trapp and Choi 2006, section 3.

use super::experiment::{Context, Experiment};
use super::outcome::{Expected, Outcome};
use crate::experiments::curve::{Curve, largest, least};
use crate::plot::{Axis, Plot, Series};
use drystone::{Error, Result};
use nalgebra::{DMatrix, SMatrix};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "double_pendulum_stability",
    title: "Spectral radii of a double pendulum's step, implicit and after Baumgarte",
    source: "Hong, Welch, Trapp, Choi 2006, section 3, eqs 19, 22 and 24",
    run,
};

/// Coordinates of the two masses.
const COORDINATES: usize = 4;
/// A spectral radius above 1 by no more than this counts as 1. Eigenvalue 1 is defective, so that
/// round-off moves it by its square root.
const UNIT_CIRCLE: f64 = 1e-6;
/// Steps of the sweep over h `[s]`, and its ends.
const SAMPLES: usize = 400;
const LEAST_STEP: f64 = 1e-3;
const LARGEST_STEP: f64 = 1.0;
/// Gain of the fixed choice of parameters, alpha and beta `[1/s]`.
const GAIN: f64 = 10.0;

type Square = SMatrix<f64, COORDINATES, COORDINATES>;

fn run(_: &Context) -> Result<Outcome> {
    let forbidden = forbidden_motion()?;
    let steps = steps();
    let radii = |matrix: &dyn Fn(f64) -> DMatrix<f64>| -> Curve {
        let radius = |&h: &f64| (h, spectral_radius(&matrix(h)));
        steps.iter().map(radius).collect()
    };
    let implicit = radii(&|h| implicit(&forbidden, h));
    let fixed = radii(&|h| baumgarte(&forbidden, h, GAIN, GAIN));
    let critical = radii(&|h| baumgarte(&forbidden, h, 1.0 / h, 1.0 / h));
    let equivalent = radii(&|h| baumgarte(&forbidden, h, 0.5 / h, 1.0 / h));

    let mut outcome = Outcome::default();
    outcome.published_row(
        "implicit: largest spectral radius, h from 1 ms to 1 s",
        "",
        "≤ 1",
        Expected::near(1.0, UNIT_CIRCLE),
        largest(&implicit),
    );
    outcome.published_row(
        "Baumgarte, alpha = beta = 10: largest stable step",
        "s",
        "0.83",
        Expected::near((8.0_f64.sqrt() - 2.0) / GAIN, 1e-5),
        stability_limit(|h| spectral_radius(&baumgarte(&forbidden, h, GAIN, GAIN))),
    );
    outcome.row(
        "Baumgarte, alpha = beta = 1: largest stable step",
        "s",
        Expected::near(8.0_f64.sqrt() - 2.0, 1e-5),
        stability_limit(|h| spectral_radius(&baumgarte(&forbidden, h, 1.0, 1.0))),
    );
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    for (name, radius) in [("least", least(&critical)), ("largest", largest(&critical))] {
        outcome.published_row(
            format!("Baumgarte, alpha = beta = 1/h: {name} spectral radius"),
            "",
            "unstable",
            Expected::near(golden, UNIT_CIRCLE),
            radius,
        );
    }
    outcome.published_row(
        "Baumgarte, alpha = 1/(2h), beta = 1/h: largest difference from the implicit matrix",
        "",
        "same radius",
        Expected::at_most(1e-12),
        steps.iter().fold(0.0, |worst: f64, &h| {
            let difference =
                baumgarte(&forbidden, h, 0.5 / h, 1.0 / h) - self::implicit(&forbidden, h);
            // Rows of velocities are scaled to those of positions.
            worst.max(difference.amax() * h.min(1.0))
        }),
    );
    outcome.row(
        "implicit: growth of |X^k| from k = 1000 to 2000, h = 0.1 s",
        "",
        Expected::percent(2.0, 1.0),
        growth(&self::implicit(&forbidden, 0.1), 1000),
    );
    outcome.row(
        "implicit: independent eigenvectors of the fourfold eigenvalue 1",
        "",
        Expected::near(2.0, 0.0),
        eigenvectors_of_one(&self::implicit(&forbidden, 0.1)) as f64,
    );
    outcome.note(
        "The paper prints 0.83 as the limit for alpha = beta = 10. That is the limit for \
         alpha = beta = 1; both follow from (beta h)^2 + 4 alpha h = 4. It is a slip of a factor 10.",
    );
    outcome.note(
        "Eigenvalue 1 is defective, so that the powers of X grow in proportion to their number: this \
         is the free motion, which no force slows. A spectral radius of 1 alone would not bound it.",
    );
    outcome.plots.push(Plot {
        name: "spectral_radius",
        title: "Spectral radius of a step".into(),
        x: Axis::logarithmic("time step h [s]"),
        y: Axis::linear("spectral radius [1]").within(0.9, 2.5),
        series: vec![
            Series::new("implicit", implicit).broad(),
            Series::new("alpha = beta = 10 1/s", fixed),
            Series::new("alpha = beta = 1/h", critical),
            Series::new("alpha = 1/(2h), beta = 1/h", equivalent),
        ],
        seen: "The implicit step stays on 1 at every h, and so does Baumgarte's with alpha = 1/(2h), \
               beta = 1/h, whose curve lies on it. With fixed parameters the radius leaves 1 at \
               h = 0.0828 s; with alpha = beta = 1/h it is the golden ratio throughout. The axis is \
               cut off at 2.5."
            .into(),
    });
    Ok(outcome)
}

/// `P`, with the mass matrix of unit masses.
fn forbidden_motion() -> Result<Square> {
    let jacobian = SMatrix::<f64, 2, COORDINATES>::from_row_slice(&[
        2.0, 0.0, 0.0, 0.0, //
        -2.0, 0.0, 2.0, 0.0,
    ]);
    let inverse = (jacobian * jacobian.transpose())
        .try_inverse()
        .ok_or_else(|| Error::invalid("constraints", "they are not independent"))?;
    Ok(jacobian.transpose() * inverse * jacobian)
}

/// Equation 19.
fn implicit(forbidden: &Square, h: f64) -> DMatrix<f64> {
    let free = Square::identity() - forbidden;
    blocks(&free, &(h * free), &(-forbidden / h), &free)
}

/// Equation 22; `alpha` and `beta` in 1/s.
fn baumgarte(forbidden: &Square, h: f64, alpha: f64, beta: f64) -> DMatrix<f64> {
    let one = Square::identity();
    let damped = one - 2.0 * h * alpha * forbidden;
    blocks(
        &(one - (h * beta).powi(2) * forbidden),
        &(h * damped),
        &(-h * beta.powi(2) * forbidden),
        &damped,
    )
}

fn blocks(
    top_left: &Square,
    top_right: &Square,
    low_left: &Square,
    low_right: &Square,
) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(2 * COORDINATES, 2 * COORDINATES);
    let size = (COORDINATES, COORDINATES);
    matrix.view_mut((0, 0), size).copy_from(top_left);
    matrix.view_mut((0, COORDINATES), size).copy_from(top_right);
    matrix.view_mut((COORDINATES, 0), size).copy_from(low_left);
    matrix
        .view_mut((COORDINATES, COORDINATES), size)
        .copy_from(low_right);
    matrix
}

/// Largest modulus of an eigenvalue.
fn spectral_radius(matrix: &DMatrix<f64>) -> f64 {
    let eigenvalues = matrix.complex_eigenvalues();
    eigenvalues
        .iter()
        .map(|value| value.norm())
        .fold(0.0, f64::max)
}

/// The step at which the spectral radius leaves 1, by bisection.
fn stability_limit(radius: impl Fn(f64) -> f64) -> f64 {
    let (mut stable, mut unstable) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (stable + unstable);
        if radius(middle) <= 1.0 + UNIT_CIRCLE {
            stable = middle;
        } else {
            unstable = middle;
        }
    }
    stable
}

/// `|X^2k| / |X^k|`.
fn growth(matrix: &DMatrix<f64>, power: u32) -> f64 {
    let first = matrix.pow(power);
    (&first * &first).norm() / first.norm()
}

/// Dimension of the null space of `X - 1`.
fn eigenvectors_of_one(matrix: &DMatrix<f64>) -> usize {
    let size = matrix.nrows();
    let rest = matrix - DMatrix::identity(size, size);
    size - rest.rank(UNIT_CIRCLE)
}

/// Steps at which the radii are drawn, evenly spaced on a logarithmic axis `[s]`.
fn steps() -> Vec<f64> {
    let ratio = LARGEST_STEP / LEAST_STEP;
    (0..=SAMPLES)
        .map(|i| LEAST_STEP * ratio.powf(i as f64 / SAMPLES as f64))
        .collect()
}
