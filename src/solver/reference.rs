//! The referee: a contact problem as a dense LCP in f64, solved by Lemke's method.
//!
//! It reads the very f32 numbers that the other backends read, widened, and solves the
//! Stewart–Trinkle problem to round-off; what the others return can be held against it. Costs grow
//! with the cube of the rows, so problems above [`REFERENCE_MAX_ROWS`] are refused.
//!
//! A problem whose biases are not negative always has a solution. One that pushes bodies apart may
//! have none; then, and only then, a changed problem is solved in its place: see [`Fallback`].

mod stewart_trinkle;
mod widened;

use self::stewart_trinkle::StewartTrinkle;
use self::widened::Widened;
use super::{Options, Report, Solution, Solver, Status, Velocity};
use crate::constants::{REFERENCE_MAX_ROWS, REFERENCE_SOFTENING};
use crate::error::{Error, Result};
use crate::lcp::lemke;
use crate::lcp::residual::Physical;
use crate::lcp::{LcpSolution, LcpStatus};
use crate::math::{self, Vec3};
use crate::problem::{FrictionCone, Problem};
use std::time::Instant;

/// What was solved in place of a problem for which no solution was found; in the order of trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// Nothing: the problem itself was solved.
    #[default]
    None,
    /// The problem with [`REFERENCE_SOFTENING`] of the diagonal added to each impulse's row.
    Softened,
    /// The problem with every negative bias set to zero: nothing is pushed apart or bounces.
    NonnegativeBias,
    /// Nothing was solved: impulses are zero and velocities those before the solve.
    Unsolved,
}

/// What impulses do to the bodies of a problem, and how far they are from solving it, in f64.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Root mean square over contacts of the natural-map residual `[m/s]` (position pass: `[m]`);
    /// see [`residual`](super::residual). NaN if a number is.
    pub residual_rms: f64,
    /// Largest natural-map residual of a contact, likewise.
    pub residual_max: f64,
    /// The conditions of contact one by one.
    pub physical: Physical,
    /// Linear and angular velocity with the impulses applied `[m/s]`, `[rad/s]`; shape
    /// `[body_count]`.
    pub velocities: Vec<(Vec3, Vec3)>,
}

/// Judges impulses `(normal, tangent 1, tangent 2)` `[N s]`, shape `[contact_count]`, of any origin.
///
/// The velocities are computed from the impulses in f64, so that what a backend lost on its way is
/// not counted against its impulses. Costs are linear in the contacts, and any cone is allowed.
///
/// # Errors
/// [`Error::Invalid`] if the problem has no meaning or there is not one impulse per contact.
pub fn judge(problem: &Problem, impulses: &[[f32; 3]]) -> Result<Verdict> {
    problem.validate()?;
    if impulses.len() != problem.contacts.len() {
        return Err(Error::invalid(
            "impulses",
            format!("{} for {} contacts", impulses.len(), problem.contacts.len()),
        ));
    }
    let impulses: Vec<_> = impulses.iter().map(|r| r.map(f64::from)).collect();
    Ok(Widened::new(problem).verdict(&impulses))
}

/// What the reference has to say beyond the [`Report`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LemkeReport {
    /// Rows of the LCP.
    pub rows: usize,
    /// Pivots of all tries.
    pub pivots: usize,
    /// What was solved.
    pub fallback: Fallback,
    /// Min-map residual of the LCP that was solved, or of the last try; dimensionless, rows being
    /// scaled to a unit diagonal and `q` to at most 1.
    pub lcp_residual: f64,
    /// Residuals in the given problem, and the velocities.
    pub verdict: Verdict,
    /// Impulse `(normal, tangent 1, tangent 2)` `[N s]`; shape `[contact_count]`. Not unique where
    /// contacts are redundant.
    pub impulses: Vec<[f64; 3]>,
}

/// The reference backend; see the [module](self).
///
/// Of the options only their validity matters: the method has no tolerance, no sweeps and no use
/// for a warm start. [`Report::iterations`] counts pivots, and [`Report::status`] is
/// * [`Status::Converged`]: the problem is solved;
/// * [`Status::Stalled`]: a changed problem is solved in its place, and [`LemkeReport::fallback`]
///   says which; the residuals are those of the given problem;
/// * [`Status::RayTermination`], [`Status::MaxIterations`]: nothing is solved; the answer is no
///   impulse at all and the velocities of the input;
/// * [`Status::NonFinite`]: numbers overflowed.
#[derive(Debug, Default)]
pub struct LemkeSolver {
    report: LemkeReport,
}

