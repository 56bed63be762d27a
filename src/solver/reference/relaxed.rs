//! The relaxed quadratic program of a step, and the fixed point at which it is the step itself.
//!
//! Hart's program (eq. 16) has the slip speed `gam` of each contact as a variable beside the velocities,
//!
//! ```text
//! min V^T M V / 2 + q^T V   such that   n V + c + Delta - mu gam >= 0,   d_k V + gam >= 0,   gam >= 0,   nu V + c = 0,
//! ```
//!
//! with c the bias of a row. It is convex, and its optimality conditions are the complementarity problem of Stewart and Trinkle with
//! `mu gam` taken off the normal rows (eq. 15): a monotone one, which Lemke's method always solves if it has a solution. With
//! `Delta = 0` a contact that slides opens at `mu` times its slip. At the fixed point `Delta = mu gam` that is undone, and the solution is
//! one of Stewart and Trinkle's problem (Anitescu and Hart, "A fixed-point iteration approach for multibody dynamics with contact and small
//! friction", 2004, who show that it is reached where friction is small).

use super::refuse;
use super::stewart_trinkle::StewartTrinkle;
use super::verdict::Verdict;
use super::widened::Widened;
use crate::error::Result;
use crate::lcp::LcpStatus;
use crate::lcp::reduction::Reduction;
use crate::problem::ProblemRef;
use crate::solver::one_by_one::{Found, OneByOne};
use crate::solver::{Options, Report, Status};

/// Details of a relaxed solve beyond the [`Report`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RelaxedReport {
    /// Largest change of Delta in each program but the first `[m/s]`: how fast the iteration converges.
    pub changes: Vec<f64>,
    /// Slip speed of each contact in the last program `[m/s]`, shape `[contact_count]`.
    pub slips: Vec<f64>,
    /// Impulse `(normal, tangent 1, tangent 2)` of each contact `[N s]`, shape `[contact_count]`.
    pub impulses: Vec<[f64; 3]>,
    /// Velocities, and residuals in the given problem, which Coulomb's law has and the relaxed program has not.
    pub verdict: Verdict,
}

/// Solves a problem with polygonal friction as the relaxed program; see the head of its file.
///
/// [`Report::iterations`] counts pivots. [`Report::status`] is [`Status::Converged`] if the program was solved, and where the
/// fixed point was sought, if it was found to the tolerance of the options `[m/s]`; [`Status::MaxIterations`] if it was not, and
/// [`Status::RayTermination`] if there is no solution: impulses are then zero.
#[derive(Debug)]
pub struct RelaxedSolver {
    programs: u32,
    report: RelaxedReport,
    joint_impulses: Vec<f64>,
}

impl RelaxedSolver {
    /// One program a problem, with `Delta = 0`.
    #[must_use]
    pub fn once() -> Self {
        Self::to_fixed_point(1)
    }

    /// Programs until Delta has settled, at most so many, and at least one.
    #[must_use]
    pub fn to_fixed_point(programs: u32) -> Self {
        Self {
            programs: programs.max(1),
            report: RelaxedReport::default(),
            joint_impulses: Vec::new(),
        }
    }

    /// Details of the latest solve.
    #[must_use]
    pub fn report(&self) -> &RelaxedReport {
        &self.report
    }
}

impl OneByOne for RelaxedSolver {
    const BACKEND: &'static str = "relaxed";

    fn find(&mut self, problem: &ProblemRef<'_>, options: &Options) -> Result<Found<'_>> {
        refuse(problem)?;
        let widened = Widened::new(problem);
        let mut added = vec![0.0; widened.points.len()];
        let mut slips = added.clone();
        let mut impulses = widened.no_impulses();
        let mut changes = Vec::new();
        let mut pivots = 0;
        let mut status = Status::MaxIterations;
        for program in 0..self.programs {
            let system = StewartTrinkle::relaxed(&widened, &added);
            let solved = Reduction::new(&system.mixed).solve();
            pivots += solved.complementarity.pivots;
            if !solved.complementarity.is_solved() {
                impulses = widened.no_impulses();
                status = match solved.complementarity.status {
                    LcpStatus::NonFinite => Status::NonFinite,
                    _ => Status::RayTermination,
                };
                break;
            }
            impulses = system.impulses(&solved.x, &solved.complementarity.z);
            slips = system.slips(&solved.complementarity.z);
            if self.programs == 1 {
                status = Status::Converged;
                break;
            }
            let next: Vec<f64> = widened
                .points
                .iter()
                .zip(&slips)
                .map(|(point, slip)| point.friction * slip)
                .collect();
            let both = next.iter().zip(&added);
            let change = both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if program > 0 {
                changes.push(change);
            }
            added = next;
            if change <= f64::from(options.tolerance) {
                status = Status::Converged;
                break;
            }
        }
        let mut of_contacts = vec![0.0; problem.contacts.len()];
        for (point, slip) in widened.points.iter().zip(&slips) {
            of_contacts[point.contact] = *slip;
        }
        self.report = RelaxedReport {
            changes,
            slips: of_contacts,
            verdict: widened.verdict(&impulses),
            impulses: impulses.contacts,
        };
        self.joint_impulses = impulses.joint_rows;
        let report = Report {
            status,
            iterations: u32::try_from(pivots).unwrap_or(u32::MAX),
            ..Report::default()
        };
        let found = &self.report;
        Ok(found
            .verdict
            .found(report, &found.impulses, &self.joint_impulses))
    }
}
