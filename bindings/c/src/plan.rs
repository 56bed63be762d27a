//! How a problem is solved.

use crate::fault::{Fault, Result, ds_status, guarded, guarded_alone};
use crate::memory::{Sized32, structure, write_structure};
use crate::problem::{ds_problem, given};
use drystone::solver::substeps::{GapLaw, PositionPlan, SubstepPlan};
use drystone::solver::{Method, Options};

/// Coloured projected Gauss-Seidel.
pub const DS_METHOD_GAUSS_SEIDEL: u32 = 0;
/// Mass-split projected Jacobi.
pub const DS_METHOD_JACOBI: u32 = 1;
/// Gauss-Seidel with momentum and restarts.
pub const DS_METHOD_NESTEROV: u32 = 2;
/// Clusters of bodies, each swept by itself, with momentum.
pub const DS_METHOD_CLUSTER: u32 = 3;

/// When to stop, and how to sweep; `ds_options_default` fills it in.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ds_options {
    /// `sizeof(ds_options)`.
    pub struct_size: u32,
    /// `DS_METHOD_...`.
    pub method: u32,
    /// Most sweeps, at least 1.
    pub iterations: u32,
    /// Sweeps between two looks at the residual, at least 1.
    pub check_every: u32,
    /// Root mean square of the residual at which to stop [m/s]; 0 makes all sweeps.
    pub tolerance: f32,
    /// Not 0: start from the impulses in contacts and rows.
    pub warm_start: u32,
    /// Not 0: solve rows without bounds at once before the first sweep.
    pub direct_joints: u32,
    /// Damping of that, at least 0.
    pub direct_damping: f32,
}

// SAFETY: it is `repr(C)` and begins with its size.
unsafe impl Sized32 for ds_options {
    const NAME: &'static str = "ds_options";
}

/// A step in substeps; `ds_plan_recommended` fills it in, and `drystone::solver::substeps` says what the numbers mean.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ds_plan {
    /// `sizeof(ds_plan)`.
    pub struct_size: u32,
    /// Number of substeps, at least 1. What follows is for this number: `ds_plan_recommended` for others.
    pub substeps: u32,
    /// Length of the whole step [s].
    pub time_step: f32,
    /// Approach speed below which nothing bounces [m/s].
    pub restitution_threshold: f32,
    /// Change of velocity up to which a pair of bodies is left for the rest of a sweep [m/s]; with 0 none is.
    pub calm_change: f32,
    /// Share of the penetration that is taken back per second [1/s].
    pub rate: f32,
    /// Share of the velocity before the substep that is taken into the bias while shut.
    pub memory: f32,
    /// Most that is taken back [m/s].
    pub max_push: f32,
    /// Softness of contacts.
    pub softness: f32,
    /// Most that a contact gives way by under an impulse that it holds [m/s].
    pub held: f32,
    /// The same of its load [m/s].
    pub held_load: f32,
    /// Time over which impulses are a load [s].
    pub load_time: f64,
    /// Gap on either side of zero that is left alone [m].
    pub slop: f32,
    /// Penetration that is spared the push [m].
    pub spared: f32,
    /// Overlap up to which bodies that may bounce touch [m].
    pub touching: f32,
    /// How each substep is solved.
    pub velocity: ds_options,
    /// Not 0: a position problem follows each substep.
    pub has_position: u32,
    /// Most that it corrects of a penetration [m].
    pub max_correction: f32,
    /// Most that it turns a body [rad].
    pub max_turn: f32,
    /// How it is solved.
    pub position: ds_options,
}

// SAFETY: it is `repr(C)` and begins with its size.
unsafe impl Sized32 for ds_plan {
    const NAME: &'static str = "ds_plan";
}

impl ds_options {
    fn of(options: &Options) -> Self {
        let at = Method::ALL
            .iter()
            .position(|&method| method == options.method);
        Self {
            struct_size: size_of::<Self>() as u32,
            method: at.unwrap_or(0) as u32,
            iterations: options.iterations,
            check_every: options.check_every,
            tolerance: options.tolerance,
            warm_start: options.warm_start.into(),
            direct_joints: options.direct_joints.into(),
            direct_damping: options.direct_damping,
        }
    }

    fn options(&self) -> Result<Options> {
        if self.struct_size as usize != size_of::<Self>() {
            return Err(Fault::invalid(
                "the size of ds_options within ds_plan is wrong",
            ));
        }
        let method = Method::ALL.get(self.method as usize).copied();
        let options = Options {
            method: method
                .ok_or_else(|| Fault::invalid(format!("method: {} is none", self.method)))?,
            iterations: self.iterations,
            check_every: self.check_every,
            tolerance: self.tolerance,
            warm_start: self.warm_start != 0,
            direct_joints: self.direct_joints != 0,
            direct_damping: self.direct_damping,
        };
        options.validate()?;
        Ok(options)
    }
}

