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
mod momentum;
mod progress;
mod shared_slice;
mod sweep;

pub use body_gather::{body_gather, hub_gather};
pub use contact_residual::contact_residual;
pub use contact_split::{VelocityChange, contact_split};
pub use contact_sweep::contact_sweep;
pub use joint_residual::joint_residual;
pub use joint_split::joint_split;
pub use joint_sweep::joint_sweep;
pub use momentum::{BodyMomentum, body_momentum, contact_momentum, joint_momentum};
pub use progress::{contact_progress, joint_progress};
pub use sweep::Sweep;

use super::momentum::{ContactMemory, JointMemory, Momentum, Progress, momentum_step};
use super::residual::{self, Partial};
use super::{Options, Report, Solution, Solver, Start, Status, pack};
use crate::error::Result;
use crate::problem::Problem;
use crate::problem::batches::Batches;
use std::time::Instant;

/// Every [`Method`](super::Method) on the current rayon thread pool.
///
/// Results do not depend on the number of threads.
#[derive(Debug, Default)]
pub struct CpuSolver {
    changes: Vec<VelocityChange>,
    contact_partials: Vec<Partial>,
    joint_partials: Vec<Partial>,
    momentum: Momentum,
    contact_memory: Vec<ContactMemory>,
    joint_memory: Vec<JointMemory>,
    body_memory: Vec<VelocityChange>,
    contact_sums: Vec<Progress>,
    joint_sums: Vec<Progress>,
}

impl CpuSolver {
    /// A solver with empty buffers; they grow with the problems.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One pass over all joints, then all contacts: colour after colour, then the remainder. Contacts
    /// have the last word. In reverse all of that is the other way round.
    fn sweep(&mut self, batches: &mut Batches, sweep: Sweep) {
        if sweep == Sweep::Reverse {
            self.sweep_contacts(batches, sweep);
            self.sweep_joints(batches, sweep);
        } else {
            self.sweep_joints(batches, sweep);
            self.sweep_contacts(batches, sweep);
        }
    }

    fn sweep_joints(&mut self, batches: &mut Batches, sweep: Sweep) {
        let mut velocities = std::mem::take(&mut batches.velocities);
        let mut impulses = std::mem::take(&mut batches.joints.impulses);
        let colors = batches.joints.colors.len();
        let remainder = &batches.joints.remainder;
        for batch in 0..=colors {
            match sweep.place(0, colors + 1, batch) {
                color if color < colors => {
                    joint_sweep(batches, color, sweep, &mut velocities, &mut impulses);
                }
                _ if remainder.elements.is_empty() => {}
                _ => {
                    joint_split(
                        batches,
                        sweep,
                        &velocities,
                        &mut impulses,
                        &mut self.changes,
                    );
                    body_gather(remainder, &self.changes, &mut velocities);
                    hub_gather(remainder, &self.changes, &mut velocities);
                }
            }
        }
        batches.joints.impulses = impulses;
        batches.velocities = velocities;
    }

    fn sweep_contacts(&mut self, batches: &mut Batches, sweep: Sweep) {
        let mut velocities = std::mem::take(&mut batches.velocities);
        let mut impulses = std::mem::take(&mut batches.contacts.impulses);
        let colors = batches.contacts.colors.len();
        let remainder = &batches.contacts.remainder;
        for batch in 0..=colors {
            match sweep.place(0, colors + 1, batch) {
                color if color < colors => {
                    contact_sweep(batches, color, sweep, &mut velocities, &mut impulses);
                }
                _ if remainder.elements.is_empty() => {}
                _ => {
                    contact_split(
                        batches,
                        sweep,
                        &velocities,
                        &mut impulses,
                        &mut self.changes,
                    );
                    body_gather(remainder, &self.changes, &mut velocities);
                    hub_gather(remainder, &self.changes, &mut velocities);
                }
            }
        }
        batches.contacts.impulses = impulses;
        batches.velocities = velocities;
    }

    /// No momentum yet: the memory is where the solve starts.
    fn begin(&mut self, batches: &Batches) {
        self.momentum = Momentum::default();
        self.contact_memory.clear();
        self.contact_memory
            .extend(
                batches
                    .contacts
                    .impulses
                    .iter()
                    .map(|&impulse| ContactMemory {
                        previous: impulse,
                        start: impulse,
                    }),
            );
        self.joint_memory.clear();
        self.joint_memory
            .extend(batches.joints.impulses.iter().map(|&impulse| JointMemory {
                previous: impulse,
                start: impulse,
            }));
        self.body_memory.clear();
        self.body_memory
            .extend(batches.velocities.iter().map(|velocity| VelocityChange {
                linear: velocity.linear,
                angular: velocity.angular,
                ..VelocityChange::default()
            }));
    }

    /// Momentum before a sweep.
    fn extrapolate(&mut self, batches: &mut Batches, start: Start) {
        let factor = self.momentum.factor;
        let mut part = BodyMomentum::Whole;
        if start.rebuild {
            part = BodyMomentum::BeforeRebuild;
            body_momentum(part, factor, &mut batches.velocities, &mut self.body_memory);
            self.sweep(batches, Sweep::Rebuild);
            part = BodyMomentum::AfterRebuild;
        }
        body_momentum(part, factor, &mut batches.velocities, &mut self.body_memory);
        joint_momentum(factor, &mut batches.joints.impulses, &mut self.joint_memory);
        contact_momentum(
            factor,
            &mut batches.contacts.impulses,
            &mut self.contact_memory,
        );
    }

    /// Whether momentum goes on after a sweep.
    fn judge(&mut self, batches: &Batches) {
        joint_progress(
            batches,
            &batches.joints.impulses,
            &self.joint_memory,
            &mut self.joint_sums,
        );
        contact_progress(
            batches,
            &batches.contacts.impulses,
            &self.contact_memory,
            &mut self.contact_sums,
        );
        self.momentum = momentum_step(self.momentum, &self.joint_sums, &self.contact_sums);
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
        if options.method.is_accelerated() {
            self.begin(&batches);
        }

        while report.iterations < options.iterations {
            let count = options.until_check(report.iterations);
            for done in report.iterations..report.iterations + count {
                let pass = options.method.pass(done);
                if let Some(start) = pass.start {
                    self.extrapolate(&mut batches, start);
                }
                self.sweep(&mut batches, pass.sweep);
                if pass.end {
                    self.judge(&batches);
                }
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
