//! Solvers, and what they compute.

use crate::fault::{Fault, Result, ds_status, guarded, of_panic};
use crate::handle::Handles;
use crate::memory::{Sized32, check_pointer, structure, write, write_structure};
use crate::plan::{ds_options, ds_plan, options, plan};
use crate::problem::{Given, ds_displacement, ds_problem, ds_velocity, given};
use crate::threads::Threads;
use drystone::problem::{MovingSurfaces, RollingFriction};
use drystone::solver::cpu::CpuSolver;
use drystone::solver::substeps::SubstepReport;
use drystone::solver::{Plan, Solution, Solver as _, Status};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A solver, opaque: its memory and its threads. Several threads may have one each; two may not use one at a time.
#[derive(Debug)]
pub struct ds_solver(());

/// Most threads of a solver.
pub const DS_MAX_THREADS: u32 = 1024;

/// What a solver computes, into the caller's memory; an array that is null is not written. Begin with zeros and `struct_size`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ds_solution {
    /// `sizeof(ds_solution)`.
    pub struct_size: u32,
    /// Velocity of each body at the end, forces included.
    pub velocities: *mut ds_velocity,
    /// How far each body moves in the step, `ds_step` only.
    pub displacements: *mut ds_displacement,
    /// Impulse of each contact along its normal and tangents [N s], of the last substep.
    pub impulses: *mut [f32; 3],
    /// The same over the whole step, `ds_step` only.
    pub total_impulses: *mut [f32; 3],
    /// Impulse of each row, `ds_solve` only.
    pub joint_impulses: *mut f32,
}

// SAFETY: it is `repr(C)` and begins with its size.
unsafe impl Sized32 for ds_solution {
    const NAME: &'static str = "ds_solution";
}

/// The residual reached the tolerance.
pub const DS_CONVERGED: u32 = 0;
/// All sweeps were made.
pub const DS_MAX_ITERATIONS: u32 = 1;
/// It ended otherwise.
pub const DS_STALLED: u32 = 2;

/// How a solve went. Begin with `struct_size`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ds_report {
    /// `sizeof(ds_report)`.
    pub struct_size: u32,
    /// `DS_CONVERGED`, `DS_MAX_ITERATIONS` or `DS_STALLED`.
    pub outcome: u32,
    /// Sweeps, of all substeps.
    pub iterations: u32,
    /// Colours of contacts and rows.
    pub colors: u32,
    /// Root mean square of the residual after the last sweep [m/s].
    pub residual_rms: f64,
    /// Largest residual of a contact or row [m/s].
    pub residual_max: f64,
    /// Time to pack [s].
    pub pack_seconds: f64,
    /// Time to sweep [s].
    pub solve_seconds: f64,
}

// SAFETY: it is `repr(C)` and begins with its size.
unsafe impl Sized32 for ds_report {
    const NAME: &'static str = "ds_report";
}

pub(crate) fn outcome(status: Status) -> u32 {
    match status {
        Status::Converged => DS_CONVERGED,
        Status::MaxIterations => DS_MAX_ITERATIONS,
        _ => DS_STALLED,
    }
}

/// Object behind a handle.
pub(crate) struct Held {
    solver: CpuSolver,
    /// Threads of its own.
    threads: Option<Threads>,
    pub(crate) solution: Solution,
    surfaces: MovingSurfaces,
    rolling: RollingFriction,
}

pub(crate) static SOLVERS: Handles<Held> = Handles::new("solver");

impl Held {
    fn new(threads: u32) -> Result<Self> {
        if threads > DS_MAX_THREADS {
            return Err(Fault::invalid(format!(
                "{threads} threads; at most {DS_MAX_THREADS} are expected"
            )));
        }
        let own = (threads > 0).then(|| Threads::new(threads));
        Ok(Self {
            solver: CpuSolver::new(),
            threads: own.transpose()?,
            solution: Solution::default(),
            surfaces: MovingSurfaces::default(),
            rolling: RollingFriction::default(),
        })
    }

    /// Solves on the solver's threads; a panic leaves it with empty memory.
    fn work(&mut self, given: &Given<'_>, plan: &Plan) -> Result<SubstepReport> {
        let Self {
            solver,
            threads,
            solution,
            surfaces,
            rolling,
            ..
        } = self;
        let problem = given.problem();
        let rows = problem.joint_rows.len();
        let problem = surfaces.carry(&problem, given.surface_velocities)?;
        let problem = rolling.hold(&problem, given.rolling, given.spinning)?;
        let solve = AssertUnwindSafe(|| match threads {
            Some(threads) => threads.run(|| solver.step(&problem, plan, solution)),
            None => solver.step(&problem, plan, solution),
        });
        match catch_unwind(solve) {
            Ok(found) => {
                let found = found?;
                solution.keep_joint_rows(rows);
                Ok(found)
            }
            Err(panic) => {
                (self.solver, self.solution) = (CpuSolver::new(), Solution::default());
                Err(of_panic(&*panic))
            }
        }
    }

