//! Solvers of one interface: a [`Problem`](crate::problem::Problem) in, velocities and impulses out, a [`Report`] beside them.
//!
//! | backend | type | sweep |
//! |---|---|---|
//! | CPU, rayon | [`cpu::CpuSolver`] | every [`Method`] |
//! | GPU, WGSL | [`gpu::GpuSolver`] | the same |
//! | reference, f64 | [`reference::LemkeSolver`] | none: Lemke's pivoting, for small problems |
//! | referee of large problems, f64 | [`nsgs::NsgsSolver`] | block Gauss–Seidel, serial |
//!
//! The law of a contact stands in `cpu/contact.rs`, that of a gap in a substep in `cpu/gap.rs`, that of a joint row in
//! `cpu/joint.rs`, each once, for vectors of any number of lanes. [`cpu::CpuSolver`] sweeps a colour of the batches in the widest that the processor
//! has (`cpu/lanes`); `joint_sweep` and `contact_sweep` are the same with one lane, as the GPU's
//! kernels are, and tests compare the three. A mass-split remainder is swept
//! by `joint_split` or `contact_split` and then by `body_gather`. Joints come before contacts, so that these have the last word.
//! Gauss–Seidel has colours and, for hubs, a remainder; Jacobi is a remainder and nothing else. The
//! accelerated methods put momentum (`momentum.rs`) between their sweeps. [`Method::Cluster`] has kernels of its own, with
//! the same arithmetic: `cluster_sweep` sweeps clusters of
//! bodies (`problem/clusters`), each by itself, and `cluster_gather` gives every body the mean of its copies.
//!
//! [`substeps`] divides a step into several such solves on the same geometry.
//!
//! Before the first sweep and after the last one the joints without bounds are solved at once (`direct`), whatever the backend.
//!
//! # The residual
//!
//! The natural-map residual says how far impulses and velocities are from solving the problem, in m/s.
//!
//! For a contact with impulse `r`, relative velocity `u` (bias included) and step
//! `rho = 3 / tr W`, the residual is `|r - P(r - rho u)| / rho`, P being the projection that the
//! formulation claims: the normal part onto `r_n >= 0`, the tangential part onto the friction
//! polygon or disk of radius `mu r_n`, with the projected normal part. It is zero exactly at a
//! solution and has the unit of a velocity whatever the masses are.
//!
//! For a joint row with impulse `r` and `u = J V + bias + softness r` the step is
//! `m = 1 / (W_ii + softness)`, and the residual is `|r - clamp(r - m u, lower, upper)|` over
//! `sqrt(m m_red)`, with `1 / m_red = 1/m_a + 1/m_b` the reduced mass of the two bodies. That is `|u|`
//! of a row through both centres of mass, and `|u|` times a radius of gyration of a row that only
//! turns. A row between two immovable bodies has none.

mod cluster;
pub mod cpu;
pub(crate) mod direct;
#[cfg(feature = "gpu")]
pub mod gpu;
mod in_substeps;
pub(crate) mod momentum;
pub mod nsgs;
mod one_by_one;
pub mod reference;
pub(crate) mod residual;
mod solution;
pub mod substeps;
mod sums;
mod warm_start;

pub use crate::problem::Velocity;
pub use solution::{Displacement, Motion, Solution};
pub use warm_start::{ContactKey, WarmStart};

use crate::constants::{MAX_COLORS, MOMENTUM_REBUILD_PASSES};
use crate::error::{Error, Result};
use crate::problem::batches::Batches;
use crate::problem::{AsProblem, ProblemRef};
use momentum::MomentumRule;
use std::time::{Duration, Instant};
use substeps::{SubstepPlan, SubstepReport};