impl ds_plan {
    fn of(plan: &SubstepPlan) -> Self {
        let law = &plan.gap_law;
        let position = plan.position.as_ref();
        Self {
            struct_size: size_of::<Self>() as u32,
            substeps: plan.substeps,
            time_step: plan.time_step,
            restitution_threshold: plan.restitution_threshold,
            calm_change: plan.calm_change,
            rate: law.rate,
            memory: law.memory,
            max_push: law.max_push,
            softness: law.softness,
            held: law.held,
            held_load: law.held_load,
            load_time: law.load_time,
            slop: law.slop,
            spared: law.spared,
            touching: law.touching,
            velocity: ds_options::of(&plan.velocity),
            has_position: position.is_some().into(),
            max_correction: position.map_or(0.0, |position| position.max_correction),
            max_turn: position.map_or(0.0, |position| position.max_turn),
            position: ds_options::of(position.map_or(&plan.velocity, |position| &position.options)),
        }
    }

    fn plan(&self) -> Result<SubstepPlan> {
        let plan = SubstepPlan {
            substeps: self.substeps,
            time_step: self.time_step,
            gap_law: GapLaw {
                rate: self.rate,
                memory: self.memory,
                max_push: self.max_push,
                softness: self.softness,
                held: self.held,
                held_load: self.held_load,
                load_time: self.load_time,
                slop: self.slop,
                spared: self.spared,
                touching: self.touching,
            },
            restitution_threshold: self.restitution_threshold,
            calm_change: self.calm_change,
            velocity: self.velocity.options()?,
            position: if self.has_position == 0 {
                None
            } else {
                Some(PositionPlan {
                    options: self.position.options()?,
                    max_correction: self.max_correction,
                    max_turn: self.max_turn,
                })
            },
        };
        plan.validate()?;
        Ok(plan)
    }
}

/// # Safety
/// As [`structure`].
pub(crate) unsafe fn options(from: *const ds_options) -> Result<Options> {
    // SAFETY: the caller's promise.
    unsafe { structure(from)? }.options()
}

/// # Safety
/// As [`structure`].
pub(crate) unsafe fn plan(from: *const ds_plan) -> Result<SubstepPlan> {
    // SAFETY: the caller's promise.
    unsafe { structure(from)? }.plan()
}

/// Fills in 30 sweeps of Gauss-Seidel with a warm start. `struct_size` has been set.
///
/// # Safety
/// The pointer is to a `ds_options`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_options_default(options: *mut ds_options) -> ds_status {
    guarded(|| {
        crate::memory::check_pointer(options, "options")?;
        // SAFETY: the caller's promise.
        unsafe { write_structure(options, ds_options::of(&Options::default())) }
    })
}

/// # Safety
/// The pointer is to a `ds_plan`.
unsafe fn write_recommended(plan: *mut ds_plan, recommended: &SubstepPlan) -> Result<()> {
    recommended.validate()?;
    // SAFETY: the caller's promise.
    unsafe { write_structure(plan, ds_plan::of(recommended)) }
}

/// # Errors
/// `DS_INVALID` for a size or gravity without meaning.
fn check_scales(radius: f64, gravity: f64) -> Result<()> {
    if radius > 0.0 && radius.is_finite() && gravity >= 0.0 && gravity.is_finite() {
        return Ok(());
    }
    Err(Fault::invalid(
        "the radius must be positive, and gravity at least 0",
    ))
}

/// Fills in the default step's plan: contacts as damped springs, swept once in each of `substeps`; 0 for the recommended number, 16. `struct_size`
/// has been set.
///
/// `time_step` is the length of the step [s], `radius` the bounding radius of the smallest body that moves [m], `gravity` the magnitude
/// of gravity [m/s^2].
///
/// # Safety
/// The pointer is to a `ds_plan`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_plan_recommended(
    plan: *mut ds_plan,
    substeps: u32,
    time_step: f64,
    radius: f64,
    gravity: f64,
) -> ds_status {
    guarded(|| {
        crate::memory::check_pointer(plan, "plan")?;
        check_scales(radius, gravity)?;
        let recommended = match substeps {
            0 => SubstepPlan::recommended(time_step, radius, gravity),
            _ => SubstepPlan::recommended_in(substeps, time_step, radius, gravity),
        };
        // SAFETY: the caller's promise.
        unsafe { write_recommended(plan, &recommended) }
    })
}

/// The same with the radius of the problem's smallest body, as if it were a ball; and where one of its gaps, which may be null, is deeper than the springs of
/// contacts reach, with position problems that take that back and give nothing a velocity: move bodies by their displacements.
///
/// # Safety
/// The pointers are to a `ds_plan` and a problem whose arrays are as long as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_plan_recommended_for(
    plan: *mut ds_plan,
    problem: *const ds_problem,
    substeps: u32,
    time_step: f64,
    gravity: f64,
) -> ds_status {
    guarded_alone(|| {
        crate::memory::check_pointer(plan, "plan")?;
        // SAFETY: the caller's promise.
        let given = unsafe { given(problem, !structure(problem)?.gaps.is_null())? };
        given.validate_bodies()?;
        let problem = given.problem();
        check_scales(problem.smallest_radius(), gravity)?;
        let recommended = match substeps {
            0 => SubstepPlan::recommended_for(&problem, time_step, gravity),
            _ => SubstepPlan::recommended_for_in(substeps, &problem, time_step, gravity),
        };
        // SAFETY: the caller's promise.
        unsafe { write_recommended(plan, &recommended) }
    })
}
