//! Solving a part of a step: as one problem, or in substeps through frozen geometry.

use super::joints::Correction;
use super::{Simulation, integrate, substeps, velocity};
use crate::error::{Error, Result};
use crate::math;
use crate::measure::{Energy, JointErrors};
use crate::solver::substeps::{SubstepPlan, SubstepReport};
use crate::solver::{self, Report, Status};
use crate::stabilize::Scheme;
use std::time::{Duration, Instant};

/// Reports of the solvers of a step.
#[derive(Default)]
pub(super) struct Solved {
    pub(super) velocity: Report,
    pub(super) position: Option<Report>,
    pub(super) broken_joints: usize,
    pub(super) joints_before_post: JointErrors,
    /// At the end of the step, where it is known.
    pub(super) energy: Option<Energy>,
}

impl Solved {
    /// The outcome of two parts of a step.
    pub(super) fn followed_by(&self, later: Self) -> Self {
        let mut report = SubstepReport::default();
        report.add_velocity(&self.velocity);
        report.add_velocity(&later.velocity);
        Self {
            velocity: report.worst_velocity(),
            position: match (&self.position, later.position) {
                (Some(before), Some(later)) => Some(before.followed_by(&later)),
                (before, later) => later.or(*before),
            },
            ..later
        }
    }
}

impl Simulation {
    /// By what impulses that are remembered are multiplied in a problem that stands for so long `[s]`: forces
    /// last, not impulses.
    fn impulse_scale(&mut self, length: f64) -> f32 {
        let last = std::mem::replace(&mut self.impulse_length, length);
        if last > 0.0 {
            (length / last) as f32
        } else {
            1.0
        }
    }

    fn plan(&self, h: f64, substeps: u32) -> SubstepPlan {
        let plan = substeps::plan(
            &self.settings,
            (h, substeps),
            self.sweeps,
            self.world.gravity.norm(),
            self.position.smallest_radius(),
        );
        SubstepPlan {
            velocity: self.velocity_options(),
            ..plan
        }
    }

    /// How the velocity LCP of this step is solved, or that of each substep.
    fn velocity_options(&self) -> solver::Options {
        let given = self.settings.solver;
        solver::Options {
            iterations: given.iterations.max(self.division.sweeps),
            ..given
        }
    }

    fn solve_velocities(&mut self, h: f64) -> Result<Report> {
        let start = Instant::now();
        self.detector
            .recall(&mut self.solution.impulses, &mut self.contact_loads);
        let scale = self.impulse_scale(h);
        if scale != 1.0 {
            for impulse in &mut self.solution.impulses {
                *impulse = math::scale(*impulse, scale);
            }
            self.joints.scale_impulses(scale);
        }
        // Soft contacts are the same whether the solver gets substeps one by one or all at once.
        let contacts = &self.settings.stabilization.contacts;
        self.plan = matches!(contacts, Scheme::Soft { .. }).then(|| self.plan(h, 1));
        velocity::free_motion(&self.world, h, &mut self.loads, &mut self.momenta);
        velocity::build_problem(
            &self.world,
            &self.settings,
            &velocity::ContactBias {
                scheme: self.settings.stabilization.contacts,
                sweeps: self.sweeps,
                restitution_threshold: self.restitution_threshold(h),
                h,
                plan: self.plan.as_ref(),
            },
            self.detector.contacts(),
            (&self.solution.impulses, &self.contact_loads),
            (&self.momenta, self.joints.held()),
            &mut self.problem,
        );
        self.joints.build_rows(
            &self.world,
            &Correction {
                scheme: self.settings.stabilization.joints,
                h,
                radius: self.position.smallest_radius(),
            },
            &self.momenta,
            &mut self.problem,
        );
        let built = start.elapsed();
        let options = self.velocity_options();
        let report = self
            .solver
            .solve(&self.problem, &options, &mut self.solution)?;
        if report.status == Status::NonFinite {
            return Err(Error::NonFinite {
                stage: "the velocity solve",
                what: format!("residual of step {}", self.steps + 1),
            });
        }
        self.detector.store_impulses(&self.solution.impulses);
        substeps::renew_loads(
            &mut self.contact_loads,
            &self.solution.impulses,
            h,
            self.world.gravity.norm(),
            self.position.smallest_radius(),
        );
        self.detector.store_loads(&self.contact_loads);
        self.timings.pack += built + report.pack_time;
        self.timings.solve += report.solve_time;
        Ok(report)
    }

