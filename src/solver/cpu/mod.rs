//! The CPU backend: lanes and threads over the same batches, with the same arithmetic, as the GPU's.

mod body_gather;
mod body_start;
mod cluster;
mod cluster_gather;
mod cluster_residual;
mod cluster_sweep;
mod contact;
mod contact_residual;
mod contact_split;
mod contact_sweep;
mod joint;
mod joint_residual;
mod joint_split;
mod joint_sweep;
mod lanes;
mod momentum;
mod progress;
mod shared_slice;
mod substep_kernels;
mod substeps;
mod sweep;
mod team;

pub use body_gather::{body_gather, hub_gather};
pub use body_start::body_start;
pub use cluster_gather::cluster_gather;
pub use cluster_residual::cluster_residual;
pub use cluster_sweep::{ClusterMemory, ClusterRound, cluster_sweep};
pub use contact_residual::contact_residual;
pub use contact_split::{VelocityChange, contact_split};
pub use contact_sweep::contact_sweep;
pub use joint_residual::joint_residual;
pub use joint_split::joint_split;
pub use joint_sweep::joint_sweep;
pub use lanes::Width;
pub use momentum::{
    BodyMomentum, body_conjugate, body_momentum, contact_conjugate, contact_momentum,
    joint_conjugate, joint_momentum,
};
pub use progress::{contact_progress, joint_progress};
pub use substep_kernels::{substep_bodies, substep_contacts, substep_control, substep_joints};
pub use sweep::Sweep;

use super::momentum::{
    ContactMemory, JointMemory, Momentum, MomentumRule, Progress, momentum_step,
};
use super::residual::{self, Partial};
use super::substeps::{SubstepPlan, SubstepProblem, SubstepReport, SubstepSolution, by_solving};
use super::{Method, Options, Packer, Report, Solution, Solver, Start, Status};
use crate::constants::{
    MIN_BLOCKS_OF_A_TEAM, MIN_BLOCKS_PER_THREAD, MIN_LANE_GROUPS_PER_THREAD, WORKGROUP_SIZE,
};
use crate::error::Result;
use crate::problem::Problem;
use crate::problem::batches::{Batches, Remainder};
use body_gather::{body_gather_part, hub_gather_part};
use contact_residual::contact_residual_part;
use contact_split::contact_split_part;
use joint_residual::joint_residual_part;
use joint_split::joint_split_part;
use joint_sweep::joint_sweep_part;
use lanes::{Given, Lanes, Velocities};
use momentum::body_conjugate_part;
use progress::{contact_progress_part, joint_progress_part, sum_of_workgroup};
use shared_slice::SharedSlice;
use std::ops::Range;
use std::time::Instant;
use substeps::SubstepMemory;
use team::{Stage, Team};

/// Least number of elements handed to one thread where each takes a few nanoseconds.
const GRAIN: usize = 1024;

/// Least number of workgroups' worth of sums handed to one thread.
const SUMS: usize = 16;

/// Every [`Method`] on the current rayon thread pool.
///
/// Coloured contacts are swept in lanes of the processor's vectors. Results do not depend on the number
/// of threads, nor on the [`Width`] of vectors.
#[derive(Debug, Default)]
pub struct CpuSolver {
    packer: Packer,
    /// The coloured contacts, with their impulses while a solve lasts.
    lanes: Lanes,
    /// What the impulses add to the velocities, while a solve lasts.
    velocities: Velocities,
    team: Team,
    substeps: SubstepMemory,
    stages: Vec<Stage>,
    changes: Vec<VelocityChange>,
    residuals: Vec<f32>,
    terms: Vec<Progress>,
    contact_partials: Vec<Partial>,
    joint_partials: Vec<Partial>,
    momentum: Momentum,
    contact_memory: Vec<ContactMemory>,
    joint_memory: Vec<JointMemory>,
    body_memory: Vec<VelocityChange>,
    contact_sums: Vec<Progress>,
    joint_sums: Vec<Progress>,
    clusters: cluster::ClusterSolve,
}

impl CpuSolver {
    /// A solver with empty buffers; they grow with the problems.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with vectors of a given width, or with arrays where the processor lacks them.
    #[must_use]
    pub fn with_width(width: Width) -> Self {
        Self {
            lanes: Lanes::new(width),
            ..Self::default()
        }
    }