/// Which sweep a solver runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema, clap::ValueEnum))]
#[cfg_attr(feature = "scene", serde(rename_all = "snake_case"))]
pub enum Method {
    /// Projected Gauss-Seidel over colour batches.
    ///
    /// Hubs' surplus contacts and joints are solved by mass splitting.
    #[default]
    #[cfg_attr(feature = "scene", serde(rename = "pgs"))]
    #[cfg_attr(feature = "cli", value(name = "pgs"))]
    GaussSeidel,
    /// Projected Jacobi with mass splitting.
    ///
    /// Every joint at once, then every contact at once.
    Jacobi,
    /// Projected Gauss-Seidel with Nesterov's momentum and restarts.
    Nesterov,
    /// Symmetric projected Gauss-Seidel inside clusters of bodies, with momentum and restarts.
    ///
    /// The copies that clusters have of a body are averaged.
    Cluster,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::GaussSeidel,
        Self::Jacobi,
        Self::Nesterov,
        Self::Cluster,
    ];

    /// Name in scene files, on the command line and in reports: `pgs`, `jacobi`, `nesterov` or `cluster`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GaussSeidel => "pgs",
            Self::Jacobi => "jacobi",
            Self::Nesterov => "nesterov",
            Self::Cluster => "cluster",
        }
    }

    /// Colours that the packing may use; clusters have colours of their own.
    #[must_use]
    pub fn max_colors(self) -> usize {
        match self {
            Self::GaussSeidel | Self::Nesterov => MAX_COLORS,
            Self::Jacobi | Self::Cluster => 0,
        }
    }

    /// What precedes the pass after `done` others; nothing without momentum. Clusters have rounds in place of passes.
    fn start_of_pass(self, done: u32) -> Option<Start> {
        (self == Self::Nesterov).then_some(Start {
            rebuild: done > 0 && done.is_multiple_of(MOMENTUM_REBUILD_PASSES),
        })
    }

    /// Global synchronizations of some passes: one after each colour, two for a remainder, which is
    /// swept and gathered, and with momentum three more a sweep: before it, and two for the sums after it;
    /// and one more than those of a pass wherever velocities are rebuilt.
    fn barriers(self, batches: &Batches, passes: u32) -> u32 {
        let stages = |colors: usize, remainder: bool| colors as u32 + 2 * u32::from(remainder);
        let (joints, contacts) = (&batches.joints, &batches.contacts);
        let of_pass = stages(joints.colors.len(), !joints.remainder.elements.is_empty())
            + stages(
                contacts.colors.len(),
                !contacts.remainder.elements.is_empty(),
            );
        if self != Self::Nesterov {
            return passes * of_pass;
        }
        let rebuilds = passes.saturating_sub(1) / MOMENTUM_REBUILD_PASSES;
        passes * (of_pass + 3) + rebuilds * (of_pass + 1)
    }

    /// Its momentum, if it has any, on a problem that is or is not convex.
    fn momentum(self, is_convex: bool) -> Option<MomentumRule> {
        match self {
            Self::GaussSeidel | Self::Jacobi => None,
            Self::Nesterov if is_convex => Some(MomentumRule::ForwardConvex),
            Self::Nesterov => Some(MomentumRule::Forward),
            Self::Cluster => Some(MomentumRule::Symmetric),
        }
    }
}

/// What precedes a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    /// Velocities are computed from impulses anew.
    rebuild: bool,
}

/// When to stop, and how to sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "scene", serde(deny_unknown_fields, default))]
pub struct Options {
    /// The sweep.
    pub method: Method,
    /// Most iterations (passes over all joints and contacts; clusters are swept twice in each round).
    pub iterations: u32,
    /// Root mean square of the natural-map residual at which to stop `[m/s]` (position pass: `[m]`);
    /// 0 runs all iterations.
    pub tolerance: f32,
    /// Iterations between two looks at the residual when there is a tolerance.
    pub check_every: u32,
    /// Start from the impulses in the contacts and joint rows.
    pub warm_start: bool,
    /// Then solve the joint rows without bounds at once, before the first sweep and, without damping, where the last one left
    /// more than the tolerance.
    pub direct_joints: bool,
    /// Added to the unit diagonal of the joints' matrix when it is solved at once, at least 0. With 0
    /// the joint rows hold exactly at the start; more keeps errors that nearly dependent rows cannot
    /// agree on from being answered by large impulses.
    pub direct_damping: f32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::GaussSeidel,
            iterations: 30,
            tolerance: 0.0,
            check_every: 8,
            warm_start: true,
            direct_joints: true,
            direct_damping: 0.0,
        }
    }
}

