//! A step, and the solving of each of its parts: as one problem, or in substeps through frozen geometry.

use super::control::Rest;
use super::integrate::Way;
use super::joints::Correction;
use super::problem::{ContactBias, History};
use super::{Simulation, StepReport, Timings, has_kinematic_bodies};
use super::{integrate, plan, problem, turning};
use crate::constants::MIN_BLOCKS_OF_A_TEAM;
use crate::error::{Error, Result};
use crate::measure::{self, Energy, JointErrors};
use crate::parallel::{is_together, threads, together};
use crate::solver::substeps::soft::correction_speed;
use crate::solver::substeps::{Rescaling, SubstepPlan, SubstepReport};
use crate::solver::{self, Plan, Report, Solution, Status};
use crate::stabilize::Scheme;
use std::time::Instant;

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
    /// One step of length h:
    ///
    /// 1. the velocity LCP gives every body the velocity it ends the step with; joints that cannot
    ///    carry their load break,
    /// 2. bodies move by it,
    /// 3. the position LCP removes the penetration and the errors of joints that are left,
    /// 4. contacts are found anew, for the measures of this step and the start of the next.
    ///
    /// With [`Settings::substeps`](super::Settings::substeps) the first three are repeated in each substep, on the geometry that
    /// the step starts with: see [`substeps`](crate::solver::substeps). In a world with joints all
    /// four are repeated, so that levers, axes and inertias turn with the bodies: a lever that stays where
    /// the step found it feeds energy into everything that swings.
    ///
    /// # Errors
    /// [`Error::NonFinite`] if a number stopped being finite, and what the solver reports. The
    /// world is then as it was before the stage that failed.
    pub fn step(&mut self) -> Result<StepReport> {
        let threads = threads();
        if threads > 1 && self.is_for_a_team() && !is_together() {
            return together(threads, |_| self.step());
        }
        let start = Instant::now();
        self.timings = Timings::default();
        if self.contacts_are_stale {
            self.balance_change();
            self.detector.forget();
            if let Some(stepper) = &mut self.event {
                stepper.renew(&self.world)?;
            }
            self.control.reset();
            self.has_kinematic_bodies = has_kinematic_bodies(&self.world);
            self.detect_contacts_anew()?;
        }
        let mut by_velocity = false;
        if self.event.is_some() {
            match self.step_to_events(start) {
                Err(Error::Event { .. })
                    if self
                        .settings
                        .event
                        .is_some_and(|event| event.velocity_steps) =>
                {
                    by_velocity = true;
                }
                stepped => return stepped,
            }
        }
        let found_for = self.division.updates;
        self.division = self.divide();
        if self.division.updates < found_for {
            // Contacts were looked for within the reach of shorter parts.
            self.detect_contacts(self.settings.time_step / f64::from(self.division.updates))?;
            self.division = self.divide();
        }
        let contacts = self.detector.contacts().len();
        let mut rest = Rest::of(self.world.time, self.settings.time_step, self.division);
        self.joints.begin_step(&self.world);
        let mut solved: Option<Solved> = None;
        let (mut updates, mut substeps) = (0, 0);
        loop {
            let h = rest.length();
            self.prescribe_velocities(h);
            let end = rest.advance();
            let part = self.solve_part(h, rest.substeps, end)?;
            solved = Some(match solved {
                None => part,
                Some(before) => before.followed_by(part),
            });
            updates += 1;
            // In a world with joints each search for contacts begins a substep.
            substeps += rest.substeps.max(u32::from(self.division.updates > 1));
            if rest.left() == 0 {
                self.detect_contacts(h)?;
                break;
            }
            self.detect_contacts_for(h, rest.stretch())?;
            if self.divides_rest(&mut rest) {
                self.detect_contacts_for(rest.length(), rest.stretch())?;
            }
        }
        self.steps += 1;
        let mut solved = solved.unwrap_or_default();
        solved.broken_joints = self
            .joints
            .break_overloaded(&mut self.world, self.settings.time_step);
        let energy = solved
            .energy
            .unwrap_or_else(|| measure::energy_of_chunks(&self.world, &mut self.energies));
        self.balance_end(energy);
        self.timings.step = start.elapsed();
        Ok(StepReport {
            step: self.steps,
            time: self.world.time,
            contacts,
            contact_updates: updates,
            substeps,
            capped: self.division.capped,
            collisions: 0,
            by_velocity,
            velocity: solved.velocity,
            position: solved.position,
            broken_joints: solved.broken_joints,
            joints_before_post: solved.joints_before_post,
            witnesses: self.detector.take_witnesses(),
            joints: self.joint_errors(),
            penetration: self.penetration(),
            energy,
            timings: self.timings,
        })
    }

    /// A part of a step, of length `h`, that ends at `end`: its problem, what the solver makes of it, and where that takes the bodies.
    /// Without substeps it is one problem, and the position LCP follows on geometry of its own.
    pub(super) fn solve_part(&mut self, h: f64, substeps: u32, end: f64) -> Result<Solved> {
        let start = Instant::now();
        let is_divided = substeps > 0;
        self.least_sweeps = self.find_least_sweeps(h, substeps);
        // Soft contacts are the same whether the solver gets substeps one by one or all at once.
        let has_soft_contacts = matches!(self.settings.stabilization.contacts, Scheme::Soft { .. });
        self.plan = (is_divided || has_soft_contacts).then(|| self.plan(h, substeps));
        self.build_problem(h, is_divided);
        let plan = match self.plan {
            Some(plan) if is_divided => Plan::Substeps(plan),
            _ => Plan::Once(self.velocity_options()),
        };
        self.solved_by = Some((plan, h));
        let built = start.elapsed();
        let solution = &mut self.solution;
        let report = self.solver.attempt(&self.problem, &plan, solution)?;
        if report.velocity.status == Status::NonFinite {
            return Err(Error::NonFinite {
                stage: if is_divided {
                    "the substeps"
                } else {
                    "the velocity solve"
                },
                what: format!("residual of step {}", self.steps + 1),
            });
        }
        self.timings.pack += built + report.velocity.pack_time;
        self.timings.solve += report.velocity.solve_time;
        self.remember_impulses(h);
        if !is_divided {
            self.joints
                .take_impulses(&self.solution.joint_impulses, &self.world);
        }
        let expected = self.balance_part(h);
        let is_soft = matches!(self.settings.stabilization.joints, Scheme::Soft { .. });
        let has_mechanisms = is_soft && !is_divided && !self.world.joints.is_empty();
        if has_mechanisms {
            let (problem, solution) = (&self.problem, &self.solution);
            self.joints
                .add_work(&self.world, &self.momenta, problem, solution);
        }
        let way = if is_divided {
            Way::InSubsteps(substeps, &self.solution.displacements)
        } else {
            Way::AtEnd
        };
        let energy = integrate::dynamic_bodies(
            &mut self.world.bodies,
            &self.solution.changes,
            &self.momenta,
            (&way, h),
            &self.world.gravity,
            &mut self.energies,
        );
        if has_mechanisms {
            self.joints.take_work_back(&mut self.world);
        }
        self.advance_time(end);
        let joints_before_post = self.joint_errors();
        if let Some(solved) = &report.position {
            self.timings.position += solved.pack_time + solved.solve_time;
        }
        let stabilized = if is_divided { None } else { self.stabilize()? };
        let energy = stabilized.is_none().then_some(energy);
        if expected.is_some() {
            let energy = energy.unwrap_or_else(|| measure::energy(&self.world));
            self.balance_move(expected, energy);
        }
        Ok(Solved {
            velocity: report.velocity,
            broken_joints: 0,
            joints_before_post,
            energy,
            position: report.position.or(stabilized),
        })
    }

    /// Divides what is left of a step again, if contacts that have come within reach since its start ask for it.
    fn divides_rest(&mut self, rest: &mut Rest) -> bool {
        if self.settings.substeps.is_some() || rest.substeps == 0 {
            return false;
        }
        let (contacts, overlaps) = (self.detector.contacts(), self.overlaps());
        let moving = (&self.world, &self.halfway);
        if !self.control.divide_rest(moving, (contacts, overlaps), rest) {
            return false;
        }
        // As if all of the step had parts as short as these: the next one begins with contacts found for them.
        let parts = self.settings.time_step / rest.length();
        self.division.updates = (parts - 1e-9).ceil() as u32;
        self.division.capped |= rest.capped;
        true
    }

    /// True if threads that stay together from the start of a step to its end make it faster.
    fn is_for_a_team(&self) -> bool {
        let post = self.settings.stabilization.post();
        self.detector.contacts().len() >= MIN_BLOCKS_OF_A_TEAM
            && self.solver.works_on_threads(&self.settings.solver)
            && post.is_none_or(|post| self.solver.works_on_threads(&post.solver))
    }

    /// One step of the event stepper.
    fn step_to_events(&mut self, start: Instant) -> Result<StepReport> {
        let contacts = self.detector.contacts().len();
        let h = self.settings.time_step;
        let Some(stepper) = &mut self.event else {
            return Ok(StepReport::default());
        };
        let solving = Instant::now();
        let events = stepper.step(&mut self.world, h)?;
        self.timings.solve = solving.elapsed();
        self.detector.forget();
        self.detect_contacts(h)?;
        self.problem.contacts.clear();
        self.solution = Solution::default();
        self.plan = None;
        self.solved_by = None;
        self.steps += 1;
        self.timings.step = start.elapsed();
        Ok(StepReport {
            step: self.steps,
            time: self.world.time,
            contacts,
            collisions: events.collisions.len() as u32,
            broken_joints: events.breaks.len(),
            velocity: Report {
                status: Status::Converged,
                ..Report::default()
            },
            witnesses: self.detector.take_witnesses(),
            joints: self.joint_errors(),
            penetration: self.penetration(),
            energy: measure::energy_of_chunks(&self.world, &mut self.energies),
            timings: self.timings,
            ..StepReport::default()
        })
    }

    /// From the impulses that are remembered to those of a problem that stands for so long `[s]`.
    fn rescaling(&mut self, length: f64) -> Rescaling {
        let last = std::mem::replace(&mut self.impulse_length, length);
        Rescaling::new(last, length)
    }

    /// The deepest overlap now, and how fast overlaps are corrected.
    pub(super) fn overlaps(&self) -> plan::Overlaps {
        let is_soft = matches!(self.settings.stabilization.contacts, Scheme::Soft { .. });
        let is_divided = self.settings.substeps != Some(0) && self.event.is_none();
        let correction_speed = if is_soft && is_divided {
            correction_speed(self.world.gravity.norm(), self.position.smallest_radius())
        } else {
            0.0
        };
        plan::Overlaps {
            deepest: self.detector.depths().max,
            correction_speed,
        }
    }

    fn plan(&self, h: f64, substeps: u32) -> SubstepPlan {
        let part = plan::Part {
            h,
            substeps,
            sweeps: self.sweeps,
            gravity: self.world.gravity.norm(),
            radius: self.position.smallest_radius(),
            deepest: self.detector.depths().max,
            held: self.control.held(2.0 * self.position.smallest_radius()),
            driven: self.control.driven(),
        };
        let plan = plan::plan(&self.settings, &part);
        SubstepPlan {
            velocity: self.velocity_options(),
            ..plan
        }
    }

    /// How the velocity LCP of this part is solved, or that of each substep.
    fn velocity_options(&self) -> solver::Options {
        let given = self.settings.solver;
        solver::Options {
            iterations: given.iterations.max(self.least_sweeps),
            ..given
        }
    }

    /// Writes the problem of a part.
    fn build_problem(&mut self, h: f64, is_divided: bool) {
        problem::build_bodies(
            &self.world,
            h,
            !is_divided,
            &mut self.memory,
            &mut self.momenta,
            &mut self.problem,
        );
        let substeps = self
            .plan
            .filter(|_| is_divided)
            .map_or(1, |plan| plan.substeps);
        if is_divided && self.has_kinematic_bodies {
            integrate::prescribe_increments(
                &self.world.bodies,
                (self.world.time, h, substeps),
                &mut self.problem.bodies,
                &mut self.problem.increments,
            );
        }
        let rescaling = self.rescaling(h / f64::from(substeps));
        let biases = ContactBias {
            scheme: self.settings.stabilization.contacts,
            sweeps: self.sweeps,
            restitution_threshold: self.restitution_threshold(h),
            h,
            plan: self.plan.as_ref(),
            warm_start: self.settings.solver.warm_start,
            momenta: &self.momenta,
            held: self.joints.held(),
        };
        problem::build_contacts(
            (&self.world, &self.halfway),
            &self.settings,
            self.detector.contacts(),
            &History {
                impulses: self.detector.impulses(),
                rescaling,
                has_loads: self.plan.is_some(),
            },
            (!is_divided).then_some(&biases),
            &self.memory,
            &mut self.problem,
        );
        if is_divided && self.has_kinematic_bodies {
            turning::follow(
                (&self.world, &self.halfway),
                (h, substeps),
                &mut self.problem,
            );
        }
        self.problem.contact_softness = self.settings.stabilization.contacts.contact_softness();
        let plan = self.plan.as_ref();
        self.problem.calm_change = plan.map_or(0.0, |plan| plan.calm_change);
        if !is_divided {
            self.joints.scale_impulses(rescaling.of_force());
            self.joints.build_rows(
                &self.world,
                &Correction {
                    scheme: self.settings.stabilization.joints,
                    h,
                },
                &self.momenta,
                &mut self.problem,
            );
        }
    }

    /// Keeps what the next part starts from.
    fn remember_impulses(&mut self, h: f64) {
        self.detector.store_impulses(&self.solution.impulses);
        if let Some(plan) = &self.plan {
            let impulses = self.solution.contact_impulses();
            // The problem stays as the solver got it.
            self.loads.clone_from(&self.problem.loads);
            plan.gap_law
                .renew_loads(&mut self.loads, impulses, &self.problem.sizes, h);
            self.detector.store_loads(&self.loads);
        } else {
            self.detector.store_loads(&self.problem.loads);
        }
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
