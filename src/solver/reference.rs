//! The referee: a problem as a dense mixed LCP in f64, solved by Lemke's method.
//!
//! It reads the very f32 numbers that the other backends read, widened, and solves contacts,
//! polygonal friction and joints in one mixed problem (Cline and Pai 2003, eq. 8) to round-off; what
//! the others return can be held against it. An answer counts by its residual in that mixed problem
//! and by nothing else. Costs grow with the cube of the rows, so problems above
//! `REFERENCE_MAX_ROWS` or `REFERENCE_MAX_EQUALITIES` are refused.
//!
//! A problem whose biases are not negative always has a solution. One that pushes bodies apart may
//! have none; then, and only then, a changed problem is solved in its place: see [`Fallback`].

mod joint;
mod mixed_residual;
mod relaxed;
mod row;
mod stewart_trinkle;
mod verdict;
mod widened;

pub use self::mixed_residual::MixedResidual;
pub use self::relaxed::{RelaxedReport, RelaxedSolver};
pub use self::verdict::Verdict;
pub use self::widened::judge;
pub use super::in_substeps::{in_substeps, in_substeps_watched};
pub use super::residual::Norms;

use self::stewart_trinkle::StewartTrinkle;
use self::widened::Widened;
use super::nsgs::{self, Impulses, NsgsOptions};
use super::one_by_one::{Found, OneByOne};
use super::{Options, Report, Status};
use crate::constants::{
    LCP_TOLERANCE, REFERENCE_CONTRADICTION, REFERENCE_MAX_EQUALITIES, REFERENCE_MAX_ROWS,
    REFERENCE_SOFTENING, REFERENCE_SWEEPS,
};
use crate::error::{Error, Result};
use crate::lcp::LcpStatus;
use crate::lcp::reduction::Reduction;
use crate::problem::{FrictionCone, ProblemRef};
use std::time::Instant;

/// Largest residual of a solved mixed problem: [`LCP_TOLERANCE`] times `1 + max |q|` as for every LCP,
/// no data of its rows exceeding 1.
const MIXED_TOLERANCE: f64 = LCP_TOLERANCE * 2.0;

/// What was done for a problem that pivoting did not solve; in the order of trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fallback {
    /// Nothing: the problem itself was solved.
    #[default]
    None,
    /// Nothing, but pivoting failed: block Gauss–Seidel ([`nsgs`]) went on from the best point that
    /// it had found, or from rest, and solved the problem itself.
    GaussSeidel,
    /// The problem with `REFERENCE_SOFTENING` of the diagonal added to each impulse's row.
    Softened,
    /// The problem with every negative bias of a contact or limit set to zero: nothing is pushed
    /// apart or bounces.
    NonnegativeBias,
    /// Nothing was solved: impulses are zero and velocities those before the solve.
    Unsolved,
}

/// What the reference has to say beyond the [`Report`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LemkeReport {
    /// Complementarity rows, after the equalities are eliminated.
    pub rows: usize,
    /// Joint rows that are equalities.
    pub equalities: usize,
    /// Pivots of all tries.
    pub pivots: usize,
    /// What was solved.
    pub fallback: Fallback,
    /// Residual in the mixed problem that was solved, or the least of the last tries.
    pub mixed: MixedResidual,
    /// Part of [`MixedResidual::equality`] that no impulse can change: how far the joints contradict
    /// each other. Of a solved problem, the rounding of its f32 rows at most.
    pub contradiction: f64,
    /// Residuals in the given problem, and the velocities.
    pub verdict: Verdict,
    /// Impulse `(normal, tangent 1, tangent 2)` `[N s]`; shape `[contact_count]`. Not unique where
    /// contacts are redundant.
    pub impulses: Vec<[f64; 3]>,
    /// Impulse of each joint row `[N s]` or `[N m s]`; shape `[joint_row_count]`. Likewise.
    pub joint_impulses: Vec<f64>,
}

/// The reference backend; see the [module](self).
///
/// Of the options only their validity matters: the method has no tolerance, no sweeps and no use
/// for a warm start. [`Report::iterations`] counts pivots, and [`Report::status`] is
/// * [`Status::Converged`]: the problem is solved, if need be by [`Fallback::GaussSeidel`];
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

/// The end of the pivoting of one problem: its solution, or the best point that was found.
struct Pivoted {
    status: LcpStatus,
    pivots: usize,
    mixed: MixedResidual,
    contradiction: f64,
    impulses: Impulses,
}

impl Pivoted {
    /// Lemke's method on a problem, accepted by the residual of the mixed problem.
    fn solve(problem: &Widened) -> Self {
        let system = StewartTrinkle::new(problem);
        let reduction = Reduction::new(&system.mixed);
        let rounding =
            REFERENCE_CONTRADICTION * mixed_residual::equality_terms(problem, system.unit);
        let mut best: Option<Self> = None;
        let (status, pivots) = reduction.solve_until(|x, z| {
            let impulses = system.impulses(x, z);
            let mixed = mixed_residual::of(problem, system.unit, &impulses);
            let equality = reduction.equality(x, z);
            let contradiction = reduction.contradiction(&equality);
            let point = Self {
                status: LcpStatus::Solved,
                pivots: 0,
                mixed,
                contradiction: contradiction.amax(),
                impulses,
            };
            let solvable = (equality - contradiction).amax();
            let is_solved = mixed.max() <= MIXED_TOLERANCE
                || mixed.complementarity() <= MIXED_TOLERANCE
                    && solvable <= MIXED_TOLERANCE
                    && point.contradiction <= rounding;
            if is_solved
                || best
                    .as_ref()
                    .is_none_or(|best| mixed.max() < best.mixed.max())
            {
                best = Some(point);
            }
            is_solved
        });
        let mut best = best.unwrap_or_else(|| Self {
            status,
            pivots,
            mixed: MixedResidual::default(),
            contradiction: 0.0,
            impulses: problem.no_impulses(),
        });
        best.status = status;
        best.pivots = pivots;
        best
    }