impl Options {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no iterations, no iterations between checks, or a tolerance or damping
    /// that is negative or not a number.
    pub fn validate(&self) -> Result<()> {
        if self.iterations == 0 || self.check_every == 0 {
            return Err(Error::invalid(
                "solver options",
                "iterations and check_every must be at least 1",
            ));
        }
        for (what, number) in [
            ("solver tolerance", self.tolerance),
            ("damping of the direct start", self.direct_damping),
        ] {
            if !(number >= 0.0 && number.is_finite()) {
                return Err(Error::invalid(
                    what,
                    format!("{number} is not a finite number of at least 0"),
                ));
            }
        }
        Ok(())
    }

    /// Iterations from `done` to the next look at the residual, or to the end.
    fn until_check(&self, done: u32) -> u32 {
        let left = self.iterations - done;
        if self.tolerance > 0.0 {
            left.min(self.check_every - done % self.check_every)
        } else {
            left
        }
    }
}

/// What is made of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "scene", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "scene", serde(rename_all = "snake_case"))]
pub enum Plan {
    /// It is solved once, with the biases of its contacts.
    Once(Options),
    /// It is a step that is divided; see [`substeps`].
    Substeps(SubstepPlan),
}

impl Plan {
    /// How velocity LCPs are solved.
    #[must_use]
    pub fn velocity(&self) -> &Options {
        match self {
            Self::Once(options) => options,
            Self::Substeps(plan) => &plan.velocity,
        }
    }

    /// The division into substeps, if there is one.
    #[must_use]
    pub fn substeps(&self) -> Option<&SubstepPlan> {
        match self {
            Self::Once(_) => None,
            Self::Substeps(plan) => Some(plan),
        }
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first number without meaning.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Once(options) => options.validate(),
            Self::Substeps(plan) => plan.validate(),
        }
    }

    /// Checks that a problem has what the plan needs, and its numbers.
    ///
    /// # Errors
    /// As [`ProblemRef::validate`] and [`SubstepPlan::validate_problem`].
    pub fn validate_problem(&self, problem: &dyn AsProblem) -> Result<()> {
        let problem = &problem.as_problem();
        problem.validate()?;
        self.substeps()
            .map_or(Ok(()), |plan| plan.validate_problem(problem))
    }

    /// True if [`Self::validate_problem`] could object to contacts only.
    fn is_plain_but_for_contacts(&self, problem: &ProblemRef<'_>) -> bool {
        problem.is_plain_but_for_contacts()
            && self
                .substeps()
                .is_none_or(|plan| plan.validate_problem(problem).is_ok())
    }
}

impl Default for Plan {
    /// A problem is solved once, by the default options.
    fn default() -> Self {
        Self::Once(Options::default())
    }
}

impl From<Options> for Plan {
    fn from(options: Options) -> Self {
        Self::Once(options)
    }
}

impl From<SubstepPlan> for Plan {
    fn from(plan: SubstepPlan) -> Self {
        Self::Substeps(plan)
    }
}

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Status {
    /// The residual reached the tolerance.
    Converged,
    /// All iterations were run (always so without a tolerance).
    #[default]
    MaxIterations,
    /// No further progress was possible.
    Stalled,
    /// A pivoting method ended on a ray: it found no solution.
    RayTermination,
    /// A number stopped being finite; the solution must not be used.
    NonFinite,
}