    /// Velocity LCP, integration and position LCP, one after the other, in a part of a step that ends at `end`.
    pub(super) fn solve_and_stabilize(&mut self, h: f64, end: f64) -> Result<Solved> {
        let velocity = self.solve_velocities(h)?;
        self.joints
            .take_impulses(&self.solution.joint_impulses, &self.world);
        integrate::dynamic_bodies(
            &mut self.world.bodies,
            &self.solution.changes,
            &self.momenta,
            h,
        );
        self.advance_time(end);
        Ok(Solved {
            velocity,
            broken_joints: 0,
            joints_before_post: self.joint_errors(),
            position: self.stabilize()?,
            energy: None,
        })
    }

    /// All substeps at once.
    pub(super) fn solve_substeps(&mut self, h: f64, substeps: u32, end: f64) -> Result<Solved> {
        let start = Instant::now();
        substeps::build_bodies(
            &self.world,
            h,
            &mut self.substep_memory,
            &mut self.momenta,
            &mut self.substep_problem,
        );
        let scale = self.impulse_scale(h / f64::from(substeps));
        substeps::build_contacts(
            &self.world,
            &self.settings,
            self.detector.contacts(),
            self.detector.impulses(),
            &self.substep_memory,
            scale,
            &mut self.substep_problem,
        );
        let plan = self.plan(h, substeps);
        self.plan = Some(plan);
        let built = start.elapsed();
        let report =
            self.solver
                .solve_substeps(&self.substep_problem, &plan, &mut self.substep_solution)?;
        if report.velocity.status == Status::NonFinite {
            return Err(Error::NonFinite {
                stage: "the substeps",
                what: format!("residual of step {}", self.steps + 1),
            });
        }
        let solution = &self.substep_solution;
        self.detector.store_impulses(&solution.impulses);
        let loads = &mut self.substep_problem.loads;
        substeps::renew_loads(
            loads,
            &solution.total_impulses,
            h,
            self.world.gravity.norm(),
            self.position.smallest_radius(),
        );
        self.detector.store_loads(loads);
        let energy = integrate::dynamic_bodies_in_substeps(
            &mut self.world.bodies,
            solution,
            &self.momenta,
            (substeps, h),
            &self.world.gravity,
            &mut self.energies,
        );
        self.advance_time(end);
        self.timings.pack += built + report.velocity.pack_time;
        self.timings.solve += report.velocity.solve_time;
        self.timings.position += report.position.map_or(Duration::ZERO, |solved| {
            solved.pack_time + solved.solve_time
        });
        Ok(Solved {
            velocity: report.velocity,
            position: report.position,
            broken_joints: 0,
            joints_before_post: self.joint_errors(),
            energy: Some(energy),
        })
    }

    /// Sets the clock, dynamic bodies having moved, and moves the kinematic ones.
    fn advance_time(&mut self, time: f64) {
        self.world.time = time;
        if self.has_kinematic_bodies {
            integrate::kinematic_bodies(&mut self.world.bodies, &self.start_poses, time);
        }
    }

    fn stabilize(&mut self) -> Result<Option<Report>> {
        let stabilization = &self.settings.stabilization;
        if stabilization.post().is_none() {
            return Ok(None);
        }
        let start = Instant::now();
        let report = self.position.run(
            stabilization,
            &mut self.world,
            &mut self.detector,
            self.margin,
            &mut *self.solver,
        )?;
        self.timings.position += start.elapsed();
        Ok(Some(report))
    }
}