    /// Like [`Solver::solve`], and hands every report that comes of a look at the residual to `watch`:
    /// [`Options::check_every`] says how often there is one if there is a tolerance, else there is one at
    /// the end.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn solve_watched(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
        watch: &mut (dyn FnMut(&Report) + Send),
    ) -> Result<Report> {
        options.validate()?;
        problem.validate()?;
        // Enter the thread pool once: from outside of it, every parallel loop would hand its work
        // over and wait.
        if options.method == Method::Cluster {
            let clusters = &mut self.clusters;
            return rayon::scope(|_| clusters.run(problem, options, solution, watch));
        }
        let team = self.gather_team(problem);
        let report = rayon::scope(|scope| {
            self.solve_in_scope(problem, options, solution, watch, (scope, &team))
        });
        self.team = team;
        report
    }

    /// One pass over all joints, then all contacts: colour after colour, then the remainder. Contacts
    /// have the last word. In reverse all of that is the other way round.
    fn sweep(&mut self, batches: &mut Batches, team: &Team, sweep: Sweep) {
        if sweep == Sweep::Reverse {
            self.sweep_contacts(batches, team, sweep);
            self.sweep_joints(batches, team, sweep);
        } else {
            self.sweep_joints(batches, team, sweep);
            self.sweep_contacts(batches, team, sweep);
        }
    }

    fn sweep_joints(&mut self, batches: &mut Batches, team: &Team, sweep: Sweep) {
        if batches.joints.blocks.is_empty() {
            return;
        }
        if sweep == Sweep::Reverse {
            self.sweep_joint_remainder(batches, team, sweep);
        }
        let mut impulses = std::mem::take(&mut batches.joints.impulses);
        let colors = batches.joints.colors.len();
        self.stages.clear();
        self.stages.extend((0..colors).map(|stage| {
            let color = sweep.place(0, colors, stage);
            let items = batches.joints.colors[color].len();
            let rows = batches.joints.color_blocks(color).len().max(1);
            Stage {
                items,
                grain: items * MIN_BLOCKS_PER_THREAD / rows,
            }
        }));
        let velocities = SharedSlice::new(self.velocities.bodies_mut());
        let shared = SharedSlice::new(&mut impulses);
        let joints = &*batches;
        team.run(&self.stages, &|_, stage, groups| {
            let color = sweep.place(0, colors, stage);
            joint_sweep_part(joints, color, groups, sweep, &velocities, &shared);
        });
        batches.joints.impulses = impulses;
        if sweep != Sweep::Reverse {
            self.sweep_joint_remainder(batches, team, sweep);
        }
    }

    fn sweep_joint_remainder(&mut self, batches: &mut Batches, team: &Team, sweep: Sweep) {
        let count = batches.joints.remainder.elements.len();
        if count == 0 {
            return;
        }
        let mut impulses = std::mem::take(&mut batches.joints.impulses);
        {
            let shared = SharedSlice::new(&mut impulses);
            let changes = SharedSlice::new(&mut self.changes);
            let velocities = self.velocities.bodies();
            team.each(count, MIN_BLOCKS_PER_THREAD / 4, |_, elements| {
                joint_split_part(batches, elements, sweep, velocities, &shared, &changes);
            });
        }
        batches.joints.impulses = impulses;
        self.gather(&batches.joints.remainder, team);
    }

    fn sweep_contacts(&mut self, batches: &mut Batches, team: &Team, sweep: Sweep) {
        if sweep == Sweep::Reverse {
            self.sweep_contact_remainder(batches, team, sweep);
        }
        self.sweep_colored_contacts(batches, team, sweep);
        if sweep != Sweep::Reverse {
            self.sweep_contact_remainder(batches, team, sweep);
        }
    }

    fn sweep_colored_contacts(&mut self, batches: &Batches, team: &Team, sweep: Sweep) {
        let colors = batches.contacts.colors.len();
        self.stages.clear();
        self.stages.extend((0..colors).map(|stage| Stage {
            items: self.lanes.group_count(sweep.place(0, colors, stage)),
            grain: MIN_LANE_GROUPS_PER_THREAD,
        }));
        let lanes = self
            .lanes
            .begin_sweep(sweep, &batches.friction, &mut self.velocities);
        team.run(&self.stages, &|thread, stage, groups| {
            // SAFETY: the team hands every lane group to one thread, whose number is its own, and
            // begins a colour when the one before it is done.
            #[allow(unsafe_code, reason = "the team hands out each lane group once")]
            unsafe {
                lanes.run(sweep.place(0, colors, stage), groups, thread);
            }
        });
    }

    fn sweep_contact_remainder(&mut self, batches: &mut Batches, team: &Team, sweep: Sweep) {
        let count = batches.contacts.remainder.elements.len();
        if count == 0 {
            return;
        }
        let mut impulses = std::mem::take(&mut batches.contacts.impulses);
        {
            let shared = SharedSlice::new(&mut impulses);
            let changes = SharedSlice::new(&mut self.changes);
            let velocities = self.velocities.bodies();
            team.each(count, MIN_BLOCKS_PER_THREAD, |_, elements| {
                contact_split_part(batches, elements, sweep, velocities, &shared, &changes);
            });
        }
        batches.contacts.impulses = impulses;
        self.gather(&batches.contacts.remainder, team);
    }

    /// Adds up what a remainder did to each body.
    fn gather(&mut self, remainder: &Remainder, team: &Team) {
        let velocities = SharedSlice::new(self.velocities.bodies_mut());
        let changes = &self.changes;
        let bodies = &remainder.bodies;
        team.each(bodies.len(), MIN_BLOCKS_PER_THREAD, |_, part| {
            body_gather_part(&bodies[part], changes, &velocities);
        });
        team.each(remainder.hubs.len(), 1, |_, part| {
            hub_gather_part(&remainder.hubs[part], changes, &velocities);
        });
    }

    /// No momentum yet: the memory is where the solve starts, and there is no direction.
    fn begin(&mut self, batches: &Batches, rule: MomentumRule) {
        self.momentum = Momentum::of(rule);
        let conjugate = rule == MomentumRule::Conjugate;
        self.lanes.begin_momentum(conjugate);
        let remainder = remainder_contacts(batches);
        self.contact_memory.clear();
        self.contact_memory
            .extend(
                batches.contacts.impulses[remainder]
                    .iter()
                    .map(|&impulse| ContactMemory {
                        previous: if conjugate { [0.0; 4] } else { impulse },
                        start: impulse,
                    }),
            );
        self.joint_memory.clear();
        self.joint_memory
            .extend(batches.joints.impulses.iter().map(|&impulse| JointMemory {
                previous: if conjugate { 0.0 } else { impulse },
                start: impulse,
            }));
        self.body_memory.clear();
        let velocities = self.velocities.bodies();
        if conjugate {
            self.body_memory
                .resize(velocities.len(), VelocityChange::default());
        }
        self.body_memory
            .extend(velocities.iter().map(|velocity| VelocityChange {
                linear: velocity.linear,
                angular: velocity.angular,
                ..VelocityChange::default()
            }));
    }

    /// Momentum before a sweep.
    fn extrapolate(&mut self, batches: &mut Batches, team: &Team, start: Start) {
        let mut part = BodyMomentum::Whole;
        if start.rebuild {
            self.extrapolate_bodies(BodyMomentum::BeforeRebuild, team);
            self.sweep(batches, team, Sweep::Rebuild);
            part = BodyMomentum::AfterRebuild;
        }
        self.extrapolate_bodies(part, team);
        let factor = self.momentum.factor;
        let conjugate = self.momentum.rule == MomentumRule::Conjugate as u32;
        self.lanes.extrapolate(conjugate, factor, team);
        let of_joints = if conjugate {
            joint_conjugate
        } else {
            joint_momentum
        };
        for_parts(
            team,
            &mut batches.joints.impulses,
            &mut self.joint_memory,
            |impulses, memory| of_joints(factor, impulses, memory),
        );
        let of_contacts = if conjugate {
            contact_conjugate
        } else {
            contact_momentum
        };
        let remainder = remainder_contacts(batches);
        for_parts(
            team,
            &mut batches.contacts.impulses[remainder],
            &mut self.contact_memory,
            |impulses, memory| of_contacts(factor, impulses, memory),
        );
    }

    fn extrapolate_bodies(&mut self, part: BodyMomentum, team: &Team) {
        let factor = self.momentum.factor;
        let velocities = self.velocities.bodies_mut();
        if self.momentum.rule == MomentumRule::Conjugate as u32 {
            let count = velocities.len();
            let (directions, starts) = self.body_memory.split_at_mut(count);
            let directions = SharedSlice::new(directions);
            let starts = SharedSlice::new(starts);
            let velocities = SharedSlice::new(velocities);
            team.each(count, GRAIN, |_, bodies| {
                // SAFETY: the team hands every element to one thread.
                #[allow(unsafe_code, reason = "the team hands out each element once")]
                unsafe {
                    body_conjugate_part(
                        part,
                        factor,
                        velocities.range(bodies.clone()),
                        directions.range(bodies.clone()),
                        starts.range(bodies),
                    );
                }
            });
            return;
        }
        for_parts(
            team,
            velocities,
            &mut self.body_memory,
            |velocities, memory| body_momentum(part, factor, velocities, memory),
        );
    }

    /// Whether momentum goes on after a sweep.
    fn judge(&mut self, batches: &Batches, team: &Team) {
        let count = batches.contacts.blocks.len();
        self.terms.resize(count, Progress::default());
        let remainder = remainder_contacts(batches);
        contact_progress_part(
            batches,
            remainder.clone(),
            &batches.contacts.impulses[remainder.clone()],
            &self.contact_memory,
            &mut self.terms[remainder],
        );
        self.lanes.progress(&mut self.terms, team);
        self.contact_sums
            .resize(count.div_ceil(SIZE), Progress::default());
        let terms = &self.terms;
        fill_parts(team, &mut self.contact_sums, |first, sums| {
            for (terms, sum) in terms[first * SIZE..].chunks(SIZE).zip(sums) {
                *sum = sum_of_workgroup(terms);
            }
        });
        self.joint_sums.resize(
            batches.joints.blocks.len().div_ceil(SIZE),
            Progress::default(),
        );
        let (impulses, memory) = (&batches.joints.impulses, &self.joint_memory);
        fill_parts(team, &mut self.joint_sums, |first, sums| {
            joint_progress_part(batches, first, impulses, memory, sums);
        });
        self.momentum = momentum_step(self.momentum, &self.joint_sums, &self.contact_sums);
    }

    /// Puts a problem in order. Contacts with a colour are left to [`Self::begin_solve`].
    fn pack(&mut self, given: &Given<'_>, options: &Options) -> (Batches, Report) {
        if !given.problem.joint_rows.is_empty() {
            // A direct start needs blocks, and velocities with the impulses of all contacts.
            return self.packer.pack(given.problem, options);
        }
        let unbiased = given.substeps.is_some();
        self.packer.pack_remainder(given.problem, options, unbiased)
    }

    /// Takes over a problem that has been put in order, and applies the impulses that it starts from.
    fn begin_solve(
        &mut self,
        given: &Given<'_>,
        batches: &Batches,
        team: &Team,
        report: &mut Report,
    ) {
        let start = Instant::now();
        self.lanes.fill(given, batches, team);
        self.velocities
            .copy_from(&batches.velocities, team.threads());
        self.changes.clear();
        self.changes
            .resize(batches.slot_count() as usize, VelocityChange::default());
        if given.warm_start && given.problem.joint_rows.is_empty() {
            self.sweep_colored_contacts(batches, team, Sweep::Rebuild);
            batches.apply_remainder(self.velocities.bodies_mut());
        }
        report.pack_time += start.elapsed();
    }

    /// Sweeps until the options are content. The residual is looked at where there is a tolerance, and at
    /// the end if the manner asks for it.
    fn iterate(
        &mut self,
        batches: &mut Batches,
        team: &Team,
        options: &Options,
        report: &mut Report,
        (is_convex, looks, mut watch): Manner<'_>,
    ) {
        if let Some(rule) = options.method.momentum(is_convex) {
            self.begin(batches, rule);
        }

        while report.iterations < options.iterations {
            let count = options.until_check(report.iterations);
            for done in report.iterations..report.iterations + count {
                let pass = options.method.pass(done);
                if let Some(start) = pass.start {
                    self.extrapolate(batches, team, start);
                }
                self.sweep(batches, team, pass.sweep);
                if pass.end {
                    self.judge(batches, team);
                }
            }
            report.iterations += count;
            if !looks && options.tolerance == 0.0 {
                continue;
            }
            (report.residual_rms, report.residual_max) = self.residual(batches, team);
            report.status = Status::after(report, options);
            if let Some(watch) = &mut watch {
                watch(report);
            }
            if report.status != Status::MaxIterations {
                break;
            }
        }
        report.barriers = options.method.barriers(batches, report.iterations);
    }

    fn residual(&mut self, batches: &Batches, team: &Team) -> (f32, f32) {
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

    /// As many threads as the pool has, but one for a small problem.
    fn gather_team(&mut self, problem: &Problem) -> Team {
        let blocks = problem.contacts.len() + problem.joint_rows.len();
        let mut team = std::mem::take(&mut self.team);
        team.gather(if blocks < MIN_BLOCKS_OF_A_TEAM {
            1
        } else {
            rayon::current_num_threads()
        });
        team
    }

    /// Packs and solves with the threads of a scope.
    fn solve_in_scope<'scope>(
        &mut self,
        problem: &Problem,
        options: &Options,
        solution: &mut Solution,
        watch: &mut (dyn FnMut(&Report) + Send),
        (scope, team): (&rayon::Scope<'scope>, &'scope Team),
    ) -> Result<Report> {
        let given = Given {
            problem,
            warm_start: options.warm_start,
            substeps: None,
        };
        let (mut batches, mut report) = self.pack(&given, options);
        let _dismissal = team.dismissal();
        for me in 1..team.threads() {
            scope.spawn(move |_| team.help(me));
        }
        self.begin_solve(&given, &batches, team, &mut report);
        let packed = Instant::now();
        let manner = (problem.is_convex(), true, Some(watch));
        self.iterate(&mut batches, team, options, &mut report, manner);
        let remainder = remainder_contacts(&batches).start;
        solution.take_from_block(remainder, problem, self.velocities.bodies(), &batches);
        self.lanes.store_impulses(&mut solution.impulses, team);
        self.packer.keep(batches);
        if !solution.is_finite() {
            report.status = Status::NonFinite;
        }
        report.solve_time = packed.elapsed();
        Ok(report)
    }
}