impl Status {
    /// Name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::MaxIterations => "max_iterations",
            Self::Stalled => "stalled",
            Self::RayTermination => "ray_termination",
            Self::NonFinite => "non_finite",
        }
    }
}

/// The numerical outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Passes over all joints and contacts.
    pub iterations: u32,
    /// Root mean square over contacts and joint rows of the natural-map residual `[m/s]` (position
    /// pass: `[m]`).
    pub residual_rms: f32,
    /// Largest natural-map residual of a contact or joint row `[m/s]` (position pass: `[m]`).
    pub residual_max: f32,
    /// Number of colours, of joints and of contacts together; with clusters the largest of one.
    pub colors: u32,
    /// Contacts in the mass-split remainder.
    pub remainder_contacts: u32,
    /// Joint rows in the mass-split remainder.
    pub remainder_joint_rows: u32,
    /// Global synchronizations of the sweeps: points where all of the work waits for all of it.
    pub barriers: u32,
    /// Joint rows that the direct start solved.
    pub direct_rows: u32,
    /// Time to colour and pack, the direct start included.
    pub pack_time: Duration,
    /// Time to sweep, transfers included.
    pub solve_time: Duration,
}

/// A backend.
pub trait Solver: Send {
    /// `cpu`, `gpu`, ...
    fn backend(&self) -> &'static str;

    /// The adapter it runs on, if it is a GPU's.
    fn adapter(&self) -> Option<String> {
        None
    }

    /// The method of its sweeps where this one is asked for: itself, or the plain one of a solver that has no others.
    fn sweeps_by(&self, asked: Method) -> Method {
        asked
    }

    /// True if no work of its own goes to the current thread pool by any other way than this library's loops: a step may then keep
    /// the pool's threads together from its start to its end.
    fn works_on_threads(&self, options: &Options) -> bool {
        let _ = options;
        false
    }

    /// Like [`Self::step`], but numbers that stop being finite are no error: the report says
    /// [`Status::NonFinite`], and the solution must not be used.
    ///
    /// # Errors
    /// Else as [`Self::step`].
    fn attempt(
        &mut self,
        problem: &dyn AsProblem,
        plan: &Plan,
        solution: &mut Solution,
    ) -> Result<SubstepReport>;

    /// Solves a problem as planned, once or in substeps, and overwrites `solution`.
    ///
    /// What a step in substeps means is [`reference::in_substeps`].
    ///
    /// # Errors
    /// [`Error::Invalid`] for a plan or a problem without meaning, [`Error::Capacity`] or
    /// [`Error::Device`] if the backend cannot hold it or fails, [`Error::NonFinite`] if a number stopped being finite. That the iteration does not
    /// converge is no error: see [`Report::status`].
    fn step(
        &mut self,
        problem: &dyn AsProblem,
        plan: &Plan,
        solution: &mut Solution,
    ) -> Result<SubstepReport> {
        let report = self.attempt(problem, plan, solution)?;
        report.velocity.check()?;
        Ok(report)
    }

    /// Solves a problem once: a step of one part, whose biases are those of its contacts.
    ///
    /// # Errors
    /// As [`Self::step`].
    fn solve(
        &mut self,
        problem: &dyn AsProblem,
        options: &Options,
        solution: &mut Solution,
    ) -> Result<Report> {
        let problem = &problem.as_problem();
        let report = self.step(problem, &Plan::Once(*options), solution)?;
        Ok(report.velocity)
    }
}

impl Status {
    /// The status that a residual just measured amounts to.
    fn after(report: &Report, options: &Options) -> Self {
        if !report.residual_rms.is_finite() {
            Self::NonFinite
        } else if options.tolerance > 0.0 && report.residual_rms <= options.tolerance {
            Self::Converged
        } else {
            Self::MaxIterations
        }
    }
}

/// Packs problems and makes the starts that their options ask for; keeps memory, and what depends only
/// on which bodies a problem links, from solve to solve.
#[derive(Debug, Default)]
struct Packer {
    /// The last batches, if they were given back.
    batches: Option<Batches>,
    mechanisms: direct::Mechanisms,
}

