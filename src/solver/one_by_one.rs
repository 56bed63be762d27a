//! Solvers of one problem at a time, in f64: what they have in common.

use super::in_substeps::in_substeps;
use super::substeps::SubstepReport;
use super::{Method, Options, Plan, Report, Solution, Solver, Status, Velocity};
use crate::error::Result;
use crate::math::{self, Vec3};
use crate::problem::{AsProblem, ProblemRef};
use std::time::Instant;

/// A solver of one problem at a time. To it, a step in substeps is one problem after the other.
pub(super) trait OneByOne: Send {
    /// Name of the backend.
    const BACKEND: &'static str;

    /// Solves a problem; options and problem are valid.
    fn find(&mut self, problem: &ProblemRef<'_>, options: &Options) -> Result<Found<'_>>;
}

/// Answer to a problem.
pub(super) struct Found<'a> {
    /// But for residuals and the time to solve, and with the status of finite numbers.
    pub(super) report: Report,
    /// Root mean square and largest of all residuals `[m/s]`.
    pub(super) residual: [f64; 2],
    /// `(normal, tangent 1, tangent 2)` of each contact `[N s]`.
    pub(super) impulses: &'a [[f64; 3]],
    /// Of each joint row `[N s]` or `[N m s]`.
    pub(super) joint_impulses: &'a [f64],
    /// Linear and angular velocity of each body `[m/s]`, `[rad/s]`.
    pub(super) velocities: &'a [(Vec3, Vec3)],
    /// Change of it by the impulses.
    pub(super) changes: &'a [(Vec3, Vec3)],
}

impl<S: OneByOne> Solver for S {
    fn backend(&self) -> &'static str {
        S::BACKEND
    }

    fn sweeps_by(&self, _: Method) -> Method {
        Method::GaussSeidel
    }

    fn attempt(
        &mut self,
        problem: &dyn AsProblem,
        plan: &Plan,
        solution: &mut Solution,
    ) -> Result<SubstepReport> {
        let problem = &problem.as_problem();
        let options = match plan {
            Plan::Once(options) => options,
            Plan::Substeps(plan) => return in_substeps(self, problem, plan, solution),
        };
        options.validate()?;
        problem.validate()?;
        let start = Instant::now();
        let found = self.find(problem, options)?;
        found.write(solution);
        let [rms, max] = found.residual;
        let is_finite = solution.is_finite() && rms.is_finite();
        let report = Report {
            status: if is_finite {
                found.report.status
            } else {
                Status::NonFinite
            },
            residual_rms: rms as f32,
            residual_max: max as f32,
            solve_time: start.elapsed() - found.report.pack_time,
            ..found.report
        };
        Ok(report.into())
    }
}

impl Found<'_> {
    /// Hands it over in the numbers of a solution.
    fn write(&self, solution: &mut Solution) {
        solution.forget_substeps();
        for (to, from) in [
            (&mut solution.velocities, self.velocities),
            (&mut solution.changes, self.changes),
        ] {
            to.clear();
            to.extend(from.iter().map(|(linear, angular)| Velocity {
                linear: math::narrow(linear),
                angular: math::narrow(angular),
            }));
        }
        solution.impulses.clear();
        let impulses = self.impulses.iter().map(|r| r.map(|x| x as f32));
        solution.impulses.extend(impulses);
        solution.joint_impulses.clear();
        let joint_impulses = self.joint_impulses.iter().map(|&r| r as f32);
        solution.joint_impulses.extend(joint_impulses);
    }
}