impl LemkeSolver {
    /// A solver that has solved nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Details of the latest solve.
    #[must_use]
    pub fn report(&self) -> &LemkeReport {
        &self.report
    }
}

/// Tries the problem, then what may stand in for it; returns the impulses `[N s]` as well.
fn solve_or_fall_back(contacts: &StewartTrinkle) -> (LcpSolution, Vec<[f64; 3]>, Fallback) {
    let mut fallbacks = [
        (Fallback::Softened, REFERENCE_SOFTENING, f64::NEG_INFINITY),
        (Fallback::NonnegativeBias, 0.0, 0.0),
    ]
    .into_iter();
    let mut scaled = contacts.lcp(0.0, f64::NEG_INFINITY);
    let mut solution = lemke::solve(&scaled.problem);
    let mut solved = Fallback::None;
    while !solution.is_solved() {
        let Some((fallback, softening, least_bias)) = fallbacks.next() else {
            let nothing = vec![[0.0; 3]; contacts.problem.contact_count];
            return (solution, nothing, Fallback::Unsolved);
        };
        let pivots = solution.pivots;
        scaled = contacts.lcp(softening, least_bias);
        solution = lemke::solve(&scaled.problem);
        solution.pivots += pivots;
        solved = fallback;
    }
    let impulses = contacts.impulses(&scaled, &solution.z);
    (solution, impulses, solved)
}

impl Solver for LemkeSolver {
    fn backend(&self) -> &'static str {
        "lemke"
    }

    fn solve(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        options.validate()?;
        problem.validate()?;
        if problem.friction_cone == FrictionCone::Disk
            && problem.contacts.iter().any(|c| c.friction > 0.0)
        {
            return Err(Error::invalid(
                "friction cone",
                "the Lemke reference needs a pyramid: a disk is no linear complementarity problem",
            ));
        }
        let start = Instant::now();
        let rows = stewart_trinkle::row_count(problem);
        if rows > REFERENCE_MAX_ROWS {
            return Err(Error::Capacity {
                what: "rows of the Lemke reference".into(),
                needed: rows as u64,
                available: REFERENCE_MAX_ROWS as u64,
            });
        }
        let contacts = StewartTrinkle::new(Widened::new(problem));
        let pack_time = start.elapsed();

        let (lcp, impulses, fallback) = solve_or_fall_back(&contacts);
        let verdict = contacts.problem.verdict(&impulses);
        solution.velocities.clear();
        solution
            .velocities
            .extend(verdict.velocities.iter().map(|(linear, angular)| Velocity {
                linear: math::narrow(linear),
                angular: math::narrow(angular),
            }));
        solution.impulses.clear();
        solution
            .impulses
            .extend(impulses.iter().map(|r| r.map(|x| x as f32)));
        let status = match (fallback, lcp.status) {
            _ if !solution.is_finite() || !verdict.residual_rms.is_finite() => Status::NonFinite,
            (Fallback::None, _) => Status::Converged,
            (Fallback::Softened | Fallback::NonnegativeBias, _) => Status::Stalled,
            (Fallback::Unsolved, LcpStatus::NonFinite) => Status::NonFinite,
            (Fallback::Unsolved, LcpStatus::MaxPivots) => Status::MaxIterations,
            (Fallback::Unsolved, _) => Status::RayTermination,
        };
        self.report = LemkeReport {
            rows,
            pivots: lcp.pivots,
            fallback,
            lcp_residual: lcp.residual,
            verdict,
            impulses,
        };
        Ok(Report {
            status,
            iterations: u32::try_from(self.report.pivots).unwrap_or(u32::MAX),
            residual_rms: self.report.verdict.residual_rms as f32,
            residual_max: self.report.verdict.residual_max as f32,
            pack_time,
            solve_time: start.elapsed() - pack_time,
            ..Report::default()
        })
    }
}