    /// Goes on by sweeps from `start`; true if they solve the problem, whose answer this then is.
    fn sweep(
        &mut self,
        problem: &ProblemRef<'_>,
        widened: &Widened,
        start: &Impulses,
    ) -> Result<bool> {
        let options = NsgsOptions {
            iterations: REFERENCE_SWEEPS,
            ..NsgsOptions::default()
        };
        let impulses = nsgs::solve_from(problem, start, &options)?.impulses;
        let mixed = mixed_residual::of(widened, mixed_residual::unit(widened), &impulses);
        let is_solved = mixed.max() <= MIXED_TOLERANCE;
        if is_solved {
            self.mixed = mixed;
            self.contradiction = 0.0;
            self.impulses = impulses;
        }
        Ok(is_solved)
    }
}

/// Tries the problem, then what may stand in for it.
fn solve_or_fall_back(problem: &ProblemRef<'_>, widened: &Widened) -> Result<(Pivoted, Fallback)> {
    let mut pivoted = Pivoted::solve(widened);
    if pivoted.status == LcpStatus::Solved {
        return Ok((pivoted, Fallback::None));
    }
    for start in [pivoted.impulses.clone(), widened.no_impulses()] {
        if pivoted.sweep(problem, widened, &start)? {
            return Ok((pivoted, Fallback::GaussSeidel));
        }
    }
    for fallback in [Fallback::Softened, Fallback::NonnegativeBias] {
        let changed = if fallback == Fallback::Softened {
            widened.softened(REFERENCE_SOFTENING)
        } else {
            widened.without_push()
        };
        let pivots = pivoted.pivots;
        pivoted = Pivoted::solve(&changed);
        pivoted.pivots += pivots;
        if pivoted.status == LcpStatus::Solved {
            return Ok((pivoted, fallback));
        }
    }
    pivoted.impulses = widened.no_impulses();
    Ok((pivoted, Fallback::Unsolved))
}

/// Refuses what is no mixed LCP, or too large a one.
fn refuse(problem: &ProblemRef<'_>) -> Result<(usize, usize)> {
    if problem.friction_cone == FrictionCone::Disk
        && problem.contacts.iter().any(|c| c.friction > 0.0)
    {
        return Err(Error::invalid(
            "friction cone",
            "the Lemke reference needs a pyramid, since a disk is no linear complementarity \
             problem: set friction = { pyramid = 8 } under [solver] in a scene, or \
             Problem::friction_cone in a program",
        ));
    }
    let (equalities, rows) = stewart_trinkle::row_counts(problem);
    for (what, needed, available) in [
        ("complementarity rows", rows, REFERENCE_MAX_ROWS),
        (
            "equality rows of joints",
            equalities,
            REFERENCE_MAX_EQUALITIES,
        ),
    ] {
        if needed > available {
            return Err(Error::Capacity {
                what: format!("{what} of the Lemke reference (--backend cpu has no limit)"),
                needed: needed as u64,
                available: available as u64,
            });
        }
    }
    Ok((equalities, rows))
}

impl OneByOne for LemkeSolver {
    const BACKEND: &'static str = "lemke";

    fn find(&mut self, problem: &ProblemRef<'_>, _: &Options) -> Result<Found<'_>> {
        let (equalities, rows) = refuse(problem)?;
        let start = Instant::now();
        let widened = Widened::new(problem);
        let pack_time = start.elapsed();

        let (pivoted, fallback) = solve_or_fall_back(problem, &widened)?;
        let status = match (fallback, pivoted.status) {
            (Fallback::None | Fallback::GaussSeidel, _) => Status::Converged,
            (Fallback::Softened | Fallback::NonnegativeBias, _) => Status::Stalled,
            (Fallback::Unsolved, LcpStatus::NonFinite) => Status::NonFinite,
            (Fallback::Unsolved, LcpStatus::MaxPivots) => Status::MaxIterations,
            (Fallback::Unsolved, _) => Status::RayTermination,
        };
        self.report = LemkeReport {
            rows,
            equalities,
            pivots: pivoted.pivots,
            fallback,
            mixed: pivoted.mixed,
            contradiction: pivoted.contradiction,
            verdict: widened.verdict(&pivoted.impulses),
            impulses: pivoted.impulses.contacts,
            joint_impulses: pivoted.impulses.joint_rows,
        };
        let report = Report {
            status,
            iterations: u32::try_from(self.report.pivots).unwrap_or(u32::MAX),
            pack_time,
            ..Report::default()
        };
        let found = &self.report;
        Ok(found
            .verdict
            .found(report, &found.impulses, &found.joint_impulses))
    }
}
