//! A look at the residual among the threads of a team.

use super::contact_residual::contact_residual_part;
use super::joint_residual::joint_residual_part;
use super::parts::{SIZE, fill_parts};
use super::{CpuSolver, remainder_contacts};
use crate::parallel::Team;
use crate::problem::batches::Batches;
use crate::solver::residual::{self, Partial};

impl CpuSolver {
    /// Root mean square and largest of all residuals, `[m/s]`, or `[m]` in a position LCP.
    pub(super) fn residual(&mut self, batches: &Batches, team: &Team) -> (f32, f32) {
        let count = batches.contacts.blocks.len();
        self.residuals.resize(count, 0.0);
        let remainder = remainder_contacts(batches);
        contact_residual_part(
            batches,
            remainder.clone(),
            self.velocities.bodies(),
            &batches.contacts.impulses,
            &mut self.residuals[remainder],
        );
        self.lanes.residuals(
            &batches.friction,
            &self.velocities,
            &mut self.residuals,
            team,
        );
        self.contact_partials
            .resize(count.div_ceil(SIZE), Partial::default());
        let residuals = &self.residuals;
        fill_parts(team, &mut self.contact_partials, |first, partials| {
            for (residuals, partial) in residuals[first * SIZE..].chunks(SIZE).zip(partials) {
                *partial = residual::reduce_workgroup(residuals);
            }
        });
        self.joint_partials.resize(
            batches.joints.blocks.len().div_ceil(SIZE),
            Partial::default(),
        );
        let velocities = self.velocities.bodies();
        let impulses = &batches.joints.impulses;
        fill_parts(team, &mut self.joint_partials, |first, partials| {
            joint_residual_part(batches, first, velocities, impulses, partials);
        });
        residual::finish(
            [&self.contact_partials, &self.joint_partials],
            batches.block_count(),
        )
    }
}
