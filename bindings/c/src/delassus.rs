//! Contacts by their operator.

use crate::fault::{ds_status, guarded};
use crate::memory::{Sized32, array, check_array, structure, write_structure};
use crate::problem::friction_law;
use crate::solver::outcome;
use drystone::solver::nsgs::{Acceleration, DelassusProblem, NsgsOptions};

/// Contacts u = (W + R) r + b with friction's disk: W by rows of 3 x 3 blocks, each by rows; normal first, then two tangents. Begin with zeros and
/// `struct_size`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ds_delassus {
    /// `sizeof(ds_delassus)`.
    pub struct_size: u32,
    /// `DS_LAW_COULOMB` or `DS_LAW_CONVEX`.
    pub friction_law: u32,
    /// Number of contacts n.
    pub contact_count: usize,
    /// Number of blocks m.
    pub block_count: usize,
    /// First block of each row of blocks, and one past the last: n + 1 numbers.
    pub row_starts: *const u32,
    /// Contact that each block takes the impulse of, ascending in a row: m numbers.
    pub columns: *const u32,
    /// Blocks [1/kg]: 9 m numbers.
    pub blocks: *const f64,
    /// b [m/s]: 3 n numbers.
    pub free_velocities: *const f64,
    /// Coefficients of friction: n numbers.
    pub friction: *const f64,
    /// R, the compliance of each row [1/kg]: 3 n numbers, or null.
    pub compliance: *const f64,
}

// SAFETY: it is `repr(C)` and begins with its size.
unsafe impl Sized32 for ds_delassus {
    const NAME: &'static str = "ds_delassus";
}

/// When to stop. `accelerated` 0 is plain block Gauss-Seidel (NSGS). Begin with `struct_size`; zeros elsewhere are the defaults: 10,000 sweeps, to
/// round-off.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ds_delassus_options {
    /// `sizeof(ds_delassus_options)`.
    pub struct_size: u32,
    /// Most sweeps.
    pub iterations: u32,
    /// Sweeps between two looks at the residual.
    pub check_every: u32,
    /// Not 0: Anderson's combination of the latest sweeps.
    pub accelerated: u32,
    /// Root mean square of the residual at which to stop [m/s].
    pub tolerance: f64,
}

// SAFETY: it is `repr(C)` and begins with its size.
unsafe impl Sized32 for ds_delassus_options {
    const NAME: &'static str = "ds_delassus_options";
}

/// How it went. Begin with `struct_size`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ds_delassus_report {
    /// `sizeof(ds_delassus_report)`.
    pub struct_size: u32,
    /// `DS_CONVERGED`, `DS_MAX_ITERATIONS` or `DS_STALLED`.
    pub outcome: u32,
    /// Sweeps.
    pub iterations: u32,
    /// Root mean square of the residual [m/s].
    pub residual_rms: f64,
    /// The largest of a contact [m/s].
    pub residual_max: f64,
}

// SAFETY: it is `repr(C)` and begins with its size.
unsafe impl Sized32 for ds_delassus_report {
    const NAME: &'static str = "ds_delassus_report";
}

/// Solves contacts by their operator in f64, from the impulses that are there: 3 numbers a contact [N s]. `report` may be null.
///
/// # Safety
/// Arrays are as long as the problem's counts say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ds_solve_delassus(
    problem: *const ds_delassus,
    options: *const ds_delassus_options,
    impulses: *mut f64,
    report: *mut ds_delassus_report,
) -> ds_status {
    guarded(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let (from, how) = (structure(problem)?, structure(options)?);
            if !report.is_null() {
                structure(report.cast_const())?;
            }
            let n = from.contact_count;
            check_array(from.friction.cast::<[f64; 3]>(), n, "contacts")?;
            check_array(impulses.cast_const().cast::<[f64; 3]>(), n, "impulses")?;
            let compliances = if from.compliance.is_null() { 0 } else { n };
            let problem = DelassusProblem {
                row_starts: array(from.row_starts, n + 1, "row_starts")?,
                columns: array(from.columns, from.block_count, "columns")?,
                blocks: array(from.blocks.cast::<[f64; 9]>(), from.block_count, "blocks")?,
                free_velocities: array(from.free_velocities.cast(), n, "free_velocities")?,
                friction: array(from.friction, n, "friction")?,
                compliance: array(from.compliance.cast(), compliances, "compliance")?,
                friction_law: friction_law(from.friction_law)?,
            };
            let default = NsgsOptions::default();
            let or = |given, default| if given == 0 { default } else { given };
            let how = NsgsOptions {
                iterations: or(how.iterations, default.iterations),
                check_every: or(how.check_every, default.check_every),
                tolerance: how.tolerance,
                acceleration: if how.accelerated == 0 {
                    Acceleration::None
                } else {
                    default.acceleration
                },
                ..default
            };
            // Those of the caller stay as they are where the solve fails.
            let mut found =
                array(impulses.cast_const().cast::<[f64; 3]>(), n, "impulses")?.to_vec();
            let ended = problem.solve(&mut found, &how)?;
            crate::memory::write(impulses.cast::<[f64; 3]>(), &found, "impulses")?;
            write_structure(
                report,
                ds_delassus_report {
                    struct_size: size_of::<ds_delassus_report>() as u32,
                    outcome: outcome(ended.status),
                    iterations: ended.iterations,
                    residual_rms: ended.residual_rms,
                    residual_max: ended.residual_max,
                },
            )
        }
    })
}