    /// Solves, and writes what was found.
    ///
    /// # Safety
    /// Arrays of the solution are as long as the problem's counts say.
    unsafe fn run(
        &mut self,
        given: &Given<'_>,
        plan: &Plan,
        to: *mut ds_solution,
        report: *mut ds_report,
    ) -> Result<()> {
        check_pointer(to, "solution")?;
        // SAFETY: the caller's promise.
        let to = unsafe { structure(to.cast_const())? };
        if !report.is_null() {
            // SAFETY: the caller's promise.
            unsafe { structure(report.cast_const())? };
        }
        let problem = given.problem();
        let divided = plan.substeps();
        let of_steps = !to.displacements.is_null() || !to.total_impulses.is_null();
        if divided.is_none() && of_steps {
            return Err(Fault::invalid(
                "displacements and total_impulses are of a step: see ds_step",
            ));
        }
        for (what, pointer) in [
            ("velocities", to.velocities.cast::<f32>()),
            ("displacements", to.displacements.cast()),
            ("impulses", to.impulses.cast()),
            ("total_impulses", to.total_impulses.cast()),
            ("joint_impulses", to.joint_impulses),
        ] {
            if !pointer.is_null() {
                check_pointer(pointer, what)?;
            }
        }
        let found = self.work(given, plan)?;
        let h = divided.map_or(0.0, |plan| f64::from(plan.time_step));
        let motions = plan.motions(h, &problem, &self.solution)?;
        for (body, motion) in motions.enumerate() {
            let (velocity, displacement) = (motion.velocity, motion.displacement);
            // SAFETY: the caller's promise; there are as many motions as bodies.
            unsafe {
                if !to.velocities.is_null() {
                    to.velocities.add(body).write(bytemuck::cast(velocity));
                }
                if !to.displacements.is_null() {
                    let to = to.displacements.add(body);
                    to.write(bytemuck::cast(displacement));
                }
            }
        }
        let Solution {
            impulses,
            total_impulses,
            joint_impulses,
            ..
        } = &self.solution;
        let velocity = &found.velocity;
        // SAFETY: the caller's promise.
        unsafe {
            write(to.impulses, impulses, "impulses")?;
            write(to.total_impulses, total_impulses, "total_impulses")?;
            write(to.joint_impulses, joint_impulses, "joint_impulses")?;
            write_structure(
                report,
                ds_report {
                    struct_size: size_of::<ds_report>() as u32,
                    outcome: outcome(velocity.status),
                    iterations: velocity.iterations,
                    colors: velocity.colors,
                    residual_rms: velocity.residual_rms.into(),
                    residual_max: velocity.residual_max.into(),
                    pack_seconds: velocity.pack_time.as_secs_f64(),
                    solve_seconds: velocity.solve_time.as_secs_f64(),
                },
            )
        }
    }
}

/// A solver with so many threads of its own; with 1 it works on the thread that calls it and starts none, with 0 it runs on those of the process, as many as there
/// are cores, which all solvers share.
///
/// # Safety
/// `solver` is to a pointer, which is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_create(threads: u32, solver: *mut *mut ds_solver) -> ds_status {
    guarded(|| {
        check_pointer(solver, "solver")?;
        let handle = SOLVERS.add(Held::new(threads)?);
        // SAFETY: the caller's promise.
        unsafe { solver.write(std::ptr::without_provenance_mut(handle)) };
        Ok(())
    })
}

/// Ends a solver; null is none.
#[unsafe(no_mangle)]
pub extern "C" fn ds_destroy(solver: *mut ds_solver) -> ds_status {
    guarded(|| SOLVERS.remove(solver.addr()))
}

/// Solves a problem once: bodies carry the velocities that they would end the step with, contacts and rows their biases. `report` may be null.
///
/// # Safety
/// Arrays are as long as the problem's counts say, and none that is written overlaps another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_solve(
    solver: *mut ds_solver,
    problem: *const ds_problem,
    how: *const ds_options,
    solution: *mut ds_solution,
    report: *mut ds_report,
) -> ds_status {
    guarded(|| {
        SOLVERS.with(solver.addr(), |held| {
            // SAFETY: the caller's promise.
            unsafe {
                let given = given(problem, false)?;
                held.run(&given, &Plan::Once(options(how)?), solution, report)
            }
        })
    })
}

/// Solves a step in substeps: bodies carry the velocities that they start with, biases follow from gaps. `report` may be null.
///
/// # Safety
/// As `ds_solve`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_step(
    solver: *mut ds_solver,
    problem: *const ds_problem,
    how: *const ds_plan,
    solution: *mut ds_solution,
    report: *mut ds_report,
) -> ds_status {
    guarded(|| {
        SOLVERS.with(solver.addr(), |held| {
            // SAFETY: the caller's promise.
            unsafe {
                let given = given(problem, true)?;
                held.run(&given, &Plan::Substeps(plan(how)?), solution, report)
            }
        })
    })
}
