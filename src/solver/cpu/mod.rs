//! The CPU backend: rayon over the same batches, with the same kernels, as the GPU's.

mod body_gather;
mod contact;
mod contact_residual;
mod contact_split;
mod contact_sweep;
mod joint;
mod joint_residual;
mod joint_split;
mod joint_sweep;
mod shared_slice;

pub use body_gather::{body_gather, hub_gather};
pub use contact_residual::contact_residual;
pub use contact_split::{VelocityChange, contact_split};
pub use contact_sweep::contact_sweep;
pub use joint_residual::joint_residual;
pub use joint_split::joint_split;
pub use joint_sweep::joint_sweep;

use super::residual::{self, Partial};
use super::{Options, Report, Solution, Solver, Status, pack};
use crate::error::Result;
use crate::problem::Problem;
use crate::problem::batches::Batches;
use std::time::Instant;

/// Projected Gauss–Seidel and mass-split Jacobi on the current rayon thread pool.
///
/// Results do not depend on the number of threads.
#[derive(Debug, Default)]
pub struct CpuSolver {
    changes: Vec<VelocityChange>,
    contact_partials: Vec<Partial>,
    joint_partials: Vec<Partial>,
}

impl CpuSolver {
    /// A solver with empty buffers; they grow with the problems.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One pass over all joints, then all contacts: colour after colour, then the remainder. Contacts
    /// have the last word.
    fn sweep(&mut self, batches: &mut Batches) {
        let mut velocities = std::mem::take(&mut batches.velocities);

        let mut impulses = std::mem::take(&mut batches.joints.impulses);
        for color in 0..batches.joints.colors.len() {
            joint_sweep(batches, color, &mut velocities, &mut impulses);
        }
        let remainder = &batches.joints.remainder;
        if !remainder.elements.is_empty() {
            joint_split(batches, &velocities, &mut impulses, &mut self.changes);
            body_gather(remainder, &self.changes, &mut velocities);
            hub_gather(remainder, &self.changes, &mut velocities);
        }
        batches.joints.impulses = impulses;

        let mut impulses = std::mem::take(&mut batches.contacts.impulses);
        for color in 0..batches.contacts.colors.len() {
            contact_sweep(batches, color, &mut velocities, &mut impulses);
        }
        let remainder = &batches.contacts.remainder;
        if !remainder.elements.is_empty() {
            contact_split(batches, &velocities, &mut impulses, &mut self.changes);
            body_gather(remainder, &self.changes, &mut velocities);
            hub_gather(remainder, &self.changes, &mut velocities);
        }
        batches.contacts.impulses = impulses;

        batches.velocities = velocities;
    }

    fn solve_inside_pool(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        let (mut batches, mut report) = pack(problem, options);
        let packed = Instant::now();
        self.changes.clear();
        self.changes
            .resize(batches.slot_count() as usize, VelocityChange::default());

        while report.iterations < options.iterations {
            let count = options.until_check(report.iterations);
            for _ in 0..count {
                self.sweep(&mut batches);
            }
            report.iterations += count;
            (report.residual_rms, report.residual_max) = self.residual(&batches);
            report.status = Status::after(&report, options);
            if report.status != Status::MaxIterations {
                break;
            }
        }
        solution.take_from(problem, &batches);
        if !solution.is_finite() {
            report.status = Status::NonFinite;
        }
        report.solve_time = packed.elapsed();
        Ok(report)
    }

    fn residual(&mut self, batches: &Batches) -> (f32, f32) {
        contact_residual(
            batches,
            &batches.velocities,
            &batches.contacts.impulses,
            &mut self.contact_partials,
        );
        joint_residual(
            batches,
            &batches.velocities,
            &batches.joints.impulses,
            &mut self.joint_partials,
        );
        residual::finish(
            [&self.contact_partials, &self.joint_partials],
            batches.block_count(),
        )
    }
}

impl Solver for CpuSolver {
    fn backend(&self) -> &'static str {
        "cpu"
    }

    fn solve(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        options.validate()?;
        problem.validate()?;
        // Enter the thread pool once: from outside of it, every parallel loop would hand its work
        // over and wait, which costs more than the sweep of a small colour.
        rayon::scope(|_| self.solve_inside_pool(problem, options, solution))
    }
}