impl Packer {
    /// Packs a problem; the report says how. The batches should be given back to [`Self::keep`].
    fn pack(&mut self, problem: &ProblemRef<'_>, options: &Options) -> (Batches, Report) {
        let start = Instant::now();
        let mut batches = self.batches.take().unwrap_or_default();
        batches.repack(problem, options.method.max_colors(), options.warm_start);
        let direct_rows = self.start_joints(&mut batches, options);
        let report = Report {
            direct_rows,
            ..Report::of(&batches, start.elapsed())
        };
        (batches, report)
    }

    /// Solves joints at once, if the options ask for it; returns how many rows.
    fn start_joints(&mut self, batches: &mut Batches, options: &Options) -> u32 {
        if !options.direct_joints {
            return 0;
        }
        let start = self.mechanisms.start(batches, options.direct_damping);
        start.rows
    }

    /// Packs a problem but for the numbers of its coloured contacts, see [`Batches::repack_remainder`]. The direct start is
    /// left to be made once their impulses are in the velocities.
    ///
    /// # Errors
    /// Verdict of [`ProblemRef::validate`] on a problem that could have errors in contacts only.
    fn pack_remainder(
        &mut self,
        problem: &ProblemRef<'_>,
        options: &Options,
        unbiased: bool,
    ) -> Result<(Batches, Report)> {
        let start = Instant::now();
        let mut batches = self.batches.take().unwrap_or_default();
        let (colors, warm_start) = (options.method.max_colors(), options.warm_start);
        if !batches.repack_remainder(problem, colors, warm_start, unbiased)
            && let Err(error) = problem.validate()
        {
            self.keep(batches);
            return Err(error);
        }
        let report = Report::of(&batches, start.elapsed());
        Ok((batches, report))
    }

    /// Takes the batches back for the next problem.
    fn keep(&mut self, batches: Batches) {
        self.batches = Some(batches);
    }
}

/// Ends a solve whose sweeps have left velocities and impulses in `batches`: joints have the last word where it did not
/// converge.
fn end_with_joints(
    mechanisms: &mut direct::Mechanisms,
    batches: &mut Batches,
    options: &Options,
    report: &mut Report,
) {
    if !direct::has_an_end(options, report) {
        return;
    }
    let mut velocities = std::mem::take(&mut batches.velocities);
    let ended = mechanisms.end(batches, &mut velocities);
    batches.velocities = velocities;
    if ended {
        let (mut of_contacts, mut of_joints) = (Vec::new(), Vec::new());
        let velocities = &batches.velocities;
        cpu::kernels::contact_residual(
            batches,
            velocities,
            &batches.contacts.impulses,
            &mut of_contacts,
        );
        cpu::kernels::joint_residual(
            batches,
            velocities,
            &batches.joints.impulses,
            &mut of_joints,
        );
        (report.residual_rms, report.residual_max) =
            residual::finish([&of_contacts, &of_joints], batches.block_count());
        report.status = Status::after(report, options);
    }
}

impl Report {
    /// # Errors
    /// [`Error::NonFinite`] where the status says so.
    fn check(&self) -> Result<()> {
        if self.status != Status::NonFinite {
            return Ok(());
        }
        Err(Error::NonFinite {
            stage: "the solve",
            what: format!(
                "velocities or impulses within {} iterations",
                self.iterations
            ),
        })
    }

    /// The report of a problem that has just been packed.
    fn of(batches: &Batches, pack_time: Duration) -> Self {
        let (joints, contacts) = (&batches.joints, &batches.contacts);
        Self {
            colors: (joints.colors.len() + contacts.colors.len()) as u32,
            remainder_contacts: contacts.remainder.elements.len() as u32,
            remainder_joint_rows: joints.blocks_of(&joints.remainder.elements).len() as u32,
            pack_time,
            ..Self::default()
        }
    }
}