/// How to iterate: whether the problem is convex, whether to look at the residual at the end, and whom to
/// tell of a look.
type Manner<'a> = (bool, bool, Option<&'a mut (dyn FnMut(&Report) + Send)>);

const SIZE: usize = WORKGROUP_SIZE as usize;

/// Range of the contacts in the remainder.
fn remainder_contacts(batches: &Batches) -> Range<usize> {
    let elements = &batches.contacts.remainder.elements;
    elements.start as usize..elements.end as usize
}

/// Does something to parts of two slices of the same length.
fn for_parts<T: Send + Sync, U: Send + Sync>(
    team: &Team,
    first: &mut [T],
    second: &mut [U],
    work: impl Fn(&mut [T], &mut [U]) + Sync,
) {
    let count = first.len();
    let (first, second) = (SharedSlice::new(first), SharedSlice::new(second));
    team.each(count, GRAIN, |_, part| {
        // SAFETY: the team hands every element to one thread.
        #[allow(unsafe_code, reason = "the team hands out each element once")]
        unsafe {
            work(first.range(part.clone()), second.range(part));
        }
    });
}

/// Overwrites parts of a slice of workgroups' sums, given where each part begins.
fn fill_parts<T: Send + Sync>(team: &Team, sums: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    let count = sums.len();
    let sums = SharedSlice::new(sums);
    team.each(count, SUMS, |_, part| {
        // SAFETY: the team hands every element to one thread.
        #[allow(unsafe_code, reason = "the team hands out each element once")]
        unsafe {
            work(part.start, sums.range(part));
        }
    });
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
        self.solve_watched(problem, options, solution, &mut |_| {})
    }

    fn solve_substeps(
        &mut self,
        problem: &SubstepProblem,
        plan: &SubstepPlan,
        solution: &mut SubstepSolution,
    ) -> Result<SubstepReport> {
        if !substeps::is_native(problem, plan) {
            return by_solving(self, problem, plan, solution);
        }
        plan.validate()?;
        problem.validate()?;
        let team = self.gather_team(&problem.problem);
        let report =
            rayon::scope(|scope| self.step_in_scope(problem, plan, solution, scope, &team));
        self.team = team;
        Ok(report)
    }
}
